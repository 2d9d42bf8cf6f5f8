"""A schema in a reader's words: its type, the values it is closed to, whether it may be null."""

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

from sourcebook_schema.facts import split_uri
from sourcebook_schema.texts import unescape

NameOf = Callable[[str], str]
"""From the URI of a type to its name."""

MAX_WORDS = 12
"""Types that are named of a union; more are counted."""


def type_words(schema: Any, name_of: NameOf) -> str:
    """Return the type of a schema of 2020-12: `string`, `array of Invoice`, `map of integer`.

    Null is left out, as it is told by a mark. What has no type is `any`; `false` is `never`.
    """
    if not isinstance(schema, dict):
        return "never" if schema is False else "any"
    ref = schema.get("$ref")
    if ref:
        return name_of(ref)
    kind = schema.get("type")
    if type(kind) is str and kind != "array" and kind != "object":
        return kind
    return " | ".join(_alternatives(schema, kind, name_of)) or "null"


def _alternatives(schema: Mapping[str, Any], kind: Any, name_of: NameOf) -> list[str]:
    for keyword in ("oneOf", "anyOf"):
        branches = schema.get(keyword)
        if branches and isinstance(branches, list):
            found = [type_words(one, name_of) for one in branches if not _is_null(one)]
            named = list(dict.fromkeys(found))
            if len(named) > MAX_WORDS:
                named[MAX_WORDS:] = [f"{len(named) - MAX_WORDS} more"]
            if named and not (named == ["any"] and kind):
                return named
    branches = schema.get("allOf")
    if branches and isinstance(branches, list):
        # What has members of its own is more than what it is made from.
        found = [type_words(one, name_of) for one in branches if _has_more(one)]
        found += ["object"] if "properties" in schema else []
        named = list(dict.fromkeys(found))
        if named:
            return [" & ".join(named)]
    kinds = kind if isinstance(kind, list) else [kind or _inferred(schema)]
    return [_one(schema, one, name_of) for one in kinds if one != "null"]


def _one(schema: Mapping[str, Any], kind: str, name_of: NameOf) -> str:
    if kind == "array":
        items = schema.get("items")
        if "prefixItems" in schema or not items:
            return "array"
        inner = type_words(items, name_of)
        return f"array of ({inner})" if " | " in inner or " & " in inner else f"array of {inner}"
    if kind == "object" and not schema.get("properties"):
        values = schema.get("additionalProperties")
        patterns = schema.get("patternProperties")
        if not values and isinstance(patterns, dict) and len(patterns) == 1:
            values = next(iter(patterns.values()))
        if values and isinstance(values, dict):
            inner = type_words(values, name_of)
            return f"map of ({inner})" if " | " in inner or " & " in inner else f"map of {inner}"
    return kind


def _inferred(schema: Mapping[str, Any]) -> str:
    """Return the type of a schema that does not say it, by what it says."""
    if "properties" in schema or "additionalProperties" in schema or "patternProperties" in schema:
        return "object"
    if "items" in schema or "prefixItems" in schema:
        return "array"
    values = closed_values(schema) or ()
    kinds = {_KINDS.get(type(one), "number") for one in values if one is not None}
    return kinds.pop() if len(kinds) == 1 else "any"


_KINDS = {
    str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object",
}  # fmt: skip


def _has_more(schema: Any) -> bool:
    """Whether a part of an `allOf` does more than describe, require or mark what others define."""
    return isinstance(schema, dict) and (
        type_words(schema, str) not in ("any", "object") or "properties" in schema
    )


def _is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


def closed_values(schema: Any) -> list[Any] | None:
    """Return what a value may be where that is a closed list."""
    if not isinstance(schema, dict):
        return None
    values = schema.get("enum")
    if isinstance(values, list):
        return values
    if "const" in schema:
        return [schema["const"]]
    for keyword in ("oneOf", "anyOf"):
        branches = schema.get(keyword)
        if branches and isinstance(branches, list):
            found: list[Any] = []
            for branch in branches:
                some = [None] if _is_null(branch) else closed_values(branch)
                if some is None:
                    return None
                found += some
            return found
    return None


def is_nullable(schema: Any) -> bool:
    """Whether a schema of 2020-12 says by itself that a value may be null."""
    if not isinstance(schema, dict):
        return False
    kind = schema.get("type")
    if kind == "null" or (isinstance(kind, list) and "null" in kind):
        return True
    values = schema.get("enum")
    if isinstance(values, list) and None in values:
        return True
    if "const" in schema and schema["const"] is None:
        return True
    return any(
        isinstance(branches, list) and any(map(is_nullable, branches))
        for branches in (schema.get("oneOf"), schema.get("anyOf"))
    )


def name_of_uri(uri: str) -> str:
    """Return the name of a type in another file: the last part of its pointer, or the file's."""
    source, pointer = split_uri(uri)
    name = unescape(pointer.rpartition("/")[2])
    return name or PurePosixPath(source).stem
