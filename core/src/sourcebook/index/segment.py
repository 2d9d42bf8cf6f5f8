"""A segment: the entries, facts and terms of some sources in one immutable, memory-mapped file.

The file is a sequence of sections, each aligned to eight bytes, and ends with a JSON directory of
them, its length and a magic word. Rows of varying length are two sections: the bytes, and `.at`,
the uint64 offsets where each begins and the last ends.

========== =====================================================================
section     holds
========== =====================================================================
sources     JSON: [name, first row, rows] of each source, in the order written
rows        an entry each: JSON, see `encode_row`
facts       a source each: JSON, see `Facts`
hashes      uint64, sorted: the first eight bytes of the sha256 of each id
hash_rows   uint32: the row of each hash
terms       uint32 per row: for each field its count of distinct terms, then per
            term its number shifted by eight bits plus its tf (at most 255), sorted
lengths     uint32 per row and field: terms in the field
vocab       sorted distinct terms, UTF-8
numbers     uint32: the number of each term of `vocab`
df          uint32: rows of this segment that hold it in any field
========== =====================================================================
"""

import json
import mmap
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from attrs import frozen

from sourcebook.errors import IndexDamaged
from sourcebook.index import layout
from sourcebook.index.rows import Facts, decode_row
from sourcebook.model import IndexedEntry

MAGIC = b"SBKSEG01"
MAX_TF = 255
MAX_TERMS = 1 << 24
"""Distinct terms of one segment: their numbers share 32 bits with a tf."""

LINEAR = 4
"""Terms of a field that are looked through in the time that one is searched for by halves."""

_FAULTS = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)
"""What reading bytes that no `SegmentWriter` wrote may raise."""


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
        self._views: dict[str, memoryview[int]] = {}
        self._by_row: array[int] | None = None
        try:
            with layout.open_file(place) as stream:
                self._map = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            view = memoryview(self._map)
            if bytes(view[-8:]) != MAGIC:
                raise ValueError("no magic word at its end")
            length = int.from_bytes(view[-16:-8], "little")
            directory = json.loads(bytes(view[max(0, len(view) - 16 - length) : len(view) - 16]))
            self._sections = {
                name: view[start : start + size] for name, (start, size) in directory.items()
            }
            sources = json.loads(bytes(self._sections["sources"]))
            self._sources: list[tuple[str, int, int]] = [
                (str(name), int(first), int(count)) for name, first, count in sources
            ]
            self._rows = len(self._numbers("rows.at", "Q")) - 1
            self._check_sizes()
        except OSError as error:
            raise IndexDamaged(
                f"cannot be read: {error.strerror or error}",
                where=str(place),
                hint=layout.rebuild(place),
            ) from None
        except _FAULTS as error:
            raise self._damaged(error) from None
        self._firsts = [first for _, first, _ in self._sources]

    def _check_sizes(self) -> None:
        """Compare the sections with one another, as far as that needs no look inside them."""
        rows, terms = self._rows, len(self._numbers("numbers", "I"))
        first = 0
        for _, start, count in self._sources:
            if start != first or count < 0:
                raise ValueError("sources do not follow one another")
            first += count
        sizes = {
            "terms.at": ("Q", rows + 1),
            "facts.at": ("Q", len(self._sources) + 1),
            "hashes": ("Q", rows),
            "hash_rows": ("I", rows),
            "lengths": ("I", rows * len(self.fields)),
            "vocab.at": ("Q", terms + 1),
            "df": ("I", terms),
        }
        wrong = [
            name for name, (code, size) in sizes.items() if len(self._numbers(name, code)) != size
        ]
        if wrong or first != rows:
            raise ValueError(f"sizes do not agree: {', '.join(wrong) or 'rows'}")

    def _damaged(self, error: Exception) -> IndexDamaged:
        return IndexDamaged(
            f"not what a segment holds ({type(error).__name__}: {error})"[:200],
            where=str(self._place),
            hint=layout.rebuild(self._place),
        )

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

    def _numbers(self, name: str, code: str) -> "memoryview[int]":
        view = self._views.get(name)
        if view is None:
            section = self._sections[name]
            if sys.byteorder == "big":
                swapped = array(code, bytes(section))
                swapped.byteswap()
                section = memoryview(swapped)
                code = swapped.typecode
            view = self._views[name] = cast("memoryview[int]", section.cast(cast(Any, code)))
        return view

    def _slice(self, name: str, row: int) -> bytes:
        try:
            at = self._numbers(f"{name}.at", "Q")
            return bytes(self._sections[name][at[row] : at[row + 1]])
        except _FAULTS as error:
            raise self._damaged(error) from None

    def row(self, row: int) -> list[Any]:
        """Return the decoded row of an entry, see `encode_row`."""
        try:
            return cast("list[Any]", json.loads(self._slice("rows", row)))
        except _FAULTS as error:
            raise self._damaged(error) from None

    def raw_row(self, row: int) -> bytes:
        """Return an entry's row undecoded."""
        return self._slice("rows", row)

    def entry(self, row: int) -> IndexedEntry:
        """Return the entry in `row`."""
        try:
            source, first, count = self._sources[self.source_of(row)]
            raw = self.row(row)
            parent = raw[5]
            key = str(self.row(first + parent)[0]) if 0 <= parent < count else ""
            return decode_row(source, raw, key)
        except _FAULTS as error:
            raise self._damaged(error) from None

    def facts(self, source: int) -> Facts:
        """Return what is kept of the source at place `source` beside its entries."""
        try:
            facts, filters, kinds, parts = json.loads(self._slice("facts", source))
            return Facts(list(facts), {**filters}, {**kinds}, int(parts))
        except _FAULTS as error:
            raise self._damaged(error) from None

    def raw_facts(self, source: int) -> bytes:
        """Return the facts of a source undecoded."""
        return self._slice("facts", source)

    def iter_hashes(self, first: int, count: int) -> Iterator[int]:
        """Yield the hashes of the ids of `count` rows from `first` on."""
        if self._by_row is None:
            by_row = array("Q", bytes(8 * len(self)))
            try:
                for hashed, at in zip(
                    self._numbers("hashes", "Q"), self._numbers("hash_rows", "I"), strict=True
                ):
                    by_row[at] = hashed
            except _FAULTS as error:
                raise self._damaged(error) from None
            self._by_row = by_row
        yield from self._by_row[first : first + count]

    def source_of(self, row: int) -> int:
        """Return the place of the source that `row` belongs to."""
        # Sources without entries share their first row with the next one that has some: the last.
        return bisect_right(self._firsts, row) - 1

    def find(self, hashed: int) -> list[int]:
        """Return the rows whose id has this hash."""
        found = []
        try:
            hashes = self._numbers("hashes", "Q")
            rows = self._numbers("hash_rows", "I")
            at = bisect_left(hashes, hashed)
            while at < len(hashes) and hashes[at] == hashed:
                found.append(rows[at])
                at += 1
        except _FAULTS as error:
            raise self._damaged(error) from None
        return found

    def term_number(self, term: str) -> tuple[int, int]:
        """Return a term's number in this segment and its df here; (-1, 0) if it is not there."""
        wanted = term.encode("utf-8", "surrogatepass")
        try:
            vocab, at = self._sections["vocab"], self._numbers("vocab.at", "Q")
            low, high = 0, len(at) - 1
            while low < high:
                middle = (low + high) // 2
                if bytes(vocab[at[middle] : at[middle + 1]]) < wanted:
                    low = middle + 1
                else:
                    high = middle
            if low < len(at) - 1 and bytes(vocab[at[low] : at[low + 1]]) == wanted:
                return self._numbers("numbers", "I")[low], self._numbers("df", "I")[low]
        except _FAULTS as error:
            raise self._damaged(error) from None
        return -1, 0

    def terms(self) -> dict[int, str]:
        """Return every term by its number: for merges and tombstones, not for queries."""
        try:
            at = self._numbers("vocab.at", "Q").tolist()
            numbers = self._numbers("numbers", "I").tolist()
            vocab = bytes(self._sections["vocab"])
            return {
                number: vocab[start:end].decode("utf-8", "surrogatepass")
                for number, (start, end) in zip(numbers, pairwise(at), strict=True)
            }
        except _FAULTS as error:
            raise self._damaged(error) from None

    def matches(self, row: int, places: Mapping[int, int]) -> list[tuple[int, int, int]]:
        """Return (field, place, tf) for each term of `row` whose number has a place, by field."""
        try:
            packed = self._packed(row).tolist()
            found = []
            end = 0
            for number_of_field in range(len(self.fields)):
                start = end + 1
                end = start + packed[end]
                if end - start <= LINEAR * len(places):
                    for one in packed[start:end]:
                        if one >> 8 in places:
                            found.append((number_of_field, places[one >> 8], one & MAX_TF))
                    continue
                for number, place in places.items():
                    at = bisect_left(packed, number << 8, start, end)
                    if at < end and packed[at] >> 8 == number:
                        found.append((number_of_field, place, packed[at] & MAX_TF))
        except _FAULTS as error:
            raise self._damaged(error) from None
        return found

    def row_terms(self, row: int) -> list[dict[int, int]]:
        """Return, per field, the tf of every term number in `row`."""
        try:
            packed = self._packed(row).tolist()
            fields = []
            at = 0
            for _ in self.fields:
                size = packed[at]
                fields.append({one >> 8: one & MAX_TF for one in packed[at + 1 : at + 1 + size]})
                at += 1 + size
        except _FAULTS as error:
            raise self._damaged(error) from None
        return fields

    def _packed(self, row: int) -> "memoryview[int]":
        at = self._numbers("terms.at", "Q")
        return self._numbers("terms", "I")[at[row] // 4 : at[row + 1] // 4]

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
        width = len(self.fields)
        lengths = self._numbers("lengths", "I").tolist()
        return [sum(lengths[at::width]) for at in range(width)]

    def lengths(self, row: int) -> "memoryview[int]":
        """Return the length in terms of each field of `row`."""
        width = len(self.fields)
        return self._numbers("lengths", "I")[row * width : (row + 1) * width]

    def close(self) -> None:
        """Let go of the file; idempotent. Nothing can be asked of it afterwards."""
        with suppress(BufferError):  # another thread is still reading: it lets go in the end
            for view in (*self._views.values(), *self._sections.values()):
                view.release()
            self._map.close()
