"""The connected part around hits: near ones are joined, nothing is lost, nothing is too large."""

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sourcebook_schema.connect import FAN, Seed, Walk, connect, joins

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

MakeApi = Callable[..., Any]

TOWN = (
    [
        "Method:GET /people", "Response:people", "Type:Person", "Property:Person.home", "Type:Home",
        "Property:Home.street", "Type:Street", "Method:GET /streets", "Response:streets",
        "Type:Lost",
    ],
    [
        "Method:GET /people output Response:people",
        "Response:people holds Type:Person",
        "Type:Person field Property:Person.home",
        "Property:Person.home value Type:Home",
        "Type:Home field Property:Home.street",
        "Property:Home.street value Type:Street",
        "Method:GET /streets output Response:streets",
        "Response:streets holds Type:Street",
    ],
)  # fmt: skip


ANSWERS = {
    "Response:people": "/paths/~1people/get/responses/200",
    "Response:streets": "/paths/~1streets/get/responses/200",
}


def everything(_node: int) -> bool:
    return True


def node_of(api: Any, key: str) -> int:
    return int(api.node(f"api.yaml#{key}"))


def part_of(api: Any, *keys: str, **more: Any) -> Any:
    asked = {"shows": everything, "max_hops": 3, "max_nodes": 100, **more}
    return connect(api, [Seed(node_of(api, key)) for key in keys], **asked)


def titles(api: Any, nodes: Any) -> set[str]:
    return {api.title(node) for node in nodes}


def joined(api: Any, one: str, other: str, max_hops: int) -> list[list[str]]:
    nodes = [node_of(api, one), node_of(api, other)]
    return [
        [api.title(node) for node in path] for path in joins(Walk(api, everything), nodes, max_hops)
    ]


def test_two_hits_are_joined_by_the_way_between_them(make_api: MakeApi) -> None:
    api = make_api(*TOWN, pointers=ANSWERS)
    paths = joined(api, "Method:GET /people", "Type:Home", 2)
    assert [set(path) for path in paths] == [
        {"GET /people", "people", "Person", "Person.home", "Home"}
    ]


def test_a_hop_leads_from_one_type_to_the_next_and_further_hits_stay_apart(
    make_api: MakeApi,
) -> None:
    api = make_api(*TOWN, pointers=ANSWERS)
    ends = "Method:GET /people", "Method:GET /streets"
    assert [len(joined(api, *ends, hops)) for hops in range(6)] == [0, 0, 0, 0, 1, 1]
    assert joined(api, "Type:Person", "Type:Lost", 10) == []


def test_a_property_brings_its_owner_and_an_operation_what_it_consists_of(
    make_api: MakeApi,
) -> None:
    api = make_api(*TOWN, pointers=ANSWERS)
    assert "Home" in titles(api, part_of(api, "Property:Home.street").nodes)
    assert {"people", "Person", "Person.home"} <= titles(
        api, part_of(api, "Method:GET /people").nodes
    )


def test_what_is_not_to_be_shown_joins_nothing(make_api: MakeApi) -> None:
    api = make_api(*TOWN, pointers=ANSWERS)
    barred = node_of(api, "Type:Person")
    walk = Walk(api, lambda node: node != barred)
    nodes = [node_of(api, "Method:GET /people"), node_of(api, "Type:Home")]
    assert list(joins(walk, nodes, 5)) == []


def test_operations_are_not_joined_by_the_answer_of_a_failure(make_api: MakeApi) -> None:
    api = make_api(
        ["Method:GET /a", "Method:GET /b", "Response:A.200", "Response:A.404", "Response:B.200",
         "Response:B.404", "Type:Problem"],
        [
            "Method:GET /a output Response:A.200", "Method:GET /a output Response:A.404",
            "Method:GET /b output Response:B.200", "Method:GET /b output Response:B.404",
            "Response:A.404 holds Type:Problem", "Response:B.404 holds Type:Problem",
        ],
        pointers={f"Response:{name}.{status}": f"/paths/~1{name}/get/responses/{status}"
                  for name in "AB" for status in (200, 404)},
    )  # fmt: skip
    assert joined(api, "Method:GET /a", "Method:GET /b", 5) == []
    assert "Problem" not in titles(api, part_of(api, "Method:GET /a").nodes)


def test_what_very_many_name_joins_none_of_them(make_api: MakeApi) -> None:
    many = [f"Type:T{number}" for number in range(FAN + 1)]
    api = make_api([*many, "Type:Hub"], [f"{one} ref Type:Hub" for one in many])
    assert joined(api, "Type:T1", "Type:T2", 5) == []
    assert joined(api, "Type:T1", "Type:Hub", 5) != []


def test_hits_come_before_what_is_around_them_and_what_has_no_room_is_counted(
    make_api: MakeApi,
) -> None:
    api = make_api(*TOWN, pointers=ANSWERS)
    part = part_of(api, "Type:Person", "Type:Lost", max_nodes=2)
    assert titles(api, part.nodes) == {"Person", "Lost"}
    assert part.left_out["hits"] == 0
    assert part.left_out["nodes"] > 0
    assert part_of(api, "Type:Person", "Type:Lost", max_nodes=1).left_out["hits"] == 1


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """A few operations and types, and edges among them as parsing makes them."""
    methods = [f"Method:GET /{n}" for n in range(draw(st.integers(1, 4)))]
    types = [f"Type:T{n}" for n in range(draw(st.integers(1, 6)))]
    nodes, edges = [*methods, *types], []
    for number, (method, kind) in enumerate(
        draw(st.lists(st.tuples(st.sampled_from(methods), st.sampled_from(types)), max_size=6))
    ):
        nodes.append(f"Body:{number}")
        edges += [f"{method} input Body:{number}", f"Body:{number} holds {kind}"]
    for number, (start, end) in enumerate(
        draw(st.lists(st.tuples(st.sampled_from(types), st.sampled_from(types)), max_size=8))
    ):
        name = f"Property:{start[5:]}.p{number}"
        nodes.append(name)
        edges += [f"{start} field {name}", f"{name} value {end}"]
    return nodes, edges


def distances(api: Any, start: int) -> dict[int, int]:
    """Hops from one operation or type to all others, by a plain walk."""
    walk, far, level = Walk(api, everything), {start: 0}, [start]
    while level:
        level = [
            far.setdefault(step.end, far[unit] + 1) and step.end
            for unit in level
            for step in walk.steps(unit)
            if step.end not in far
        ]
    return far


@unhurried
@given(graphs(), st.data())
def test_hits_within_the_hops_are_one_piece_and_no_others(
    make_api: MakeApi, graph: tuple[list[str], list[str]], data: st.DataObject
) -> None:
    api = make_api(*graph)
    units = [key for key in graph[0] if key.startswith(("Method:", "Type:"))]
    keys = data.draw(st.lists(st.sampled_from(units), min_size=1, max_size=4, unique=True))
    hops = data.draw(st.integers(0, 4))
    nodes = [node_of(api, key) for key in keys]
    pieces = [{node} for node in nodes]
    for path in joins(Walk(api, everything), nodes, hops):
        met = [piece for piece in pieces if piece & set(path)]
        assert len(met) >= 2  # it joins what was apart
        pieces = [piece for piece in pieces if piece not in met] + [set(path).union(*met)]
    near = {node: distances(api, node) for node in nodes}
    wanted = [{node} for node in nodes]
    for one in nodes:
        for other in nodes:
            if near[one].get(other, hops + 1) <= hops:
                met = [group for group in wanted if group & {one, other}]
                wanted = [group for group in wanted if group not in met] + [set().union(*met)]
    assert sorted(sorted(piece & set(nodes)) for piece in pieces) == sorted(map(sorted, wanted))


@unhurried
@given(graphs(), st.data())
def test_a_part_is_bounded_the_same_every_time_and_holds_every_hit_it_has_room_for(
    make_api: MakeApi, graph: tuple[list[str], list[str]], data: st.DataObject
) -> None:
    api = make_api(*graph)
    keys = data.draw(st.lists(st.sampled_from(graph[0]), min_size=1, max_size=4, unique=True))
    limit = data.draw(st.integers(1, 30))
    part = part_of(api, *keys, max_nodes=limit)
    assert part == part_of(make_api(*graph), *keys, max_nodes=limit)
    assert len(part.nodes) == len(set(part.nodes)) <= limit
    seeds = {node_of(api, key) for key in keys}
    assert len(seeds - set(part.nodes)) <= part.left_out["hits"]
    if limit >= 2 * len(keys):  # each with its owner
        assert seeds <= set(part.nodes)
