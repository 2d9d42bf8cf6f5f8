"""What these verbs share: the outline of an index, and the sections a request is narrowed to."""

from collections.abc import Collection

from sourcebook.index.open import Index
from sourcebook.verbs.narrow import Narrowed

from sourcebook_docs.outline import OUTLINE, Outline


def read_outline(index: Index) -> Outline:
    """Return the headings and tables of an index."""
    return Outline(index.structure(OUTLINE))


def sources_of(index: Index, narrowed: Narrowed) -> tuple[str, ...]:
    """Return the names of the documents within, sorted."""
    return tuple(narrowed.filters.get("source", index.sources))


def lies_in(path: Collection[str], narrowed: Narrowed) -> bool:
    """Say whether a section path lies under one of the titles that are asked for, if any are."""
    wanted = narrowed.filters.get("section")
    return wanted is None or not set(wanted).isdisjoint(path)
