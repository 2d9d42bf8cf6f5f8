"""show: named operations, types and properties, in the format asked for."""

from collections.abc import Sequence

import attrs
from attrs import frozen
from sourcebook.errors import Ambiguous, BadRequest, NotFound
from sourcebook.index.open import Index
from sourcebook.subgraph import Edge, Node, Subgraph
from sourcebook.verb import Tool, Verb, option
from sourcebook.verbs.together import Answer, relabel

from sourcebook_schema.api import Api
from sourcebook_schema.facts import ENTRY_KINDS
from sourcebook_schema.names import Names, Wanted, find_sources, join_routes
from sourcebook_schema.parts import neighbourhood, with_members
from sourcebook_schema.render import FORMAT_HELP, TEXT, render_part
from sourcebook_schema.verbs.items import SOURCE_HELP

MAX_NODES = 200


@frozen
class ShowRequest:
    """What to show."""

    id: tuple[str, ...] = option(
        (),
        help="What to show: ids (`Type:Invoice`) or names (`Invoice`, `Invoice.lines`, "
        "`GET /invoices`); - reads them from standard input.",
        positional=True,
        metavar="ID",
    )
    method: tuple[str, ...] = option(
        (),
        help="An operation by its id or its route; with `*` all that fit. Repeatable.",
        metavar="NAME",
    )
    type: tuple[str, ...] = option(
        (), help="A type by its name; with `*` all that fit. Repeatable.", metavar="NAME"
    )
    source: tuple[str, ...] = option(
        (), help=f"{SOURCE_HELP} With nothing else named, all of them.", metavar="NAME"
    )
    exact: bool = option(False, help="Only what is named, without its neighbours.")
    format: str = option(TEXT, help=FORMAT_HELP, flags=("-f",), metavar="NAME")
    docs: bool = option(True, help="Leave the descriptions out.")
    show_source: bool = option(False, help="Name the document that each node comes from.")
    max_nodes: int = option(
        MAX_NODES,
        help="Neighbours are left out beyond this many nodes; what is named never is.",
        minimum=1,
    )


@frozen
class ShowResponse:
    """A part of an API.

    Args:
        matched: ids of what was named.
        nodes: these, what they consist of, and their neighbours; by file and place.
        edges: among them.
        left_out: how many neighbours were left out.
        format: of the text.
        text: all this, rendered.
    """

    matched: tuple[str, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    left_out: int
    format: str
    text: str


def show(index: Index, request: ShowRequest) -> ShowResponse:
    """Return what is named with its neighbours."""
    api = Api.of(index)
    sources, notes = find_sources(api, request.source)
    if notes:
        raise NotFound(notes[0], where="source", hint="`list documents` names them")
    matched = _named(api, request, sources)
    if request.exact:
        nodes, left_out = with_members(api, matched), 0
    else:
        nodes, left_out = neighbourhood(api, matched, request.max_nodes, sources)
    plain = api.subgraph(nodes, matched)

    def make(document: bool) -> Subgraph:
        return api.subgraph(nodes, matched, document=True) if document else plain

    text = render_part(make, request.format, docs=request.docs, sources=request.show_source)
    return ShowResponse(plain.matched, plain.nodes, plain.edges, left_out, request.format, text)


def _named(api: Api, request: ShowRequest, sources: frozenset[str] | None) -> list[int]:
    found: dict[int, None] = {}
    ways = (
        (join_routes(request.id), ENTRY_KINDS, "operation, type or property"),
        (request.method, ("method",), "operation"),
        (request.type, ("type",), "type"),
    )
    for texts, kinds, called in ways:
        names = Names(api, Wanted(kinds, sources=sources))
        for text in texts:
            found.update(dict.fromkeys(names.one(text, called)))
    if not any(texts for texts, _, _ in ways):
        if sources is None:
            raise BadRequest(
                "nothing to show", where="id", hint="name an id, `--method`, `--type` or `--source`"
            )
        return [node for node in api.of_kinds(ENTRY_KINDS) if api.graph.source(node) in sources]
    return list(found)


def merge(answers: Sequence[Answer], request: ShowRequest) -> ShowResponse:
    """Return the parts of several indexes one after another, as text; other formats hold one.

    Raises:
        Ambiguous: several indexes have what was named, and the format cannot hold it all.
    """
    if len(answers) > 1 and request.format != TEXT:
        raise Ambiguous(
            f"{len(answers)} indexes have it: {', '.join(one.label for one in answers)}",
            hint=f"write the index before it, as in `{answers[0].label}/ID`",
        )
    responses = [_relabelled(one.response, one.label) for one in answers]
    return ShowResponse(
        tuple(name for one in responses for name in one.matched),
        tuple(node for one in responses for node in one.nodes),
        tuple(edge for one in responses for edge in one.edges),
        sum(one.left_out for one in responses),
        request.format,
        "\n\n".join(one.text for one in responses),
    )


def _relabelled(response: ShowResponse, label: str) -> ShowResponse:
    under = f"{label}/{{}}".format
    return attrs.evolve(
        response,
        matched=tuple(map(under, response.matched)),
        nodes=relabel(response.nodes, label),
        edges=tuple(
            attrs.evolve(edge, start=under(edge.start), end=under(edge.end))
            for edge in response.edges
        ),
    )


def render(response: ShowResponse, _view: object) -> str:
    """The text, and what was left out of a tree."""
    if response.left_out and response.format == TEXT:
        return f"{response.text}\n\n… {response.left_out} neighbours left out"
    return response.text


verb = Verb(
    "show",
    "Print operations, types and properties by name.",
    ShowRequest,
    ShowResponse,
    show,
    render,
    schema="schema.show/1",
    merge=merge,
    tools=(
        Tool("show_api", "Show operations, types and properties with what is around them."),
        Tool(
            "describe_types",
            "Write types as TypeScript declarations that compile on their own.",
            {"format": "typescript", "exact": True},
        ),
    ),
)
