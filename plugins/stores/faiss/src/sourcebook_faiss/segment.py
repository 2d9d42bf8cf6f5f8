"""One immutable file with the vectors and rows of many entries.

Sixty-four bytes (magic, version, width, number of vectors, place of the table), the matrix, then
columns, then the table: a JSON object that says where each column begins and how long it is. All
numbers are little-endian. Columns:

- `owners`: the row of each vector, ascending; `orders`: when each row was upserted.
- `ids`, `rows`: one text after the other, with where each ends in `ids_ends`, `rows_ends`; a row's
  text is its JSON line.
- `values`: each document (with the empty key) and each filter value that occurs, as key, NUL,
  value; `postings` has the rows that carry it, value by value.
"""

import json
import struct
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sourcebook.errors import IndexDamaged
from sourcebook.store import Row
from sourcebook.stores.rows import decode_row, encode_row

PREFIX: Final = struct.Struct("<8sIIQQQ")
PREFIX_BYTES: Final = 64
MAGIC: Final = b"SBVECTOR"
VERSION: Final = 1
ALIGNMENT: Final = 8

COLUMNS: Final = {
    "owners": "<u4",
    "orders": "<u8",
    "ids": "|u1",
    "ids_ends": "<u8",
    "rows": "|u1",
    "rows_ends": "<u8",
    "values": "|u1",
    "values_ends": "<u8",
    "postings": "<u4",
    "postings_ends": "<u8",
}

Numbers = NDArray[np.int64]


@contextmanager
def guard(path: Path) -> Iterator[None]:
    """Turn what broken columns lead to (indices out of range, no UTF-8) into `IndexDamaged`."""
    try:
        yield
    except (LookupError, ValueError, TypeError, OverflowError, OSError, struct.error) as error:
        raise IndexDamaged(f"the file cannot be read: {error}", where=str(path)) from None


class Segment:
    """A segment file, mapped into memory; nothing of it is read before it is needed."""

    def __init__(self, path: Path, dimensions: int) -> None:
        self.path = path
        self.vectors: int
        with guard(path):
            self._map = np.memmap(path, np.uint8, "r")
            magic, version, width, self.vectors, start, length = PREFIX.unpack(
                self._map[: PREFIX.size].tobytes()
            )
            if (magic, version, width) != (MAGIC, VERSION, dimensions):
                raise ValueError("not a segment of this version and width")
            table = json.loads(self._part(start, length).tobytes())
            self.matrix: NDArray[np.float32] = (
                self._part(PREFIX_BYTES, self.vectors * width * 4)
                .view("<f4")
                .reshape(self.vectors, width)
            )
            self._columns: Mapping[str, NDArray[np.integer]] = {
                name: self._part(*table[name]).view(kind) for name, kind in COLUMNS.items()
            }
            self.owners = self._columns["owners"]
            self.orders = self._columns["orders"]
            self.rows = len(self.orders)
            if len(self.owners) != self.vectors or len(self._columns["ids_ends"]) != self.rows:
                raise ValueError("columns of different length")

    def id(self, row: int) -> str:
        """Return the id of a row."""
        return self._text("ids", row)

    def row(self, row: int) -> Row:
        """Return a row, without its vectors."""
        return decode_row(self._text("rows", row), str(self.path))[0]

    def ids(self) -> list[str]:
        """Return the ids of all rows."""
        return self._texts("ids")

    def with_value(self, key: str, value: str) -> Numbers:
        """Return the rows that carry a filter value, or with the empty key those of a document."""
        number = self._value_numbers.get(f"{key}\0{value}")
        if number is None:
            return np.zeros(0, np.int64)
        return self._postings(number)

    def documents(self) -> Iterator[tuple[str, Numbers]]:
        """Yield each document and its rows, dead ones too."""
        for value, number in self._value_numbers.items():
            if value.startswith("\0"):
                yield value[1:], self._postings(number)

    @cached_property
    def _value_numbers(self) -> Mapping[str, int]:
        return {value: number for number, value in enumerate(self._texts("values"))}

    def _postings(self, number: int) -> Numbers:
        ends = self._columns["postings_ends"]
        start = int(ends[number - 1]) if number else 0
        return self._columns["postings"][start : int(ends[number])].astype(np.int64)

    def _text(self, column: str, number: int) -> str:
        ends = self._columns[f"{column}_ends"]
        start = int(ends[number - 1]) if number else 0
        return self._columns[column][start : int(ends[number])].tobytes().decode()

    def _texts(self, column: str) -> list[str]:
        data = self._columns[column].tobytes()
        ends = self._columns[f"{column}_ends"].tolist()
        return [data[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]

    def _part(self, start: int, length: int) -> NDArray[np.uint8]:
        part = self._map[start : start + length]
        if start < 0 or length < 0 or len(part) != length:
            raise ValueError("the file is cut off")
        return np.asarray(part)


class SegmentWriter:
    """A segment in the making; vectors and rows go to the disk as they come."""

    def __init__(self, path: Path, dimensions: int) -> None:
        self.path = path
        self.rows = 0
        self._dimensions = dimensions
        self._vectors = 0
        self._file = path.open("wb+")
        self._file.write(bytes(PREFIX_BYTES))
        # Rows must stand behind the matrix, whose end is not known yet.
        self._later = path.with_suffix(".part").open("wb+")
        self._ids: list[str] = []
        self._owners = array("I")
        self._orders = array("Q")
        self._row_ends = array("Q")
        self._postings: dict[str, array[int]] = {}

    def add(self, row: Row, order: int) -> int:
        """Add a row and return its number.

        Raises:
            BadRequest: it cannot be written as JSON.
        """
        number, line = self.rows, encode_row(row)
        self._ids.append(row.id)
        self._orders.append(order)
        self._later.write(line)
        self._row_ends.append(self._later.tell())
        if row.vectors is not None:
            self._file.write(row.vectors.astype("<f4").tobytes())
            self._owners.extend([number] * len(row.vectors))
            self._vectors += len(row.vectors)
        keys = {f"{key}\0{value}" for key, values in row.filters.items() for value in values}
        for key in (f"\0{row.document}", *keys):
            self._postings.setdefault(key, array("I")).append(number)
        self.rows += 1
        return number

    def of_document(self, document: str) -> Iterable[int]:
        """Return the rows added for a document."""
        return self._postings.get(f"\0{document}", ())

    def finish(self) -> None:
        """Write the columns, the table, and at last the prefix."""
        values = sorted(self._postings)
        postings = [self._postings[value] for value in values]
        table: dict[str, tuple[int, int]] = {}
        self._column(table, "owners", [np.array(self._owners)])
        self._column(table, "orders", [np.array(self._orders)])
        self._texts(table, "ids", self._ids)
        self._column(table, "rows_ends", [np.array(self._row_ends)])
        self._later.seek(0)
        self._column(table, "rows", iter(lambda: self._later.read(1 << 20), b""))
        self._texts(table, "values", values)
        self._column(table, "postings", map(np.array, postings))
        self._column(table, "postings_ends", [np.cumsum([len(rows) for rows in postings])])
        start, data = self._file.tell(), json.dumps(table).encode()
        self._file.write(data)
        self._file.seek(0)
        self._file.write(
            PREFIX.pack(MAGIC, VERSION, self._dimensions, self._vectors, start, len(data))
        )
        self.close()

    def close(self) -> None:
        """Close the files, and remove the one that is not part of a segment; idempotent."""
        self._file.close()
        self._later.close()
        Path(self._later.name).unlink(missing_ok=True)

    def _texts(self, table: dict[str, tuple[int, int]], name: str, texts: list[str]) -> None:
        encoded = [text.encode() for text in texts]
        self._column(table, name, encoded)
        self._column(table, f"{name}_ends", [np.cumsum([len(text) for text in encoded])])

    def _column(
        self,
        table: dict[str, tuple[int, int]],
        name: str,
        parts: Iterable[bytes | NDArray[np.generic]],
    ) -> None:
        self._file.write(bytes(-self._file.tell() % ALIGNMENT))
        start = self._file.tell()
        for part in parts:
            data = part if isinstance(part, bytes) else part.astype(COLUMNS[name]).tobytes()
            self._file.write(data)
        table[name] = start, self._file.tell() - start
