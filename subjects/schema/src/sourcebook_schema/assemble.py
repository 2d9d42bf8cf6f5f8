"""From the facts of all files to the structure of an index: one graph, and its components.

References across files become edges, what only a discriminator names gets a `variant` edge, and the
direction of every node is spread over the whole. Nodes are numbered by file name, then as their
file has them, so that equal facts give equal bytes in whatever order they come.
"""

import json
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sourcebook_schema.components import COMPONENTS, encode_components
from sourcebook_schema.direction import directions, extends
from sourcebook_schema.documents import COUNTED, name_documents
from sourcebook_schema.facts import (
    EDGES,
    NODE_KINDS,
    ComponentRow,
    Mark,
    NodeRow,
    item_pointer,
    split_uri,
)
from sourcebook_schema.graph import GRAPH, PLACES, encode_graph

_KINDS = {kind: number for number, kind in enumerate(NODE_KINDS)}
_LABELS = {label: number for number, label in enumerate(EDGES)}
_PLACES = {place: number for number, place in enumerate(PLACES)}

_METHOD, _PROPERTY = _KINDS["method"], _KINDS["property"]
_CALLBACK = _LABELS["callback"]
_REF, _VARIANT = _LABELS["ref"], _LABELS["variant"]
_UNIONS = (_LABELS["oneOf"], _LABELS["anyOf"])

_PLURALS = {_KINDS["type"]: "types", _KINDS["property"]: "properties"}

_MADE = int(Mark.MADE)
_ONE_WAY = (int(Mark.READ_ONLY), int(Mark.WRITE_ONLY))

Edge = tuple[int, int, str]
"""Where an edge leads, its label's place in `EDGES`, and its tag."""


def assemble(facts_by_source: Mapping[str, Sequence[Any]]) -> dict[str, bytes]:
    """Return `graph.sbk` and `components.sbk` from the one `FileFact` of each file."""
    files = {name: facts[0] for name, facts in sorted(facts_by_source.items()) if facts}
    linked = _Linked(files)
    linked.add_variants()
    linked.mark_properties()
    return {GRAPH: linked.graph(), COMPONENTS: encode_components(files)}


class _Linked:
    """The nodes of all files under common numbers, and the edges among them."""

    def __init__(self, files: Mapping[str, Any]) -> None:
        self._files = files
        self._first: dict[str, int] = {}
        count = 0
        for name, file in files.items():
            self._first[name] = count
            count += len(file["nodes"])
        rows: list[Sequence[Any]] = [row for file in files.values() for row in file["nodes"]]
        columns = [*zip(*rows, strict=True)] or [() for _ in NodeRow._fields]
        self._columns = dict(zip(NodeRow._fields, columns, strict=True))
        self._count = count
        self._pointers: dict[str, dict[str, list[int]]] = {}
        self._aliases: dict[str, dict[str, str]] = {}
        self._called: dict[str, dict[str, list[str]]] = {}
        self._items: dict[str, list[int]] = {}
        for node, detail in enumerate(self._columns["detail"]):
            if "item" in detail:
                self._items.setdefault(detail["item"], []).append(node)
        self._kinds = array("B", [_KINDS[kind] for kind in self._columns["kind"]])
        self._marks = array("B", self._columns["marks"])
        self._out: list[list[Edge]] = [[] for _ in range(count)]
        self._link()
        self._callers = self._share_callbacks()

    def _link(self) -> None:
        for name, file in self._files.items():
            first = self._first[name]
            for start, end, label, tag in file["edges"]:
                targets = [first + end] if isinstance(end, int) else self._nodes_at(end)
                if tag and label == "callback":
                    details = self._columns["detail"]
                    # A path item may be there for several callbacks, which are as many operations.
                    own = [one for one in targets if details[one].get("key") == tag]
                    targets = own or targets
                for target in targets:
                    self._add(first + start, (target, _LABELS[label], tag))

    def _add(self, start: int, edge: Edge) -> None:
        if edge not in self._out[start]:
            self._out[start].append(edge)

    def _share_callbacks(self) -> dict[int, dict[int, str]]:
        """Lead operations to all that a shared callback holds, not only to the first of it; return
        the operations that name each callback's, with the keys under which they do."""
        inside: dict[tuple[str, str], list[int]] = {}
        shared = {}
        for name, file in self._files.items():
            items = {row[0] for row in file["components"] if row[1] == "pathItem"}
            for node in self._nodes_of(name):
                if self._columns["detail"][node].get("event") == "callback":
                    pointer = self._columns["pointer"][node]
                    item = item_pointer(pointer)
                    shared[node] = name, pointer if item in items else item.rpartition("/")[0]
                    inside.setdefault(shared[node], []).append(node)
        callers: dict[int, dict[int, str]] = {}
        for start, edges in enumerate(self._out):
            for end, label, key in [edge for edge in edges if edge[1] == _CALLBACK and edge[2]]:
                for node in inside[shared[end]] if end in shared else ():
                    self._add(start, (node, label, key))
                    callers.setdefault(node, {})[start] = key
        return callers

    def _nodes_at(self, uri: str) -> list[int]:
        """Return the node of the component at `uri`, those of its operations if it is a path item,
        none if there is nothing."""
        seen: set[str] = set()
        while uri and uri not in seen:
            seen.add(uri)
            name, pointer = split_uri(uri)
            if name not in self._files:
                break
            found = self._pointers_in(name).get(pointer, []) + self._items.get(uri, [])
            for item in self._called[name].get(pointer, ()):
                found = found + self._nodes_at(item)
            if found:
                return found
            uri = self._aliases[name].get(pointer, "")
        return []

    def _pointers_in(self, name: str) -> dict[str, list[int]]:
        known = self._pointers.get(name)
        if known is None:
            file, first = self._files[name], self._first[name]
            nodes = [NodeRow(*row) for row in file["nodes"]]
            known = {row.pointer: [first + number] for number, row in enumerate(nodes)}
            aliases = self._aliases[name] = {}
            called = self._called[name] = {}
            for number, row in enumerate(nodes):
                if row.kind == "method":
                    known.setdefault(item_pointer(row.pointer), []).append(first + number)
            for component in (ComponentRow(*row) for row in file["components"]):
                if component.role == "callback" and '{"$ref":' in component.value:
                    called[component.pointer] = _refs(json.loads(component.value))
                if component.node >= 0:
                    known[component.pointer] = [first + component.node]
                elif component.value.startswith('{"$ref":'):
                    aliases[component.pointer] = json.loads(component.value)["$ref"]
            self._pointers[name] = known
        return known

    def add_variants(self) -> None:
        """Add the types that a discriminator names without a mapping: the members of its `oneOf` or
        `anyOf`, and where it has neither, every type that extends it, at whatever distance."""
        details, names = self._columns["detail"], self._columns["name"]
        children: dict[int, list[int]] = {}
        for node, detail in enumerate(details):
            if extends(self._kinds[node], self._marks[node]):
                for uri in detail.get("extends", ()):
                    for base in self._nodes_at(uri):
                        children.setdefault(self._behind_names(base), []).append(node)
        for node, detail in enumerate(details):
            if not detail.get("discriminator"):
                continue
            members = [end for end, label, _ in self._out[node] if label in _UNIONS]
            named = {end for end, label, _ in self._out[node] if label == _VARIANT}
            for end in members or _descendants(node, children):
                if end not in named and extends(self._kinds[end], self._marks[end]):
                    self._add(node, (end, _VARIANT, names[end]))

    def mark_properties(self) -> None:
        """Mark the properties whose types are only read or only written, themselves or by what
        they are made of."""
        details = self._columns["detail"]
        users: dict[int, list[int]] = {}
        for node, detail in enumerate(details):
            for uri in (*detail.get("extends", ()), *detail.get("same", ())):
                for target in self._nodes_at(uri):
                    users.setdefault(target, []).append(node)
        for mark in _ONE_WAY:
            todo = [node for node in users if self._marks[node] & mark]
            found = set(todo)
            while todo:
                for user in users.get(todo.pop(), ()):
                    if user not in found:
                        found.add(user)
                        todo.append(user)
            for node in found:
                if self._kinds[node] == _PROPERTY and not details[node].get("in"):
                    self._marks[node] |= mark

    def _behind_names(self, node: int) -> int:
        """Return the type that a type is only another name for, at the end of the chain."""
        seen: set[int] = set()
        while node not in seen:
            seen.add(node)
            behind = [end for end, label, _ in self._out[node] if label == _REF]
            if not behind:
                break
            node = behind[0]
        return node

    def graph(self) -> bytes:
        """Return the file of the graph."""
        at, ends, labels = array("I", [0]), array("I"), array("B")
        tags: dict[str, str] = {}
        for edges in self._out:
            for end, label, tag in edges:
                if tag:
                    tags[str(len(ends))] = tag
                ends.append(end)
                labels.append(label)
            at.append(len(ends))
        details = self._columns["detail"]
        return encode_graph(
            columns=self._columns,
            kinds=self._kinds,
            marks=self._marks,
            directions=directions(self._kinds, self._marks, at, ends, labels),
            parents=array("i", self._parents()),
            places=array("B", [_PLACES.get(one.get("in", ""), 0) for one in details]),
            edges=(at, ends, labels),
            tags=tags,
            operations=list(self._operations()),
            files=self._files,
            documents=self._documents(),
        )

    def _parents(self) -> Iterator[int]:
        parents = self._columns["parent"]
        for name, first in self._first.items():
            for node in self._nodes_of(name):
                yield first + parents[node] if parents[node] >= 0 else -1

    def _operations(self) -> Iterator[list[Any]]:
        details = self._columns["detail"]
        for name, file in self._files.items():
            first = self._first[name]
            keys = {row[0]: first + number for number, row in enumerate(file["nodes"])}
            for node in self._nodes_of(name):
                if self._kinds[node] == _METHOD:
                    detail = details[node]
                    method, path, event = (detail.get(k, "") for k in ("method", "path", "event"))
                    owner, key = keys.get(detail.get("of"), -1), detail.get("key", "")
                    if callers := self._callers.get(node):
                        owner = next(iter(callers)) if len(callers) == 1 else -1
                        key = next(iter(callers.values())) if len({*callers.values()}) == 1 else key
                    label = f"{event.upper()} {key}" if event else f"{method} {path}"
                    yield [node, method, path, event, label, owner]

    def _documents(self) -> list[dict[str, Any]]:
        roots = [name for name, file in self._files.items() if file["root"]]
        short = name_documents(roots)
        return [self._document(name, short[name]) for name in roots]

    def _nodes_of(self, name: str) -> range:
        first = self._first[name]
        return range(first, first + len(self._files[name]["nodes"]))

    def _counted_as(self, node: int) -> str:
        kind = self._kinds[node]
        if kind == _METHOD:
            event = self._columns["detail"][node].get("event")
            return f"{event}s" if event else "operations"
        return "" if self._marks[node] & _MADE else _PLURALS.get(kind, "")

    def _document(self, name: str, short: str) -> dict[str, Any]:
        file = self._files[name]
        covered = {name}
        todo = [name]
        while todo:
            for other in self._files[todo.pop()]["reached"]:
                known = self._files.get(other, {"root": True})
                if other not in covered and not known["root"]:
                    covered.add(other)
                    todo.append(other)
        counts = Counter(self._counted_as(node) for one in covered for node in self._nodes_of(one))
        info = file["info"]
        return {
            "name": short,
            "source": name,
            "title": str(info.get("title", "")),
            "version": str(info.get("version", "")),
            "format": file["format"],
            "counts": {kind: counts[kind] for kind in COUNTED},
            "covers": sorted(covered),
        }


def _refs(callback: Mapping[str, Any]) -> list[str]:
    """Return the URIs of the path items of a callback that are in other files."""
    items = [item for item in callback.values() if isinstance(item, dict)]
    return [item["$ref"] for item in items if isinstance(item.get("$ref"), str)]


def _descendants(node: int, children: Mapping[int, Sequence[int]]) -> list[int]:
    found: dict[int, None] = {}
    todo = [node]
    while todo:
        for child in children.get(todo.pop(), ()):
            if child not in found and child != node:
                found[child] = None
                todo.append(child)
    return sorted(found)
