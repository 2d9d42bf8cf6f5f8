"""list: every document, heading or table of an index, in order."""

from collections.abc import Iterator
from typing import Any

from attrs import frozen
from sourcebook.index.open import Index
from sourcebook.naming import counted
from sourcebook.subject import Subject
from sourcebook.verb import Verb, option
from sourcebook.verbs.listing import Located, limit_option, told
from sourcebook.verbs.narrow import Narrowed, narrow, narrowed_request
from sourcebook.verbs.pattern import name_matcher
from sourcebook.verbs.together import merge_listing

from sourcebook_docs.outline import Outline
from sourcebook_docs.verbs.reading import lies_in, read_outline, sources_of

WHAT = ("files", "sections", "tables")


@frozen
class ListRequest:
    """What to list."""

    what: str = option("files", help="What to list.", choices=WHAT, positional=True)
    depth: int = option(
        0, help="sections: stop at this level of heading. 0 goes to the last.", minimum=0, maximum=6
    )
    name: tuple[str, ...] = option(
        (),
        help="Only file names, titles or captions that fit: a glob, or a part of it. Repeatable.",
        metavar="PATTERN",
    )
    regex: bool = option(False, help="Read every name as a regular expression.")
    case_sensitive: bool = option(False, help="Match the capitals of names too.")
    limit: int = limit_option()


@frozen
class Item(Located):
    """A document, a heading with what nests in it, or a table.

    Args:
        kind: `file`, `section` or `table`.
        source: the document's name.
        first_line, last_line: all of a document; from a title to the last line of its section
            that is not blank; from a table's header to its last row.
        title: the name, the title, or the caption.
        path: titles from the outermost section inwards; a section's own is the last.
        level: of the heading, 1 to 6.
        size: bytes of a document.
        passages, sections, tables: how many a document has.
        columns, rows: a table's columns, and how many rows stand below its header.
    """

    kind: str
    source: str
    first_line: int
    last_line: int
    title: str
    path: tuple[str, ...] = ()
    level: int = 0
    size: int = 0
    passages: int = 0
    sections: int = 0
    tables: int = 0
    columns: tuple[str, ...] = ()
    rows: int = 0


@frozen
class ListResponse:
    """Documents, headings or tables, in order.

    Args:
        found: how many fit, however few are shown.
        items: those that fit, up to the limit.
        notes: what of the request nothing fits.
    """

    found: int
    items: tuple[Item, ...]
    notes: tuple[str, ...] = ()


def list_items(index: Index, request: Any) -> ListResponse:
    """Return the documents, headings or tables that the request is narrowed to."""
    fits = name_matcher(request.name, is_regex=request.regex, case_sensitive=request.case_sensitive)
    narrowed = narrow(index, request)
    if narrowed.unmet:
        return ListResponse(0, (), narrowed.unmet)
    make = {"files": _files, "sections": _sections, "tables": _tables}[request.what]
    found = 0
    items: list[Item] = []
    for item in make(index, read_outline(index), narrowed):
        if not fits(item.title) or (request.depth and item.level > request.depth):
            continue
        found += 1
        if not request.limit or found <= request.limit:
            items.append(item)
    return ListResponse(found, tuple(items))


def _files(index: Index, outline: Outline, narrowed: Narrowed) -> Iterator[Item]:
    for name in sources_of(index, narrowed):
        sections = outline.sections(name)
        if "section" in narrowed.filters and not any(lies_in(s.path, narrowed) for s in sections):
            continue
        info = index.sources[name]
        yield Item(
            "file", name, min(1, info.lines), info.lines, name, size=info.size,
            passages=info.entries, sections=len(sections), tables=len(outline.tables(name)),
        )  # fmt: skip


def _sections(index: Index, outline: Outline, narrowed: Narrowed) -> Iterator[Item]:
    for name in sources_of(index, narrowed):
        for one in outline.sections(name):
            if lies_in(one.path, narrowed):
                yield Item(
                    "section", name, one.first, one.last, one.title, one.path, level=one.level
                )


def _tables(index: Index, outline: Outline, narrowed: Narrowed) -> Iterator[Item]:
    for name in sources_of(index, narrowed):
        for one in outline.tables(name):
            path = outline.path_at(name, one.first)
            if lies_in(path, narrowed):
                yield Item(
                    "table", name, one.first, one.last, one.caption, path,
                    columns=one.columns, rows=one.rows,
                )  # fmt: skip


def render(response: ListResponse, _view: object) -> str:
    """One row an item, then the count."""
    rows = [_row(one) for one in response.items]
    return told(rows, response, shown=len(response.items), found=f"{response.found} found")


def _row(one: Item) -> str:
    if one.kind == "file":
        parts = [
            counted(one.last_line, "line"),
            counted(one.sections, "section"),
            counted(one.tables, "table"),
            counted(one.passages, "passage"),
        ]
        return f"{one.source}  {', '.join(parts)}"
    path = " > ".join(one.path)
    if one.kind == "section":
        return f"{one.location}-{one.last_line}  {'#' * one.level} {path}"
    about = "  ".join(part for part in (one.title, path) if part)
    columns = " | ".join(one.columns)
    return f"{one.location}-{one.last_line}  {about}  [{columns}]  {counted(one.rows, 'row')}"


def verb(subject: Subject) -> Verb:
    """Return the verb."""
    return Verb(
        "list",
        "List every file, section or table; no ranking.",
        narrowed_request(ListRequest, subject, kinds=False),
        ListResponse,
        list_items,
        render,
        schema="docs.list/1",
        merge=merge_listing,
    )
