"""Patterns a user types: a glob over the whole name, else a substring, or a regular expression."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from sourcebook import naming
from sourcebook.errors import BadPattern
from sourcebook.model import Source, split_lines

if TYPE_CHECKING:
    import regex  # while running only where one is compiled: most patterns are names or words

REGEX_BUDGET_S = 5.0
"""Time that all regular expressions of one request may take together."""


@frozen
class Matcher:
    """Says whether a text fits any of some patterns; made by `name_matcher` or `line_matcher`.

    `patterns` are as the user wrote them; no pattern at all fits everything.
    """

    patterns: tuple[str, ...]
    _fits: Callable[[str], bool]
    _needle: str = ""
    _folds: bool = False

    def __call__(self, text: str) -> bool:
        return self._fits(text)

    def lines_of(self, text: str) -> list[str]:
        """Return the lines of a text that fit."""
        if not self._needle or not text.isascii():
            return [line for line in split_lines(text) if self._fits(line)]
        folded = text.lower() if self._folds else text
        if self._needle not in folded:
            return []
        pairs = zip(split_lines(text), split_lines(folded), strict=True)
        return [line for line, one in pairs if self._needle in one]

    def lines(self, source: Source) -> list[int]:
        """Return the numbers of the lines that fit, from 1."""
        if not self._needle:
            return [number for number, line in enumerate(source.lines, 1) if self._fits(line)]
        # Folded as a whole, which makes and takes away no end of a line.
        text = _folded(source.text) if self._folds else source.text
        if self._needle not in text:
            return []
        return [number for number, line in enumerate(split_lines(text), 1) if self._needle in line]


def name_matcher(
    patterns: Sequence[str], *, is_regex: bool = False, case_sensitive: bool = False
) -> Matcher:
    """Return a matcher for names: with `*` or `?` a glob over the whole name, else a substring.

    `*` stays between two `/`, `**` crosses them, `[` and `]` are letters.

    Raises:
        BadPattern: a pattern is empty, or no regular expression under `is_regex`.
    """
    if not patterns:
        return Matcher((), lambda _text: True)
    _not_empty(patterns)
    if is_regex:
        return _regexes(patterns, case_sensitive)
    tests = [
        _glob(one, case_sensitive) if "*" in one or "?" in one else _substring(one, case_sensitive)
        for one in patterns
    ]
    return Matcher(tuple(patterns), _any(tests))


def line_matcher(
    patterns: Sequence[str], *, is_regex: bool = False, case_sensitive: bool = False
) -> Matcher:
    """Return a matcher for lines: substrings, or regular expressions found anywhere in them.

    Raises:
        BadPattern: a pattern is empty, or no regular expression under `is_regex`.
    """
    _not_empty(patterns)
    if is_regex:
        return _regexes(patterns, case_sensitive)
    tests = [_substring(one, case_sensitive) for one in patterns]
    needle = patterns[0] if len(patterns) == 1 else ""
    return Matcher(
        tuple(patterns),
        _any(tests),
        needle if case_sensitive else needle.casefold(),
        not case_sensitive,
    )


def select(patterns: Sequence[str], known: Iterable[str], *, is_regex: bool = False) -> list[str]:
    """Return the known names that fit any of the patterns, in their order."""
    fits = name_matcher(patterns, is_regex=is_regex)
    return [name for name in known if fits(name)]


def nearest(name: str, known: Sequence[str]) -> str:
    """Return the known name most like `name`, or nothing."""
    return naming.nearest(name, known[:20000], cutoff=0.6)


def _any(tests: Sequence[Callable[[str], bool]]) -> Callable[[str], bool]:
    return tests[0] if len(tests) == 1 else lambda text: any(test(text) for test in tests)


def _not_empty(patterns: Sequence[str]) -> None:
    if not patterns or any(not one for one in patterns):
        raise BadPattern(
            "the pattern is empty", hint="an empty pattern would fit everything; leave it out"
        )


def _substring(pattern: str, case_sensitive: bool) -> Callable[[str], bool]:
    if case_sensitive:
        return lambda text: pattern in text
    folded = pattern.casefold()
    return lambda text: folded in _folded(text)


def _folded(text: str) -> str:
    """Return a text without case; a tenth of the time that `casefold` takes where it is ASCII."""
    return text.lower() if text.isascii() else text.casefold()


def _glob(pattern: str, case_sensitive: bool) -> Callable[[str], bool]:
    import regex

    parts = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            parts.append("(?:.*/)?")
            at += 3
        elif pattern.startswith("**", at):
            parts.append(".*")
            at += 2
        elif pattern[at] == "*":
            parts.append("[^/]*")
            at += 1
        elif pattern[at] == "?":
            parts.append("[^/]")
            at += 1
        else:
            parts.append(regex.escape(pattern[at]))
            at += 1
    return _compiled("".join(parts), case_sensitive, pattern).fullmatch


def _regexes(patterns: Sequence[str], case_sensitive: bool) -> Matcher:
    tests = [_compiled(one, case_sensitive, one).search for one in patterns]
    return Matcher(tuple(patterns), _any(tests))


_SIGNS = frozenset(".^$|?*+()[]{}\\")

_CLASSES = frozenset("dDwWsSbBAZtnrfv")
"""Letters that stand for no letter after a backslash, and take nothing that follows along."""


def required_literal(pattern: str) -> str:
    """Return a text that every match of a regular expression holds, in some case; ASCII.

    Only what is certain without reading all of the syntax: of alternatives, groups and classes
    nothing is taken, and of a pattern with anything rare in it, nothing at all.
    """
    runs = [""]
    depth = at = 0
    while at < len(pattern):
        sign = pattern[at]
        at += 1
        if sign == "\\":
            escaped = pattern[at : at + 1]
            at += 1
            if escaped.isalnum() or not escaped.isascii():
                if escaped not in _CLASSES:
                    return ""
                runs.append("")
                continue
            sign = escaped
        elif sign in _SIGNS:
            if sign == "|" and not depth:
                return ""
            if sign in "?*{" and not depth:
                runs[-1] = runs[-1][:-1]  # it need not be there
            if sign == "(":
                if pattern.startswith("?", at) and not pattern.startswith("?:", at):
                    return ""
                depth += 1
            elif sign == ")":
                depth -= 1
            elif sign in "[{":
                end = pattern.find("]" if sign == "[" else "}", at)
                inside = pattern[at:end]
                if end < 0 or not inside.strip("^") or set(inside) & {"[", "\\"}:
                    return ""
                at = end + 1
            runs.append("")
            continue
        if not depth:
            runs[-1] += sign
    longest = max(runs, key=len)
    return longest if longest.isascii() and depth == 0 else ""


class _Budgeted:
    """A compiled pattern whose searches share a budget of time."""

    def __init__(self, compiled: "regex.Pattern[str]", shown: str) -> None:
        self._compiled = compiled
        self._shown = shown
        self._left = REGEX_BUDGET_S

    def search(self, text: str) -> bool:
        return self._run(self._compiled.search, text)

    def fullmatch(self, text: str) -> bool:
        return self._run(self._compiled.fullmatch, text)

    def _run(self, method: Callable[..., object], text: str) -> bool:
        began = time.perf_counter()
        try:
            found = method(text, timeout=max(self._left, 0.01))
        except TimeoutError:
            raise BadPattern(
                f"`{self._shown}` takes longer than {REGEX_BUDGET_S:.0f} s",
                where=self._shown,
                hint="nested repetitions are slow; write a simpler one",
            ) from None
        self._left -= time.perf_counter() - began
        return found is not None


def _compiled(source: str, case_sensitive: bool, shown: str) -> _Budgeted:
    if len(source) > 10_000:
        raise BadPattern("the pattern has over 10,000 characters", where=shown[:60])
    import regex

    flags = 0 if case_sensitive else regex.IGNORECASE
    try:
        return _Budgeted(regex.compile(source, flags | regex.V0), shown)
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        raise BadPattern(
            f"`{shown}` is no regular expression: {error}",
            where=shown,
            hint="leave `--regex` out to find it as it is written",
        ) from None
