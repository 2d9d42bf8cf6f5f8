"""annotate: every declaration with what is said of it, as a page to read."""

from itertools import groupby
from typing import Any

from attrs import frozen
from sourcebook.errors import SourcebookError
from sourcebook.index.corpus import changed_sources
from sourcebook.index.open import Index
from sourcebook.subject import Subject
from sourcebook.verb import Verb, option

from sourcebook_code.descriptions.survey import root_of
from sourcebook_code.verbs.describe import ROOT_HELP


class IndexStale(SourcebookError):
    """The files have changed since the index was built."""


@frozen
class AnnotateRequest:
    """Where the files lie."""

    root: str | None = option(None, help=ROOT_HELP, metavar="DIR", cli_only=True)


@frozen
class AnnotatedUnit:
    """A declaration and what is said of it.

    Args:
        number: its place in the list, from 1.
        id: its id.
        location: `path:line`, which editors open.
        kind: what it is.
        qualified_name: its dotted name.
        signature: its head on one line.
        description: what was written of it, else what its names tell.
    """

    number: int
    id: str
    location: str
    kind: str
    qualified_name: str
    signature: str
    description: str


@frozen
class AnnotateResponse:
    """Every declaration by file, in the order of the lines.

    Args:
        found: how many there are.
        items: all of them.
    """

    found: int
    items: tuple[AnnotatedUnit, ...]


def annotate(index: Index, request: Any) -> AnnotateResponse:
    """Return every declaration with its description; a stale index is refused, since its lines
    are not those of the files.

    Raises:
        IndexStale: a file has changed.
    """
    root = root_of(index, request.root)
    changed = next(changed_sources(index, root), None)
    if changed is not None:
        raise IndexStale(
            f"`{changed}` has changed since the index was built",
            where=str(root / changed),
            hint="index again: `sourcebook code index PATH...`",
        )
    declared = [one for one in index.entries() if one.facts.get("code")]
    items = tuple(
        AnnotatedUnit(
            number,
            one.id,
            f"{one.source}:{one.facts['def_line']}",
            one.kind,
            str(one.facts["qualified_name"]),
            str(one.facts["signature"]),
            str(one.facts["description"]),
        )
        for number, one in enumerate(declared, start=1)
    )
    return AnnotateResponse(len(items), items)


def render(response: AnnotateResponse, _view: object) -> str:
    """A Markdown list by file."""
    rows = ["# Declarations", ""]
    for path, items in groupby(response.items, key=lambda one: one.location.rpartition(":")[0]):
        rows += [f"## {path}", ""]
        rows += [
            f"{one.number}. `{one.qualified_name}` ({one.kind}, {one.location})"
            + (f": {one.description}" if one.description else "")
            for one in items
        ]
        rows.append("")
    return "\n".join(rows).rstrip()


def verb(_subject: Subject) -> Verb:
    """Return the verb."""
    return Verb(
        "annotate",
        "Write a page with every declaration and what it does.",
        AnnotateRequest,
        AnnotateResponse,
        annotate,
        render,
        schema="code.annotate/1",
        tools=None,
    )
