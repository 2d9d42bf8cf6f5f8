"""The keywords of schemas, by what they hold."""

from enum import IntEnum, auto
from typing import Final


class Holds(IntEnum):
    """What a keyword holds: schemas in one, a list or a mapping, or something that it says."""

    TYPE = auto()
    DESCRIPTION = auto()
    SAID = auto()
    """A text or a number."""
    DATA = auto()
    """Any value of JSON."""
    FLAG = auto()
    REQUIRED = auto()
    REFERENCE = auto()
    PROPERTIES = auto()
    SCHEMA = auto()
    LIST = auto()
    MAPPING = auto()
    CONDITION = auto()
    """A schema that no value comes from."""
    DISCRIMINATOR = auto()
    NAME = auto()
    """A name of the schema itself, which references use."""
    DEFINITIONS = auto()


KEYWORDS: Final = {
    "type": Holds.TYPE,
    "description": Holds.DESCRIPTION,
    **dict.fromkeys(
        ("title", "format", "pattern", "contentEncoding", "contentMediaType", "$comment", "maximum",
         "minimum", "multipleOf", "maxLength", "minLength", "maxItems", "minItems", "maxContains",
         "minContains", "maxProperties", "minProperties"), Holds.SAID),
    **dict.fromkeys(("default", "example", "examples", "enum", "const"), Holds.DATA),
    **dict.fromkeys(
        ("readOnly", "writeOnly", "deprecated", "nullable", "x-nullable", "uniqueItems",
         "exclusiveMinimum", "exclusiveMaximum"), Holds.FLAG),
    "required": Holds.REQUIRED,
    **dict.fromkeys(("$ref", "$dynamicRef", "$recursiveRef"), Holds.REFERENCE),
    "properties": Holds.PROPERTIES,
    **dict.fromkeys(
        ("items", "additionalProperties", "contains", "unevaluatedItems", "unevaluatedProperties",
         "contentSchema", "then", "else", "additionalItems"), Holds.SCHEMA),
    **dict.fromkeys(("allOf", "oneOf", "anyOf", "prefixItems"), Holds.LIST),
    **dict.fromkeys(("patternProperties", "dependentSchemas"), Holds.MAPPING),
    **dict.fromkeys(("not", "if", "propertyNames"), Holds.CONDITION),
    "discriminator": Holds.DISCRIMINATOR,
    **dict.fromkeys(
        ("$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$schema"), Holds.NAME),
    **dict.fromkeys(("$defs", "definitions"), Holds.DEFINITIONS),
}  # fmt: skip

PLAIN: Final = frozenset(key for key, holds in KEYWORDS.items() if holds <= Holds.FLAG)
"""Keywords that hold no schemas and refer to none."""

LABELS: Final = {
    **dict.fromkeys(
        ("items", "additionalItems", "prefixItems", "contains", "unevaluatedItems"), "items"),
    **dict.fromkeys(
        ("additionalProperties", "patternProperties", "unevaluatedProperties"), "map"),
    "allOf": "allOf", "oneOf": "oneOf", "anyOf": "anyOf",
    "then": "anyOf", "else": "anyOf", "dependentSchemas": "anyOf", "contentSchema": "ref",
}  # fmt: skip
"""The label of an edge from a type, by the keyword that it goes through."""

DATA: Final = frozenset(key for key, holds in KEYWORDS.items() if holds is Holds.DATA)
"""Keywords that hold any value, which is no schema however it looks."""

NAMED: Final = frozenset((
    "properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "schemas",
    "responses", "parameters", "headers", "requestBodies", "callbacks", "pathItems", "links",
))  # fmt: skip
"""Where something may be called like a keyword that holds values: the answer `default`."""
