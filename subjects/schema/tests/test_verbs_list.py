"""list and stats, asked on the command line."""

from collections.abc import Callable
from typing import Any

import pytest

Ask = Callable[..., Any]


def titles(response: Any) -> list[str]:
    return [item["title"] for item in response["items"]]


def test_operations_are_listed_with_their_routes(ask: Ask) -> None:
    found = ask("list")
    assert titles(found) == [
        "GET /orders",
        "POST /orders",
        "GET /customers/{id}",
        "WEBHOOK shipped",
    ]
    assert found["items"][0]["name"] == "listOrders"
    assert (found["items"][0]["source"], found["items"][0]["first_line"]) == ("shop.yaml", 5)
    assert found["items"][1]["deprecated"]


def test_ids_alone_are_what_show_takes(ask: Ask) -> None:
    ids = ask("list", "types", "--name", "Parcel", "--ids-only", text=True).split()
    assert ids == ["shop.yaml#Type:Parcel", "shop.yaml#Type:Parcel.Old"]
    assert "Parcel.Old" in ask("show", *ids, text=True)
    assert ask("list", "documents", "--ids-only", text=True) == "shop\n"
    assert ask("list", "--name", "nowhere", "--ids-only", text=True) == ""


def test_types_have_directions(ask: Ask) -> None:
    ways = {item["name"]: item["direction"] for item in ask("list", "types")["items"]}
    assert ways == {
        "Order": "both",
        "Customer": "both",
        "Card": "both",
        "Parcel": "output",
        "Parcel.Old": "none",
    }


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["methods", "--path", "/orders"], ["GET /orders", "POST /orders"]),
        (["methods", "--path", "*/{id}"], []),
        (["methods", "--path", "**/{id}"], ["GET /customers/{id}"]),
        (["methods", "--path", "^/(orders|x)", "--regex"], ["GET /orders", "POST /orders"]),
        (["methods", "--name", "*Order"], ["POST /orders"]),
        (["methods", "--name", "*order", "--case-sensitive"], []),
        (["types", "--name", "card"], ["Card"]),
        (["types", "--path", "/orders"], []),
        (["types", "--direction", "output", "--name", "Parcel"], ["Parcel"]),
        (["types", "--direction", "none"], ["Parcel.Old"]),
        (["properties", "--path", "/orders"], ["listOrders.page", "parameters.Trace"]),
        (["properties", "--name", "city"], ["Order.address.city", "Parcel.city"]),
        (["properties", "--name", "num", "--exact"], []),
        (["fields", "--name", "page"], []),
        (["fields", "--direction", "output", "--name", "number"], ["Order.number"]),
        (["services"], ["Shop"]),
    ],
)
def test_a_listing_is_narrowed(ask: Ask, arguments: list[str], found: list[str]) -> None:
    response = ask("list", *arguments)
    assert titles(response) == found
    assert response["found"] == len(found)


def test_the_count_is_of_all_however_few_are_shown(ask: Ask) -> None:
    found = ask("list", "types", "--limit", "2")
    assert (found["found"], len(found["items"])) == (5, 2)
    assert ask("list", "types", "--limit", "2", text=True).endswith("5 found, 2 shown\n")


def test_operations_have_no_direction_to_be_narrowed_by(ask: Ask) -> None:
    found = ask("list", "methods", "--direction", "input")
    assert (found["status"], found["error"]["code"]) == (2, "bad_request")


def test_documents_are_listed_by_their_short_names(ask_both: Ask) -> None:
    found = ask_both("list", "documents")
    assert [(one["name"], one["format"], one["webhooks"]) for one in found["documents"]] == [
        ("shop", "3.1", 1),
        ("v1", "2.0", 0),
    ]
    assert found["documents"][0]["files"] == ["new/shop.yaml"]


def test_one_document_can_be_asked_about_alone(ask_both: Ask) -> None:
    found = ask_both("list", "types", "--source", "v1")
    assert [item["id"] for item in found["items"]] == ["old/v1.json#Type:Order"]
    assert ask_both("list", "types", "--source", "v11")["notes"] == [
        "no document is called `v11`; near: `v1`"
    ]


def test_rows_say_where_they_are_from_when_they_must_or_when_asked(ask: Ask, ask_both: Ask) -> None:
    assert "[source: v1, old/v1.json:" in ask_both("list", "types", text=True)
    assert "[source:" not in ask("list", "types", text=True)
    assert "[source: shop, shop.yaml:63]" in ask("list", "types", "--show-source", text=True)


def test_stats_name_the_documents_with_what_they_hold(ask_both: Ask) -> None:
    found = ask_both("stats")
    assert [(one["title"], one["version"], one["types"]) for one in found["documents"]] == [
        ("Shop", "2", 5),
        ("Shop", "1", 1),
    ]
    assert found["sources"] == 2
    assert "v1  old/v1.json  Shop 1  OpenAPI 2.0  1 operation, 1 type, 2 properties" in ask_both(
        "stats", text=True
    )


def test_several_indexes_are_listed_together(shop: str, shops: str, answer: Ask) -> None:
    found = answer("list", "types", "--name", "Order", "--dir", shop, "--dir", shops)
    assert found["found"] == 3
    assert {item["id"].rpartition("#")[2] for item in found["items"]} == {"Type:Order"}
    assert len({item["id"] for item in found["items"]}) == 3


def test_counts_of_documents_are_those_of_the_listings(ask_both: Ask) -> None:
    for document in ask_both("list", "documents")["documents"]:
        for what in ("types", "properties"):
            listed = ask_both("list", what, "--source", document["name"], "--limit", "1")
            assert listed["found"] == document[what]
        methods = ask_both("list", "methods", "--source", document["name"])["items"]
        events = [item for item in methods if item["title"].startswith("WEBHOOK ")]
        assert len(events) == document["webhooks"]
        assert len(methods) - len(events) == document["operations"]
