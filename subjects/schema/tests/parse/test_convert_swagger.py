"""Swagger 2.0 in the form of OpenAPI 3.1."""

from pathlib import Path
from typing import Any

import pytest
from sourcebook_schema.facts import Mark

TEXT = (Path(__file__).parent / "files/pets.yaml").read_text()


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return TEXT.splitlines()


def _line(lines: list[str], text: str) -> int:
    return next(at for at, line in enumerate(lines, start=1) if text in line)


def test_hosts_become_servers_one_for_each_scheme(parsed: Any) -> None:
    info = parsed(TEXT).fact.info
    assert info["servers"] == [
        {"url": "https://pets.example/v1"},
        {"url": "http://pets.example/v1"},
    ]
    text = "swagger: '2.0'\ninfo: {title: T, version: '1'}\nbasePath: /api\npaths: {}\n"
    assert parsed(text).fact.info["servers"] == [{"url": "/api"}]


def test_parameters_have_schemas_and_styles(parsed: Any) -> None:
    parameters = parsed(TEXT).value("/paths/~1pets/get")["parameters"]
    trace, tags, ids, size, page = parameters
    assert trace == {"name": "X-Trace", "in": "header", "schema": {"type": "string"}}
    assert tags["schema"] == {"type": "array", "items": {"type": "string"}}
    assert (tags["style"], tags["explode"]) == ("form", True)
    assert ids["x-collectionFormat"] == "tsv"
    assert size["schema"] == {"type": "integer", "exclusiveMinimum": 0, "default": 10}
    assert page == {"$ref": "api.yaml#/parameters/Page"}


def test_a_body_has_the_media_types_of_its_operation(parsed: Any) -> None:
    found = parsed(TEXT)
    body = found.value("/paths/~1pets/post")["requestBody"]
    schema = {"$ref": "api.yaml#/definitions/NewPet"}
    assert body["content"] == {"application/xml": {"schema": schema}}
    assert body["required"] is True
    assert body["description"] == "The new pet"
    assert found.leads("Method:addPet", "input") == [
        "Property:/pets.X-Trace",
        "Body:addPet",
    ]
    shared = found.value("/paths/~1pets~1{id}~1picture/patch")["requestBody"]
    assert shared == {"$ref": "api.yaml#/parameters/Shared"}
    assert found.value("/parameters/Shared")["content"] == {"application/json": {"schema": schema}}
    assert found.leads("Body:Shared") == ["Type:NewPet"]


def test_form_fields_make_one_body_and_stay_where_they_are_written(
    parsed: Any, lines: list[str]
) -> None:
    found = parsed(TEXT)
    body = found.value("/paths/~1pets~1{id}~1picture/put")["requestBody"]
    assert body["content"] == {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["picture"],
                "properties": {
                    "picture": {
                        "type": "string", "format": "binary", "description": "A picture",
                    },
                    "title": {"type": "string", "maxLength": 80},
                    "caption": {"type": "string", "description": "Below the picture"},
                },
            }
        }
    }  # fmt: skip
    picture = found.nodes["Property:setPicture.body.picture"]
    assert picture.first == picture.last == _line(lines, "name: picture,")
    assert picture.pointer == "/paths/~1pets~1{id}~1picture/put/parameters/1"
    assert picture.detail == {"in": "form"}
    assert picture.marks == Mark.REQUIRED
    caption = found.nodes["Property:setPicture.body.caption"]
    assert caption.pointer == "/parameters/Caption"
    assert caption.first == _line(lines, "  Caption:")


def test_responses_have_content_headers_and_examples(parsed: Any) -> None:
    found = parsed(TEXT)
    response = found.value("/paths/~1pets/get")["responses"]["200"]
    schema = {"type": "array", "items": {"$ref": "api.yaml#/definitions/Pet"}}
    assert response["content"] == {
        "application/json": {"schema": schema, "example": [{"name": "Rex"}]},
        "text/csv": {"schema": schema},
        "text/plain": {"schema": schema, "example": "Rex"},
    }
    assert response["headers"]["X-Total"] == {
        "description": "How many", "schema": {"type": "integer"},
    }  # fmt: skip
    assert "X-Total" in found.entries["Property:listPets.200.X-Total"].title
    file = found.value("/paths/~1pets~1{id}~1picture/put")["responses"]["200"]["content"]
    assert file["application/json"]["schema"] == {"type": "string", "format": "binary"}


def test_security_definitions_become_schemes(parsed: Any) -> None:
    found = parsed(TEXT)
    assert found.fact.schemes == {
        name: f"/securityDefinitions/{name}" for name in ("basic", "key", "auth")
    }
    assert found.value("/securityDefinitions/basic") == {"type": "http", "scheme": "basic"}
    assert found.value("/securityDefinitions/auth") == {
        "type": "oauth2",
        "flows": {
            "authorizationCode": {
                "authorizationUrl": "https://pets.example/authorize",
                "tokenUrl": "https://pets.example/token",
                "scopes": {"read": "Read pets"},
            }
        },
    }


def test_types_are_read_with_what_old_keywords_mean(parsed: Any) -> None:
    found = parsed(TEXT)
    pet = found.value("/definitions/Pet")
    assert pet["discriminator"] == {"propertyName": "kind"}
    assert pet["properties"]["name"] == {
        "type": ["string", "null"], "x-nullable": True, "examples": ["Rex"],
    }  # fmt: skip
    assert found.value("/definitions/Dog")["allOf"][1]["properties"]["bark"] == {
        "type": "number", "exclusiveMaximum": 10,
    }  # fmt: skip
    assert found.nodes["Property:Pet.raw"].marks == Mark.READ_ONLY
    assert found.nodes["Type:Dog"].detail["extends"] == ["api.yaml#/definitions/Pet"]
    assert found.nodes["Property:Failure.why"].detail == {"values": ["tired", "busy"]}
