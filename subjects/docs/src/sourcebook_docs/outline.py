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
VERSION = 1


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


def fact_of(document: "Document") -> dict[str, object]:
    """Return what `assemble` needs of one document, in JSON types."""
    return {
        "lines": document.lines,
        "sections": [
            {
                "title": heading.title,
                "level": heading.level,
                "first": heading.first,
                "last": document.end_of(position),
            }
            for position, heading in enumerate(document.headings)
        ],
        "tables": [
            {
                "first": table.first,
                "last": table.last,
                "columns": list(table.columns),
                "rows": len(table.rows),
                "caption": table.caption,
            }
            for table in document.tables
        ],
    }


def assemble(facts_by_source: Mapping[str, Sequence[Any]]) -> dict[str, bytes]:
    """Return `outline.json` from the one fact of each document, equal for equal input."""
    sources = {name: facts[0] for name, facts in sorted(facts_by_source.items()) if facts}
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
            rows = [row for one in self._sources.values() for row in one["sections"]]
            tables = [row for one in self._sources.values() for row in one["tables"]]
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"no outline: {error}") from None
        if not (all(map(_is_section, rows)) and all(map(_is_table, tables))):
            raise ValueError("no outline: a row of it is no heading and no table")
        self._sections: dict[str, list[Section]] = {}
        self._starts: dict[str, list[int]] = {}

    def sections(self, source: str) -> list[Section]:
        """Return the sections of a document in the order of their lines."""
        if source not in self._sections:
            self._sections[source] = list(_with_paths(self._rows(source, "sections")))
        return self._sections[source]

    def tables(self, source: str) -> list[TableInfo]:
        """Return the tables of a document in the order of their lines."""
        return [
            TableInfo(row["first"], row["last"], tuple(row["columns"]), row["rows"], row["caption"])
            for row in self._rows(source, "tables")
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

    def _rows(self, source: str, name: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._sources.get(source, {}).get(name, [])
        return rows


def _is_section(row: Any) -> bool:
    return (
        type(row) is dict
        and type(row.get("title")) is str
        and type(row.get("level")) is int
        and type(row.get("first")) is int
        and type(row.get("last")) is int
    )


def _is_table(row: Any) -> bool:
    return (
        type(row) is dict
        and type(row.get("caption")) is str
        and all(type(row.get(name)) is int for name in ("first", "last", "rows"))
        and type(row.get("columns")) is list
        and all(type(one) is str for one in row["columns"])
    )


def _with_paths(rows: list[dict[str, Any]]) -> Iterator[Section]:
    above: list[tuple[int, str]] = []
    for row in rows:
        while above and above[-1][0] >= row["level"]:
            above.pop()
        above.append((row["level"], row["title"]))
        path = tuple(title for _, title in above)
        yield Section(row["title"], row["level"], row["first"], row["last"], path)
