"""A segment: the entries, facts and terms of some sources in one immutable, memory-mapped file.

The file is a sequence of sections, each aligned to eight bytes, and ends with a JSON directory
(place and size of each section, with the type of the numbers in it, and the sums of the lengths),
its length and a magic word. Strings of varying length are two sections: the bytes, and `.at`,
where each begins and the last ends. Numbers are unsigned, little-endian, and as wide as they must.

========== =====================================================================
section     holds
========== =====================================================================
sources     block of JSON: [name, first row, rows] of each source, as written
rows        blocks of 16 entries: JSON a line, see `encode_row`
facts       blocks of 16 sources: JSON a line, see `Facts`
hashes      sorted: the first eight bytes of the sha256 of each id
hash_rows   the row of each hash
terms       an entry each: see `postings`
lengths     by row and field: terms in the field
vocab       blocks of 64 sorted terms: JSON
vocab.first block of JSON: the first term of each of these
numbers     the number of each term of `vocab`, the commonest being 0
df          descending: how many rows hold a term in any field, each figure once
df.at       the first number with each of these
========== =====================================================================

A block is what zlib compresses: rows shrink to a sixth, which is most of what an index adds to its
corpus.
"""

import json
import mmap
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from struct import error as StructError
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import frozen

from sourcebook.errors import IndexDamaged
from sourcebook.index import layout
from sourcebook.index.blocks import unpack
from sourcebook.index.postings import Wanted, decode_terms
from sourcebook.index.rows import (
    Facts,
    Outline,
    Said,
    decode_outline,
    decode_row,
    decode_said,
)
from sourcebook.model import IndexedEntry

if TYPE_CHECKING:
    from sourcebook.index.postings import Numbers

MAGIC = b"SBKSEG01"

ROWS_A_BLOCK = 16
TERMS_A_BLOCK = 64

BLOCKS_KEPT = 1024
ENTRIES_KEPT = 1024
TERMS_KEPT = 4096
"""Of one segment, in memory."""

_FAULTS = (
    ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, StructError,
)  # fmt: skip
"""What reading bytes that no `SegmentWriter` wrote may raise."""

T = TypeVar("T")


@frozen
class Counted:
    """One field of an entry: tf by term, and its length in terms."""

    tf: Mapping[str, int]
    length: int

    @classmethod
    def of(cls, text: str) -> "Counted":
        """Count analysed text, terms joined by single spaces."""
        words = text.split(" ") if text else []
        return cls(Counter(words), len(words))


class Segment:
    """A segment opened for reading. Nothing is decoded before it is asked for.

    Raises:
        IndexDamaged: on opening, if the file is not a whole segment; later, from every method, if
            what is asked for is not what a `SegmentWriter` writes.
    """

    def __init__(self, place: Path, fields: Sequence[str]) -> None:
        self._place = place
        self.fields = tuple(fields)
        self._lock = RLock()
        self._views: dict[str, memoryview[int]] = {}
        self._blocks: OrderedDict[tuple[str, int], Any] = OrderedDict()
        self._known: dict[str, tuple[int, int]] = {}
        self._entry = lru_cache(ENTRIES_KEPT)(self._decode_entry)
        try:
            with layout.open_file(place) as stream:
                self._map = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            self._bytes = memoryview(self._map)
            self._directory: dict[str, Any] = self._read_directory()
            found = json.loads(unpack(self._section("sources")))
            self._sources: list[tuple[str, int, int]] = [
                (str(name), int(first), int(count)) for name, first, count in found
            ]
            self._rows = len(self._numbers("terms.at")) - 1
            self._check_sizes()
        except OSError as error:
            raise IndexDamaged(
                f"cannot be read: {error.strerror or error}",
                where=str(place),
                hint=layout.rebuild(self._place),
            ) from None
        except _FAULTS as error:
            raise self._damaged(error) from None
        self._firsts = [first for _, first, _ in self._sources]

    def _read_directory(self) -> dict[str, Any]:
        end = len(self._bytes) - 16
        if end < 0 or bytes(self._bytes[end + 8 :]) != MAGIC:
            raise ValueError("no magic word at its end")
        length = int.from_bytes(self._bytes[end : end + 8], "little")
        found = json.loads(bytes(self._bytes[max(0, end - length) : end]))
        return {**found}

    def _check_sizes(self) -> None:
        """Compare the sections with one another, as far as that needs no look inside them."""
        rows, sources, terms = self._rows, len(self._sources), len(self._numbers("numbers"))
        first = 0
        for _, start, count in self._sources:
            if start != first or count < 0:
                raise ValueError("sources do not follow one another")
            first += count
        sizes = {
            "rows.at": -(-rows // ROWS_A_BLOCK) + 1,
            "facts.at": -(-sources // ROWS_A_BLOCK) + 1,
            "hashes": rows,
            "hash_rows": rows,
            "lengths": rows * len(self.fields),
            "vocab.at": -(-terms // TERMS_A_BLOCK) + 1,
            "df": len(self._numbers("df.at")),
        }
        wrong = [name for name, size in sizes.items() if len(self._numbers(name)) != size]
        if wrong or first != rows:
            raise ValueError(f"sizes do not agree: {', '.join(wrong) or 'rows'}")

    def _damaged(self, error: Exception) -> IndexDamaged:
        return IndexDamaged(
            f"not what a segment holds ({type(error).__name__}: {error})"[:200],
            where=str(self._place),
            hint=layout.rebuild(self._place),
        )

    def _section(self, name: str) -> bytes:
        start, size, _ = self._directory[name]
        return bytes(self._bytes[start : start + size])

    def _numbers(self, name: str) -> "memoryview[int]":
        view = self._views.get(name)
        if view is None:
            start, size, code = self._directory[name]
            if code not in ("H", "I", "Q"):
                raise ValueError(f"numbers of a type `{code}`")
            section = self._bytes[start : start + size]
            if sys.byteorder == "big":
                swapped = array(code, bytes(section))
                swapped.byteswap()
                section = memoryview(swapped.tobytes())
            view = self._views[name] = cast("memoryview[int]", section.cast(cast(Any, code)))
        return view

    def _string(self, name: str, number: int) -> bytes:
        """Return one of the strings of varying length in the section `name`."""
        at = self._numbers(f"{name}.at")
        start = int(self._directory[name][0])
        return bytes(self._bytes[start + at[number] : start + at[number + 1]])

    def _block(self, name: str, number: int, decode: Callable[[bytes], T]) -> T:
        """Return a decoded block, of which some are kept."""
        key = (name, number)
        with self._lock:
            if key in self._blocks:
                self._blocks.move_to_end(key)
                return cast(T, self._blocks[key])
        found = decode(unpack(self._string(name, number)))
        with self._lock:
            self._blocks[key] = found
            if len(self._blocks) > BLOCKS_KEPT:
                self._blocks.popitem(last=False)
        return found

    def __len__(self) -> int:
        return self._rows

    @property
    def sources(self) -> Sequence[tuple[str, int, int]]:
        """Name, first row and number of rows of each source, by its place."""
        return self._sources

    def source(self, place: int) -> tuple[str, int, int]:
        """Return name, first row and number of rows of the source at `place`."""
        try:
            return self._sources[place]
        except IndexError as error:
            raise self._damaged(error) from None

    def source_of(self, row: int) -> int:
        """Return the place of the source that `row` belongs to."""
        # Sources without entries share their first row with the next one that has some: the last.
        return bisect_right(self._firsts, row) - 1

    # ---- entries

    def raw_row(self, row: int) -> bytes:
        """Return an entry's row undecoded."""
        try:
            return self._block("rows", row // ROWS_A_BLOCK, _lines)[row % ROWS_A_BLOCK]
        except _FAULTS as error:
            raise self._damaged(error) from None

    def said(self, source: int, holds: Callable[[bytes], bool]) -> Iterator[Said]:
        """Yield what those entries of the source at place `source` say that pass undecoded, in its
        order; blocks are asked first, so that what holds nowhere in one passes none of it."""
        name, first, count = self.source(source)
        try:
            for block in range(first // ROWS_A_BLOCK, -(-(first + count) // ROWS_A_BLOCK)):
                data = unpack(self._string("rows", block))
                if not holds(data):
                    continue
                start = block * ROWS_A_BLOCK
                lines = _lines(data)[max(0, first - start) : first + count - start]
                passing = [line for line in lines if holds(line)]
                # All in one: a call for each takes twice as long.
                rows = json.loads(b"[%b]" % b",".join(passing))
                if len(rows) != len(passing):
                    raise ValueError("a row is not one")
                for row in rows:
                    yield decode_said(name, row)
        except _FAULTS as error:
            raise self._damaged(error) from None

    def entry(self, row: int) -> IndexedEntry:
        """Return the entry in `row`, of which some are kept."""
        return self._entry(row)

    def _decode_entry(self, row: int) -> IndexedEntry:
        try:
            source, first, count = self._sources[self.source_of(row)]
            raw = json.loads(self.raw_row(row))
            parent = raw[5]
            key = str(json.loads(self.raw_row(first + parent))[0]) if 0 <= parent < count else ""
            return decode_row(source, raw, key)
        except _FAULTS as error:
            raise self._damaged(error) from None

    def outline(self, row: int) -> Outline:
        """Return what narrows the entry in `row` and where it lies."""
        try:
            source = self._sources[self.source_of(row)][0]
            return decode_outline(source, json.loads(self.raw_row(row)))
        except _FAULTS as error:
            raise self._damaged(error) from None

    def raw_facts(self, source: int) -> bytes:
        """Return the facts of the source at place `source` undecoded."""
        try:
            return self._block("facts", source // ROWS_A_BLOCK, _lines)[source % ROWS_A_BLOCK]
        except _FAULTS as error:
            raise self._damaged(error) from None

    def facts(self, source: int) -> Facts:
        """Return what is kept of the source at place `source` beside its entries."""
        try:
            facts, filters, kinds, parts = json.loads(self.raw_facts(source))
            return Facts(list(facts), {**filters}, {**kinds}, int(parts))
        except _FAULTS as error:
            raise self._damaged(error) from None

    def find(self, hashed: int, first: int, count: int) -> list[int]:
        """Return those of `count` rows from `first` on whose id has this hash."""
        try:
            hashes = self._numbers("hashes")
            at = bisect_left(hashes, hashed)
            found = []
            while at < len(hashes) and hashes[at] == hashed:
                row = self._numbers("hash_rows")[at]
                if first <= row < first + count:
                    found.append(row)
                at += 1
        except _FAULTS as error:
            raise self._damaged(error) from None
        return found

    def iter_hashes(self) -> Iterator[tuple[int, int]]:
        """Yield the hash of each row's id and the row, in ascending order."""
        try:
            yield from zip(self._numbers("hashes"), self._numbers("hash_rows"), strict=True)
        except _FAULTS as error:
            raise self._damaged(error) from None

    # ---- terms

    def term_number(self, term: str) -> tuple[int, int]:
        """Return a term's number in this segment and its df here; (-1, 0) if it is not there."""
        known = self._known.get(term)
        if known is None:
            try:
                known = self._look_up(term)
            except _FAULTS as error:
                raise self._damaged(error) from None
            if len(self._known) >= TERMS_KEPT:
                self._known.clear()
            self._known[term] = known
        return known

    def _look_up(self, term: str) -> tuple[int, int]:
        firsts: list[str] = self._block("vocab.first", 0, json.loads)
        block = bisect_right(firsts, term) - 1
        if block < 0:
            return -1, 0
        terms: list[str] = self._block("vocab", block, json.loads)
        at = bisect_left(terms, term)
        if at == len(terms) or terms[at] != term:
            return -1, 0
        number = self._numbers("numbers")[block * TERMS_A_BLOCK + at]
        return number, self._numbers("df")[bisect_right(self._numbers("df.at"), number) - 1]

    def terms(self) -> dict[int, str]:
        """Return every term by its number: for merges and tombstones, not for queries."""
        try:
            blocks = range(len(self._numbers("vocab.at")) - 1)
            words = [
                str(term) for block in blocks for term in self._block("vocab", block, json.loads)
            ]
            return dict(zip(self._numbers("numbers").tolist(), words, strict=True))
        except _FAULTS as error:
            raise self._damaged(error) from None

    def matches(self, row: int, wanted: Wanted) -> list[tuple[int, int, int]]:
        """Return (field, place, tf) for each term of `row` that is wanted."""
        try:
            return wanted.find(self._string("terms", row), len(self.fields))
        except _FAULTS as error:
            raise self._damaged(error) from None

    def matches_all(self, rows: "Numbers", wanted: Wanted) -> "tuple[Numbers, ...]":
        """Return what `matches` does of many rows at once, see `Wanted.find_all`."""
        import numpy as np

        try:
            start, size, _ = self._directory["terms"]
            data = np.frombuffer(self._bytes, np.uint8)[start : start + size]
            at = np.asarray(self._numbers("terms.at"))
            begin, end = at[rows].astype(np.int64), at[rows + 1].astype(np.int64)
            return wanted.find_all(data, begin, end, len(self.fields))
        except _FAULTS as error:
            raise self._damaged(error) from None

    def row_terms(self, row: int) -> list[dict[int, int]]:
        """Return, per field, the tf of every term number in `row`."""
        try:
            return decode_terms(self._string("terms", row), len(self.fields))
        except _FAULTS as error:
            raise self._damaged(error) from None

    def counted(self, row: int, words: Mapping[int, str]) -> list[Counted]:
        """Return the terms of `row` as a writer takes them; `words` is what `terms` returned."""
        try:
            return [
                Counted({words[number]: tf for number, tf in field.items()}, length)
                for field, length in zip(self.row_terms(row), self.lengths(row), strict=True)
            ]
        except _FAULTS as error:
            raise self._damaged(error) from None

    def total_lengths(self) -> list[int]:
        """Return, per field, the sum of the lengths of all rows, dead ones included."""
        try:
            lengths = [int(one) for one in self._directory["total_lengths"]]
            if len(lengths) != len(self.fields):
                raise ValueError("lengths of other fields")
        except _FAULTS as error:
            raise self._damaged(error) from None
        return lengths

    def lengths(self, row: int) -> "memoryview[int]":
        """Return the length in terms of each field of `row`."""
        width = len(self.fields)
        return self._numbers("lengths")[row * width : (row + 1) * width]

    def lengths_all(self, rows: "Numbers") -> "Numbers":
        """Return what `lengths` does of many rows at once, shape [rows, fields]."""
        import numpy as np

        lengths = np.asarray(self._numbers("lengths")).reshape(-1, len(self.fields))
        return lengths[rows].astype(np.int64)

    def close(self) -> None:
        """Let go of the file; idempotent. Nothing can be asked of it afterwards."""
        with suppress(BufferError):  # another thread is still reading: it lets go in the end
            for view in (*self._views.values(), self._bytes):
                view.release()
            self._map.close()


def _lines(block: bytes) -> list[bytes]:
    return block.split(b"\n")
