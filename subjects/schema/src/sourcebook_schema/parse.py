"""One file to its entries and its fact: the function that the subject's record names.

What is heavy (the YAML reader and the walk) is imported by the first call, because `plugin.py`
imports this module for every command of the subject.
"""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sourcebook import Entry, Fact, Problem, Source, Span

from sourcebook_schema.facts import Mark
from sourcebook_schema.fields import fields_of

if TYPE_CHECKING:
    from sourcebook_schema.draft import Draft, Text
    from sourcebook_schema.facts import NodeRow

_DEPRECATED, _REQUIRED, _NULLABLE = map(int, (Mark.DEPRECATED, Mark.REQUIRED, Mark.NULLABLE))

READ_ONLY = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"})
"""Methods that change nothing."""


def parse(source: Source) -> Iterator[Entry | Fact | Problem]:
    """Yield the entries of a description or of a piece of one, its `FileFact`, its problems.

    A file that is neither, or of a version that is not supported, yields a problem alone.
    """
    from sourcebook_schema.reader import Reader
    from sourcebook_schema.reading.grammar import format_of
    from sourcebook_schema.reading.tree import ReadError, read_tree

    context = json.loads(source.context) if source.context else {}
    is_description = context.get("root", True)
    try:
        tree = read_tree(source.text, source.name)
        version = format_of(tree.root) if is_description else context["format"]
    except ReadError as error:
        yield Problem(error.message, error.line)
        return
    yield from tree.problems
    reader = Reader(
        source.name, tree.root, source.text, version=version, is_description=is_description,
        roles=context.get("roles", ()), elsewhere=context.get("refs", {}),
    )  # fmt: skip
    fact = reader.read()
    yield from _entries(source, reader.draft, fact.nodes)
    yield Fact(fact.to_json())
    yield from reader.draft.problems


def _entries(source: Source, draft: "Draft", nodes: "list[NodeRow]") -> Iterator[Entry]:
    filters: dict[tuple[str, ...], Mapping[str, tuple[str, ...]]] = {(): {}}
    for text in draft.texts.values():
        row = nodes[text.node]
        routes = text.routes
        if row.kind == "method":
            narrowed = _narrowed(row, routes)
        else:
            narrowed = filters.get(routes) or filters.setdefault(routes, {"path": routes})
        text.entry = Entry(
            source.name,
            Span(row.first, row.last),
            row.kind,
            row.name,
            row.key,
            text.parent.entry if text.parent is not None else None,
            text.owner,
            (),
            fields_of(row, text),
            narrowed,
            _facts(row, text),
        )
        yield text.entry


def _narrowed(row: "NodeRow", routes: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Return the filter values of an operation."""
    kind = "read_only" if row.detail["method"] in READ_ONLY else "read_write"
    found: dict[str, tuple[str, ...]] = {"method_type": (kind,)}
    if routes:
        found["path"] = routes
    if "event" in row.detail:
        found["event"] = (row.detail["event"],)
    return found


def _facts(row: "NodeRow", text: "Text") -> Any:
    from sourcebook_schema.plugin import SchemaFacts

    detail = row.detail
    deprecated = bool(row.marks & _DEPRECATED)
    if row.kind == "property":
        required = bool(row.marks & _REQUIRED)
        return SchemaFacts(
            "", "", "", text.owner[0], row.type, detail.get("in", ""), required, deprecated,
            bool(row.marks & _NULLABLE), tuple(detail.get("values", ())),
        )  # fmt: skip
    if row.kind == "method":
        return SchemaFacts(
            detail["method"], detail.get("path", ""), detail.get("event", ""), deprecated=deprecated
        )
    return SchemaFacts(type=row.type if row.kind == "type" else "", deprecated=deprecated)
