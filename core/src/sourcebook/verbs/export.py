"""export: every entry as a line of JSON, the index as a person or a program can read it."""

import json
from collections.abc import Mapping
from typing import Any

from attrs import asdict, frozen

from sourcebook.index.open import Index
from sourcebook.subject import Subject
from sourcebook.verb import Verb
from sourcebook.verbs.narrow import narrow, narrowed_request
from sourcebook.verbs.together import merge_listing


@frozen
class ExportRequest:
    """What to export: everything, unless narrowed."""


@frozen
class ExportedEntry:
    """An entry with all that the index holds of it.

    Args:
        id: `<source>#<key>`.
        kind: one of the subject's kinds.
        source: the name of its source.
        first_line, last_line: its lines there.
        title: how a reader would call it.
        path: titles or owners from the outermost inwards.
        parent: the id of the entry it lies in, empty at the top.
        filters: values by declared filter key.
        facts: what its subject adds.
        text: the lines it stands for.
        fields: the texts that its subject derived for it and the index holds, by field.
    """

    id: str
    kind: str
    source: str
    first_line: int
    last_line: int
    title: str
    path: tuple[str, ...]
    parent: str
    filters: Mapping[str, tuple[str, ...]]
    facts: Mapping[str, object]
    text: str
    fields: Mapping[str, str]


@frozen
class ExportResponse:
    """The entries by source, in the order of each source.

    Args:
        found: how many there are.
        items: all of them.
        notes: what of the request nothing fits.
    """

    found: int
    items: tuple[ExportedEntry, ...]
    notes: tuple[str, ...] = ()


def export(index: Index, request: Any) -> ExportResponse:
    """Return every entry that the request is narrowed to."""
    narrowed = narrow(index, request)
    if narrowed.unmet:
        return ExportResponse(0, (), narrowed.unmet)
    items = tuple(
        ExportedEntry(
            entry.id, entry.kind, entry.source, entry.span.first, entry.span.last, entry.title,
            entry.path, entry.parent, entry.filters, entry.facts, index.body(entry),
            {name: text for name, text in entry.fields.items() if name != "body"},
        )
        for entry in index.entries(narrowed.filters.get("source"))
        if narrowed.covers(entry)
    )  # fmt: skip
    return ExportResponse(len(items), items)


def render(response: ExportResponse, _view: object) -> str:
    """One JSON object a line."""
    return "\n".join(json.dumps(asdict(one), ensure_ascii=False) for one in response.items)


def verb(subject: Subject) -> Verb:
    """Return the verb for a subject."""
    return Verb(
        "export",
        "Write every entry as a line of JSON.",
        narrowed_request(ExportRequest, subject),
        ExportResponse,
        export,
        render,
        schema="export/1",
        merge=merge_listing,
        tools=None,
    )
