"""JSON Schema (2020-12) of requests and responses, from the same classes that convert them."""

import inspect
import re
import types
import typing
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

import attrs

from sourcebook.surfaces.convert import (
    FieldSpec,
    choices_of,
    element_type,
    field_specs,
    to_json,
    unwrap_optional,
)
from sourcebook.verb import OptionInfo

DIALECT = "https://json-schema.org/draft/2020-12/schema"

ARGUMENT = re.compile(r" {4}(?P<names>\w+(, \w+)*): ?(?P<text>.*)")

SCALARS: Mapping[Any, str] = {bool: "boolean", int: "integer", float: "number", str: "string"}


class _Style(NamedTuple):
    """How records are written: which are shared, whether unknown keys and defaults are refused."""

    defs: dict[str, Any]
    closed: bool
    defaults: bool


def request_schema(cls: type, *, without: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the schema of what `from_json(cls, ...)` takes: the parameters of a tool.

    Args:
        cls: an attrs class of a request.
        without: fields that are no parameters here, such as those a tool presets.
    """
    style = _Style({}, closed=True, defaults=True)
    left_out = without | {spec.name for spec in field_specs(cls) if spec.info.cli_only}
    return _with_defs(_record(cls, style, left_out), style)


def response_schema(cls: type, name: str, *, closed: bool = False) -> dict[str, Any]:
    """Return the schema of what a surface prints for a response of class `cls`.

    Args:
        cls: an attrs class of a response.
        name: what `schema` says in the response, `search/1`; also the `$id`.
        closed: whether unknown fields are refused. Published schemas are open, since later
            versions may add fields; tests ask for closed ones.
    """
    style = _Style({}, closed, defaults=False)
    body = _record(cls, style)
    body["properties"] = {
        "schema": {"const": name},
        "subject": {"type": "string", "description": "The subject that was asked."},
        **body["properties"],
    }
    body["required"] = ["schema", "subject", *body["required"]]
    return _with_defs({"$schema": DIALECT, "$id": name, **body}, style)


ERROR_SCHEMA: dict[str, Any] = {
    "$schema": DIALECT,
    "$id": "error/1",
    "description": "What every surface gives in place of a response when something went wrong.",
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string", "pattern": "^[a-z]+(_[a-z]+)*$"},
                "message": {"type": "string"},
                "where": {"type": "string"},
                "hint": {"type": "string"},
            },
            "required": ["code", "message", "where", "hint"],
        }
    },
    "required": ["error"],
}


def summary_of(cls: type) -> str:
    """Return the first paragraph of a class's docstring as one line."""
    text = inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0]
    return " ".join(text.split())


def field_docs(cls: type) -> dict[str, str]:
    """Return what the `Args:` of a class's docstring say, by field, those of the classes it extends
    included; a line may name several."""
    docs: dict[str, str] = {}
    for one in reversed(cls.__mro__):
        docs.update(_own_docs(one))
    return docs


def _own_docs(cls: type) -> dict[str, str]:
    docs: dict[str, str] = {}
    names: list[str] = []
    section = inspect.cleandoc(cls.__doc__ or "").partition("\nArgs:\n")[2].split("\n\n")[0]
    for line in section.splitlines():
        if match := ARGUMENT.fullmatch(line):
            names = match["names"].split(", ")
            docs.update(dict.fromkeys(names, match["text"]))
        else:
            docs.update({name: f"{docs[name]} {line.strip()}".strip() for name in names})
    return docs


def _with_defs(schema: dict[str, Any], style: _Style) -> dict[str, Any]:
    return {**schema, "$defs": dict(sorted(style.defs.items()))} if style.defs else schema


def _record(cls: type, style: _Style, left_out: frozenset[str] = frozenset()) -> dict[str, Any]:
    specs = [spec for spec in field_specs(cls) if spec.name not in left_out]
    schema: dict[str, Any] = {}
    if not style.defaults and (text := summary_of(cls)):
        schema["description"] = text
    schema["type"] = "object"
    docs = {} if style.defaults else field_docs(cls)
    schema["properties"] = {
        spec.name: _field(spec, style, docs.get(spec.name, "")) for spec in specs
    }
    # A request may leave out what has a default, a response leaves out nothing.
    required = [spec.name for spec in specs if spec.required or not style.defaults]
    if required or not style.defaults:
        schema["required"] = required
    if style.closed:
        schema["additionalProperties"] = False
    return schema


def _field(spec: FieldSpec, style: _Style, said: str) -> dict[str, Any]:
    # In a request null means the default everywhere, and the schema does not say so: a model that
    # reads it would only send more nulls.
    hint = unwrap_optional(spec.hint)[0] if style.defaults else spec.hint
    schema = _typed(hint, spec.info, style)
    if text := spec.info.help or said:
        schema["description"] = text
    if style.defaults and not spec.required and spec.default not in (None, (), ""):
        schema["default"] = to_json(spec.default)
    return schema


def _typed(hint: Any, info: OptionInfo, style: _Style) -> dict[str, Any]:
    hint, optional = unwrap_optional(hint)
    if optional:
        return {"anyOf": [_typed(hint, info, style), {"type": "null"}]}
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return {"anyOf": [_typed(one, info, style) for one in typing.get_args(hint)]}
    if (inner := element_type(hint)) is not None:
        return {"type": "array", "items": _typed(inner, info, style)}
    if typing.get_origin(hint) in (frozenset, set):
        inner = typing.get_args(hint)[0]
        return {"type": "array", "items": _typed(inner, info, style), "uniqueItems": True}
    if typing.get_origin(hint) in (Mapping, dict):
        inner = typing.get_args(hint)[1]
        return {"type": "object", "additionalProperties": _typed(inner, info, style)}
    if hint in (Any, object):
        return {}
    if isinstance(hint, type) and attrs.has(hint):
        return _reference(hint, style)
    return _scalar(hint, info)


def _reference(cls: type, style: _Style) -> dict[str, Any]:
    if cls.__name__ not in style.defs:
        style.defs[cls.__name__] = {}  # a record may hold itself
        style.defs[cls.__name__] = _record(cls, style)
    return {"$ref": f"#/$defs/{cls.__name__}"}


def _scalar(hint: Any, info: OptionInfo) -> dict[str, Any]:
    if choices := choices_of(hint, info):
        return {"type": "string", "enum": list(choices)}
    if isinstance(hint, type) and issubclass(hint, PurePath):
        return {"type": "string"}
    if hint not in SCALARS:
        raise TypeError(f"no JSON Schema for a field of type {hint!r}")
    schema: dict[str, Any] = {"type": SCALARS[hint]}
    if hint in (int, float):
        if info.minimum is not None:
            schema["minimum"] = info.minimum
        if info.maximum is not None:
            schema["maximum"] = info.maximum
    return schema
