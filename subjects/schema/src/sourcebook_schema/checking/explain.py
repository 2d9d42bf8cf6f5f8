"""Errors of JSON Schema as what was expected and what is there, all of them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sourcebook.naming import nearest

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

SHOWN = 100
"""Characters of a value, and names in a list, that are shown at most."""

Explained = tuple[str, str, str, str]
"""A pointer, what was expected, what is there, the keyword."""

_COMPARED = {
    "minimum": "a number >= {}",
    "maximum": "a number <= {}",
    "exclusiveMinimum": "a number > {}",
    "exclusiveMaximum": "a number < {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} properties",
    "maxProperties": "at most {} properties",
    "pattern": "a text that matches {}",
    "format": "the format {}",
    "const": "{}",
}


def explain(errors: Iterable["ValidationError"]) -> Iterator[Explained]:
    """Yield what each error says, that of alternatives by the one which comes nearest."""
    for error in errors:
        if error.validator in ("anyOf", "oneOf") and error.context:
            yield from _of_alternatives(error)
        else:
            yield from _of_one(error)


def _of_one(error: "ValidationError") -> Iterator[Explained]:
    pointer = _pointer(error.absolute_path)
    rule = str(error.validator or "false")
    instance, limit = error.instance, error.validator_value
    actual = shown(instance)
    schema: Mapping[str, Any] = error.schema if isinstance(error.schema, dict) else {}
    if rule == "required":
        for name in limit:
            if name not in instance:
                yield f"{pointer}/{_escaped(name)}", _kind_of(schema, name), "nothing", rule
    elif rule in ("additionalProperties", "unevaluatedProperties") and isinstance(instance, dict):
        known = [*schema.get("properties", {})]
        for name in _extra(error):
            near = nearest(name, known)
            yield (
                f"{pointer}/{_escaped(name)}",
                "no such property" + (f" (did you mean `{near}`?)" if near else ""),
                shown(instance[name]),
                rule,
            )
    elif hidden := schema.get("x-hidden"):
        sent = "only read, never sent" if hidden == "readOnly" else "only written, never returned"
        yield pointer, f"nothing: it is {sent}", actual, str(hidden)
    else:
        yield pointer, _expected(rule, limit, error.message), actual, rule


def _expected(rule: str, limit: Any, message: str) -> str:
    if rule == "type":
        return " or ".join(limit) if isinstance(limit, list) else str(limit)
    if rule == "enum":
        return "one of " + ", ".join(shown(one) for one in limit[:SHOWN])
    if rule in _COMPARED:
        return _COMPARED[rule].format(shown(limit) if rule == "const" else limit)
    if rule == "uniqueItems":
        return "items that differ"
    if rule == "not":
        return "what does not fit the schema under `not`"
    if rule == "false":
        return "nothing"
    return message[: 2 * SHOWN]


def _of_alternatives(error: "ValidationError") -> Iterator[Explained]:
    """Yield the errors of the alternative that fits best: the one whose errors lie deepest, then
    the one with the fewest; of several that fit not at all, what each expects."""
    branches: dict[Any, list[ValidationError]] = {}
    for one in error.context:
        branches.setdefault(one.schema_path[0], []).append(one)
    deepest = {at: min(len(one.path) for one in found) for at, found in branches.items()}
    apart = [found[0] for at, found in branches.items() if _is_apart(found)]
    near = [at for at, found in branches.items() if not _is_apart(found)]
    if near:
        best = min(near, key=lambda at: (-deepest[at], len(branches[at])))
        yield from explain(branches[best])
        return
    expected = dict.fromkeys(text for one in explain(apart) for text in [one[1]])
    yield (
        _pointer(error.absolute_path),
        " or ".join(expected),
        shown(error.instance),
        str(error.validator),
    )


def _is_apart(errors: list["ValidationError"]) -> bool:
    """Return whether a value is of another kind than an alternative."""
    return any(not one.path and one.validator in ("type", "const", "enum") for one in errors)


def _extra(error: "ValidationError") -> list[str]:
    """Return the properties that an error is about: it names them, and nothing else does."""
    return [name for name in error.instance if repr(name) in error.message]


def _kind_of(schema: Mapping[str, Any], name: str) -> str:
    """Return what a property should be, in a word."""
    value = schema.get("properties", {}).get(name)
    kind = value.get("type") if isinstance(value, dict) else None
    if isinstance(kind, list):
        kind = " or ".join(kind)
    if kind is None and isinstance(value, dict) and "$ref" in value:
        kind = value["$ref"].rpartition("/")[2]
    return kind or "a value"


def shown(value: Any) -> str:
    """Return a value as JSON, cut where it is long."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _pointer(path: Iterable[Any]) -> str:
    return "".join(f"/{_escaped(str(part))}" for part in path)


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
