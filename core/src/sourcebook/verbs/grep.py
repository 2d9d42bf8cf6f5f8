"""grep: every matching line, counted in full."""

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from attrs import frozen

from sourcebook.index.open import Index
from sourcebook.index.segment import Segment
from sourcebook.naming import counted
from sourcebook.retrieval.clip import clip_around
from sourcebook.subject import Subject
from sourcebook.verb import Verb, option
from sourcebook.verbs.listing import limit_option, told
from sourcebook.verbs.narrow import Narrowed, narrow, narrowed_request
from sourcebook.verbs.pattern import Matcher, line_matcher
from sourcebook.verbs.together import merge_listing


@frozen
class GrepRequest:
    """What to find: lines that hold `pattern`."""

    pattern: str = option(help="What to find, as it is written.", positional=True)
    regex: bool = option(False, help="Read the pattern as a regular expression.")
    case_sensitive: bool = option(False, help="Match the capitals too.")
    limit: int = limit_option()


@frozen
class Match:
    """One matching line.

    Args:
        source: the name of its source.
        line: its number there.
        text: the line as it stands. Of one of more than 10,000 characters it is what is around
            the first match, with `[… 5,000 characters …]` for what is left out.
        section: the section or owner it sits in, from the outermost inwards.
    """

    source: str
    line: int
    text: str
    section: tuple[str, ...]

    @property
    def location(self) -> str:
        """`source:line`, which editors open."""
        return f"{self.source}:{self.line}"


@frozen
class GrepResponse:
    """Matching lines, by source and line.

    Args:
        found: how many there are, however few are shown.
        matches: the lines, up to the limit.
        notes: what of the request nothing fits.
    """

    found: int
    matches: tuple[Match, ...]
    notes: tuple[str, ...] = ()


def matching_lines(
    index: Index, fits: Matcher, sources: Sequence[str] | None = None
) -> Iterator[tuple[str, int, str]]:
    """Yield source, number and text of every line that fits, by source and line."""
    for name in index.sources if sources is None else sources:
        source = index.source(name)
        for number in fits.lines(source):
            yield name, number, source.lines[number - 1]


def grep(index: Index, request: Any) -> GrepResponse:
    """Return every line that fits, with the path of the innermost entry it lies in."""
    fits = line_matcher(
        [request.pattern], is_regex=request.regex, case_sensitive=request.case_sensitive
    )
    narrowed = narrow(index, request)
    if narrowed.unmet:
        return GrepResponse(0, (), narrowed.unmet)
    matches: list[Match] = []
    found = 0
    owners = _Owners(index, narrowed)
    for name, number, line in matching_lines(index, fits, narrowed.filters.get("source")):
        if owners.needed and owners.of(name, number) is None:
            continue
        found += 1
        if not request.limit or len(matches) < request.limit:
            section = owners.path(name, number)
            matches.append(Match(name, number, clip_around(line, fits), section))
    return GrepResponse(found, tuple(matches))


class _Owners:
    """The innermost entry around a line, among the entries that a request is narrowed to.

    Of the entries of a source only where they lie is decoded, and all of the innermost ones.
    """

    def __init__(self, index: Index, narrowed: Narrowed) -> None:
        self._index = index
        self._narrowed = narrowed
        self._source = ""
        self._innermost: list[tuple[Segment, int] | None] = []
        self._last: tuple[Segment, int] | None = None
        self._path: tuple[str, ...] = ()
        self.needed = bool(set(narrowed.filters) - {"source"})

    def of(self, source: str, line: int) -> tuple[Segment, int] | None:
        """Return where the entry lies that a line belongs to."""
        if source != self._source:
            self._source = source
            self._innermost = self._by_line(source)
        return self._innermost[line - 1]

    def path(self, source: str, line: int) -> tuple[str, ...]:
        """Return the path of the entry that a line belongs to, empty where it is in none."""
        place = self.of(source, line)
        if place != self._last:  # lines that follow one another are mostly of one entry
            self._last = place
            self._path = self._index.generation.entry_at(*place).path if place else ()
        return self._path

    def _by_line(self, source: str) -> list[tuple[Segment, int] | None]:
        lines = len(self._index.source(source).lines)
        spans = []
        for segment, row in self._index.generation.rows(source):
            outline = segment.outline(row)
            if self._narrowed.covers(outline):
                spans.append((outline.last - outline.first, row, outline, segment))
        innermost: list[tuple[Segment, int] | None] = [None] * lines
        # The shortest come last and cover those around them; of equals, the first one.
        for _, row, outline, segment in sorted(spans, key=itemgetter(0, 1), reverse=True):
            part = slice(outline.first - 1, min(outline.last, lines))
            innermost[part] = [(segment, row)] * (part.stop - part.start)
        return innermost


def render(response: GrepResponse, _view: object) -> str:
    """One `source:line: text` a match, then the count."""
    rows = [f"{one.location}: {one.text}" for one in response.matches]
    found = counted(response.found, "matching line")
    return told(rows, response, shown=len(response.matches), found=found)


def verb(subject: Subject) -> Verb:
    """Return the verb for a subject."""
    return Verb(
        "grep",
        "Find every matching line, counted in full.",
        narrowed_request(GrepRequest, subject),
        GrepResponse,
        grep,
        render,
        schema="grep/1",
        merge=merge_listing,
    )
