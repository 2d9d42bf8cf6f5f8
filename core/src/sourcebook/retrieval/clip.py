"""Very long lines, cut to what is asked about: a file may be one line of many megabytes."""

from collections.abc import Callable, Sequence

LONG_LINE = 10_000
"""Characters of one line that are quoted at most."""

OVERLAP = 1_000
"""How far the windows overlap in which a match is looked for."""

Stretch = tuple[int, int]
"""First and one past the last character, from 0."""


def clip(line: str, stretches: Sequence[Stretch] = ()) -> str:
    """Return a line, cut if it is very long.

    Up to `LONG_LINE` characters it stays as it is. Of a longer one the stretches are kept, as
    many of their characters as that, or its beginning; `[… 5,000 characters …]` marks each gap.

    Args:
        stretches: the parts of it that matter.
    """
    if len(line) <= LONG_LINE:
        return line
    parts = []
    at = kept = 0
    for first, end in sorted(stretches) or [(0, LONG_LINE)]:
        first, end = max(at, first), min(len(line), end, max(at, first) + LONG_LINE - kept)
        if end <= first:
            continue
        if first > at:
            parts.append(_gap(first - at))
        parts.append(line[first:end])
        kept += end - first
        at = end
    if at < len(line):
        parts.append(_gap(len(line) - at))
    return "".join(parts)


def clip_around(line: str, fits: Callable[[str], bool]) -> str:
    """Return a line as `clip` does, a long one around the first place that fits."""
    if len(line) <= LONG_LINE:
        return line
    for first in range(0, len(line), LONG_LINE - OVERLAP):
        if fits(line[first : first + LONG_LINE]):
            return clip(line, [(first, first + LONG_LINE)])
    return clip(line)


def _gap(characters: int) -> str:
    return f"[… {characters:,} characters …]"
