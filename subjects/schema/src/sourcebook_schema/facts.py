"""What `parse` says of one file beside its entries, and `assemble` links across files.

A file yields one `sourcebook.Fact`, `FileFact.to_json()`. Components are named by URI: the source's
name, `#` and the JSON pointer at which they are written (`orders/models.yaml#/Status`), whatever
version the file has. Their values are in the form of OpenAPI 3.1 and JSON Schema 2020-12, and every
`$ref` and every value of a discriminator's `mapping` in them is such a URI.
"""

from collections.abc import Mapping
from enum import IntFlag
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from attrs import frozen

ENTRY_KINDS = ("service", "method", "type", "property")
NODE_KINDS = (*ENTRY_KINDS, "body", "response")

ROLES = (
    "schema", "operation", "parameter", "response", "requestBody", "header", "example", "link",
    "callback", "securityScheme", "pathItem",
)  # fmt: skip
"""What a component is, in the words of OpenAPI 3.1."""


METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
"""Fields of a Path Item of OpenAPI 3.1 that hold operations."""

FIELDS_OF_METHODS = (*METHODS, "query")
"""The same of version 3.2."""

MORE_METHODS = "additionalOperations"
"""The field in which version 3.2 has operations of other methods, by these."""


def method_field(method: str) -> str:
    """Return the field of a Path Item of 3.1 that an operation stands in: for a method which that
    version does not know an extension, such as `x-query`."""
    method = method.lower()
    return method if method in METHODS else f"x-{method}"


def item_pointer(pointer: str) -> str:
    """Return the pointer of the path item that the operation at `pointer` is written in."""
    return pointer.rpartition("/")[0].removesuffix(f"/{MORE_METHODS}")


class Mark(IntFlag):
    """What holds of a node, as bits."""

    READ_ONLY = 1
    WRITE_ONLY = 2
    REQUIRED = 4
    NULLABLE = 8
    DEPRECATED = 16
    MADE = 32
    """A type that the file gives no name: a reference leads to it."""


class Direction(IntFlag):
    """Which way something travels, seen from the program that calls the API."""

    NONE = 0
    INPUT = 1
    OUTPUT = 2
    BOTH = 3


EDGES = (
    "input",  # operation -> parameter, body, response: the caller sends it
    "output",  # operation -> body, response: the caller gets it
    "holds",  # body, response -> property, type; service -> operation, path item
    "field",  # type, property -> property: a named member
    "value",  # property -> type, by way of lists and maps too
    "items",  # type -> type: a list of it
    "map",  # type -> type: a map of it
    "ref",  # type -> type: another name for it
    "allOf", "oneOf", "anyOf",  # type -> type
    "not",  # type -> type: no way for values
    "variant",  # type -> type: a discriminator names it
    "callback", "link",  # operation -> operation: no way for values
)  # fmt: skip
"""The closed set of edge labels, each with what it leads from and to.

The caller is the program that uses the API. Of a webhook and a callback it gets the body, which
therefore is `output`, and sends the response, which is `input`.
"""


class NodeRow(NamedTuple):
    """One node of a file.

    Args:
        key: the key of its entry (`Type:Invoice`), which is unique in the file; bodies and
            responses have one too (`Body:createInvoice`) and no entry.
        kind: one of `NODE_KINDS`.
        name: `Invoice`, `page_size`; an operation's id, or `GET /invoices` where it has none.
        parent: the place of its owner in `FileFact.nodes`, -1 without one: a parameter that
            several operations share, being a component or written on the path, has none.
        pointer: where it is written, a JSON pointer into the file.
        first, last: its lines.
        type: `string`, `array of Invoice`, `map of integer`; an operation's `GET /invoices`.
        marks: `Mark` bits.
        summary: its first sentence.
        detail: by kind. method: `method`, `path`, `event` (empty, `webhook`, `callback`), `of`
            (the key of a callback's operation), `id` (its operationId, even if it is not the only
            one), `tags`, `item` (the URI of its path item, if that is in another file). property:
            `in` (`query`, `path`, `header`, `cookie`, `form`; empty for a member), `values` where
            it is a closed list. response: `status`. type: `discriminator` (its property),
            `extends` (URIs in its allOf), `values`. type, property: `same` (URIs of other types of
            which all its values are, by `$ref` and allOf). What is empty is left out.
    """

    key: str
    kind: str
    name: str
    parent: int
    pointer: str
    first: int
    last: int
    type: str
    marks: int
    summary: str
    detail: Mapping[str, Any]


class EdgeRow(NamedTuple):
    """One edge of a file; `end` is a place in its nodes or the URI of a component elsewhere. One
    that ends at a path item elsewhere stands for one to each operation in that.

    `tag` is the value of the discriminator that a `variant` stands for, and the status for which
    an operation answers with a response that others share.
    """

    start: int
    end: int | str
    label: str
    tag: str = ""


class ComponentRow(NamedTuple):
    """One component: where it is written, its role, the place of its node or -1, its value as
    JSON text.

    The value of an operation is an object: `method` (`GET`), `path` (the route, the key of a
    webhook, the expression of a callback), `event` (as in its node's detail), `key` (of a webhook
    or callback) and `operation`, the Operation Object with the parameters and servers of its path
    merged into it. A second route to one path item has pointers that end in `~2`. What is nothing
    but a reference, a schema excepted, has no node, and its value is an object with that `$ref`.
    """

    pointer: str
    role: str
    node: int
    value: str


@frozen
class FileFact:
    """What `assemble` needs of one file.

    Args:
        root: whether it is a description by itself; others are pieces that roots refer to.
        format: `3.1`, `3.0`, `2.0`; of a piece, that of the root it was read for.
        info: of a root, in the form of 3.1: `title`, `version`, `description`, `servers`,
            `security`, `tags`, `externalDocs`; those that it has.
        nodes, edges, components: see the rows.
        schemes: pointers of its security schemes by name.
        reached: the other files that its references lead to, sorted.
    """

    root: bool
    format: str
    info: Mapping[str, Any]
    nodes: list[NodeRow]
    edges: list[EdgeRow]
    components: list[ComponentRow]
    schemes: Mapping[str, str]
    reached: list[str]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "root": self.root,
            "format": self.format,
            "info": dict(self.info),
            "nodes": [list(row) for row in self.nodes],
            "edges": [list(row) for row in self.edges],
            "components": [list(row) for row in self.components],
            "schemes": dict(self.schemes),
            "reached": self.reached,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "FileFact":
        """Return what `to_json` returned."""
        return cls(
            value["root"],
            value["format"],
            value["info"],
            [NodeRow(*row) for row in value["nodes"]],
            [EdgeRow(*row) for row in value["edges"]],
            [ComponentRow(*row) for row in value["components"]],
            value["schemes"],
            value["reached"],
        )


GIVEN = "source:"
"""Before a URI, in a context, where a reference of the file might have the same text."""


def make_uri(source: str, pointer: str) -> str:
    """Return the URI of what is written at `pointer` in `source`."""
    return f"{quote(source, safe='/ ')}#{pointer}"


def split_uri(uri: str) -> tuple[str, str]:
    """Return the source and the pointer of a URI that `make_uri` made."""
    source, _, pointer = uri.partition("#")
    return unquote(source), pointer
