"""The terms of one entry as bytes: for each field, numbers and how often each occurs.

Numbers are given by rarity, the commonest term being 0, so that two bytes do for most. A field is

1. a byte: 0 if it is empty, else 1, plus 2 if its counts take four bytes rather than one, plus 4
   if its numbers take four bytes rather than two,
2. two counts, of terms that occur once and of terms that occur more often,
3. the numbers of the former and then those of the latter, each in ascending order,
4. the tf of the latter, a byte each; a tf above 255 is written as 255.

All is little-endian.
"""

import struct
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

MAX_TF = 255

_FILLED, _LONG, _WIDE = 1, 2, 4
_unpack = struct.unpack_from


def encode_terms(fields: Iterable[Mapping[int, int]]) -> bytes:
    """Return the bytes for an entry.

    Args:
        fields: of each field, the tf by the number of a term.
    """
    return b"".join(map(encode_field, fields))


def encode_field(field: Mapping[int, int]) -> bytes:
    """Return the bytes for one field of an entry."""
    if not field:
        return b"\0"
    once = sorted([number for number, tf in field.items() if tf == 1])
    often = sorted([number for number, tf in field.items() if tf > 1])
    numbers = array("I", once + often)
    wide = max(numbers) >= 1 << 16
    counts = (len(once), len(often))
    long = max(counts) > 255
    return b"".join(
        (
            bytes([_FILLED | _LONG * long | _WIDE * wide]),
            struct.pack("<2I" if long else "<2B", *counts),
            little(numbers if wide else array("H", numbers)),
            bytes([min(field[number], MAX_TF) for number in often]),
        )
    )


def decode_terms(data: bytes, fields: int) -> list[dict[int, int]]:
    """Return, per field, the tf by the number of a term; raises as `Wanted.find` does."""
    found = []
    for once, often, tfs in _fields(data, fields):
        field = dict.fromkeys(once, 1)
        field.update(zip(often, tfs, strict=True))
        found.append(field)
    return found


class Wanted:
    """The numbers of terms that are looked for, each with its place in a query.

    Args:
        places: place by number.
    """

    def __init__(self, places: Mapping[int, int]) -> None:
        self._places = places
        self._numbers = frozenset(places)

    def find(self, data: bytes, fields: int) -> list[tuple[int, int, int]]:
        """Return (field, place, tf) for each term of an entry that is looked for.

        Raises:
            ValueError, IndexError, struct.error: `data` is nothing that `encode_terms` returned.
        """
        places, numbers = self._places, self._numbers
        found = []
        at = 0
        for field in range(fields):
            kind = data[at]
            at += 1
            if not kind:
                continue
            # What `_fields` does, without its price: this runs for some hundred entries a query.
            if kind & _LONG:
                once, often = _unpack("<2I", data, at)
                at += 8
            else:
                once, often = data[at], data[at + 1]
                at += 2
            code, width = ("I", 4) if kind & _WIDE else ("H", 2)
            if once:
                for one in numbers.intersection(_unpack(f"<{once}{code}", data, at)):
                    found.append((field, places[one], 1))
                at += width * once
            if often:
                some = _unpack(f"<{often}{code}", data, at)
                at += width * often
                for one in numbers.intersection(some):
                    found.append((field, places[one], data[at + some.index(one)]))
                at += often
        return found

    def find_all(
        self, data: "NDArray[np.uint8]", begin: "Numbers", end: "Numbers", fields: int
    ) -> "tuple[Numbers, Numbers, Numbers, Numbers]":
        """Return what `find` does of many entries at once: as arrays, by field and then by entry,
        the number of the entry, the field, the place, and the tf.

        Twenty entries take as long as with `find`, two hundred a third of it.

        Args:
            data: where their bytes lie.
            begin, end: where those of each entry do.

        Raises:
            ValueError, IndexError: as `find` does.
        """
        import numpy as np

        heads = []
        at = begin
        for _ in range(fields):
            kind = data[at]
            filled = (kind > 0).astype(np.int64)
            size, width = np.where(kind & _LONG, 4, 1), np.where(kind & _WIDE, 4, 2)
            # Of an empty field the byte that says so is read, which is 0.
            once = _read(data, at + filled, size)
            often = _read(data, at + filled * (1 + size), size)
            first = at + 1 + filled * 2 * size
            at = first + width * (once + often) + often
            if (at > end).any():
                raise ValueError("terms beyond the end of an entry")
            heads.append((first, width, once, often))
        first, width, once, often = (np.concatenate(part) for part in zip(*heads, strict=True))
        counts = once + often
        if counts.sum() > len(data):
            raise ValueError("more terms than bytes")
        head = np.repeat(np.arange(len(counts)), counts)
        nth = np.arange(len(head)) - np.repeat(np.cumsum(counts) - counts, counts)
        numbers = _read(data, first[head] + width[head] * nth, width[head])
        wanted = np.array(sorted(self._places), np.int64)
        places = np.array([self._places[number] for number in wanted.tolist()], np.int64)
        hits = np.flatnonzero(np.isin(numbers, wanted))
        head, nth = head[hits], nth[hits]
        tf = np.ones(len(hits), np.int64)
        more = np.flatnonzero(nth >= once[head])
        of = head[more]
        tf[more] = data[first[of] + width[of] * counts[of] + nth[more] - once[of]]
        place = places[np.searchsorted(wanted, numbers[hits])]
        return head % len(begin), head // len(begin), place, tf


def _read(data: "NDArray[np.uint8]", at: "Numbers", width: "Numbers") -> "Numbers":
    """Return the numbers that begin at some places, each of so many bytes."""
    import numpy as np

    found: Numbers = data[at].astype(np.int64)
    for byte in range(1, int(width.max(initial=1))):
        longer = np.flatnonzero(width > byte)
        if len(longer) == len(found):  # as nearly always: half the price
            found += data[at + byte].astype(np.int64) << (8 * byte)
        else:
            found[longer] += data[at[longer] + byte].astype(np.int64) << (8 * byte)
    return found


def _fields(data: bytes, fields: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], bytes]]:
    """Yield, per field, the numbers that occur once, those that occur more often, and the tf of
    the latter."""
    at = 0
    for _ in range(fields):
        kind = data[at]
        at += 1
        if not kind:
            yield (), (), b""
            continue
        if kind & _LONG:
            once, often = _unpack("<2I", data, at)
            at += 8
        else:
            once, often = data[at], data[at + 1]
            at += 2
        code, width = ("I", 4) if kind & _WIDE else ("H", 2)
        middle = at + width * once
        end = middle + width * often
        yield (
            _unpack(f"<{once}{code}", data, at),
            _unpack(f"<{often}{code}", data, middle),
            data[end : end + often],
        )
        at = end + often


def little(values: "array[int]") -> bytes:
    """Return numbers as little-endian bytes."""
    if sys.byteorder == "big":
        values = array(values.typecode, values)
        values.byteswap()
    return values.tobytes()
