"""What these verbs share: the outline of an index, and the sections a request is narrowed to."""

from collections.abc import Collection

from sourcebook.errors import IndexDamaged
from sourcebook.index.open import Index
from sourcebook.verbs.narrow import Narrowed

from sourcebook_docs.outline import OUTLINE, Outline


def read_outline(index: Index) -> Outline:
    """Return the headings and tables of an index.

    Raises:
        IndexDamaged: the file that holds them holds something else.
    """
    try:
        return Outline(index.structure(OUTLINE))
    except ValueError as error:
        raise IndexDamaged(
            str(error)[:200],
            where=f"{index.path}, structure/{OUTLINE}",
            hint=f"build it again: `sourcebook {index.subject.name} index PATH...`",
        ) from None


def sources_of(index: Index, narrowed: Narrowed) -> tuple[str, ...]:
    """Return the names of the documents within, sorted."""
    return tuple(narrowed.filters.get("source", index.sources))


def lies_in(path: Collection[str], narrowed: Narrowed) -> bool:
    """Say whether a section path lies under one of the titles that are asked for, if any are."""
    wanted = narrowed.filters.get("section")
    return wanted is None or not set(wanted).isdisjoint(path)
