"""Writing a segment; see `segment` for what is in one."""

import json
import os
import tempfile
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import IO, Any

from sourcebook.errors import SourcebookError
from sourcebook.index.blocks import pack
from sourcebook.index.postings import MAX_TF, encode_terms, little
from sourcebook.index.rows import encode_json, id_hash
from sourcebook.index.segment import MAGIC, ROWS_A_BLOCK, TERMS_A_BLOCK, Counted

MAX_TERMS = 1 << 24
"""Distinct terms of one segment: in the making, a number shares 32 bits with a tf."""

_SPOOL_BYTES = 8 << 20


class SegmentWriter:
    """Writes one segment, source by source, holding only its vocabulary and offsets in memory.

    The folder of `place` must be there; `finish` or `close` it.
    """

    def __init__(self, place: Path, fields: Sequence[str]) -> None:
        self._place = place
        self._fields = tuple(fields)
        self._rows = _Blocks(place.parent)
        self._facts = _Blocks(place.parent)
        self._terms = _spool(place.parent)
        self._sizes = array("I")
        self._sources: list[tuple[str, int, int]] = []
        self._hashes = array("Q")
        # A term that is looked up for the first time gets the next number.
        self._numbers: dict[str, int] = defaultdict(count().__next__)
        self._df: Counter[str] = Counter()
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
            self._rows.append(row)
            try:
                packed = self._number(counted)
            except OverflowError:
                raise SourcebookError(
                    f"it has more than {MAX_TERMS // 2} distinct words",
                    where=name,
                    hint="leave it out with `--exclude`",
                ) from None
            self._sizes.append(len(packed))
            packed.tofile(self._terms)
        self._facts.append(facts)
        self._sources.append((name, first, len(rows)))
        return len(self._sources) - 1

    def _number(self, fields: Sequence[Counted]) -> "array[int]":
        """Return the terms of a row in numbers of the order in which they were first met: for
        each field how many there are, and each with its tf. They cannot have their last numbers
        before all are counted."""
        row = array("I")
        numbers = self._numbers
        for counted in fields:
            row.append(len(counted.tf))
            row.extend(
                [
                    numbers[word] << 8 | (tf if tf < MAX_TF else MAX_TF)
                    for word, tf in counted.tf.items()
                ]
            )
            self._lengths.append(counted.length)
        self._df.update(set().union(*(counted.tf for counted in fields)))
        return row

    def finish(self) -> None:
        """Write the file and make it durable."""
        by_df = sorted(self._numbers, key=lambda term: (-self._df[term], self._numbers[term]))
        last = array("I", bytes(4 * len(by_df)))
        for number, term in enumerate(by_df):
            last[self._numbers[term]] = number
        with self._place.open("wb") as out:
            file = _Sections(out)
            file.strings("rows", self._rows.blocks())
            file.strings("facts", self._facts.blocks())
            file.strings("terms", self._renumbered(last))
            file.string("sources", pack(encode_json(self._sources)))
            order = sorted(range(len(self._hashes)), key=self._hashes.__getitem__)
            file.numbers("hashes", array("Q", map(self._hashes.__getitem__, order)), "Q")
            file.numbers("hash_rows", order)
            file.numbers("lengths", self._lengths)
            vocab = sorted(self._numbers)
            starts = range(0, len(vocab), TERMS_A_BLOCK)
            file.strings(
                "vocab", (pack(encode_json(vocab[at : at + TERMS_A_BLOCK])) for at in starts)
            )
            file.strings("vocab.first", [pack(encode_json([vocab[at] for at in starts]))])
            file.numbers("numbers", [last[self._numbers[term]] for term in vocab])
            figures = [self._df[term] for term in by_df]
            changes = [at for at, df in enumerate(figures) if not at or df != figures[at - 1]]
            file.numbers("df", [figures[at] for at in changes])
            file.numbers("df.at", changes)
            width = len(self._fields)
            file.finish({"total_lengths": [sum(self._lengths[at::width]) for at in range(width)]})
            out.flush()
            os.fsync(out.fileno())
        self.close()

    def _renumbered(self, last: "array[int]") -> Iterator[bytes]:
        """Yield the terms of each row with their last numbers."""
        self._terms.seek(0)
        for size in self._sizes:
            row = array("I")
            row.fromfile(self._terms, size)
            fields = []
            at = 0
            while at < size:
                end = at + 1 + row[at]
                fields.append({last[one >> 8]: one & MAX_TF for one in row[at + 1 : end]})
                at = end
            yield encode_terms(fields)

    def close(self) -> None:
        """Let go of what is not written; idempotent."""
        for one in (self._rows, self._facts, self._terms):
            one.close()


def _spool(folder: Path) -> IO[bytes]:
    return tempfile.SpooledTemporaryFile(_SPOOL_BYTES, dir=str(folder))


class _Blocks:
    """Lines gathered into blocks, which wait in a file."""

    def __init__(self, folder: Path) -> None:
        self._lines: list[bytes] = []
        self._spool = _spool(folder)
        self._sizes = array("Q")

    def append(self, line: bytes) -> None:
        self._lines.append(line)
        if len(self._lines) == ROWS_A_BLOCK:
            self._pack()

    def _pack(self) -> None:
        block = pack(b"\n".join(self._lines))
        self._lines.clear()
        self._spool.write(block)
        self._sizes.append(len(block))

    def blocks(self) -> Iterator[bytes]:
        """Yield all blocks."""
        if self._lines:
            self._pack()
        self._spool.seek(0)
        for size in self._sizes:
            yield self._spool.read(size)

    def close(self) -> None:
        self._spool.close()


class _Sections:
    """Writes sections and then their directory."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._directory: dict[str, Any] = {}

    def string(self, name: str, string: bytes) -> None:
        self._write(name, [string], "")

    def numbers(self, name: str, numbers: Sequence[int], code: str = "") -> None:
        """Write numbers in the narrowest type that holds them all, or that of `code`."""
        most = max(numbers, default=0)
        code = code or ("H" if most < 1 << 16 else "I" if most < 1 << 32 else "Q")
        self._write(name, [little(array(code, numbers))], code)

    def strings(self, name: str, strings: Iterable[bytes]) -> None:
        """Write strings of varying length, and where each begins."""
        at = array("Q", [0])

        def counted() -> Iterator[bytes]:
            for one in strings:
                at.append(at[-1] + len(one))
                yield one

        self._write(name, counted(), "")
        self.numbers(f"{name}.at", at)

    def _write(self, name: str, chunks: Iterable[bytes], code: str) -> None:
        self._out.write(b"\0" * (-self._out.tell() % 8))
        start = self._out.tell()
        for chunk in chunks:
            self._out.write(chunk)
        self._directory[name] = [start, self._out.tell() - start, code]

    def finish(self, more: dict[str, Any]) -> None:
        """Write the directory with `more` in it."""
        tail = encode_json({**self._directory, **more})
        self._out.write(tail + len(tail).to_bytes(8, "little") + MAGIC)
