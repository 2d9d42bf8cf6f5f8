"""What users type, and which nodes it means."""

from collections.abc import Callable
from typing import Any

import pytest
from sourcebook.errors import Ambiguous, BadPattern, NotFound
from sourcebook_schema.api import Api
from sourcebook_schema.facts import ENTRY_KINDS
from sourcebook_schema.names import Names, Wanted, find_sources

MakeApi = Callable[..., Any]
FileOf = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def api(make_api: MakeApi, file_of: FileOf) -> Api:
    """Return two documents that share a piece."""
    new = file_of(
        [
            "Service:Shop", "Method:GET /orders/{id}", "Property:GET /orders/{id}.page",
            "Body:orders", "Property:orders.note", "Type:Order", "Property:Order.id",
            "Property:Order.address", "Property:Order.address.city", "Type:Order.Line",
            "Property:Order.Line.id", "Type:order", "Property:Order.id~2", "Method:addOrder",
        ],
        [
            "Method:GET /orders/{id} input Property:GET /orders/{id}.page",
            "Method:GET /orders/{id} input Body:orders",
            "Body:orders holds Property:orders.note",
            "Method:addOrder input Property:GET /orders/{id}.page",
            "Type:Order ref common.yaml#/Money",
        ],
        details={"Method:addOrder": {"method": "POST", "path": "/orders"}},
    )  # fmt: skip
    new["nodes"][12][2:4] = ["id", 5]
    old = file_of(["Type:Order", "Property:Order.id"], ["Type:Order ref common.yaml#/Money"])
    made: Api = make_api(
        {
            "v2/shop.yaml": new,
            "v1/old.yaml": old,
            "common.yaml": file_of(["Type:Money"], root=False),
        }
    )
    return made


def find(api: Api, text: str, *kinds: str, **more: Any) -> list[str]:
    names = Names(api, Wanted(kinds or ENTRY_KINDS, **more))
    return [api.id(node).removeprefix("v2/shop.yaml#") for node in names.find(text)]


ORDERS = ["v1/old.yaml#Type:Order", "Type:Order"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("v2/shop.yaml#Type:Order", ["Type:Order"]),
        ("shop#Type:Order", ["Type:Order"]),
        ("v2/shop#Type:Order", ["Type:Order"]),
        ("shop#Type:Money", ["common.yaml#Type:Money"]),
        ("Type:Order", ORDERS),
        ("Order", ORDERS),
        ("order", ["Type:order"]),
        ("ORDER", [*ORDERS, "Type:order"]),
        ("Money", ["common.yaml#Type:Money"]),
        ("one", ["common.yaml#Type:Money"]),
        ("GET /orders/{id}", ["Method:GET /orders/{id}"]),
        ("get /orders/{id}", ["Method:GET /orders/{id}"]),
        ("POST /orders", ["Method:addOrder"]),
        ("GET /orders/*", ["Method:GET /orders/{id}"]),
        ("addOrder", ["Method:addOrder"]),
        ("GET /orders/{id} page", ["Property:GET /orders/{id}.page"]),
        ("POST /orders page", ["Property:GET /orders/{id}.page"]),
        ("GET /orders/{id} note", ["Property:orders.note"]),
        ("Order.address.city", ["Property:Order.address.city"]),
        ("order.address.CITY", ["Property:Order.address.city"]),
        ("Order.Line", ["Type:Order.Line"]),
        ("[Order.Line].id", ["Property:Order.Line.id"]),
        ("Order.Line.id", ["Property:Order.Line.id"]),
        (
            "[Order].id",
            ["v1/old.yaml#Property:Order.id", "Property:Order.id", "Property:Order.id~2"],
        ),
        ("Property:Order.id~2", ["Property:Order.id~2"]),
        ("*.city", ["Property:Order.address.city"]),
        ("Type:Ord*", ["v1/old.yaml#Type:Order", "Type:Order", "Type:Order.Line", "Type:order"]),
        ("Service:Shop", ["Service:Shop"]),
        ("nothing", []),
        ("gone.yaml#Type:Order", []),
        ("GET /nowhere page", []),
    ],
)
def test_a_text_means_what_it_fits_first(api: Api, text: str, found: list[str]) -> None:
    assert find(api, text) == found


def test_a_bare_name_is_of_the_kinds_that_are_wanted(api: Api) -> None:
    assert find(api, "ADDORD", "method") == ["Method:addOrder"]
    assert find(api, "Type:Order", "method") == ORDERS


def test_capitals_count_when_they_are_to(api: Api) -> None:
    assert find(api, "ORDER", case_sensitive=True) == []
    assert find(api, "*line", "type", case_sensitive=True) == []


def test_regular_expressions_are_over_names_then_over_names_with_owners(api: Api) -> None:
    assert find(api, "^c.ty$", is_regex=True) == ["Property:Order.address.city"]
    assert find(api, r"^Order\.addr", "property", is_regex=True) == [
        "Property:Order.address",
        "Property:Order.address.city",
    ]
    with pytest.raises(BadPattern):
        find(api, "(", is_regex=True)
    with pytest.raises(BadPattern):
        find(api, "")


def test_only_the_files_of_a_document_count(api: Api) -> None:
    sources, notes = find_sources(api, ["old"])
    assert (sources, notes) == (frozenset({"v1/old.yaml", "common.yaml"}), [])
    assert find(api, "Order", sources=sources) == ["v1/old.yaml#Type:Order"]
    assert find(api, "Money", sources=sources) == ["common.yaml#Type:Money"]


@pytest.mark.parametrize(
    ("patterns", "sources"),
    [
        (["v2/*"], {"v2/shop.yaml", "common.yaml"}),
        (["common"], {"common.yaml"}),
        (["old", "nowhere"], {"v1/old.yaml", "common.yaml"}),
    ],
)
def test_documents_are_named_shortly_or_by_their_paths(
    api: Api, patterns: list[str], sources: set[str]
) -> None:
    assert find_sources(api, patterns)[0] == frozenset(sources)


def test_a_document_that_is_not_there_is_said_with_the_nearest(api: Api) -> None:
    assert find_sources(api, ["shp"]) == (
        frozenset(),
        ["no document is called `shp`; near: `shop`"],
    )


def test_one_name_for_several_things_is_ambiguous_and_a_pattern_is_not(api: Api) -> None:
    names = Names(api, Wanted())
    with pytest.raises(Ambiguous, match=r"v1/old\.yaml#Type:Order, v2/shop\.yaml#Type:Order"):
        names.one("Order", "type")
    assert len(names.one("Orde*", "type")) == 4
    assert len(names.one("shop#Type:Order", "type")) == 1


def test_a_name_that_is_not_there_is_said_with_the_nearest(api: Api) -> None:
    names = Names(api, Wanted())
    with pytest.raises(NotFound) as told:
        names.one("Monney", "type")
    assert told.value.hint == "did you mean `Money`?"
    with pytest.raises(NotFound) as told:
        names.one("Order.adress.city", "property")
    assert told.value.hint == "did you mean `Order.address.city`?"
