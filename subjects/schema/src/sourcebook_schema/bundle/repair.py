"""Repairs of schemas that need all of them: circles, `required`, defaults.

The last two are what openapi-spec-validator asks for beyond the standard, and where it would
recurse without end.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sourcebook_schema.bundle.fit import fit_default
from sourcebook_schema.bundle.pending import Pending

Schemas = dict[str, Any]
"""Mended schemas by URI; a `$ref` in one is `Pending`, a URI among them."""

UNION = ("oneOf", "anyOf")
ANNOTATIONS = frozenset({
    "title", "description", "default", "example", "examples", "deprecated", "readOnly",
    "writeOnly", "externalDocs", "xml",
})  # fmt: skip


def repair(schemas: Schemas, inline: Sequence[Any], hints: dict[str, str]) -> None:
    """Change schemas, components and others, so that a validator takes them. Bases that are parted
    from unions become components, `hints` gets their names."""
    _part_bases(schemas, hints)
    _cut_circles(schemas)
    endless = _endless(schemas)
    for schema in [*schemas.values(), *inline]:
        for part in subschemas(schema):
            if "allOf" in part:
                _hide_endless(part, schemas, endless)
                _move_required(part, schemas)
            if "default" in part:
                fit_default(part, schemas)


def subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a schema and all those inside it, references not followed."""
    todo = [schema]
    while todo:
        part = todo.pop()
        if not isinstance(part, dict):
            continue
        yield part
        for key, value in part.items():
            if key in ("properties", "patternProperties", "dependentSchemas"):
                todo.extend(value.values())
            elif key in ("allOf", "anyOf", "oneOf", "prefixItems"):
                todo.extend(value)
            elif key in (
                "items", "contains", "additionalProperties", "propertyNames", "unevaluatedItems",
                "unevaluatedProperties", "contentSchema", "not", "if", "then", "else",
            ):  # fmt: skip
                todo.append(value)


def _in_place(schema: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each reference that applies to the very value that `schema` does: the schema that
    holds it, and the keyword by which that stands in its owner."""
    todo = [(schema, "")]
    while todo:
        part, label = todo.pop()
        if not isinstance(part, dict):
            continue
        if "$ref" in part:
            yield part, label
        for key in ("allOf", "anyOf", "oneOf"):
            todo.extend((item, key) for item in part.get(key, ()))
        todo.extend((part[key], key) for key in ("not", "if", "then", "else") if key in part)
        todo.extend(
            (item, "dependentSchemas") for item in part.get("dependentSchemas", {}).values()
        )


def _circles(graph: Mapping[str, list[str]]) -> dict[str, int]:
    """Return a number for each node on a circle: equal for nodes that reach one another.

    Source:
        Tarjan, SIAM Journal on Computing 1972; the stack is our own, graphs may be deep.
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    on_path: set[str] = set()
    found: dict[str, int] = {}
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        path.append(root)
        on_path.add(root)
        while work:
            node, ends = work[-1]
            for end in ends:
                if end not in index:
                    index[end] = low[end] = len(index)
                    path.append(end)
                    on_path.add(end)
                    work.append((end, iter(graph[end])))
                    break
                if end in on_path:
                    low[node] = min(low[node], index[end])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = path.index(node)
                    group, path[at:] = path[at:], []
                    on_path.difference_update(group)
                    if len(group) > 1 or node in graph[node]:
                        found.update(dict.fromkeys(group, index[node]))
    return found


def _in_place_graph(schemas: Schemas) -> dict[str, list[str]]:
    return {uri: [part["$ref"] for part, _ in _in_place(schemas[uri])] for uri in schemas}


def _part_bases(schemas: Schemas, hints: dict[str, str]) -> None:
    """Part unions from what their variants inherit.

    Many descriptions have `Pet: {oneOf: [Cat, Dog]}` and `Cat: {allOf: [Pet, ...]}`, by which a
    cat must be a pet, which must be a cat, without end. What is meant is that a cat has the
    properties of a pet, so `allOf` gets a schema with those.
    """
    circles = _circles(_in_place_graph(schemas))
    for uri in sorted(circles):
        for part, label in list(_in_place(schemas[uri])):
            target = part["$ref"]
            base = schemas[target]
            if label == "allOf" and circles.get(target) == circles[uri] and _is_union(base):
                rest = {
                    key: value
                    for key, value in base.items()
                    if key not in (*UNION, "discriminator")
                }
                if rest.keys() <= ANNOTATIONS:
                    del part["$ref"]
                    continue
                made = f"{target}~base"
                schemas.setdefault(made, rest)
                hints[made] = f"{hints.get(target) or target.rpartition('/')[2]}Base"
                part["$ref"] = Pending(made, "schema")


def _is_union(schema: Any) -> bool:
    return isinstance(schema, dict) and any(key in schema for key in UNION)


def _cut_circles(schemas: Schemas) -> None:
    """Take out references by which a schema needs itself for the very same value: they say nothing,
    and validators do not return from them."""
    while circles := _circles(_in_place_graph(schemas)):
        uri = min(circles)
        for part, _ in list(_in_place(schemas[uri])):
            if circles.get(part["$ref"]) == circles[uri]:
                del part["$ref"]


def _collected(schema: Any) -> Iterator[Any]:
    """Yield the schemas of which openapi-spec-validator collects the names of properties, for one
    that stands in an `allOf`: through lists too, with no end where a list holds itself."""
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        yield schema["$ref"]
        return
    for key in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(key, ())
    yield from (schema[key] for key in ("items", "not") if key in schema)


def _collected_references(schema: Any) -> list[str]:
    found: list[str] = []
    todo = [schema]
    while todo:
        for part in _collected(todo.pop()):
            if isinstance(part, str):
                found.append(part)
            else:
                todo.append(part)
    return found


def _endless(schemas: Schemas) -> set[str]:
    """Return the schemas from which the collecting of properties would not return."""
    graph = {uri: _collected_references(schema) for uri, schema in schemas.items()}
    before: dict[str, list[str]] = {}
    for uri, ends in graph.items():
        for end in ends:
            before.setdefault(end, []).append(uri)
    found = set(_circles(graph))
    todo = list(found)
    while todo:
        for uri in before.get(todo.pop(), ()):
            if uri not in found:
                found.add(uri)
                todo.append(uri)
    return found


def _hide_endless(part: dict[str, Any], schemas: Schemas, endless: set[str]) -> None:
    """Say `allOf` in other words where the validator would collect without end.

    `if: true, then: S` holds of exactly what `S` holds of, and nobody looks for properties in it.
    """
    items = part["allOf"]
    hidden = [endless.intersection(_collected_references(item)) for item in items]
    if not any(hidden):
        return
    others = part.keys() - ANNOTATIONS - {"allOf"}
    if len(items) == 1 and items[0].keys() == {"$ref"} and not others:
        del part["allOf"]
        part["$ref"] = items[0]["$ref"]
        return
    part["allOf"] = [
        {"if": True, "then": item} if hide else item
        for item, hide in zip(items, hidden, strict=True)
    ]


def _move_required(part: dict[str, Any], schemas: Schemas) -> None:
    """Move names that `required` has and the properties beside it have not into an `allOf`."""
    wanted = part.get("required")
    if not wanted or "allOf" not in part:
        return
    known = set(part.get("properties", ()))
    for item in part["allOf"]:
        known |= _property_names(item, schemas)
    if rest := [name for name in wanted if name not in known]:
        part["allOf"].append({"required": rest})
        part["required"] = [name for name in wanted if name in known]
        if not part["required"]:
            del part["required"]


def _property_names(schema: Any, schemas: Schemas) -> set[str]:
    found: set[str] = set()
    seen: set[str] = set()
    todo = [schema]
    while todo:
        part = todo.pop()
        if isinstance(part, str):
            if part not in seen:
                seen.add(part)
                todo.append(schemas[part])
        elif isinstance(part, dict):
            if "$ref" not in part:
                found |= part.get("properties", {}).keys()
            todo.extend(_collected(part))
    return found
