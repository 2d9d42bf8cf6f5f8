"""A segment: the entries, facts and terms of some sources in one immutable, memory-mapped file.

The file is a sequence of sections, each aligned to eight bytes, and ends with a JSON directory of
them, its length and a magic word. Rows of varying length are two sections: the bytes, and `.at`,
the uint64 offsets where each begins and the last ends.

========== =====================================================================
section     holds
========== =====================================================================
sources     JSON: [name, first row, rows] of each source, in the order written
rows        an entry each: JSON, see `encode_row`
facts       a source each: JSON list of the facts for `assemble`
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

import hashlib
import json
import mmap
import os
import sys
import tempfile
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast

from attrs import frozen

from sourcebook.errors import IndexDamaged
from sourcebook.index import layout
from sourcebook.model import IndexedEntry, Span

MAGIC = b"SBKSEG01"
MAX_TF = 255
_SPOOL_BYTES = 8 << 20


def id_hash(entry_id: str) -> int:
    """Return the number that an id is looked up by."""
    digest = hashlib.sha256(entry_id.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "little")


def encode_json(value: object) -> bytes:
    """Return compact JSON bytes, equal for equal values."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


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


class SegmentWriter:
    """Writes one segment, source by source, holding only its vocabulary and offsets in memory."""

    def __init__(self, place: Path, fields: Sequence[str]) -> None:
        self._place = place
        self._fields = tuple(fields)
        self._streams: dict[str, IO[bytes]] = {
            name: tempfile.SpooledTemporaryFile(_SPOOL_BYTES)  # noqa: SIM115  (closed by `finish`)
            for name in ("rows", "facts", "terms")
        }
        self._at = {name: array("Q", [0]) for name in self._streams}
        self._sources: list[tuple[str, int, int]] = []
        self._hashes: list[tuple[int, int]] = []
        self._numbers: dict[str, int] = {}
        self._df = array("I")
        self._lengths = array("I")

    @property
    def sources(self) -> int:
        """How many sources have been added."""
        return len(self._sources)

    def add(
        self,
        name: str,
        rows: Sequence[bytes],
        terms: Sequence[Sequence[Counted]],
        facts: bytes,
    ) -> int:
        """Add one source and return its place among the sources of this segment.

        Args:
            name: the source's name.
            rows: its entries, the JSON of what `encode_row` made.
            terms: per entry the terms of each field, in the order of the fields.
            facts: JSON.
        """
        first = len(self._hashes)
        for row, counted in zip(rows, terms, strict=True):
            self._hashes.append((id_hash(f"{name}#{json.loads(row)[0]}"), len(self._hashes)))
            self._append("rows", row)
            self._append("terms", self._encode_terms(counted))
        self._append("facts", facts)
        self._sources.append((name, first, len(rows)))
        return len(self._sources) - 1

    def finish(self) -> None:
        """Write the file and make it durable."""
        self._place.parent.mkdir(parents=True, exist_ok=True)
        vocab = sorted(self._numbers)
        numbers = array("I", (self._numbers[term] for term in vocab))
        directory: dict[str, list[int]] = {}
        with self._place.open("wb") as out:

            def section(name: str, chunks: Iterable[bytes]) -> None:
                out.write(b"\0" * (-out.tell() % 8))
                start = out.tell()
                for chunk in chunks:
                    out.write(chunk)
                directory[name] = [start, out.tell() - start]

            for name, stream in self._streams.items():
                stream.seek(0)
                section(name, iter(lambda stream=stream: stream.read(1 << 20), b""))  # type: ignore[misc]
                stream.close()
                section(f"{name}.at", [_little(self._at[name])])
            section("sources", [encode_json(self._sources)])
            self._hashes.sort()
            section("hashes", [_little(array("Q", (one for one, _ in self._hashes)))])
            section("hash_rows", [_little(array("I", (row for _, row in self._hashes)))])
            section("lengths", [_little(self._lengths)])
            at = array("Q", [0])
            encoded = [term.encode("utf-8", "surrogatepass") for term in vocab]
            for term in encoded:
                at.append(at[-1] + len(term))
            section("vocab", encoded)
            section("vocab.at", [_little(at)])
            section("numbers", [_little(numbers)])
            section("df", [_little(array("I", (self._df[number] for number in numbers)))])
            tail = encode_json(directory)
            out.write(tail + len(tail).to_bytes(8, "little") + MAGIC)
            out.flush()
            os.fsync(out.fileno())

    def _append(self, name: str, data: bytes) -> None:
        self._streams[name].write(data)
        self._at[name].append(self._at[name][-1] + len(data))

    def _encode_terms(self, fields: Sequence[Counted]) -> bytes:
        row = array("I")
        seen: set[int] = set()
        for counted in fields:
            packed = array("I")
            for word, tf in counted.tf.items():
                number = self._numbers.get(word)
                if number is None:
                    number = self._numbers[word] = len(self._df)
                    self._df.append(0)
                packed.append(number << 8 | min(tf, MAX_TF))
                seen.add(number)
            row.append(len(packed))
            row.extend(sorted(packed))
            self._lengths.append(counted.length)
        for number in seen:
            self._df[number] += 1
        return _little(row)


def _little(values: "array[int]") -> bytes:
    if sys.byteorder == "big":
        values = array(values.typecode, values)
        values.byteswap()
    return values.tobytes()


class Segment:
    """A segment opened for reading. Nothing is decoded before it is asked for.

    Raises:
        IndexDamaged: on opening, if the file is not a whole segment.
    """

    def __init__(self, place: Path, fields: Sequence[str]) -> None:
        self._place = place
        self.fields = tuple(fields)
        try:
            with place.open("rb") as stream:
                self._map = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            view = memoryview(self._map)
            if bytes(view[-8:]) != MAGIC:
                raise ValueError("no segment")
            length = int.from_bytes(view[-16:-8], "little")
            directory = json.loads(bytes(view[len(view) - 16 - length : len(view) - 16]))
            self._sections = {
                name: view[start : start + size] for name, (start, size) in directory.items()
            }
            sources = json.loads(bytes(self._sections["sources"]))
            self.sources: list[tuple[str, int, int]] = [
                (str(name), int(first), int(count)) for name, first, count in sources
            ]
            self._rows_at = self._numbers("rows.at", "Q")
            self._terms_at = self._numbers("terms.at", "Q")
            self._terms = self._numbers("terms", "I")
            self._lengths = self._numbers("lengths", "I")
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise IndexDamaged(
                f"not a whole segment ({error})", where=str(place), hint=layout.REBUILD
            ) from None
        self._by_row: array[int] | None = None
        self._firsts = [first for _, first, _ in self.sources]

    def __len__(self) -> int:
        return len(self._rows_at) - 1

    def _numbers(self, name: str, code: str) -> "memoryview[int]":
        section = self._sections[name]
        if sys.byteorder == "big":
            swapped = array(code, bytes(section))
            swapped.byteswap()
            return cast("memoryview[int]", memoryview(swapped))
        return cast("memoryview[int]", section.cast(cast(Any, code)))

    def _slice(self, name: str, row: int) -> memoryview:
        at = self._rows_at if name == "rows" else self._numbers(f"{name}.at", "Q")
        return self._sections[name][at[row] : at[row + 1]]

    def row(self, row: int) -> list[Any]:
        """Return the decoded row of an entry, see `encode_row`."""
        return cast("list[Any]", json.loads(bytes(self._slice("rows", row))))

    def raw_row(self, row: int) -> bytes:
        """Return an entry's row undecoded."""
        return bytes(self._slice("rows", row))

    def facts(self, source: int) -> Any:
        """Return the facts of the source at place `source`."""
        return json.loads(self.raw_facts(source))

    def raw_facts(self, source: int) -> bytes:
        """Return the facts of a source undecoded."""
        return bytes(self._slice("facts", source))

    def hash_of(self, row: int) -> int:
        """Return the hash of the id of `row`."""
        if self._by_row is None:
            hashes, rows = self._numbers("hashes", "Q"), self._numbers("hash_rows", "I")
            self._by_row = array("Q", bytes(8 * len(self)))
            for hashed, at in zip(hashes, rows, strict=True):
                self._by_row[at] = hashed
        return self._by_row[row]

    def source_of(self, row: int) -> int:
        """Return the place of the source that `row` belongs to."""
        # Sources without entries share their first row with the next one that has some: the last.
        return bisect_right(self._firsts, row) - 1

    def find(self, hashed: int) -> Iterator[int]:
        """Yield the rows whose id has this hash."""
        hashes = self._numbers("hashes", "Q")
        rows = self._numbers("hash_rows", "I")
        at = bisect_left(hashes, hashed)
        while at < len(hashes) and hashes[at] == hashed:
            yield rows[at]
            at += 1

    def term_number(self, term: str) -> tuple[int, int]:
        """Return a term's number in this segment and its df here; (-1, 0) if it is not there."""
        wanted = term.encode("utf-8", "surrogatepass")
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
        return -1, 0

    def terms(self) -> dict[int, str]:
        """Return every term by its number: for merges and tombstones, not for queries."""
        vocab, at = self._sections["vocab"], self._numbers("vocab.at", "Q")
        numbers = self._numbers("numbers", "I")
        return {
            number: bytes(vocab[at[place] : at[place + 1]]).decode("utf-8", "surrogatepass")
            for place, number in enumerate(numbers)
        }

    def matches(self, row: int, places: Mapping[int, int]) -> list[tuple[int, int, int]]:
        """Return (field, place, tf) for each term of `row` whose number has a place."""
        packed = self._terms[self._terms_at[row] // 4 : self._terms_at[row + 1] // 4].tolist()
        found = []
        at = 0
        for number_of_field in range(len(self.fields)):
            end = at + 1 + packed[at]
            for one in packed[at + 1 : end]:
                if (place := places.get(one >> 8)) is not None:
                    found.append((number_of_field, place, one & MAX_TF))
            at = end
        return found

    def row_terms(self, row: int) -> list[dict[int, int]]:
        """Return, per field, the tf of every term number in `row`."""
        start, end = self._terms_at[row] // 4, self._terms_at[row + 1] // 4
        packed = self._terms[start:end].tolist()
        fields = []
        at = 0
        for _ in self.fields:
            size = packed[at]
            fields.append({one >> 8: one & MAX_TF for one in packed[at + 1 : at + 1 + size]})
            at += 1 + size
        return fields

    def counted(self, row: int, words: Mapping[int, str]) -> list[Counted]:
        """Return the terms of `row` as a writer takes them; `words` is what `terms` returned."""
        return [
            Counted({words[number]: tf for number, tf in field.items()}, length)
            for field, length in zip(self.row_terms(row), self.lengths(row), strict=True)
        ]

    def total_lengths(self) -> list[int]:
        """Return, per field, the sum of the lengths of all rows, dead ones included."""
        width = len(self.fields)
        return [sum(self._lengths[at::width]) for at in range(width)]

    def lengths(self, row: int) -> "memoryview[int]":
        """Return the length in terms of each field of `row`."""
        width = len(self.fields)
        return self._lengths[row * width : (row + 1) * width]

    def close(self) -> None:
        """Let go of the file; views that are still held keep it alive."""
        self._sections.clear()


def encode_row(
    key: str,
    entry: IndexedEntry,
    parent: int,
) -> list[Any]:
    """Return an entry as the list that is stored, empty ends cut off.

    Its places: key, kind, first line, last line, title, place of the parent among the source's
    entries or -1, path, context as [first, last] pairs, derived fields, filters, facts.
    """
    row: list[Any] = [
        key,
        entry.kind,
        entry.span.first,
        entry.span.last,
        entry.title,
        parent,
        list(entry.path),
        [[span.first, span.last] for span in entry.context],
        dict(entry.fields),
        {name: list(values) for name, values in entry.filters.items()},
        dict(entry.facts),
    ]
    while len(row) > 6 and not row[-1]:
        row.pop()
    return row


def decode_row(source: str, row: Sequence[Any], parent_key: str) -> IndexedEntry:
    """Return the entry that `encode_row` stored."""
    whole = [*row, *([None] * (11 - len(row)))]
    return IndexedEntry(
        f"{source}#{whole[0]}",
        source,
        Span(whole[2], whole[3]),
        whole[1],
        whole[4],
        f"{source}#{parent_key}" if parent_key else "",
        tuple(whole[6] or ()),
        tuple(Span(first, last) for first, last in whole[7] or ()),
        whole[8] or {},
        {name: tuple(values) for name, values in (whole[9] or {}).items()},
        whole[10] or {},
    )
