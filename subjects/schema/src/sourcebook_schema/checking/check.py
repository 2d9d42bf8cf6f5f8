"""A message against the description of its operation: all that does not fit."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs
from sourcebook.naming import nearest

from sourcebook_schema.checking.body import read_body
from sourcebook_schema.checking.dialect import CHECK_S, Limits, TooLong
from sourcebook_schema.checking.explain import shown
from sourcebook_schema.checking.messages import Message, Mismatch
from sourcebook_schema.checking.prepare import method_of, prepare, resolve
from sourcebook_schema.checking.traffic import traffic_errors

MISMATCHES = 200
"""No more are told of one message."""


class Checked:
    """A message after its check.

    Args:
        mismatches: what does not fit, in the order of the message's parts.
        parts: what was compared with the description.
        complete: all of these parts were decided about.
        notes: what was not compared, or not decided, and why.
    """

    def __init__(self) -> None:
        self.mismatches: list[Mismatch] = []
        self.parts: list[str] = []
        self.complete = True
        self.notes: list[str] = []

    def add(self, found: Iterable[Mismatch]) -> None:
        """Add what is not known yet."""
        for one in found:
            if len(self.mismatches) < MISMATCHES and one not in self.mismatches:
                self.mismatches.append(one)

    def undecided(self, why: str) -> None:
        """Note why something could not be decided."""
        self.complete = False
        self.notes.append(why)


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
    body = read_body(content, message, document["components"])
    checked.add(body.mismatches)
    if body.unread:
        checked.undecided(body.unread)
    message = attrs.evolve(message, content_type=body.content_type)
    if not message.status:
        _check_unknown(operation, message, document["components"], _keys(description), checked)
    limits = Limits()
    try:
        found = traffic_errors(document, method_of(pointer), message, limits)
        if body.mismatches:
            found = (one for one in found if one.part != "body")
        checked.add(found)
    except RecursionError:
        checked.undecided("the description refers to itself without end; not all was checked")
    except TooLong:
        checked.undecided(f"not all was checked within {CHECK_S:g} s")
    for one in limits.slow:
        checked.undecided(
            f"the pattern {shown(one)} takes too long; it counts as one that does not match"
        )
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
