"""Directions: what travels which way, compared with every route that there is."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sourcebook import open_index
from sourcebook_schema.api import Api
from sourcebook_schema.direction import directions, extends
from sourcebook_schema.facts import EDGES, NODE_KINDS, Direction, Mark

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

MakeApi = Callable[..., Any]

INNER = [label for label in EDGES if label not in ("input", "output")]


def direction_of(api: Any, key: str) -> str:
    return str(
        api.direction(next(node for node in range(len(api.graph)) if api.graph.key(node) == key))
    )


def test_what_is_sent_is_input_and_what_comes_back_is_output(make_api: MakeApi) -> None:
    api = make_api(
        ["Method:POST /a", "Body:a", "Response:a", "Type:New", "Type:Old", "Type:Lost"],
        [
            "Method:POST /a input Body:a",
            "Body:a holds Type:New",
            "Method:POST /a output Response:a",
            "Response:a holds Type:Old",
            "Type:Lost ref Type:Old",
        ],
    )
    assert [direction_of(api, f"Type:{one}") for one in ("New", "Old", "Lost")] == [
        "input",
        "output",
        "none",
    ]


def test_what_lies_behind_a_read_only_property_is_never_input(make_api: MakeApi) -> None:
    api = make_api(
        ["Method:POST /a", "Type:A", "Property:A.id", "Property:A.key", "Type:Card"],
        [
            "Method:POST /a input Type:A",
            "Method:POST /a output Type:A",
            "Type:A field Property:A.id",
            "Type:A field Property:A.key",
            "Property:A.id value Type:Card",
        ],
        marks={"Property:A.id": Mark.READ_ONLY, "Property:A.key": Mark.WRITE_ONLY},
    )
    found = {
        key: direction_of(api, key)
        for key in map(api.graph.key, range(len(api.graph)))
        if key[0] != "M"
    }
    assert found == {
        "Type:A": "both",
        "Property:A.id": "output",
        "Property:A.key": "input",
        "Type:Card": "output",
    }


ONE_WAY = """\
openapi: 3.0.3
info: {title: Members, version: '1'}
paths:
  /members:
    post:
      parameters: [{name: key, in: query, schema: {$ref: 'types.yaml#/Made'}}]
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Member'}}}}
      responses: {'201': {description: Made, content: {application/json: {
        schema: {$ref: '#/components/schemas/Member'}}}}}
components:
  schemas:
    Member:
      properties:
        plain: {type: string}
        id: {$ref: 'types.yaml#/Made'}
        said: {allOf: [{$ref: 'types.yaml#/Made'}], description: Ours.}
        further: {$ref: '#/components/schemas/Further'}
        round: {$ref: '#/components/schemas/Round'}
        secret: {$ref: 'types.yaml#/Secret'}
        list: {type: array, items: {$ref: 'types.yaml#/Made'}}
        union: {oneOf: [{$ref: 'types.yaml#/Made'}, {type: integer}]}
    Further: {allOf: [{$ref: 'types.yaml#/Alias'}, {maxLength: 3}]}
    Round: {allOf: [{$ref: '#/components/schemas/Round'}, {$ref: 'types.yaml#/Made'}]}
"""


def test_a_property_is_read_only_if_its_type_is(
    index_of: Callable[..., str], tmp_path: Path
) -> None:
    types = (
        "Made: {type: string, readOnly: true}\n"
        "Alias: {$ref: '#/Made'}\n"
        "Secret: {allOf: [{type: string}, {writeOnly: true}]}\n"
    )
    with open_index(index_of(tmp_path, {"api.yaml": ONE_WAY, "types.yaml": types})) as index:
        api = Api.of(index)
        found = {name: direction_of(api, f"Property:Member.{name}") for name in (
            "plain", "id", "said", "further", "round", "secret", "list", "union")}  # fmt: skip
        assert direction_of(api, "Property:POST /members.key") == "input"
    assert found == {
        "plain": "both",
        "id": "output",
        "said": "output",
        "further": "output",
        "round": "output",
        "secret": "input",
        "list": "both",
        "union": "both",
    }


@pytest.mark.parametrize("label", ["not", "callback", "link"])
def test_no_value_travels_along_such_an_edge(make_api: MakeApi, label: str) -> None:
    api = make_api(
        ["Method:GET /a", "Type:A", "Type:B"],
        ["Method:GET /a output Type:A", f"Type:A {label} Type:B"],
    )
    assert direction_of(api, "Type:B") == "none"


def test_an_answer_of_a_base_may_be_any_child_and_one_of_a_child_no_other_child(
    make_api: MakeApi,
) -> None:
    nodes = ["Method:GET /a", "Type:Base", "Type:Cat", "Type:Dog"]
    details = {
        "Type:Base": {"discriminator": "kind"},
        "Type:Cat": {"extends": ["api.yaml#/Base"]},
        "Type:Dog": {"extends": ["api.yaml#/Base"]},
    }
    inherits = ["Type:Cat allOf Type:Base", "Type:Dog allOf Type:Base"]
    base = make_api(nodes, ["Method:GET /a output Type:Base", *inherits], details=details)
    assert direction_of(base, "Type:Dog") == "output"
    cat = make_api(nodes, ["Method:GET /a output Type:Cat", *inherits], details=details)
    assert direction_of(cat, "Type:Base") == "output"
    assert direction_of(cat, "Type:Dog") == "none"


KINDS = ["method", "type", "type", "type", "property", "property"]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[int], list[int], list[tuple[int, int, int]]]:
    """Kinds, marks and edges (start, end, label) of a small graph: operations come first."""
    kinds = [0] * draw(st.integers(1, 2))
    kinds += [NODE_KINDS.index(one) for one in draw(st.permutations(KINDS))]
    kinds = [NODE_KINDS.index("method") if one == 0 else one for one in kinds]
    marks = [
        int(draw(st.sampled_from([0, 0, 0, Mark.READ_ONLY, Mark.WRITE_ONLY, Mark.MADE])))
        for _ in kinds
    ]
    node = st.integers(0, len(kinds) - 1)
    inner = st.tuples(node, node, st.sampled_from([EDGES.index(one) for one in INNER]))
    outer = st.tuples(
        st.just(kinds.index(NODE_KINDS.index("method"))),
        node,
        st.sampled_from([EDGES.index("input"), EDGES.index("output")]),
    )
    edges = draw(st.lists(outer, min_size=1, max_size=3)) + draw(st.lists(inner, max_size=5))
    return kinds, marks, sorted(set(edges))


def walks(
    kinds: list[int], marks: list[int], edges: list[tuple[int, int, int]], first: str, blocked: Mark
) -> Iterator[list[tuple[int, int, int]]]:
    """Yield every walk that a value may take from an operation, no edge more than twice."""

    def longer(walk: list[tuple[int, int, int]]) -> Iterator[list[tuple[int, int, int]]]:
        yield walk
        for edge in edges:
            if edge[0] == walk[-1][1] and walk.count(edge) < 2 and passes(walk, edge):
                yield from longer([*walk, edge])

    def passes(walk: list[tuple[int, int, int]], edge: tuple[int, int, int]) -> bool:
        label = EDGES[edge[2]]
        if label in ("input", "output", "not", "callback", "link") or marks[edge[1]] & blocked:
            return False
        return label != "variant" or not is_base(walk)

    def is_base(walk: list[tuple[int, int, int]]) -> bool:
        """Whether the end of the walk is only the base of a type that was the value."""
        for start, _end, label in reversed(walk):
            if EDGES[label] != "ref":
                return EDGES[label] == "allOf" and extends(kinds[start], marks[start])
        return False

    for edge in edges:
        if EDGES[edge[2]] == first and not marks[edge[1]] & blocked:
            yield from longer([edge])


@unhurried
@given(graphs())
def test_directions_are_those_of_all_routes_that_there_are(
    graph: tuple[list[int], list[int], list[tuple[int, int, int]]],
) -> None:
    kinds, marks, edges = graph
    at = [0]
    for node in range(len(kinds)):
        at.append(at[-1] + sum(edge[0] == node for edge in edges))
    ends, labels = [edge[1] for edge in edges], [edge[2] for edge in edges]
    expected = [Direction.NONE] * len(kinds)
    for first, blocked, side in (
        ("input", Mark.READ_ONLY, Direction.INPUT),
        ("output", Mark.WRITE_ONLY, Direction.OUTPUT),
    ):
        for walk in walks(kinds, marks, edges, first, blocked):
            expected[walk[-1][1]] |= side
    assert list(directions(kinds, marks, at, ends, labels)) == expected
