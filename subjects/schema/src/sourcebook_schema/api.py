"""An index of API descriptions as verbs read it: nodes by number, id and URI; parts of the graph.

A node is an `int`, its place in the columns of `Graph`. Opening reads the graph's directory,
columns are read when a verb looks at them, and values of components only to render them.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary, ref

from sourcebook_schema.components import COMPONENTS, Components
from sourcebook_schema.documents import Document
from sourcebook_schema.facts import NODE_KINDS, Direction, make_uri
from sourcebook_schema.graph import GRAPH, FileInfo, Graph

if TYPE_CHECKING:
    from sourcebook.index.open import Index
    from sourcebook.subgraph import Subgraph

METHOD, TYPE, PROPERTY, SERVICE = map(NODE_KINDS.index, ("method", "type", "property", "service"))

DIRECTIONS = [str(one.name).lower() for one in map(Direction, range(4))]

_opened: "WeakKeyDictionary[Any, Api]" = WeakKeyDictionary()


class Api:
    """The graph of an index, and the values of its components.

    Args:
        read: returns the bytes of a structure file by its name.
        where: where these files are, for messages.

    Raises:
        IndexDamaged: from everything, if a file of the structure is not what `assemble` returns.
    """

    def __init__(self, read: Callable[[str], bytes], where: str) -> None:
        self._read = read
        self._where = where
        self.graph = Graph(read(GRAPH), f"{where}/{GRAPH}")

    @classmethod
    def of(cls, index: "Index") -> "Api":
        """Return the one of an open index, which is read once and kept as long as that is."""
        api = _opened.get(index)
        if api is None:
            known = ref(index)  # what is kept must not keep its key

            def read(name: str) -> bytes:
                return cast("Index", known()).structure(name)

            api = _opened[index] = cls(read, f"{index.path}, structure")
        return api

    @property
    def documents(self) -> Sequence[Document]:
        """Its documents by the names of their root files."""
        return self.graph.documents

    @property
    def files(self) -> Mapping[str, FileInfo]:
        """What is known of each source as a whole."""
        return self.graph.files

    @cached_property
    def documents_of(self) -> Mapping[str, tuple[str, ...]]:
        """The short names of the documents that each source belongs to."""
        found: dict[str, tuple[str, ...]] = {}
        for document in self.documents:
            for source in document.files:
                found[source] = (*found.get(source, ()), document.name)
        return found

    # ---- one node

    def kind(self, node: int) -> str:
        """Return the kind of a node, one of `NODE_KINDS`."""
        return NODE_KINDS[self.graph.kinds[node]]

    def id(self, node: int) -> str:
        """Return `<source>#<key>`."""
        return f"{self.graph.source(node)}#{self.graph.key(node)}"

    def node(self, node_id: str) -> int:
        """Return the node with an id, -1 if there is none."""
        at = node_id.find("#")
        while at >= 0:  # a file's name may itself hold a `#`
            nodes = self.graph.nodes_of(node_id[:at])
            if nodes:
                for node in self.graph.with_key(node_id[at + 1 :]):
                    if node in nodes:
                        return node
            at = node_id.find("#", at + 1)
        return -1

    def title(self, node: int) -> str:
        """Return what a node is called beside others of its kind: `Invoice`, `Invoice.lines`,
        `GET /invoices`."""
        if self.graph.kinds[node] == METHOD and node in self.graph.operations:
            return self.graph.operations[node].label
        return self.graph.key_title(node)

    def direction(self, node: int) -> str:
        """Return `input`, `output`, `both` or `none`; of an operation nothing."""
        if self.graph.kinds[node] in (METHOD, SERVICE):
            return ""
        return DIRECTIONS[self.graph.directions[node]]

    def owners(self, node: int) -> Iterator[int]:
        """Yield the owner of a node, the owner of that, and so on."""
        seen = {node}
        while (node := self.graph.parents[node]) >= 0 and node not in seen:
            seen.add(node)
            yield node

    def operations_of(self, node: int) -> list[int]:
        """Return the operations in which a property is written or that refer to it: one that owns
        it, and all that share it as a parameter; none for members of types."""
        uses = [start for start, _ in self.graph.into.of(node) if self.graph.kinds[start] == METHOD]
        for owner in self.owners(node):
            if self.graph.kinds[owner] == METHOD:
                return list(dict.fromkeys([owner, *uses]))
            if self.graph.kinds[owner] == TYPE:
                return []
        return uses

    # ---- components

    @cached_property
    def _components(self) -> Components:
        where = f"{self._where}/{COMPONENTS}"
        return Components(self._read(COMPONENTS), len(self.graph), where)

    def component(self, uri: str) -> Any:
        """Return the value of the component at a URI.

        Raises:
            KeyError: there is none.
        """
        row = self._components.row(uri)
        if row < 0:
            raise KeyError(uri)
        return self._components.value(row)

    def uri_of(self, node: int) -> str:
        """Return the URI at which a node is written."""
        return make_uri(self.graph.source(node), self.graph.pointers[node])

    def node_of(self, uri: str) -> int:
        """Return the node of the component at a URI, -1 without one."""
        row = self._components.row(uri)
        return self._components.node(row) if row >= 0 else -1

    def variants(self, uri: str) -> Mapping[str, str]:
        """Return the URIs of the types that the discriminator of a component names, by the values
        that do: by its mapping, by the members of its `oneOf` or `anyOf`, or because they extend
        it."""
        node = self.node_of(uri)
        if node < 0:
            return {}
        return {tag: self.uri_of(end) for tag, end in self.graph.variants(node).items()}

    def subgraph(
        self, nodes: Collection[int], matched: Sequence[int] = (), *, document: bool = False
    ) -> "Subgraph":
        """Return nodes with the edges among them; see `parts.make_subgraph`."""
        from sourcebook_schema.parts import make_subgraph

        return make_subgraph(self, nodes, matched, document=document)

    # ---- narrowing

    def of_kinds(self, kinds: Collection[str]) -> list[int]:
        """Return the nodes of some kinds."""
        wanted = {NODE_KINDS.index(kind) for kind in kinds}
        return [node for node, kind in enumerate(self.graph.kinds) if kind in wanted]
