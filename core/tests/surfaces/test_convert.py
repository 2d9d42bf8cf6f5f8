"""Requests from JSON, exactly, and responses to JSON, in order."""

import enum
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import attrs
import pytest
from attrs import frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from sourcebook.errors import BadRequest
from sourcebook.surfaces.convert import Clamped, from_json, to_json
from sourcebook.surfaces.jsonschema import request_schema, response_schema
from sourcebook.verb import option


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


@frozen
class Nested:
    name: str
    weight: float = 1.0


@frozen
class Request:
    """Everything a request may hold."""

    query: str = option(help="What to look for.")
    limit: int = option(8, help="How many.", minimum=1, maximum=100)
    share: float = option(0.5, help="A share.", minimum=0, maximum=1)
    kind: tuple[str, ...] = option((), help="Which kinds.", choices=("list", "table", "code"))
    exact: bool = option(False, help="Whether exactly.")
    maybe: bool | None = option(None, help="Whether, if said.")
    before: int | None = option(None, help="Lines before.", minimum=0)
    mode: Literal["text", "vector"] = option("text", help="Which leg.")
    colour: Colour = option(Colour.RED, help="A colour.")
    paths: tuple[Path, ...] = option((), help="Where.")
    weights: Mapping[str, float] = option(attrs.Factory(dict), help="Weights by name.")
    either: int | str = option(0, help="A number or a name.")
    nested: Nested | None = option(None, help="A record.")
    more: tuple[Nested, ...] = option((), help="Records.")
    free: object = option(None, help="Anything.")


def refused(value: object, where: str) -> BadRequest:
    with pytest.raises(BadRequest) as caught:
        from_json(Request, value)
    assert caught.value.where == where
    return caught.value


def test_every_type_is_read_and_defaults_fill_the_rest() -> None:
    request = from_json(
        Request,
        {
            "query": "déjà vu",
            "share": 1,
            "kind": ["list", "code"],
            "maybe": False,
            "colour": "blue",
            "paths": ["a/b"],
            "weights": {"a": 2},
            "either": "x",
            "nested": {"name": "n"},
            "more": [{"name": "m", "weight": 2.5}],
            "free": {"a": [1, None, "x"]},
        },
    )
    assert request == Request(
        query="déjà vu",
        share=1.0,
        kind=("list", "code"),
        maybe=False,
        colour=Colour.BLUE,
        paths=(Path("a/b"),),
        weights={"a": 2.0},
        either="x",
        nested=Nested("n"),
        more=(Nested("m", 2.5),),
        free={"a": (1, None, "x")},
    )
    assert type(request.share) is float


def test_null_means_the_default() -> None:
    every = dict.fromkeys(["limit", "kind", "maybe", "mode", "nested", "weights"])
    assert from_json(Request, {"query": "q", **every}) == Request(query="q")


@pytest.mark.parametrize("value", [{}, {"query": None}])
def test_a_required_field_must_be_there(value: object) -> None:
    error = refused(value, "$.query")
    assert error.message == "`query` is required"
    assert error.hint == "What to look for."


def test_an_unknown_key_is_answered_with_the_nearest_known_one() -> None:
    error = refused({"query": "q", "limti": 3}, "$.limti")
    assert error.message == "no field is named `limti`"
    assert error.hint == "did you mean `limit`?"
    assert "choose one of query, limit" in refused({"query": "q", "zzz": 3}, "$.zzz").hint


HUGE = 10**5000
"""More digits than Python agrees to print."""


@pytest.mark.parametrize(
    ("field", "value", "where"),
    [
        ("limit", True, ""),
        ("limit", "5", ""),
        ("limit", 5.0, ""),
        ("limit", [5], ""),
        ("limit", 0, ""),
        ("limit", 101, ""),
        pytest.param("limit", HUGE, "", id="huge"),
        ("share", True, ""),
        ("share", "0.5", ""),
        ("share", 1.01, ""),
        ("share", float("nan"), ""),
        ("share", float("inf"), ""),
        ("share", 10**400, ""),
        ("before", 2**60, ""),
        ("exact", 1, ""),
        ("exact", "true", ""),
        ("query", 5, ""),
        ("query", ["q"], ""),
        ("query", "\ud800", ""),
        ("kind", "list", ""),
        ("kind", {"list": 1}, ""),
        ("kind", ["list", "lst"], "[1]"),
        ("kind", ["list", None], "[1]"),
        ("mode", "txt", ""),
        ("mode", 1, ""),
        ("colour", "RED", ""),
        ("paths", ["a\0b"], "[0]"),
        ("weights", {"a": "1"}, ".a"),
        ("weights", [], ""),
        ("either", 1.5, ""),
        ("nested", {}, ".name"),
        ("nested", {"name": "n", "wieght": 1}, ".wieght"),
        ("nested", [], ""),
        ("more", [{"name": "n"}, {"name": 1}], "[1].name"),
        ("free", {"a": ["\udcff"]}, ".a[0]"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_is_not_exactly_right_is_refused_with_its_path(
    field: str, value: object, where: str
) -> None:
    refused({"query": "q", field: value}, f"$.{field}{where}")


def test_a_value_nested_without_end_is_refused() -> None:
    value: object = None
    for _ in range(500):
        value = [value]
    with pytest.raises(BadRequest, match="nested deeper than 64 levels"):
        from_json(Request, {"query": "q", "free": value})


@pytest.mark.parametrize("value", [None, [], "x", 1])
def test_a_request_is_an_object(value: object) -> None:
    assert "must be an object" in refused(value, "$").message


def test_the_message_gives_the_wrong_value_and_the_right_ones() -> None:
    assert refused({"query": "q", "limit": True}, "$.limit").message == (
        "this must be an integer, not true"
    )
    error = refused({"query": "q", "mode": "vectro"}, "$.mode")
    assert error.message == "`vectro` is none of text, vector"
    assert error.hint == "did you mean `vector`?"
    assert refused({"query": "q", "limit": 0}, "$.limit").message == (
        "0 is out of range: at least 1 is needed"
    )


def test_numbers_can_be_clamped_instead_and_that_is_said() -> None:
    clamped: list[Clamped] = []
    request = from_json(
        Request, {"query": "q", "limit": HUGE, "share": -3, "before": -1}, clamped=clamped
    )
    assert (request.limit, request.share, request.before) == (100, 0.0, 0)
    assert clamped == [
        Clamped("limit", HUGE, 100),
        Clamped("share", -3, 0),
        Clamped("before", -1, 0),
    ]


def test_clamping_forgives_no_wrong_type() -> None:
    with pytest.raises(BadRequest):
        from_json(Request, {"query": "q", "limit": "9"}, clamped=[])


def test_a_validator_of_the_class_speaks_through_the_same_error() -> None:
    @frozen
    class Even:
        number: int = option(0, help="Even.")

        def __attrs_post_init__(self) -> None:
            if self.number % 2:
                raise ValueError("an even number is needed")

    with pytest.raises(BadRequest, match="an even number is needed"):
        from_json(Even, {"number": 3})


def test_a_class_made_per_subject_is_read_alike() -> None:
    made = attrs.make_class("Made", {"limit": attrs.field(type=int, default=3)}, frozen=True)
    assert from_json(made, {"limit": 4}) == made(4)
    with pytest.raises(BadRequest):
        from_json(made, {"limit": "3"})


@frozen
class Response:
    """What came out,
    in order.

    More of it.

    Args:
        found: how many,
            in all.
        ratio, reason: a share and why: it is so.
    """

    found: int
    ratio: float
    hits: tuple[Nested, ...]
    counts: Mapping[str, int]
    colour: Colour
    place: Path
    facts: Mapping[str, object]
    reason: str | None
    names: frozenset[str]
    _private: int = 3


RESPONSE = Response(
    3,
    0.5,
    (Nested("a"),),
    {"b": 1, "a": 2},
    Colour.BLUE,
    Path("x") / "y",
    {"line": 3, "list": [1, (2,)]},
    None,
    frozenset({"z", "y"}),
)


def test_a_response_becomes_plain_json_with_nothing_left_out() -> None:
    assert json.dumps(to_json(RESPONSE)) == (
        '{"found": 3, "ratio": 0.5, "hits": [{"name": "a", "weight": 1.0}], '
        '"counts": {"b": 1, "a": 2}, "colour": "blue", "place": "x/y", '
        '"facts": {"line": 3, "list": [1, [2]]}, "reason": null, "names": ["y", "z"]}'
    )


@pytest.mark.parametrize("value", [float("nan"), b"bytes", object(), {"a": [float("inf")]}])
def test_what_json_cannot_say_is_an_error_with_its_path(value: object) -> None:
    with pytest.raises(TypeError, match=r"^\$"):
        to_json(value)


def test_a_response_fits_its_closed_schema_and_the_schema_is_valid() -> None:
    schema = response_schema(Response, "sample/1", closed=True)
    Draft202012Validator.check_schema(schema)
    body = {"schema": "sample/1", "subject": "docs", **to_json(RESPONSE)}
    validator = Draft202012Validator(schema)
    validator.validate(body)
    for key in body:
        assert not validator.is_valid({one: body[one] for one in body if one != key})
    assert not validator.is_valid({**body, "new": 1})
    assert Draft202012Validator(response_schema(Response, "sample/1")).is_valid({**body, "new": 1})


def test_the_docstring_of_a_response_describes_its_fields() -> None:
    schema = response_schema(Response, "sample/1")
    assert schema["description"] == "What came out, in order."
    described = {
        name: field["description"]
        for name, field in schema["properties"].items()
        if "description" in field and name != "subject"
    }
    assert described == {
        "found": "how many, in all.",
        "ratio": "a share and why: it is so.",
        "reason": "a share and why: it is so.",
    }


def test_the_parameters_of_a_tool_carry_help_choices_and_ranges() -> None:
    schema = request_schema(Request, without=frozenset({"nested", "more", "free"}))
    Draft202012Validator.check_schema(schema)
    assert schema["required"] == ["query"]
    assert schema["additionalProperties"] is False
    assert "nested" not in schema["properties"]
    assert schema["properties"]["limit"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 100,
        "description": "How many.",
        "default": 8,
    }
    assert schema["properties"]["kind"] == {
        "type": "array",
        "items": {"type": "string", "enum": ["list", "table", "code"]},
        "description": "Which kinds.",
    }
    assert schema["properties"]["before"] == {
        "type": "integer",
        "minimum": 0,
        "description": "Lines before.",
    }
    assert schema["properties"]["colour"]["enum"] == ["red", "blue"]
    assert schema["properties"]["colour"]["default"] == "red"


def test_a_record_within_a_request_may_leave_out_what_has_a_default() -> None:
    schema = request_schema(Request)
    assert schema["$defs"]["Nested"]["required"] == ["name"]
    Draft202012Validator(schema).validate({"query": "q", "nested": {"name": "n"}})


def test_a_field_for_the_command_line_alone_is_no_parameter() -> None:
    @frozen
    class Asked:
        query: str = option("", help="Q.")
        interactive: bool = option(False, help="Prompt.", cli_only=True)

    assert list(request_schema(Asked)["properties"]) == ["query"]


SCHEMA = Draft202012Validator(request_schema(Request))

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats().filter(lambda number: not number.is_integer())
    | st.text()
    | st.sampled_from(["text", "list", "red", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
requests = st.dictionaries(
    st.sampled_from([*SCHEMA.schema["properties"], "unknown"]), json_values, max_size=5
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(requests)
def test_the_converter_accepts_only_what_its_schema_allows(value: dict[str, Any]) -> None:
    try:
        from_json(Request, value)
    except BadRequest as error:
        where = error.where
    else:
        where = "$"
        SCHEMA.validate({key: one for key, one in value.items() if one is not None})
    assert where.startswith("$")


safe_requests = st.fixed_dictionaries(
    {"query": st.text(st.characters(exclude_categories=["Cs"]))},
    optional={
        "limit": st.integers(1, 100),
        "share": st.floats(0, 1),
        "kind": st.lists(st.sampled_from(["list", "table", "code"])),
        "exact": st.booleans(),
        "before": st.integers(0, 10**6),
        "colour": st.sampled_from(["red", "blue"]),
        "either": st.integers(-5, 5) | st.sampled_from(["a", "b"]),
        "more": st.lists(st.fixed_dictionaries({"name": st.sampled_from(["n", "ü"])})),
    },
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(safe_requests)
def test_what_the_schema_allows_is_read_and_comes_back(value: dict[str, Any]) -> None:
    SCHEMA.validate(value)
    request = from_json(Request, value)
    again = from_json(Request, to_json(request))
    assert again == request
