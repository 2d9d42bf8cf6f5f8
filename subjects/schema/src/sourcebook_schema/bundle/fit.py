"""Defaults that fit their schema. Validators check these, and real descriptions get them wrong.

`fits` errs on one side: what it accepts, every validator does. It knows the keywords that defaults
are written under, and takes no library of a second's import.
"""

import base64
import re
from collections.abc import Callable, Mapping, Sized
from datetime import date
from ipaddress import ip_address
from typing import Any

from sourcebook_schema.bundle.grammar import KEYWORDS
from sourcebook_schema.bundle.schemas import distinct, is_pattern

DEEPEST = 12


def fit_default(part: dict[str, Any], schemas: Mapping[str, Any]) -> None:
    """Leave a default that fits its schema, written otherwise if need be (`"10"` for `10`);
    what does not fit is kept as `x-default`."""
    schema = {key: value for key, value in part.items() if key != "default"}
    value = part["default"]
    for candidate in (value, *_rewritten(value)):
        if fits(schema, candidate, schemas):
            part["default"] = candidate
            return
    del part["default"]
    part["x-default"] = value


def _rewritten(value: Any) -> list[Any]:
    """Return what a scalar of the wrong type may have been meant to be."""
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, float) and value.is_integer():
        return [int(value), f"{value:g}"]
    if isinstance(value, int | float):
        return [str(value)]
    if not isinstance(value, str):
        return []
    if value.lower() in ("true", "false"):
        return [value.lower() == "true"]
    if re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", value):
        return [int(value)]
    return [float(value)] if re.fullmatch(r"-?[0-9]{1,17}\.[0-9]{1,17}", value) else []


def fits(schema: Any, value: Any, schemas: Mapping[str, Any], depth: int = 0) -> bool:
    """Return whether a value surely fits a schema; False is also said where it is not seen."""
    if isinstance(schema, bool):
        return schema
    if depth > DEEPEST or ("discriminator" in schema and _COMBINED & schema.keys()):
        return False

    def inner(part: Any, item: Any) -> bool:
        return fits(part, item, schemas, depth + 1)

    for key, limit in schema.items():
        if key == "$ref":
            if not inner(schemas[limit], value):
                return False
        elif key in _APPLICATORS:
            if not _APPLICATORS[key](schema, value, inner):
                return False
        elif key in _LIMITS:
            if not _LIMITS[key](limit, value):
                return False
        elif key in KEYWORDS and key not in _SILENT:
            return False
    return True


_COMBINED = {"allOf", "anyOf", "oneOf"}

_SILENT = frozenset({
    "title", "description", "$comment", "contentEncoding", "contentMediaType", "contentSchema",
    "default", "example", "examples", "deprecated", "readOnly", "writeOnly", "discriminator",
    "xml", "externalDocs",
})  # fmt: skip
"""Keywords that exclude no value."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
}


def _of_type(names: Any, value: Any) -> bool:
    return any(_TYPES[name](value) for name in (names if isinstance(names, list) else [names]))


def _among(values: list[Any], value: Any) -> bool:
    return len(distinct([*values, value])) == len(distinct(values))


def _has_format(name: str, value: Any) -> bool:
    if _is_number(value):
        bits = {"int32": 31, "int64": 63}.get(name)
        return bits is None or not isinstance(value, int) or abs(value) < 1 << bits
    if not isinstance(value, str):
        return True
    if name in _SHAPES:
        return _has_shape(_SHAPES[name], value)
    return _FORMATS[name](value) if name in _FORMATS else name not in _UNSEEN_FORMATS


def _has_shape(pattern: str, value: str) -> bool:
    return len(value) < 500 and bool(re.fullmatch(pattern, value, re.ASCII))


def _is_date(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return len(value) == 10


def _is_address(value: str, version: int) -> bool:
    try:
        return ip_address(value).version == version and "%" not in value
    except ValueError:
        return False


def _is_base64(value: str) -> bool:
    try:
        return bool(base64.b64decode(value, validate=True)) or not value
    except ValueError:
        return False


_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"

_SHAPES: Mapping[str, str] = {
    "time": _TIME,
    "uuid": r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "email": r"[\w.+-]+@[\w-]+(\.[\w-]+)+",
    "hostname": r"([a-z0-9]+(-[a-z0-9]+)*\.)*[a-z]+",
    "uri": r"[a-z][a-z0-9+.-]*://[\w.:-]+(/[\w./~-]*)?",
    "uri-reference": r"[\w./~-]*",
}
"""Formats as regular expressions, narrower than they are: whatever fits is of that format."""

_FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date": _is_date,
    "date-time": lambda value: _is_date(value[:10]) and _has_shape("T" + _TIME, value[10:]),
    "ipv4": lambda value: _is_address(value, 4),
    "ipv6": lambda value: _is_address(value, 6),
    "byte": _is_base64,
    "regex": is_pattern,
}

_UNSEEN_FORMATS = frozenset({
    "color", "duration", "idn-email", "idn-hostname", "ip-address", "host-name", "iri",
    "iri-reference", "json-pointer", "relative-json-pointer", "uri-template",
})  # fmt: skip
"""Formats that some validators check and this does not."""


def _multiple_of(limit: Any, value: Any) -> bool:
    if not _is_number(value):
        return True
    return isinstance(value, int) and isinstance(limit, int) and value % limit == 0


def _length(compare: Callable[[int, int], bool], kind: type[Sized]) -> Callable[[Any, Any], bool]:
    return lambda limit, value: not isinstance(value, kind) or compare(len(value), limit)


_LIMITS: Mapping[str, Callable[[Any, Any], bool]] = {
    "type": _of_type,
    "enum": _among,
    "const": lambda only, value: _among([only], value),
    "format": _has_format,
    "minimum": lambda limit, value: not _is_number(value) or value >= limit,
    "maximum": lambda limit, value: not _is_number(value) or value <= limit,
    "exclusiveMinimum": lambda limit, value: not _is_number(value) or value > limit,
    "exclusiveMaximum": lambda limit, value: not _is_number(value) or value < limit,
    "multipleOf": _multiple_of,
    "minLength": _length(int.__ge__, str),
    "maxLength": _length(int.__le__, str),
    "minItems": _length(int.__ge__, list),
    "maxItems": _length(int.__le__, list),
    "minProperties": _length(int.__ge__, dict),
    "maxProperties": _length(int.__le__, dict),
    "uniqueItems": lambda limit, value: (
        not limit or not isinstance(value, list) or len(distinct(value)) == len(value)
    ),
    "required": lambda names, value: not isinstance(value, dict) or all(n in value for n in names),
    "pattern": lambda _pattern, value: not isinstance(value, str),
}
"""Keywords by themselves: the limit, the value. A pattern is not tried, it may take for ever."""

Inner = Callable[[Any, Any], bool]


def _properties(schema: Mapping[str, Any], value: Any, inner: Inner) -> bool:
    if not isinstance(value, dict):
        return True
    return all(
        inner(part, value[name]) for name, part in schema["properties"].items() if name in value
    )


def _additional(schema: Mapping[str, Any], value: Any, inner: Inner) -> bool:
    if not isinstance(value, dict):
        return True
    known = schema.get("properties", {})
    rest = (item for name, item in value.items() if name not in known)
    return all(inner(schema["additionalProperties"], item) for item in rest)


def _items(schema: Mapping[str, Any], value: Any, inner: Inner) -> bool:
    return not isinstance(value, list) or all(inner(schema["items"], item) for item in value)


_APPLICATORS: Mapping[str, Callable[[Mapping[str, Any], Any, Inner], bool]] = {
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "allOf": lambda schema, value, inner: all(inner(one, value) for one in schema["allOf"]),
    "anyOf": lambda schema, value, inner: any(inner(one, value) for one in schema["anyOf"]),
}
"""Keywords that hold schemas. `oneOf` is not among them: that no second one fits is not seen."""
