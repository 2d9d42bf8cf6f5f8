"""Doc comments: which comments stand above a declaration, and their text without marks."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

DOC_CHARS = 4000

_RULER = re.compile(r"[\W_]*")
_CODE_ENDS = (";", "{", "}")
_LICENCE = re.compile(r"\b(copyright|licen[cs]ed? under|SPDX-License|all rights reserved)\b", re.I)
_DIRECTIVE = re.compile(
    r"!|\^ |go:|\+build\b|nolint\b|eslint|@ts-|ts-(ignore|expect)|tslint:|prettier-|istanbul |c8 |"
    r"-\*-|coding[:=]|frozen_string_literal|rubocop:|noqa\b|type:\s*ignore|pylint:|mypy:|pragma:|"
    r"fmt:|isort:|clang-format|NOLINT|shellcheck |@formatter|swiftlint:|scalafmt:|luacheck:|"
    r"stylua:|hlint |ignore_for_file|ignore:|region\b|endregion\b|#(region|endregion)",
)
_TAG = re.compile(
    r"(^|\n)[ \t]*[@\\](?:brief|summary|remarks|internal|param(?:eter)?|returns?|throws"
    r"|exception|type|typedef|arg|result)\b[ \t]*"
)
_XML = re.compile(
    r"</?(?:summary|remarks|para|returns|param|typeparam|value|example|c|code|see|"
    r"paramref|exception)\b[^<>\n]{0,200}/?>"
)


class Comment(NamedTuple):
    """A comment: first and last row from 0, its bytes, and whether nothing stands before it."""

    first: int
    last: int
    start: int
    end: int
    alone: bool


class Doc(NamedTuple):
    """A doc comment: its text, and its lines from 1."""

    text: str
    first: int
    last: int


NO_DOC = Doc("", 0, 0)


class Comments:
    """The comments of one file, added in the order of the text.

    Args:
        data: the bytes of the file.
        marks: what line comments begin with, longer ones first.
    """

    def __init__(self, data: bytes, marks: Sequence[str]) -> None:
        self._data = data
        self._marks = tuple(marks)
        self._all: list[Comment] = []
        self._starts: list[int] = []
        self._by_last: dict[int, int] = {}

    def add(self, node: "Node") -> None:
        """Take in a comment node."""
        first, last = node.start_point[0], node.end_point[0]
        start, end = node.start_byte, node.end_byte
        if last > first and not node.end_point[1]:
            last -= 1  # some grammars take the end of the line in
        line = self._data.rfind(b"\n", 0, start) + 1
        alone = not self._data[line:start].strip()
        self._by_last[last] = len(self._all)
        self._all.append(Comment(first, last, start, end, alone))
        self._starts.append(start)

    def without(self, start: int, end: int) -> Iterator[bytes]:
        """Yield what is no comment in the bytes from `start` to `end`."""
        at = bisect_left(self._starts, start)
        while at < len(self._all) and self._all[at].start < end:
            yield self._data[start : self._all[at].start]
            start = max(start, self._all[at].end)
            at += 1
        yield self._data[start:end]

    def start_of(self, end: int) -> int:
        """Return where the comment begins that ends at `end`, -1 if none does."""
        at = bisect_left(self._starts, end) - 1
        return self._all[at].start if at >= 0 and self._all[at].end >= end else -1

    def above(self, row: int) -> Doc:
        """Return the doc made of the comments that touch `row`, counted from 0, from above.

        A blank line ends it. Licences, directives to tools, rulers and code that was commented out
        are no doc.
        """
        run: list[Comment] = []
        last = row - 1
        while (at := self._by_last.get(last)) is not None and self._all[at].alone:
            run.append(self._all[at])
            last = self._all[at].first - 1
        run.reverse()
        texts = [self._data[one.start : one.end].decode("utf-8", "replace") for one in run]
        text = plain("\n".join(texts), self._marks)
        if not text or _LICENCE.search(text):
            return NO_DOC
        return Doc(text, run[0].first + 1, run[-1].last + 1)


def plain(text: str, marks: Sequence[str]) -> str:
    """Return the text of comments without their marks, tags, directives and rulers."""
    lines = [_unmarked(line, marks) for line in text.replace("\r", "").split("\n")]
    kept = [
        line
        for line in lines
        if not line.endswith(_CODE_ENDS)
        and not _DIRECTIVE.match(line.lstrip())
        and not (line and _RULER.fullmatch(line))
    ]
    whole = _XML.sub(" ", _TAG.sub(r"\1", "\n".join(kept)))
    return dedented(whole)


def _unmarked(line: str, marks: Sequence[str]) -> str:
    line = line.strip()
    for mark in ("/**", "/*!", "/*", "{-|", "{- |", "{-", "--[[", "(*", "=begin"):
        if line.startswith(mark):
            line = line[len(mark) :]
            break
    else:
        for mark in marks:
            if line.startswith(mark):
                line = line[len(mark) :]
                break
        else:
            if line.startswith("*") and not line.startswith("*/"):
                line = line[1:]
    for mark in ("*/", "-}", "]]", "*)", "=end"):
        if line.endswith(mark):
            line = line[: -len(mark)].rstrip("*")
    return line.rstrip()


def dedented(text: str) -> str:
    """Return a doc without common indentation and blank ends, at most `DOC_CHARS` long."""
    lines = [line.rstrip() for line in text.replace("\r", "").expandtabs(4).split("\n")]
    rest = [len(line) - len(line.lstrip()) for line in lines[1:] if line]
    depth = min(rest, default=0)
    out = [lines[0].strip(), *(line[depth:] for line in lines[1:])]
    return "\n".join(out).strip()[:DOC_CHARS].rstrip()
