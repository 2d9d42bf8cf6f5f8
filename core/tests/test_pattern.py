"""Patterns that users type, over the lines of a source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.errors import BadPattern
from sourcebook.model import Source, split_lines
from sourcebook.verbs.pattern import line_matcher, required_literal

TEXT = "Straße\rSTRASSE ﬁn\r\n\nthe end\fof Kelvin: \u212a\nstrasse"


@pytest.mark.parametrize(
    ("patterns", "case_sensitive", "lines"),
    [
        (["strasse"], False, [1, 2, 5]),
        (["STRASSE"], True, [2]),
        (["straße"], False, [1, 2, 5]),
        (["FIN"], False, [2]),
        (["k"], False, [4]),
        (["k"], True, []),
        (["end\nof"], False, []),
        (["end\fof"], False, [4]),
        (["kelvin", "ﬁn"], False, [2, 4]),
    ],
)
def test_lines_are_found_whatever_their_ends_and_capitals(
    patterns: list[str], case_sensitive: bool, lines: list[int]
) -> None:
    fits = line_matcher(patterns, case_sensitive=case_sensitive)
    source = Source("a.md", TEXT)
    assert fits.lines(source) == lines
    assert fits.lines(source) == [n for n, line in enumerate(source.lines, 1) if fits(line)]


def test_a_regular_expression_sees_one_line_at_a_time() -> None:
    assert line_matcher(["^s.*e$"], is_regex=True).lines(Source("a.md", TEXT)) == [1, 5]


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("rate.?limit(s|ed)", "limit"), ("plain", "plain"), ("colou?r", "colo"), ("a+bc", "bc"),
        ("one|two", ""), ("(?i)one", ""), ("(one|two) three", " three"), ("[a-z]{3}xyz", "xyz"),
        (r"v\d+\.alpha", ".alpha"), (r"\x41bc", ""), (r"\p{L}abc", ""), ("a{2}bcd", "bcd"),
        ("[]a]bc", ""), ("größe", ""), ("x*", ""), (r"\bword\b", "word"), ("ab*?cd", "cd"),
        (r"a\\bc", r"a\bc"), ("^[A-Z]{4} ", " "),
    ],
)  # fmt: skip
def test_a_text_that_every_match_holds_is_known(pattern: str, literal: str) -> None:
    assert required_literal(pattern) == literal


ATOMS = st.sampled_from([
    "a", "b", "ab", "ba", ".", r"\.", r"\w", "[ab]", "[^a]", "(?:ab)", "(a|b)", "(b)", "|", "^",
    "$",
    r"\b", r"\x61", "B", "(?=b)", "(", ")", "[", "]", "{", "}", "{2}", "{0,1}", r"\\",
])  # fmt: skip
QUANTIFIERS = st.sampled_from(["", "", "", "?", "*", "+", "{2}", "{0,2}", "*?", "++", "{,1}"])


@given(
    st.lists(st.tuples(ATOMS, QUANTIFIERS).map("".join), max_size=6).map("".join),
    st.lists(st.text("abB.\\{}()[]|", max_size=8), max_size=8),
)
def test_whatever_matches_holds_it(pattern: str, texts: list[str]) -> None:
    try:
        fits = line_matcher([pattern], is_regex=True)
    except BadPattern:
        return
    literal = required_literal(pattern)
    for text in texts:
        assert not fits(text) or literal.casefold() in text.casefold(), text


@given(
    st.text("abAZk\u212a\u00df\u0130 \r\n", max_size=12),
    st.text("abzk\u212as ", min_size=1, max_size=2),
    st.booleans(),
)
def test_the_lines_of_a_text_that_fit_are_those_that_fit_by_themselves(
    text: str, pattern: str, exactly: bool
) -> None:
    fits = line_matcher([pattern], case_sensitive=exactly)
    assert fits.lines_of(text) == [line for line in split_lines(text) if fits(line)]
