"""trace: up from a type or a property to the operations that carry it."""

from attrs import fields, frozen
from sourcebook.index.open import Index
from sourcebook.naming import counted, shown
from sourcebook.verb import Tool, Verb, option
from sourcebook.verbs.together import merge_listing

from sourcebook_schema.api import METHOD, Api
from sourcebook_schema.facts import Direction
from sourcebook_schema.names import Names, Wanted, find_sources, flat, join_routes
from sourcebook_schema.trace import MAX_HOPS, Route, routes, steps
from sourcebook_schema.verbs.items import (
    CASE_HELP,
    REGEX_HELP,
    SOURCE_HELP,
    Item,
    RowsView,
    item_of,
    origin,
    several,
)

KINDS = ("method", "type", "property")
ROUTES_SHOWN = 20


@frozen
class TraceRequest:
    """What to trace, and how far."""

    target: tuple[str, ...] = option(
        help="What to trace: ids, names (`city`, `Address.city`, `GET /users page`) or patterns "
        "(`*Address*`); of a bare word the name itself, else names that hold it.",
        positional=True,
        metavar="NAME",
    )
    kind: tuple[str, ...] = option(
        ("type", "property"), help="What a name or pattern may stand for.", choices=KINDS
    )
    direction: str = option(
        "any",
        help="Only operations that accept it (`input`) or return it (`output`).",
        choices=("input", "output", "any"),
    )
    max_hops: int = option(
        MAX_HOPS,
        help="How many steps from one type to the next a route may have.",
        minimum=0,
        maximum=1000,
    )
    limit: int = option(
        50, help="Trace at most this many; the count is still of all. 0 traces all.", minimum=0
    )
    routes: int = option(
        ROUTES_SHOWN,
        help="Show at most this many operations for each; the count is still of all. 0 shows all.",
        minimum=0,
    )
    regex: bool = option(False, help=REGEX_HELP)
    case_sensitive: bool = option(False, help=CASE_HELP)
    source: tuple[str, ...] = option((), help=SOURCE_HELP, metavar="NAME")


@frozen
class RouteItem:
    """How an operation carries something.

    Args:
        id: of the operation.
        operation: `GET /users/{id}`, `WEBHOOK paid`.
        name: its operation id, or the same again.
        direction: `input` if it accepts what is traced, `output` if it returns it; empty for an
            operation that is traced itself.
        steps: the way through the types, the last being what is traced.
        source: the file of the operation.
        line: its first line there.
        documents: short names of the documents that the operation belongs to.
    """

    id: str
    operation: str
    name: str
    direction: str
    steps: tuple[str, ...]
    source: str
    line: int
    documents: tuple[str, ...]


@frozen(kw_only=True)
class Traced(Item):
    """A type or property, and the operations that carry it.

    Args:
        found: how many operations and directions carry it, however few are shown; 0: no request
            and no answer ever holds it.
        routes: one for each operation and direction, the shortest, up to the limit.
    """

    found: int
    routes: tuple[RouteItem, ...]


@frozen
class TraceResponse:
    """What fits, with the operations that carry it.

    Args:
        found: how many types and properties fit, however few are traced.
        nodes: those traced.
        notes: what of the request nothing fits.
    """

    found: int
    nodes: tuple[Traced, ...]
    notes: tuple[str, ...] = ()


def trace(index: Index, request: TraceRequest) -> TraceResponse:
    """Return what fits each of the targets, with its routes."""
    api = Api.of(index)
    sources, notes = find_sources(api, request.source)
    if notes:
        return TraceResponse(0, (), tuple(notes))
    names = Names(api, Wanted(request.kind, request.regex, request.case_sensitive, sources))
    found: dict[int, None] = {}
    for target in join_routes(request.target):
        nodes = names.find(target)
        if not nodes:
            near = names.nearest(target)
            notes.append(
                f"nothing is called `{shown(target)}`" + (f"; near: `{near}`" if near else "")
            )
        found.update(dict.fromkeys(nodes))
    chosen = list(found)[: request.limit] if request.limit else list(found)
    traced = tuple(_traced(api, node, request, sources) for node in chosen)
    return TraceResponse(len(found), traced, tuple(notes))


def _traced(api: Api, node: int, request: TraceRequest, sources: frozenset[str] | None) -> Traced:
    if api.graph.kinds[node] == METHOD:
        return _as_traced(api, node, 1, (_route_item(api, node, "", ()),))
    ways = Direction.BOTH if request.direction == "any" else Direction[request.direction.upper()]
    every = [
        route
        for route in routes(api, node, directions=ways, max_hops=request.max_hops)
        if sources is None or api.graph.source(route.operation) in sources
    ]
    shown = every[: request.routes] if request.routes else every
    return _as_traced(api, node, len(every), tuple(_of(api, route) for route in shown))


def _as_traced(api: Api, node: int, found: int, shown: tuple[RouteItem, ...]) -> Traced:
    item = item_of(api, node)
    known = {field.name: getattr(item, field.name) for field in fields(Item)}
    return Traced(**known, found=found, routes=shown)


def _of(api: Api, route: Route) -> RouteItem:
    direction = str(route.direction.name).lower()
    return _route_item(api, route.operation, direction, tuple(steps(api, route)))


def _route_item(api: Api, operation: int, direction: str, way: tuple[str, ...]) -> RouteItem:
    graph = api.graph
    source = graph.source(operation)
    return RouteItem(
        api.id(operation), api.title(operation), graph.names[operation], direction, way, source,
        graph.firsts[operation], api.documents_of.get(source, ()),
    )  # fmt: skip


def render(response: TraceResponse, view: RowsView) -> str:
    """What is traced, and below it one row an operation; then the count."""
    if view.ids_only:
        ids = (route.id for node in response.nodes for route in node.routes)
        return "\n".join(dict.fromkeys(ids))
    wanted = view.show_source or several(
        source
        for node in response.nodes
        for source in (node.source, *(route.source for route in node.routes))
    )
    rows = []
    for node in response.nodes:
        rows.append(f"{_key(node)}{origin(node, wanted=wanted)}")
        rows += [f"    {_row(route, wanted=wanted)}" for route in node.routes]
        if node.found > len(node.routes):
            rows.append(f"    … {node.found} routes, {len(node.routes)} shown")
        if not node.found:
            rows.append("    nothing carries it: no request and no answer holds it")
    rows.extend(response.notes)
    traced = len(response.nodes)
    rows.append(
        counted(response.found, "match", "matches")
        + (f", {traced} traced" if traced < response.found else "")
    )
    return "\n".join(rows)


def _key(item: Item) -> str:
    return flat(item.id.removeprefix(f"{item.source}#"))


def _row(route: RouteItem, *, wanted: bool) -> str:
    name = route.name if route.name != route.operation else ""
    parts = [route.operation, name, route.direction, " → ".join(route.steps)]
    place = " ".join(route.documents) or "no document"
    more = f"  [source: {place}, {route.source}:{route.line}]" if wanted else ""
    return "  ".join(flat(part) for part in parts if part) + more


verb = Verb(
    "trace",
    "Find the operations that carry a field or type, and how.",
    TraceRequest,
    TraceResponse,
    trace,
    render,
    view=RowsView,
    schema="schema.trace/1",
    merge=merge_listing,
    tools=(
        Tool(
            "trace_api",
            "Find the operations that accept or return a field or type, with the way to it.",
        ),
    ),
)
