"""What a schema demands, with all that stands beside it and in its `allOf`."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from attrs import define, field

MAX_DEPTH = 60
"""Levels of schemas inside schemas that are told; what lies deeper is `unknown`."""

MAX_REACH = 200
"""Components that one may extend; more are not followed."""

SCHEMAS = "#/components/schemas/"
ANNOTATIONS = (
    "$comment", "default", "deprecated", "description", "example", "examples", "externalDocs",
    "readOnly", "summary", "title", "writeOnly", "xml",
)  # fmt: skip
OBJECT_KEYS = (
    "properties", "required", "additionalProperties", "patternProperties", "unevaluatedProperties",
)  # fmt: skip
LIST_KEYS = ("items", "prefixItems")

Value = str | int | float | bool | None
Choice = tuple[Sequence[Any], Mapping[str, Any]]
"""Alternatives, and the discriminator beside them."""


@define
class Demands:
    """What a value must be to fit a schema; all of it holds together.

    Args:
        refs: components that it must fit as well.
        properties: schemas of each property; all of them hold.
        seen: schemas of properties that hold for some of its kinds only.
        required: properties that must be there.
        rest: schemas of the properties that have no name.
        closed: there are no other properties.
        is_object: it is an object, whatever else is known.
        own: schemas with values or kinds of their own (`enum`, `type`).
        choices: of each, one alternative must fit.
        impossible: no value fits.
    """

    refs: list[str] = field(factory=list)
    properties: dict[str, list[Any]] = field(factory=dict)
    seen: dict[str, list[Any]] = field(factory=dict)
    required: dict[str, None] = field(factory=dict)
    rest: list[Any] = field(factory=list)
    closed: bool = False
    is_object: bool = False
    own: list[Mapping[str, Any]] = field(factory=list)
    choices: list[Choice] = field(factory=list)
    impossible: bool = False

    def schemas_of(self, name: str) -> list[Any]:
        """Return the schemas that are known of a property."""
        return self.properties.get(name) or self.seen.get(name) or []


class Components:
    """The component schemas of a description, by name."""

    def __init__(self, schemas: Mapping[str, Any]) -> None:
        self.schemas = schemas
        self._demands: dict[str, Demands] = {}
        self._reach: dict[str, tuple[str, ...]] = {}
        self._ends: dict[str, str] = {}

    def find(self, ref: object) -> str | None:
        """Return the name of the component that a `$ref` or a mapping's value leads to."""
        if not isinstance(ref, str):
            return None
        name = ref
        if ref.startswith(SCHEMAS):
            name = unquote(ref.removeprefix(SCHEMAS)).replace("~1", "/").replace("~0", "~")
        return name if name in self.schemas else None

    def demands(self, name: str) -> Demands:
        """Return what a component demands."""
        if name not in self._demands:
            self._demands[name] = self.gather(self.schemas[name])
        return self._demands[name]

    def gather(self, schema: Any) -> Demands:
        """Return what a schema demands, its `$ref` and the branches of its `allOf` included."""
        demands = Demands()
        self._gather(schema, demands, 0)
        return demands

    def _gather(self, schema: Any, demands: Demands, depth: int) -> None:
        if schema is False or (isinstance(schema, dict) and schema.get("not") in (True, {})):
            demands.impossible = True
        if not isinstance(schema, dict) or depth > MAX_DEPTH:
            return
        name = self.find(schema.get("$ref"))
        if name is not None and name not in demands.refs:
            demands.refs.append(name)
        kinds = kinds_of(schema)
        if "const" in schema or "enum" in schema:
            demands.own.append(schema)
        elif kinds == ["object"]:
            _gather_object(schema, demands)
        elif kinds:
            demands.own.append(schema)
        if "object" in kinds or "enum" in schema:
            for key, value in mapping_at(schema, "properties").items():
                demands.seen.setdefault(key, []).append(value)
        for branch in list_at(schema, "allOf"):
            self._gather(branch, demands, depth + 1)
        for word in ("oneOf", "anyOf"):
            if members := list_at(schema, word):
                demands.choices.append((members, mapping_at(schema, "discriminator")))

    def reach(self, name: str) -> tuple[str, ...]:
        """Return a component and all that it extends, nearest first."""
        if name not in self._reach:
            found = {name: None}
            waiting = [name]
            for now in waiting:
                for after in self.demands(now).refs:
                    if after not in found and len(found) < MAX_REACH:
                        found[after] = None
                        waiting.append(after)
            self._reach[name] = tuple(found)
        return self._reach[name]

    def extends(self, name: str, base: str) -> bool:
        """Return whether a component is another one with more demands."""
        return name != base and base in self.reach(name)

    def unalias(self, name: str) -> str:
        """Return the component that one stands for, if it is only another name."""
        way: dict[str, None] = {}
        while name not in self._ends and name not in way:
            way[name] = None
            schema = self.schemas[name]
            after = self.find(schema.get("$ref")) if isinstance(schema, dict) else None
            if after is None or any(key != "$ref" and says(key) for key in schema):
                break
            name = after
        end = self._ends.get(name, name)
        self._ends.update(dict.fromkeys(way, end))
        return end

    def schemas_of(self, name: str, key: str) -> Iterator[Any]:
        """Yield the schemas of a component's property, inherited ones too."""
        for each in self.reach(name):
            yield from self.demands(each).schemas_of(key)

    def required_by(self, name: str) -> Iterator[str]:
        """Yield the properties that a component demands, inherited ones too."""
        for each in self.reach(name):
            yield from self.demands(each).required

    def ensures(self, name: str, key: str) -> bool:
        """Return whether a component both demands a property and knows its schema."""
        return key in self.required_by(name) and any(True for _ in self.schemas_of(name, key))

    def values_of(self, schema: Any) -> list[Value] | None:
        """Return the only values that fit a schema, or None if these are not listed."""
        return self._values(schema, set(), 0)

    def _values(self, schema: Any, seen: set[str], depth: int) -> list[Value] | None:
        if not isinstance(schema, dict) or depth > MAX_DEPTH:
            return None
        listed = [schema["const"]] if "const" in schema else list_at(schema, "enum")
        if listed:
            return [value for value in listed if is_plain(value)]
        branches = list_at(schema, "allOf")
        name = self.find(schema.get("$ref"))
        if name is not None and name not in seen:
            # Each component is looked at once: many ways may lead to it.
            seen.add(name)
            branches = [self.schemas[name], *branches]
        for branch in branches:
            found = self._values(branch, seen, depth + 1)
            if found is not None:
                return found
        for word in ("oneOf", "anyOf"):
            every = [self._values(each, seen, depth + 1) for each in list_at(schema, word)]
            if every and None not in every:
                return [value for values in every for value in values or ()]
        return None

    def is_read_only(self, schema: Any) -> bool:
        """Return whether a schema says that it is only read, or what it refers to or combines."""
        seen: set[str] = set()
        todo = [schema]
        while todo:
            each = todo.pop()
            if not isinstance(each, dict):
                continue
            if each.get("readOnly") is True:
                return True
            todo.extend(list_at(each, "allOf"))
            name = self.find(each.get("$ref"))
            if name is not None and name not in seen:
                seen.add(name)
                todo.append(self.schemas[name])
        return False

    def kinds_of(self, schema: Any) -> list[str]:
        """Return the kinds of value that a schema names, by way of other names too."""
        if not isinstance(schema, dict):
            return []
        name = self.find(schema.get("$ref"))
        return kinds_of(self.schemas[self.unalias(name)] if name is not None else schema)


def _gather_object(schema: Mapping[str, Any], demands: Demands) -> None:
    demands.is_object = demands.is_object or schema.get("type") is not None
    for key, value in mapping_at(schema, "properties").items():
        demands.properties.setdefault(key, []).append(value)
    demands.required.update(
        (name, None) for name in list_at(schema, "required") if isinstance(name, str)
    )
    patterns = mapping_at(schema, "patternProperties")
    demands.rest.extend(patterns.values())
    others = schema.get("additionalProperties", schema.get("unevaluatedProperties"))
    if others is False:
        demands.closed = True
    elif others is not None:
        demands.rest.append(others)


def kinds_of(schema: Any) -> list[str]:
    """Return the kinds of value that a schema names, or that its other words stand for."""
    if not isinstance(schema, dict):
        return []
    kind = schema.get("type")
    if isinstance(kind, str):
        return [kind]
    if isinstance(kind, list):
        return [each for each in kind if isinstance(each, str)]
    if any(schema.get(key) not in (None, True) for key in OBJECT_KEYS):
        return ["object"]
    return ["array"] if any(key in schema for key in LIST_KEYS) else []


def is_of_kind(value: object, kind: str) -> bool:
    """Return whether a value of JSON is of a kind."""
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, int | float):
        return kind == "number" or (kind == "integer" and value == int(value))
    names = {str: "string", list: "array", dict: "object", type(None): "null"}
    return names.get(type(value)) == kind


def is_plain(value: object) -> bool:
    """Return whether a value is neither a list nor an object."""
    return value is None or isinstance(value, str | int | float | bool)


def mapping_at(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the object that stands at a key, or an empty one."""
    value = schema.get(key)
    return value if isinstance(value, dict) else {}


def list_at(schema: Mapping[str, Any], key: str) -> list[Any]:
    """Return the list that stands at a key, or an empty one."""
    value = schema.get(key)
    return value if isinstance(value, list) else []


def fit_tags(tags: Iterable[str], own: Sequence[Value] | None, kinds: Sequence[str]) -> list[Value]:
    """Return the values of a tag as a variant's own schema for it takes them.

    Args:
        tags: as a discriminator gives them, which is always as texts.
        own: the values that the variant lists for its tag, or None.
        kinds: the kinds of value that it names for it.

    Returns:
        Nothing if the variant says otherwise: then its own word is the better one.
    """
    found: list[Value] = []
    for tag in tags:
        value: Value = tag
        if kinds and "string" not in kinds:
            if not {"integer", "number"} & set(kinds) or not re.fullmatch(r"-?\d{1,15}", tag):
                continue
            value = int(tag)
        if own is None or value in own:
            found.append(value)
    return found


def says(key: str) -> bool:
    """Return whether a word of a schema demands something."""
    return key not in ANNOTATIONS and not key.startswith("x-")
