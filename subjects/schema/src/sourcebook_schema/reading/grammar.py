"""What may stand where in an API description, as far as it takes to find its references.

A `$ref` in an example, a default or an extension is a text like others, so references are found by
what a place is for and not by their key alone.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final, NamedTuple

from sourcebook_schema.reading.pointer import NothingThere, pointer_of, resolve
from sourcebook_schema.reading.tree import Map, ReadError, Value

NO_DESCRIPTION = (
    "no API description: those of OpenAPI 3 have `openapi` at their top, those of Swagger 2.0 "
    "`swagger`"
)

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")

# By role and key: whether one thing stands there, a list or a mapping of them, and in which role.
_ONE, _LIST, _MAP, _ANY = "one", "list", "map", "any"
_COMPONENTS = {
    "schemas": "schema", "responses": "response", "parameters": "parameter", "examples": "example",
    "requestBodies": "requestBody", "headers": "header", "securitySchemes": "securityScheme",
    "links": "link", "callbacks": "callback", "pathItems": "pathItem",
}  # fmt: skip
_VALUE = {
    "schema": (_ONE, "schema"),
    "items": (_ONE, "schema"),
    "content": (_MAP, "content"),
    "examples": (_MAP, "example"),
}
_GRAMMAR: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "root": {
        "paths": (_MAP, "pathItem"),
        "webhooks": (_MAP, "pathItem"),
        "x-webhooks": (_MAP, "pathItem"),
        "components": (_ONE, "components"),
        "definitions": (_MAP, "schema"),
        "parameters": (_MAP, "parameter"),
        "responses": (_MAP, "response"),
    },
    "components": {key: (_MAP, role) for key, role in _COMPONENTS.items()},
    "pathItem": {
        **dict.fromkeys(_METHODS, (_ONE, "operation")),
        "additionalOperations": (_MAP, "operation"),
        "parameters": (_LIST, "parameter"),
    },
    "operation": {
        "parameters": (_LIST, "parameter"),
        "requestBody": (_ONE, "requestBody"),
        "responses": (_MAP, "response"),
        "callbacks": (_MAP, "callback"),
    },
    "parameter": _VALUE,
    "header": _VALUE,
    "requestBody": {"content": (_MAP, "content")},
    "response": {
        "headers": (_MAP, "header"),
        "content": (_MAP, "content"),
        "links": (_MAP, "link"),
        "schema": (_ONE, "schema"),
    },
    "content": {
        "schema": (_ONE, "schema"),
        "itemSchema": (_ONE, "schema"),
        "examples": (_MAP, "example"),
        "encoding": (_MAP, "encoding"),
    },
    "encoding": {"headers": (_MAP, "header")},
    "schema": {
        **dict.fromkeys(
            (
                "additionalItems", "additionalProperties", "contains", "contentSchema", "else",
                "if", "items", "not", "propertyNames", "then", "unevaluatedItems",
                "unevaluatedProperties", "allOf", "anyOf", "oneOf", "prefixItems",
            ),
            (_ANY, "schema"),
        ),
        **dict.fromkeys(
            ("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties",
             "properties"),
            (_MAP, "schema"),
        ),
    },
}  # fmt: skip

_NO_REFERENCES = frozenset({"root", "components", "operation", "content", "encoding"})
_A_FILE = re.compile(r"[/#]|\.(json|ya?ml)$", re.IGNORECASE)


class Place(NamedTuple):
    """A place in a file and what must stand there; of a path item, `route` is its path,
    `webhook:` and its key, or empty."""

    pointer: str
    role: str
    route: str = ""


class Reference(NamedTuple):
    """A reference: the text as it is written, the role of what it leads to, the route of a path
    item, and what finds its line."""

    text: str
    role: str
    route: str
    line: Callable[[], int]


class References:
    """Finds the references that lead out of one file.

    Args:
        text: the file's text.
    """

    def __init__(self, root: Value, text: str) -> None:
        self._root = root
        self._seen: set[tuple[int, str, str]] = set()
        self._ids = frozenset(_iter_ids(root) if "$id" in text else ())

    def reached(self, places: Iterable[Place]) -> Iterator[Reference]:
        """Yield the references that are reached from these places, by way of references within the
        file too, but not what has been reached before."""
        todo: list[tuple[Value, str, str]] = []
        for pointer, role, route in places:
            todo.append((resolve(self._root, pointer), role, route))
        while todo:
            value, role, route = todo.pop()
            known = id(value), role, route
            if not isinstance(value, Map) or known in self._seen:
                continue
            self._seen.add(known)
            for reference in _references(value, role, route):
                if self._inside(reference.text):
                    todo += self._targets(reference)
                else:
                    yield reference
            todo += reversed([*_parts(value, role, route)])

    def _inside(self, ref: str) -> bool:
        base = ref.partition("#")[0]
        return not base or any(one == base or one.endswith("/" + base) for one in self._ids)

    def _targets(self, reference: Reference) -> list[tuple[Value, str, str]]:
        text, role, route, _ = reference
        try:
            pointer = pointer_of(self._root, text.partition("#")[2])
        except NothingThere:
            return []
        return [(resolve(self._root, pointer), role, route)]


def _references(value: Map, role: str, route: str) -> Iterator[Reference]:
    if role not in _NO_REFERENCES:
        for key in ("$ref", "$dynamicRef") if role == "schema" else ("$ref",):
            text = value.get(key)
            if isinstance(text, str):
                yield Reference(text, role, route, partial(value.line, key))
    if role == "link":
        text = value.get("operationRef")
        if isinstance(text, str):
            yield Reference(text, "operation", "", partial(value.line, "operationRef"))
    if role == "schema":
        discriminator = value.get("discriminator")
        mapping = discriminator.get("mapping") if isinstance(discriminator, Map) else None
        if isinstance(mapping, Map):
            for key, text in mapping.items():
                # Others are the names of schemas.
                if isinstance(text, str) and _A_FILE.search(text):
                    yield Reference(text, "schema", "", partial(mapping.line, key))


def _parts(value: Map, role: str, route: str) -> Iterator[tuple[Value, str, str]]:
    if role == "callback":
        for part in value.values():
            yield part, "pathItem", ""
        return
    grammar = _GRAMMAR.get(role, {})
    for key, part in value.items():
        if key not in grammar:
            continue
        shape, inner = grammar[key]
        if shape == _MAP and isinstance(part, Map):
            for name, each in part.items():
                way = ""
                if role == "root" and inner == "pathItem":
                    way = name if key == "paths" else f"webhook:{name}"
                yield each, inner, way
        elif shape in (_LIST, _ANY) and isinstance(part, list):
            for each in part:
                yield each, inner, ""
        elif shape in (_ONE, _ANY):
            yield part, inner, ""


def _iter_ids(root: Value) -> Iterator[str]:
    """Yield what schemas call themselves by `$id`."""
    todo = [root]
    seen: set[int] = set()
    while todo:
        value = todo.pop()
        if not isinstance(value, dict | list) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Map):
            name = value.get("$id")
            if isinstance(name, str) and not name.startswith("#"):
                yield name.rstrip("#")
            todo.extend(value.values())
        else:
            todo.extend(value)


def is_description(root: Value) -> bool:
    """Whether it is a description, of whatever version."""
    return isinstance(root, Map) and any(
        isinstance(root.get(key), str | float | int) for key in ("openapi", "swagger")
    )


def format_of(root: Value) -> str:
    """Return the format of a description: `3.1`, `3.0` or `2.0`; 3.2 is read as 3.1.

    Raises:
        ReadError: it is no description, of another version, or of no use as one.
    """
    if not isinstance(root, Map) or not is_description(root):
        raise ReadError(NO_DESCRIPTION)
    key = "openapi" if "openapi" in root else "swagger"
    version = str(getattr(root[key], "text", root[key]))
    found = re.match(r"(3\.[012]|2(?=$|\.0))(?![0-9])", version)
    if not found or (key == "swagger") != version.startswith("2"):
        raise ReadError(
            f"{key} {version[:40]} is not read; OpenAPI 3.0 to 3.2 and Swagger 2.0 are",
            root.line(key),
        )
    for name in ("paths", "webhooks", "components", "definitions"):
        part = root.get(name)
        if part is not None and not isinstance(part, Map):
            what = "a list" if isinstance(part, list) else f"`{part!s:.40}`"
            raise ReadError(f"`{name}` is {what}, and must be a mapping", root.line(name))
    return {"2": "2.0", "3.2": "3.1"}.get(found[1], found[1])
