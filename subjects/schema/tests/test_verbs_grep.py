"""grep, asked on the command line."""

from collections.abc import Callable
from typing import Any

import pytest

Ask = Callable[..., Any]


def rows(response: Any) -> list[tuple[str, int]]:
    return [(match["title"], match["line"]) for match in response["matches"]]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["city"], [("Order.address.city", 57), ("Parcel.city", 64)]),
        (["Sells"], [("Shop", 2)]),
        (['holds "lines"'], [("Order", 48)]),
        (["the customer"], [("GET /customers/{id}", 33)]),
        (["packed"], [("Order.state", 54)]),
        (["PACKED", "--case-sensitive"], []),
        (["^which", "--regex"], [("listOrders.page", 9)]),
        (["nothing like it"], []),
        (["application/json"], None),
        (["x-trace"], [("parameters.Trace", 43)]),
        (["a", "--kind", "service"], [("Shop", 2)]),
        (["page", "--path", "/orders"], [("listOrders.page", 9), ("listOrders.page", 9)]),
        (["weight", "--name", "city"], []),
        (
            ["city", "--name", "c*y", "--kind", "property"],
            [("Order.address.city", 57), ("Parcel.city", 64)],
        ),
    ],
)
def test_texts_are_found_where_they_are_said(
    ask: Ask, arguments: list[str], found: list[tuple[str, int]] | None
) -> None:
    response = ask("grep", *arguments)
    if found is not None:
        assert rows(response) == found
    assert response["found"] == len(response["matches"])
    assert response["status"] == 0


def test_the_count_is_of_all_however_few_are_shown(ask: Ask) -> None:
    whole = ask("grep", "order")
    part = ask("grep", "order", "--limit", "2")
    assert part["found"] == whole["found"] > 2
    assert part["matches"] == whole["matches"][:2]
    assert f"{whole['found']} matches, 2 shown" in ask("grep", "order", "--limit", "2", text=True)


def test_escapes_of_the_file_are_no_part_of_a_text(ask_both: Ask) -> None:
    found = ask_both("grep", 'all "orders"')
    assert [(match["source"], match["line"]) for match in found["matches"]] == [("old/v1.json", 3)]


def test_ids_alone_can_be_shown_next(ask: Ask) -> None:
    ids = ask("grep", "city", "--ids-only", text=True).split("\n")
    assert ids == ["shop.yaml#Property:Order.address.city", "shop.yaml#Property:Parcel.city", ""]
    assert ask("show", ids[0], "--exact")["matched"] == [ids[0]]


def test_one_document_is_searched_alone(ask_both: Ask) -> None:
    assert ask_both("grep", "discount", "--source", "shop")["found"] == 0
    assert ask_both("grep", "discount", "--source", "v1")["found"] == 1
    assert ask_both("grep", "discount", "--source", "v9")["notes"]
    assert "[source: v1]" in ask_both("grep", "discount", "--show-source", text=True)


def test_several_indexes_are_searched_together(shop: str, shops: str, answer: Ask) -> None:
    found = answer("grep", "packed", "--dir", shop, "--dir", shops)
    assert found["found"] == 2
    assert len({match["id"] for match in found["matches"]}) == 2
