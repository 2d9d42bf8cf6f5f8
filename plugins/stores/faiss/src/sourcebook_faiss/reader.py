"""Reading one generation: the nearest vectors of every segment, merged."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from attrs import evolve
from numpy.typing import NDArray
from sourcebook.store import NO_FILTERS, Filters, Location, Row, Scored, StoreSchema
from sourcebook.stores.exact import check_query, mean_lengths, merge, rescore, scan
from sourcebook.stores.files import folder_of
from sourcebook.stores.rows import check_filters

from sourcebook_faiss.eight_bits import LEAST_VECTORS, MOST_VECTORS, SCANS_BEFORE, Copy
from sourcebook_faiss.index import VectorIndex
from sourcebook_faiss.segment import Numbers, Segment, guard
from sourcebook_faiss.state import SegmentFiles, read_state

TIE: Final = 1e-5
"""Scores of an index that differ by less may be equal."""

SLACK: Final = 2
"""An index is asked for so many times the limit: eight-bit scores are rough, and several vectors
may be of one row."""

COPY_SLACKS: Final = (3, 6)
"""A copy is asked for so many times the limit, of vectors. With the first, each of 629 questions to
20,000 vectors of 7,500 rows was told which rows may be near; with two and a half 97 % were."""

IDS_KEPT: Final = 100_000
"""Ids that are kept, since cutting them out of the file takes half the time of scoring rows."""


class Part:
    """A segment, its rows that are not dead, and its index."""

    def __init__(self, folder: Path, files: SegmentFiles, dimensions: int) -> None:
        self.segment = Segment(folder / files.name, dimensions)
        self.living = None if not files.dead else read_living(folder / files.dead, self.segment)
        self._index = files.index and VectorIndex(self.segment, files.index, folder)
        self._id = lru_cache(IDS_KEPT)(self.segment.id)
        self._scans = 0

    def count(self) -> int:
        """Return the number of rows that are not dead."""
        return self.segment.rows if self.living is None else int(self.living.sum())

    def row(self, row: int) -> Row:
        """Return a row, without its vectors."""
        with guard(self.segment.path):
            return self.segment.row(row)

    def ids(self) -> list[tuple[str, int]]:
        """Return the ids and numbers of the rows that are not dead."""
        with guard(self.segment.path):
            living = self.living
            numbered = zip(self.segment.ids(), range(self.segment.rows), strict=True)
            return [(i, row) for i, row in numbered if living is None or living[row]]

    def dead(self, more: Iterable[int] = ()) -> list[int]:
        """Return the rows that are dead, and `more`, ascending."""
        before = () if self.living is None else np.flatnonzero(~self.living).tolist()
        return sorted({*before, *more})

    def whole_rows(self, without: set[int]) -> Iterator[tuple[Row, int]]:
        """Yield the rows that are not dead, with their vectors, and their orders."""
        segment, dead = self.segment, set(self.dead(without))
        with guard(segment.path):
            starts = np.searchsorted(segment.owners, np.arange(segment.rows + 1)).tolist()
            orders = segment.orders.tolist()
        for row in range(segment.rows):
            if row not in dead:
                vectors = segment.matrix[starts[row] : starts[row + 1]]
                yield evolve(self.row(row), vectors=vectors), orders[row]

    def documents(self) -> set[str]:
        """Return the documents with at least one row that is not dead."""
        with guard(self.segment.path):
            return self.segment.documents(self.living)

    def of_documents(self, documents: Iterable[str]) -> list[tuple[int, int]]:
        """Return the orders and numbers of these documents' rows that are not dead."""
        with guard(self.segment.path):
            passing = self.segment.carrying("", documents)
            rows = np.flatnonzero(passing if self.living is None else passing & self.living)
            return list(zip(self.segment.orders[rows].tolist(), rows.tolist(), strict=True))

    def nearest(self, query: NDArray[np.float32], limit: int, filters: Filters) -> list[Scored]:
        """Return the best rows of this segment."""
        segment = self.segment
        with guard(segment.path):
            picked = self._pick(filters)
            if self._index and self._index.serves(picked):
                numbers = self._index_hits(self._index, query, limit, picked)
                if numbers is not None:
                    owners = segment.owners
                    return rescore(segment.matrix, owners, query, limit, self._id, numbers)
            vectors = segment.matrix, segment.owners
            if not filters and query.any() and self._asks_copy(limit, picked):
                for slack in COPY_SLACKS:
                    numbers = self._copy.near(query, limit, slack * limit)
                    if numbers is not None:
                        return rescore(*vectors, query, limit, self._id, numbers, self._lengths)
            return scan(*vectors, query, limit, self._id, picked, self._lengths)

    def _asks_copy(self, limit: int, picked: Numbers | None) -> bool:
        """Return whether the eight-bit copy is worth its price by now."""
        vectors = self.segment.vectors if picked is None else len(picked)
        if not LEAST_VECTORS <= vectors <= MOST_VECTORS or COPY_SLACKS[0] * limit > vectors // 10:
            return False
        self._scans += 1
        return self._scans > SCANS_BEFORE

    @cached_property
    def _copy(self) -> Copy:
        segment, picked = self.segment, self._pick(NO_FILTERS)
        numbers = np.arange(segment.vectors) if picked is None else picked
        return Copy(segment.matrix, segment.owners, self._lengths, numbers)

    @cached_property
    def _lengths(self) -> NDArray[np.float32]:
        return mean_lengths(self.segment.matrix, self.segment.owners)

    def _pick(self, filters: Filters) -> Numbers | None:
        """Return the vectors of rows that are alive and pass, or None for all."""
        passing = self.living
        for key, values in filters.items():
            carrying = self.segment.carrying(key, values)
            passing = carrying if passing is None else passing & carrying
        return None if passing is None else np.flatnonzero(passing[self.segment.owners])

    def _index_hits(
        self, index: VectorIndex, query: NDArray[np.float32], limit: int, picked: Numbers | None
    ) -> Numbers | None:
        """Return vectors of the `limit` rows that an index finds best, and of those that it cannot
        tell from the last; None where it finds fewer rows."""
        owners, asked = self.segment.owners, SLACK * limit
        while True:
            scores, numbers = index.find(query, asked, picked)
            rows, first = np.unique(owners[numbers], return_index=True)
            whole = len(numbers) < asked or asked >= self.segment.vectors
            if len(rows) >= limit:
                bar = scores[np.sort(first)[limit - 1]] - TIE
                if whole or scores[-1] < bar:
                    return numbers
            elif whole:
                return None
            asked *= 2


def read_living(path: Path, segment: Segment) -> NDArray[np.bool_]:
    """Return which rows of a segment are not listed as dead in `path`."""
    living = np.ones(segment.rows, bool)
    with guard(path):
        living[np.frombuffer(path.read_bytes(), "<u4")] = False
    return living


class FaissReader:
    """One published generation."""

    def __init__(self, location: Location, schema: StoreSchema) -> None:
        self._folder = folder_of(location, "faiss")
        self._schema = schema
        state = read_state(self._folder, schema.dimensions)
        self._parts = [Part(self._folder, files, state.dimensions) for files in state.segments]

    def nearest(
        self, vector: NDArray[np.float32], limit: int, filters: Filters = NO_FILTERS
    ) -> list[Scored]:
        """Return up to `limit` rows by cosine, best first, ties by id; each id once.

        Raises:
            BadRequest: a vector of another width, an undeclared filter key.
            IndexDamaged: a file is not what was written.
        """
        check_query(vector, self._schema.dimensions)
        check_filters(filters, self._schema.filters)
        if limit < 1:
            return []
        return merge([part.nearest(vector, limit, filters) for part in self._parts], limit)

    def get(self, ids: Sequence[str]) -> list[Row]:
        """Return the rows with these ids, in that order, unknown ids left out."""
        places = (self._places[row_id] for row_id in ids if row_id in self._places)
        return [part.row(row) for part, row in places]

    def list_document_ids(self) -> list[str]:
        """Return every document with at least one row, sorted."""
        return sorted(set().union(*(part.documents() for part in self._parts)))

    def list_chunks(self, document: str, offset: int = 0, limit: int = 1000) -> list[Row]:
        """Return the rows of a document in the order of their upsert, one page."""
        places = sorted(
            (order, number, row)
            for number, part in enumerate(self._parts)
            for order, row in part.of_documents([document])
        )
        page = places[offset : offset + max(0, limit)]
        return [self._parts[number].row(row) for _, number, row in page]

    def count(self) -> int:
        """Return the number of rows."""
        return sum(part.count() for part in self._parts)

    def close(self) -> None:
        """Let the maps go; idempotent."""
        self._parts = []

    @cached_property
    def _places(self) -> dict[str, tuple[Part, int]]:
        return {row_id: (part, row) for part in self._parts for row_id, row in part.ids()}
