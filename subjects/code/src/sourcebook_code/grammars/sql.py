"""SQL.

The grammar knows one dialect and loses its way in others: one statement that it does not know may
swallow all that follow. What a script makes begins with `CREATE` in every dialect, so that the
statements are found in the text itself; of the tree only the comments are used.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

from sourcebook_code.declaration import Call
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import bytes_of

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = {
    "TABLE": "type",
    "VIEW": "type",
    "TYPE": "type",
    "DOMAIN": "type",
    "INDEX": "index",
    "FUNCTION": "function",
    "AGGREGATE": "function",
    "PROCEDURE": "function",
    "PROC": "function",
    "TRIGGER": "function",
    "EVENT": "function",
    "RULE": "function",
    "MACRO": "macro",
    "PACKAGE": "module",
}
_ROUTINES = frozenset({"FUNCTION", "PROCEDURE", "PROC", "TRIGGER", "EVENT", "PACKAGE"})

_WORD = rb"[A-Za-z_@#\x80-\xff][\w$#@\x80-\xff]*"
_PART = rb"(?:" + _WORD + rb"|\"(?:[^\"\n]|\"\")+\"|`[^`\n]+`|\[[^\]\n]+\])"
_NAME = _PART + rb"(?:\s*\.\s*" + _PART + rb"){0,3}"
_COMMENT = rb"--[^\n]*|/\*.*?(?:\*/|\Z)"
_ESCAPED = rb"'(?:[^'\\]|\\.|'')*'"
_QUOTED = rb"\"(?:[^\"]|\"\")*\"|`[^`]*`"
_STRINGS = rb"|".join((_COMMENT, rb"[eE]" + _ESCAPED, rb"'(?:[^']|'')*'", _QUOTED))
_STRINGS_MYSQL = rb"|".join((_COMMENT, _ESCAPED, _QUOTED))
_DOLLARS = rb"|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$"
_DELIMITER = rb"^[ \t]*DELIMITER[ \t]+(?P<delimiter>\S+)"
_HEADER = re.compile(
    rb"CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|"
    rb"MATERIALIZED|UNIQUE|VIRTUAL|RECURSIVE|EXTERNAL|FOREIGN|(?:NON)?EDITIONABLE|(?:NON)?CLUSTERED|"
    rb"COLUMNSTORE|BITMAP|FULLTEXT|SPATIAL|CONSTRAINT|AGGREGATE(?=\s+FUNCTION)|(?:NO\s+)?FORCE|"
    rb"TRANSIENT|SECURE|DEFINER\s*=\s*\S+|ALGORITHM\s*=\s*\w+|SQL\s+SECURITY\s+\w+)\s+){0,6}"
    rb"(" + "|".join(_KINDS).encode() + rb")\s+(?:BODY\s+)?(?:CONCURRENTLY\s+)?"
    rb"(?:IF\s+NOT\s+EXISTS\s+)?(" + _NAME + rb")",
    re.IGNORECASE,
)
_PARTS = re.compile(_PART)
_CALLS = re.compile(
    rb"\b(?:FROM|JOIN|INTO|UPDATE|REFERENCES|CALL|EXEC|EXECUTE|PERFORM)\s+(" + _NAME + rb")|"
    rb"(" + _NAME + rb")\s*\(",
    re.IGNORECASE,
)
_NO_CALLS = frozenset(
    b"all and any array as between bigint binary bit by case cast char character check chr "
    b"column constraint create cross cube date datetime datetime2 decimal declare decode default "
    b"delete distinct double else elsif enum except exec execute exists filter float for foreign "
    b"from function group grouping having identity if in index insert int integer intersect "
    b"interval into is join key like limit lateral loop nchar not null number numeric nvarchar "
    b"nvarchar2 on or order over partition primary procedure raw references return returning "
    b"returns rollup row select set setof sets some table text then time timestamp to tinyint "
    b"trigger type union unique update using values varbinary varchar varchar2 varying view when "
    b"where while window with within".split()
)


class _Piece(NamedTuple):
    """A part of the text in the place of a node."""

    start_byte: int
    end_byte: int
    start_point: tuple[int, int]
    end_point: tuple[int, int]


def _script(node: "Node") -> Iterator[Found]:
    """Find what the statements of a script make."""
    if node.parent is not None:
        return
    data, base = bytes_of(node), node.start_byte
    ends = [found.start() for found in re.finditer(rb"\n", data)]

    def piece(start: int, end: int) -> "Node":
        def point(at: int) -> tuple[int, int]:
            row = bisect_right(ends, at - 1)
            return row + node.start_point[0], at - (ends[row - 1] + 1 if row else 0)

        return cast("Node", _Piece(base + start, base + end, point(start), point(end)))

    strings = _STRINGS_MYSQL if b"`" in data else _STRINGS
    for made in _creations(data, strings):
        parts = [part.decode("utf-8", "replace") for part in _PARTS.findall(data, *made.name)]
        yield Found(
            _KINDS[made.what],
            parts[-1],
            piece(made.start, made.end),
            at=piece(*made.name),
            body=piece(made.body, made.end),
            under=tuple(parts[:-1]),
            calls=tuple(
                Call("".join(name.split()), piece(at, at).start_point[0] + 1)
                for name, at in _calls(data, made.name[1], made.end, strings)
            ),
        )


class _Made(NamedTuple):
    """A statement that makes something: where it begins, ends and its body begins, what it makes,
    and where the name stands."""

    start: int
    end: int
    body: int
    what: str
    name: tuple[int, int]


def _creations(data: bytes, strings: bytes) -> Iterator[_Made]:
    # Where `$$` is a delimiter, it is no quote.
    own_delimiter = re.search(_DELIMITER, data, re.IGNORECASE | re.MULTILINE) is not None
    hidden = strings if own_delimiter else strings + _DOLLARS
    coarse = re.compile(
        hidden + rb"|" + _DELIMITER + rb"|(?P<create>\bCREATE\b)",
        re.IGNORECASE | re.DOTALL | re.MULTILINE,
    )
    batches = re.search(rb"^[ \t]*GO[ \t\r]*$", data, re.IGNORECASE | re.MULTILINE) is not None
    delimiter, at = b";", 0
    while (found := coarse.search(data, at)) is not None:
        at = found.end()
        if found["delimiter"]:
            delimiter = found["delimiter"]
        if not found["create"]:
            continue
        header = _HEADER.match(data, found.start())
        if header is None or header[2].upper() == b"ON":
            continue
        what = header[1].decode().upper()
        statement = _Statement(data, what, delimiter, batches, hidden)
        at = max(at, statement.end(header.end()))
        yield _Made(header.start(), at, statement.body or at, what, header.span(2))


class _Statement:
    """The walk from the name that a statement makes to its end.

    A semicolon ends it, unless it stands in a block. Scripts in batches (`GO`) and with a delimiter
    of their own say where a routine ends.
    """

    def __init__(
        self, data: bytes, what: str, delimiter: bytes, batches: bool, hidden: bytes
    ) -> None:
        self._data = data
        self._routine = what in _ROUTINES
        self._package = what == "PACKAGE"
        self._fields = what in ("TABLE", "TYPE")
        self._plain = what in ("TYPE", "DOMAIN")
        self._delimiter = delimiter
        self._batches = batches
        self._token = re.compile(
            rb"(?P<hidden>" + hidden + rb")|(?P<word>" + _WORD + rb")|(?P<other>\S)", re.DOTALL
        )
        self._depth = self._brackets = 0
        self._declares = self._closed = False
        self.body = 0

    def end(self, start: int) -> int:
        """Return where the statement ends whose name ends at `start`."""
        data, last, before, stop = self._data, start, b"", len(self._data)
        if self._delimiter != b";":
            own = re.compile(re.escape(self._delimiter) + rb"[ \t\r]*$", re.MULTILINE)
            if (delimiter := own.search(data, start)) is not None:
                stop = delimiter.start()
        for found in self._token.finditer(data, start, stop):
            at, text = found.start(), found[0]
            if found["hidden"]:
                if text[:1] == b"$" and self._routine:
                    self.body = self.body or at
                    self._closed = True
                if text[:2] not in (b"--", b"/*"):
                    last = found.end()
                continue
            word = text.upper() if found["word"] else b""
            if word in (b"GO", b"CREATE") or text == b"/":
                if self._is_over(at, text, word):
                    return last
            elif text == b";":
                if self._is_outside() and not self._declares and self._delimiter == b";":
                    return found.end()
            elif text in (b"(", b")"):
                self._brackets += 1 if text == b"(" else -1
                if self._fields:
                    self.body = self.body or at
            elif word:
                self._word(word, before, at, found.end())
            last, before = found.end(), word
        return last

    def _is_outside(self) -> bool:
        in_batch = self._batches and self._routine and not self._closed
        return self._depth <= 0 and self._brackets <= 0 and not in_batch

    def _is_over(self, at: int, text: bytes, word: bytes) -> bool:
        """Tell whether a line that begins with this word, or holds it alone, is behind the end."""
        line = self._data.rfind(b"\n", 0, at) + 1
        if self._data[line:at].strip():
            return False
        if word == b"CREATE":
            return self._is_outside() or (line == at and self._depth <= 0)
        stop = self._data.find(b"\n", at)
        return not self._data[at + len(text) : stop if stop >= 0 else None].strip()

    def _word(self, word: bytes, before: bytes, at: int, end: int) -> None:
        outside = self._depth <= 0 and self._brackets <= 0
        if (
            word in (b"AS", b"IS")
            and outside
            and not self._plain
            and not (self._routine and self.body)
        ):
            self.body = self.body or at
            if self._package:
                self._depth += 1
            elif self._routine and self._next(end) not in (
                b"BEGIN", b"SELECT", b"WITH", b"RETURN", b"TABLE", b"LANGUAGE", b"EXTERNAL", b"",
            ):  # fmt: skip
                self._declares = True
        elif self._routine and word == b"DECLARE" and outside and not self._closed:
            self.body = self.body or at
            self._declares = True
        elif self._routine and word == b"BEGIN":
            if self._next(end) not in (b"TRANSACTION", b"TRAN", b"WORK"):
                self.body = self.body or at
                self._depth += 1
                self._declares = False
        elif self._routine and word == b"CASE" and before != b"END":
            self._depth += 1
        elif (
            self._routine
            and word == b"END"
            and self._next(end) not in (b"IF", b"LOOP", b"WHILE", b"REPEAT", b"FOR")
        ):
            self._depth -= 1
            self._closed = self._depth <= 0

    def _next(self, end: int) -> bytes:
        """Return the next word, empty if something else follows."""
        found = self._token.search(self._data, end)
        while found is not None and found[0][:2] in (b"--", b"/*"):
            found = self._token.search(self._data, found.end())
        return found[0].upper() if found is not None and found["word"] else b""


def _calls(data: bytes, start: int, end: int, strings: bytes) -> Iterator[tuple[str, int]]:
    """Yield what a statement calls, and the tables it reads and writes, with their places."""
    text = re.sub(strings, _shown, data[start:end], flags=re.DOTALL)
    for found in _CALLS.finditer(text):
        group = 1 if found[1] else 2
        name = found[group]
        if name.lower() not in _NO_CALLS:
            yield b"".join(name.split()).decode("utf-8", "replace"), start + found.start(group)


def _shown(found: re.Match[bytes]) -> bytes:
    """Return quoted names as they are, and blanks for comments and strings."""
    text = found[0]
    return text if text[:1] in (b'"', b"`") else re.sub(rb"[^\n]", b" ", text)


GRAMMAR = Grammar(
    declare={"program": _script, "ERROR": _script},
    comments=("comment", "marginalia"),
    line_marks=("--",),
    faults=False,
    pieces=False,
)
