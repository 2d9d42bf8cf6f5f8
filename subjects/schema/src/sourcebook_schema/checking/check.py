"""A message against the description of its operation: all that does not fit."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import attrs
from sourcebook.naming import nearest

from sourcebook_schema.checking.dialect import CHECK_S, Limits, TooLong
from sourcebook_schema.checking.explain import shown
from sourcebook_schema.checking.messages import Message, Mismatch
from sourcebook_schema.checking.prepare import prepare, resolve
from sourcebook_schema.checking.traffic import traffic_errors

MISMATCHES = 200
"""No more are told of one message."""


class Checked:
    """A message after its check.

    Args:
        mismatches: what does not fit, in the order of the message's parts.
        parts: what was compared with the description.
        notes: what was not, and why.
    """

    def __init__(self) -> None:
        self.mismatches: list[Mismatch] = []
        self.parts: list[str] = []
        self.notes: list[str] = []

    def add(self, found: Iterable[Mismatch]) -> None:
        """Add what is not known yet."""
        for one in found:
            if len(self.mismatches) < MISMATCHES and one not in self.mismatches:
                self.mismatches.append(one)


def check(description: Mapping[str, Any], pointer: str, message: Message) -> Checked:
    """Check a message.

    Args:
        description: a bundle with the operation.
        pointer: where the operation stands in it.
        message: what is sent or returned.
    """
    document, operation = prepare(
        description, pointer,
        is_response=bool(message.status), path_known=message.path is not None,
    )  # fmt: skip
    checked = Checked()
    content = _content(operation, message, document["components"], checked)
    if content is None:
        return checked
    message = attrs.evolve(message, content_type=_content_type(content, message))
    _check_syntax(content, message, checked)
    if not message.status:
        _check_unknown(operation, message, document["components"], _keys(description), checked)
    limits = Limits()
    try:
        found = traffic_errors(document, pointer.rpartition("/")[2], message, limits)
        if any(one.rule == "syntax" for one in checked.mismatches):
            found = (one for one in found if one.part != "body")
        checked.add(found)
    except RecursionError:
        checked.notes.append("the description refers to itself without end; not all was checked")
    except TooLong:
        checked.notes.append(f"not all was checked within {CHECK_S:g} s")
    checked.notes += [
        f"the pattern {shown(one)} takes too long; it counts as one that does not match"
        for one in limits.slow
    ]
    return checked


def _content(
    operation: Mapping[str, Any],
    message: Message,
    components: Mapping[str, Any],
    checked: Checked,
) -> dict[str, Any] | None:
    """Return the media types that the body may have, None if the status has no response."""
    if not message.status:
        checked.parts += [
            *(["path"] if message.path is not None else []),
            "query",
            "header",
            "cookie",
        ]
        if message.path is None:
            checked.notes.append("no values were given for the path; name it with them to check it")
        body = resolve(operation.get("requestBody", {}), components)
    else:
        responses = operation["responses"]
        keys = (message.status, f"{message.status[0]}XX", "default")
        key = next((one for one in keys if one in responses), None)
        if key is None:
            known = ", ".join(one for one in responses if not one.startswith("x-"))
            checked.add([Mismatch("status", "", "", f"one of {known}", message.status, "unknown")])
            return None
        checked.parts += ["status", "header"]
        body = resolve(responses[key], components)
    content: dict[str, Any] = body.get("content", {})
    if message.body:
        checked.parts.append("body")
        if not content:
            checked.add([Mismatch("body", "", "", "no body", shown(message.body), "unknown")])
    return content


def _content_type(content: Mapping[str, Any], message: Message) -> str:
    """Return the media type of the body: as told, or told in a header, else JSON if it may be."""
    told = [value for name, value in message.headers if name.lower() == "content-type"]
    if message.content_type or told:
        return _plain(message.content_type or told[0])
    known = [one for one in content if "*" not in one]
    return next((one for one in known if _is_json(one)), known[0] if known else "application/json")


def _plain(media: str) -> str:
    """Return a media type with those parameters only that are `NAME=VALUE`."""
    kind, *parameters = (part.strip().lower() for part in media.split(";"))
    return "; ".join([kind, *(one for one in parameters if one.count("=") == 1)])


def _is_json(media: str) -> bool:
    kind = media.partition(";")[0].strip().lower()
    return kind == "application/json" or kind.endswith("+json")


def _check_syntax(content: dict[str, Any], message: Message, checked: Checked) -> None:
    """Report a body that is no JSON, and lift the schemas of what cannot be read here."""
    for media, value in content.items():
        kind = media.partition(";")[0].strip().lower()
        readable = _is_json(kind) or kind.startswith(("text/", "multipart/")) or "form" in kind
        if not readable or (_is_json(kind) and not _is_read(message, checked)):
            value.pop("schema", None)
            if message.body and not readable and kind == message.content_type:
                checked.notes.append(f"a body of {kind} is not looked into")


def _is_read(message: Message, checked: Checked) -> bool:
    if not message.body or not _is_json(message.content_type):
        return True
    try:
        json.loads(message.body)
    except ValueError as error:
        found = Mismatch("body", "", "", "JSON", f"{shown(message.body)}: {error}", "syntax")
        checked.add([found])
        return False
    except RecursionError:
        checked.add([Mismatch("body", "", "", "JSON of some depth", "too deep", "syntax")])
        return False
    return True


def _keys(description: Mapping[str, Any]) -> set[str]:
    """Return names of query parameters that hold a key of the API."""
    schemes = description.get("components", {}).get("securitySchemes", {}).values()
    return {one["name"] for one in schemes if one.get("in") == "query"}


def _check_unknown(
    operation: Mapping[str, Any],
    message: Message,
    components: Mapping[str, Any],
    keys: set[str],
    checked: Checked,
) -> None:
    """Report parameters of the query that the operation does not have."""
    known = set(keys)
    for one in operation.get("parameters", ()):
        parameter = resolve(one, components)
        if parameter["in"] != "query":
            continue
        known.add(parameter["name"])
        schema = resolve(parameter.get("schema", {}), components)
        if parameter.get("style") == "deepObject":
            known |= {name for name, _ in message.query if name.startswith(f"{parameter['name']}[")}
        elif parameter.get("explode", True) and _may_be_object(schema):
            return  # any name may be one of its properties
    for name, value in message.query:
        if name not in known:
            near = nearest(name, sorted(known))
            hint = f" (did you mean `{near}`?)" if near else ""
            checked.add(
                [Mismatch("query", name, "", f"no such parameter{hint}", shown(value), "unknown")]
            )


def _may_be_object(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return False
    kind = schema.get("type", ())
    return "object" in kind or "properties" in schema or "allOf" in schema or "oneOf" in schema
