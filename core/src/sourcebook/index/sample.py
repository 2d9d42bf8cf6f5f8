"""The sample of vectors in the making; see `background` for what it is for."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from sourcebook.embedder import Embedder
from sourcebook.index import layout
from sourcebook.index.background import SIZE, read_background, write_background
from sourcebook.index.draft import Draft
from sourcebook.index.embed import Pending
from sourcebook.store import Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Sample:
    """The entries of a draft with the smallest hashes, and their vectors as far as known."""

    def __init__(self, draft: Draft, dimensions: int) -> None:
        place = draft.background()
        known: dict[int, NDArray[np.float32]] = {}
        if place is not None:
            hashes, matrix = read_background(place)
            if matrix.shape[1] == dimensions:
                known = dict(zip(hashes.tolist(), matrix, strict=True))
        self._sources: dict[str, str] = {}
        self._vectors: dict[str, NDArray[np.float32] | None] = {}
        for hashed, name, row in islice(draft.iter_hashes(), SIZE):
            entry_id = draft.entry(name, row).id
            self._sources[entry_id] = name
            self._vectors[entry_id] = known.get(hashed)

    def note(self, rows: Sequence[Row]) -> None:
        """Take over the vectors of entries that belong to the sample."""
        for row in rows:
            if row.id in self._vectors and row.vectors is not None:
                self._vectors[row.id] = row.vectors[0]

    def missing(self, draft: Draft, embedder: Embedder) -> Iterator[Pending]:
        """Yield the entries whose vectors are not known yet."""
        ids = {entry_id for entry_id, vector in self._vectors.items() if vector is None}
        names = sorted({self._sources[entry_id] for entry_id in ids})
        return draft.pending(names, embedder, ids)

    def write(self, draft: Draft) -> None:
        """Write what is known into the draft."""
        known = {one: vector for one, vector in self._vectors.items() if vector is not None}
        write_background(draft.folder / layout.BACKGROUND, known)
