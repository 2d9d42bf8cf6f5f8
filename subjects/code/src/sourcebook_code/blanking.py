"""A text that is broken in places is read without these: what is around them keeps its shape."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

from sourcebook_code.declaration import Fault
from sourcebook_code.recover import GivenUp, faults_of, parse_in_time

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_BYTES = 500_000
"""Larger texts are read as they are."""

MAX_PIECES = 20
SECONDS = 0.5
"""So many pieces are left out of a text, and so much time is spent on finding them."""

_SUSPECTS = 4
_HEADS = 2
_ENDS = 3
"""How many lines of each sort are tried, how many lines above each, and how many ends of each."""

_CLOSERS = {")": "(", "]": "[", "}": "{", "end": "do"}
_OPENERS = frozenset(_CLOSERS.values())
_WORDS = frozenset(
    ("def", "class", "module", "if", "unless", "while", "until", "for", "case", "begin", "function")
)
"""What an `end` closes if a line begins with it."""

_CLOSING = re.compile(rb"[)\]}]|end\b")
_CODE = re.compile(rb"[^ \t\r\n]")


class Blanked(NamedTuple):
    """A text without its broken pieces.

    Args:
        text: as long as it was.
        root: its tree.
        faults: what to say about them.
    """

    text: bytes
    root: "Node"
    faults: tuple[Fault, ...]


def without_pieces(
    data: bytes,
    parser: "Parser",
    root: "Node",
    told: Sequence[Fault],
    declared: Callable[["Node", bytes], int],
) -> Blanked | None:
    """Return the tree of a text without the declarations and statements that break it; None: there
    are none whose loss helps.

    A piece is a line and what is indented below it, with the bracket or `end` that closes it. Of
    the pieces near a fault the one goes that leaves the most declarations with the fewest faults,
    the shortest of equals.

    Args:
        data: the text that was parsed.
        parser: of its language.
        root: its tree, which has errors.
        told: what its tree says about these.
        declared: returns how many declarations the tree of a text holds.
    """
    if len(data) > MAX_BYTES:
        return None
    end = thread_time() + SECONDS
    lines = data.split(b"\n")
    faults: list[Fault] = []
    worth = declared(root, data) - _errors(root)
    while root.has_error and len(faults) < MAX_PIECES:
        best = None
        tried: set[tuple[int, int]] = set()
        for suspect in _suspects(root, lines):
            for piece in _pieces(lines, suspect):
                if piece in tried or thread_time() > end:
                    continue
                tried.add(piece)
                text = b"\n".join(_blank(lines, *piece))
                try:
                    other = parse_in_time(parser, text)
                except GivenUp:
                    continue
                wrong = _errors(other)
                rank = declared(other, text) - wrong, -wrong, piece[0] - piece[1]
                if rank[0] > worth and (best is None or rank > best[0]):
                    best = rank, piece, other, suspect
        if best is None:
            break
        (worth, _, _), piece, root, suspect = best
        lines = _blank(lines, *piece)
        within = [one for one in told if piece[0] < one.line <= piece[1]]
        faults += within or [Fault(suspect + 1, "the syntax is not understood")]
    return Blanked(b"\n".join(lines), root, tuple(faults)) if faults else None


def _errors(root: "Node") -> int:
    """Return in how many places a tree is wrong."""
    count, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        count += node.is_error or node.is_missing
        if node.has_error:
            waiting += [child for child in node.children if child.has_error]
    return count


def _blank(lines: list[bytes], first: int, stop: int) -> list[bytes]:
    blank = [_CODE.sub(b" ", line) for line in lines[first:stop]]
    return [*lines[:first], *blank, *lines[stop:]]


def _indent(line: bytes) -> int:
    """Return how far a line is indented; -1 if it is blank."""
    code = line.lstrip()
    return len(line) - len(code) if code else -1


def _pieces(lines: list[bytes], line: int) -> Iterator[tuple[int, int]]:
    """Yield what may be broken around a line: the first line of each piece and the one behind."""
    head: int | None = line
    for _ in range(_HEADS + 1):
        if head is None:
            break
        yield from ((head, stop) for stop in _ends(lines, head))
        head = next(
            (
                at
                for at in range(head - 1, -1, -1)
                if 0 <= _indent(lines[at]) < _indent(lines[head])
            ),
            None,
        )


def _ends(lines: list[bytes], head: int) -> Iterator[int]:
    indent, found = _indent(lines[head]), 0
    for at in range(head + 1, len(lines)):
        here = _indent(lines[at])
        if here < 0 or here > indent:
            continue
        code = lines[at].lstrip()
        if here == indent and code.startswith(b"{"):
            continue
        if here == indent and _CLOSING.match(code):
            yield at + 1
        else:
            yield at
        found += 1
        if found == _ENDS or here < indent:
            return
    yield len(lines)


class _Brackets:
    """The brackets and words that open and close, in the order of a text."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines
        self._open: list[tuple[str, int]] = []
        self._waiting: Counter[str] = Counter()
        self._unpaired: list[int] = []
        self.askew: list[int] = []
        """Where those begin that end further to the left or right: one within lacks its end."""

    def add(self, node: "Node") -> None:
        kind, (line, column) = node.type, node.start_point
        first = not self._lines[line][:column].strip()
        if kind in _OPENERS:
            self._push(kind, line)
        elif kind in _WORDS and first:
            self._push("do", line)
        elif kind in _CLOSERS:
            self._close(_CLOSERS[kind], line, first)

    def _push(self, kind: str, line: int) -> None:
        self._open.append((kind, line))
        self._waiting[kind] += 1

    def _close(self, opener: str, line: int, first: bool) -> None:
        if not self._waiting[opener]:
            self._unpaired.append(line)
            return
        while self._open:
            kind, at = self._open.pop()
            self._waiting[kind] -= 1
            if kind == opener:
                if first and at != line and _indent(self._lines[at]) != _indent(self._lines[line]):
                    self.askew.append(at)
                return
            self._unpaired += [at, line]

    def unpaired(self) -> list[int]:
        """Return the lines of those that have no other, as far as they were added."""
        return sorted({*self._unpaired, *(line for _, line in self._open)})


def _suspects(root: "Node", lines: list[bytes]) -> list[int]:
    """Return the lines, from 0, near which a text may be broken."""
    errors: list[int] = []
    told: list[int] = []
    brackets = _Brackets(lines)
    cursor = root.walk()
    while True:
        node = cursor.node
        if node is None:
            break
        if node.is_error or node.is_missing:
            errors.append(node.start_point[0])
            if len(told) < _SUSPECTS:
                told += [one.line - 1 for one in faults_of(node)]
        if not node.is_named and not node.is_missing:
            brackets.add(node)
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                break
        else:
            continue
        break
    some = (brackets.askew, told, brackets.unpaired(), sorted(set(errors)))
    return [*dict.fromkeys(line for each in some for line in each[:_SUSPECTS])]
