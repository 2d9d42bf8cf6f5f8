"""One line about a declaration."""

import pytest
from sourcebook_code.describe import (
    docstring,
    first_sentence,
    generated,
    humanised,
    parameters,
    shortened,
)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("_build_auth_header", "build auth header"),
        ("fromHTTPEvent", "from http event"),
        ("utf8Decode", "utf 8 decode"),
        ("operator+", "operator"),
        ("+", "+"),
        ("größe", "größe"),
    ],
)
def test_a_name_is_told_in_words(name: str, words: str) -> None:
    assert humanised(name) == words


@pytest.mark.parametrize(
    ("signature", "names"),
    [
        ("def put(self, fruit, *, count: int = 3, **rest)", ["fruit", "count", "rest"]),
        ("func (r *Ring) Put(key string, value []byte) error", ["key", "value"]),
        ("func Put(key, other string)", ["key", "other"]),
        ("void put(Map<String, Integer> counts, int size)", ["counts", "size"]),
        ("fn put(&self, fruit: Fruit, f: impl Fn(u8) -> u8)", ["fruit", "f"]),
        ("class Basket", []),
        ("def broken(a, b", ["a"]),
    ],
)
def test_parameters_are_read_off_a_signature(signature: str, names: list[str]) -> None:
    assert parameters(signature) == names


def test_a_doc_is_told_by_its_first_sentence() -> None:
    assert first_sentence("Put a fruit in. It stays.\n\nMore.") == "Put a fruit in."
    assert first_sentence("Put a\nfruit in\n\nMore.") == "Put a fruit in"
    assert first_sentence("see `e.g.` there. `X` is") == "see `e.g.` there."


def test_a_long_text_is_cut_between_words() -> None:
    assert shortened("one two three", 9) == "one two…"


def test_names_tell_kind_owner_parameters_calls_and_imports() -> None:
    told = generated(
        "method", "putFruit", ("Basket",), "putFruit(fruit)", ["check", "add", "check"], ["os"]
    )
    assert told == "method put fruit of Basket; takes fruit; calls check, add; imports os"


@pytest.mark.parametrize(
    ("text", "doc"),
    [
        ('"""Baskets."""\n', "Baskets."),
        ("#!/usr/bin/env python\n# Copyright\n\n'''Two\nlines.\n'''\nx = 1\n", "Two\nlines."),
        ('x = 1\n"""no docstring"""\n', ""),
        ('"""never closed', ""),
    ],
)
def test_the_docstring_of_a_module_is_found(text: str, doc: str) -> None:
    assert docstring(text) == doc


def test_a_file_keeps_its_name() -> None:
    assert (
        generated("file", "fees.py", (), "", (), ["datetime"]) == "file fees.py; imports datetime"
    )
