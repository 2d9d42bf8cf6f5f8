"""What each object of OpenAPI 3.1 may hold, as tables.

A *form* says what a value must be: the name of an object below, `[form]` for a list, `{form}` for
a map, or one of

- `text`, `flag`, `literal`: a string, a boolean, any JSON value;
- `any`: a JSON value that holds no reference: examples are often pieces that a tool was to insert;
- `uri`: a string that stands where a URI must;
- `schema`: a JSON Schema, see `sourcebook_schema.bundle.schemas`.
"""

from sourcebook_schema.facts import METHODS

OPERATIONS = (*METHODS, "x-query")
"""The fields of a path item that hold operations; the last one is a method of version 3.2."""

OBJECTS: dict[str, dict[str, str]] = {
    "info": {
        "title": "text", "summary": "text", "description": "text", "termsOfService": "uri",
        "contact": "contact", "license": "license", "version": "text",
    },
    "contact": {"name": "text", "url": "uri", "email": "text"},
    "license": {"name": "text", "identifier": "text", "url": "uri"},
    "server": {"url": "text", "description": "text", "variables": "{serverVariable}"},
    "serverVariable": {"enum": "[text]", "default": "text", "description": "text"},
    "tag": {"name": "text", "description": "text", "externalDocs": "externalDocs"},
    "externalDocs": {"description": "text", "url": "uri"},
    "pathItem": {
        "summary": "text", "description": "text", "servers": "[server]",
        "parameters": "[parameter]", **dict.fromkeys(OPERATIONS, "operation"),
    },
    "operation": {
        "tags": "[text]", "summary": "text", "description": "text", "externalDocs": "externalDocs",
        "operationId": "text", "parameters": "[parameter]", "requestBody": "requestBody",
        "responses": "responses", "callbacks": "{callback}", "deprecated": "flag",
        "security": "security", "servers": "[server]",
    },
    "parameter": {
        "name": "text", "in": "text", "description": "text", "required": "flag",
        "deprecated": "flag", "allowEmptyValue": "flag", "style": "text", "explode": "flag",
        "allowReserved": "flag", "schema": "schema", "content": "content", "example": "any",
        "examples": "{example}",
    },
    "header": {
        "description": "text", "required": "flag", "deprecated": "flag", "style": "text",
        "explode": "flag", "schema": "schema", "content": "content", "example": "any",
        "examples": "{example}",
    },
    "requestBody": {"description": "text", "content": "content", "required": "flag"},
    "mediaType": {
        "schema": "schema", "example": "any", "examples": "{example}", "encoding": "{encoding}",
    },
    "encoding": {
        "contentType": "text", "headers": "{header}", "style": "text", "explode": "flag",
        "allowReserved": "flag",
    },
    "response": {
        "description": "text", "headers": "{header}", "content": "content", "links": "{link}",
    },
    "example": {"summary": "text", "description": "text", "value": "any", "externalValue": "uri"},
    "link": {
        "operationRef": "text", "operationId": "text", "parameters": "{any}",
        "requestBody": "any", "description": "text",
    },
    "securityScheme": {
        "type": "text", "description": "text", "name": "text", "in": "text", "scheme": "text",
        "bearerFormat": "text", "flows": "flows", "openIdConnectUrl": "uri",
    },
    "flows": {
        "implicit": "flow", "password": "flow", "clientCredentials": "flow",
        "authorizationCode": "flow",
    },
    "flow": {
        "authorizationUrl": "uri", "tokenUrl": "uri", "refreshUrl": "uri", "scopes": "{text}",
    },
    "discriminator": {"propertyName": "text", "mapping": "{mapping}"},
    "xml": {
        "name": "text", "namespace": "uri", "prefix": "text", "attribute": "flag",
        "wrapped": "flag",
    },
}  # fmt: skip
"""The fixed fields of each object; extensions (`x-...`) may stand beside them."""

REQUIRED: dict[str, tuple[str, ...]] = {
    "license": ("name",),
    "server": ("url",),
    "serverVariable": ("default",),
    "tag": ("name",),
    "externalDocs": ("url",),
    "parameter": ("name", "in"),
    "securityScheme": ("type",),
    "discriminator": ("propertyName",),
}
"""An object without these is left out."""

SECTIONS: dict[str, str] = {
    "schema": "schemas", "response": "responses", "parameter": "parameters",
    "example": "examples", "requestBody": "requestBodies", "header": "headers",
    "securityScheme": "securitySchemes", "link": "links", "callback": "callbacks",
    "pathItem": "pathItems",
}  # fmt: skip
"""What a reference may lead to, and where it stands among the components."""


STYLES: dict[str, tuple[str, ...]] = {
    "path": ("matrix", "label", "simple"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form",),
}
"""The styles of parameters by where they stand."""

SCHEME_FIELDS: dict[str, tuple[str, ...]] = {
    "apiKey": ("name", "in"),
    "http": ("scheme",),
    "mutualTLS": (),
    "oauth2": ("flows",),
    "openIdConnect": ("openIdConnectUrl",),
}
"""What each type of security scheme must have."""

FLOW_FIELDS: dict[str, tuple[str, ...]] = {
    "implicit": ("authorizationUrl",),
    "password": ("tokenUrl",),
    "clientCredentials": ("tokenUrl",),
    "authorizationCode": ("authorizationUrl", "tokenUrl"),
}
"""What each flow of OAuth must have."""

KEYWORDS: dict[str, str] = {
    "title": "text", "description": "text", "$comment": "text", "format": "text",
    "contentEncoding": "text", "contentMediaType": "text",
    "default": "any", "const": "literal", "example": "any", "examples": "[any]",
    "enum": "[literal]",
    "deprecated": "flag", "readOnly": "flag", "writeOnly": "flag", "uniqueItems": "flag",
    "maximum": "number", "exclusiveMaximum": "number", "minimum": "number",
    "exclusiveMinimum": "number", "multipleOf": "positive",
    "maxLength": "count", "minLength": "count", "maxItems": "count", "minItems": "count",
    "maxContains": "count", "minContains": "count", "maxProperties": "count",
    "minProperties": "count",
    "type": "type", "pattern": "pattern", "required": "names", "dependentRequired": "{names}",
    "items": "schema", "contains": "schema", "additionalProperties": "schema",
    "propertyNames": "schema", "unevaluatedItems": "schema", "unevaluatedProperties": "schema",
    "contentSchema": "schema", "not": "schema", "if": "schema", "then": "schema",
    "else": "schema",
    "allOf": "[schema]", "anyOf": "[schema]", "oneOf": "[schema]", "prefixItems": "[schema]",
    "properties": "{schema}", "dependentSchemas": "{schema}", "patternProperties": "{schema}",
    "discriminator": "discriminator", "xml": "xml", "externalDocs": "externalDocs",
}  # fmt: skip
"""The keywords of a schema. Others may stand beside them, they have no meaning."""

IDENTIFIERS = frozenset({
    "$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$dynamicRef",
    "$recursiveRef", "$vocabulary", "$defs", "definitions",
})  # fmt: skip
"""Keywords that name schemas or places: in a bundle each schema is named as a component."""
