"""What one file yields, while it is being read: nodes, edges, components, texts, problems."""

import json
from collections.abc import Mapping
from typing import Any

from sourcebook.model import Problem

from sourcebook_schema.facts import ComponentRow, EdgeRow, NodeRow, make_uri, split_uri
from sourcebook_schema.reading.tree import Map, Value
from sourcebook_schema.texts import breadcrumbs, unescape

MISSING: Any = object()
"""What is at a pointer that leads nowhere; `None` may well be written in a file."""

NOTHING: Mapping[str, Any] = {}
"""The detail of a node without any; never written to."""

_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


class Text:
    """What an entry says, each text of the file in one list of one entry.

    Attributes:
        node: the place of its node.
        parent: the text of the entry that it lies in.
        owner: names of what it belongs to, from the outermost inwards.
        routes: the paths of the operations that it belongs to.
    """

    __slots__ = ("description", "entry", "examples", "lines", "members", "node", "owner", "parent",
                 "routes", "summary")  # fmt: skip

    def __init__(
        self,
        node: int,
        parent: "Text | None" = None,
        owner: tuple[str, ...] = (),
        routes: tuple[str, ...] = (),
    ) -> None:
        self.node = node
        self.parent = parent
        self.owner = owner
        self.routes = routes
        self.summary = ""
        self.description: list[str] = []
        self.members: list[str] = []
        self.lines: list[str] = []
        self.examples: list[str] = []
        self.entry: Any = None


def remade(value: Map, items: Mapping[str, Any]) -> Map:
    """Return a mapping of other items at the same place."""
    made = Map(items)
    made.first, made.last = value.first, value.last
    made.place, made.keys_at = value.place, value.keys_at
    return made


class Moved(Map):
    """A mapping that stands elsewhere than it is written; `pointer` says where that is."""

    __slots__ = ("pointer",)

    pointer: str


def moved(value: Map, pointer: str, items: Mapping[str, Any]) -> Moved:
    """Return a mapping of other items that is written at `pointer`, where `value` is."""
    made = Moved(items)
    made.first, made.last = value.first, value.last
    made.place, made.keys_at = value.place, value.keys_at
    made.pointer = pointer
    return made


class Owner:
    """A node whose schemas are being read.

    Attributes:
        node: its place; -1 where nothing becomes a node, as in a `not`.
        kind: of it.
        path: what the names of its members follow: `Order.address`.
        text: where its texts go.
        pointer: of the schema that is its own.
        place: `in` of its members: `form`, or empty.
        names: the path as owners of its members have it.
        holds: the label of edges to its members.
    """

    __slots__ = ("holds", "kind", "names", "node", "path", "place", "pointer", "text")

    def __init__(self, node: int, kind: str, path: str, text: Text, pointer: str) -> None:
        self.node = node
        self.kind = kind
        self.path = path
        self.text = text
        self.pointer = pointer
        self.place = ""
        self.names = (path,)
        self.holds = "field" if kind in ("type", "property") else "holds"


class Draft:
    """Collects the rows of one file.

    Args:
        source: the file's name.
        root: what it holds.
    """

    def __init__(self, source: str, root: Value) -> None:
        self.source = source
        self.root = root
        self.nodes: list[NodeRow | None] = []
        self._components: dict[str, ComponentRow] = {}
        self.texts: dict[int, Text] = {}
        """By node, in the order of their entries."""
        self.problems: list[Problem] = []
        self.done: set[str] = set()
        """Pointers of what has been read, so that its texts stand in some entry."""
        self.aliases: dict[str, str] = {}
        """The URI that a component is only another name for, by its pointer."""
        self._keys: dict[str, int] = {}
        self._pointers: set[str] = set()
        self._edges: dict[EdgeRow, None] = {}
        self._uris: dict[str, str] = {}

    def at(self, pointer: str) -> Any:
        """Return what is written at a pointer, `MISSING` if nothing is."""
        value: Any = self.root
        for part in pointer.split("/")[1:]:
            if isinstance(value, dict):
                value = value.get(unescape(part), MISSING)
            elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
                value = value[int(part)]
            else:
                return MISSING
        return value

    def has(self, pointer: str) -> bool:
        """Whether something is written at a pointer."""
        return self.at(pointer) is not MISSING

    def line(self, pointer: str) -> int:
        """Return the line of what is written at a pointer, or nearest above it; 0 if unknown."""
        value: Any = self.root
        above: tuple[Map, str] | None = None
        for part in pointer.split("/")[1:]:
            if isinstance(value, Map):
                key = unescape(part)
                if key not in value:
                    break
                above = value, key
                value = value[key]
            elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
                value = value[int(part)]
            else:
                break
        if isinstance(value, Map):
            return value.first
        return above[0].line(above[1]) if above else 0

    def span(self, value: Value, pointer: str) -> tuple[int, int]:
        """Return the first and last line of a value."""
        if isinstance(value, Map):
            return value.first, value.last
        line = self.line(pointer) or 1
        return line, line

    def uri(self, pointer: str) -> str:
        """Return the URI of what is written at `pointer` in this file."""
        found = self._uris.get(pointer)
        if found is None:
            found = self._uris[pointer] = make_uri(self.source, pointer)
        return found

    def key(self, wanted: str) -> str:
        """Return a key that nothing else has: the first gets what is wanted, others `~2`, `~3`."""
        count = self._keys[wanted] = self._keys.get(wanted, 0) + 1
        return wanted if count == 1 else self.key(f"{wanted}~{count}")

    def free_pointer(self, pointer: str) -> str:
        """Return a pointer for one more operation: what is reached by two routes is two."""
        free, count = pointer, 1
        while free in self._pointers:
            count += 1
            free = f"{pointer}~{count}"
        self._pointers.add(free)
        return free

    def begin(self) -> int:
        """Return the place of a node that `node` fills in."""
        self.nodes.append(None)
        return len(self.nodes) - 1

    def node(
        self,
        place: int,
        key: str,
        kind: str,
        name: str,
        pointer: str,
        span: tuple[int, int],
        *,
        parent: int = -1,
        type_words: str = "",
        marks: int = 0,
        summary: str = "",
        detail: Mapping[str, Any] = NOTHING,
    ) -> None:
        """Fill in the node at a place; see `NodeRow`."""
        self.nodes[place] = NodeRow(
            key, kind, name, parent, pointer, *span, type_words, int(marks), summary, detail
        )

    def text(
        self,
        node: int,
        parent: Text | None = None,
        owner: tuple[str, ...] = (),
        routes: tuple[str, ...] = (),
    ) -> Text:
        """Return the text of one more entry."""
        made = Text(node, parent, owner, routes)
        self.texts[node] = made
        return made

    def edge(self, start: int, end: int | str, label: str, tag: str = "") -> None:
        """Note an edge once; `end` may be a URI in this file."""
        self._edges[EdgeRow(start, end, label, tag)] = None

    def component(self, pointer: str, role: str, node: int, value: object) -> None:
        """Note a component; what is referred to in two roles is what it was read as first."""
        if pointer not in self._components:
            self._components[pointer] = ComponentRow(pointer, role, node, _to_json(value))

    @property
    def components(self) -> list[ComponentRow]:
        """The components in the order in which they were read."""
        return list(self._components.values())

    def problem(self, message: str, pointer: str) -> None:
        """Note what is wrong at a place."""
        self.problems.append(Problem(f"{breadcrumbs(pointer)}: {message}", self.line(pointer)))

    def rows(self) -> list[NodeRow]:
        """Return the nodes."""
        return [row for row in self.nodes if row is not None]

    def edges(self) -> list[EdgeRow]:
        """Return the edges: those within the file by place, none to what has no node."""
        places = {row.pointer: row.node for row in self._components.values() if row.node >= 0}
        found: dict[EdgeRow, None] = {}
        for edge in self._edges:
            if isinstance(edge.end, int):
                found[edge] = None
                continue
            last = self._behind(edge.end, places)
            if last != "":
                found[edge._replace(end=last)] = None
        return list(found)

    def _behind(self, uri: str, places: Mapping[str, int]) -> int | str:
        """Return the place of a component of this file or a URI elsewhere, by way of aliases;
        empty if there is no node."""
        for _ in range(len(self.aliases) + 1):
            source, pointer = split_uri(uri)
            if source != self.source:
                return uri
            if pointer in places:
                return places[pointer]
            uri = self.aliases.get(pointer, "")
            if not uri:
                break
        return ""
