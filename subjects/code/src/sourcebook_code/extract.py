"""From the text of a file to its declarations, calls and imports, by the tables of its grammar."""

import re
from bisect import insort
from collections.abc import Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from sourcebook_code.blanking import without_pieces
from sourcebook_code.comments import NO_DOC, Comments, Doc, dedented
from sourcebook_code.declaration import Call, Declaration, Fault, FileParse, Import
from sourcebook_code.grammar import Found, Loaded, load_grammar
from sourcebook_code.grammars.nodes import reading
from sourcebook_code.languages import Language
from sourcebook_code.recover import (
    MAX_FAULTS,
    GivenUp,
    faults_of,
    one_side,
    parse_in_time,
    unread_bytes,
    without_open_strings,
)

if TYPE_CHECKING:
    from tree_sitter import Node

SIGNATURE_CHARS = 500
MAX_CALLS = 1000
"""Calls of one declaration beyond this are not kept: they are tables of data written as code."""

MAX_DEPTH = 100
"""How deeply declarations may nest; further ones are not looked for."""

MAX_LONG_LINES = 1000
"""So many lines that are too long are left out of a file; what follows is read as it is."""

_LONG_LINE = re.compile(rb"^[^\n]{2000,}", re.MULTILINE)
_FUNCTIONS = frozenset({"function", "method", "constructor", "property"})
_LONE_RETURN = re.compile(r"\r(?!\n)")


class _Open(NamedTuple):
    """A declaration, or a mere scope, that the walk is in: where it ends, its kind, the owners of
    what stands in it, and the place of the innermost declaration, -1 for none."""

    end: int
    kind: str
    path: tuple[str, ...]
    inside: int


class _Draft(NamedTuple):
    """A declaration whose calls are not all known yet."""

    found: Found
    kind: str
    owners: tuple[str, ...]
    parent: int
    calls: list[Call]
    doc: Doc


_TOP = _Open(1 << 62, "", (), -1)


def extract(text: str, language: Language) -> FileParse:
    """Return what a file declares, calls and imports.

    Args:
        text: without a byte order mark; ends of lines as they are.

    Raises:
        GrammarMissing: the package that reads the language is not installed.
    """
    loaded = load_grammar(language)
    if "\r" in text:
        # A lone \r ends a line, of which grammars know nothing.
        text = _LONE_RETURN.sub("\n", text)
    data = text.encode("utf-8", "surrogatepass")
    try:
        root, read, told = _parse(data, loaded)
    except GivenUp as error:
        line = data.count(b"\n", 0, error.offset) + 1
        fault = Fault(line, "reading was given up: the syntax is too far from the language")
        return FileParse(language.name, (), (), (), (fault,))
    walk, declared = _walked(data, loaded, root, read)
    if root.has_error and loaded.grammar.pieces:
        other = without_pieces(
            read,
            loaded.parser,
            root,
            walk.faults,
            lambda root, text: len(_walked(data, loaded, root, text)[1]),
        )
        if other is not None:
            walk, declared = _walked(data, loaded, other.root, other.text)
            walk.faults += other.faults
    walk.faults += told
    return FileParse(
        language.name,
        tuple(declared),
        tuple(walk.calls),
        tuple(walk.imports),
        tuple(walk.faults),
        walk.package,
    )


def _walked(
    data: bytes, loaded: Loaded, root: "Node", parsed: bytes
) -> tuple["_Walk", list[Declaration]]:
    """Return a walk over the tree of `parsed`, which stands for `data`, and what it found."""
    walk = _Walk(data, loaded, root)
    with reading(parsed):
        walk.run()
        return walk, list(walk.declarations())


def _parse(data: bytes, loaded: Loaded) -> tuple["Node", bytes, list[Fault]]:
    """Return the tree of a text, of the best of several if it is broken, the text that was parsed,
    and what is wrong that the tree does not show: merges that were not resolved, open strings."""
    mend, repair = loaded.grammar.mend, loaded.grammar.repair
    mended = mend(data) if mend else data
    root = parse_in_time(loaded.parser, mended)
    if not root.has_error:
        return root, mended, []
    sided, conflicts = one_side(mended)
    repaired = repair(sided) if repair else sided
    if repaired != mended:
        root = parse_in_time(loaded.parser, repaired, root)
    if root.has_error and loaded.grammar.faults:
        closed = without_open_strings(repaired)
        other = parse_in_time(loaded.parser, closed, root) if closed != repaired else root
        if unread_bytes(other) < unread_bytes(root):
            # The string is told as the fault that it is, though it is no longer in the tree.
            at = next(at for at in range(len(closed)) if closed[at] != repaired[at])
            line = repaired.count(b"\n", 0, at) + 1
            return other, closed, [*conflicts, Fault(line, "a string is not closed")]
    return root, repaired, conflicts


def _stretches(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a file that are read, without the longest lines.

    A line of such a length was written for machines, and what it declares has names like `a` and
    `b`: 9,127 declarations in a bundle of 3.5 MB, which took three times as long.
    """
    at = 0
    for number, found in enumerate(_LONG_LINE.finditer(data)):
        if number == MAX_LONG_LINES:
            break
        if found.start() > at:
            yield at, found.start()
        at = found.end()
    if at < len(data):
        yield at, len(data)


class _Walk:
    """One walk over the nodes that a grammar's tables name, in the order of the text."""

    def __init__(self, data: bytes, loaded: Loaded, root: "Node") -> None:
        self._data = data
        self._loaded = loaded
        self._root = root
        self._cuts: dict[int, int] = {}
        self._namespaces: set[tuple[str, ...]] = set()
        self._drafts: list[_Draft] = []
        self._stack = [_TOP]
        self._later: list[Found] = []
        self._attributes: tuple[Node, int] | None = None
        self._comments = Comments(data, loaded.grammar.line_marks)
        self._quiet = self._sealed = 0
        self._docs: list[tuple[int, int]] = []
        self.calls: list[Call] = []
        self.imports: list[Import] = []
        self.faults: list[Fault] = []
        self.package = ""

    def run(self) -> None:
        """Read the whole tree."""
        grammar, stack = self._loaded.grammar, self._stack
        comments = frozenset(grammar.comments)
        for node in self._nodes(self._root):
            start, kind = node.start_byte, node.type
            self._catch_up(start)
            while start >= stack[-1].end:
                stack.pop()
            if kind in comments:
                self._comments.add(node)
                continue
            if kind in grammar.attributes:
                self._attribute(node)
            if kind in grammar.imports:
                self.imports.extend(grammar.imports[kind](node))
            if kind in grammar.packages and not self.package:
                self.package = "".join(grammar.packages[kind](node).split())
            if kind in grammar.calls and start >= self._quiet:
                self._call(node, grammar.calls[kind](node))
            if kind in grammar.declare and len(stack) < MAX_DEPTH:
                for found in grammar.declare[kind](node):
                    if found.node.start_byte > start:
                        insort(self._later, found, key=lambda one: one.node.start_byte)
                    else:
                        self._declare(found)
        self._catch_up(self._root.end_byte)

    def _catch_up(self, at: int) -> None:
        """Take in the declarations before `at` that rules found ahead of the walk."""
        while self._later and self._later[0].node.start_byte <= at:
            found = self._later.pop(0)
            while found.node.start_byte >= self._stack[-1].end:
                self._stack.pop()
            self._declare(found)

    def _nodes(self, root: "Node") -> list["Node"]:
        from tree_sitter import QueryCursor

        nodes: dict[int, Node] = {}
        faults: dict[int, Node] = {}
        for first, last in _stretches(self._data):
            cursor = QueryCursor(self._loaded.query)
            cursor.set_byte_range(first, last)
            captured = cursor.captures(root)
            nodes.update((one.id, one) for one in captured.get("node", ()))
            faults.update((one.id, one) for one in captured.get("fault", ()))
        if not self._loaded.grammar.faults:
            faults.clear()
        for node in sorted(faults.values(), key=lambda one: one.start_byte):
            self.faults += faults_of(node)
            if len(self.faults) >= MAX_FAULTS:
                break
        return sorted(nodes.values(), key=lambda node: (node.start_byte, -node.end_byte))

    def _attribute(self, node: "Node") -> None:
        """Begin or prolong the attributes that the next declaration begins with."""
        first = node
        if self._attributes is not None and self._is_bare(self._attributes[1], node.start_byte):
            first = self._attributes[0]
        self._attributes = first, node.end_byte

    def _is_bare(self, start: int, end: int) -> bool:
        """Tell whether nothing but comments and white space stands between two places."""
        return start <= end and not b"".join(self._comments.without(start, end)).strip()

    def _call(self, node: "Node", name: str) -> None:
        name = "".join(name.split())
        at = self._stack[-1].inside
        calls = self.calls if at < 0 else self._drafts[at].calls
        if name and name[-1] != "." and len(name) <= SIGNATURE_CHARS and len(calls) < MAX_CALLS:
            calls.append(Call(name, node.start_point[0] + 1))

    def _close_before(self, found: Found) -> None:
        """Close functions that a missing bracket left open: what begins further to the left than
        they do, or below them, is not in them."""
        row, column = (found.start or found.node).start_point
        while (at := self._stack[-1].inside) >= 0 and self._stack[-1].kind in _FUNCTIONS:
            outer = self._drafts[at].found
            first, left = (outer.start or outer.node).start_point
            start = (found.start or found.node).start_byte
            if row <= first or column > left or start < (outer.at or outer.node).start_byte:
                break
            if self._drafts[-1].found.node.start_byte >= start:
                start = found.node.start_byte  # it has decorators far above, with others between
            self._cuts[at] = start
            self._stack.pop()

    def _declare(self, found: Found) -> None:
        if self._root.has_error and found.kind:
            self._close_before(found)
        around = self._stack[-1]
        owners = found.owners
        if owners is None:
            owners = around.path[: len(around.path) - found.up]
        owners += found.under
        if found.quiet is not None:
            self._quiet = max(self._quiet, found.quiet.end_byte)
        if found.node.start_byte < self._sealed:
            return
        if found.sealed:
            self._sealed = found.node.end_byte
        end = max(found.node.end_byte, found.end.end_byte if found.end else 0)
        if self._attributes is not None and found.start is None:
            first, stop = self._attributes
            if self._is_bare(stop, found.node.start_byte):
                found = found._replace(start=first)
        doc = self._doc(found) if found.kind else NO_DOC
        # Broken code may lack the name.
        if not found.kind or not found.name or (found.documented and not doc.first):
            path = (*owners, *(found.scope or ()))
            self._stack.append(_Open(end, around.kind, path, around.inside))
            return
        kind = found.kind
        method_in = self._loaded.grammar.method_in
        if kind == "function" and not found.literal and around.kind in method_in:
            kind = "method"
        elif kind == "method" and found.under and owners in self._namespaces:
            kind = "function"
        at = len(self._drafts)
        self._drafts.append(_Draft(found, kind, owners, around.inside, list(found.calls), doc))
        scope = (found.name,) if found.scope is None else found.scope
        if kind == "namespace":
            self._namespaces.add((*owners, *scope))
        self._stack.append(_Open(end, kind, (*owners, *scope), at))

    def declarations(self) -> Iterator[Declaration]:
        """Yield the declarations, an outer one before those in it."""
        made: list[Declaration | None] = []
        self._docs = sorted(
            (node.start_byte, node.end_byte)
            for draft in self._drafts
            if (node := draft.found.doc_node) is not None
        )
        full = {(one.owners, one.found.name) for one in self._drafts if not one.found.prototype}
        docs = {
            (one.owners, one.found.name): one.doc
            for one in reversed(self._drafts)
            if one.found.prototype and one.doc.first
        }
        for at, draft in enumerate(self._drafts):
            found = draft.found
            parent = made[draft.parent] if draft.parent >= 0 else None
            if found.prototype and (draft.owners, found.name) in full:
                made.append(parent)
                continue
            start, end = found.start or found.node, found.end or found.node
            first = start.start_point[0]
            last = max(first, self._last_row(end, self._cuts.get(at)))
            # In broken code the name may stand outside of what is left, and so may calls.
            named = min(max(first, (found.at or found.node).start_point[0]), last)
            calls = draft.calls
            if at in self._cuts:
                calls = [call for call in calls if call.line <= last + 1]
            doc = draft.doc if draft.doc.first else docs.get((draft.owners, found.name), NO_DOC)
            declaration = Declaration(
                draft.kind,
                found.name,
                draft.owners,
                first + 1,
                last + 1,
                named + 1,
                self._signature(found, end),
                doc.text,
                tuple(calls),
                self._digest(found, end),
                parent,
                doc.first,
                doc.last,
                0 if doc.first else self._insert(found.insert or start),
                found.prototype,
            )
            made.append(declaration)
            yield declaration

    def _last_row(self, end: "Node", cut: int | None) -> int:
        """Return the row of the last character that is of the code: some grammars take blank lines
        and comments after a body in. What is cut off ends before the byte `cut`."""
        data, first = self._data, end.start_byte
        stop = end.end_byte if cut is None else cut
        while True:
            while stop > first and data[stop - 1] in b" \t\r\n":
                stop -= 1
            before = self._comments.start_of(stop)
            if before <= first:
                return int(end.end_point[0]) - data.count(b"\n", stop, end.end_byte)
            stop = before

    def _insert(self, before: "Node") -> int:
        """Return the line of a node if nothing else stands on it before the node."""
        start = before.start_byte
        line = self._data.rfind(b"\n", 0, start) + 1
        return 0 if self._data[line:start].strip() else int(before.start_point[0]) + 1

    def _doc(self, found: Found) -> Doc:
        if found.doc is not None:
            node = found.doc_node or found.node
            return Doc(dedented(found.doc), node.start_point[0] + 1, node.end_point[0] + 1)
        start = found.start or found.node
        doc = self._comments.above(start.start_byte)
        if not doc.first and start is not found.node:  # between an attribute and what it is about
            doc = self._comments.above(found.node.start_byte)
        return doc

    def _signature(self, found: Found, end: "Node") -> str:
        stop = found.body.start_byte if found.body else end.end_byte
        # White space is joined below, so that four bytes a character are more than enough.
        start = (found.head or found.node).start_byte
        head = b"".join(self._comments.without(start, stop))[: SIGNATURE_CHARS * 16]
        text = " ".join(head.decode("utf-8", "replace").split())
        return text[:SIGNATURE_CHARS].rstrip(" {=:,;")

    def _digest(self, found: Found, end: "Node") -> str:
        start, stop = found.node.start_byte, max(end.end_byte, found.node.end_byte)
        parts = self._comments.without(start, stop, self._docs)
        return sha256(b" ".join(b"".join(parts).split())).hexdigest()[:16]
