"""The body of a message by its media type: which schema it has, and whether it can be compared."""

import json
from collections.abc import Mapping, Sequence
from email import message_from_string
from email.message import Message as Part
from fnmatch import fnmatchcase
from typing import Any, Final

from attrs import frozen

from sourcebook_schema.bundle.repair import ANNOTATIONS
from sourcebook_schema.checking.explain import shown
from sourcebook_schema.checking.messages import Message, Mismatch
from sourcebook_schema.checking.prepare import resolve

FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")

SCALARS: Final = frozenset({"integer", "number", "boolean"})

BYTES: Final = "application/octet-stream"

BINARY: Final = ("binary", "base64", "byte")
"""Formats of texts that stand for bytes, of which a schema says nothing."""


@frozen
class Body:
    """A body and how it can be compared.

    Args:
        content_type: of the message, in a spelling that openapi-core knows.
        mismatches: that it cannot be read.
        unread: why its content is not compared; empty if it is.
    """

    content_type: str
    mismatches: Sequence[Mismatch] = ()
    unread: str = ""


def read_body(content: dict[str, Any], message: Message, components: Mapping[str, Any]) -> Body:
    """Return how a body is compared, leaving in `content` the one media type that it has, as
    openapi-core knows it; as it was where the message has no body, or one of no such type.

    The schema of what cannot be read is lifted.
    """
    media = _content_type(content, message)
    key = _described(content, media)
    if not message.body or key is None:
        return Body(media)
    described = {**content[key]}
    kind, *parameters = media.split("; ")
    schema = resolve(described.get("schema", {}), components)
    content.clear()
    if _is_json(kind):
        content["application/json"] = described
        mismatches = _not_json(message.body)
        if mismatches:
            described.pop("schema", None)
        return Body("application/json", mismatches)
    if _is_text(kind, schema):
        content["text/plain"] = described
        return Body("text/plain")
    unread, mismatches = "", []
    if kind == "multipart/form-data":
        # Whatever is said of a charset, bodies come here in UTF-8.
        boundary = [one for one in parameters if one.lower().startswith("boundary=")]
        media = "; ".join((kind, *boundary))
        mismatches = _not_parts(message.body, media)
        described["encoding"] = {**_scalars(schema, components), **described.get("encoding", {})}
    elif kind == "application/x-www-form-urlencoded":
        media = kind
    elif _is_told(schema):
        unread = f"bodies of {kind} are not checked"
    if kind in FORMS and not mismatches:
        content[kind] = described
        return Body(media)
    described.pop("schema", None)
    content[BYTES] = described
    return Body(BYTES, mismatches, unread)


def _content_type(content: Mapping[str, Any], message: Message) -> str:
    """Return the media type of the body: as told, or told in a header, else JSON if it may be."""
    told = [value for name, value in message.headers if name.lower() == "content-type"]
    if message.content_type or told:
        return _plain(message.content_type or told[0])
    known = [_plain(one) for one in content if "*" not in one]
    return next((one for one in known if _is_json(one)), known[0] if known else "application/json")


def _plain(media: str) -> str:
    """Return a media type with those parameters only that are `NAME=VALUE`."""
    kind, *parameters = (part.strip() for part in media.split(";"))
    return "; ".join([kind.lower(), *(one for one in parameters if one.count("=") == 1)])


def _described(content: Mapping[str, Any], media: str) -> str | None:
    """Return which of the described media types one is of: the same, else one that differs in its
    parameters, else the narrowest range."""
    kind = _kind(media)
    same = [one for one in content if _kind(one) == kind]
    exact = [one for one in same if _plain(one) == media]
    ranges = sorted(
        (one for one in content if "*" in one and fnmatchcase(kind, _kind(one))),
        key=lambda one: (_kind(one).count("*"), one),
    )
    return next(iter((*exact, *same, *ranges)), None)


def _kind(media: str) -> str:
    return media.partition(";")[0].strip().lower()


def _is_json(kind: str) -> bool:
    return kind == "application/json" or kind.endswith("+json")


def _is_text(kind: str, schema: Mapping[str, Any]) -> bool:
    """Whether a body is one text to its schema, not XML or a table that is to be read first."""
    return kind.startswith("text/") and "string" in schema.get("type", "")


def _is_told(schema: Mapping[str, Any]) -> bool:
    """Whether a schema says anything of the bytes of a body."""
    rules = schema.keys() - ANNOTATIONS
    if schema.get("type") == "string":
        rules -= {"type", "contentMediaType", "contentEncoding"}
        rules -= {"format"} if schema.get("format") in BINARY else set()
    return bool(rules)


def _not_json(body: bytes) -> list[Mismatch]:
    try:
        json.loads(body)
    except ValueError as error:
        return [Mismatch("body", "", "", "JSON", f"{shown(body)}: {error}", "syntax")]
    except RecursionError:
        return [Mismatch("body", "", "", "JSON of some depth", "too deep", "syntax")]
    return []


def _scalars(schema: Mapping[str, Any], components: Mapping[str, Any]) -> dict[str, Any]:
    """Return an encoding of those properties of a form of parts that are numbers or truth values,
    whose parts openapi-core would take for texts."""
    types = {
        name: resolve(value, components).get("type", ())
        for name, value in schema.get("properties", {}).items()
        if isinstance(value, dict)
    }
    return {
        name: {"contentType": "application/json"}
        for name, told in types.items()
        if SCALARS.intersection([told] if isinstance(told, str) else told) and "string" not in told
    }


def _not_parts(body: bytes, media: str) -> list[Mismatch]:
    # What openapi-core expects of the parts it only asserts.
    text = body.decode("ascii", "surrogateescape")
    parts = message_from_string(f"Content-Type: {media}\n\n{text}").get_payload()
    for one in parts if isinstance(parts, list) else [None]:
        if not (
            isinstance(one, Part)
            and isinstance(one.get_param("name", header="content-disposition"), str)
            and isinstance(one.get_payload(decode=True), bytes)
        ):
            expected = "parts with names between lines of the boundary that the media type tells"
            return [Mismatch("body", "", "", expected, shown(body), "syntax")]
    return []
