"""The description of one operation, made ready to check one message by it."""

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from sourcebook_schema.bundle.repair import subschemas
from sourcebook_schema.facts import METHODS

ROUTE = "/"
"""Where the operation is put: its own path, or that of an event, says nothing about a message."""

TEXT_DEPTH = 4
"""How deep values that are written as texts are looked at; styles of parameters reach no deeper."""

LITERALS = frozenset({"example", "examples", "default", "value"})


def prepare(
    description: Mapping[str, Any], pointer: str, *, is_response: bool, path_known: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a description with the operation at `pointer` on `ROUTE`, and that operation.

    Credentials are not asked for. In a request nothing may hold a property that is only read, in a
    response one that is only written, and neither must.
    """
    document = copy.deepcopy({**description})
    operation: Any = document
    keys = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for key in keys:
        operation = operation[key]
    components = document.get("components", {})
    for field in ("security", "servers", "callbacks"):
        operation.pop(field, None)
    parameters = [{**resolve(one, components)} for one in operation.pop("parameters", ())]
    for parameter in parameters:
        if parameter.get("style") == "deepObject":
            parameter["explode"] = True  # the only way there is, often left unsaid
        _make_textual(parameter, components)
    operation["parameters"] = [one for one in parameters if path_known or one["in"] != "path"]
    prepared = {
        "openapi": document["openapi"],
        "info": document["info"],
        "paths": {ROUTE: {method_of(pointer): operation}},
        "components": components,
    }
    for one in _textual_places(operation, components):
        _make_textual(one, components)
    flag = "writeOnly" if is_response else "readOnly"
    roots = [*_roots(prepared)]
    hidden = [
        (part, names)
        for root in roots
        for part in subschemas(root)
        if (names := _flagged(part, flag, components))
    ]
    for part, names in hidden:
        _hide(part, names, flag)
    return prepared, operation


def _textual_places(operation: Mapping[str, Any], components: Mapping[str, Any]) -> Iterator[Any]:
    """Yield headers of answers and bodies that are forms: their values are written as texts."""
    yield from components.get("headers", {}).values()
    responses = operation.get("responses", {}).values()
    for response in responses:
        yield from resolve(response, components).get("headers", {}).values()
    bodies = [operation.get("requestBody"), *responses]
    for body in bodies:
        content = resolve(body, components).get("content", {}) if body is not None else {}
        yield from (
            media
            for name, media in content.items()
            if name.startswith(("multipart/", "application/x-www-form-urlencoded"))
        )


def _make_textual(holder: Any, components: Mapping[str, Any]) -> None:
    if isinstance(holder, dict) and isinstance(holder.get("schema"), dict):
        holder["schema"] = _textual(holder["schema"], components)


def _textual(schema: Any, components: Mapping[str, Any], depth: int = 0) -> Any:
    """Return a schema for a value that is written as text: openapi-core reads that by its one type.

    Nothing is written as null, so that is no type of it; of several others none is asked for.
    """
    if not isinstance(schema, dict) or depth > TEXT_DEPTH:
        return schema
    if "$ref" in schema:
        target = resolve(schema, components)
        siblings = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**target, **siblings} if isinstance(target, dict) else target
        if not isinstance(schema, dict):
            return schema
    made = {**schema}
    if isinstance(schema.get("type"), list):
        types = [one for one in schema["type"] if one != "null"]
        del made["type"]
        if len(types) == 1:
            made["type"] = types[0]
    for key in ("items", "additionalProperties"):
        if key in made:
            made[key] = _textual(made[key], components, depth + 1)
    if isinstance(made.get("properties"), dict):
        made["properties"] = {
            name: _textual(one, components, depth + 1) for name, one in made["properties"].items()
        }
    return made


def method_of(pointer: str) -> str:
    """Return the method of the operation at `pointer`, or `post` if openapi-core knows no such."""
    method = pointer.rpartition("/")[2]
    return method if method in METHODS else "post"


def resolve(value: Any, components: Mapping[str, Any]) -> Any:
    """Return what a reference to a component leads to, or the value itself."""
    seen: set[str] = set()
    while isinstance(value, dict) and isinstance(value.get("$ref"), str):
        target = value["$ref"]
        if target in seen:
            return {}
        seen.add(target)
        _, _, section, name = target.split("/", 3)
        value = components[section][name.replace("~1", "/").replace("~0", "~")]
    return value


def _roots(value: Any) -> Iterator[Any]:
    """Yield every schema that is not inside another."""
    if isinstance(value, list):
        for item in value:
            yield from _roots(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key == "schema":
                if isinstance(item, bool):
                    value[key] = item = {} if item else {"not": {}}
                yield item
            elif key == "schemas":
                yield from item.values()
            elif key not in LITERALS:
                yield from _roots(item)


def _flagged(schema: dict[str, Any], flag: str, components: Mapping[str, Any]) -> set[str]:
    """Return the properties of a schema, and of what it is composed of, that have a flag."""
    found: set[str] = set()
    seen: set[int] = set()
    todo: list[Any] = [schema]
    while todo:
        part = todo.pop()
        if not isinstance(part, dict) or id(part) in seen:
            continue
        seen.add(id(part))
        for name, value in part.get("properties", {}).items():
            if _bears(value, flag, components):
                found.add(name)
        todo.extend(part.get("allOf", ()))
        if "$ref" in part:
            todo.append(resolve(part, components))
    return found


def _bears(value: Any, flag: str, components: Mapping[str, Any]) -> bool:
    """Whether a schema has a flag, or what it refers to or combines with `allOf`."""
    seen: set[int] = set()
    todo: list[Any] = [value]
    while todo:
        part = todo.pop()
        if isinstance(part, dict) and id(part) not in seen:
            seen.add(id(part))
            if part.get(flag) is True:
                return True
            todo += [*part.get("allOf", ()), resolve(part, components)]
    return False


def _hide(schema: dict[str, Any], names: set[str], flag: str) -> None:
    """Let nothing that fits a schema have some properties."""
    for name in names & schema.get("properties", {}).keys():
        schema["properties"][name] = {"not": {}, "x-hidden": flag}
    for part in (schema, *(one for one in schema.get("allOf", ()) if isinstance(one, dict))):
        if "required" in part:
            part["required"] = [name for name in part["required"] if name not in names]
