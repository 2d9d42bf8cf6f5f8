"""`graph.sbk`: a row for each file and declaration of an index and for each edge, as columns.

What is small and always needed, the names of sources, is in its directory.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from sourcebook.index.columns import Columns, Texts, all_texts, encode_columns, guarded

from sourcebook_code.declaration import FILE_KEY
from sourcebook_code.edges import CONTAINS, EDGES, LABELS, PROVENANCES

if TYPE_CHECKING:
    from sourcebook.index.open import Index

    from sourcebook_code.corpus import Corpus

GRAPH = "graph.sbk"

VERSION = 1


class Step(NamedTuple):
    """An edge as it is walked: from one of its ends to the other.

    Args:
        start, end: nodes at the ends of the edge.
        label: one of `EDGES`.
        provenance: one of `PROVENANCES`.
        line: the line of `start`'s source in which it is written, 0 for `contains`.
        node: the end that is reached.
    """

    start: int
    end: int
    label: str
    provenance: str
    line: int
    node: int


def encode_graph(
    corpus: "Corpus",
    starts: "array[int]",
    ends: "array[int]",
    labels: "array[int]",
    provenances: "array[int]",
    lines: "array[int]",
) -> bytes:
    """Return `graph.sbk`; the edges are sorted by where they start."""
    count = len(corpus.kinds)
    kinds = sorted(set(corpus.kinds))
    numbers = {kind: place for place, kind in enumerate(kinds)}
    firsts, lasts = array("I"), array("I")
    for file in corpus.files:
        firsts.append(1)
        lasts.append(0)
        firsts.extend(file.fact["firsts"])
        lasts.extend(file.fact["lasts"])
    places = array("I", sorted(range(len(ends)), key=ends.__getitem__))
    return encode_columns(
        {
            "starts": array("I", [*corpus.firsts, count]),
            "kinds": array("B", [numbers[kind] for kind in corpus.kinds]),
            "parents": array("i", corpus.parents),
            "firsts": firsts,
            "lasts": lasts,
            "names": ["" if kind == "file" else name
                      for kind, name in zip(corpus.kinds, corpus.names, strict=True)],
            "titles": _told_titles(corpus),
            "out.at": _begins(count, starts),
            "out.ends": ends,
            "out.labels": labels,
            "out.provenances": provenances,
            "out.lines": lines,
            "in.at": _begins(count, array("I", [ends[place] for place in places])),
            "in.edges": places,
        },
        {
            "version": VERSION,
            "kinds": kinds,
            "sources": [file.name for file in corpus.files],
            "languages": [file.fact["language"] for file in corpus.files],
        },
    )  # fmt: skip


def _begins(count: int, nodes: "array[int]") -> "array[int]":
    """Return where the edges of each node begin, and where the last end, in a sorted column."""
    at = array("I", bytes(4 * (count + 1)))
    for node in nodes:
        at[node + 1] += 1
    for node in range(count):
        at[node + 1] += at[node]
    return at


def _told_titles(corpus: "Corpus") -> list[str]:
    """Return the qualified names that owner and name do not make, empty texts for the others."""
    told = []
    for name, title, parent in zip(corpus.names, corpus.titles, corpus.parents, strict=True):
        owner = corpus.titles[parent] if parent >= 0 else ""
        told.append("" if not title or title == (f"{owner}.{name}" if owner else name) else title)
    return told


class Graph(Columns):
    """The nodes and edges of an index, by the numbers of the nodes; columns are read when used.

    Raises:
        IndexDamaged: from every attribute, if the file is not what `encode_graph` returns.
    """

    def __init__(self, data: bytes, where: str = GRAPH) -> None:
        super().__init__(data, where)
        self._open()

    @classmethod
    def of(cls, index: "Index") -> "Graph":
        """Return the graph of an open index, which is read once and kept as long as that is."""
        graph = _opened.get(index)
        if graph is None:
            where = f"{index.path}, structure/{GRAPH}"
            graph = cls(index.structure(GRAPH), where)
            if any(name not in index.sources for name in graph.sources):
                raise graph.damaged(ValueError("a source is not of the index"))
            _opened[index] = graph
        return graph

    @guarded
    def _open(self) -> None:
        if self.values["version"] != VERSION:
            raise ValueError(f"version {self.values['version']!r}")
        self.sources = all_texts(self.values["sources"])
        self.languages = all_texts(self.values["languages"])
        if len(self.languages) != len(self.sources):
            raise ValueError("a source has no language")
        self._kind_names = all_texts(self.values["kinds"])
        self.kinds = self.numbers("kinds", "B", below=len(self._kind_names))
        self.starts = self.begins("starts", len(self.sources), len(self.kinds))

    def __len__(self) -> int:
        return len(self.kinds)

    # ---- nodes

    def _place(self, node: int) -> int:
        return bisect_right(self.starts, node) - 1

    def source(self, node: int) -> str:
        """Return the name of the source that a node is written in."""
        return self.sources[self._place(node)]

    def language(self, node: int) -> str:
        """Return the language of the source of a node."""
        return self.languages[self._place(node)]

    def kind(self, node: int) -> str:
        """Return the kind of a node."""
        return self._kind_names[self.kinds[node]]

    @cached_property
    def _numbered(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.sources)}

    def nodes_of(self, source: str) -> range:
        """Return the nodes of a source, the file first; none if there is no such source."""
        place = self._numbered.get(source)
        return range(0) if place is None else range(self.starts[place], self.starts[place + 1])

    @cached_property
    @guarded
    def parents(self) -> "array[int]":
        """The node that each is written in, -1 for a file."""
        column = self.numbers("parents", "i", len(self), below=len(self))
        if any(parent >= node for node, parent in enumerate(column)):
            raise ValueError("an owner comes after what it owns")
        return column

    @cached_property
    @guarded
    def firsts(self) -> "array[int]":
        """First lines."""
        return self.numbers("firsts", "I", len(self))

    @cached_property
    @guarded
    def lasts(self) -> "array[int]":
        """Last lines, 0 for a file."""
        return self.numbers("lasts", "I", len(self))

    @cached_property
    @guarded
    def names(self) -> Texts:
        """Names, empty for files."""
        return self.texts("names", len(self))

    @cached_property
    @guarded
    def _told(self) -> Texts:
        return self.texts("titles", len(self))

    def title(self, node: int) -> str:
        """Return the qualified name of a declaration, the name of a file."""
        place = self._place(node)
        return self._outline(place)[0][node - self.starts[place]]

    def key(self, node: int) -> str:
        """Return the key of a node in its source: its qualified name, with `~2` for the second."""
        place = self._place(node)
        return self._outline(place)[1][node - self.starts[place]]

    def _outline(self, place: int) -> tuple[list[str], list[str]]:
        """Return the qualified names of the nodes of a source, and their keys, as the core makes
        them where some are equal."""
        known = self._outlines.get(place)
        if known is None:
            first, end = self.starts[place], self.starts[place + 1]
            titles, keys = [self.sources[place]], [FILE_KEY]
            counts = {FILE_KEY: 1}
            for node in range(first + 1, end):
                title, parent = self._told[node], self.parents[node]
                if not title:
                    name = self.names[node]
                    title = f"{titles[parent - first]}.{name}" if parent > first else name
                titles.append(title)
                key = title
                while (count := counts.get(key, 0) + 1) > 1:
                    counts[key] = count
                    key = f"{key}~{count}"
                counts[key] = 1
                keys.append(key)
            known = self._outlines[place] = titles, keys
        return known

    @cached_property
    def _outlines(self) -> dict[int, tuple[list[str], list[str]]]:
        return {}

    def id(self, node: int) -> str:
        """Return `<source>#<key>`."""
        place = self._place(node)
        return f"{self.sources[place]}#{self._outline(place)[1][node - self.starts[place]]}"

    def node(self, entry_id: str) -> int:
        """Return the node with an id, -1 if there is none."""
        at = entry_id.find("#")
        while at >= 0:  # a file's name may itself hold a `#`
            place = self._numbered.get(entry_id[:at])
            key = entry_id[at + 1 :]
            if place is not None and key in (keys := self._outline(place)[1]):
                return self.starts[place] + keys.index(key)
            at = entry_id.find("#", at + 1)
        return -1

    # ---- edges

    @cached_property
    @guarded
    def _out(self) -> "tuple[array[int], array[int], array[int], array[int]]":
        ends = self.numbers("out.ends", "I", below=len(self))
        count = len(ends)
        return (
            self.begins("out.at", len(self), count),
            ends,
            self.numbers("out.labels", "B", count, below=len(LABELS)),
            self.numbers("out.provenances", "B", count, below=len(PROVENANCES)),
        )

    @cached_property
    @guarded
    def _lines(self) -> "array[int]":
        return self.numbers("out.lines", "I", len(self._out[1]))

    @cached_property
    @guarded
    def _in(self) -> "tuple[array[int], array[int]]":
        edges = self.numbers("in.edges", "I", len(self._out[1]), below=len(self._out[1]))
        return self.begins("in.at", len(self), len(edges)), edges

    def _start(self, edge: int) -> int:
        return bisect_right(self._out[0], edge) - 1

    def out(self, node: int) -> Iterator[Step]:
        """Yield the edges that start at a node: to what it contains, calls, imports, extends."""
        for child in self.children(node):
            yield Step(node, child, CONTAINS, PROVENANCES[0], 0, child)
        at, ends, labels, provenances = self._out
        for edge in range(at[node], at[node + 1]):
            label, provenance = LABELS[labels[edge]], PROVENANCES[provenances[edge]]
            yield Step(node, ends[edge], label, provenance, self._lines[edge], ends[edge])

    def into(self, node: int) -> Iterator[Step]:
        """Yield the edges that end at a node."""
        if (owner := self.parents[node]) >= 0:
            yield Step(owner, node, CONTAINS, PROVENANCES[0], 0, owner)
        _, _, labels, provenances = self._out
        at, edges = self._in
        for edge in edges[at[node] : at[node + 1]]:
            label, provenance = LABELS[labels[edge]], PROVENANCES[provenances[edge]]
            start = self._start(edge)
            yield Step(start, node, label, provenance, self._lines[edge], start)

    def children(self, node: int) -> Iterator[int]:
        """Yield what is written directly in a node."""
        end = self.starts[self._place(node) + 1]
        for child in range(node + 1, end):
            if self.parents[child] == node:
                yield child
            elif self.parents[child] < node:
                return

    def counted(self) -> dict[str, dict[str, int]]:
        """Return how many edges there are, by label and provenance."""
        found = {label: dict.fromkeys(PROVENANCES, 0) for label in EDGES}
        found[CONTAINS][PROVENANCES[0]] = sum(parent >= 0 for parent in self.parents)
        _, _, labels, provenances = self._out
        for label, provenance in zip(labels, provenances, strict=True):
            found[LABELS[label]][PROVENANCES[provenance]] += 1
        return found


_opened: "WeakKeyDictionary[Index, Graph]" = WeakKeyDictionary()
