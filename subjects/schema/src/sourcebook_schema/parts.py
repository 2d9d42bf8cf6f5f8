"""Parts of an API: what stands around some nodes, and nodes as records for renderers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sourcebook.subgraph import ApiSubgraph, Edge, Node, Subgraph

from sourcebook_schema.facts import EDGES, NODE_KINDS, Mark
from sourcebook_schema.graph import PLACES

if TYPE_CHECKING:
    from sourcebook_schema.api import Api

METHOD, TYPE, PROPERTY, SERVICE, BODY, RESPONSE = map(
    NODE_KINDS.index, ("method", "type", "property", "service", "body", "response")
)

_FIELD, _HOLDS = EDGES.index("field"), EDGES.index("holds")

_FLAGS = {
    "required": int(Mark.REQUIRED),
    "nullable": int(Mark.NULLABLE),
    "read_only": int(Mark.READ_ONLY),
    "write_only": int(Mark.WRITE_ONLY),
    "deprecated": int(Mark.DEPRECATED),
    "made": int(Mark.MADE),
}


def with_members(api: "Api", nodes: Collection[int]) -> set[int]:
    """Return nodes with what they consist of, and what those that are members belong to.

    An operation consists of its parameters, bodies and responses with the fields written in them, a
    type of its fields, a service of nothing.
    """
    graph = api.graph
    found = set(nodes)
    todo = list(nodes)
    while todo:
        node = todo.pop()
        kind = graph.kinds[node]
        for end, label in graph.out.of(node):
            if end in found or graph.kinds[end] in (METHOD, TYPE, SERVICE):
                continue
            if kind in (METHOD, BODY, RESPONSE) or label == _FIELD:
                found.add(end)
                todo.append(end)
    return found.union(*([*api.owners(node)] for node in nodes))


def neighbourhood(
    api: "Api", nodes: Sequence[int], limit: int, sources: Collection[str] | None = None
) -> tuple[set[int], int]:
    """Return nodes with what is one step away, and how many of those were left out.

    One step leads from what a node consists of to the types named there, and from a type to the
    types that name it and the operations that send or return it.

    Args:
        nodes: they are never left out, nor what they consist of.
        limit: of nodes altogether.
        sources: where neighbours may stand; None: anywhere.
    """
    found = with_members(api, nodes)
    left_out = 0
    for node in dict.fromkeys([*_down(api, sorted(found)), *_up(api, nodes)]):
        if node in found or not (sources is None or api.graph.source(node) in sources):
            continue
        more = with_members(api, [node]) if api.graph.kinds[node] == TYPE else {node}
        more = more.union(api.owners(node)) - found
        if len(found) + len(more) > limit:
            left_out += 1
        else:
            found |= more
    return found, left_out


def _down(api: "Api", nodes: Sequence[int]) -> Iterator[int]:
    for node in nodes:
        for end, _ in api.graph.out.of(node):
            if api.graph.kinds[end] == TYPE:
                yield end


def _up(api: "Api", nodes: Sequence[int]) -> Iterator[int]:
    """Yield what leads to types in one step: operations by way of their bodies and responses."""
    graph = api.graph
    for node in nodes:
        if graph.kinds[node] != TYPE:
            continue
        for start, _ in graph.into.of(node):
            if graph.kinds[start] in (BODY, RESPONSE):
                yield start
                yield from (one for one, _ in graph.into.of(start) if graph.kinds[one] == METHOD)
            elif graph.kinds[start] != SERVICE:
                yield start


def make_subgraph(
    api: "Api", nodes: Collection[int], matched: Sequence[int], *, document: bool
) -> Subgraph:
    """Return nodes as records with the edges among them; with `document` also the description
    that stands for them alone, see `ApiSubgraph`."""
    graph = api.graph
    order = sorted(nodes)
    ids = {node: api.id(node) for node in order}
    records = tuple(_record(api, node, ids) for node in order)
    edges = dict.fromkeys(
        Edge(ids[node], ids[end], EDGES[label], tag)
        for node in order
        for end, label, tag in graph.tagged(node)
        if end in ids
    )
    names = tuple(ids[node] for node in dict.fromkeys(matched))
    if not document:
        return Subgraph(records, tuple(edges), names)
    description, described = _describe(api, order)
    return ApiSubgraph(records, tuple(edges), names, description, described)


def _describe(api: "Api", nodes: Sequence[int]) -> tuple[Mapping[str, object], Mapping[str, Node]]:
    from sourcebook_schema.bundle import bundle

    graph = api.graph
    operations = {api.uri_of(node): node for node in nodes if graph.kinds[node] == METHOD}
    types = {api.uri_of(node): node for node in nodes if graph.kinds[node] == TYPE}
    homes = {source: document.source for document in reversed(api.documents)
             for source in document.files}  # fmt: skip

    def name(uri: str) -> str:
        node = api.node_of(uri)
        return str(graph.names[node]) if node >= 0 else ""

    made = bundle(
        api.component, api.files, api.variants, list(operations), list(types),
        homes=homes, names=name,
    )  # fmt: skip
    described = {}
    for pointer, uri in made.uris.items():
        node = operations.get(uri, types.get(uri, -1))
        node = api.node_of(uri) if node < 0 else node
        if node >= 0:
            described[pointer] = _record(api, node, {node: api.id(node)})
    return made.description, described


def _record(api: "Api", node: int, ids: Mapping[int, str]) -> Node:
    graph = api.graph
    parent = graph.parents[node]
    return Node(
        api.id(node),
        api.kind(node),
        graph.names[node],
        ids.get(parent, "") if parent >= 0 else "",
        graph.types[node],
        graph.source(node),
        graph.firsts[node],
        graph.lasts[node],
        graph.summaries[node],
        facts_of(api, node),
    )


def facts_of(api: "Api", node: int) -> dict[str, Any]:
    """Return what is told of a node beside the fields of `Node`; what is empty is left out.

    `title`, `direction`, `documents` (short names); flags `required`, `nullable`, `read_only`,
    `write_only`, `deprecated`, `made` where they hold; of an operation `method`, `path`, `event`,
    `of`, `tags`; of a property `in` and `values`; of a response `status`; of a type
    `discriminator`, `values`, and how many `members` it has.
    """
    graph = api.graph
    facts: dict[str, Any] = {"title": api.title(node)}
    if direction := api.direction(node):
        facts["direction"] = direction
    facts["documents"] = list(api.documents_of.get(graph.source(node), ()))
    facts.update({name: True for name, mark in _FLAGS.items() if graph.marks[node] & mark})
    if operation := graph.operations.get(node):
        told = {"method": operation.method, "path": operation.path, "event": operation.event}
        facts.update({name: text for name, text in told.items() if text})
        if operation.of >= 0:
            facts["of"] = api.id(operation.of)
    if place := PLACES[graph.places[node]]:
        facts["in"] = place
    facts.update(graph.detail(node))
    if graph.kinds[node] == TYPE:
        facts["members"] = sum(label == _FIELD for _, label in graph.out.of(node))
    return facts
