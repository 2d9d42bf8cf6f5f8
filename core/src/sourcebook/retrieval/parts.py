"""Parts of entries: found by way of the entry they lie in, named when their kind is asked for."""

from collections.abc import Iterator, Sequence

from sourcebook.index.open import Generation
from sourcebook.index.segment import Segment
from sourcebook.model import IndexedEntry


def parts_of(generation: Generation, segment: Segment, row: int) -> Iterator[IndexedEntry]:
    """Yield the parts of the entry in `row`: those that follow it and name it as their parent."""
    whole = generation.entry_at(segment, row)
    last = len(segment)
    for following in range(row + 1, last):
        entry = generation.entry_at(segment, following)
        if not entry.part or entry.parent != whole.id:
            return
        yield entry


def named(
    generation: Generation, place: tuple[Segment, int], kinds: Sequence[str]
) -> list[IndexedEntry]:
    """Return what a found entry stands for under a filter of kinds.

    That is the entry itself where no kind is asked for, or its own one is; else those of its parts
    that are of a wanted kind, in the order of their lines.
    """
    entry = generation.entry_at(*place)
    if not kinds or entry.kind in kinds:
        return [entry]
    return [part for part in parts_of(generation, *place) if part.kind in kinds]
