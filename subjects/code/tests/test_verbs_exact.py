"""list, grep and show of the code subject, asked on the command line."""

from collections.abc import Callable
from typing import Any

import pytest

Ask = Callable[..., Any]


def test_files_are_listed_with_their_language_and_size(ask: Ask) -> None:
    found = ask("list")
    assert found["found"] == 7
    prices = next(one for one in found["items"] if one["source"] == "shop/prices.py")
    assert (prices["kind"], prices["language"], prices["declarations"]) == ("file", "python", 1)
    assert (prices["first_line"], prices["last_line"]) == (1, 7)
    assert "shop/prices.py  python  7 lines, 1 declaration" in ask("list", text=True)


def test_declarations_are_listed_with_their_lines(ask: Ask) -> None:
    found = ask("list", "declarations", "--file", "till.py")
    assert [(one["title"], one["kind"], one["first_line"]) for one in found["items"]] == [
        ("Till", "class", 5),
        ("Till.__init__", "method", 6),
        ("Till.sell", "method", 9),
        ("Till.is_open", "method", 16),
        ("Drawer", "class", 20),
        ("Drawer.put", "method", 21),
        ("test_selling", "function", 4),
    ]
    assert found["items"][0]["declarations"] == 3


@pytest.mark.parametrize(
    ("narrowed", "titles"),
    [
        (["--kind", "class", "--name", "Till"], ["Till"]),
        (["--name", "Till.*"], ["Till.__init__", "Till.is_open", "Till.sell"]),
        (["--name", "^(sum|total)", "--regex"], ["total"]),
        (["--language", "typescript", "--kind", "method"], ["Cart.sum"]),
        (["--role", "test"], ["test_selling"]),
        (["--name", "till", "--case-sensitive"], []),
        (["--exclude-file", "shop/**", "--kind", "function"], ["test_selling", "total"]),
    ],
)
def test_a_listing_can_be_narrowed(ask: Ask, narrowed: list[str], titles: list[str]) -> None:
    items = ask("list", "declarations", *narrowed)["items"]
    assert sorted(one["title"] for one in items) == titles


def test_files_that_hold_a_kind_are_listed(ask: Ask) -> None:
    items = ask("list", "files", "--kind", "class")["items"]
    assert [one["source"] for one in items] == ["shop/errors.py", "shop/till.py", "web/cart.ts"]


def test_a_limit_leaves_the_count(ask: Ask) -> None:
    found = ask("list", "declarations", "--limit", "2")
    assert len(found["items"]) == 2
    assert found["found"] > 2


def test_an_unknown_kind_or_language_is_answered_with_the_nearest(ask: Ask) -> None:
    assert "`class`" in ask("list", "declarations", "--kind", "clas")["error"]["hint"]
    assert ask("list", "--language", "pyton")["notes"] == [
        "no language is called `pyton`; near: `python`"
    ]


def test_a_matching_line_is_named_with_its_declaration(ask: Ask) -> None:
    found = ask("grep", "price")
    lines = {(one["source"], one["line"]): (one["kind"], one["title"]) for one in found["matches"]}
    assert lines["shop/till.py", 12] == ("method", "Till.sell")
    assert lines["shop/till.py", 1] == ("file", "")
    assert lines["shop/prices.py", 6] == ("function", "price_of")
    assert "[method Till.sell]" in ask("grep", "price", text=True)


@pytest.mark.parametrize(
    ("narrowed", "lines"),
    [
        (["--name", "Till.sell"], [9, 10, 12, 13]),
        (["--kind", "class"], [5, 6, 7, 9, 10, 12, 13, 16, 21, 22]),
        (["--limit", "1"], [5]),
        (["--language", "typescript"], []),
    ],
)
def test_grep_can_be_narrowed(ask: Ask, narrowed: list[str], lines: list[int]) -> None:
    found = ask("grep", "till|self|price_of", "--regex", "--file", "shop/till.py", *narrowed)
    assert [one["line"] for one in found["matches"]] == lines


def test_show_takes_a_file_a_range_an_id_or_a_name(ask: Ask) -> None:
    def shown(*arguments: str) -> tuple[str, int, int]:
        (part,) = ask("show", *arguments)["parts"]
        return part["source"], part["first_line"], part["last_line"]

    assert shown("shop/till.py") == ("shop/till.py", 1, 22)
    assert shown("shop/till.py:9-14") == ("shop/till.py", 9, 14)
    assert shown("prices.py:3-") == ("shop/prices.py", 3, 7)
    assert shown("shop/till.py#Till.sell") == ("shop/till.py", 9, 14)
    assert shown("Till.sell") == ("shop/till.py", 9, 14)
    assert shown("is_open") == ("shop/till.py", 16, 17)
    assert shown("Till.sell", "--lines", "1-2") == ("shop/till.py", 1, 2)


def test_a_declaration_is_shown_with_the_comment_above_it(ask: Ask) -> None:
    (part,) = ask("show", "price_of")["parts"]
    assert part["lines"][0]["text"] == "# The price of one."


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["Till.sol"], "not_found"),
        (["shop/tilt.py"], "not_found"),
        (["shop/tilt.py:3-4"], "not_found"),
        (["till.py:99"], "not_found"),
        (["till.py:5-2"], "bad_request"),
        (["till.py:5-6", "--lines", "1"], "bad_request"),
        ([""], "bad_request"),
    ],
)
def test_what_cannot_be_shown_is_refused(ask: Ask, arguments: list[str], code: str) -> None:
    found = ask("show", *arguments)
    assert found["error"]["code"] == code
    assert found["error"]["hint"]


def test_a_name_in_several_files_is_ambiguous(ask: Ask) -> None:
    found = ask("show", "*e*")
    assert found["error"]["code"] == "ambiguous"
    assert "#" in found["error"]["message"]
