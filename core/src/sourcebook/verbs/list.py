"""list: every source or entry, without ranking."""

from typing import Any

from attrs import frozen

from sourcebook.index.open import Index
from sourcebook.subject import Subject
from sourcebook.verb import Verb, option
from sourcebook.verbs.listing import Located, limit_option, told
from sourcebook.verbs.narrow import narrow, narrowed_request
from sourcebook.verbs.pattern import name_matcher
from sourcebook.verbs.together import merge_listing


@frozen
class ListRequest:
    """What to list."""

    what: str = option(
        "sources", help="What to list.", choices=("sources", "entries"), positional=True
    )
    name: tuple[str, ...] = option(
        (), help="Only titles that fit: a glob, or a part of it. Repeatable.", metavar="PATTERN"
    )
    regex: bool = option(False, help="Read every name as a regular expression.")
    limit: int = limit_option()


@frozen
class Item(Located):
    """A source or an entry.

    Args:
        id: what `show` takes.
        kind: `source`, or the kind of an entry.
        source: the name of the source.
        first_line, last_line: the lines of an entry; all of a source.
        title: the name of a source, or how a reader would call an entry.
        path: titles or owners of an entry from the outermost inwards.
        size: bytes of a source; 0 for an entry.
    """

    id: str
    kind: str
    source: str
    first_line: int
    last_line: int
    title: str
    path: tuple[str, ...]
    size: int = 0


@frozen
class ListResponse:
    """Sources or entries, in order.

    Args:
        found: how many fit, however few are shown.
        items: those that fit, up to the limit.
        notes: what of the request nothing fits.
    """

    found: int
    items: tuple[Item, ...]
    notes: tuple[str, ...] = ()


def list_items(index: Index, request: Any) -> ListResponse:
    """Return the sources or entries that the request is narrowed to."""
    fits = name_matcher(request.name, is_regex=request.regex)
    narrowed = narrow(index, request)
    if narrowed.unmet:
        return ListResponse(0, (), narrowed.unmet)
    names = narrowed.filters.get("source", tuple(index.sources))
    items: list[Item] = []
    found = 0
    if request.what == "sources":
        for name in names:
            if fits(name):
                found += 1
                info = index.sources[name]
                items.append(Item(name, "source", name, 1, info.lines, name, (), info.size))
    else:
        for entry in index.entries(names):
            if narrowed.covers(entry) and fits(entry.title):
                found += 1
                if not request.limit or len(items) < request.limit:
                    span = entry.span
                    items.append(
                        Item(
                            entry.id, entry.kind, entry.source, span.first, span.last, entry.title,
                            entry.path,
                        )
                    )  # fmt: skip
    return ListResponse(found, tuple(items[: request.limit] if request.limit else items))


def render(response: ListResponse, _view: object) -> str:
    """One row an item, then the count."""
    rows = []
    for one in response.items:
        if one.kind == "source":
            rows.append(f"{one.source}  {one.last_line} lines, {one.size} bytes")
        else:
            rows.append(
                f"{one.location}  {one.kind}  {' > '.join((*one.path, one.title))}  {one.id}"
            )
    return told(rows, response, shown=len(response.items), found=f"{response.found} found")


def verb(subject: Subject) -> Verb:
    """Return the verb for a subject."""
    return Verb(
        "list",
        "List every source or entry; no ranking.",
        narrowed_request(ListRequest, subject),
        ListResponse,
        list_items,
        render,
        schema="list/1",
        merge=merge_listing,
    )
