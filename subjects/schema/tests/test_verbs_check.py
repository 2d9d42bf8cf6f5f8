"""check: a request or a response against the description, on the command line and as a tool."""

import io
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest
from sourcebook import open_index, tools
from sourcebook_schema.checking import check, dialect

Ask = Callable[..., Any]

TIDES = """\
openapi: 3.0.3
info: {title: Tides, version: '1'}
servers: [{url: 'https://{zone}.tides.example/v1', variables: {zone: {default: north}}}]
paths:
  /tides/{place}:
    get:
      operationId: readTide
      parameters:
        - {name: place, in: path, required: true, schema: {type: integer}}
        - {name: full, in: query, schema: {type: boolean}}
      responses: {'200': {description: A tide}}
    put:
      operationId: nameTide
      parameters: [{name: place, in: path, required: true, schema: {type: integer}}]
      requestBody: {content: {text/xml: {schema: {type: object, required: [name]}}}}
      responses: {'200': {description: A tide}}
  /tides/latest:
    get: {operationId: latestTide, responses: {'200': {description: A tide}}}
"""


@pytest.fixture(scope="session")
def check_tides(answer: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Return a function that checks something against two documents of one API."""
    folder = tmp_path_factory.mktemp("tides")
    (folder / "north.yaml").write_text(TIDES)
    (folder / "south.yaml").write_text(TIDES.replace("integer", "string").replace("v1", "v2"))
    index = str(folder / "tides-db")
    answer("index", str(folder), "--out", index, "--embedding", "none", "--no-cache")
    return partial(answer, "check", "--dir", index)


def test_a_request_that_fits_ends_with_status_0(ask: Ask) -> None:
    found = ask("check", "GET", "/customers/7", "--header", "X-Trace=1")
    assert (found["status"], found["fits"]) == (0, True)
    assert found["operation"] == "GET /customers/{id}"
    assert found["errors"] == []
    assert ask("check", "GET", "/customers/7", text=True) == "GET /customers/{id}: fits\n"


def test_a_request_that_does_not_fit_is_told_with_all_errors(ask: Ask, tmp_path: Path) -> None:
    body = tmp_path / "order.json"
    body.write_text('{"number": 1, "state": "lost", "address": {"city": 3}}')
    arguments = ("check", "POST", "/orders", "--body", str(body), "--query", "pge=1")
    assert ask(*arguments, text=True).splitlines() == [
        "POST /orders: does not fit",
        '  query pge: expected no such parameter, got "1"',
        "  body /customer: expected Customer, got nothing",
        "  body /number: expected nothing: it is only read, never sent, got 1",
        '  body /state: expected one of "open", "packed", got "lost"',
        "  body /address/city: expected string, got 3",
        "5 errors",
    ]
    assert [one["pointer"] for one in ask(*arguments)["errors"]][1:] == [
        "/customer", "/number", "/state", "/address/city",
    ]  # fmt: skip


def test_what_is_undecided_neither_fits_nor_does_not(
    check_tides: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("north.yaml#Method:nameTide", "--body", "-")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"<name/>")))
    assert check_tides(*arguments, "--content-type", "text/xml", text=True).splitlines() == [
        "PUT /tides/{place}: cannot tell",
        "  (no values were given for the path; name it with them to check it)",
        "  (bodies of text/xml are not checked)",
    ]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"<name/>")))
    found = check_tides(*arguments, "--content-type", "text/xml")
    assert (found["status"], found["fits"], found["complete"]) == (1, False, False)
    assert found["errors"] == []


def test_a_check_that_its_time_stops_cannot_tell(
    check_tides: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = attrs.evolve(dialect.Limits(), end=0.0)
    monkeypatch.setattr(check, "Limits", lambda: limits)
    found = check_tides("north.yaml#Method:readTide", "--query", "full=true")
    assert (found["status"], found["fits"], found["complete"]) == (1, False, False)
    assert "not all was checked" in found["notes"][-1]
    more = ("--query", "full=true", "--query", "ful=true")
    found = check_tides("north.yaml#Method:readTide", *more)
    assert (found["status"], found["fits"], found["complete"]) == (1, False, False)
    assert [one["rule"] for one in found["errors"]] == ["unknown"]


def test_the_exit_status_says_whether_it_fits(ask: Ask) -> None:
    assert ask("check", "GET /orders?page=two")["status"] == 1
    assert ask("check", "GET /orders?page=2")["status"] == 0
    found = ask("check", "addOrder", "--response", "404")
    assert (found["status"], found["errors"][0]["part"]) == (1, "status")


@pytest.mark.parametrize(
    ("named", "operation"),
    [
        (["GET", "/orders"], "GET /orders"),
        (["get", "/orders?page=2"], "GET /orders"),
        (["GET /customers/{id}"], "GET /customers/{id}"),
        (["listOrders"], "GET /orders"),
        (["Method:addOrder"], "POST /orders"),
        (["WEBHOOK", "shipped"], "WEBHOOK shipped"),
    ],
)
def test_an_operation_is_named_in_many_ways(ask: Ask, named: list[str], operation: str) -> None:
    found = ask("check", *named)
    assert (found["operation"], found["errors"]) == (operation, [])


def test_a_response_is_checked_by_its_status(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    body = b'[{"customer": {"name": "Ann"}}, {"customer": 3}]'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(body)))
    found = ask("check", "listOrders", "--response", "200", "--body", "-")
    assert [one["pointer"] for one in found["errors"]] == ["/1/customer"]


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (
            ["GET", "/order"],
            "no operation is called by `GET /order`",
            "did you mean `GET /orders`?",
        ),
        (["DELETE", "/orders"], "no operation is called by", "that path has GET, POST"),
        (["lstOrders"], "no operation is called `lstOrders`", "did you mean `listOrders`?"),
        (["https://x.example/orders"], "no operation", "method before it: `GET https://x"),
        (["*Orders*"], None, None),
        (["listOrders", "--query", "page"], "`page` is not `NAME=VALUE`", "write `limit=10`"),
        (["listOrders", "--response", "ok"], "`ok` is no status", "write it as 200"),
        (["listOrders", "--body", "no/such/file"], "`no/such/file` cannot be read", ""),
        (["listOrders", "--source", "v9"], "no document is called `v9`", ""),
    ],
)
def test_what_cannot_be_asked_is_a_wrong_usage(
    ask: Ask, arguments: list[str], message: str | None, hint: str | None
) -> None:
    found = ask("check", *arguments)
    if message is None:
        assert found["operation"] == "GET /orders"
        return
    assert found["status"] == 2
    assert message in found["error"]["message"]
    assert (hint or "") in found["error"]["hint"]


def test_a_path_is_found_below_a_server_and_the_most_literal_route_wins(check_tides: Ask) -> None:
    north = ("--source", "north")
    for address in ("/tides/3", "/v1/tides/3", "https://north.tides.example/v1/tides/3?full=true"):
        found = check_tides("GET", address, *north)
        assert (found["operation"], found["errors"]) == ("GET /tides/{place}", [])
        assert "path" in found["checked"]
    assert check_tides("GET", "/tides/latest", *north)["operation"] == "GET /tides/latest"
    [error] = check_tides("GET", "/tides/here", *north)["errors"]
    assert (error["part"], error["name"], error["expected"]) == ("path", "place", "integer")


def test_an_operation_in_two_documents_is_told_apart(check_tides: Ask) -> None:
    found = check_tides("GET", "/tides/3")
    assert found["status"] == 2
    assert "north.yaml#Method:readTide, south.yaml#Method:readTide" in found["error"]["message"]
    assert check_tides("GET", "/v2/tides/x")["id"] == "south.yaml#Method:readTide"
    assert check_tides("south.yaml#Method:readTide")["errors"] == []


def test_without_values_for_its_path_that_is_not_checked(ask: Ask) -> None:
    found = ask("check", "GET /customers/{id}")
    assert "path" not in found["checked"]
    assert found["notes"]


def test_an_agent_checks_with_the_body_as_text(shop: str) -> None:
    [tool] = [one for one in tools(open_index(shop)) if one.name == "check_api"]
    answer = tool.call(operation="POST /orders", body=json.dumps({"customer": {}}))
    assert answer["fits"] is True
    answer = tool.call(operation="POST /orders", body="{}")
    assert [one["pointer"] for one in answer["errors"]] == ["/customer"]
