"""The sample of vectors in the making; see `background` for what it is for."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from sourcebook.embedder import Embedder
from sourcebook.index import layout
from sourcebook.index.background import SIZE, read_background, write_background
from sourcebook.index.draft import Draft
from sourcebook.index.embed import Pending
from sourcebook.index.rows import id_hash
from sourcebook.store import Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Sample:
    """The entries of a draft with the smallest hashes, and their vectors as far as known.

    Entries go by their hashes; only one whose vector is not known is looked at.
    """

    def __init__(self, draft: Draft, dimensions: int) -> None:
        place = draft.background()
        known: dict[int, NDArray[np.float32]] = {}
        if place is not None:
            hashes, matrix = read_background(place)
            if matrix.shape[1] == dimensions:
                known = dict(zip(hashes.tolist(), matrix, strict=True))
        self._places: dict[int, tuple[str, int]] = {}
        self._vectors: dict[int, NDArray[np.float32] | None] = {}
        for hashed, name, row in islice(draft.iter_hashes(), SIZE):
            self._places[hashed] = name, row
            self._vectors[hashed] = known.get(hashed)

    def note(self, rows: Sequence[Row]) -> None:
        """Take over the vectors of entries that belong to the sample."""
        for row in rows:
            hashed = id_hash(row.id)
            if hashed in self._vectors and row.vectors is not None:
                self._vectors[hashed] = row.vectors[0]

    def missing(self, draft: Draft, embedder: Embedder) -> Iterator[Pending]:
        """Yield the entries whose vectors are not known yet."""
        places = [self._places[one] for one, vector in self._vectors.items() if vector is None]
        ids = {draft.entry(name, row).id for name, row in places}
        return draft.pending(sorted({name for name, _ in places}), embedder, ids)

    def write(self, draft: Draft) -> None:
        """Write what is known into the draft."""
        known = {one: vector for one, vector in self._vectors.items() if vector is not None}
        write_background(draft.folder / layout.BACKGROUND, known)
