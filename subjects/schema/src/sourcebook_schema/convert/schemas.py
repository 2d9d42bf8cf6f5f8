"""One schema of Swagger 2.0 or OpenAPI 3.0 in the words of JSON Schema 2020-12."""

from typing import Any

OLD_KEYWORDS = frozenset({
    "nullable", "x-nullable", "example", "exclusiveMinimum", "exclusiveMaximum", "discriminator",
})  # fmt: skip
"""Keywords that may need conversion, beside `type: file`."""

ANNOTATIONS = frozenset({
    "title", "description", "default", "example", "examples", "readOnly", "writeOnly", "deprecated",
    "externalDocs", "xml",
})  # fmt: skip
"""Keywords that say something of a value without saying which values there may be."""

_COMBINING = ("$ref", "allOf", "anyOf", "oneOf", "not")


def modernise(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema in the form of 2020-12; schemas inside it have that already.

    - `nullable` and `x-nullable` give `null` among the types, and in an `enum`, whose authors mean
      it to be allowed; around what combines schemas, `anyOf` with `null`. Where nothing is
      forbidden, null is allowed as it is.
    - `exclusiveMinimum: true` is the bound itself; so for the maximum.
    - `example` becomes the first of `examples`.
    - `type: file` is a binary text.
    - a discriminator that is a name is the object with that name.
    """
    if schema.get("type") == "file":
        schema = {**schema, "type": "string", "format": "binary"}
    if OLD_KEYWORDS.isdisjoint(schema):
        return schema
    schema = dict(schema)
    nullable = schema.pop("nullable", None) is True
    nullable = schema.get("x-nullable") is True or nullable
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if schema.get(exclusive) is True and bound in schema:
            schema[exclusive] = schema.pop(bound)
        elif isinstance(schema.get(exclusive), bool):
            del schema[exclusive]
    if "example" in schema:
        example = schema.pop("example")
        more = schema.get("examples")
        schema["examples"] = [example, *more] if isinstance(more, list) else [example]
    if isinstance(schema.get("discriminator"), str):
        schema["discriminator"] = {"propertyName": schema["discriminator"]}
    return _with_null(schema) if nullable else schema


def _with_null(schema: dict[str, Any]) -> dict[str, Any]:
    if not any(keyword in schema for keyword in _COMBINING):
        kind = schema.get("type")
        if isinstance(kind, str):
            kind = [kind]
        if isinstance(kind, list) and "null" not in kind:
            schema["type"] = [*kind, "null"]
        values = schema.get("enum")
        if isinstance(values, list) and None not in values:
            schema["enum"] = [*values, None]
        return schema
    outer: dict[str, Any] = {}
    inner: dict[str, Any] = {}
    for key, part in schema.items():
        kept = outer if key in ANNOTATIONS or key.startswith("x-") else inner
        kept[key] = part
    return {"anyOf": [inner, {"type": "null"}], **outer}
