"""Writing a segment; see `segment` for what is in one."""

import json
import os
import sys
import tempfile
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from sourcebook.errors import SourcebookError
from sourcebook.index.rows import encode_json, id_hash
from sourcebook.index.segment import MAGIC, MAX_TERMS, MAX_TF, Counted

_SPOOL_BYTES = 8 << 20


class SegmentWriter:
    """Writes one segment, source by source, holding only its vocabulary and offsets in memory.

    The folder of `place` must be there; `finish` or `close` it.
    """

    def __init__(self, place: Path, fields: Sequence[str]) -> None:
        self._place = place
        self._fields = tuple(fields)
        self._streams: dict[str, IO[bytes]] = {
            name: tempfile.SpooledTemporaryFile(_SPOOL_BYTES, dir=str(place.parent))  # noqa: SIM115
            for name in ("rows", "facts", "terms")
        }
        self._at = {name: array("Q", [0]) for name in self._streams}
        self._sources: list[tuple[str, int, int]] = []
        self._hashes = array("Q")
        self._numbers: dict[str, int] = {}
        self._df = array("I")
        self._lengths = array("I")

    @property
    def full(self) -> bool:
        """Whether the next source should go into another segment: term numbers run out."""
        return len(self._numbers) > MAX_TERMS // 2

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
            facts: the JSON of `Facts`.

        Raises:
            SourcebookError: it has too many distinct terms.
        """
        first = len(self._hashes)
        for row, counted in zip(rows, terms, strict=True):
            self._hashes.append(id_hash(f"{name}#{json.loads(row)[0]}"))
            self._append("rows", row)
            try:
                self._append("terms", self._encode_terms(counted))
            except OverflowError:
                raise SourcebookError(
                    f"it has more than {MAX_TERMS // 2} distinct words",
                    where=name,
                    hint="leave it out with `--exclude`",
                ) from None
        self._append("facts", facts)
        self._sources.append((name, first, len(rows)))
        return len(self._sources) - 1

    def finish(self) -> None:
        """Write the file and make it durable."""
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
                section(f"{name}.at", [_little(self._at[name])])
            section("sources", [encode_json(self._sources)])
            order = sorted(range(len(self._hashes)), key=self._hashes.__getitem__)
            section("hashes", [_little(array("Q", map(self._hashes.__getitem__, order)))])
            section("hash_rows", [_little(array("I", order))])
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
        self.close()

    def close(self) -> None:
        """Let go of what is not written; idempotent."""
        for stream in self._streams.values():
            stream.close()

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
