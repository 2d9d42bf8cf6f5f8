"""What the verbs of the graph share: declarations as records, and what a user's text means."""

from collections.abc import Iterable
from posixpath import basename

from attrs import frozen
from sourcebook.errors import Ambiguous, BadRequest, NotFound
from sourcebook.index.open import Index
from sourcebook.naming import shown
from sourcebook.verbs.listing import Located
from sourcebook.verbs.narrow import Narrowed
from sourcebook.verbs.pattern import name_matcher, nearest
from sourcebook.verbs.show import read_lines

from sourcebook_code.graph import Graph
from sourcebook_code.languages import language_of

MAX_CHARS = 10_000
"""Characters of the longest text that is looked up."""

MAX_TARGETS = 50
"""Declarations that one text may mean where all of them are taken."""


@frozen
class CodeItem(Located):
    """A declaration or a file.

    Args:
        id: what `show` and `neighbors` take.
        kind: one of the kinds of the subject.
        title: the qualified name; of a file its name.
        source: the file.
        first_line, last_line: where it stands there.
        language: of the file.
    """

    id: str
    kind: str
    title: str
    source: str
    first_line: int
    last_line: int
    language: str


def item_of(index: Index, graph: Graph, node: int) -> CodeItem:
    """Return a node as a record."""
    source = graph.source(node)
    return CodeItem(
        graph.id(node), graph.kind(node), graph.title(node), source, graph.firsts[node],
        last_line(index, graph, node), graph.language(node),
    )  # fmt: skip


def last_line(index: Index, graph: Graph, node: int) -> int:
    """Return the last line of a node."""
    return graph.lasts[node] or index.sources[graph.source(node)].lines


def row_of(item: CodeItem) -> str:
    """Return an item on one line: where it is, what it is, what it is called."""
    return f"{item.location}-{item.last_line}  {item.kind}  {item.title}"


def find_nodes(index: Index, graph: Graph, text: str, *, where: str = "target") -> list[int]:
    """Return the declarations that a user's text means.

    The first of these readings that fits anything holds: an id or a key; `FILE:LINE`, the innermost
    declaration there; the name of a file or its end; with `*` or `?` a pattern for qualified names;
    a qualified name or the end of one; the same in any case.

    Raises:
        NotFound: nothing is called so; the hint names the nearest.
        Ambiguous: more than `MAX_TARGETS` are.
    """
    text = text.strip()
    if not text:
        raise BadRequest(
            "nothing is named", where=where, hint="name a declaration, an id or a file"
        )
    if len(text) > MAX_CHARS:
        raise BadRequest(
            f"a name takes at most {MAX_CHARS:,} characters, and this has {len(text):,}",
            where=where,
            hint="write the end of the name, or an id",
        )
    found = [*_readings(index, graph, text, where)]
    if not found:
        raise NotFound(f"nothing is called `{shown(text)}`", where=where, hint=_hint(graph, text))
    if len(found) > MAX_TARGETS:
        some = ", ".join(graph.id(node) for node in found[:5])
        raise Ambiguous(
            f"`{shown(text)}` fits {len(found)} declarations: {some}, ...",
            where=where,
            hint="write more of the name, or an id",
        )
    return found


def _readings(index: Index, graph: Graph, text: str, where: str) -> Iterable[int]:
    node = graph.node(text)
    if node >= 0:
        return [node]
    if "#" in text:
        source, _, key = text.partition("#")
        return [node for node in with_key(graph, key) if _ends(graph.source(node), source)]
    if places := _at_line(index, graph, text, where):
        return places
    files = [graph.nodes_of(name)[0] for name in graph.sources if _ends(name, text)]
    if files:
        return files
    if "*" in text or "?" in text:
        fits = name_matcher([text])
        return [
            node
            for node in range(len(graph))
            if graph.parents[node] >= 0 and (fits(graph.names[node]) or fits(graph.title(node)))
        ]
    return with_key(graph, text) or titled(graph, text) or titled(graph, text, exactly=False)


def _ends(name: str, end: str) -> bool:
    return f"/{name}".endswith(f"/{end.removeprefix('./')}")


def with_key(graph: Graph, key: str) -> list[int]:
    """Return the nodes with a key, of any source."""
    title, mark, number = key.rpartition("~")
    plain = title if mark and number.isdigit() else key
    return [
        node
        for node in titled(graph, plain, whole=True)
        if graph.key(node) == key or (plain == key and graph.title(node) == key)
    ]


def titled(graph: Graph, title: str, *, exactly: bool = True, whole: bool = False) -> list[int]:
    """Return the declarations with a qualified name, or one that ends so, in order."""
    wanted = title if exactly else title.casefold()
    found: set[int] = set()
    place = len(title)
    while True:  # a name may itself hold dots
        place = title.rfind(".", 0, place)
        for node in graph.names.equal(title[place + 1 :], exactly=exactly):
            if graph.parents[node] >= 0:
                name = graph.title(node) if exactly else graph.title(node).casefold()
                if name == wanted or (not whole and name.endswith(f".{wanted}")):
                    found.add(node)
        if place < 0:
            return sorted(found)


def _at_line(index: Index, graph: Graph, text: str, where: str) -> list[int]:
    name, colon, line = text.rpartition(":")
    if not colon or not line.isdigit() or len(line) > 9:
        return []
    found = []
    for source in graph.sources:
        if _ends(source, name):
            number = read_lines(line, index.sources[source].lines, where=where).first
            found.append(node_at(graph, source, number))
    return found


def node_at(graph: Graph, source: str, line: int) -> int:
    """Return the innermost node around a line."""
    nodes = graph.nodes_of(source)
    around = [node for node in nodes[1:] if graph.firsts[node] <= line <= graph.lasts[node]]
    return min(
        around, key=lambda node: (graph.lasts[node] - graph.firsts[node], node), default=nodes[0]
    )


def covers_file(index: Index, graph: Graph, narrowed: Narrowed, source: str) -> bool:
    """Say whether a request covers what is in a file, as far as that is the same for all of it."""
    others = {key: one for key, one in narrowed.filters.items() if key not in ("source", "kind")}
    if not others:
        return True
    return Narrowed(others).covers(index.entry(graph.id(graph.nodes_of(source)[0])))


class Innermost:
    """The innermost node around a line, among those that a request is narrowed to."""

    def __init__(self, index: Index, graph: Graph, narrowed: Narrowed) -> None:
        self._index = index
        self._graph = graph
        self._narrowed = narrowed
        self._source = ""
        self._nodes: list[int] = []

    def at(self, source: str, line: int) -> int:
        """Return the node that a line belongs to, -1 if the request covers none there."""
        if source != self._source:
            self._source = source
            self._nodes = self._by_line(source)
        return self._nodes[line - 1]

    def _by_line(self, source: str) -> list[int]:
        graph, lines = self._graph, self._index.sources[source].lines
        kinds = self._narrowed.filters.get("kind")
        found = [-1] * lines
        nodes = graph.nodes_of(source)
        if not nodes or not covers_file(self._index, graph, self._narrowed, source):
            return found
        chosen = [node for node in nodes if kinds is None or graph.kind(node) in kinds]
        # The shortest come last and cover those around them; of equals, the inner one.
        for node in sorted(chosen, key=lambda one: (graph.firsts[one] - _last(graph, one), one)):
            first, last = graph.firsts[node] - 1, min(_last(graph, node), lines)
            found[first:last] = [node] * (last - first)
        return found


def _last(graph: Graph, node: int) -> int:
    return graph.lasts[node] or 1 << 30


def _hint(graph: Graph, text: str) -> str:
    source, mark, key = text.rpartition("#")
    if mark and (nodes := graph.nodes_of(source)):
        near = nearest(key, [graph.key(node) for node in nodes[1:]])
        return f"did you mean `{source}#{near}`?" if near else f"`show {source}` has all of it"
    if not mark and ("/" in text or language_of(text) is not None):
        ends = {basename(name): name for name in graph.sources}
        near = nearest(text, graph.sources) or ends.get(nearest(basename(text), [*ends]), "")
        return f"did you mean `{near}`?" if near else "`list files` has the names of all files"
    last = text.rpartition("#")[2].rpartition(".")[2]
    names = list(dict.fromkeys(name for name in graph.names if name))
    near = nearest(last, names)
    titles = [graph.title(node) for node in graph.names.equal(near)] if near else []
    best = nearest(text, titles) or (titles[0] if titles else "")
    if best:
        return f"did you mean `{best}`?"
    near = nearest(text, graph.sources)
    return f"did you mean `{near}`?" if near else "`list declarations --name` finds parts of names"
