"""One immutable file with the vectors and rows of many entries.

Sixty-four bytes (magic, version, width, number of vectors, place of the table), the matrix, then
columns, then the table: a JSON object that says where each column begins and how long it is. All
numbers are little-endian. Columns:

- `owners`: the row of each vector, ascending; `orders`: when each row was upserted.
- `ids`: one after the other, with where each ends in `ids_ends`.
- `values`: each document (with the empty key) and each filter value that occurs, as key, NUL,
  value; `held` has, row by row, the numbers of its document and of its values.
- `extras`: the JSON of text and metadata of the rows that have some, see `encode_extras`.

All but the extras, of which one is read at a time, are compressed, and of those that ascend the
differences are: so they add less than a hundredth to the vectors, where rows of JSON added a tenth.
They are unpacked when first used.
"""

import json
import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sourcebook.errors import IndexDamaged
from sourcebook.index.blocks import pack, unpack
from sourcebook.store import Row
from sourcebook.stores.rows import decode_extras, encode_extras, encode_name

PREFIX: Final = struct.Struct("<8sIIQQQ")
PREFIX_BYTES: Final = 64
MAGIC: Final = b"SBVECTOR"
VERSION: Final = 2
ALIGNMENT: Final = 8

COLUMNS: Final = {
    "owners": "<u4",
    "orders": "<u8",
    "ids": "|u1",
    "ids_ends": "<u8",
    "values": "|u1",
    "values_ends": "<u8",
    "held": "<u4",
    "held_ends": "<u8",
    "extras": "|u1",
    "extras_ends": "<u8",
}
ASCENDING: Final = {name for name in COLUMNS if name.endswith("_ends")} | {"owners", "orders"}
PLAIN: Final = "extras"

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


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
            self._table = json.loads(self._part(start, length).tobytes())
            self._columns: dict[str, NDArray[Any]] = {}
            self.matrix: NDArray[np.float32] = (
                self._part(PREFIX_BYTES, self.vectors * width * 4)
                .view("<f4")
                .reshape(self.vectors, width)
            )
            self.owners = self._column("owners")
            self.rows = len(self._column("ids_ends"))
            if len(self.owners) != self.vectors:
                raise ValueError("columns of different length")

    @property
    def orders(self) -> NDArray[np.uint64]:
        """When each row was upserted."""
        return self._column("orders")

    def id(self, row: int) -> str:
        """Return the id of a row."""
        return self._text("ids", row)

    def row(self, row: int) -> Row:
        """Return a row, without its vectors."""
        document, *held = (self._values[number] for number in self._held(row).tolist())
        if not document.startswith("\0"):
            raise ValueError("a row without a document")
        filters: dict[str, tuple[str, ...]] = {}
        for one in held:
            key, _, value = one.partition("\0")
            filters[key] = (*filters.get(key, ()), value)
        text, metadata = decode_extras(self._text(PLAIN, row))
        return Row(self.id(row), document[1:], text, filters=filters, metadata=metadata)

    def ids(self) -> list[str]:
        """Return the ids of all rows."""
        return self._texts("ids")

    def carrying(self, key: str, values: Iterable[str]) -> Mask:
        """Return which rows carry one of these filter values, or with the empty key which are of
        one of these documents."""
        wanted = np.zeros(len(self._values), bool)
        for value in values:
            number = self._value_numbers.get(f"{key}\0{value}")
            if number is not None:
                wanted[number] = True
        rows = np.zeros(self.rows, bool)
        rows[self._holders[wanted[self._column("held")]]] = True
        return rows

    def documents(self, living: Mask | None) -> set[str]:
        """Return the documents of the rows that are not dead."""
        first = self._held_starts if living is None else self._held_starts[living]
        numbers = np.unique(self._column("held")[first])
        return {self._values[number][1:] for number in numbers.tolist()}

    @cached_property
    def _values(self) -> list[str]:
        return self._texts("values")

    @cached_property
    def _value_numbers(self) -> dict[str, int]:
        return {value: number for number, value in enumerate(self._values)}

    @cached_property
    def _holders(self) -> Numbers:
        """The row of each number in `held`."""
        ends = self._column("held_ends").astype(np.int64)
        return np.repeat(np.arange(self.rows), ends - self._held_starts)

    @cached_property
    def _held_starts(self) -> Numbers:
        return np.append(0, self._column("held_ends").astype(np.int64))[:-1]

    def _held(self, row: int) -> NDArray[np.uint32]:
        start, end = self._range("held", row)
        return self._column("held")[start:end]

    def _range(self, column: str, number: int) -> tuple[int, int]:
        ends = self._column(f"{column}_ends")
        return int(ends[number - 1]) if number else 0, int(ends[number])

    def _column(self, name: str) -> NDArray[Any]:
        """Return a column, unpacked when first asked for."""
        found = self._columns.get(name)
        if found is None:
            found = self._part(*self._table[name])
            if name != PLAIN:
                found = np.frombuffer(unpack(found.tobytes()), COLUMNS[name])
            if name in ASCENDING:
                found = np.cumsum(found, dtype=COLUMNS[name])
            self._columns[name] = found
        return found

    def _text(self, column: str, number: int) -> str:
        start, end = self._range(column, number)
        return self._column(column)[start:end].tobytes().decode()

    def _texts(self, column: str) -> list[str]:
        data = self._column(column).tobytes()
        ends = self._column(f"{column}_ends").tolist()
        return [data[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]

    def _part(self, start: int, length: int) -> NDArray[np.uint8]:
        part = self._map[start : start + length]
        if start < 0 or length < 0 or len(part) != length:
            raise ValueError("the file is cut off")
        return np.asarray(part)


class SegmentWriter:
    """A segment in the making; vectors, texts and metadata go to the disk as they come."""

    def __init__(self, path: Path, dimensions: int) -> None:
        self.path = path
        self.rows = 0
        self._dimensions = dimensions
        self._vectors = 0
        self._file = path.open("wb+")
        self._file.write(bytes(PREFIX_BYTES))
        # These must stand behind the matrix, whose end is not known yet.
        self._extras = path.with_suffix(".part").open("wb+")
        self._extras_ends = array("Q")
        self._ids: list[bytes] = []
        self._owners = array("I")
        self._orders = array("Q")
        self._values: dict[bytes, int] = {}
        self._held = array("I")
        self._held_ends = array("Q")
        self._documents: dict[str, list[int]] = {}

    def add(self, row: Row, order: int) -> int:
        """Add a row and return its number.

        Raises:
            BadRequest: a text of it is no Unicode, or its metadata no JSON.
        """
        number = self.rows
        values = [f"{key}\0{value}" for key, values in row.filters.items() for value in values]
        names = [encode_name(name, row) for name in (row.id, f"\0{row.document}", *values)]
        self._extras.write(encode_extras(row))
        self._extras_ends.append(self._extras.tell())
        self._ids.append(names[0])
        self._orders.append(order)
        if row.vectors is not None:
            self._file.write(row.vectors.astype("<f4").tobytes())
            self._owners.extend([number] * len(row.vectors))
            self._vectors += len(row.vectors)
        for name in names[1:]:
            self._held.append(self._values.setdefault(name, len(self._values)))
        self._held_ends.append(len(self._held))
        self._documents.setdefault(row.document, []).append(number)
        self.rows += 1
        return number

    def of_document(self, document: str) -> Iterable[int]:
        """Return the rows added for a document."""
        return self._documents.get(document, ())

    def finish(self) -> None:
        """Write the columns, the table, and at last the prefix."""
        table: dict[str, tuple[int, int]] = {}
        self._numbers(table, "owners", self._owners)
        self._numbers(table, "orders", self._orders)
        self._texts(table, "ids", self._ids)
        self._texts(table, "values", list(self._values))
        self._numbers(table, "held", self._held)
        self._numbers(table, "held_ends", self._held_ends)
        self._numbers(table, "extras_ends", self._extras_ends)
        self._extras.seek(0)
        self._column(table, PLAIN, iter(lambda: self._extras.read(1 << 20), b""))
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
        self._extras.close()
        Path(self._extras.name).unlink(missing_ok=True)

    def _texts(self, table: dict[str, tuple[int, int]], name: str, texts: Sequence[bytes]) -> None:
        self._column(table, name, [pack(b"".join(texts))])
        self._numbers(table, f"{name}_ends", np.cumsum([len(text) for text in texts]))

    def _numbers(
        self, table: dict[str, tuple[int, int]], name: str, numbers: Sequence[int] | NDArray[Any]
    ) -> None:
        column = np.array(numbers, COLUMNS[name])
        if name in ASCENDING:
            column = np.diff(column, prepend=column.dtype.type(0))
        self._column(table, name, [pack(column.tobytes())])

    def _column(self, table: dict[str, tuple[int, int]], name: str, parts: Iterable[bytes]) -> None:
        self._file.write(bytes(-self._file.tell() % ALIGNMENT))
        start = self._file.tell()
        for part in parts:
            self._file.write(part)
        table[name] = start, self._file.tell() - start
