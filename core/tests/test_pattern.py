"""Patterns that users type, over the lines of a source."""

import pytest
from sourcebook.model import Source
from sourcebook.verbs.pattern import line_matcher

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
