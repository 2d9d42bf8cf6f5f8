"""An index as tools: names, schemas, calls that return what went wrong."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from sourcebook.index.open import Index, open_index
from sourcebook.surfaces.tools import ToolDef, tools


@pytest.fixture
def plain(sample: Path, indexed: Path) -> Iterator[Index]:
    with open_index(indexed / "plain-db") as index:
        yield index


@pytest.fixture
def misbehaving(sample: Path, indexed: Path) -> Iterator[Index]:
    with open_index(indexed / "sample-db") as index:
        yield index


def by_name(index: Index) -> dict[str, ToolDef]:
    return {one.name: one for one in tools(index)}


def test_the_generic_verbs_give_the_four_tools(plain: Index) -> None:
    assert list(by_name(plain)) == ["search_plain", "list_plain", "grep_plain", "read_plain"]


def test_every_tool_has_a_description_and_valid_schemas(plain: Index, misbehaving: Index) -> None:
    for tool in [*tools(plain), *tools(misbehaving)]:
        assert tool.description.endswith(".")
        Draft202012Validator.check_schema(tool.parameters)
        Draft202012Validator.check_schema(tool.returns)
        assert tool.parameters["type"] == "object"
        assert tool.parameters["additionalProperties"] is False
        for parameter in tool.parameters["properties"].values():
            assert parameter["description"]
        json.dumps(tool.parameters)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search_plain", {"query": "which pump drains"}),
        ("search_plain", {"query": "zyx"}),
        ("search_plain", {"query": "pump", "mode": "text", "limit": 1, "source": ["*city*"]}),
        ("list_plain", {}),
        ("list_plain", {"what": "entries", "limit": 2}),
        ("grep_plain", {"pattern": "pump"}),
        ("grep_plain", {"pattern": "nowhere"}),
        ("read_plain", {"target": "pumps.plain", "lines": "2-4"}),
    ],
    ids=str,
)
def test_what_a_tool_returns_fits_its_schema(
    plain: Index, name: str, arguments: dict[str, object]
) -> None:
    tool = by_name(plain)[name]
    Draft202012Validator(tool.parameters).validate(arguments)
    answered = tool.call(arguments)
    Draft202012Validator(tool.returns).validate(answered)
    assert answered["subject"] == "plain"
    assert tool.call(**arguments) == json.loads(json.dumps(answered))


def test_a_search_finds_the_line(plain: Index) -> None:
    answered = by_name(plain)["search_plain"].call(query="pump drains tank")
    assert (answered["hits"][0]["source"], answered["hits"][0]["first_line"]) == ("pumps.plain", 1)


@pytest.mark.parametrize(
    ("arguments", "code", "where"),
    [
        ({"query": "pump", "limit": "3"}, "bad_request", "$.limit"),
        ({"query": "pump", "limit": True}, "bad_request", "$.limit"),
        ({"query": "pump", "limti": 3}, "bad_request", "$.limti"),
        ({"query": "pump", "kind": ["lin"]}, "bad_request", "$.kind[0]"),
        ({}, "bad_request", "$.query"),
    ],
    ids=str,
)
def test_wrong_arguments_come_back_as_an_error(
    plain: Index, arguments: dict[str, Any], code: str, where: str
) -> None:
    answered = by_name(plain)["search_plain"].call(arguments)
    assert set(answered) == {"error"}
    assert (answered["error"]["code"], answered["error"]["where"]) == (code, where)


def test_a_source_that_is_not_there_names_the_nearest(plain: Index) -> None:
    error = by_name(plain)["read_plain"].call(target="pump.plain")["error"]
    assert error["code"] == "not_found"
    assert "pumps.plain" in error["hint"]


def test_a_preset_is_no_parameter_and_holds(misbehaving: Index) -> None:
    tool = by_name(misbehaving)["search_sample_tables"]
    assert tool.description == "Look for rows."
    assert "kind" not in tool.parameters["properties"]
    assert tool.call(query="q")["request"]["kind"] == ["table_row"]
    assert tool.call(query="q", kind=["line"])["error"]["where"] == "$.kind"


def test_options_of_the_command_line_are_unknown_to_tools(misbehaving: Index) -> None:
    tool = by_name(misbehaving)["search_sample"]
    assert "prompt" not in tool.parameters["properties"]
    assert tool.call(query="q", prompt=True)["error"]["code"] == "bad_request"


@pytest.mark.parametrize("how", ["value", "recursion", "panic", "nan", "exit", "pipe"])
def test_a_fault_inside_of_a_verb_comes_back_too(misbehaving: Index, how: str) -> None:
    error = by_name(misbehaving)["crash_sample"].call(how=how)["error"]
    assert error["code"] == "internal_error"


def test_an_interrupt_is_the_hosts_business(misbehaving: Index) -> None:
    with pytest.raises(KeyboardInterrupt):
        by_name(misbehaving)["crash_sample"].call(how="interrupt")


def test_arguments_of_another_shape_come_back_as_an_error(plain: Index) -> None:
    tool = by_name(plain)["list_plain"]
    for arguments in ([1], "text", 3):
        assert tool.call(arguments)["error"]["code"] in ("bad_request", "internal_error")
