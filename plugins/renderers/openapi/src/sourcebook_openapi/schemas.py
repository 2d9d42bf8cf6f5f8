"""Schemas of JSON Schema 2020-12 in the words of OpenAPI 3.0."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sourcebook_openapi.walk import SCHEMA, SCHEMA_LISTS, SCHEMAS

NULL = {"nullable": True, "enum": [None]}
"""What allows null and nothing else: in 3.0 `nullable` needs a `type` or stands for itself."""

NEVER: dict[str, Any] = {"not": {}}

KEYWORDS = frozenset({
    "title", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
    "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxProperties",
    "minProperties", "required", "enum", "type", "not", "allOf", "oneOf", "anyOf", "items",
    "properties", "additionalProperties", "description", "format", "default", "nullable",
    "discriminator", "readOnly", "writeOnly", "example", "externalDocs", "deprecated", "xml",
})  # fmt: skip
"""All that a Schema Object of 3.0 may hold, beside extensions."""

LOST = frozenset({
    "contains", "minContains", "maxContains", "prefixItems", "unevaluatedItems", "propertyNames",
    "patternProperties", "unevaluatedProperties", "dependentRequired", "dependentSchemas", "if",
    "then", "else",
})  # fmt: skip
"""Limits that 3.0 has no words for."""


class Loose(dict[str, Any]):
    """A lowered schema that allows more than the one it was made from."""


class Known(NamedTuple):
    """What is known of the components before they are lowered, as references.

    Args:
        endless: those that are left alone rather than put into an `allOf`.
        loose: those that become `Loose`.
    """

    endless: frozenset[str]
    loose: frozenset[str]

    @classmethod
    def of(cls, schemas: Mapping[str, Any]) -> "Known":
        """Return it for the schemas of a document."""
        pointers = {f"#/components/schemas/{name}": schema for name, schema in schemas.items()}
        return cls(_reach_themselves(pointers), _become_loose(pointers))


NOTES = frozenset({"title", "description", "example", "externalDocs", "deprecated", "xml"})


def lower_schema(schema: Any, known: Known) -> dict[str, Any]:
    """Return a schema, whose parts are in the words of 3.0 already, in those words."""
    if isinstance(schema, bool):
        return {} if schema else {**NEVER}
    if schema.keys() == {"$ref"}:
        return schema if schema["$ref"] not in known.loose else Loose(schema)
    if schema.get("$ref") in known.endless:
        return Loose({"$ref": schema["$ref"]})
    lowered = {**schema}
    is_loose = not LOST.isdisjoint(schema) or any(isinstance(x, Loose) for x in _parts(schema))
    _lower_logic(lowered)
    lowered.pop("nullable", None)
    _lower_values(lowered)
    _lower_lists(lowered)
    _lower_maps(lowered)
    _lower_bounds(lowered)
    _lower_content(lowered)
    _lower_null(lowered)
    _lower_type(lowered)
    _lower_reference(lowered)
    kept = {key: value for key, value in lowered.items() if key in KEYWORDS or key.startswith("x-")}
    if kept.get("allOf") == []:
        kept = {"$ref": schema["$ref"]}
    return Loose(kept) if is_loose or schema.get("$ref") in known.loose else kept


def _parts(schema: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the schemas right inside one."""
    for key, value in schema.items():
        if key in SCHEMA:
            yield value
        elif key in SCHEMA_LISTS:
            yield from value
        elif key in SCHEMAS:
            yield from value.values()


def _lower_logic(schema: dict[str, Any]) -> None:
    """Leave out, or loosen, what allows less if its parts allow more."""
    if isinstance(schema.get("not"), Loose):
        del schema["not"]
    if any(isinstance(one, Loose) for one in schema.get("oneOf", ())):
        choice = {"anyOf": schema.pop("oneOf")}
        if "anyOf" in schema:
            schema["allOf"] = [*schema.get("allOf", ()), choice]
        else:
            schema.update(choice)


def _lower_values(schema: dict[str, Any]) -> None:
    if "const" in schema:
        only = schema.pop("const")
        values = schema.get("enum", [only])
        schema["enum"] = [value for value in values if value == only] or [only]
        if only is None and "type" not in schema:
            schema["nullable"] = True
    if examples := schema.pop("examples", None):
        schema.setdefault("example", examples[0])


def _lower_lists(schema: dict[str, Any]) -> None:
    prefix = schema.pop("prefixItems", None)
    if prefix is not None:
        rest = schema.get("items", {})
        if rest == NEVER:
            schema["maxItems"] = min(schema.get("maxItems", len(prefix)), len(prefix))
            rest = None
        places = prefix if rest is None else [*prefix, rest]
        distinct = {json.dumps(one, sort_keys=True): one for one in places}
        schema["items"] = _any_of([*distinct.values()])
    names = schema.get("type", ())
    if names == "array" or ("array" in names and not isinstance(names, str)):
        schema.setdefault("items", {})


def _any_of(schemas: list[Any]) -> Any:
    """Return a schema that one of several suffices for."""
    if {} in schemas:
        return {}
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def _lower_maps(schema: dict[str, Any]) -> None:
    patterns = [*schema.pop("patternProperties", {}).values()]
    rest = schema.get("additionalProperties", {})
    if patterns and rest != {}:
        found = patterns if rest == NEVER else [*patterns, rest]
        schema["additionalProperties"] = _any_of(found)
    if schema.get("additionalProperties") == NEVER:
        schema["additionalProperties"] = False


def _lower_bounds(schema: dict[str, Any]) -> None:
    for bound, exclusive, sign in (
        ("minimum", "exclusiveMinimum", 1),
        ("maximum", "exclusiveMaximum", -1),
    ):
        limit = schema.pop(exclusive, None)
        if limit is not None and (bound not in schema or sign * limit >= sign * schema[bound]):
            schema[bound] = limit
            schema[exclusive] = True


def _lower_content(schema: dict[str, Any]) -> None:
    """Say by `format` that a text holds bytes."""
    encoding = schema.pop("contentEncoding", None)
    media = schema.pop("contentMediaType", None)
    if media is not None and media != "application/octet-stream":
        schema["x-contentMediaType"] = media
    if "format" in schema or "default" in schema or schema.get("type", "string") != "string":
        return
    if encoding in ("base64", "base64url"):
        schema.update(type="string", format="byte")
    elif encoding is None and media is not None:
        schema.update(type="string", format="binary")


def _lower_null(schema: dict[str, Any]) -> None:
    """Say of a choice between null and one written-out type that this is nullable."""
    for key in ("anyOf", "oneOf"):
        choice = schema.get(key)
        if choice is None or len(choice) != 2 or NULL not in choice:
            continue
        other = choice[1 - choice.index(NULL)]
        if isinstance(other.get("type"), str) and not (other.keys() - NOTES) & schema.keys():
            del schema[key]
            values = {"enum": [*other["enum"], None]} if "enum" in other else {}
            schema.update({**other, **values, "nullable": True, **schema})
            return


def _lower_type(schema: dict[str, Any]) -> None:
    names = schema.get("type")
    if isinstance(names, str):
        names = [names]
    if names is None:
        return
    del schema["type"]
    nullable = {"nullable": True} if "null" in names else {}
    types = [name for name in names if name != "null"]
    if "number" in types and "integer" in types:
        types.remove("integer")
    if not types:
        enum = schema.get("enum", [None])
        schema["enum"] = [value for value in enum if value is None] or enum
        schema["nullable"] = True
    elif len(types) == 1:
        schema.update(type=types[0], **nullable)
    elif len(types) < 5 or not nullable:
        choice = [{"type": name, **nullable} for name in types]
        if "anyOf" in schema:
            schema["allOf"] = [*schema.get("allOf", ()), {"anyOf": choice}]
        else:
            schema["anyOf"] = choice


def _lower_reference(schema: dict[str, Any]) -> None:
    """Put a reference that has something beside it into an `allOf`: 3.0 ignores what is beside."""
    target = schema.pop("$ref", None)
    if target is None:
        return
    if not any(key in KEYWORDS or key.startswith("x-") for key in schema):
        schema["allOf"] = []
        return
    schema.pop("discriminator", None)
    parts = [{"$ref": target}, *schema.get("allOf", ())]
    if required := schema.pop("required", None):
        parts.append({"required": required})
    schema["allOf"] = parts


def _become_loose(pointers: Mapping[str, Any]) -> frozenset[str]:
    """Return references to schemas that hold, or lead to, limits that are lost."""
    before: dict[str, list[str]] = {}
    found = []
    for pointer, schema in pointers.items():
        todo = [schema]
        while todo:
            part = todo.pop()
            if isinstance(part, dict):
                if not LOST.isdisjoint(part):
                    found.append(pointer)
                if "$ref" in part:
                    before.setdefault(part["$ref"], []).append(pointer)
                todo.extend(_parts(part))
    loose = set(found)
    while found:
        for pointer in before.get(found.pop(), ()):
            if pointer not in loose:
                loose.add(pointer)
                found.append(pointer)
    return frozenset(loose)


def _reach_themselves(pointers: Mapping[str, Any]) -> frozenset[str]:
    """Return references to schemas from which a reader may not return that looks for the
    properties of what is in an `allOf`, as openapi-spec-validator does: in combinations and lists.
    """
    ends = {pointer: [*_collected(schema)] for pointer, schema in pointers.items()}
    alive = set(ends)
    while finite := {one for one in alive if not alive.intersection(ends[one])}:
        alive -= finite
    return frozenset(alive)


def _collected(schema: Any) -> Iterator[str]:
    todo = [schema]
    while todo:
        part = todo.pop()
        if not isinstance(part, dict):
            continue
        if "$ref" in part:
            yield part["$ref"]
        for key in ("allOf", "anyOf", "oneOf", "prefixItems"):
            todo.extend(part.get(key, ()))
        todo.extend(part[key] for key in ("items", "not") if key in part)
