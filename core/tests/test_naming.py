"""Foreign names in messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.naming import SHOWN, counted, described, near_miss, nearest, shown, shown_words


@given(st.text())
def test_a_shown_name_is_short_and_cannot_move_the_cursor(name: str) -> None:
    assert len(shown(name)) <= SHOWN
    assert shown(name).isprintable()


def test_the_words_of_a_long_text_are_shown_up_to_a_mark() -> None:
    assert shown_words(["storks", "nest"]) == ("storks", "nest")
    endless = shown_words([f"word{number}" for number in range(10_000)])
    assert endless[-1] == f"[… {10_000 - len(endless) + 1:,} words …]"
    assert sum(map(len, endless)) < 500
    assert len(shown_words(["x" * 3_000_000])[0]) == SHOWN


def test_a_slip_gets_the_nearest_known_name() -> None:
    assert nearest("fiass", ["faiss", "tantivy"]) == "faiss"
    assert near_miss("fiass", ["faiss", "tantivy"]) == "did you mean `faiss`?"
    assert near_miss("whatever", ["faiss", "tantivy"]) == ""
    assert nearest("x" * 1_000_000, ["faiss"]) == ""


def test_an_exception_is_told_on_one_line() -> None:
    assert described(ValueError("a\n  b")) == "ValueError: a b"
    assert described(KeyError()) == "KeyError"
    assert len(described(ValueError("x" * 10_000))) < 400


@pytest.mark.parametrize(("said", "count"), [("0 sources", 0), ("1 source", 1), ("12 sources", 12)])
def test_what_is_counted_agrees_with_its_number(said: str, count: int) -> None:
    assert counted(count, "source") == said
    assert counted(1, "entry", "entries") == "1 entry"
    assert counted(2, "entry", "entries") == "2 entries"
