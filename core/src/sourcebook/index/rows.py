"""An entry as a row of a segment, and what else is kept per source."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, cast

from attrs import asdict, fields

from sourcebook.model import Entry, IndexedEntry, Source, Span


def id_hash(entry_id: str) -> int:
    """Return the number that an id is looked up by."""
    digest = hashlib.sha256(entry_id.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "little")


def encode_json(value: object) -> bytes:
    """Return compact JSON bytes, equal for equal values."""
    return _encode(value).encode("utf-8", "surrogatepass")


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Facts(NamedTuple):
    """What is kept per source beside its entries: the facts for `assemble`, the values by filter
    key that its entries have, sorted, how many entries it has by kind, and how many are parts."""

    facts: list[Any]
    filters: Mapping[str, list[str]]
    kinds: Mapping[str, int]
    parts: int


class Outline(NamedTuple):
    """What narrows an entry and where it lies: cheap to decode."""

    source: str
    kind: str
    first: int
    last: int
    filters: Mapping[str, Sequence[str]]


class Head(NamedTuple):
    """What a build reads of a row, see `encode_row`."""

    key: str
    kind: str
    parent: int
    filters: Mapping[str, Sequence[str]]
    part: bool

    @classmethod
    def of(cls, row: Sequence[Any]) -> "Head":
        """Return that of a row that `encode_row` made."""
        return cls(row[0], row[1], row[5], row_filters(row), is_part(row))


class Said(NamedTuple):
    """What an entry says and where: cheaper to decode than all of it."""

    id: str
    source: str
    kind: str
    first: int
    last: int
    title: str
    fields: Mapping[str, str]


def encode_row(
    key: str, entry: Entry | IndexedEntry, parent: int, fields: Mapping[str, str] | None = None
) -> list[Any]:
    """Return an entry as the list that is stored, empty ends cut off.

    Its places: key, kind, first line, last line, title, place of the parent among the source's
    entries or -1, path, context as [first, last] pairs, derived fields, filters, facts, whether it
    is a part, and its holes as [first, last] pairs.

    Args:
        fields: the derived fields that are kept; None: all.
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
        dict(entry.fields if fields is None else fields),
        {name: list(values) for name, values in entry.filters.items()},
        _plain(entry.facts),
        entry.part,
        [[span.first, span.last] for span in entry.holes],
    ]
    while len(row) > 6 and not row[-1]:
        row.pop()
    return row


def _plain(facts: object) -> dict[str, Any]:
    """Return the facts of an entry by name; those of a subject are an instance of its class."""
    if not facts:
        return {}
    if isinstance(facts, Mapping):
        return dict(facts)
    kind: Any = type(facts)
    found = {name: getattr(facts, name) for name in _names(kind)}
    if all(type(one) in _SCALARS or one == () for one in found.values()):
        return found
    return asdict(cast(Any, facts))  # which takes four times as long


_SCALARS = frozenset((str, int, float, bool, type(None)))


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def entry_body(source: Source, entry: Entry | IndexedEntry) -> str:
    """Return the text of an entry: its `body` field, or the lines of its context and span."""
    derived = entry.fields.get("body")
    if derived is not None:
        return derived
    spans = (*entry.context, *kept_lines(entry))
    return "\n".join(source.cut(span.first, span.last) for span in spans)


def kept_lines(entry: Entry | IndexedEntry) -> Iterator[Span]:
    """Yield the lines of an entry's span that are no holes."""
    first = entry.span.first
    for hole in entry.holes:
        if hole.first > first:
            yield Span(first, hole.first - 1)
        first = max(first, hole.last + 1)
    if first <= entry.span.last:
        yield Span(first, entry.span.last)


def row_filter(text: str, *, exactly: bool, only_ascii: bool = False) -> Callable[[bytes], bool]:
    """Return a function that says whether encoded rows, one or some, may hold a text.

    They are not decoded, which is faster by far, so that keys and names of fields count as well.
    With `only_ascii` those that hold anything else pass, whose letters others may count as equal.
    """
    if not text:
        return lambda _row: True
    needle = json.dumps(text, ensure_ascii=False)[1:-1]
    if exactly:
        encoded = needle.encode("utf-8", "surrogatepass")
        return lambda row: encoded in row
    folded = needle.casefold()
    encoded = folded.encode("utf-8", "surrogatepass")

    def holds(row: bytes) -> bool:
        if encoded in row.lower():
            return True
        if row.isascii():  # as most are: ten times as fast
            return False
        return only_ascii or folded in row.decode("utf-8", "surrogatepass").casefold()

    return holds


def row_filters(row: Sequence[Any]) -> dict[str, list[str]]:
    """Return the filter values in a row that `encode_row` made."""
    return row[9] if len(row) > 9 else {}


def is_part(row: Sequence[Any]) -> bool:
    """Return whether a row that `encode_row` made is of a part of the entry it lies in."""
    return len(row) > 11 and bool(row[11])


def decode_row(source: str, row: Sequence[Any], parent_key: str) -> IndexedEntry:
    """Return the entry that `encode_row` stored.

    Raises:
        ValueError, TypeError: it is something else.
    """
    key, kind, first, last, title, _ = row[:6]
    more: list[Any] = [*row[6:], *(None,) * 7]
    path, context, fields, filters, facts, _, holes = more[:7]
    if not (
        type(key) is type(kind) is type(title) is str
        and type(first) is type(last) is int
        and 1 <= first <= last
        and all(type(one) is str for one in (*(path or ()), *(fields or {}).values()))
    ):
        raise TypeError("no row of an entry")
    return IndexedEntry(
        f"{source}#{key}",
        source,
        Span(first, last),
        kind,
        title,
        f"{source}#{parent_key}" if parent_key else "",
        tuple(path or ()),
        _spans(context),
        fields or {},
        {name: tuple(map(str, values)) for name, values in (filters or {}).items()},
        dict(facts or {}),
        is_part(row),
        _spans(holes),
    )


def _spans(pairs: Any) -> tuple[Span, ...]:
    return tuple(Span(int(start), int(end)) for start, end in pairs or ())


def decode_said(source: str, row: Sequence[Any]) -> Said:
    """Return what the entry that `encode_row` stored says; raises as `decode_row` does."""
    key, kind, first, last, title = row[:5]
    fields = row[8] if len(row) > 8 else {}
    if not (
        type(key) is type(kind) is type(title) is str
        and type(first) is type(last) is int
        and 1 <= first <= last
        and {str}.issuperset(map(type, fields.values()))
    ):
        raise TypeError("no row of an entry")
    return Said(f"{source}#{key}", source, kind, first, last, title, fields)


def decode_outline(source: str, row: Sequence[Any]) -> Outline:
    """Return the outline of the entry that `encode_row` stored; raises as `decode_row` does."""
    kind, first, last = row[1:4]
    if not (type(kind) is str and type(first) is type(last) is int and 1 <= first <= last):
        raise TypeError("no row of an entry")
    return Outline(source, kind, first, last, {**row_filters(row)})
