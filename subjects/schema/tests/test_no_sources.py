"""Every verb on an index that holds no copies of its documents."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Ask = Callable[..., Any]


@pytest.fixture
def bare(shop: str, answer: Ask, tmp_path: Path) -> str:
    """Return the folder of an index of the corpus of `shop` without copies."""
    out = str(tmp_path / "shop-db")
    told = answer(
        *("index", str(Path(shop).parent / "corpus"), "--out", out, "--no-sources", "--no-cache"),
        *("--embedding", "none", "--store", "memory"),
    )
    assert told["status"] == 0
    assert not list(Path(out, "sources").glob("*"))
    return out


@pytest.mark.parametrize(
    "arguments",
    [
        ["list", "methods"],
        ["list", "fields", "--direction", "input"],
        ["list", "documents"],
        ["trace", "city"],
        ["show", "Order"],
        ["show", "listOrders", "--exact", "--format", "openapi"],
        ["show", "--source", "shop"],
        ["check", "GET /orders?page=x"],
        ["search", "the customer of an order"],
        ["export"],
    ],
    ids=" ".join,
)
def test_verbs_answer_as_with_copies(
    bare: str, shop: str, answer: Ask, arguments: list[str]
) -> None:
    assert answer(*arguments, "--dir", bare) == answer(*arguments, "--dir", shop)


def test_grep_finds_the_same_and_names_the_line_of_what_it_is_said_of(
    bare: str, shop: str, answer: Ask
) -> None:
    found, known = (answer("grep", "lines", "--dir", where) for where in (bare, shop))
    lines = [[match.pop("line") for match in one["matches"]] for one in (found, known)]
    assert found == known
    assert lines == [[45], [48]]
    (row,) = answer("list", "types", "--name", "Order", "--exact", "--dir", bare)["items"]
    assert row["first_line"] == 45


def test_stats_says_that_there_are_no_copies(bare: str, answer: Ask) -> None:
    assert answer("stats", "--dir", bare)["sources_kept"] is False
    assert "bytes, without copies of the sources" in answer("stats", "--dir", bare, text=True)


def test_it_answers_where_it_was_moved_to(bare: str, answer: Ask, tmp_path: Path) -> None:
    known = answer("show", "Order", "--dir", bare)
    moved = shutil.move(bare, tmp_path / "elsewhere")
    assert answer("show", "Order", "--dir", str(moved)) == known
