"""Columns: a table as one file, of which only the columns that are looked at are unpacked; for the
structure files of subjects.

The file is a magic word, the length of a directory, the directory (JSON: place, size, form and
rows of each column), and the columns, each a compressed block. A column of numbers is little-endian
of one width. A column of texts is where each text begins and the last ends, in characters, followed
by all of them joined. A column `raw` is bytes as they are.
"""

import json
import sys
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, wraps
from itertools import accumulate
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from sourcebook.errors import IndexDamaged
from sourcebook.index.blocks import pack, unpack

MAGIC = b"SBKCOL01"

LEVEL = 1
"""Of compression: these files are written anew with every change, however small."""

Column: TypeAlias = "array[int] | Sequence[str] | bytes"

WIDTHS = {"B": 1, "I": 4, "i": 4}
"""The forms of numbers, as `array` calls them, with their bytes."""


P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="Columns")

_FAULTS = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    RecursionError,
    OverflowError,
)
"""What reading bytes that `encode_columns` did not write may raise."""


def guarded(method: Callable[Concatenate[S, P], R], /) -> Callable[Concatenate[S, P], R]:
    """Let what reading strange bytes raises leave a method of `Columns` as `IndexDamaged`."""

    @wraps(method)
    def read(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(self, *args, **kwargs)
        except _FAULTS as error:
            raise self.damaged(error) from None

    return read


class Texts(Sequence[str]):
    """A column of texts, cut out when they are asked for."""

    def __init__(self, data: bytes, rows: int) -> None:
        self._at = _numbers(data[: 4 * (rows + 1)], "I", rows + 1)
        self._text = data[4 * (rows + 1) :].decode("utf-8", "surrogatepass")
        if self._at[0] != 0 or self._at[-1] != len(self._text):
            raise ValueError("texts of another length")

    def __len__(self) -> int:
        return len(self._at) - 1

    def __getitem__(self, row: Any) -> Any:
        return self._text[self._at[row] : self._at[row + 1]]

    def __iter__(self) -> Iterator[str]:
        text = self._text
        first = 0
        for last in self._at[1:]:
            yield text[first:last]
            first = last

    def equal(self, text: str, *, exactly: bool = True) -> list[int]:
        """Return the rows with this text, without `exactly` in any case; none have no text."""
        if not exactly and self._folded is None:
            folded = text.casefold()
            return [row for row, one in enumerate(self) if folded and one.casefold() == folded]
        at = self._at
        return [
            row
            for row, place, end in self._places(text, exactly)
            if at[row] == place and at[row + 1] == end
        ]

    def holding(self, text: str, *, exactly: bool = True) -> list[int]:
        """Return the rows that hold this text, without `exactly` in any case."""
        if not exactly and self._folded is None:
            folded = text.casefold()
            return [row for row, one in enumerate(self) if folded and folded in one.casefold()]
        at = self._at
        rows = (row for row, _, end in self._places(text, exactly) if end <= at[row + 1])
        return list(dict.fromkeys(rows))

    @cached_property
    def _folded(self) -> str | None:
        """All texts without case; None where that would move where they begin."""
        folded = self._text.casefold()
        return folded if len(folded) == len(self._text) else None

    def _places(self, text: str, exactly: bool) -> Iterator[tuple[int, int, int]]:
        """Yield row, first place and end of each occurrence in all texts together."""
        whole = self._text if exactly else self._folded or ""
        text = text if exactly else text.casefold()
        place = whole.find(text) if text else -1
        while place >= 0:
            yield bisect_right(self._at, place) - 1, place, place + len(text)
            place = whole.find(text, place + 1)


def encode_columns(columns: Mapping[str, Column], values: Mapping[str, Any]) -> bytes:
    """Return a file of columns, equal for equal input.

    Args:
        columns: arrays of the types in `WIDTHS`, texts, or bytes.
        values: small values of JSON types, read at once with the directory.
    """
    directory: dict[str, list[Any]] = {}
    parts: list[bytes] = []
    place = 0
    form: str
    for name, column in columns.items():
        if isinstance(column, array):
            form, rows, part = column.typecode, len(column), pack(_bytes_of(column), LEVEL)
        elif isinstance(column, bytes):
            form, rows, part = "raw", len(column), column
        else:
            form, rows, part = "texts", len(column), pack(_texts(column), LEVEL)
        directory[name] = [place, len(part), form, rows]
        parts.append(part)
        place += len(part)
    head = json.dumps(
        {"columns": directory, "values": values}, ensure_ascii=False, separators=(",", ":")
    ).encode("utf-8", "surrogatepass")
    return b"".join([MAGIC, len(head).to_bytes(8, "little"), head, *parts])


class Columns:
    """A file of columns; base of those that know what is in theirs.

    Args:
        data: its bytes.
        where: the file, for messages.

    Raises:
        IndexDamaged: it is not what `encode_columns` returns; from guarded methods also later.
    """

    def __init__(self, data: bytes, where: str) -> None:
        self._where = where
        self._data = memoryview(data)
        self._directory: dict[str, list[Any]] = {}
        self._begin = 0
        self.values = self._head()

    @guarded
    def _head(self) -> dict[str, Any]:
        if bytes(self._data[:8]) != MAGIC:
            raise ValueError("no magic word at its beginning")
        self._begin = 16 + int.from_bytes(self._data[8:16], "little")
        head = json.loads(bytes(self._data[16 : self._begin]).decode("utf-8", "surrogatepass"))
        self._directory = {**head["columns"]}
        return {**head["values"]}

    def damaged(self, error: Exception) -> IndexDamaged:
        """Return the error to raise for bytes that are something else."""
        return IndexDamaged(
            f"not what the structure of an index holds ({type(error).__name__}: {error})"[:200],
            where=self._where,
            hint="build the index again, with the verb `index` of its subject",
        )

    def numbers(
        self, name: str, form: str, rows: int = -1, *, below: int | None = None
    ) -> "array[int]":
        """Return a column of numbers: `rows` of them, from -1 to `below`, where these are given."""
        column = _numbers(unpack(bytes(self._part(name, form))), form)
        if rows not in (-1, len(column)):
            raise ValueError(f"`{name}` has {len(column)} rows, not {rows}")
        if below is not None and column and not _leads(column, below):
            raise ValueError(f"a number in `{name}` leads nowhere")
        return column

    def begins(self, name: str, rows: int, end: int | None = None) -> "array[int]":
        """Return a column that says where each of `rows` begins, and where the last ends."""
        column = self.numbers(name, "I", rows + 1)
        places = column.tolist()
        if places[0] or places != sorted(places) or end not in (None, places[-1]):
            raise ValueError(f"what `{name}` says begins before the end of another")
        return column

    def texts(self, name: str, rows: int) -> Texts:
        """Return a column of texts."""
        return Texts(unpack(bytes(self._part(name, "texts"))), rows)

    def raw(self, name: str) -> memoryview:
        """Return a column of bytes."""
        return self._part(name, "raw")

    def json(self, name: str) -> Any:
        """Return the value that `json_block` packed."""
        return json.loads(unpack(bytes(self.raw(name))).decode("utf-8", "surrogatepass"))

    def _part(self, name: str, form: str) -> memoryview:
        place, size, found, _rows = self._directory[name]
        place += self._begin
        if found != form or not self._begin <= place <= place + size <= len(self._data):
            raise ValueError(f"`{name}` is no column of this form")
        return self._data[place : place + size]


def json_block(value: Any) -> bytes:
    """Return a column that holds one value of JSON types."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return pack(text.encode("utf-8", "surrogatepass"), LEVEL)


def all_texts(values: Iterable[Any]) -> list[str]:
    """Return values that are texts.

    Raises:
        TypeError: one is not.
    """
    texts = list(values)
    if texts and set(map(type, texts)) != {str}:
        raise TypeError("a text is none")
    return texts


def _bytes_of(column: "array[int]") -> bytes:
    if sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    return column.tobytes()


def _leads(column: "array[int]", below: int) -> bool:
    """Return whether all numbers of a column lie from -1 to `below`; each verb asks for many."""
    if column.typecode == "B":
        return not column.tobytes().translate(None, bytes(range(min(below, 256))))
    return max(column) < below and (column.typecode == "I" or min(column) >= -1)


def _numbers(data: bytes, form: str, rows: int = -1) -> "array[int]":
    column = array(form)
    if column.itemsize != WIDTHS[form]:
        raise ValueError(f"numbers of the type `{form}` have another width here")
    column.frombytes(data)
    if sys.byteorder == "big":
        column.byteswap()
    if rows not in (-1, len(column)):
        raise ValueError("too few numbers")
    return column


def _texts(texts: Sequence[str]) -> bytes:
    at = array("I", accumulate(map(len, texts), initial=0))
    return _bytes_of(at) + "".join(texts).encode("utf-8", "surrogatepass")
