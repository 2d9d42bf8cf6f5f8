"""neighbors: what calls, is called, contains, imports, extends, with the edges that say so."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen
from sourcebook.errors import BadRequest
from sourcebook.index.open import Index
from sourcebook.naming import counted
from sourcebook.subgraph import Edge, Node, Subgraph
from sourcebook.subject import Subject
from sourcebook.verb import Tool, Verb, option
from sourcebook.verbs.listing import told
from sourcebook.verbs.narrow import narrow, narrowed_request
from sourcebook.verbs.together import Answer, merge_listing, relabel

from sourcebook_code.edges import EDGES, PROVENANCES
from sourcebook_code.expand import (
    DIRECTIONS,
    MAX_HOPS,
    MAX_REACHED,
    GraphEdge,
    Reached,
    edge_of,
    walk,
)
from sourcebook_code.graph import Graph
from sourcebook_code.verbs.items import CodeItem, find_nodes, item_of, last_line, row_of

LIMIT = 50

TEXT = "text"


@frozen
class NeighborsRequest:
    """Whose neighbours, along which edges, how far."""

    target: str = option(
        help="A declaration or file: its id, its name or the end of it, FILE:LINE, or a pattern.",
        positional=True,
    )
    callers: bool = option(False, help="Only what calls it: `--direction in --label calls`.")
    callees: bool = option(False, help="Only what it calls: `--direction out --label calls`.")
    direction: str = option(
        "both",
        help="Follow edges from the target (out), to it (in), or both.",
        choices=DIRECTIONS,
    )
    label: tuple[str, ...] = option((), help="Only such edges. Repeatable.", choices=EDGES)
    provenance: tuple[str, ...] = option(
        (), help="Only edges that are known so surely. Repeatable.", choices=PROVENANCES
    )
    hops: int = option(
        1, help="Edges on the way to a neighbour, at most.", minimum=1, maximum=MAX_HOPS
    )
    format: str = option(
        TEXT,
        help="What the text is: rows (text), or what an installed renderer makes of a graph, such "
        "as mermaid-flowchart.",
        metavar="NAME",
    )
    limit: int = option(
        LIMIT, help="Show at most this many; the count is still of all. 0 shows all.", minimum=0
    )


@frozen(kw_only=True)
class Neighbor(CodeItem):
    """What is reached from a target.

    Args:
        hops: how many edges away it is.
        way: these edges, from the target on; each may lead either way.
    """

    hops: int
    way: tuple[GraphEdge, ...]


@frozen
class NeighborsResponse:
    """What is around some declarations.

    Args:
        targets: what was named.
        found: how many neighbours there are, however few are shown.
        neighbors: those with fewer edges to them first, then those that are known more surely.
        format: of the text.
        text: targets and neighbours as a renderer draws them; empty if the format is `text`.
        notes: what of the request nothing fits.
    """

    targets: tuple[CodeItem, ...]
    found: int
    neighbors: tuple[Neighbor, ...]
    format: str = TEXT
    text: str = ""
    notes: tuple[str, ...] = ()


def neighbors(index: Index, request: Any) -> NeighborsResponse:
    """Return what the graph reaches from what is named."""
    direction, labels = _ways(request)
    narrowed = narrow(index, request)
    graph = Graph.of(index)
    targets = find_nodes(index, graph, request.target)
    items = tuple(item_of(index, graph, node) for node in targets)
    if narrowed.unmet:
        return NeighborsResponse(items, 0, (), notes=narrowed.unmet)
    reached = walk(
        graph,
        dict.fromkeys(targets, 1.0),
        hops=request.hops,
        direction=direction,
        labels=labels,
        provenances=request.provenance or PROVENANCES,
    )
    ranked = sorted(reached.items(), key=lambda one: (len(one[1].way), -one[1].score, one[0]))
    if narrowed.filters:
        ranked = [one for one in ranked if narrowed.covers(index.entry(graph.id(one[0])))]
    shown = ranked[: request.limit] if request.limit else ranked
    text = ""
    if request.format != TEXT:
        text = _drawn(index, graph, targets, dict(shown), request.format)
    found = tuple(_neighbor(index, graph, node, one) for node, one in shown)
    notes = (
        (f"only the first {MAX_REACHED:,} were followed; ask for fewer hops",)
        if len(reached) >= MAX_REACHED and request.hops > 1
        else ()
    )
    return NeighborsResponse(items, len(ranked), found, request.format, text, notes)


def _ways(request: Any) -> tuple[str, Sequence[str]]:
    """Return the direction and the labels that are asked for.

    Raises:
        BadRequest: they contradict each other.
    """
    if not (request.callers or request.callees):
        return request.direction, request.label or EDGES
    short = "callers" if request.callers else "callees"
    way = "in" if request.callers else "out"
    if request.callers and request.callees:
        raise BadRequest(
            "`callers` and `callees` exclude each other",
            where="callees",
            hint="`--label calls` asks for both",
        )
    if request.label or request.direction not in ("both", way):
        raise BadRequest(
            f"`{short}` says which edges are followed, and so does "
            f"`{'label' if request.label else 'direction'}`",
            where=short,
            hint="leave one of the two out",
        )
    return way, ("calls",)


def _neighbor(index: Index, graph: Graph, node: int, reached: Reached) -> Neighbor:
    item = item_of(index, graph, node)
    return Neighbor(
        item.id, item.kind, item.title, item.source, item.first_line, item.last_line,
        item.language, hops=len(reached.way),
        way=tuple(edge_of(graph, step) for step in reached.way),
    )  # fmt: skip


def _drawn(
    index: Index, graph: Graph, targets: Sequence[int], reached: Mapping[int, Reached], form: str
) -> str:
    """Return targets and neighbours with the edges on the ways to them, by a renderer."""
    from sourcebook.adapt import call_declared
    from sourcebook.registry import registry

    renderer = registry().renderer(form, where="format")
    if not issubclass(Subgraph, renderer.accepts):
        raise BadRequest(
            f"`{form}` renders {renderer.accepts.__name__}, not a part of a code base",
            where="format",
            hint="leave it out, or ask for mermaid-flowchart",
        )
    steps = dict.fromkeys(step for one in reached.values() for step in one.way)
    nodes = sorted({*targets, *(end for step in steps for end in (step.start, step.end))})
    part = Subgraph(
        tuple(_node(index, graph, node) for node in nodes),
        tuple(
            Edge(graph.id(step.start), graph.id(step.end), step.label,
                 "" if step.provenance == PROVENANCES[0] else step.provenance)
            for step in steps
        ),
        tuple(graph.id(node) for node in targets),
    )  # fmt: skip
    with registry().blaming("renderers", form):
        return str(call_declared(renderer.render, part, {}))


def _node(index: Index, graph: Graph, node: int) -> Node:
    return Node(
        graph.id(node), graph.kind(node), graph.title(node), source=graph.source(node),
        first_line=graph.firsts[node], last_line=last_line(index, graph, node),
    )  # fmt: skip


def render(response: NeighborsResponse, _view: object) -> str:
    """The targets, a row for each neighbour with the way to it, then the count."""
    if response.text:
        return response.text
    rows = [row_of(item) for item in response.targets]
    at = {item.id for item in response.targets}
    rows += [f"    {_row(one, at)}" for one in response.neighbors]
    found = counted(response.found, "neighbour")
    return told(rows, response, shown=len(response.neighbors), found=found)


def _row(one: Neighbor, targets: set[str]) -> str:
    return f"{' '.join(_way(one, targets))}  {row_of(one)}"


_BACK = {
    "calls": "called by", "contains": "in", "imports": "imported by", "extends": "extended by",
}  # fmt: skip


def _way(one: Neighbor, targets: set[str]) -> Iterator[str]:
    """Yield the edges to a neighbour in words, with what lies between."""
    at = ""
    for edge in one.way:
        forward = edge.start == at or (not at and edge.start in targets)
        at = edge.end if forward else edge.start
        marks = [] if edge.provenance == PROVENANCES[0] else [edge.provenance]
        if edge.line:
            marks.append(f"line {edge.line}")
        yield edge.label if forward else _BACK[edge.label]
        if marks:
            yield f"({', '.join(marks)})"
        if at != one.id:
            yield f"{at.rpartition('#')[2]},"


def merge(answers: Sequence[Answer], request: Any) -> NeighborsResponse:
    """Return the neighbours in several indexes, one after another."""
    several = len([one for one in answers if one.response.targets]) > 1
    if several and request.format != TEXT:
        raise BadRequest(
            f"{len(answers)} indexes have it, and one drawing holds one",
            where="format",
            hint="name one index with `--dir`",
        )
    under = [
        one._replace(response=evolve(one.response, neighbors=_relabelled(one))) for one in answers
    ]
    merged: NeighborsResponse = merge_listing(under, request)
    targets = [item for one in answers for item in relabel(one.response.targets, one.label)]
    return evolve(merged, targets=tuple(targets))


def _relabelled(answer: Answer) -> tuple[Neighbor, ...]:
    """Return neighbours whose edges have the ids of the common answer; `relabel` does the rest."""
    return tuple(
        evolve(
            one,
            way=tuple(
                evolve(edge, start=f"{answer.label}/{edge.start}", end=f"{answer.label}/{edge.end}")
                for edge in one.way
            ),
        )
        for one in answer.response.neighbors
    )


def verb(subject: Subject) -> Verb:
    """Return the verb."""
    return Verb(
        "neighbors",
        "Show what calls, contains, imports or extends a declaration.",
        narrowed_request(NeighborsRequest, subject),
        NeighborsResponse,
        neighbors,
        render,
        schema="code.neighbors/1",
        merge=merge,
        tools=(
            Tool(
                "neighbors_code",
                "Walk the graph of the code from a declaration: what it calls and contains, what "
                "calls, imports or extends it, with the edges on the way as evidence.",
            ),
        ),
    )
