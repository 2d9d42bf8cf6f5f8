"""What holds for every file, however wrong: no exception, and rows that agree with each other."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("files/*.yaml"))
RIGHT = {file.stem: yaml.safe_load(file.read_text()) for file in FILES}
"""Right descriptions that use all there is."""

ODD: list[Any] = [
    None, True, False, 0, -1, 1.5, "", "text", "#/components/schemas/Missing", "#/", "#",
    [], [None], ["a", 1], [[]], {}, {"$ref": "#/components/schemas/Pet"}, {"$ref": 5},
    {"$ref": "#/paths"}, {"type": "object"}, {"": {}}, {"a": {"b": []}}, {"default": None},
]  # fmt: skip
"""Values that stand where something else should."""


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every container with each of its keys."""
    found: list[tuple[Any, Any]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in items:
        found.append((value, key))
        if isinstance(part, dict | list):
            found += _places(part)
    return found


def _mutate(document: Any, draw: Any) -> None:
    """Drop, retype, swap, rename or double one node."""
    places = _places(document)
    if not places:
        return
    owner, key = places[draw(st.integers(0, len(places) - 1))]
    how = draw(st.sampled_from(["drop", "odd", "swap", "rename", "wrap", "twice"]))
    if how == "drop":
        del owner[key]
    elif how == "odd":
        owner[key] = copy.deepcopy(draw(st.sampled_from(ODD)))
    elif how == "swap":
        other, where = places[draw(st.integers(0, len(places) - 1))]
        owner[key] = copy.deepcopy(other[where])
    elif how == "rename" and isinstance(owner, dict):
        _, name = places[draw(st.integers(0, len(places) - 1))]
        owner[str(name)] = owner.pop(key)
    elif how == "wrap":
        owner[key] = [owner[key]]
    elif isinstance(owner, list):
        owner.append(copy.deepcopy(owner[key]))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_rows_of_a_right_description_agree(file: Path, parsed: Any) -> None:
    found = parsed(file.read_text(), file.name)
    found.check()
    assert not found.problems


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.data())
def test_no_wrong_shape_raises_and_the_rows_agree_all_the_same(parsed: Any, data: Any) -> None:
    document = copy.deepcopy(RIGHT[data.draw(st.sampled_from(sorted(RIGHT)))])
    for _ in range(data.draw(st.integers(1, 4))):
        _mutate(document, data.draw)
    parsed(json.dumps(document, indent=1), "api.json").check()


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.data())
def test_pieces_are_read_in_any_role_at_any_place(parsed: Any, data: Any) -> None:
    document = copy.deepcopy(RIGHT[data.draw(st.sampled_from(sorted(RIGHT)))])
    for key in ("openapi", "swagger"):
        document.pop(key, None)
    pointers = ["", *_pointers(document, "")]
    roles = ["schema", "parameter", "response", "requestBody", "header", "example", "link",
             "callback", "securityScheme", "pathItem", "operation", "map of schema"]  # fmt: skip
    ways = {"operation": [["get", "/a", "api.json#/paths/~1a", "api.json#/paths/~1a/parameters/0"]]}
    wanted = data.draw(
        st.dictionaries(st.sampled_from(pointers), st.sampled_from(roles), max_size=4)
    )
    context = {
        "root": False,
        "format": data.draw(st.sampled_from(["2.0", "3.0", "3.1"])),
        "roles": [
            [pointer, role, ways[role]] if role in ways else [pointer, role]
            for pointer, role in wanted.items()
        ],
        "refs": {},
    }
    parsed(json.dumps(document, indent=1), "piece.json", context).check()


def _pointers(value: Any, above: str) -> list[str]:
    found = []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in items:
        pointer = f"{above}/{str(key).replace('~', '~0').replace('/', '~1')}"
        found.append(pointer)
        if isinstance(part, dict | list):
            found += _pointers(part, pointer)
    return found


def test_two_parses_are_equal(parsed: Any) -> None:
    for file in FILES:
        first, second = parsed(file.read_text(), "a.yaml"), parsed(file.read_text(), "a.yaml")
        assert first.fact == second.fact
        assert list(first.entries) == list(second.entries)


def test_what_is_no_response_is_an_empty_one_to_those_that_refer_to_it(parsed: Any) -> None:
    document = copy.deepcopy(RIGHT["zoo"])
    responses = document["paths"]["/animals/{id}"]["put"]["responses"]
    responses["204"] = {"$ref": "#/components/pathItems/Animals"}
    parsed(json.dumps(document, indent=1), "api.json").check()


NAMES = frozenset({
    "properties", "patternProperties", "headers", "content", "mapping", "callbacks", "examples",
    "scopes", "variables", "links", "securityDefinitions", "securitySchemes", "encoding",
    "schemas", "definitions", "pathItems", "requestBodies", "example", "value",
})  # fmt: skip
"""Keys of mappings whose keys are names of the document's own."""

TOLD = frozenset({"type", "$ref", "$dynamicRef", "in", "operationRef", "collectionFormat", "flow"})
"""Keys whose values are told by nodes, edges and values instead."""


def _texts(value: Any, key: str = "") -> list[str]:
    if isinstance(value, dict):
        own = [str(name) for name in value] if key in NAMES else []
        return own + [
            text
            for name, one in value.items()
            # A member may well be called `type`.
            for text in _texts(one, "" if key in NAMES else str(name))
        ]
    if isinstance(value, list):
        return [text for one in value for text in _texts(one, key)]
    return [value] if isinstance(value, str) and key not in TOLD else []


@pytest.mark.parametrize("name", sorted(RIGHT))
def test_no_text_of_a_description_is_lost(parsed: Any, name: str) -> None:
    found = parsed((HERE / f"files/{name}.yaml").read_text(), f"{name}.yaml")
    said = found.texts()
    assert not [text for text in dict.fromkeys(_texts(RIGHT[name])) if text not in said]


def test_no_text_of_a_piece_is_lost(parsed: Any) -> None:
    document = {key: value for key, value in RIGHT["zoo"].items() if key != "openapi"}
    roles = [
        ["/components/responses/Wrong", "response"],
        ["/components/schemas/Cat", "schema"],
        ["/components/schemas/Animal/properties/home", "schema"],
        ["/paths/~1animals~1{id}", "pathItem", ["/here", "/there/{id}", "webhook:both"]],
    ]
    context = {"root": False, "format": "3.1", "roles": roles, "refs": {}}
    found = parsed(json.dumps(document, indent=1), "piece.json", context)
    found.check()
    said = found.texts()
    assert not [text for text in dict.fromkeys(_texts(document)) if text not in said]
    assert [key for key in found.entries if key.startswith("Method:")] == [
        "Method:GET /here", "Method:PUT /here", "Method:CALLBACK eaten",
        "Method:GET /there/{id}", "Method:PUT /there/{id}", "Method:CALLBACK eaten~2",
        "Method:WEBHOOK both", "Method:WEBHOOK both~2", "Method:CALLBACK eaten~3",
        "Method:CALLBACK Gone",
    ]  # fmt: skip
    assert found.entries["Service:piece"].kind == "service"
    assert found.fact is not None
    assert not found.fact.root
