"""Methods that OpenAPI 3.2 knows and 3.1 does not: `query`, and those of `additionalOperations`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from openapi_spec_validator import validate

Ask: TypeAlias = Callable[..., Any]

SHELVES = """\
openapi: 3.2.0
info: {title: Shelves, version: '1'}
paths:
  /shelves/{no}:
    parameters: [{name: no, in: path, required: true, schema: {type: integer}}]
    query:
      operationId: searchShelf
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Wanted'}}}}
      responses: {'200': {description: What was found}}
      callbacks:
        onFound:
          '{$request.body#/tell}':
            query: {operationId: told, responses: {'200': {description: Heard}}}
    additionalOperations:
      COPY:
        operationId: copyShelf
        responses: {'201': {description: Copied, content: {application/json: {
          schema: {type: object, properties: {copies: {type: integer}}}}}}}
      LINK: {$ref: 'link.yaml'}
      get: {responses: {}}
      not a method: {responses: {}}
    get: {operationId: readShelf, responses: {'200': {description: A shelf}}}
components:
  schemas:
    Wanted: {type: object, required: [title], properties: {title: {type: [string, 'null']}}}
"""

LINK = """\
operationId: linkShelf
parameters: [{name: to, in: query, schema: {type: integer}}]
responses: {'204': {description: Linked}}
"""


@pytest.fixture(name="asked")
def _asked(index_of: Any, answer: Any, tmp_path: Path) -> Ask:
    folder = index_of(tmp_path, {"shelves.yaml": SHELVES, "link.yaml": LINK})
    return lambda verb, *arguments, **more: answer(verb, *arguments, "--dir", folder, **more)


def test_operations_of_all_methods_are_listed(asked: Ask) -> None:
    rows = {item["name"]: item["title"] for item in asked("list")["items"]}
    assert rows == {
        "searchShelf": "QUERY /shelves/{no}",
        "told": "CALLBACK onFound",
        "copyShelf": "COPY /shelves/{no}",
        "linkShelf": "LINK /shelves/{no}",
        "readShelf": "GET /shelves/{no}",
    }
    traced = json.dumps(asked("trace", "Wanted.title"))
    assert "QUERY /shelves/{no}" in traced
    for method in ("COPY", "query"):
        assert asked("show", method, "/shelves/{no}")["matched"]


def test_what_only_a_query_sends_is_input_and_a_query_only_reads(asked: Ask) -> None:
    [item] = asked("list", "types")["items"]
    assert (item["name"], item["direction"]) == ("Wanted", "input")
    found = asked("search", "shelf", "--method-type", "read_only", "--min-evidence", "none")
    titles = {hit["title"] for hit in found["hits"]}
    assert "QUERY /shelves/{no}" in titles
    assert "COPY /shelves/{no}" not in titles


def test_a_description_of_an_older_version_holds_them_as_extensions(asked: Ask) -> None:
    for form in ("openapi", "openapi-3.0"):
        found = json.loads(asked("show", "--method", "*", "--format", form, text=True))
        validate(found)
        item = found["paths"]["/shelves/{no}"]
        assert {*item} >= {"x-query", "x-copy", "x-link", "get"}
        assert item["x-copy"]["operationId"] == "copyShelf"
        [callback] = item["x-query"]["callbacks"]["onFound"].values()
        assert callback["x-query"]["operationId"] == "told"
        title = found["components"]["schemas"]["Wanted"]["properties"]["title"]
        older = {"type": "string", "nullable": True}
        assert title == (older if form == "openapi-3.0" else {"type": ["string", "null"]})


def test_typescript_declares_them_by_their_methods(asked: Ask) -> None:
    text = asked("show", "--method", "*", "--format", "ts", text=True)
    for method in ("QUERY", "COPY", "LINK", "GET"):
        assert f'method: "{method}"' in text


@pytest.mark.parametrize(
    ("arguments", "rules"),
    [
        (["QUERY", "/shelves/3", "--body", "BODY"], ["required"]),
        (["COPY", "/shelves/x"], ["type"]),
        (["LINK", "/shelves/3?to=x"], ["type"]),
        (["LINK", "/shelves/3?to=4"], []),
        (["CALLBACK", "onFound"], []),
        (["COPY", "/shelves/3", "--response", "201", "--body", "BODY"], []),
    ],
)
def test_calls_by_them_are_checked(
    asked: Ask, tmp_path: Path, arguments: list[str], rules: list[str]
) -> None:
    body = tmp_path / "body.json"
    body.write_text("{}")
    arguments = [str(body) if one == "BODY" else one for one in arguments]
    found = asked("check", *arguments)
    assert [one["rule"] for one in found["errors"]] == rules
