"""show and its formats, asked on the command line and as tools."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sourcebook import open_index, tools

Ask = Callable[..., Any]


def names(response: Any) -> list[str]:
    return [node["facts"]["title"] for node in response["nodes"] if node["kind"] != "response"]


def test_a_type_is_shown_with_its_neighbours(ask: Ask) -> None:
    found = ask("show", "Type:Customer")
    assert found["matched"] == ["shop.yaml#Type:Customer"]
    assert {"GET /customers/{id}", "Customer.card", "Card", "Order.customer"} <= set(names(found))
    assert "Parcel" not in names(found)
    ids = {node["id"] for node in found["nodes"]}
    assert all({edge["start"], edge["end"]} <= ids for edge in found["edges"])


def test_exactly_what_is_named_is_shown(ask: Ask) -> None:
    assert names(ask("show", "Type:Customer", "--exact")) == [
        "Customer",
        "Customer.name",
        "Customer.card",
    ]
    assert names(ask("show", "Order.address.city", "--exact")) == [
        "Order",
        "Order.address",
        "Order.address.city",
    ]


def test_operations_and_types_are_named_by_pattern(ask: Ask) -> None:
    found = ask("show", "--method", "*Order*", "--type", "Parcel*", "--exact")
    assert [one.rpartition("#")[2] for one in found["matched"]] == [
        "Method:listOrders",
        "Method:addOrder",
        "Type:Parcel",
        "Type:Parcel.Old",
    ]


def test_what_is_nested_deeply_is_shown(tmp_path: Path, index_of: Any, answer: Any) -> None:
    inner = "{type: string}"
    for depth in range(40):
        inner = f"{{type: object, properties: {{p{depth}: {inner}}}}}"
    text = (
        f"openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\ncomponents: {{schemas: {{D: {inner}}}}}"
    )
    where = index_of(tmp_path, {"a.yaml": text})
    assert "p0" in answer("show", "D", "--exact", "--dir", where, text=True)


def test_a_whole_document_is_shown(ask_both: Ask) -> None:
    found = ask_both("show", "--source", "v1")
    assert {node["source"] for node in found["nodes"]} == {"old/v1.json"}
    assert "Service:Shop" in {node["id"].rpartition("#")[2] for node in found["nodes"]}


def test_neighbours_stand_in_the_documents_that_were_named(shared: Ask) -> None:
    routes = {"GET /members", "GET /copies"}
    assert set(names(shared("show", "Problem"))) & routes == routes
    for asked in (["Problem", "--source", "loans"], ["--source", "loans"]):
        assert set(names(shared("show", *asked))) & routes == {"GET /members"}


def test_neighbours_are_left_out_beyond_a_number_and_counted(ask: Ask) -> None:
    found = ask("show", "Type:Customer", "--max-nodes", "3")
    assert found["left_out"] > 0
    assert names(found) == ["Customer", "Customer.name", "Customer.card"]
    assert "neighbours left out" in ask("show", "Customer", "--max-nodes", "3", text=True)


def test_the_tree_shows_operations_with_what_they_take_and_give(ask: Ask) -> None:
    assert ask("show", "GET /orders", "--exact", text=True) == (
        "GET /orders  listOrders  shop.yaml:5\n"
        "    Lists the orders.\n"
        "    input\n"
        "        page                  integer                       query  Which page.\n"
        "        X-Trace               string                        header\n"
        "    output\n"
        "        200                   array of Order                  The orders\n"
    )


def test_the_tree_marks_fields_that_travel_another_way_than_their_type(ask: Ask) -> None:
    text = ask("show", "Type:Order", "--exact", "--show-source", text=True)
    assert text.startswith("type Order  both  shop.yaml:45 [source: shop]\n")
    assert "output only  Given by the shop." in text
    assert "open | packed" in text
    assert "Given by the shop." not in ask("show", "Type:Order", "--no-docs", text=True)


def test_the_tree_says_what_a_type_is_made_of_once(shared: Ask) -> None:
    [head] = [
        line for line in shared("show", "Fine", text=True).splitlines() if "type Fine" in line
    ]
    assert head.startswith("type Fine  Late | Lost")
    assert "one of" not in shared("show", "Fine", text=True)


def test_an_answer_that_operations_share_is_shown_by_its_statuses(
    tmp_path: Path, index_of: Callable[..., str], answer: Callable[..., Any]
) -> None:
    description = """\
openapi: 3.1.0
info: {title: Beds, version: "1"}
paths:
  /beds:
    get:
      operationId: listBeds
      responses:
        "404": {$ref: "#/components/responses/Gone"}
        "410": {$ref: "#/components/responses/Gone"}
components:
  responses:
    Gone: {description: No such bed}
"""
    index = index_of(tmp_path, {"api.yaml": description})
    shown = answer("show", "-d", index, "listBeds", text=True)
    assert re.search(r"^ +404, 410 +No such bed$", shown, re.MULTILINE)


def test_a_part_is_rendered_as_a_description_that_stands_alone(ask: Ask) -> None:
    found = ask("show", "GET /customers/{id}", "--exact", "--format", "openapi")
    description = json.loads(found["text"])
    assert list(description["paths"]) == ["/customers/{id}"]
    assert set(description["components"]["schemas"]) == {"Customer", "Card"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["show"], "bad_request"),
        (["show", "Ordr"], "not_found"),
        (["show", "--type", "Nothing"], "not_found"),
        (["show", "--source", "nowhere"], "not_found"),
        (["show", "Order", "--format", "nothing"], "plugin_missing"),
    ],
)
def test_what_cannot_be_shown_is_an_error(ask: Ask, arguments: list[str], code: str) -> None:
    found = ask(*arguments)
    assert found["status"] > 0
    assert found["error"]["code"] == code
    assert found["error"]["hint"]


def test_one_name_in_two_documents_is_ambiguous(ask_both: Ask) -> None:
    assert ask_both("show", "Type:Order")["error"]["code"] == "ambiguous"
    assert ask_both("show", "Type:Order", "--source", "v1", "--exact")["matched"]


def test_what_several_indexes_have_is_shown_together_as_text(
    shop: str, shops: str, answer: Ask
) -> None:
    both = ("--dir", shop, "--dir", shops)
    found = answer("show", "Card", "--exact", *both)
    assert len(found["matched"]) == 2
    assert found["text"].count("type Card") == 2
    assert answer("show", "Card", "--format", "openapi", *both)["error"]["code"] == "ambiguous"
    label = found["matched"][0].removesuffix("/shop.yaml#Type:Card")
    one = answer("show", found["matched"][0], "--exact", *both)
    assert one["matched"] == [f"{label}/shop.yaml#Type:Card"]


def test_tools_answer_from_the_same_verbs(shop: str) -> None:
    with open_index(shop) as index:
        known = {tool.name: tool for tool in tools(index)}
        listed = known["list_api"].call(what="types")
        assert listed["found"] == 5
        assert known["grep_api"].call(pattern="packed")["found"] == 1
        assert known["trace_api"].call(target=["digits"])["found"] == 1
        having = known["find_types_with_property"].call(name=["city"])
        assert [item["parent"] for item in having["items"]] == [
            "shop.yaml#Property:Order.address",
            "shop.yaml#Type:Parcel",
        ]
        assert "format" not in known["describe_types"].parameters["properties"]


def test_a_route_needs_no_quotes(ask: Ask) -> None:
    assert ask("show", "GET", "/orders", "Card", "--exact")["matched"] == [
        "shop.yaml#Method:listOrders",
        "shop.yaml#Type:Card",
    ]
