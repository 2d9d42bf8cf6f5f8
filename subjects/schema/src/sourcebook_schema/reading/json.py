"""JSON text to a located tree, in a small multiple of the time that `json.loads` takes.

`json` tells no lines. But it hands out its objects in the order of their closing braces, and what
remains of a text without its strings is short: one pass over that gives the lines of all braces in
the same order.
"""

import json
import re
from collections.abc import Iterator
from math import isinf
from typing import NoReturn

from sourcebook.model import Problem

from sourcebook_schema.reading.tree import MAX_DEPTH, Map, Number, ReadError, Tree, Value, twice

_NO_SIGNS = bytes(set(range(256)) - set(b'"{}[]:\n'))
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_SIGNS = re.compile(rf"{_STRING}|[{{}}:\n]")
_SURROGATE = re.compile(
    r"(?i)\\u(?:d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(?P<lone>d[89a-f][0-9a-f]{2}))|\\."
)


def read_json(text: str) -> Tree:
    """Return the tree of a JSON text.

    The last of equal keys counts, and a problem tells of both. A number out of the range of floats
    is kept as the text that it is.

    Raises:
        ReadError: it is no JSON; NaN and Infinity are none.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if re.search(r"\\u[dD][89a-fA-F]", text):
        text = _SURROGATE.sub(lambda found: "\\ufffd" if found["lone"] else found[0], text)
    made: list[Map] = []
    doubled: list[Map] = []
    huge: list[str] = []

    def make(pairs: list[tuple[str, Value]]) -> Map:
        one = Map(pairs)
        made.append(one)
        if len(one) != len(pairs):
            doubled.append(one)
        return one

    def number(written: str) -> float | str:
        value = Number.of(written)
        if isinf(value):
            huge.append(written)
            return written
        return value

    def refuse(written: str) -> NoReturn:
        raise ReadError(f"{written} is no number of JSON", _line_of(text, written))

    try:
        root: Value = json.loads(
            text, object_pairs_hook=make, parse_float=number, parse_constant=refuse
        )
    except json.JSONDecodeError as error:
        raise _explained(text, error) from None
    except RecursionError:
        raise ReadError(f"nested more than {MAX_DEPTH} deep") from None
    except ValueError as error:  # a whole number of thousands of digits
        message = "a whole number of more digits than can be read"
        raise ReadError(message, _line_of(text, r"\d{4000,}")) from error
    keys = _KeyLines(text)
    for place, (first, last) in enumerate(_spans(_skeleton(text))):
        one = made[place]
        one.first = first
        one.last = last
        one.place = place
        one.keys_at = keys
    problems = [problem for one in doubled for problem in keys.problems(one.place)]
    problems += [
        Problem(
            f"the number {one[:40]} is too large; it is kept as a text",
            _line_of(text, re.escape(one)),
        )
        for one in dict.fromkeys(huge)
    ]
    return Tree(root, problems)


def _explained(text: str, error: json.JSONDecodeError) -> ReadError:
    before = text[: error.pos].rstrip()
    if before.endswith(",") and text[error.pos : error.pos + 1] in ("}", "]"):
        return ReadError(f"a comma before the closing {text[error.pos]}", before.count("\n") + 1)
    what = error.msg[:1].lower() + error.msg[1:]
    if error.msg == "Extra data":
        what = "more text after the end of the JSON value"
    return ReadError(f"no JSON: {what}, column {error.colno}", error.lineno)


def _skeleton(text: str) -> bytes:
    """Return what of a JSON text is a line end, a brace or a bracket, and in no string."""
    data = b"".join(_without_escapes(text.encode("utf-8", "surrogatepass").split(b"\\")))
    # Two quotes side by side are an empty string, or end one and begin the next: without them the
    # others enclose what they did.
    data = data.translate(None, _NO_SIGNS).replace(b'""', b"")
    data = b"".join(data.split(b'"')[::2])
    if b":\n" in data:
        # A value on a line of its own counts from its key.
        data = re.sub(rb":(\n+)([{\[])", rb"\2\1", data)
    return data.translate(None, b":")


def _without_escapes(parts: list[bytes]) -> Iterator[bytes]:
    rest = iter(parts)
    yield next(rest)
    for part in rest:
        # An empty part: the backslash itself is what is escaped.
        yield part[1:] if part else next(rest, b"")


def _spans(skeleton: bytes) -> Iterator[tuple[int, int]]:
    """Yield the first and last lines of objects in the order of their closing braces."""
    line, depth = 1, 0
    opened: list[int] = []
    for sign in skeleton:
        if sign == 10:
            line += 1
        elif sign == 123:
            opened.append(line)
            depth += 1
            if depth > MAX_DEPTH:
                raise ReadError(f"nested more than {MAX_DEPTH} deep", line)
        elif sign == 125:
            depth -= 1
            yield opened.pop(), line
        elif sign == 91:
            depth += 1
            if depth > MAX_DEPTH:
                raise ReadError(f"nested more than {MAX_DEPTH} deep", line)
        else:
            depth -= 1


class _KeyLines:
    """The lines of the keys of every object of a text, found when first asked for: only messages
    need them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[list[tuple[str, int]]] = []

    def written(self, place: int) -> list[tuple[str, int]]:
        """Return the keys of the object that is the nth to close, each with its line."""
        if not self._found:
            self._found = list(_iter_keys(self._text))
        return self._found[place]

    def line(self, place: int, key: str) -> int:
        """Return the line of a key, 0 if it has no such key."""
        return dict(self.written(place)).get(key, 0)

    def problems(self, place: int) -> Iterator[Problem]:
        """Yield what is wrong with keys that are there more than once."""
        seen: dict[str, int] = {}
        for key, line in self.written(place):
            if key in seen:
                yield twice(key, seen[key], line)
            seen[key] = line


def _iter_keys(text: str) -> Iterator[list[tuple[str, int]]]:
    line = 1
    opened: list[list[tuple[str, int]]] = []
    last, at = "", 1
    for found in _SIGNS.finditer(text):
        sign = found[0]
        if sign == "\n":
            line += 1
        elif sign == "{":
            opened.append([])
        elif sign == "}":
            yield opened.pop()
        elif sign == ":":
            opened[-1].append((json.loads(last), at))
        else:
            last, at = sign, line


def _line_of(text: str, pattern: str) -> int:
    """Return the line of the first number or word that fits and stands in no string."""
    for found in re.finditer(rf"{_STRING}|(?P<this>{pattern})", text):
        if found["this"]:
            return text.count("\n", 0, found.start()) + 1
    return 0
