"""A message is compared with the description of its operation, and all that is wrong is told."""

import copy
import json
import time
from typing import Any
from urllib.parse import parse_qsl

import pytest
from sourcebook_schema.checking import dialect
from sourcebook_schema.checking.check import Checked, check
from sourcebook_schema.checking.find import match_route
from sourcebook_schema.checking.messages import Message

POINTER = "/paths/~1orders~1{id}/post"

SHOP: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "servers": [{"url": "/v1"}],
    "security": [{"key": []}],
    "paths": {
        "/orders/{id}": {
            "post": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
                    {
                        "name": "limit",
                        "in": "query",
                        "schema": {"type": "integer", "minimum": 1},
                    },
                    {
                        "name": "filter",
                        "in": "query",
                        "style": "deepObject",
                        "schema": {"type": "object", "properties": {"age": {"type": "integer"}}},
                    },
                    {"name": "X-Trace", "in": "header", "required": True, "schema": {}},
                    {"name": "visit", "in": "cookie", "schema": {"type": "integer"}},
                ],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Order"}},
                        "application/xml": {"schema": {"type": "object"}},
                    },
                },
                "responses": {
                    "200": {
                        "description": "",
                        "headers": {"ETag": {"required": True, "schema": {"type": "string"}}},
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                        },
                    },
                    "4XX": {"description": ""},
                },
            }
        }
    },
    "components": {
        "securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "key"}},
        "schemas": {
            "Order": {
                "type": "object",
                "required": ["id", "items", "secret"],
                "additionalProperties": False,
                "properties": {
                    "id": {"type": "integer", "readOnly": True},
                    "secret": {"$ref": "#/components/schemas/Secret"},
                    "items": {"type": "array", "items": {"$ref": "#/components/schemas/Item"}},
                    "pay": {
                        "oneOf": [
                            {"type": "object", "properties": {"card": {"type": "integer"}}},
                            {"type": "string", "pattern": "^(a+)+$"},
                            {"type": "null"},
                        ]
                    },
                },
            },
            "Secret": {"type": "string", "writeOnly": True},
            "Item": {
                "type": "object",
                "required": ["price", "name"],
                "properties": {"price": {"type": "number"}, "name": {"enum": ["a", "b"]}},
            },
        },
    },
}

GOOD = b'{"items": [{"price": 1, "name": "a"}], "secret": "s", "pay": null}'


def sent(body: bytes = GOOD, **fields: Any) -> Checked:
    """Return the check of a request that is right but for what is given."""
    fields = {"path": {"id": "7"}, "headers": (("X-Trace", "1"),), **fields}
    return check(SHOP, POINTER, Message(body=body, **fields))


def answered(schema: Any, body: Any, schemas: Any = None) -> Checked:
    """Check a response with a body of a schema."""
    content = {"application/json": {"schema": schema}}
    description = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"get": {"responses": {"200": {"description": "", "content": content}}}}},
        "components": {"schemas": schemas or {}},
    }
    return check(
        description, "/paths/~1a/get", Message(status="200", body=json.dumps(body).encode())
    )


def told(checked: Checked) -> list[tuple[str, str, str]]:
    """Return where each mismatch is, and its rule."""
    return [(one.part, one.name or one.pointer, one.rule) for one in checked.mismatches]


def test_a_request_that_fits_fits_and_is_not_asked_for_credentials() -> None:
    checked = sent()
    assert checked.mismatches == []
    assert checked.parts == ["path", "query", "header", "cookie", "body"]


def test_every_error_is_told_with_its_place() -> None:
    body = b'{"id": 1, "items": [{"price": "1", "name": "c"}, {}], "itms": 3, "pay": {"card": "x"}}'
    checked = sent(
        body,
        path={"id": "x"},
        query=(("limit", "0"), ("limi", "3"), ("filter[age]", "z"), ("key", "secret")),
        headers=(),
        cookies=(("visit", "no"),),
    )
    assert told(checked) == [
        ("query", "limi", "unknown"),
        ("path", "id", "type"),
        ("query", "limit", "minimum"),
        ("query", "filter", "type"),
        ("header", "X-Trace", "required"),
        ("cookie", "visit", "type"),
        ("body", "/secret", "required"),
        ("body", "/itms", "additionalProperties"),
        ("body", "/id", "readOnly"),
        ("body", "/items/0/price", "type"),
        ("body", "/items/0/name", "enum"),
        ("body", "/items/1/price", "required"),
        ("body", "/items/1/name", "required"),
        ("body", "/pay/card", "type"),
    ]
    texts = {one.name or one.pointer: (one.expected, one.actual) for one in checked.mismatches}
    assert texts["limi"] == ("no such parameter (did you mean `limit`?)", '"3"')
    assert texts["limit"] == ("a number >= 1", "0")
    assert texts["/items/0/name"] == ('one of "a", "b"', '"c"')
    assert texts["/items/1/price"] == ("number", "nothing")
    assert texts["/itms"] == ("no such property (did you mean `items`?)", "3")


def test_of_alternatives_that_are_of_another_kind_each_is_told() -> None:
    [found] = sent(b'{"items": [], "secret": "s", "pay": 3}').mismatches
    assert (found.pointer, found.expected, found.actual) == (
        "/pay",
        "object or string or null",
        "3",
    )


def test_a_response_holds_what_is_read_and_not_what_is_written() -> None:
    headers = (("ETag", "1"),)
    answer = Message("200", body=b'{"id": 1, "items": []}', headers=headers)
    assert check(SHOP, POINTER, answer).mismatches == []
    bad = Message("200", body=b'{"items": [], "secret": "s"}')
    assert told(check(SHOP, POINTER, bad)) == [
        ("body", "/id", "required"),
        ("body", "/secret", "writeOnly"),
        ("header", "ETag", "required"),
    ]


def test_a_status_fits_its_range_or_is_told_with_those_there_are() -> None:
    assert check(SHOP, POINTER, Message("404")).mismatches == []
    [found] = check(SHOP, POINTER, Message("302")).mismatches
    assert (found.part, found.expected, found.actual) == ("status", "one of 200, 4XX", "302")


def with_body(content: dict[str, Any]) -> dict[str, Any]:
    """Return an API whose one operation takes a body."""
    post = {"requestBody": {"content": content}, "responses": {"200": {"description": ""}}}
    info = {"title": "A", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": {"/a": {"post": post}}}


def body_errors(
    described: str, schema: dict[str, Any], media: str, body: bytes
) -> tuple[list[str], bool]:
    """Return the rules that a body breaks, and whether all was decided."""
    api = with_body({described: {"schema": schema}})
    checked = check(api, "/paths/~1a/post", Message(body=body, content_type=media))
    return [one.rule for one in checked.mismatches], checked.complete


def test_a_body_that_is_no_json_is_told_once() -> None:
    [found] = sent(b'{"items":').mismatches
    assert (found.part, found.expected, found.rule) == ("body", "JSON", "syntax")
    assert "line 1 column 10" in found.actual


def test_a_body_is_read_by_its_media_type() -> None:
    [found] = sent(b"a,b", content_type="text/csv").mismatches
    assert (found.part, found.actual) == ("content-type", "text/csv")
    assert found.expected == "one of application/json, application/xml"
    checked = sent(b"<a/>", headers=(("X-Trace", "1"), ("Content-Type", "application/xml")))
    assert checked.mismatches == []
    assert checked.notes == ["bodies of application/xml are not checked"]
    assert not checked.complete


JSON_OF_SOME_KIND = [
    ("application/problem+json", "application/problem+json"),
    ("application/merge-patch+json", "application/merge-patch+json; charset=utf-8"),
    ("application/json; charset=utf-8", "application/json"),
    ("application/json", "Application/JSON; charset=latin1"),
    ("application/*", "application/json"),
    ("*/*", "application/hal+json"),
]


@pytest.mark.parametrize(("described", "media"), JSON_OF_SOME_KIND)
def test_json_is_read_whatever_the_media_type_is_called(described: str, media: str) -> None:
    assert body_errors(described, {"type": "integer"}, media, b"3") == ([], True)
    assert body_errors(described, {"type": "integer"}, media, b'"3"') == (["type"], True)
    assert body_errors(described, {"type": "integer"}, media, b"3,") == (["syntax"], True)


def test_of_two_ranges_the_narrower_one_is_meant() -> None:
    api = with_body({"*/*": {"schema": {"type": "string"}}, "text/*": {"schema": {"minLength": 2}}})
    api["paths"]["/a"]["post"]["requestBody"]["content"]["text/*"]["schema"]["type"] = "string"
    checked = check(api, "/paths/~1a/post", Message(body=b"a", content_type="text/plain"))
    assert [one.rule for one in checked.mismatches] == ["minLength"]


FORMATS: list[tuple[str, dict[str, Any], bool]] = [
    ("text/xml", {"type": "object", "required": ["a"]}, False),
    ("text/csv", {"type": "array", "items": {}}, False),
    ("application/x-ndjson", {"type": "object"}, False),
    ("multipart/mixed", {"type": "object"}, False),
    ("application/xml", {}, True),
    ("application/xml", {"description": "Anything.", "example": 1}, True),
    ("application/octet-stream", {"type": "string", "format": "binary"}, True),
    ("image/*", {"type": "string", "contentMediaType": "image/png"}, True),
    ("application/pdf", {"type": "string", "maxLength": 3}, False),
    ("text/html", {"type": "string", "maxLength": 30}, True),
    ("text/plain", {"type": ["string", "null"], "pattern": "^<"}, True),
]


@pytest.mark.parametrize(("media", "schema", "complete"), FORMATS)
def test_a_body_that_cannot_be_read_is_undecided_if_its_schema_says_something_of_it(
    media: str, schema: dict[str, Any], complete: bool
) -> None:
    sent = media.replace("*", "png")
    assert body_errors(media, schema, sent, b"<a>\xff</a>") == ([], complete)
    assert body_errors(media, schema, f"{sent}; charset=none", b"<a/>") == ([], complete)


def test_a_body_of_plain_text_is_compared_as_text() -> None:
    schema = {"type": "string", "enum": ["on", "off"]}
    assert body_errors("text/plain", schema, "text/plain; charset=utf-8", b"on") == ([], True)
    assert body_errors("text/plain", schema, "text/plain", b"of") == (["enum"], True)


NUMBERED = {"type": "object", "properties": {"a": {"type": "integer"}}}


def test_a_form_is_compared_by_its_fields_whatever_its_charset() -> None:
    media = "application/x-www-form-urlencoded"
    assert body_errors(media, NUMBERED, f"{media}; charset=none", b"a=1") == ([], True)
    assert body_errors(media, NUMBERED, media, b"a=x") == (["type"], True)


PART = b'--cut\r\nContent-Disposition: form-data; name="a"\r\n\r\n%s\r\n--cut--\r\n'


@pytest.mark.parametrize(
    ("media", "body", "rules"),
    [
        ("; boundary=cut", PART % b"1", []),
        ("; charset=none; boundary=cut", PART % b"1", []),
        ('; Boundary="cut"', PART % b"x", ["syntax"]),
        ("", PART % b"1", ["syntax"]),
        ("; boundary=other", PART % b"1", ["syntax"]),
        ("; boundary=cut", b"a=1", ["syntax"]),
        ("; boundary=cut", (PART % b"1").replace(b'; name="a"', b""), ["syntax"]),
        (
            "; boundary=cut",
            (PART % b"1").replace(b"Content-D", b"Content-Type: multipart/a\r\nD"),
            ["syntax"],
        ),
    ],
)
def test_a_form_of_parts_is_cut_at_its_boundary(media: str, body: bytes, rules: list[str]) -> None:
    kind = "multipart/form-data"
    assert body_errors(kind, NUMBERED, kind + media, body) == (rules, True)


def test_a_missing_body_is_an_error_and_a_body_that_nobody_wants_too() -> None:
    assert told(sent(b"")) == [("body", "", "required")]
    api = copy.deepcopy(SHOP)
    del api["paths"]["/orders/{id}"]["post"]["requestBody"]
    message = Message(path={"id": "1"}, headers=(("X-Trace", "1"),), body=b"{}")
    assert told(check(api, POINTER, message)) == [("body", "", "unknown")]


def test_without_values_for_the_path_it_is_not_checked() -> None:
    checked = sent(path=None)
    assert checked.mismatches == []
    assert "path" not in checked.parts
    assert "path" in checked.notes[0]


def test_a_pattern_that_takes_for_ever_is_stopped() -> None:
    body = b'{"items": [], "secret": "s", "pay": "' + b"a" * 60 + b'!"}'
    began = time.monotonic()
    [found] = sent(body).mismatches
    assert found.rule == "pattern"
    assert time.monotonic() - began < 20


def test_a_pattern_of_names_that_takes_for_ever_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialect, "PATTERN_S", 0.05)
    checked = answered({"patternProperties": {"^(a|aa)+$": False}}, {"a" * 60 + "!": 1})
    assert checked.mismatches == []
    assert not checked.complete
    assert checked.notes == [
        'the pattern "^(a|aa)+$" takes too long; it counts as one that does not match'
    ]


def test_a_schema_reached_in_countless_ways_does_not_stall_the_check(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dialect, "CHECK_S", 0.2)
    ref = "#/components/schemas/S"
    schemas: dict[str, Any] = {
        f"S{n}": {"allOf": [{"$ref": f"{ref}{n - 1}"}] * 2} for n in range(1, 41)
    }
    checked = answered({"$ref": f"{ref}40"}, 1, {**schemas, "S0": {}})
    assert checked.notes == ["not all was checked within 10 s"]
    assert not checked.complete


def test_many_items_are_compared_at_once() -> None:
    items = [{"a": n} for n in range(20_000)]
    schema = {"type": "array", "uniqueItems": True}
    assert answered(schema, items).mismatches == []
    [found] = answered(schema, [*items, {"a": 7.0}]).mismatches
    assert found.rule == "uniqueItems"


def test_a_media_type_with_parameters_that_are_none_is_read_all_the_same() -> None:
    assert sent(content_type="application/json; charset; ;=").mismatches == []


def test_parameters_side_by_side_do_not_stall_the_search_for_a_route() -> None:
    template = "/x/" + "".join(f"{{p{n}}}" for n in range(20)) + "z"
    assert match_route(template, "/x/" + "a" * 60) is None


@pytest.mark.parametrize("section", ["webhooks", "components"])
def test_what_the_api_sends_is_checked_like_a_request(section: str) -> None:
    post = copy.deepcopy(SHOP["paths"]["/orders/{id}"]["post"])
    del post["parameters"]
    api = {**SHOP, "paths": {}, "webhooks": {"sold": {"post": post}}}
    pointer = "/webhooks/sold/post"
    if section == "components":
        callbacks = {"sold": {"{$url}": {"post": post}}}
        api = {**SHOP, "paths": {}, "components": {**SHOP["components"], "callbacks": callbacks}}
        pointer = "/components/callbacks/sold/{$url}/post"
    assert check(api, pointer, Message(body=GOOD)).mismatches == []
    assert told(check(api, pointer, Message(body=b"{}"))) == [
        ("body", "/items", "required"),
        ("body", "/secret", "required"),
    ]


def test_what_a_type_says_of_reading_and_writing_holds_for_its_properties() -> None:
    api = copy.deepcopy(SHOP)
    ref = "#/components/schemas/"
    api["components"]["schemas"].update(
        Made={"allOf": [{"$ref": f"{ref}Round"}, {"readOnly": True}]},
        Round={"allOf": [{"$ref": f"{ref}Made"}]},
        Order={
            "properties": {"at": {"$ref": f"{ref}Round"}, "by": {"allOf": [{"$ref": f"{ref}Made"}]}}
        },
    )
    message = Message(path={"id": "1"}, headers=(("X-Trace", "1"),), body=b'{"at": 1, "by": 2}')
    assert told(check(api, POINTER, message)) == [
        ("body", "/at", "readOnly"),
        ("body", "/by", "readOnly"),
    ]


def test_types_that_inherit_in_a_circle_are_no_trap() -> None:
    api = copy.deepcopy(SHOP)
    api["components"]["schemas"]["Item"] = {
        "type": "object",
        "discriminator": {
            "propertyName": "kind",
            "mapping": {"a": "#/components/schemas/Sub"},
        },
        "allOf": [{"required": ["kind"]}],
    }
    api["components"]["schemas"]["Sub"] = {
        "allOf": [{"$ref": "#/components/schemas/Item"}, {"required": ["more"]}]
    }
    message = Message(
        path={"id": "1"},
        headers=(("X-Trace", "1"),),
        body=b'{"secret": "s", "items": [{"kind": "a"}]}',
    )
    assert check(api, POINTER, message).mismatches == []


def asked(schema: Any, query: str, schemas: Any = None) -> list[tuple[str, str, str]]:
    """Check a request with a parameter `p` of a schema."""
    parameter = {"name": "p", "in": "query", "schema": schema}
    description = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {
            "/a": {"get": {"parameters": [parameter], "responses": {"200": {"description": ""}}}}
        },
        "components": {"schemas": schemas or {}},
    }
    found = check(description, "/paths/~1a/get", Message(query=tuple(parse_qsl(query))))
    assert found.complete
    return told(found)


@pytest.mark.parametrize(
    ("schema", "fits", "not_fitting"),
    [
        ({"type": ["string", "null"]}, "p=x", None),
        ({"type": ["integer", "null"]}, "p=7", "p=x"),
        ({"type": ["array", "null"], "items": {"type": ["integer", "null"]}}, "p=7", "p=x"),
        ({"type": ["integer", "boolean", "null"]}, "p=true", None),
        ({"$ref": "#/components/schemas/Maybe"}, "p=7", "p=x"),
        ({"$ref": "#/components/schemas/Maybe", "maximum": 8}, "p=7", "p=9"),
        ({"type": ["string", "null"], "enum": ["a", None]}, "p=a", "p=b"),
    ],
)
def test_a_parameter_of_several_types_is_read_by_the_one_that_is_written(
    schema: Any, fits: str, not_fitting: str | None
) -> None:
    schemas = {"Maybe": {"type": ["integer", "null"]}}
    assert asked(schema, fits, schemas) == []
    assert not_fitting is None or asked(schema, not_fitting, schemas) != []


def test_headers_of_answers_and_fields_of_forms_may_be_of_several_types_too() -> None:
    maybe = {"type": ["integer", "null"]}
    operation = {
        "requestBody": {
            "content": {
                "application/x-www-form-urlencoded": {
                    "schema": {"type": "object", "properties": {"n": maybe}}
                }
            }
        },
        "responses": {"200": {"description": "", "headers": {"X-N": {"schema": maybe}}}},
    }
    description = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"post": operation}},
    }
    form = (("Content-Type", "application/x-www-form-urlencoded"),)
    for body, fits in ((b"n=7", True), (b"n=x", False)):
        found = check(description, "/paths/~1a/post", Message(headers=form, body=body))
        assert (told(found) == []) is fits
    for value, fits in (("7", True), ("x", False)):
        message = Message(status="200", headers=(("X-N", value),))
        assert (told(check(description, "/paths/~1a/post", message)) == []) is fits
