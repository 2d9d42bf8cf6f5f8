"""Laws of `parse` that hold for any text, whatever its marks."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from sourcebook import Entry, Fact, Source, Span
from sourcebook_docs.outline import Outline, assemble
from sourcebook_docs.parse import parse
from sourcebook_docs.plugin import KINDS, DocsOptions
from sourcebook_docs.tables import split_cells

MARKS = [
    *("# One", "## Two", "### Three ###", "#", "##\t", "Setext", "===", "---", "--", "- - -"),
    *("***", "> quote", ">", "> # in quote", "> - item", ">> deep", "- item", "* other", "+"),
    *("1. one", "10) ten", "  - nested", "    code", "\tcode", "      - deep", "   lazy", "- ```"),
    *("```", "```py", "~~~", "````", "  ```", "| a | b |", "| - | - |", "|:-:|-|", "a | b"),
    *("--|--", "- # title", "> | a | b |", "> |---|---|", "  | a | b |", "  |---|---|", "|", "| |"),
    *("| x \\| y | `p|q` |", "<!-- open", "-->", "<div>", "</div>", "<pre>", "</pre>", "<br/>"),
    *("<b>x</b>", "<?php", "?>", "[a]: /url", "[b]:", "/url 'title", "more'", "[^1]: note"),
    *("[x][a]", "[ ] task", "![i](j)", "!!! note", '??? tip "x"', '=== "Tab"', "::: tip", ":::"),
    *("/// note | T", "///", ": def", "$$", "a = b", "$$ x $$", "Term", "+++", "key = 1", "t: T"),
    *("{", "}", '{"a": 1}', ";;;", "...", "word", "two words. And more!", "速率限制。上限", "\f"),
    *("\x0b", "\u2028", "\x85", "\0", "\u3000", "\xa0", "", "", "", " ", "\t", "x" * 90),
    *("long words " * 20, "\\# no", "a\u2028b", "x\x1cy", "\ufeff# bom"),
]
line = st.one_of(
    st.sampled_from(MARKS),
    st.text(alphabet=" \t#>-*+=|`~:<$[]()!\\\"'1.ab日\x00\f", max_size=12),
)
end = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
text = st.lists(st.tuples(line, end), max_size=40).map(
    lambda parts: "".join(words + end for words, end in parts)
)
budget = st.sampled_from([16, 40, 384])
thorough = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


def parsed(source: Source, tokens: int = 384) -> tuple[list[Entry], Outline]:
    out = list(parse(source, DocsOptions(chunk_tokens=tokens)))
    facts = [item.value for item in out if isinstance(item, Fact)]
    outline = Outline(assemble({source.name: facts})["outline.json"])
    return [item for item in out if isinstance(item, Entry)], outline


def lines_of(spans: "list[Span]") -> set[int]:
    return {line for span in spans for line in range(span.first, span.last + 1)}


def blank(line: str) -> bool:
    return not line.strip(" \t")


@thorough
@given(text, budget)
def test_spans_lie_in_the_file_and_kinds_are_declared(text: str, tokens: int) -> None:
    source = Source("a.md", text)
    entries, _ = parsed(source, tokens)
    for entry in entries:
        assert entry.kind in KINDS
        assert 1 <= entry.span.first <= entry.span.last <= len(source.lines)
        assert not blank(source.lines[entry.span.first - 1])
        assert not blank(source.lines[entry.span.last - 1])
        own = set(range(entry.span.first, entry.span.last + 1))
        assert not own & lines_of(list(entry.context))
        assert lines_of(list(entry.context)) <= set(range(1, len(source.lines) + 1))


@thorough
@given(text, budget)
def test_no_line_that_is_not_blank_is_lost(text: str, tokens: int) -> None:
    source = Source("a.md", text)
    entries, _ = parsed(source, tokens)
    shown = lines_of([span for entry in entries for span in (entry.span, *entry.context)])
    rules = lines_of(rules_of(source.lines))
    for number, line in enumerate(source.lines, start=1):
        assert blank(line) or number in shown or number in rules, (number, line)


@thorough
@given(text, budget)
def test_passages_tile_without_overlap(text: str, tokens: int) -> None:
    source = Source("a.md", text)
    entries, _ = parsed(source, tokens)
    last = 0
    for entry in entries:
        if entry.part:
            assert entry.parent is not None
            assert entry.parent.span.first <= entry.span.first <= entry.span.last <= last
            continue
        partial = "body" in entry.fields
        assert entry.span.first > last or (partial and entry.span.first == last)
        last = entry.span.last


@thorough
@given(text, budget)
def test_parsing_twice_gives_the_same(text: str, tokens: int) -> None:
    assert seen(parsed(Source("a.md", text), tokens)[0]) == seen(
        parsed(Source("a.md", text), tokens)[0]
    )


@thorough
@given(text)
def test_line_ends_change_nothing(text: str) -> None:
    other = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
    assert seen(parsed(Source("a.md", text))[0]) == seen(parsed(Source("a.md", other))[0])


@thorough
@given(text.filter(lambda text: "$" not in text))
def test_headings_and_tables_are_those_of_the_markdown_parser(text: str) -> None:
    # A word in front keeps front matter out, which CommonMark does not know.
    source = Source("a.md", "word\n\n" + text)
    _, outline = parsed(source)
    headings, tables = judged(source.lines)
    assert [(s.first, s.level) for s in outline.sections("a.md")] == headings
    assert [(t.first, t.last, len(t.columns), t.rows) for t in outline.tables("a.md")] == tables


@thorough
@given(text, budget)
def test_a_section_path_is_the_outline_above_the_passage(text: str, tokens: int) -> None:
    source = Source("a.md", text)
    entries, outline = parsed(source, tokens)
    for entry in entries:
        assert outline.path_at("a.md", entry.span.last) == entry.path
        assert set(entry.filters.get("section", ())) == set(entry.path) - {""}


@thorough
@given(text, budget)
def test_plain_text_has_paragraphs_only_and_loses_nothing(text: str, tokens: int) -> None:
    source = Source("a.txt", text)
    entries, outline = parsed(source, tokens)
    shown = lines_of([entry.span for entry in entries])
    assert {entry.kind for entry in entries} <= {"paragraph"}
    assert not outline.sections("a.txt")
    assert not outline.tables("a.txt")
    assert all(n in shown for n, line in enumerate(source.lines, 1) if line.strip())


@thorough
@given(st.text(alphabet="a.b! 。日\t-", max_size=600), budget)
def test_a_long_line_is_cut_without_losing_a_word(text: str, tokens: int) -> None:
    entries, _ = parsed(Source("a.txt", text), tokens)
    bodies = [entry.fields.get("body", text) for entry in entries]
    assert "".join("".join(bodies).split()) == "".join(text.split())


ROWS = ["a|b", "|a|b|", "| a \\| b | c", "|", "||", "a", "| |", "\\|", "|\\||"]


@pytest.mark.parametrize("row", ROWS)
def test_cells_are_those_of_the_markdown_parser(row: str) -> None:
    md = MarkdownIt("commonmark").enable("table")
    (header, *_) = md.parse("|h|h|h|h|h|\n|-|-|-|-|-|\n" + row + "\n")
    cells = [t.content for t in md.parse("|h|h|h|h|h|\n|-|-|-|-|-|\n" + row) if t.type == "inline"]
    assert header.type == "table_open"
    assert split_cells(row) == cells[5:][: len(split_cells(row))]


def seen(entries: list[Entry]) -> list[tuple[object, ...]]:
    return [
        (e.kind, e.span, e.title, e.path, e.context, dict(e.fields), dict(e.filters), e.facts)
        for e in entries
    ]


def judged(lines: list[str]) -> tuple[list[tuple[int, int]], list[tuple[int, int, int, int]]]:
    """Return headings and tables as markdown-it-py's own rules have them."""
    md = MarkdownIt("commonmark", {"maxNesting": 1000}).enable("table")
    headings: list[tuple[int, int]] = []
    tables: list[tuple[int, int, int, int]] = []
    for token in md.parse("\n".join(lines)):
        if token.map is None:
            continue
        first, last = token.map[0] + 1, token.map[1]
        if token.type == "heading_open" and token.level == 0:
            headings.append((first, int(token.tag[1])))
        elif token.type == "table_open":
            tables.append((first, first + 1, 0, 0))
        elif token.type == "tr_open":
            start, end, columns, rows = tables[-1]
            if first > start:
                tables[-1] = (start, last, columns, rows + 1)
        elif token.type == "inline" and tables and token.map == [tables[-1][0] - 1, tables[-1][0]]:
            start, end, columns, rows = tables[-1]
            tables[-1] = (start, end, columns + 1, rows)
    return headings, tables


def rules_of(lines: list[str]) -> list[Span]:
    """Return the lines of thematic breaks, nested or not: they hold no text."""
    return [
        Span(number, number)
        for number, line in enumerate(lines, start=1)
        if re.fullmatch(r"[ \t>]*([-*_])[ \t]*(\1[ \t]*){2,}", line)
    ]
