"""Traces: from a node up to the operations that carry it."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sourcebook_schema.direction import extends
from sourcebook_schema.facts import EDGES, Direction, Mark
from sourcebook_schema.trace import Route, routes, steps

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

MakeApi = Callable[..., Any]

TOWN = (
    [
        "Method:GET /people", "Response:people", "Type:Person", "Property:Person.home",
        "Type:Home", "Property:Home.address", "Property:Home.address.city", "Method:POST /people",
        "Body:people", "Type:NewPerson", "Type:Lost", "Property:Lost.city",
    ],
    [
        "Method:GET /people output Response:people",
        "Response:people holds Type:Person",
        "Type:Person field Property:Person.home",
        "Property:Person.home value Type:Home",
        "Type:Home field Property:Home.address",
        "Property:Home.address field Property:Home.address.city",
        "Method:POST /people input Body:people",
        "Body:people holds Type:NewPerson",
        "Type:NewPerson allOf Type:Home",
        "Type:Lost field Property:Lost.city",
    ],
)  # fmt: skip


def node_of(api: Any, key: str) -> int:
    return int(api.node(f"api.yaml#{key}"))


def told(api: Any, key: str, **more: Any) -> list[tuple[str, str, str]]:
    return [
        (api.title(one.operation), str(one.direction.name), " → ".join(steps(api, one)))
        for one in routes(api, node_of(api, key), **more)
    ]


def test_a_trace_names_operations_directions_and_the_types_between(make_api: MakeApi) -> None:
    api = make_api(*TOWN)
    assert told(api, "Property:Home.address.city") == [
        ("GET /people", "OUTPUT", "Person.home → Home.address.city"),
        ("POST /people", "INPUT", "NewPerson → Home.address.city"),
    ]


def test_nothing_carries_what_no_operation_leads_to(make_api: MakeApi) -> None:
    assert told(make_api(*TOWN), "Property:Lost.city") == []


def test_one_direction_can_be_asked_for(make_api: MakeApi) -> None:
    api = make_api(*TOWN)
    found = told(api, "Type:Home", directions=Direction.INPUT)
    assert found == [("POST /people", "INPUT", "NewPerson → Home")]


def test_hops_are_steps_from_one_type_to_the_next(make_api: MakeApi) -> None:
    api = make_api(*TOWN)
    assert told(api, "Property:Home.address.city", max_hops=0) == []
    assert len(told(api, "Property:Home.address.city", max_hops=1)) == 2
    assert [one[0] for one in told(api, "Type:Person", max_hops=0)] == ["GET /people"]


def test_an_operation_that_carries_a_node_both_ways_is_there_twice(make_api: MakeApi) -> None:
    api = make_api(
        ["Method:PUT /a", "Type:A", "Property:A.b", "Property:A.id"],
        [
            "Method:PUT /a input Type:A",
            "Method:PUT /a output Type:A",
            "Type:A field Property:A.b",
            "Type:A field Property:A.id",
        ],
        marks={"Property:A.id": Mark.READ_ONLY},
    )
    assert [one[1] for one in told(api, "Property:A.b")] == ["INPUT", "OUTPUT"]
    assert [one[1] for one in told(api, "Property:A.id")] == ["OUTPUT"]


def test_the_shortest_route_is_told(make_api: MakeApi) -> None:
    api = make_api(
        ["Method:GET /a", "Type:Far", "Type:Near", "Type:End"],
        [
            "Method:GET /a output Type:Far",
            "Type:Far items Type:Near",
            "Type:Near items Type:End",
            "Type:Far items Type:End",
        ],
    )
    assert told(api, "Type:End") == [("GET /a", "OUTPUT", "Far → End")]


def test_circles_come_to_an_end(make_api: MakeApi) -> None:
    api = make_api(
        ["Method:GET /a", "Type:Tree", "Property:Tree.children"],
        [
            "Method:GET /a output Type:Tree",
            "Type:Tree field Property:Tree.children",
            "Property:Tree.children value Type:Tree",
        ],
    )
    assert told(api, "Type:Tree") == [("GET /a", "OUTPUT", "Tree")]


NODES = ["Method:GET /a", "Method:PUT /b", *(f"Type:T{n}" for n in range(4)), "Property:P0.x"]
LABELS = [one for one in EDGES if one not in ("input", "output")]


@st.composite
def files(draw: st.DrawFn) -> tuple[list[str], list[str], dict[str, Mark]]:
    """The arguments of `file_of` for a small file."""
    marks = {
        key: draw(st.sampled_from([Mark(0), Mark(0), Mark.READ_ONLY, Mark.WRITE_ONLY, Mark.MADE]))
        for key in NODES[2:]
    }
    inner = st.tuples(
        st.sampled_from(NODES[2:]), st.sampled_from(LABELS), st.sampled_from(NODES[2:])
    )
    outer = st.tuples(
        st.sampled_from(NODES[:2]), st.sampled_from(["input", "output"]), st.sampled_from(NODES[2:])
    )
    edges = draw(st.lists(outer, max_size=4)) + draw(st.lists(inner, max_size=10))
    return NODES, [" ".join(edge) for edge in dict.fromkeys(edges)], marks


def exists(api: Any, route: Route) -> bool:
    """Whether each step of a route is an edge that a value may travel along."""
    first = "input" if route.direction == Direction.INPUT else "output"
    blocked = Mark.READ_ONLY if route.direction == Direction.INPUT else Mark.WRITE_ONLY
    as_base = {False}
    places = [route.operation, *route.nodes]
    for step, (start, end) in enumerate(pairwise(places)):
        labels = {EDGES[label] for other, label in api.graph.out.of(start) if other == end}
        if api.graph.marks[end] & blocked:
            return False
        if step == 0:
            if first not in labels:
                return False
            continue
        inherits = extends(api.graph.kinds[start], api.graph.marks[start])
        after = set()
        for label in labels - {"input", "output", "not", "callback", "link"}:
            for base in as_base:
                if label == "variant" and base:
                    continue
                after.add(base if label == "ref" else label == "allOf" and inherits)
        if not after:
            return False
        as_base = after
    return True


@unhurried
@given(file=files())
def test_routes_exist_and_agree_with_the_directions(
    make_api: MakeApi, file: tuple[list[str], list[str], dict[str, Mark]]
) -> None:
    nodes, edges, marks = file
    api = make_api(nodes, edges, marks=marks)
    for node in range(2, len(nodes)):
        found = routes(api, node, max_hops=100)
        assert all(exists(api, route) for route in found)
        assert all(route.nodes[-1] == node for route in found)
        assert len({(one.operation, one.direction) for one in found}) == len(found)
        ways = Direction.NONE
        for route in found:
            ways |= route.direction
        assert ways == api.graph.directions[node]
