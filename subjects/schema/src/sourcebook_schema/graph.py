"""`graph.sbk`: a row for each node and each edge of an index, as columns.

What is small and always needed, names of sources and documents, is in its directory.
"""

import json
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from attrs import frozen
from sourcebook.index.columns import Columns, Texts, all_texts, encode_columns, guarded, json_block

from sourcebook_schema.documents import Document
from sourcebook_schema.facts import EDGES, NODE_KINDS

GRAPH = "graph.sbk"

VERSION = 1

METHOD = NODE_KINDS.index("method")

_PREFIXES = [f"{kind.capitalize()}:" for kind in NODE_KINDS]

DEPTH = 1000
"""Owners above a node that are followed: a crafted file could lead round in a circle."""

PLACES = ("", "query", "path", "header", "cookie", "form")
"""Where a parameter is sent, empty for a member of a type."""


class Operation(NamedTuple):
    """What an operation is called by.

    Args:
        method, path: `GET` and `/users`; the key of a webhook, the expression of a callback.
        event: empty, `webhook` or `callback`.
        label: `GET /users`, `WEBHOOK paid`, `CALLBACK paid`.
        of: the node of the operation that a callback belongs to, -1 without one.
    """

    method: str
    path: str
    event: str
    label: str
    of: int


@frozen
class FileInfo:
    """A file as a whole; see `facts.FileFact`. `schemes` are pointers by name."""

    source: str
    root: bool
    format: str
    info: Mapping[str, Any]
    schemes: Mapping[str, str]


def encode_graph(
    *,
    columns: Mapping[str, Sequence[Any]],
    kinds: "array[int]",
    marks: "array[int]",
    directions: bytearray,
    parents: "array[int]",
    places: "array[int]",
    edges: "tuple[array[int], array[int], array[int]]",
    tags: Mapping[str, str],
    operations: Sequence[Sequence[Any]],
    files: Mapping[str, Any],
    documents: Sequence[Mapping[str, Any]],
) -> bytes:
    """Return `graph.sbk`; see `Graph` for what is in it.

    Args:
        columns: the rows of all nodes, turned: by the names of `NodeRow`.
    """
    at, ends, labels = edges
    count = len(kinds)
    in_at, in_starts, in_labels = _turned(count, at, ends, labels)
    starts = array("I", [0])
    for file in files.values():
        starts.append(starts[-1] + len(file["nodes"]))
    details = [
        json.dumps(left, ensure_ascii=False, separators=(",", ":")) if left else ""
        for detail in columns["detail"]
        for left in [{key: one for key, one in detail.items() if key not in _ELSEWHERE}]
    ]
    about = {
        name: {"format": file["format"], "root": file["root"], "info": file["info"],
               "schemes": file["schemes"]}
        for name, file in files.items()
    }  # fmt: skip
    return encode_columns(
        {
            "starts": starts,
            "kinds": kinds,
            "marks": marks,
            "directions": array("B", directions),
            "parents": parents,
            "places": places,
            "firsts": array("I", columns["first"]),
            "lasts": array("I", columns["last"]),
            "out.at": at,
            "out.ends": ends,
            "out.labels": labels,
            "in.at": in_at,
            "in.starts": in_starts,
            "in.labels": in_labels,
            "keys": _told_keys(columns, kinds, parents),
            "names": columns["name"],
            "types": columns["type"],
            "summaries": columns["summary"],
            "pointers": columns["pointer"],
            "details": details,
            "tags": json_block(tags),
            "operations": json_block([*zip(*operations, strict=True)] or [()] * 6),
            "files": json_block(about),
        },
        {"version": VERSION, "sources": list(files), "documents": documents},
    )


_ELSEWHERE = frozenset({"in", "method", "path", "event", "of", "extends", "same", "item"})
"""What of `NodeRow.detail` has a column of its own, or is an edge."""


def derived_title(name: str, owner: str) -> str:
    """Return what follows the kind in a key, for nearly all nodes: `Invoice`, `Invoice.lines`."""
    return f"{owner}.{name}" if owner else name


def _told_keys(
    columns: Mapping[str, Sequence[Any]], kinds: Sequence[int], parents: Sequence[int]
) -> list[str]:
    """Return the keys that are not what a node's name and its owner's key make, empty texts for
    those that are: they are the longest texts by far, and seldom needed."""
    found = []
    keys, names = columns["key"], columns["name"]
    for node, key in enumerate(keys):
        owner = keys[parents[node]].partition(":")[2] if parents[node] >= 0 else ""
        derived = f"{_PREFIXES[kinds[node]]}{derived_title(names[node], owner)}"
        found.append("" if key == derived else key)
    return found


def _turned(
    count: int, at: Sequence[int], ends: Sequence[int], labels: Sequence[int]
) -> "tuple[array[int], array[int], array[int]]":
    """Return the edges by where they lead: where those of each node begin, whence, and labels."""
    into: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for start in range(count):
        for edge in range(at[start], at[start + 1]):
            into[ends[edge]].append((start, labels[edge]))
    in_at, starts, in_labels = array("I", [0]), array("I"), array("B")
    for some in into:
        for start, label in some:
            starts.append(start)
            in_labels.append(label)
        in_at.append(len(starts))
    return in_at, starts, in_labels


class Edges:
    """Edges by the node at one of their ends: `at` says where those of each begin."""

    def __init__(self, at: "array[int]", nodes: "array[int]", labels: "array[int]") -> None:
        self.at, self.nodes, self.labels = at, nodes, labels

    def of(self, node: int) -> Iterator[tuple[int, int]]:
        """Yield the node at the other end, and the place of the label in `EDGES`."""
        first, last = self.at[node], self.at[node + 1]
        return zip(self.nodes[first:last], self.labels[first:last], strict=True)


class Graph(Columns):
    """The nodes and edges of an index, by the numbers of the nodes; columns are read when used.

    Raises:
        IndexDamaged: from every attribute, if the file is not what `encode_graph` returns.
    """

    def __init__(self, data: bytes, where: str = GRAPH) -> None:
        super().__init__(data, where)
        self._open()

    @guarded
    def _open(self) -> None:
        if self.values["version"] != VERSION:
            raise ValueError(f"version {self.values['version']!r}")
        self.sources = all_texts(self.values["sources"])
        self.documents = [Document.of(one, self.sources) for one in self.values["documents"]]
        self.kinds = self.numbers("kinds", "B", below=len(NODE_KINDS))
        self.starts = self.begins("starts", len(self.sources), len(self.kinds))

    def __len__(self) -> int:
        return len(self.kinds)

    def source(self, node: int) -> str:
        """Return the name of the source that a node is written in."""
        return self.sources[bisect_right(self.starts, node) - 1]

    @cached_property
    def _numbered(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.sources)}

    def nodes_of(self, source: str) -> range:
        """Return the nodes that are written in a source; none if there is no such source."""
        place = self._numbered.get(source)
        return range(0) if place is None else range(self.starts[place], self.starts[place + 1])

    @cached_property
    @guarded
    def marks(self) -> "array[int]":
        """`Mark` bits."""
        return self.numbers("marks", "B", len(self))

    @cached_property
    @guarded
    def directions(self) -> "array[int]":
        """`Direction` values."""
        return self.numbers("directions", "B", len(self), below=4)

    @cached_property
    @guarded
    def parents(self) -> "array[int]":
        """The owner of each node, -1 without one."""
        return self.numbers("parents", "i", len(self), below=len(self))

    @cached_property
    @guarded
    def places(self) -> "array[int]":
        """Places in `PLACES`."""
        return self.numbers("places", "B", len(self), below=len(PLACES))

    @cached_property
    @guarded
    def firsts(self) -> "array[int]":
        """First lines."""
        return self.numbers("firsts", "I", len(self))

    @cached_property
    @guarded
    def lasts(self) -> "array[int]":
        """Last lines."""
        return self.numbers("lasts", "I", len(self))

    @cached_property
    @guarded
    def _told_keys(self) -> Texts:
        return self.texts("keys", len(self))

    def key(self, node: int) -> str:
        """Return the key of a node in its source: `Property:Invoice.lines`."""
        return self._told_keys[node] or f"{_PREFIXES[self.kinds[node]]}{self.key_title(node)}"

    def key_title(self, node: int) -> str:
        """Return what follows the kind in the key of a node."""
        names: list[str] = []
        while node >= 0 and len(names) < DEPTH:
            if told := self._told_keys[node]:
                names.append(str(told).partition(":")[2])
                break
            names.append(self.names[node])
            node = self.parents[node]
        return ".".join(reversed(names))

    def with_key(self, key: str) -> Iterator[int]:
        """Yield the nodes with a key, of any source."""
        yield from self._told_keys.equal(key)
        _, _, title = key.partition(":")
        place = len(title)
        while place >= 0:  # a name may itself hold full stops
            place = title.rfind(".", 0, place)
            for node in self.names.equal(title[place + 1 :]):
                if self.key(node) == key and not self._told_keys[node]:
                    yield node

    @cached_property
    @guarded
    def names(self) -> Texts:
        """Names."""
        return self.texts("names", len(self))

    @cached_property
    @guarded
    def types(self) -> Texts:
        """What they hold, in a reader's words."""
        return self.texts("types", len(self))

    @cached_property
    @guarded
    def summaries(self) -> Texts:
        """First sentences."""
        return self.texts("summaries", len(self))

    @cached_property
    @guarded
    def pointers(self) -> Texts:
        """JSON pointers into their sources."""
        return self.texts("pointers", len(self))

    @cached_property
    @guarded
    def _details(self) -> Texts:
        return self.texts("details", len(self))

    @guarded
    def detail(self, node: int) -> dict[str, Any]:
        """Return what is told of a node beside its columns."""
        return {**json.loads(self._details[node] or "{}")}

    @cached_property
    @guarded
    def out(self) -> Edges:
        """The edges by where they start."""
        return self._edges("out.at", "out.ends", "out.labels")

    @cached_property
    @guarded
    def into(self) -> Edges:
        """The edges by where they end."""
        return self._edges("in.at", "in.starts", "in.labels")

    @cached_property
    @guarded
    def _tags(self) -> dict[str, str]:
        tags = {**self.json("tags")}
        all_texts(tags.values())
        return tags

    @guarded
    def tagged(self, node: int) -> list[tuple[int, int, str]]:
        """Return the nodes that edges of a node lead to, with labels and tags."""
        tags, first = self._tags, self.out.at[node]
        return [
            (end, label, tags.get(str(edge), ""))
            for edge, (end, label) in enumerate(self.out.of(node), first)
        ]

    @guarded
    def variants(self, node: int) -> dict[str, int]:
        """Return the types that the discriminator of a node names, by the values that do."""
        variant = EDGES.index("variant")
        return {tag: end for end, label, tag in self.tagged(node) if label == variant}

    @cached_property
    @guarded
    def operations(self) -> "dict[int, Operation]":
        """The operations by their nodes."""
        nodes, *texts, owners = self.json("operations")
        numbers = array("i", nodes), array("i", owners)
        if any(one and not -1 <= min(one) <= max(one) < len(self) for one in numbers):
            raise ValueError("an operation is no node")
        methods = [node for node in {*nodes} if self.kinds[node] == METHOD]
        if not len(nodes) == len(methods) == self.kinds.count(METHOD):
            raise ValueError("an operation is missing")
        rows = zip(*map(all_texts, texts), numbers[1], strict=True)
        return dict(zip(numbers[0], (Operation(*row) for row in rows), strict=True))

    @cached_property
    @guarded
    def files(self) -> "dict[str, FileInfo]":
        """What is known of each source as a whole."""
        return {
            str(name): FileInfo(
                str(name), bool(one["root"]), str(one["format"]), {**one["info"]},
                {str(key): str(uri) for key, uri in one["schemes"].items()},
            )
            for name, one in self.json("files").items()
        }  # fmt: skip

    def _edges(self, at: str, nodes: str, labels: str) -> Edges:
        ends = self.numbers(nodes, "I", below=len(self))
        told = self.numbers(labels, "B", len(ends), below=len(EDGES))
        return Edges(self.begins(at, len(self), len(ends)), ends, told)
