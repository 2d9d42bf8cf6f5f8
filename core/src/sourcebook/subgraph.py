"""A connected part of a corpus as nodes and edges: what subjects with a graph hand to renderers."""

from collections.abc import Mapping
from types import MappingProxyType

from attrs import field, frozen

NO_FACTS: Mapping[str, object] = MappingProxyType({})


@frozen
class Node:
    """One entry, drawn as a node.

    Args:
        id: the entry's id, `<source>#<key>`.
        kind: one of its subject's kinds.
        name: how a reader calls it: `Invoice`, `page_size`, `listInvoices`.
        parent: the id of the node that it is a member of; empty: it stands for itself.
        type: what it holds, in a reader's words (`array of Invoice`), or its signature
            (`GET /invoices/{id}`).
        source, first_line, last_line: where it is written.
        summary: what the corpus says of it, as plain text.
        facts: what its subject adds, values of JSON types.
    """

    id: str
    kind: str
    name: str
    parent: str = ""
    type: str = ""
    source: str = ""
    first_line: int = 0
    last_line: int = 0
    summary: str = ""
    facts: Mapping[str, object] = field(default=NO_FACTS)

    @property
    def location(self) -> str:
        """`source:line`, which editors open."""
        return f"{self.source}:{self.first_line}"


@frozen
class Edge:
    """A directed edge between two nodes.

    Args:
        start, end: the ids of the nodes.
        label: what it means, from its subject's closed set.
        tag: what else is said of it: the status of an answer, the value that names a variant.
    """

    start: str
    end: str
    label: str
    tag: str = ""


@frozen
class Subgraph:
    """Nodes and the edges among them, in an order that is the same on every build.

    Args:
        nodes: every node that an edge names is among them.
        edges: each at most once.
        matched: ids of the nodes that were asked for or found; the others connect them.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    matched: tuple[str, ...] = ()


@frozen
class ApiSubgraph(Subgraph):
    """A part of an API with the description that stands for it alone.

    Args:
        description: a valid OpenAPI 3.1 document as JSON values. It holds the operations among
            the nodes and every component that these or the types among them need; each `$ref`
            is a pointer to a component inside it.
        described: the node by JSON pointer into `description`, for its operations
            (`/paths/~1users/get`) and components (`/components/schemas/User`). Those that are
            there only because others need them are not among `nodes`.
    """

    description: Mapping[str, object] = field(default=NO_FACTS)
    described: Mapping[str, Node] = field(default=MappingProxyType({}))
