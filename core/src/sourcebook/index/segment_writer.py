"""Writing a segment; see `segment` for what is in one."""

import os
import tempfile
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from pathlib import Path
from typing import IO, Any

from sourcebook.errors import SourcebookError
from sourcebook.index.blocks import pack
from sourcebook.index.postings import MAX_TF, encode_field, little
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
        self._distinct: list[int] = []
        self._places = array("I")
        self._sources: list[tuple[str, int, int]] = []
        self._hashes = array("Q")
        # A term that is looked up for the first time gets the next number.
        self._numbers: dict[str, int] = defaultdict(count().__next__)
        self._df: Counter[int] = Counter()
        self._lengths = array("I")

    @property
    def full(self) -> bool:
        """Whether the next source should go into another segment: term numbers run out."""
        return len(self._numbers) > MAX_TERMS // 2

    def add(
        self,
        name: str,
        keys: Sequence[str],
        rows: Sequence[bytes],
        fields: Sequence[Counted],
        terms: Sequence[Sequence[int]],
        facts: bytes,
    ) -> int:
        """Add one source and return its place among the sources of this segment.

        Args:
            name: the source's name.
            keys: of its entries.
            rows: its entries, the JSON of what `encode_row` made.
            fields: its fields; what many entries have alike is best given once.
            terms: per entry the place of each field in `fields`, in the order of the fields.
            facts: the JSON of `Facts`.

        Raises:
            SourcebookError: it has too many distinct terms.
        """
        first = len(self._hashes)
        self._hashes.extend(id_hash(f"{name}#{key}") for key in keys)
        for row in rows:
            self._rows.append(row)
        try:
            words = [self._number(counted) for counted in fields]
        except OverflowError:
            raise SourcebookError(
                f"it has more than {MAX_TERMS // 2} distinct words",
                where=name,
                hint="leave it out with `--exclude`",
            ) from None
        lengths = [counted.length for counted in fields]
        for places in terms:
            self._places.extend(places)
            self._lengths.extend([lengths[at] for at in places])
        self._df.update(
            chain.from_iterable(set().union(*[words[at] for at in places]) for places in terms)
        )
        self._distinct.append(len(fields))
        self._facts.append(facts)
        self._sources.append((name, first, len(rows)))
        return len(self._sources) - 1

    def _number(self, counted: Counted) -> frozenset[int]:
        """Keep the terms of a field in numbers of the order in which they were first met, each
        with its tf, and return the numbers. They cannot have their last ones before all are
        counted."""
        numbers = [self._numbers[word] for word in counted.tf]
        packed = array(
            "I",
            [
                number << 8 | (tf if tf < MAX_TF else MAX_TF)
                for number, tf in zip(numbers, counted.tf.values(), strict=True)
            ],
        )
        self._sizes.append(len(packed))
        packed.tofile(self._terms)
        return frozenset(numbers)

    def finish(self) -> None:
        """Write the file and make it durable."""
        terms = [*self._numbers]
        by_df = sorted(range(len(terms)), key=lambda number: (-self._df[number], number))
        last = array("I", bytes(4 * len(terms)))
        for rank, number in enumerate(by_df):
            last[number] = rank
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
            figures = [self._df[number] for number in by_df]
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
        sizes = iter(self._sizes)
        width = len(self._fields)
        for (_, first, rows), distinct in zip(self._sources, self._distinct, strict=True):
            fields = [self._field(next(sizes), last) for _ in range(distinct)]
            for at in range(first * width, (first + rows) * width, width):
                yield b"".join([fields[place] for place in self._places[at : at + width]])

    def _field(self, size: int, last: "array[int]") -> bytes:
        """Return the next field of the spool with its last numbers."""
        packed = array("I")
        packed.fromfile(self._terms, size)
        return encode_field({last[one >> 8]: one & MAX_TF for one in packed})

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
