"""What every store checks and keeps of a row: its shape, its JSON line, its filter columns."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sourcebook.errors import BadRequest, IndexDamaged
from sourcebook.store import Filters, Row, StoreSchema

_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

_SLACK: Final = 2e-2
"""How far from 1 the square of a vector's length may be: float16 files round that much."""


def check_row(row: Row, schema: StoreSchema) -> Row:
    """Return `row`, which then holds only declared fields and filter keys and fitting vectors.

    Raises:
        BadRequest: a key is undeclared, a single-valued key has several values, or the vectors
            have another width, another type or a length that is not 1.
    """
    for name in row.terms:
        if name not in schema.fields:
            raise unknown("field", name, schema.fields, row.id)
    for key, values in row.filters.items():
        if key not in schema.filters:
            raise unknown("filter", key, schema.filters, row.id)
        if len(values) > 1 and not schema.filters[key]:
            raise BadRequest(
                f"filter `{key}` takes one value, not {len(values)}",
                where=row.id,
                hint="declare it as multi-valued",
            )
    if row.vectors is not None:
        _check_vectors(row, schema.dimensions)
    return row


def _check_vectors(row: Row, dimensions: int) -> None:
    vectors = row.vectors
    assert vectors is not None
    if vectors.ndim != 2 or vectors.shape[1] != dimensions or vectors.dtype != "float32":
        raise BadRequest(
            f"vectors are {vectors.dtype} {list(vectors.shape)}, the store holds "
            f"float32 [n, {dimensions}]",
            where=row.id,
        )
    squares = (vectors * vectors).sum(axis=1)
    # A text without a known word may be all zeros. Written so that NaN fails: one such number
    # would spoil the order of every answer.
    if not bool(((abs(squares - 1.0) < _SLACK) | (squares < _SLACK)).all()):
        raise BadRequest("vectors must be of unit length, or zero", where=row.id)


def check_filters(filters: Filters, declared: Mapping[str, bool]) -> None:
    """Refuse filters that would silently mean something else than their author thought.

    Raises:
        BadRequest: a key is not among `declared` (the nearest is named), or its values are one
            string, which would be taken apart into letters.
    """
    for key, values in filters.items():
        if key not in declared:
            raise unknown("filter", key, declared, f"filters.{key}")
        if isinstance(values, str):
            raise BadRequest(
                f"filter `{key}` is a string, not a list of strings", where=f"filters.{key}"
            )


def unknown(what: str, name: str, known: Iterable[str], where: str) -> BadRequest:
    """Return the error for a name that is not among `known`, with the nearest one as its hint."""
    import difflib  # only for the error: lexical search starts without it

    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    listed = ", ".join(names) or "none"
    hint = f"did you mean `{near[0]}`? declared: {listed}" if near else f"declared: {listed}"
    return BadRequest(f"no {what} named `{name}`", where=where, hint=hint)


def encode_row(row: Row, *more: object) -> bytes:
    """Return a row as one line of JSON in UTF-8, without terms and vectors; `more` comes last.

    Raises:
        BadRequest: a string with half of a surrogate pair, or metadata that is not JSON.
    """
    parts = [row.id, row.document, row.text, dict(row.filters), dict(row.metadata), *more]
    try:
        return _to_json(parts).encode()
    except (UnicodeEncodeError, TypeError, ValueError) as error:
        raise BadRequest(f"a row cannot be written: {error}", where=ascii(row.id)) from None


def decode_row(line: bytes | str, where: str) -> tuple[Row, list[Any]]:
    """Return what `encode_row` was given.

    Raises:
        IndexDamaged: `line` is none of its lines; `where` is the file.
    """
    try:
        row_id, document, text, filters, metadata, *more = json.loads(line)
        row = Row(
            str(row_id),
            str(document),
            str(text),
            filters={key: tuple(values) for key, values in filters.items()},
            metadata=dict(metadata),
        )
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise IndexDamaged(f"a row cannot be read: {error}", where=where) from None
    return row, more


def encode_name(text: str, row: Row) -> bytes:
    """Return a name in `row` in UTF-8.

    Raises:
        BadRequest: it has half of a surrogate pair.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadRequest(f"a row cannot be written: {error}", where=ascii(row.id)) from None


def encode_extras(row: Row) -> bytes:
    """Return the text and metadata of a row as JSON in UTF-8, nothing where it has neither: rows
    inside an index.

    Raises:
        BadRequest: see `encode_row`.
    """
    if not row.text and not row.metadata:
        return b""
    try:
        extras = [row.text, dict(row.metadata)]
        return _to_json(extras).encode()
    except (UnicodeEncodeError, TypeError, ValueError) as error:
        raise BadRequest(f"a row cannot be written: {error}", where=ascii(row.id)) from None


def decode_extras(extras: str) -> tuple[str, dict[str, Any]]:
    """Return the text and metadata that `encode_extras` was given.

    Raises:
        ValueError, TypeError: `extras` is nothing that it returned.
    """
    if not extras:
        return "", {}
    text, metadata = json.loads(extras)
    return str(text), dict(metadata)


def decode_id(line: bytes, where: str) -> str:
    """Return the id of a row that `encode_row` wrote; raises what `decode_row` raises."""
    try:
        # Ids hardly ever hold what JSON escapes; then they stand between the first two quotes.
        end = line.find(b'"', 2)
        if line.startswith(b'["') and line.find(b"\\", 2, end) < 0 < end:
            return line[2:end].decode()
        return str(json.loads(line)[0])
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise IndexDamaged(f"a row cannot be read: {error}", where=where) from None


class FilterColumns:
    """Which rows carry which value, for each declared key; rows are numbers of the caller's."""

    def __init__(self, declared: Mapping[str, bool]) -> None:
        self._declared = declared
        self._postings: dict[tuple[str, str], list[int]] = {}

    def add(self, row: int, filters: Mapping[str, tuple[str, ...]]) -> None:
        """Note the values of one row."""
        for key, values in filters.items():
            for value in values:
                self._postings.setdefault((key, value), []).append(row)

    def select(self, filters: Filters) -> set[int] | None:
        """Return the rows that pass, or None where nothing is asked.

        Raises:
            BadRequest: see `check_filters`.
        """
        check_filters(filters, self._declared)
        passing: set[int] | None = None
        for key, values in filters.items():
            found = {row for value in values for row in self._postings.get((key, value), ())}
            passing = found if passing is None else passing & found
        return passing
