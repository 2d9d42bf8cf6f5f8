"""The sources of what was found, each line once, within a number of characters."""

from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve
from sourcebook.index.rows import kept_lines
from sourcebook.model import IndexedEntry, Source, Span
from sourcebook.retrieval.quote import Passage, Quote, quote

LINE_CHARS = 8
"""What a line costs beside its text: its number and its end."""


def quoted(
    entries: Sequence[IndexedEntry],
    sources: Mapping[str, Source],
    max_chars: int,
    *,
    before: int = 0,
    after: int = 0,
) -> tuple[tuple[Quote, ...], int]:
    """Return the lines of entries by source, and how many entries had no room.

    Of a class these are the lines that are no method's. An entry is quoted whole or not at all,
    but for the first, of which as much is quoted as there is room for.

    Args:
        entries: best first.
        sources: by name, at least those of the entries.
        max_chars: characters of all lines together.
        before, after: lines added around each entry.
    """
    taken: dict[str, set[int]] = {}
    left = max_chars
    passages: list[Passage] = []
    refused = 0
    for entry in entries:
        source = sources[entry.source]
        known = taken.setdefault(entry.source, set())
        numbers = [one for one in _numbers(entry, source, before, after) if one not in known]
        costs = [len(source.lines[one - 1]) + LINE_CHARS for one in numbers]
        if sum(costs) > left:
            if passages:
                refused += 1
                continue
            numbers = numbers[: _fitting(costs, left)]
        left -= sum(costs[: len(numbers)])
        known.update(numbers)
        passages += [Passage(entry.source, span) for span in _spans(numbers)]
    quotes, _ = quote(passages, sources, max_lines=max_chars)
    return tuple(_shortened(one, max_chars) for one in quotes), refused


def _numbers(entry: IndexedEntry, source: Source, before: int, after: int) -> list[int]:
    spans = (*entry.context, *kept_lines(entry))
    numbers = {one for span in spans for one in range(span.first, span.last + 1)}
    first, last = entry.span.first, entry.span.last
    numbers.update(range(first - before, first), range(last + 1, last + after + 1))
    return sorted(one for one in numbers if 1 <= one <= len(source.lines))


def _fitting(costs: Sequence[int], room: int) -> int:
    """Return how many lines fit, at least one."""
    for count, cost in enumerate(costs):
        room -= cost
        if room < 0:
            return max(count, 1)
    return len(costs)


def _spans(numbers: Iterable[int]) -> list[Span]:
    spans: list[Span] = []
    for one in numbers:
        if spans and spans[-1].last == one - 1:
            spans[-1] = Span(spans[-1].first, one)
        else:
            spans.append(Span(one, one))
    return spans


def _shortened(one: Quote, max_chars: int) -> Quote:
    """Return a quote of whose lines none is longer than all may be together."""
    lines = tuple(
        line
        if len(line.text) <= max_chars
        else evolve(line, text=f"{line.text[: max(0, max_chars - LINE_CHARS)]}…")
        for line in one.lines
    )
    return evolve(one, lines=lines)
