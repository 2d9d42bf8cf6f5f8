"""What may stand where in an API description, as far as it takes to find its references.

A `$ref` in an example, a default or an extension is a text like others, so references are found by
what a place is for and not by their key alone.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple, TypeAlias

from sourcebook_schema.facts import FIELDS_OF_METHODS, MORE_METHODS, make_uri
from sourcebook_schema.reading.pointer import (
    NothingThere,
    escape,
    parts_in_force,
    pointer_of,
    resolve,
    unescape,
)
from sourcebook_schema.reading.tree import Map, ReadError, Value

NO_DESCRIPTION = (
    "no API description: those of OpenAPI 3 have `openapi` at their top, those of Swagger 2.0 "
    "`swagger`"
)

_COMPONENTS = {
    "schemas": "schema", "responses": "response", "parameters": "parameter", "examples": "example",
    "requestBodies": "requestBody", "headers": "header", "securitySchemes": "securityScheme",
    "links": "link", "callbacks": "callback", "pathItems": "pathItem",
}  # fmt: skip
PLAIN_FIELDS: Final = {
    "info": "info", "servers": "list of server", "tags": "list of tag",
    "externalDocs": "externalDocs",
}  # fmt: skip
"""Fields of a description that are read as they are, and their roles."""

_VALUE = {
    "schema": "schema",
    "items": "schema",
    "content": "map of content",
    "examples": "map of example",
}
_GRAMMAR: Final[dict[str, dict[str, str]]] = {
    "root": {
        "paths": "paths",
        "webhooks": "webhooks",
        "x-webhooks": "webhooks",
        "components": "components",
        **PLAIN_FIELDS,
        "definitions": "section of schema",
        "parameters": "section of parameter",
        "responses": "section of response",
    },
    "components": {key: f"section of {role}" for key, role in _COMPONENTS.items()},
    "pathItem": {
        **dict.fromkeys(FIELDS_OF_METHODS, "operation"),
        MORE_METHODS: "map of operation",
        "parameters": "list of parameter",
    },
    "operation": {
        "parameters": "list of parameter",
        "requestBody": "requestBody",
        "responses": "map of response",
        "callbacks": "map of callback",
    },
    "parameter": _VALUE,
    "header": _VALUE,
    "requestBody": {"content": "map of content"},
    "response": {
        "headers": "map of header",
        "content": "map of content",
        "links": "map of link",
        "schema": "schema",
    },
    "content": {
        "schema": "schema",
        "itemSchema": "schema",
        "examples": "map of example",
        "encoding": "map of encoding",
    },
    "encoding": {"headers": "map of header"},
    "schema": {
        **dict.fromkeys(
            (
                "additionalItems", "additionalProperties", "contains", "contentSchema", "else",
                "if", "items", "not", "propertyNames", "then", "unevaluatedItems",
                "unevaluatedProperties", "allOf", "anyOf", "oneOf", "prefixItems",
            ),
            "schema",
        ),
        **dict.fromkeys(
            ("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties",
             "properties"),
            "map of schema",
        ),
    },
}  # fmt: skip
"""By role, the roles of what stands below its keys. Where a schema may stand, a list of them may:
only some keywords have both, but nothing else that these could hold is a list."""

_OF_PATHS = frozenset({"paths", "webhooks", "callback"})
"""What maps to path items."""

_WITHOUT_REFERENCES = frozenset((
    "components", "content", "encoding", "externalDocs", "info", "paths", "server", "tag",
    "webhooks",
))  # fmt: skip
"""What cannot be referred to, in the words of OpenAPI; nor can a mapping or list of things."""

_A_FILE = re.compile(r"[/#]|\.(json|ya?ml)$", re.IGNORECASE)

Way: TypeAlias = tuple[str, ...]
"""How what stands somewhere is reached, where it does not say so itself: of a path item its path,
`webhook:` and its key, or `callback:`, the name of that and, on a line of its own, the expression;
of an operation its method, that, and the URIs of its path item and of the parameters which that
has."""


class Place(NamedTuple):
    """A place in a file and what must stand there: a role of `sourcebook_schema.facts.ROLES`, or
    `content`, `map of schema`, `list of parameter`, `section of schema` (of components, so that
    the keys are names) and the like."""

    pointer: str
    role: str
    way: Way = ()


class Reference(NamedTuple):
    """A reference: the text as it is written, the role and way of what it leads to, and what finds
    its line."""

    text: str
    role: str
    way: Way
    line: Callable[[], int]


class References:
    """Finds the references that lead out of one file.

    Args:
        root: what it holds.
        text: its text.
        name: its name.
    """

    def __init__(self, root: Value, text: str, name: str) -> None:
        self._root = root
        self._name = name
        self._seen: set[tuple[int, str, Way]] = set()
        self._ids = frozenset(_iter_ids(root) if "$id" in text else ())

    def reached(self, places: Iterable[Place]) -> Iterator[Reference]:
        """Yield the references that are reached from these places, by way of references within the
        file too, but not what has been reached before. One within the file that leads nowhere may
        go on in another file."""
        todo = [(resolve(self._root, place.pointer), place) for place in places]
        while todo:
            value, place = todo.pop()
            known = id(value), place.role, place.way
            if not isinstance(value, dict | list) or known in self._seen:
                continue
            self._seen.add(known)
            for reference in _references(value, place) if isinstance(value, Map) else ():
                target = self._target(reference)
                if target is None:
                    yield reference
                else:
                    todo.append(target)
            todo += reversed([*_parts(value, place, self._name)])

    def _target(self, reference: Reference) -> tuple[Value, Place] | None:
        """Return what a reference within the file leads to."""
        base, _, fragment = reference.text.partition("#")
        if base and not any(one == base or one.endswith("/" + base) for one in self._ids):
            return None
        try:
            pointer = pointer_of(self._root, fragment)
        except NothingThere:
            return (None, Place("", "")) if base else None
        value = resolve(self._root, pointer)
        return value, Place(pointer, reference.role, reference.way)


def _references(value: Map, place: Place) -> Iterator[Reference]:
    role = place.role
    if role != "root":
        for key in ("$ref", "$dynamicRef") if role == "schema" else ("$ref",):
            text = value.get(key)
            if isinstance(text, str):
                yield Reference(text, role, place.way, partial(value.line, key))
    if role == "link":
        text = value.get("operationRef")
        if isinstance(text, str):
            yield Reference(text, "operation", (), partial(value.line, "operationRef"))
    if role == "schema":
        discriminator = value.get("discriminator")
        mapping = discriminator.get("mapping") if isinstance(discriminator, Map) else None
        if isinstance(mapping, Map):
            for key, text in mapping.items():
                # Others are the names of schemas.
                if isinstance(text, str) and _A_FILE.search(text):
                    yield Reference(text, "schema", (), partial(mapping.line, key))


def _parts(value: Map | list[Value], place: Place, source: str) -> Iterator[tuple[Value, Place]]:
    """Yield what stands right below a place."""
    above, role = place.pointer, place.role
    inner = "pathItem" if role in _OF_PATHS else role.partition(" of ")[2]
    if isinstance(value, list):
        inner = inner or role
        for number, part in enumerate(value):
            yield part, Place(f"{above}/{number}", inner)
    elif inner:
        for key, part in value.items():
            way: Way = ()
            if inner == "pathItem" and key.startswith("x-"):
                continue
            if role in ("paths", "webhooks"):
                way = (key if role == "paths" else f"webhook:{key}",)
            elif role == "callback":
                name = unescape(above.rpartition("/")[2]) or PurePosixPath(source).stem
                way = (f"callback:{name}\n{key}",)
            elif inner == "operation" and place.way:
                way = (key.lower(), *place.way)
            yield part, Place(f"{above}/{escape(key)}", inner, way)
    else:
        grammar = _GRAMMAR.get(role, {})
        for key, part in value.items():
            if key in grammar:
                way = ()
                if place.way and key == MORE_METHODS:
                    way = (*place.way, *_around(value, above, source))
                elif place.way and grammar[key] == "operation":
                    way = (key, *place.way, *_around(value, above, source))
                yield part, Place(f"{above}/{escape(key)}", grammar[key], way)


def _around(item: Map, pointer: str, source: str) -> Iterator[str]:
    """Yield the URI of a path item, and those of its parameters."""
    yield make_uri(source, pointer)
    parameters = item.get("parameters")
    for number in range(len(parameters) if isinstance(parameters, list) else 0):
        yield make_uri(source, f"{pointer}/parameters/{number}")


def may_be_referred_to(role: str) -> bool:
    """Whether a standard lets references lead to what has this role."""
    return role not in _WITHOUT_REFERENCES and " of " not in role


def unfold(
    value: Value,
    place: Place,
    refer: Callable[[Place, str], str],
    follow: Callable[[str, Place], str],
) -> Any:
    """Return, as a JSON value, what stands for a reference to something that none may lead to: all
    that has a role of its own in it is a reference.

    Args:
        value: what that is.
        place: where it is.
        refer: returns the reference to a part; it is given the part, and the role of what that lies
            in.
        follow: returns what stands in place of a reference that is itself such a one; it is given
            that, and the place at which it stands.
    """
    if not isinstance(value, dict | list):
        return value
    parts = {}
    for part, below in _parts(value, place, ""):
        if not may_be_referred_to(below.role):
            parts[below.pointer] = unfold(part, below, refer, follow)
        elif isinstance(part, Map) or (below.role == "schema" and isinstance(part, bool)):
            parts[below.pointer] = {"$ref": refer(below, place.role)}
        else:
            parts[below.pointer] = part
    if isinstance(value, list):
        return [*parts.values()]
    return {
        key: follow(part, place)
        if key == "$ref" and isinstance(part, str)
        else parts.get(f"{place.pointer}/{escape(key)}", part)
        for key, part in value.items()
    }


def _iter_ids(root: Value) -> Iterator[str]:
    """Yield what schemas call themselves by `$id`."""
    todo = [(root, False)]
    seen: set[tuple[int, bool]] = set()
    while todo:
        value, is_named = todo.pop()
        if (id(value), is_named) in seen:
            continue
        seen.add((id(value), is_named))
        if isinstance(value, Map) and not is_named:
            name = value.get("$id")
            if isinstance(name, str) and not name.startswith("#"):
                yield name.rstrip("#")
        todo += [(part, named) for _, part, named in parts_in_force(value, is_named=is_named)]


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
