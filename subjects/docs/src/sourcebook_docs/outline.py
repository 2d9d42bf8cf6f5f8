"""`outline.json`: every heading and every table of the corpus with the lines they cover.

The exact verbs answer from it alone: no passage is read to list sections, and the section of a
line is found without parsing the document again.
"""

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sourcebook_docs.blocks import Document

OUTLINE = "outline.json"
VERSION = 2


class Section(NamedTuple):
    """A heading and what nests in it: lines `first` (of the title) to `last` (not blank)."""

    title: str
    level: int
    first: int
    last: int
    path: tuple[str, ...]


class TableInfo(NamedTuple):
    """A table: its header line is `first`, its last row `last`, `rows` counts body rows."""

    first: int
    last: int
    columns: tuple[str, ...]
    rows: int
    caption: str


def fact_of(document: "Document") -> list[list[object]]:
    """Return what `assemble` needs of one document, in JSON types: its headings and its tables, as
    `Section` without the path and `TableInfo` name their parts."""
    sections: list[object] = [
        [heading.title, heading.level, heading.first, document.end_of(position)]
        for position, heading in enumerate(document.headings)
    ]
    tables: list[object] = [
        [table.first, table.last, list(table.columns), len(table.rows), table.caption]
        for table in document.tables
    ]
    return [sections, tables]


def assemble(facts_by_source: Mapping[str, Sequence[Any]]) -> dict[str, bytes]:
    """Return `outline.json` from the one fact of each document, equal for equal input. One without
    headings and tables has no place in it."""
    sources = {
        name: facts[0] for name, facts in sorted(facts_by_source.items()) if facts and any(facts[0])
    }
    text = json.dumps(
        {"version": VERSION, "sources": sources}, ensure_ascii=False, separators=(",", ":")
    )
    return {OUTLINE: text.encode()}


class Outline:
    """The headings and tables of an index, by source.

    Raises:
        ValueError: it is not what `assemble` returned.
    """

    def __init__(self, data: bytes) -> None:
        try:
            self._sources: dict[str, Any] = {**json.loads(data)["sources"]}
            rows = [row for sections, _ in self._sources.values() for row in sections]
            tables = [row for _, tables in self._sources.values() for row in tables]
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"no outline: {error}") from None
        if not (all(map(_is_section, rows)) and all(map(_is_table, tables))):
            raise ValueError("no outline: a row of it is no heading and no table")
        self._sections: dict[str, list[Section]] = {}
        self._starts: dict[str, list[int]] = {}

    def sections(self, source: str) -> list[Section]:
        """Return the sections of a document in the order of their lines."""
        if source not in self._sections:
            self._sections[source] = list(_with_paths(self._rows(source, 0)))
        return self._sections[source]

    def tables(self, source: str) -> list[TableInfo]:
        """Return the tables of a document in the order of their lines."""
        return [
            TableInfo(first, last, tuple(columns), rows, caption)
            for first, last, columns, rows, caption in self._rows(source, 1)
        ]

    def path_at(self, source: str, line: int) -> tuple[str, ...]:
        """Return the titles above a line from the outermost inwards; its own if it is a title."""
        sections = self.sections(source)
        if source not in self._starts:
            self._starts[source] = [section.first for section in sections]
        position = bisect_right(self._starts[source], line) - 1
        return sections[position].path if position >= 0 else ()

    def titled(self, source: str, title: str) -> list[Section]:
        """Return the sections that bear this title, blind to case."""
        wanted = title.casefold()
        return [section for section in self.sections(source) if section.title.casefold() == wanted]

    def _rows(self, source: str, part: int) -> list[list[Any]]:
        known = self._sources.get(source)
        return known[part] if known else []


def _is_section(row: Any) -> bool:
    return type(row) is list and [*map(type, row)] == [str, int, int, int]


def _is_table(row: Any) -> bool:
    return (
        type(row) is list
        and [*map(type, row)] == [int, int, list, int, str]
        and all(type(one) is str for one in row[2])
    )


def _with_paths(rows: list[list[Any]]) -> Iterator[Section]:
    above: list[tuple[int, str]] = []
    for title, level, first, last in rows:
        while above and above[-1][0] >= level:
            above.pop()
        above.append((level, title))
        yield Section(title, level, first, last, tuple(title for _, title in above))
