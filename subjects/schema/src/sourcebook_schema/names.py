"""What users type, resolved: ids, names, routes and patterns to nodes, and names of documents.

A text is read in these ways, and the first that anything fits is meant:

1. an id, `api.yaml#Type:Invoice`, with the file or the document's short name before the `#`;
2. an operation where it stands, `GET /invoices`, or a name inside of it, `GET /invoices page`;
3. `Type:Invoice`, which is what follows, among one kind only;
4. a name, `Invoice`, or a name with its owner, `Invoice.lines`, `[Type.With.Dots].lines`;
5. a pattern over names: with `*` or `?` a glob, else a part of them;
6. a pattern over names with their owners, `*.lines`.

Regular expressions are read as 5, then 6. Names in the case that was typed come before others.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache

from attrs import frozen
from sourcebook.errors import Ambiguous, NotFound
from sourcebook.index.columns import Texts
from sourcebook.naming import shown
from sourcebook.verbs.pattern import name_matcher, nearest

from sourcebook_schema.api import METHOD, PROPERTY, TYPE, Api
from sourcebook_schema.facts import ENTRY_KINDS, FIELDS_OF_METHODS, NODE_KINDS

_KIND = re.compile(r"(Service|Method|Type|Property):(.+)", re.DOTALL)
_DOTTED = re.compile(r"\[(.+)\]\.(.+)", re.DOTALL)

_DOT = re.compile(r"\.")


AMBIGUOUS_SHOWN = 10


@frozen
class Wanted:
    """How texts are read.

    Args:
        kinds: what a name may be of; ids and routes say it themselves.
        is_regex, case_sensitive: see `sourcebook.verbs.pattern`.
        sources: the only files that count; None: all.
    """

    kinds: tuple[str, ...] = ENTRY_KINDS
    is_regex: bool = False
    case_sensitive: bool = False
    sources: frozenset[str] | None = None


class Names:
    """The names in an index, as one request reads them."""

    def __init__(self, api: Api, wanted: Wanted) -> None:
        self._api = api
        self._graph = api.graph
        self._wanted = wanted

    def find(self, text: str) -> list[int]:
        """Return the nodes that a text means, in order; none if nothing fits.

        Raises:
            BadPattern: it is empty, or no regular expression.
        """
        for found in self._readings(text):
            nodes = [node for node in dict.fromkeys(found) if self._within(node)]
            if nodes:
                return sorted(nodes)
        return []

    def one(self, text: str, called: str) -> list[int]:
        """Return what a text means, several only if it is a pattern that says so.

        Raises:
            NotFound: nothing; the hint names the nearest.
            Ambiguous: several that bear this name; the message lists them.
        """
        found = self.find(text)
        if not found:
            near = self.nearest(text)
            raise NotFound(
                f"no {called} is called `{shown(text)}`",
                where=shown(text),
                hint=f"did you mean `{near}`?" if near else "`list` and `grep` print ids and names",
            )
        if len(found) > 1 and not (self._wanted.is_regex or "*" in text or "?" in text):
            ids = [self._api.id(node) for node in found[:AMBIGUOUS_SHOWN]]
            more = f" and {len(found) - len(ids)} more" if len(found) > len(ids) else ""
            raise Ambiguous(
                f"`{shown(text)}` fits {len(found)}: {', '.join(ids)}{more}",
                where=shown(text),
                hint="name one by its id, narrow with `--source`, or write `*` for all that fit",
            )
        return found

    def nearest(self, text: str) -> str:
        """Return the known name most like a text, or nothing."""
        kinds, text = self._kind(text)
        dotted = "." in text
        known = {
            self._api.title(node) if dotted else self._graph.names[node]: None
            for node, number in enumerate(self._graph.kinds)
            if number in kinds and (self._wanted.sources is None or self._within(node))
        }
        return nearest(text, list(known))

    def _within(self, node: int) -> bool:
        sources = self._wanted.sources
        return sources is None or self._graph.source(node) in sources

    def _kind(self, text: str) -> tuple[set[int], str]:
        match = _KIND.fullmatch(text)
        kinds = (match[1].lower(),) if match else self._wanted.kinds
        return {NODE_KINDS.index(kind) for kind in kinds}, match[2] if match else text

    def _readings(self, text: str) -> Iterator[Iterable[int]]:
        if self._wanted.is_regex:
            kinds, _ = self._kind("")
            yield from self._of(kinds, self._by_pattern(text, kinds))
            return
        if "#" in text:
            yield self._by_id(text)
        if " " in text:
            yield self._by_route(text)
        kinds, text = self._kind(text)
        yield from self._of(kinds, self._by_name(text))
        match = _DOTTED.fullmatch(text)
        plain = f"{match[1]}.{match[2]}" if match else text
        yield from self._of(kinds, self._by_pattern(plain, kinds))

    def _of(
        self, kinds: Collection[int], readings: Iterable[Iterable[int]]
    ) -> Iterator[Iterable[int]]:
        known = self._graph.kinds
        for nodes in readings:
            yield (node for node in nodes if known[node] in kinds)

    def _by_id(self, text: str) -> list[int]:
        at = text.find("#")
        while at >= 0:  # a file's name may itself hold a `#`
            name, key = text[:at], text[at + 1 :]
            for source in [name, *self._covered(name)]:
                node = self._api.node(f"{source}#{key}")
                if node >= 0:
                    return [node]
            at = text.find("#", at + 1)
        return []

    def _covered(self, name: str) -> list[str]:
        """Return the files of the document with a short name, or with a longer one than it needs:
        `orders/v2` where `v2` is enough."""
        documents = self._api.documents
        named = [one for one in documents if one.name == name] or [
            one for one in documents if f"/{one.source.rpartition('.')[0]}".endswith(f"/{name}")
        ]
        return [source for one in named for source in one.files] if len(named) == 1 else []

    def _by_route(self, text: str) -> list[int]:
        """Return operations by their label, or what a name after it means inside of them."""
        folded = text.casefold()
        whole: list[int] = []
        inside: list[tuple[int, str]] = []
        for node, operation in self._graph.operations.items():
            label = operation.label.casefold()
            if folded == label:
                whole.append(node)
            elif folded.startswith(f"{label} "):
                inside.append((node, text[len(label) + 1 :]))
        if whole:
            return whole
        found = [
            one for node, name in inside for one in self._parts(node) if self._bears(one, name)
        ]
        if found or "*" not in text:
            return found
        fits = name_matcher([text], case_sensitive=self._wanted.case_sensitive)
        return [node for node, one in self._graph.operations.items() if fits(one.label)]

    def _parts(self, operation: int) -> Iterator[int]:
        """Yield the properties that are written in an operation, or that it shares."""
        seen = {operation}
        todo = [operation]
        while todo:
            for end, _ in self._graph.out.of(todo.pop()):
                if end not in seen and self._graph.kinds[end] not in (METHOD, TYPE):
                    seen.add(end)
                    todo.append(end)
                    if self._graph.kinds[end] == PROPERTY:
                        yield end

    def _bears(self, node: int, name: str) -> bool:
        own, title = self._graph.names[node].casefold(), self._api.title(node).casefold()
        name = name.casefold()
        return own == name or title.endswith(f".{name}")

    def _by_name(self, text: str) -> Iterator[Iterable[int]]:
        """Yield the nodes with a name, or with one and an owner: first as it was typed."""
        match = _DOTTED.fullmatch(text)
        splits = [(match[1], match[2])] if match else []
        plain = f"{match[1]}.{match[2]}" if match else text
        splits += [(plain[: dot.start()], plain[dot.end() :]) for dot in _DOT.finditer(plain)]
        for exactly in (True, False) if not self._wanted.case_sensitive else (True,):
            if not match:
                yield self._graph.names.equal(text, exactly=exactly)
            yield [node for owner, name in splits for node in self._owned(owner, name, exactly)]
            if exactly:
                yield [
                    node
                    for kind in ENTRY_KINDS
                    for node in self._graph.with_key(f"{kind.capitalize()}:{plain}")
                ]

    def _owned(self, owner: str, name: str, exactly: bool) -> Iterator[int]:
        graph = self._graph
        fold = str if exactly else str.casefold
        for node in graph.names.equal(name, exactly=exactly):
            parent = graph.parents[node]
            if parent >= 0 and fold(graph.key_title(parent)) == fold(owner):
                yield node

    def _by_pattern(self, text: str, kinds: Collection[int]) -> Iterator[Iterable[int]]:
        is_regex, exactly = self._wanted.is_regex, self._wanted.case_sensitive
        yield sorted(fitting(self._graph.names, [text], is_regex=is_regex, case_sensitive=exactly))
        if is_regex or "*" in text or "?" in text:
            fits = name_matcher([text], is_regex=is_regex, case_sensitive=exactly)
            known = self._graph.kinds
            yield [
                node
                for node in range(len(self._graph))
                if known[node] in kinds and fits(self._api.title(node))
            ]


def flat(text: str) -> str:
    """Return a text on one line, so that no name can forge a row."""
    return " ".join(text.split())


def join_routes(texts: Sequence[str]) -> list[str]:
    """Return texts with a method and the path after it as one: `GET`, `/users` is `GET /users`."""
    found: list[str] = []
    for text in texts:
        if found and text.startswith("/") and _is_method(found[-1]):
            found[-1] += f" {text}"
        else:
            found.append(text)
    return found


def _is_method(text: str) -> bool:
    """Whether a text is a method: of those that are no fields of their own only in capitals."""
    return text.isupper() or text.lower() in FIELDS_OF_METHODS


def fitting(
    texts: Texts, patterns: Sequence[str], *, is_regex: bool, case_sensitive: bool
) -> set[int]:
    """Return the rows of a column that any of some patterns fits.

    Raises:
        BadPattern: a pattern cannot be read.
    """
    fits = name_matcher(patterns, is_regex=is_regex, case_sensitive=case_sensitive)
    if len(patterns) == 1 and not is_regex and "*" not in patterns[0] and "?" not in patterns[0]:
        return set(texts.holding(patterns[0], exactly=case_sensitive))
    known = cache(fits)  # an API gives many things one name
    return {row for row, text in enumerate(texts) if known(text)}


def find_sources(api: Api, patterns: Sequence[str]) -> tuple[frozenset[str] | None, list[str]]:
    """Return the files that some names of documents cover, and what is to be said of the others.

    A name is a short name, else a pattern over the paths of root files, else over those of pieces;
    a document covers the pieces that it reaches. No name at all covers everything: None.
    """
    if not patterns:
        return None, []
    found: set[str] = set()
    notes = []
    for pattern in patterns:
        documents = [one for one in api.documents if one.name == pattern]
        if not documents:
            fits = name_matcher([pattern])
            documents = [one for one in api.documents if fits(one.source)]
        covered = {source for one in documents for source in one.files}
        if not covered:
            covered = {source for source in api.graph.sources if fits(source)}
        if not covered:
            known = [one.name for one in api.documents]
            near = nearest(pattern, known)
            notes.append(
                f"no document is called `{shown(pattern)}`" + (f"; near: `{near}`" if near else "")
            )
        found |= covered
    # One name that fits is enough: several mean any of them.
    return frozenset(found), [] if found else notes
