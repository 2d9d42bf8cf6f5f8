"""A part of an API is rendered as a document that validators accept and programs work with."""

import json
import time
from typing import Any

import pytest
from openapi_core import OpenAPI
from openapi_core.testing import MockRequest, MockResponse
from openapi_core.validation.exceptions import ValidationError
from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator
from sourcebook.subgraph import ApiSubgraph
from sourcebook_openapi.plugin import sourcebook_renderers
from sourcebook_openapi.schemas import NEVER, Known, lower_schema

RENDERERS = {one.format: one for one in sourcebook_renderers()}
VALIDATORS = {"openapi": OpenAPIV31SpecValidator, "openapi-3.0": OpenAPIV30SpecValidator}

SHOP: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Shop",
        "version": "1",
        "summary": "All we sell",
        "license": {"name": "MIT", "identifier": "MIT"},
        "contact": {"name": "Us"},
    },
    "servers": [{"url": "https://shop.example/api", "description": "The one"}],
    "tags": [{"name": "orders", "description": "About orders"}],
    "paths": {
        "/orders/{id}": {
            "post": {
                "operationId": "changeOrder",
                "summary": "Change an order",
                "tags": ["orders"],
                "parameters": [
                    {"$ref": "#/components/parameters/Id", "description": "Which one"},
                    {
                        "name": "limit",
                        "in": "query",
                        "schema": {"type": "integer", "exclusiveMinimum": 0, "default": 10},
                        "examples": {"few": {"value": 3, "summary": "Few"}},
                    },
                ],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {"$ref": "#/components/schemas/Order"},
                            "example": {"note": None},
                        }
                    },
                },
                "responses": {
                    "200": {
                        "description": "The order",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                        },
                    }
                },
                "callbacks": {"done": {"{$url}": {"$ref": "#/components/pathItems/Done"}}},
                "security": [{"card": []}],
            }
        }
    },
    "webhooks": {"sold": {"$ref": "#/components/pathItems/Done"}},
    "components": {
        "parameters": {
            "Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
        },
        "schemas": {
            "Order": {
                "type": "object",
                "description": "What is bought",
                "required": ["note"],
                "properties": {
                    "note": {"type": ["string", "null"], "examples": ["Soon"]},
                    "kind": {"const": "gift"},
                    "description": {"type": "string"},
                    "place": {"$ref": "#/components/schemas/Place", "description": "Where to"},
                },
            },
            "Place": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}]},
        },
        "pathItems": {"Done": {"post": {"responses": {"200": {"description": "Noted"}}}}},
        "securitySchemes": {"card": {"type": "mutualTLS"}},
    },
}


def test_a_list_of_many_places_takes_no_longer_than_it_must() -> None:
    places = [{"type": "object", "description": str(at)} for at in range(20_000)]
    began = time.process_time()
    schema = {"type": "array", "prefixItems": [*places, *places], "items": NEVER}
    assert lower_schema(schema, Known.of({}))["items"] == {"anyOf": places}
    assert time.process_time() - began < 5


def render(format_: str, description: dict[str, Any] = SHOP, **options: Any) -> dict[str, Any]:
    """Return what a renderer made, which must be valid and must not have changed its input."""
    before = json.dumps(description)
    text = RENDERERS[format_].render(ApiSubgraph((), (), description=description), options)
    assert json.dumps(description) == before
    value: dict[str, Any] = json.loads(text)
    assert [*VALIDATORS[format_](value).iter_errors()] == []
    return value


def lowered(schema: Any, **others: Any) -> Any:
    """Return a schema in the words of 3.0."""
    description = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {},
        "components": {"schemas": {"A": schema, **others}},
    }
    return render("openapi-3.0", description)["components"]["schemas"]["A"]


def test_a_document_of_3_1_is_what_it_was_given() -> None:
    assert render("openapi") == SHOP
    assert list(render("openapi")) == list(SHOP)


def test_a_document_of_3_0_has_its_own_words() -> None:
    made = render("openapi-3.0")
    assert made["openapi"] == "3.0.3"
    assert made["info"]["license"] == {"name": "MIT", "url": "https://spdx.org/licenses/MIT.html"}
    assert "summary" not in made["info"]
    assert made["x-webhooks"] == {"sold": {"$ref": "#/components/x-pathItems/Done"}}
    assert "pathItems" not in made["components"]
    assert made["components"]["securitySchemes"]["card"]["type"] == "http"
    operation = made["paths"]["/orders/{id}"]["post"]
    assert operation["parameters"][0] == {"$ref": "#/components/parameters/Id"}
    assert made["components"]["schemas"]["Order"]["properties"] == {
        "note": {"type": "string", "nullable": True, "example": "Soon"},
        "kind": {"enum": ["gift"]},
        "description": {"type": "string"},
        "place": {"allOf": [{"$ref": "#/components/schemas/Place"}], "description": "Where to"},
    }


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, {}),
        (False, {"not": {}}),
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"type": "null"}, {"nullable": True, "enum": [None]}),
        (
            {"type": ["string", "integer", "null"]},
            {
                "anyOf": [
                    {"type": "string", "nullable": True},
                    {"type": "integer", "nullable": True},
                ]
            },
        ),
        ({"type": ["integer", "number"]}, {"type": "number"}),
        (
            {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}], "title": "T"},
            {"type": "string", "maxLength": 3, "nullable": True, "title": "T"},
        ),
        (
            {"oneOf": [{"$ref": "#/components/schemas/B"}, {"type": "null"}]},
            {"oneOf": [{"$ref": "#/components/schemas/B"}, {"nullable": True, "enum": [None]}]},
        ),
        ({"const": 3}, {"enum": [3]}),
        ({"exclusiveMinimum": 3}, {"minimum": 3, "exclusiveMinimum": True}),
        ({"minimum": 4, "exclusiveMinimum": 3}, {"minimum": 4}),
        ({"maximum": 4, "exclusiveMaximum": 3}, {"maximum": 3, "exclusiveMaximum": True}),
        ({"examples": [1, 2]}, {"example": 1}),
        ({"type": "array"}, {"type": "array", "items": {}}),
        (
            {"type": "array", "prefixItems": [{"type": "string"}, {}], "items": False},
            {"type": "array", "items": {}, "maxItems": 2},
        ),
        (
            {
                "type": "array",
                "prefixItems": [{"const": True}, {"const": 1}, {"const": True}],
                "items": {"const": 1},
            },
            {"type": "array", "items": {"anyOf": [{"enum": [True]}, {"enum": [1]}]}},
        ),
        (
            {"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False},
            {"additionalProperties": {"type": "string"}},
        ),
        ({"patternProperties": {"^a": {"type": "string"}}}, {}),
        ({"contentEncoding": "base64", "type": "string"}, {"type": "string", "format": "byte"}),
        (
            {"contentMediaType": "application/octet-stream"},
            {"type": "string", "format": "binary"},
        ),
        ({"if": {}, "then": {"type": "string"}, "x-a": 1, "unknown": 2}, {"x-a": 1}),
        (
            {"$ref": "#/components/schemas/B", "required": ["a"], "allOf": [{"maxProperties": 2}]},
            {
                "allOf": [
                    {"$ref": "#/components/schemas/B"},
                    {"maxProperties": 2},
                    {"required": ["a"]},
                ]
            },
        ),
        ({"$ref": "#/components/schemas/B", "unknown": 1}, {"$ref": "#/components/schemas/B"}),
    ],
)
def test_a_schema_is_put_into_the_words_of_3_0(schema: Any, expected: Any) -> None:
    assert lowered(schema, B={"type": "object"}) == expected


def test_what_3_0_cannot_say_is_loosened_and_never_made_narrower() -> None:
    lost = {"propertyNames": {"pattern": "^a"}}
    assert lowered({"not": lost}) == {}
    assert lowered({"oneOf": [lost, {"type": "string"}]}) == {"anyOf": [{}, {"type": "string"}]}
    reference = {"$ref": "#/components/schemas/B"}
    assert lowered({"oneOf": [reference, {"type": "string"}]}, B=lost) == {
        "anyOf": [reference, {"type": "string"}]
    }


def test_a_list_of_itself_keeps_validators_from_nothing() -> None:
    value = {"type": "array", "items": {"$ref": "#/components/schemas/B"}}
    noted = {"$ref": "#/components/schemas/B", "description": "any"}
    assert lowered({"properties": {"a": noted}}, B=value) == {
        "properties": {"a": {"$ref": "#/components/schemas/B"}}
    }


@pytest.mark.parametrize("format_", RENDERERS)
def test_without_docs_nothing_is_explained_and_all_is_valid(format_: str) -> None:
    made = render(format_, docs=False)
    text = json.dumps(made)
    for told in (
        "What is bought",
        "Change an order",
        "Where to",
        "Soon",
        "Few",
        "About",
        "The one",
    ):
        assert told not in text
    order = made["components"]["schemas"]["Order"]
    assert order["properties"]["description"] == {"type": "string"}
    post = made["paths"]["/orders/{id}"]["post"]
    assert post["responses"]["200"]["description"] == ""


@pytest.mark.parametrize("format_", RENDERERS)
def test_openapi_core_checks_real_traffic_by_what_is_rendered(format_: str) -> None:
    description = json.loads(json.dumps(SHOP))
    del description["paths"]["/orders/{id}"]["post"]["security"]
    api = OpenAPI.from_dict(render(format_, description))

    def request(path: str, body: Any, **query: str) -> MockRequest:
        return MockRequest(
            "https://shop.example", "post", f"/api{path}", args=query,
            data=json.dumps(body).encode(),
        )  # fmt: skip

    good = request("/orders/7", {"note": None, "kind": "gift", "place": [1.5, 2]}, limit="3")
    api.validate_request(good)
    for bad in (
        request("/orders/seven", {"note": None}),
        request("/orders/7", {}),
        request("/orders/7", {"note": 3}),
        request("/orders/7", {"note": "a", "kind": "other"}),
        request("/orders/7", {"note": "a"}, limit="0"),
    ):
        with pytest.raises(ValidationError):
            api.validate_request(bad)
    api.validate_response(good, MockResponse(b'{"note": "Soon"}'))
    with pytest.raises(ValidationError):
        api.validate_response(good, MockResponse(b'{"note": 1}'))
