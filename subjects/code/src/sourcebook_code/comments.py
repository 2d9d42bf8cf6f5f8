"""Doc comments: which comments stand above a declaration, and their text without marks."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from heapq import merge
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

DOC_CHARS = 4000

_RULER = re.compile(r"[\W_]*")
_CODE_ENDS = (";", "{", "}")
_LICENCE = re.compile(
    r"\bcopyright\s*(?:\(c\)|©|:|\d{4}|(?-i:[A-Z]))|\blicen[cs]ed\s+(?:to|under)\b|"
    r"\bSPDX-License|\ball rights reserved\b|\bpermission is hereby granted\b",
    re.I,
)
_DIRECTIVE = re.compile(
    r"!|\^ |go:|line \S+:\d|\+build\b|nolint\b|eslint-|eslint\s+[\w/-]+:|@ts-|"
    r"ts-(ignore|expect)|@flow\b|@jsx\b|tslint:|jshint |jslint |prettier-|"
    r"biome-|deno-|istanbul |c8 |v8 |webpack\w+:|sourceMappingURL|# source|"
    r"-\*-|coding[:=]|frozen_string_literal|rubocop:|noqa\b|type:\s*ignore|pylint:|mypy:|pragma:|"
    r"fmt:|isort:|ruff:|clang-format|NOLINT|shellcheck |@formatter|swiftlint:|scalafmt:|luacheck:|"
    r"stylua:|hlint |ignore_for_file|ignore:|ReSharper |phpcs:|phpstan-|psalm-|@phpstan-|@psalm-|"
    r"@codingStandards|@noinspection|noinspection |NOSONAR|CHECKSTYLE|spotless:|"
    r"endregion\b|#(region|endregion)",
)
_TAG = re.compile(
    r"(^|\n)[ \t]*(?:@(?!deprecated\b)[A-Za-z][\w-]*|"
    r"\\(?:brief|param|returns?|throws|sa|see))\b[ \t]*"
)
"""A word that says what a paragraph is about; that something is deprecated is worth a word."""

_MARKUP = re.compile(
    r"</?(?:summary|remarks|para|returns|param|typeparam|value|example|c|code|see|seealso|"
    r"paramref|typeparamref|exception|inheritdoc|list|item|description|p|br|b|i|em|strong|tt|pre|"
    r"ul|ol|li|h[1-6]|span|div|blockquote|a)(?:\s[^<>\n]{0,200})?/?>"
)
_FENCE = ("```", "~~~")
_OPENINGS = ("/**", "/*!", "/*", "{-|", "{- |", "{-", "--[[", "(*", "=begin")
_CLOSINGS = ("*/", "-}", "]]", "*)", "=end")
_DOC_OPENINGS = ("/**", "/*!", "///", "//!", "{-", "-- |")


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
        self._end = 0
        self._code: int | None = None

    def add(self, node: "Node") -> None:
        """Take in a comment node."""
        first, last = node.start_point[0], node.end_point[0]
        start, end = node.start_byte, node.end_byte
        if last > first and not node.end_point[1]:
            last, end = last - 1, end - 1  # some grammars take the end of the line in
        line = self._data.rfind(b"\n", 0, start) + 1
        alone = not self._data[line:start].strip()
        if self._code is None and self._data[self._end : start].strip():
            self._code = self._end
        self._end = max(self._end, end)
        self._all.append(Comment(first, last, start, end, alone))
        self._starts.append(start)

    def without(
        self, start: int, end: int, more: Sequence[tuple[int, int]] = ()
    ) -> Iterator[bytes]:
        """Yield what is no comment in the bytes from `start` to `end`.

        Args:
            more: the bytes of further texts that are left out, sorted: docstrings.
        """
        first = bisect_left(self._starts, start)
        last = bisect_left(self._starts, end, first)
        comments = ((one.start, one.end) for one in self._all[first:last])
        others = more[bisect_left(more, (start, 0)) : bisect_left(more, (end, 0))]
        for left, right in merge(comments, others):
            yield self._data[start : max(left, start)]
            start = max(start, right)
        yield self._data[start:end]

    def start_of(self, end: int) -> int:
        """Return where the comment begins that ends at `end`, -1 if none does."""
        at = bisect_left(self._starts, end) - 1
        return self._all[at].start if at >= 0 and self._all[at].end >= end else -1

    def above(self, start: int) -> Doc:
        """Return the doc made of the comments that touch what begins at the byte `start`.

        A blank line ends it (but see `_touches`), and so does the first block comment from below
        that says something. Licences, directives to tools, rulers and code that was commented out
        are no doc.
        """
        parts: list[Doc] = []
        for group in self._groups(start):
            text = self._text(group)
            if _LICENCE.search(text):
                break
            first = next((at for at, one in enumerate(group) if self._text([one])), len(group))
            while len(group) > first and not self._text(group[-1:]):
                group.pop()
            group = group[first:]
            if group:
                parts.append(Doc(text, group[0].first + 1, group[-1].last + 1))
                if self._is_block(group[0]):
                    break
        if not parts:
            return NO_DOC
        whole = "\n".join(part.text for part in reversed(parts))
        return Doc(whole[:DOC_CHARS].rstrip(), parts[-1].first, parts[0].last)

    def _groups(self, start: int) -> Iterator[list[Comment]]:
        """Yield the comments that touch a byte from above, from below upwards: each block comment,
        and line comments that follow each other together."""
        at = bisect_left(self._starts, start) - 1
        group: list[Comment] = []
        while at >= 0 and self._touches(self._all[at], start):
            one = self._all[at]
            if group and (self._is_block(one) or self._is_block(group[0])):
                yield group[::-1]
                group = []
            group.append(one)
            start, at = one.start, at - 1
        if group:
            yield group[::-1]

    def _touches(self, one: Comment, start: int) -> bool:
        between = self._data[one.end : start]
        lines = between.count(b"\n")
        if lines > 2 or between.strip():
            return False
        written = self._data.startswith(b"/**", one.start)
        if lines == 2:
            # One blank line does not part what was written as a doc, unless it heads the file.
            return written and self._code is not None and self._code < one.start
        # On a line of its own, or before a declaration that stands on a line with others.
        return one.alone or (written and not lines)

    def _is_block(self, one: Comment) -> bool:
        return not self._data.startswith(tuple(mark.encode() for mark in self._marks), one.start)

    def _text(self, group: Sequence[Comment]) -> str:
        texts = [self._data[one.start : one.end].decode("utf-8", "replace") for one in group]
        return plain("\n".join(texts), self._marks)


def plain(text: str, marks: Sequence[str]) -> str:
    """Return the text of comments without their marks, tags, markup, samples, directives, rulers.

    In comments that are not written as documentation a line that ends as code does is taken for
    code that was commented out.
    """
    written = text.startswith(_DOC_OPENINGS)
    kept: list[str] = []
    fence = ""
    for raw in text.replace("\r", "").split("\n"):
        line = _unmarked(raw, marks)
        bare = line.lstrip()
        if bare.startswith(fence or _FENCE):
            fence = "" if fence else bare[:3]
        elif not (
            fence
            or (line.endswith(_CODE_ENDS) and not written)
            or _DIRECTIVE.match(bare)
            or (line and _RULER.fullmatch(line))
        ):
            kept.append(line)
    return dedented(_MARKUP.sub(" ", _TAG.sub(r"\1", "\n".join(kept))))


def _unmarked(line: str, marks: Sequence[str]) -> str:
    line = line.strip()
    for mark in _OPENINGS:
        if line.startswith(mark):
            line = line[len(mark) :]
            break
    else:
        for mark in marks:
            if line.startswith(mark):
                line = line[len(mark) :]
                if len({*mark}) == 1:  # the mark may be written longer: `##`, `////`
                    line = line.lstrip(mark[0])
                break
        else:
            if line.startswith("*") and not line.startswith("*/"):
                line = line[1:]
    for mark in _CLOSINGS:
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
