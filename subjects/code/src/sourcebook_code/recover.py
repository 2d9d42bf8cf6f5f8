"""What is done about a text that its grammar does not understand: where it is broken, and texts as
long as it with the same lines that are less so."""

import re
from time import thread_time
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Parser

MAX_FAULTS = 20
PARSE_SECONDS = 2.0
PARSE_SECONDS_PER_BYTE = 5e-6
"""CPU time after which a parse is given up. Parsers read some 5 MB a second."""

_CHUNK = 1 << 16

_CONFLICT_MARK = re.compile(rb"^(?:(<{7}) |((?:\|{7}|={7})(?=[ \r\n]))|>{7})[^\n]*", re.MULTILINE)
_QUOTED = re.compile(rb'\\.|"')
_NO_BRACES = re.compile(rb"[^{}\r\n]")
_NEAR = 2
"""How many lines what is missing may be away from what it would close, to be told once."""


class GivenUp(Exception):
    """A text takes too long to parse; `offset` is the byte it was at."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


def parse_in_time(parser: "Parser", data: bytes, otherwise: "Node | None" = None) -> "Node":
    """Return the root of a text, parsed within a time that good code never takes.

    Mending a text that is far from the language may take a parser square time: 80 kB of `fn a() {`
    read as shell took 8 s.

    Args:
        parser: of the language.
        data: the text.
        otherwise: what to return if it takes longer.

    Raises:
        GivenUp: it takes longer, and there is nothing else.
    """
    offset = 0
    end = thread_time() + PARSE_SECONDS + len(data) * PARSE_SECONDS_PER_BYTE

    def late(at: int, _broken: bool) -> bool:
        nonlocal offset
        offset = at
        return thread_time() > end

    try:
        tree = parser.parse(lambda at, _: data[at : at + _CHUNK], progress_callback=late)
    except ValueError:
        parser.reset()
        if otherwise is not None:
            return otherwise
        raise GivenUp(offset) from None
    # Nodes of a text that is handed over in chunks ask for one whenever they are read, and the
    # binding may crash. Taking a tree over for the whole bytes costs next to nothing.
    return parser.parse(data, tree).root_node


def one_side(data: bytes) -> tuple[bytes, list[Fault]]:
    """Return a text with only the first side of each merge that nobody resolved, and where these
    are."""
    faults: list[Fault] = []
    parts = []
    done = 0
    opened = parted = None
    for mark in _CONFLICT_MARK.finditer(data):
        if mark[1]:
            opened, parted = mark, None
        elif opened is not None and mark[2]:
            parted = parted or mark
        elif opened is not None and parted is not None:
            if len(faults) < MAX_FAULTS:
                line = data.count(b"\n", 0, opened.start()) + 1
                faults.append(Fault(line, "a merge was not resolved; only its first side is read"))
            parts += [data[done : opened.start()], _blank(opened[0])]
            parts += [data[opened.end() : parted.start()]]
            parts += [_blank(data[parted.start() : mark.end()])]
            done = mark.end()
            opened = parted = None
    return b"".join([*parts, data[done:]]), faults


def _blank(text: bytes) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", text)


def without_open_strings(data: bytes) -> bytes:
    """Return a text without the lines on which a string begins that does not end there; their
    braces are left, so that what is around keeps its shape."""
    lines = data.split(b"\n")
    for at, line in enumerate(lines):
        if line.count(b'"') % 2 and sum(one == b'"' for one in _QUOTED.findall(line)) % 2:
            lines[at] = _NO_BRACES.sub(b" ", line)
    return b"\n".join(lines)


def unread_bytes(root: "Node") -> int:
    """Return how many bytes stand in what was not understood."""
    size, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        if node.is_error:
            size += node.end_byte - node.start_byte
        elif node.has_error:
            waiting += [child for child in node.children if child.has_error]
    return size


def faults_of(node: "Node") -> "Iterator[Fault]":
    """Yield what to say about a node that is wrong or missing; nothing about one that holds
    others which say it better."""
    line = node.start_point[0] + 1
    if node.is_missing:
        around = node.parent
        opened = around.start_point[0] + 1 if around is not None else line
        if line - opened > _NEAR:
            yield Fault(opened, f"what begins here lacks its `{node.type}`")
        yield Fault(line, f"`{node.type}` is missing")
        return
    children = node.children
    if any(child.has_error for child in children):
        return
    if node.end_point[0] + 1 - line > _NEAR:
        # It begins with what could be read; what could not follows the last token.
        token = next((one for one in reversed(children) if not one.is_named), None)
        line = token.start_point[0] + 1 if token is not None else line
    yield Fault(line, "the syntax is not understood")
