"""The store that comes with the core: everything in memory, by brute force.

It is slow and obvious on purpose, since every other store is judged by it. In an index it is two
files that are read whole: `rows.jsonl` (a header, then one row a line) and `vectors.f32` (the
rows' vectors one after the other, little-endian float32).
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import evolve, frozen

from sourcebook.errors import IndexDamaged, IndexOutdated, StoreMismatch
from sourcebook.hookspecs import hookimpl
from sourcebook.store import (
    NO_FILTERS,
    Capability,
    Filters,
    Location,
    Row,
    Scored,
    Store,
    StoreSchema,
)
from sourcebook.stores.exact import check_query, scan
from sourcebook.stores.files import folder_of, make_durable, writing
from sourcebook.stores.rows import FilterColumns, check_row, decode_row, encode_row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT: Final = 1
ROWS: Final = "rows.jsonl"
VECTORS: Final = "vectors.f32"
NUMBER_BYTES: Final = 4


@frozen
class Held:
    """A row without its vectors, the bytes of these, and the line that both are written as."""

    row: Row
    vectors: bytes
    line: bytes


Table = dict[str, Held]
"""Rows by id, in the order of their upsert."""


class MemoryReader:
    """One generation, held in memory."""

    def __init__(self, table: Table, schema: StoreSchema) -> None:
        self._held = list(table.values())
        self._by_id = {held.row.id: held.row for held in self._held}
        self._schema = schema
        self._columns = FilterColumns(schema.filters)
        for number, held in enumerate(self._held):
            self._columns.add(number, held.row.filters)

    def nearest(
        self, vector: "NDArray[np.float32]", limit: int, filters: Filters = NO_FILTERS
    ) -> list[Scored]:
        """Return up to `limit` rows by nearness, best first, ties by id; each id once."""
        import numpy as np

        width = self._schema.dimensions
        check_query(vector, width)
        passing = self._columns.select(filters)
        data = b"".join(held.vectors for held in self._held)
        matrix = np.frombuffer(data, "<f4").reshape(-1, width)
        counts = [len(held.vectors) // (NUMBER_BYTES * width) for held in self._held]
        owners = np.repeat(np.arange(len(counts)), counts)
        picked = None
        if passing is not None:
            picked = np.flatnonzero(np.isin(owners, list(passing)))
        return scan(matrix, owners, vector, limit, lambda row: self._held[row].row.id, picked)

    def candidates(
        self,
        terms: Sequence[str],
        limit: int,
        filters: Filters = NO_FILTERS,
        phrases: Sequence[Sequence[str]] = (),
    ) -> list[str]:
        """Return the ids of rows whose terms are rarest together, that is by the sum of their
        `log(1 + rows / df)`, ties by id; `phrases` must stand in order within one field."""
        phrases = [phrase for phrase in phrases if phrase]
        wanted = set(terms) | {word for phrase in phrases for word in phrase}
        frequencies = self.document_frequencies(sorted(wanted))
        weights = {term: log(1 + len(self._held) / df) for term, df in frequencies.items() if df}
        passing = self._columns.select(filters)
        found: list[tuple[float, str]] = []
        for number, held in enumerate(self._held):
            if passing is not None and number not in passing:
                continue
            # Summed in one order of terms, so that equal rows weigh exactly the same.
            weight = sum(weights[term] for term in sorted(weights.keys() & words(held.row)))
            if weight and all(holds(held.row, phrase) for phrase in phrases):
                found.append((-weight, held.row.id))
        return [row_id for _, row_id in sorted(found)[: max(0, limit)]]

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return how many rows hold each term in any field; absent terms count 0."""
        counts = dict.fromkeys(terms, 0)
        for held in self._held:
            for term in counts.keys() & words(held.row):
                counts[term] += 1
        return counts

    def get(self, ids: Sequence[str]) -> list[Row]:
        """Return the rows with these ids, in that order, unknown ids left out."""
        return [bare(self._by_id[row_id]) for row_id in ids if row_id in self._by_id]

    def list_document_ids(self) -> list[str]:
        """Return every document with at least one row, sorted."""
        return sorted({held.row.document for held in self._held})

    def list_chunks(self, document: str, offset: int = 0, limit: int = 1000) -> list[Row]:
        """Return the rows of a document in the order of their upsert, one page."""
        rows = [bare(held.row) for held in self._held if held.row.document == document]
        return rows[offset : offset + limit]

    def count(self) -> int:
        """Return the number of rows."""
        return len(self._held)

    def close(self) -> None:
        """Nothing is open."""


class MemoryWriter:
    """A generation in the making; its folder stays empty until `publish`."""

    def __init__(self, folder: Path, schema: StoreSchema, table: Table) -> None:
        self._folder = folder
        self._schema = schema
        self._table = table

    def upsert(self, rows: Iterable[Row]) -> None:
        """Add rows, replacing those with the same id.

        Raises:
            BadRequest: a row does not fit the schema.
        """
        for row in rows:
            check_row(row, self._schema)
            vectors = b"" if row.vectors is None else row.vectors.astype("<f4").tobytes()
            self._table.pop(row.id, None)  # what is replaced moves to the end
            line = encode_row(row, dict(row.terms), len(vectors))
            self._table[row.id] = Held(evolve(row, vectors=None), vectors, line)

    def remove(self, documents: Iterable[str]) -> int:
        """Drop every row of these documents; return how many rows that were."""
        gone = set(documents)
        ids = [row_id for row_id, held in self._table.items() if held.row.document in gone]
        for row_id in ids:
            del self._table[row_id]
        return len(ids)

    def publish(self) -> None:
        """Write both files and force them to the disk.

        Raises:
            StoreUnavailable: the disk takes no more.
        """
        with writing(self._folder, "memory"):
            header = {"format": FORMAT, "dimensions": self._schema.dimensions}
            with (self._folder / ROWS).open("wb") as lines:
                lines.write(json.dumps(header).encode() + b"\n")
                lines.writelines(held.line + b"\n" for held in self._table.values())
            with (self._folder / VECTORS).open("wb") as raw:
                raw.writelines(held.vectors for held in self._table.values())
            make_durable(self._folder)

    def discard(self) -> None:
        """Nothing was written that would have to be taken back."""


def words(row: Row) -> set[str]:
    """Return the terms of a row, of all fields together."""
    return {term for terms in row.terms.values() for term in terms.split(" ") if term}


def holds(row: Row, phrase: Sequence[str]) -> bool:
    """Return whether the terms of `phrase` stand side by side in one field."""
    sought = f" {' '.join(phrase)} "
    return any(sought in f" {terms} " for terms in row.terms.values())


def bare(row: Row) -> Row:
    """Return the row as stores give it back: without terms and vectors."""
    return evolve(row, terms={})


def read_table(folder: Path, schema: StoreSchema) -> Table:
    """Return the rows of a published generation.

    Raises:
        IndexDamaged: a file is missing, cut off or not what `publish` writes.
        IndexOutdated: another version wrote it.
        StoreMismatch: its vectors have another width than the schema says.
    """
    table: Table = {}
    path = folder / ROWS
    try:
        with path.open("rb") as lines, (folder / VECTORS).open("rb") as raw:
            _check_header(next(lines, b""), path, schema)
            for held in _read_rows(lines, raw.read(), path):
                table[held.row.id] = held
    except OSError as error:
        raise IndexDamaged(f"cannot be read: {error.strerror}", where=str(path)) from None
    return table


def _check_header(line: bytes, path: Path, schema: StoreSchema) -> None:
    try:
        header = json.loads(line)
        version, dimensions = header["format"], header["dimensions"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise IndexDamaged("the header cannot be read", where=str(path)) from None
    if version != FORMAT:
        raise IndexOutdated(
            f"written in format {version}, this code reads {FORMAT}",
            where=str(path),
            hint="index again",
        )
    if dimensions != schema.dimensions:
        raise StoreMismatch(
            store="memory",
            field="dimensions",
            expected=str(schema.dimensions),
            actual=str(dimensions),
            remedy="index again",
        )


def _read_rows(lines: Iterable[bytes], raw: bytes, path: Path) -> Iterator[Held]:
    position = 0
    for line in lines:
        row, more = decode_row(line, str(path))
        match more:
            case [dict(terms), int(length)] if 0 <= length <= len(raw) - position:
                row = evolve(row, terms={str(name): str(text) for name, text in terms.items()})
                yield Held(row, raw[position : position + length], line.rstrip(b"\n"))
                position += length
            case _:
                raise IndexDamaged("a row and its vectors disagree", where=str(path))
    if position != len(raw):
        raise IndexDamaged("vectors that no row owns", where=str(path.with_name(VECTORS)))


def open_reader(location: Location, schema: StoreSchema) -> MemoryReader:
    """Open a published generation; raises what `read_table` raises."""
    return MemoryReader(read_table(folder_of(location, "memory"), schema), schema)


def begin(location: Location, schema: StoreSchema, base: Location | None) -> MemoryWriter:
    """Begin a generation, with the rows of `base`; raises what `read_table` raises."""
    table = read_table(folder_of(base, "memory"), schema) if base else {}
    return MemoryWriter(folder_of(location, "memory"), schema, table)


@hookimpl
def sourcebook_stores() -> Iterator[Store]:
    """The judge of every other store."""
    yield Store(
        "memory",
        frozenset(
            {
                Capability.VECTOR,
                Capability.LEXICAL,
                Capability.PHRASES,
                Capability.DOCUMENT_FREQUENCIES,
            }
        ),
        open_reader,
        begin,
        summary="brute force in memory: for tests, small corpora and machines without an engine",
    )
