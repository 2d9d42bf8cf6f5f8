"""list: every operation, type or property, or the documents of an index."""

from attrs import evolve, frozen
from sourcebook.errors import BadRequest
from sourcebook.index.open import Index
from sourcebook.naming import counted
from sourcebook.verb import Tool, Verb, option
from sourcebook.verbs.pattern import name_matcher
from sourcebook.verbs.together import merge_listing

from sourcebook_schema.api import Api
from sourcebook_schema.documents import Document
from sourcebook_schema.facts import Mark
from sourcebook_schema.names import find_sources, flat
from sourcebook_schema.verbs.items import (
    Item,
    Narrowing,
    RowsView,
    item_of,
    narrowed,
    origin,
    several,
)

_MADE = int(Mark.MADE)

KINDS = {
    "methods": "method", "types": "type", "properties": "property", "fields": "property",
    "services": "service",
}  # fmt: skip

DIRECTIONS = ("input", "output", "both", "none", "any")


@frozen
class ListRequest(Narrowing):
    """What to list."""

    what: str = option(
        "methods",
        help="What to list; `fields` are properties without parameters.",
        choices=(*KINDS, "documents"),
        positional=True,
    )
    exact: bool = option(False, help="Names must be equal to those given, capitals and all.")
    direction: str = option(
        "any",
        help="types, properties: only what travels this way, seen from the caller; `input` and "
        "`output` include what goes both ways.",
        choices=DIRECTIONS,
    )


@frozen
class ListResponse:
    """Operations, types or properties in the order of their files, or documents.

    Args:
        found: how many fit, however few are shown.
        items: those that fit, up to the limit; empty for documents.
        documents: the same of documents.
        notes: what of the request nothing fits.
    """

    found: int
    items: tuple[Item, ...]
    documents: tuple[Document, ...] = ()
    notes: tuple[str, ...] = ()


def list_items(index: Index, request: ListRequest) -> ListResponse:
    """Return what the request is narrowed to."""
    api = Api.of(index)
    sources, notes = find_sources(api, request.source)
    if notes:
        return ListResponse(0, (), (), tuple(notes))
    if request.what == "documents":
        return _documents(api, request, sources)
    if request.what in ("methods", "services") and request.direction != "any":
        raise BadRequest(
            f"{request.what} have no direction",
            where="direction",
            hint="list types or properties; `trace --direction` finds the operations",
        )
    asked = evolve(request, name=()) if request.exact else request
    nodes = narrowed(api, api.of_kinds([KINDS[request.what]]), asked, sources)
    graph = api.graph
    if request.exact and request.name:
        nodes = [node for node in nodes if graph.names[node] in request.name]
    if request.what == "types":
        nodes = [node for node in nodes if not graph.marks[node] & _MADE]
    if request.what == "fields":
        nodes = [node for node in nodes if not graph.places[node]]
    if request.direction != "any":
        ways = {request.direction} | (
            {"both"} if request.direction in ("input", "output") else set()
        )
        nodes = [node for node in nodes if api.direction(node) in ways]
    shown = nodes[: request.limit] if request.limit else nodes
    return ListResponse(len(nodes), tuple(item_of(api, node) for node in shown))


def _documents(api: Api, request: ListRequest, sources: frozenset[str] | None) -> ListResponse:
    fits = name_matcher(request.name, is_regex=request.regex, case_sensitive=request.case_sensitive)
    found = [
        one
        for one in api.documents
        if (sources is None or one.source in sources) and fits(one.name)
    ]
    shown = found[: request.limit] if request.limit else found
    return ListResponse(len(found), (), tuple(shown))


def render(response: ListResponse, view: RowsView) -> str:
    """One row an item, then the count."""
    if view.ids_only:
        names = [one.name for one in response.documents]
        return "\n".join([one.id for one in response.items] or names)
    wanted = view.show_source or several(one.source for one in response.items)
    rows = [_row(one) + origin(one, wanted=wanted) for one in response.items]
    rows += [document_row(one) for one in response.documents]
    rows.extend(response.notes)
    shown = len(response.items) + len(response.documents)
    rows.append(f"{response.found} found" + (f", {shown} shown" if shown < response.found else ""))
    return "\n".join(rows)


def _row(one: Item) -> str:
    if one.kind == "method":
        parts = [one.title, one.name if one.name != one.title else "", one.summary]
    elif one.kind == "service":
        parts = [one.name, one.summary]
    else:
        named = one.title if one.title.endswith(one.name) else f"{one.title} ({one.name})"
        kind = "" if one.kind == "type" and one.type == "object" else one.type
        parts = [named, kind, one.place or one.direction, one.summary]
    if one.deprecated:
        parts.insert(-1, "deprecated")
    return "  ".join(flat(part) for part in parts if part)


def document_row(one: Document) -> str:
    """Return a document on one line."""
    counts = [
        (one.operations, "operation", ""), (one.webhooks, "webhook", ""),
        (one.callbacks, "callback", ""), (one.types, "type", ""),
        (one.properties, "property", "properties"),
    ]  # fmt: skip
    told = ", ".join(counted(*count) for count in counts if count[0])
    about = " ".join(part for part in (one.title, one.version) if part)
    return "  ".join(
        flat(part) for part in (one.name, one.source, about, f"OpenAPI {one.format}", told) if part
    )


verb = Verb(
    "list",
    "List every operation, type or property; no ranking.",
    ListRequest,
    ListResponse,
    list_items,
    render,
    view=RowsView,
    schema="schema.list/1",
    merge=merge_listing,
    tools=(
        Tool("list_api", "List the operations, types or properties of the API; no ranking."),
        Tool(
            "find_types_with_property",
            "List the types that have a field of exactly this name, as `name`; no ranking.",
            {"what": "fields", "exact": True},
        ),
    ),
)
