"""Where objects and schemas are in an OpenAPI document."""

from collections.abc import Callable, Mapping
from typing import Any

Change = Callable[[str, Any], Any]

SCHEMAS = "properties", "patternProperties", "dependentSchemas"
SCHEMA_LISTS = "allOf", "anyOf", "oneOf", "prefixItems"
SCHEMA = (
    "items", "contains", "additionalProperties", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties", "contentSchema", "not", "if", "then", "else",
)  # fmt: skip

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_MORE = "x-"
"""Before the names of other methods, which version 3.2 knows."""

_PARTS: Mapping[str, Mapping[str, str]] = {
    "document": {
        "info": "info", "servers": "[server]", "tags": "[tag]", "paths": "{pathItem}",
        "webhooks": "{pathItem}", "components": "components",
    },
    "info": {"license": "license"},
    "server": {"variables": "{serverVariable}"},
    "components": {
        "schemas": "{schema}", "responses": "{response}", "parameters": "{parameter}",
        "examples": "{example}", "requestBodies": "{requestBody}", "headers": "{header}",
        "securitySchemes": "{securityScheme}", "links": "{link}", "callbacks": "{callback}",
        "pathItems": "{pathItem}",
    },
    "pathItem": {
        "parameters": "[parameter]", "servers": "[server]", **dict.fromkeys(_METHODS, "operation"),
    },
    "operation": {
        "parameters": "[parameter]", "requestBody": "requestBody", "responses": "{response}",
        "callbacks": "{callback}", "servers": "[server]",
    },
    "parameter": {"schema": "schema", "content": "{mediaType}", "examples": "{example}"},
    "header": {"schema": "schema", "content": "{mediaType}", "examples": "{example}"},
    "requestBody": {"content": "{mediaType}"},
    "mediaType": {"schema": "schema", "examples": "{example}", "encoding": "{encoding}"},
    "encoding": {"headers": "{header}"},
    "response": {"headers": "{header}", "content": "{mediaType}", "links": "{link}"},
    "schema": {
        **dict.fromkeys(SCHEMAS, "{schema}"), **dict.fromkeys(SCHEMA_LISTS, "[schema]"),
        **dict.fromkeys(SCHEMA, "schema"),
    },
}  # fmt: skip
"""What stands where: `{form}` is a map, `[form]` a list. Other fields are literals."""


def walk(form: str, value: Any, change: Change) -> Any:
    """Return a copy in which every object is what `change` makes of it, the inner ones first.

    `change(form, value)` may change its copy. A reference that stands for something else than a
    schema has the form `reference`. A schema may be true or false.
    """
    if form[0] == "[":
        return [walk(form[1:-1], item, change) for item in value]
    if form[0] == "{":
        inner = form[1:-1]
        return {
            key: item if key.startswith("x-") and inner != "schema" else walk(inner, item, change)
            for key, item in value.items()
        }
    if form == "callback" and "$ref" not in value:
        return walk("{pathItem}", value, change)
    if isinstance(value, bool):
        return change(form, value)
    if "$ref" in value and form != "schema":
        return change("reference", {**value})
    parts = _PARTS.get(form, {})
    if form == "pathItem":
        more = {
            key: "operation"
            for key, item in value.items()
            if key.startswith(_MORE) and isinstance(item, dict) and "responses" in item
        }
        parts = {**parts, **more}
    inner_changed = {
        key: walk(parts[key], item, change) if key in parts else item for key, item in value.items()
    }
    return change(form, inner_changed)
