"""Hits to quotes: the documents' own lines, merged where they overlap, with a mark of each gap."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from attrs import frozen

from sourcebook.model import Source, Span
from sourcebook.retrieval.clip import LONG_LINE, Stretch, clip


@frozen
class QuotedLine:
    """A line as it stands in its source.

    Args:
        number: its number there.
        text: the line without its end. Of one of more than 10,000 characters it may be what was
            asked about, with `[… 5,000 characters …]` for what is left out.
    """

    number: int
    text: str


@frozen
class Quote:
    """What is quoted of one source.

    Args:
        source: its name.
        of: how many lines it has.
        lines: the quoted ones, by number, each once.
        gaps: [first, last] of the lines left out between two quoted ones, where any of them is
            not blank.
    """

    source: str
    of: int
    lines: tuple[QuotedLine, ...]
    gaps: tuple[tuple[int, int], ...]


@frozen
class Passage:
    """What a hit asks to be quoted: lines of its own and lines elsewhere that explain them.

    `text` is its own text, which may be a part of one very long line.
    """

    source: str
    span: Span
    context: tuple[Span, ...] = ()
    text: str = ""


def quote(
    passages: Sequence[Passage],
    sources: Mapping[str, Source],
    *,
    before: int = 0,
    after: int = 0,
    max_lines: int = 400,
) -> tuple[list[Quote], int]:
    """Return quotes by source, the best passage's source first, and how many lines had no room.

    Args:
        passages: best first.
        sources: by name, at least those of the passages.
        before, after: lines added around each passage.
        max_lines: quoted lines altogether; the best passages take their lines first.
    """
    chosen: dict[str, set[int]] = {}
    left = max_lines
    refused: set[tuple[str, int]] = set()
    for passage in passages:
        source = sources[passage.source]
        numbers = chosen.setdefault(passage.source, set())
        for number in _wanted(passage, len(source.lines), before, after):
            if number in numbers:
                continue
            if left:
                numbers.add(number)
                left -= 1
            elif source.lines[number - 1].strip():
                refused.add((passage.source, number))
    quotes = [
        _quote(
            sources[name],
            _without_blank_ends(sources[name], sorted(numbers)),
            [one for one in passages if one.source == name],
        )
        for name, numbers in chosen.items()
        if numbers
    ]
    return quotes, len(refused)


def _wanted(passage: Passage, lines: int, before: int, after: int) -> Iterable[int]:
    """Yield the lines of a passage: what explains it first, then its own, then those around."""
    for span in passage.context:
        yield from range(max(1, span.first), min(lines, span.last) + 1)
    first, last = passage.span.first, min(lines, passage.span.last)
    yield from range(first, last + 1)
    yield from range(first - 1, max(0, first - 1 - before), -1)
    yield from range(last + 1, min(lines, last + after) + 1)


def _without_blank_ends(source: Source, numbers: list[int]) -> list[int]:
    """Drop blank lines at the ends of a stretch: they say nothing and cost room."""
    kept = set(numbers)
    for number in numbers:
        text = source.lines[number - 1].strip()
        if not text and (number - 1 not in kept or number + 1 not in kept):
            kept.discard(number)
    return sorted(kept)


def _quote(source: Source, numbers: Sequence[int], passages: Sequence[Passage]) -> Quote:
    gaps = []
    for one, following in pairwise(numbers):
        between = source.lines[one : following - 1]
        if any(line.strip() for line in between):
            gaps.append((one + 1, following - 1))
    return Quote(
        source.name,
        len(source.lines),
        tuple(_line(number, source.lines[number - 1], passages) for number in numbers),
        tuple(gaps),
    )


def _line(number: int, line: str, passages: Sequence[Passage]) -> QuotedLine:
    if len(line) <= LONG_LINE:
        return QuotedLine(number, line)
    stretches: list[Stretch] = []
    for one in passages:
        if number in one.span and one.text and (at := line.find(one.text)) >= 0:
            stretches.append((at, at + len(one.text)))
    return QuotedLine(number, clip(line, stretches))


def render_quotes(quotes: Sequence[Quote], *, numbers: bool = True) -> str:
    """Return quotes as text: a heading per source, a gutter of line numbers, `...` at each gap."""
    parts = []
    for one in quotes:
        ends = {gap[0] - 1 for gap in one.gaps}
        width = len(str(one.lines[-1].number)) if one.lines else 1
        rows = [f"## {one.source}: {len(one.lines)} of {one.of} lines", ""]
        for line in one.lines:
            rows.append(f"{line.number:>{width}} | {line.text}" if numbers else line.text)
            if line.number in ends:
                rows.append(f"{'...':>{width}}")
        parts.append("\n".join(rows))
    return "\n\n".join(parts)
