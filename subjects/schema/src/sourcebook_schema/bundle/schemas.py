"""JSON Schemas of the 2020-12 dialect of OpenAPI 3.1, made valid one by one."""

import re
import warnings
from collections.abc import Callable
from typing import Any

from sourcebook_schema.bundle.grammar import IDENTIFIERS, KEYWORDS
from sourcebook_schema.bundle.values import (
    NOTHING,
    PLAIN,
    Links,
    holds_reference,
    mend_object,
    missing,
)

DEEPEST = 24
"""Schemas nested deeper become components: validators in Python recurse some ten frames a level."""

TYPES = ("null", "boolean", "object", "array", "number", "string", "integer")
TYPE_WORDS = {
    "int": "integer", "long": "integer", "int32": "integer", "int64": "integer",
    "float": "number", "double": "number", "decimal": "number", "numeric": "number",
    "bool": "boolean", "str": "string", "text": "string", "char": "string", "date": "string",
    "datetime": "string", "date-time": "string", "uuid": "string", "file": "string",
    "list": "array", "map": "object", "dict": "object", "hash": "object",
}  # fmt: skip
"""What people write for a type, and the type that it is."""

PYTHON_ONLY = re.compile(r"\(\?[PaiLmsux#]|\\[AZ]")
"""What a regular expression of Python may hold and one of ECMA-262 may not."""


def mend_schema(value: Any, links: Links, depth: int = 0, hint: str = "") -> Any:
    """Return a schema in which every keyword that has a meaning is well formed.

    A reference that leads nowhere becomes a schema that says so. `hint` names the part of its owner
    that this is, for a schema so deep that it becomes a component.
    """
    if isinstance(value, bool):
        return value
    if not isinstance(value, dict):
        return {"true": True, "false": False}.get(str(value).lower(), {})
    if depth > DEEPEST:
        return {"$ref": links.hoist(value, hint)}
    mended: dict[str, Any] = {}
    for key, item in value.items():
        if key == "$ref":
            target = links.follow(item, "schema") if isinstance(item, str) else None
            if target is None:
                mended.setdefault("description", missing("schema", str(item))["description"])
            else:
                mended["$ref"] = target
        elif form := KEYWORDS.get(key):
            kept = _mend_keyword(form, item, links, depth, key)
            if kept is not NOTHING:
                mended[key] = kept
            elif form in ("pattern", "type") and isinstance(item, str):
                mended[f"x-{key}"] = item
        elif key not in IDENTIFIERS and not holds_reference(item):
            mended[key] = item
    _mend_combinations(mended)
    return mended


def _mend_combinations(mended: dict[str, Any]) -> None:
    """Leave out keywords whose value is empty where it may not be."""
    for key in ("allOf", "anyOf", "oneOf", "prefixItems"):
        if not mended.get(key, True):
            del mended[key]
    values = mended.get("enum")
    if values is not None:
        mended["enum"] = distinct(values)
        if not values:
            del mended["enum"]


def distinct(values: list[Any]) -> list[Any]:
    """Return JSON values without those that equal an earlier one: `1` and `1.0` do, `true` and
    `1` do not."""
    kept: dict[tuple[str, object], Any] = {}
    for value in values:
        kept.setdefault(_identity(value), value)
    return list(kept.values())


def _identity(value: Any) -> tuple[str, object]:
    """Return what is equal for JSON values that are."""
    if isinstance(value, list):
        return "list", tuple(map(_identity, value))
    if isinstance(value, dict):
        return "object", frozenset((key, _identity(part)) for key, part in value.items())
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return "number" if number else type(value).__name__, value


def _mend_keyword(form: str, value: Any, links: Links, depth: int, key: str) -> Any:
    if check := CHECKS.get(form):
        return check(value)
    if form == "schema":
        if isinstance(value, list):  # `items` as a list, before 2020-12
            return NOTHING
        return mend_schema(value, links, depth + 1, key)
    if form == "[schema]":
        if not isinstance(value, list):
            return NOTHING
        return [mend_schema(item, links, depth + 1, key) for item in value]
    if form == "{schema}":
        if not isinstance(value, dict):
            return NOTHING
        return {
            name: mend_schema(item, links, depth + 1, name)
            for name, item in value.items()
            if key != "patternProperties" or is_pattern(name)
        }
    if form == "{names}":
        if not isinstance(value, dict):
            return NOTHING
        names = ((name, _mend_names(item)) for name, item in value.items())
        return {name: mended for name, mended in names if mended is not NOTHING}
    return _mend_part(form, value, links)


def _mend_part(form: str, value: Any, links: Links) -> Any:
    """Return what holds no schema: texts, literals, and the objects of OpenAPI in schemas."""
    if plain := PLAIN.get(form):
        return plain(value)
    if form in ("[literal]", "[any]"):
        if not isinstance(value, list):
            return NOTHING
        return [item for item in value if form == "[literal]" or not holds_reference(item)]
    if form == "{mapping}":
        if not isinstance(value, dict):
            return NOTHING
        named = {tag: uri for tag, uri in value.items() if isinstance(uri, str)}
        found = ((tag, links.follow(uri, "schema")) for tag, uri in named.items())
        return {tag: target for tag, target in found if target is not None}
    return mend_object(form, value, lambda part, item: _mend_part(part, item, links))


def is_pattern(value: Any) -> bool:
    """Return whether a regular expression is one to Python and, as far as is seen, to ECMA-262."""
    if not isinstance(value, str) or PYTHON_ONLY.search(value):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(value)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _mend_type(value: Any) -> Any:
    names = value if isinstance(value, list) else [value]
    known = [
        name if name in TYPES else TYPE_WORDS.get(name.lower(), "")
        for name in names
        if isinstance(name, str)
    ]
    found = list(dict.fromkeys(name for name in known if name))
    if not found:
        return NOTHING
    return found[0] if len(found) == 1 and not isinstance(value, list) else found


def _mend_names(value: Any) -> Any:
    if not isinstance(value, list):
        return NOTHING
    return list(dict.fromkeys(name for name in value if isinstance(name, str))) or NOTHING


def _mend_number(value: Any) -> Any:
    if isinstance(value, str):
        try:
            value = int(value) if value.lstrip("-").isdecimal() else float(value)
        except ValueError:
            return NOTHING
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and abs(value) != float("inf") and value == value else NOTHING


def _mend_positive(value: Any) -> Any:
    number = _mend_number(value)
    return number if number is not NOTHING and number > 0 else NOTHING


def _mend_count(value: Any) -> Any:
    number = _mend_number(value)
    whole = number is not NOTHING and number >= 0 and number == int(number)
    return int(number) if whole else NOTHING


def _mend_pattern(value: Any) -> Any:
    return value if is_pattern(value) else NOTHING


CHECKS: dict[str, Callable[[Any], Any]] = {
    "type": _mend_type,
    "names": _mend_names,
    "number": _mend_number,
    "positive": _mend_positive,
    "count": _mend_count,
    "pattern": _mend_pattern,
}
