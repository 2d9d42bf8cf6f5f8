"""From calls, imports and base types as written to the declarations they mean.

A name is followed as its language would. What leads out of the corpus has no edge. Where only a
name speaks for an edge, the edge says so: `unique name` if there is one such declaration,
`ambiguous` if there are a few.
"""

from collections.abc import Iterator, Sequence
from posixpath import basename, splitext

from sourcebook_code.corpus import ELSEWHERE, Corpus, Group, Nowhere, Type, Value, plain
from sourcebook_code.edges import AMBIGUOUS, CALLS, EXTENDS, IMPORTS, RESOLVED, UNIQUE, Link
from sourcebook_code.families import common_members, container_members, vague_names
from sourcebook_code.modules import File
from sourcebook_code.scopes import Scopes
from sourcebook_code.variables import TYPES

_NO_TARGETS = frozenset({"extension", "impl"})
"""Kinds that add to what is declared elsewhere, maybe outside of the corpus."""

MAX_SAME = 256
"""Of more declarations with one qualified name the last of these are looked at."""

MAX_AMBIGUOUS = 3
"""More declarations that a name may mean than this say nothing."""


Found = tuple[Sequence[int], int]
"""Nodes, and their provenance."""

NOTHING: Found = ((), RESOLVED)


class Resolver:
    """Says what the calls, imports and base types of a corpus mean."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._scopes = Scopes(corpus)
        self._known = {*corpus.names}
        for file in corpus.files:
            self._known.update(alias for _, _, alias, _ in file.fact["imports"])
        self._stems: dict[int, frozenset[str]] = {}
        self._common = common_members()
        self._container = container_members()
        self._vague = vague_names()

    def links(self) -> Iterator[Link]:
        """Yield every edge, file by file; between two nodes one of a label, the surest, then the
        one that is written first."""
        for file in self._corpus.files:
            found: dict[tuple[int, int, int], Link] = {}
            for link in (*self._calls(file), *self._imports(file), *self._extends(file)):
                key = link[:3]
                kept = found.get(key)
                if kept is None or link[3:] < kept[3:]:
                    found[key] = link
            yield from found.values()

    def _calls(self, file: File) -> Iterator[Link]:
        first = self._corpus.firsts[file.place]
        words, rows = file.fact["words"], file.fact["calls"]
        for at in range(0, len(rows), 3):
            node = first + 1 + rows[at]
            nodes, provenance = self.call(file, node, words[rows[at + 1]])
            for end in nodes:
                yield Link(node, end, CALLS, provenance, rows[at + 2])

    def _imports(self, file: File) -> Iterator[Link]:
        first = self._corpus.firsts[file.place]
        for at, (_, _, _, line) in enumerate(file.fact["imports"]):
            for end in self._shown(self._scopes.imports.at(file, at)):
                if end != first:
                    yield Link(first, end, IMPORTS, RESOLVED, line)

    def _extends(self, file: File) -> Iterator[Link]:
        corpus = self._corpus
        first = corpus.firsts[file.place]
        for at in dict.fromkeys(at for at, _ in file.fact["bases"]):
            node = first + 1 + at
            for base in self._scopes.bases_at(node):
                for end in self._shown(base):
                    if end != node:
                        yield Link(node, end, EXTENDS, RESOLVED, file.fact["firsts"][at])

    def _shown(self, value: Value) -> list[int]:
        """Return the nodes that an edge to a value leads to."""
        corpus = self._corpus
        if isinstance(value, Group):
            nodes = [corpus.firsts[at] for at in corpus.files_of[value.group]]
        else:
            nodes = [node for node in corpus.nodes(value) if corpus.kinds[node] not in _NO_TARGETS]
        return nodes if len(nodes) <= MAX_AMBIGUOUS else []

    # ---- one call

    def call(self, file: File, node: int, word: str) -> Found:
        """Return what a name means that is called in a declaration."""
        parts = word.split(".")
        if parts[-1] not in self._known and word not in file.family.this:
            return NOTHING  # as of most calls of libraries
        if len(parts) == 1:
            return self._bare(file, node, word)
        if not parts[0]:
            return self._guess(file, node, parts[-1], parts[-2])
        value, last = self._scopes.follow(file, node, parts)
        if value is ELSEWHERE:
            return NOTHING
        if isinstance(value, Nowhere):
            return self._guess(file, node, parts[-1], parts[-2])
        return self._pick(file, self._scopes.members(value, last))

    def _pick(self, file: File, nodes: Sequence[int]) -> Found:
        """Return one of some declarations with the same qualified name, or all of a few."""
        corpus = self._corpus
        if len(nodes) < 2:
            return [node for node in nodes if corpus.kinds[node] not in _NO_TARGETS], RESOLVED
        nodes = [node for node in nodes[-MAX_SAME:] if corpus.kinds[node] not in _NO_TARGETS]
        nodes = [node for node in nodes if node not in corpus.prototypes] or nodes
        near = [node for node in nodes if corpus.file_of[node] == file.place]
        nodes = near or nodes
        alone = len(nodes) == 1 or not file.family.overloads
        if alone and len({corpus.file_of[node] for node in nodes}) == 1:
            return nodes[-1:], RESOLVED  # the last one stands
        return (nodes, AMBIGUOUS) if len(nodes) <= MAX_AMBIGUOUS else NOTHING

    def _bare(self, file: File, node: int, name: str) -> Found:
        scopes, corpus = self._scopes, self._corpus
        family = file.family
        if name in family.this:
            return self._pick(file, corpus.nodes(scopes.own(file, node)))
        if scopes.variable(file, node, name) is not None:
            return NOTHING
        nodes = scopes.lexical(file, node, name)
        if nodes and all(corpus.kinds[one] == "constructor" for one in nodes):
            nodes = corpus.nodes(scopes.own(file, nodes[0]))  # as from outside of the type
        if nodes:
            return self._pick(file, nodes)
        value = scopes.imports.value(file, name)
        if value is not None:
            return self._pick(file, corpus.nodes(value) if isinstance(value, Type) else ())
        nodes = scopes.grouped(file, name)
        if nodes:
            return self._linked(file, self._pick(file, nodes))
        nodes = scopes.starred(file, name)
        if nodes or not family.everywhere:
            return self._pick(file, nodes)
        nodes = corpus.tops.get(family.name, {}).get(name, [])
        return self._named(nodes)

    def _linked(self, file: File, found: Found) -> Found:
        """Return what a bare name means, without certainty if only its name leads to another file,
        as where all files of a language share their names."""
        nodes, provenance = found
        corpus = self._corpus
        if file.family.group != "all" or provenance != RESOLVED:
            return found
        for one in nodes:
            place = corpus.file_of[one]
            far = place != file.place and "." not in corpus.titles[one]
            if corpus.kinds[one] in TYPES and file.family.name != "c":
                continue  # types are known everywhere
            if far and _stem(corpus.files[place]) not in self._stems_reached(file):
                return nodes, UNIQUE
        return found

    def _stems_reached(self, file: File) -> frozenset[str]:
        """Return the stems of what a file includes: a header is called like its source."""
        known = self._stems.get(file.place)
        if known is None:
            files = self._corpus.files
            reach = self._scopes.imports.reach(file)
            known = self._stems[file.place] = frozenset(_stem(files[place]) for place in reach)
        return known

    def _guess(self, file: File, node: int, name: str, receiver: str) -> Found:
        """Return the members that a name may mean of an object that nothing is known of, but what
        its variable is called."""
        corpus, family = self._corpus, file.family.name
        if name.startswith("__"):
            return NOTHING
        if name not in self._container and receiver not in self._vague:
            named = corpus.owned.get(family, {}).get((name, plain(receiver)), ())
            if len(named) == 1 and named[0] != node:
                return named, UNIQUE
        if name in self._common:
            return NOTHING
        nodes = corpus.members.get(family, {}).get(name, [])
        nodes = [one for one in nodes if corpus.kinds[one] != "property"]
        return NOTHING if node in nodes else self._named(nodes)

    def _named(self, nodes: Sequence[int]) -> Found:
        """Return what only a name speaks for."""
        if len(nodes) > MAX_AMBIGUOUS:
            return NOTHING
        return nodes, UNIQUE if len(nodes) == 1 else AMBIGUOUS


def _stem(file: File) -> str:
    return splitext(basename(file.name))[0]
