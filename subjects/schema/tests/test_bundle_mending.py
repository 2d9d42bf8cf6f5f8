"""Whatever a description holds, what is bundled is valid, and as much of it is kept as can be."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openapi_spec_validator import OpenAPIV31SpecValidator
from sourcebook_schema.bundle.schemas import distinct

from subjects.schema.tests.made_api import MadeApi
from subjects.schema.tests.test_bundle import HOTEL, OK, checked, described, served


def mended(schema: Any, **others: Any) -> Any:
    """Return what becomes of a schema."""
    api = MadeApi({"a.yaml": described({"A": schema, **others})})
    return checked(api.bundle())["components"]["schemas"]["A"]


def operation(**fields: Any) -> Any:
    """Return what becomes of an operation at `/a/{id}`."""
    made = checked(MadeApi({"a.yaml": served("/a/{id}", **fields)}).bundle())
    return made["paths"]["/a/{id}"]["get"]


ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "required": "false"}, {"type": "string"}),
        ({"type": "int"}, {"type": "integer"}),
        ({"type": ["string", "string", "nonsense"]}, {"type": ["string"]}),
        ({"type": "money"}, {"x-type": "money"}),
        ({"minLength": "3", "maximum": True}, {"minLength": 3}),
        ({"pattern": r"^\p{L}+$"}, {"x-pattern": r"^\p{L}+$"}),
        ({"enum": ["a", "a", 1, True]}, {"enum": ["a", 1, True]}),
        ({"enum": [], "allOf": [], "readOnly": "true"}, {"readOnly": True}),
        ({"required": ["a", "a", 3]}, {"required": ["a"]}),
        ({"properties": {"a": "text", "b": None}}, {"properties": {"a": {}, "b": {}}}),
        ({"$id": "https://x", "$anchor": "a", "$defs": {"B": {}}, "$schema": "x"}, {}),
        ({"discriminator": "sort"}, {}),
        ({"xml": {"wrapped": "yes", "name": "a"}}, {"xml": {"name": "a"}}),
        ({"x-go": 1, "nonsense": 2}, {"x-go": 1, "nonsense": 2}),
        ({"patternProperties": {"[": {}, "^a": {}}}, {"patternProperties": {"^a": {}}}),
    ],
)
def test_a_keyword_is_mended_or_left_out(schema: Any, expected: Any) -> None:
    assert mended(schema) == expected


@pytest.mark.parametrize(
    ("schema", "default"),
    [
        ({"type": "integer", "default": "10"}, 10),
        ({"type": "boolean", "default": "false"}, False),
        ({"type": "string", "default": 7}, "7"),
        ({"type": "string", "enum": ["a"], "default": "a"}, "a"),
        ({"type": "array", "items": {"type": "string"}, "default": []}, []),
        ({"type": "string", "format": "date-time", "default": "2024-02-29T10:00:00Z"}, ...),
        ({"type": ["string", "null"], "default": None}, None),
    ],
)
def test_a_default_is_written_so_that_it_fits(schema: Any, default: Any) -> None:
    made = mended(schema)
    assert made["default"] == (schema["default"] if default is ... else default)
    assert "x-default" not in made


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "default": None},
        {"type": "string", "enum": ["a"], "default": "b"},
        {"type": "string", "format": "date", "default": "2024-02-30"},
        {"type": "array", "items": {"type": "integer"}, "default": "1,2"},
        {"type": "object", "properties": {"a": {"type": "string"}}, "default": {"a": 1}},
        {"not": {"type": "string"}, "default": "a"},
    ],
)
def test_a_default_that_does_not_fit_is_kept_beside(schema: Any) -> None:
    assert mended(schema)["x-default"] == schema["default"]
    assert "default" not in mended(schema)


def test_a_reference_to_nothing_says_so() -> None:
    made = mended({"properties": {"hole": {"$ref": "gone.yaml#/Hole"}}})
    assert "gone.yaml#/Hole" in made["properties"]["hole"]["description"]
    response = operation(parameters=[ID], responses={"200": {"$ref": "#/components/responses/No"}})
    assert "responses/No" in response["responses"]["200"]["description"]


def test_required_names_may_stand_beside_all_of() -> None:
    made = mended({"allOf": [{"$ref": "#/components/schemas/B"}], "required": ["b", "x"]},
                  B={"properties": {"b": {}}})  # fmt: skip
    assert made == {
        "allOf": [{"$ref": "#/components/schemas/B"}, {"required": ["x"]}],
        "required": ["b"],
    }


def test_a_union_whose_variants_inherit_from_it_is_parted_from_its_base() -> None:
    pet = {
        "oneOf": [{"$ref": "#/components/schemas/Cat"}],
        "properties": {"name": {"type": "string"}},
    }
    cat = {"allOf": [{"$ref": "#/components/schemas/A"}, {"properties": {"lives": {}}}]}
    made = checked(MadeApi({"a.yaml": described({"A": pet, "Cat": cat})}).bundle())
    schemas = made["components"]["schemas"]
    assert schemas["A"]["oneOf"] == [{"$ref": "#/components/schemas/Cat"}]
    assert schemas["ABase"] == {"properties": {"name": {"type": "string"}}}
    assert schemas["Cat"]["allOf"][0] == {"$ref": "#/components/schemas/ABase"}


def test_a_schema_that_needs_itself_is_cut() -> None:
    assert mended({"$ref": "#/components/schemas/A"}) == {}
    assert mended({"anyOf": [{"$ref": "#/components/schemas/B"}]},
                  B={"allOf": [{"$ref": "#/components/schemas/A"}]})  # fmt: skip


def test_a_list_of_itself_may_stand_in_all_of() -> None:
    value = {
        "anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"$ref": "#/components/schemas/J"}},
        ]
    }
    reference = {"$ref": "#/components/schemas/J"}
    assert mended({"allOf": [reference], "description": "any"}, J=value) == {
        "$ref": "#/components/schemas/J",
        "description": "any",
    }
    made = mended({"allOf": [reference, {"maxLength": 3}]}, J=value)
    assert made["allOf"] == [{"if": True, "then": reference}, {"maxLength": 3}]


def test_schemas_nested_without_measure_become_components() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(200):
        schema = {"type": "object", "properties": {"in": schema}}
    made = checked(MadeApi({"a.yaml": described({"Deep": schema})}).bundle())
    assert list(made["components"]["schemas"])[:2] == ["Deep", "Deep.in"]


def test_names_of_components_are_valid_and_stay_apart() -> None:
    names = ["a b", "a_b", "é", "用户", ""]
    made = checked(
        MadeApi({"a.yaml": described({name: {"title": name} for name in names})}).bundle()
    )
    schemas = made["components"]["schemas"]
    assert {schema["title"] for schema in schemas.values()} == set(names)
    assert schemas["e"] == {"title": "é"}


def test_path_parameters_are_those_of_the_path() -> None:
    assert operation()["parameters"] == [ID]
    renamed = operation(parameters=[{**ID, "name": "ID"}, {**ID, "name": "other"}])
    assert renamed["parameters"] == [ID]
    assert operation(parameters=[{**ID, "required": False}])["parameters"] == [ID]


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("users", "/users"),
        ("/files/{path:.*}", "/files/{path}"),
        ("/a/{b", "/a/%7Bb"),
        ("/a/{}/b", "/a/%7B%7D/b"),
        ("/{+rest}", "/{rest}"),
    ],
)
def test_a_path_is_written_as_every_reader_takes_it(path: str, key: str) -> None:
    name = path.partition("{")[2].partition("}")[0]
    parameters = [{**ID, "name": name}] if name else []
    made = checked(MadeApi({"a.yaml": served(path, parameters=parameters)}).bundle())
    assert list(made["paths"]) == [key]


def test_parameters_are_mended_or_left_out() -> None:
    made = operation(
        parameters=[
            ID,
            {"name": "q", "in": "query", "style": "simple", "required": "true"},
            {"name": "q", "in": "query", "schema": {"type": "integer"}},
            {"name": "h", "in": "header", "allowReserved": True, "schema": {}},
            {"name": "c", "in": "query", "content": {"a/b": {}, "c/d": {}}, "example": 1},
            {"name": "nowhere", "in": "space", "schema": {}},
            {"in": "query"},
            {"$ref": "#/components/parameters/Gone"},
            "text",
        ]
    )
    assert made["parameters"] == [
        ID,
        {"name": "q", "in": "query", "required": True, "schema": {}},
        {"name": "h", "in": "header", "schema": {}},
        {"name": "c", "in": "query", "content": {"a/b": {}}},
    ]


@pytest.mark.parametrize(
    "responses", [None, {}, "none", {"200": None, "oops": {}, "2xx": {}}, {"600": {}}]
)
def test_there_is_always_a_response(responses: Any) -> None:
    made = operation(parameters=[ID], responses=responses)["responses"]
    assert made
    assert all(response == {"description": ""} for response in made.values())


def test_unknown_keys_are_left_out_and_extensions_stay() -> None:
    api = served("/a", **{"cache": 1, "x-cache": 2, "deprecated": "true", "summary": 3})
    api["paths"]["/a"]["cache"] = {"x": 1}
    made = checked(MadeApi({"a.yaml": api}).bundle())["paths"]["/a"]
    assert made == {"get": {"responses": OK, "x-cache": 2, "deprecated": True, "summary": "3"}}


def test_security_that_names_nothing_is_not_taken_for_none() -> None:
    made = operation(parameters=[ID], security=[{"gone": []}])
    assert "security" not in made
    assert made["x-security"] == [{"gone": []}]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.sampled_from(
        ["", "string", "object", "array", "id", "query", "{", "#/components/schemas/Room"]
    ),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ["type", "default", "items", "allOf", "$ref", "required", "schema", "in"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return where values stand in a JSON value."""
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path, *(found for key, item in items for found in places(item, (*path, key)))]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_value_anywhere_leaves_a_valid_description(data: st.DataObject) -> None:
    api = json.loads(json.dumps(HOTEL))
    for _ in range(data.draw(st.integers(1, 4))):
        *path, last = data.draw(st.sampled_from(places(api)[1:]))
        owner = api
        for key in path:
            owner = owner[key]
        owner[last] = data.draw(JSON)
    made = MadeApi({"hotel.yaml": {**api, "openapi": "3.1.0"}}).bundle()
    assert [*OpenAPIV31SpecValidator(made.description).iter_errors()] == []


def test_values_that_are_equal_as_json_are_one_however_many_there_are() -> None:
    assert distinct([1, True, 1.0, "1", [1], [True], {"a": 1}, {"a": 1.0}, None, 1]) == [
        *(1, True, "1", [1], [True], {"a": 1}, None)
    ]
    assert len(distinct([*range(50_000), *range(50_000)])) == 50_000
