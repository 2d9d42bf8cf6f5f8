"""The laws of extraction on texts that no compiler would take."""

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sourcebook_code.extract import extract
from sourcebook_code.languages import LANGUAGES, Language, by_name

from subjects.code.tests.laws import broken_laws

WORDS = (
    "class", "def", "function", "fn", "fun", "end", "do", "if", "else", "module", "struct", "enum",
    "import", "where", "case", "let", "val", "var", "const", "type", "interface", "trait", "impl",
    "namespace", "template", "public", "static", "create", "lambda", "self", "return", "=>", "->",
    "(", ")", "{", "}", "[", "]", "<", ">", "=", ":", ";", ",", ".", "::", "|", "&", "*", "@", "#",
    "//", "/*", "*/", "--", '"', "'", "`", '"""', "<<EOF", "EOF", "$", "\\", "\n", "\n    ", "\t",
    " ", "\r", "\r\n", "\0", "a", "B", "f", "x1", "日本", "\U0001f600", "\ufeff", "\ud800", "1",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS), max_size=60).map("".join)
OPENERS = ("(", "[", "{")
DEEP = 10_000


@given(TEXTS, st.sampled_from(LANGUAGES))
@settings(max_examples=150, deadline=None)
def test_what_is_found_lies_in_the_file_and_in_what_it_is_a_part_of(
    text: str, language: Language
) -> None:
    assert broken_laws(text, language) == []


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.name)
def test_deep_nesting_takes_neither_the_stack_nor_square_time(language: Language) -> None:
    for opener in OPENERS:
        start = process_time()
        extract(opener * DEEP, language)
        assert process_time() - start < 10, opener


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "# word\n" * 100_000 + "def f(): pass\n"),
        ("python", "#\n" * 100_000 + "def f(): pass\n"),
        ("javascript", "/** word */\n\n" * 50_000 + "function f() {}\n"),
        ("javascript", "x;\n" + "/** word */\n\n" * 50_000 + "function f() {}\n"),
        ("javascript", "/**/x; " * 50_000),
        ("javascript", "/** word */\nfunction f(a) { return g(a); }\n" * 20_000),
    ],
    ids=["lines", "empty lines", "blocks at the head", "blocks", "one line", "docs"],
)
def test_many_comments_take_no_square_time(language: str, text: str) -> None:
    start = process_time()
    extract(text, by_name(language))
    assert process_time() - start < 6


def test_ten_thousand_open_merges_take_no_square_time() -> None:
    start = process_time()
    extract("<<<<<<< a\n" * DEEP, by_name("python"))
    assert process_time() - start < 10
