"""What a store is: where rows are found again, by vector or by words.

A store is used in two ways. In an index it is begun anew for each generation on top of the one
before (`base`); live, without an index directory, it is one generation whose writer stays open.
Ids are strings that the caller chooses; what is re-added under an id replaces what was there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from attrs import field, frozen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Filters = Mapping[str, Sequence[str]]
"""Equality lists: any of the values of a key (OR), all of the keys (AND); an empty list denies
everything, an undeclared key is a `BadRequest`. Values are compared as they are, never parsed."""

NO_FILTERS: Filters = MappingProxyType({})


class Capability(StrEnum):
    """What a store can do; declared in its record, never found out by trying."""

    VECTOR = "vector"
    LEXICAL = "lexical"
    PHRASES = "phrases"
    DOCUMENT_FREQUENCIES = "document_frequencies"
    METADATA = "metadata"
    """`update_metadata` in place, without writing the rows again."""


@frozen
class StoreSchema:
    """What a store is asked to hold.

    Args:
        fields: the names of the analysed text fields.
        filters: declared filter keys; True where one row may carry several values.
        dimensions: length of the vectors, 0 for none.
        options: the store's own settings, JSON types.
    """

    fields: tuple[str, ...]
    filters: Mapping[str, bool]
    dimensions: int = 0
    options: Mapping[str, object] = MappingProxyType({})


@frozen(eq=False)
class Row:
    """One entry as a store sees it.

    Args:
        id: unique in the store.
        document: the source it belongs to; `remove` works by document.
        text: what a live store gives back; empty inside an index, where quotes come from sources.
        terms: analysed terms in order, joined by single spaces, by field name.
        vectors: float32, shape [n, dimensions], unit length, n >= 0: a long entry has several,
            one for each window; see `VectorReader.nearest`.
        filters: values by declared key; a missing key has no value.
        metadata: JSON object that is handed back untouched.
    """

    id: str
    document: str
    text: str = field(default="", repr=False)
    terms: Mapping[str, str] = field(default=MappingProxyType({}), repr=False)
    vectors: "NDArray[np.float32] | None" = field(default=None, repr=False)
    filters: Mapping[str, tuple[str, ...]] = field(default=MappingProxyType({}), repr=False)
    metadata: Mapping[str, object] = field(default=MappingProxyType({}), repr=False)


@frozen
class Scored:
    """An id and how well it fits: nearness for vectors, the engine's own figure for words."""

    id: str
    score: float


@frozen
class Location:
    """Where one generation of a store lies.

    Embedded stores own `folder` (made by the caller, empty at `begin`); remote ones have `url`
    (as the user gave it, credentials included, never written down), `namespace` and `generation`.
    """

    folder: Path | None = None
    url: str = ""
    namespace: str = ""
    generation: int = 0


class Reader(Protocol):
    """One published generation, read-only; what it finds by is told by the roles below."""

    def get(self, ids: Sequence[str]) -> list[Row]:
        """Return the rows with these ids, in that order, unknown ids left out."""

    def list_document_ids(self) -> list[str]:
        """Return every document with at least one row, sorted."""

    def list_chunks(self, document: str, offset: int = 0, limit: int = 1000) -> list[Row]:
        """Return the rows of a document in the order of their upsert, one page."""

    def count(self) -> int:
        """Return the number of rows."""

    def close(self) -> None:
        """Release files and connections; idempotent."""


class VectorReader(Reader, Protocol):
    """A reader of a store that declares `VECTOR`."""

    def nearest(
        self, vector: "NDArray[np.float32]", limit: int, filters: Filters = NO_FILTERS
    ) -> list[Scored]:
        """Return up to `limit` rows by nearness, best first, ties by id; each id once.

        The nearness of a row with one vector is its cosine with `vector`; with several it is
        0.6 of the best one's cosine plus 0.4 of the cosine of their mean. A store whose index
        only knows vectors finds rows by their best one and scores what it found by
        `sourcebook.stores.exact.rescore`.
        """


class LexicalReader(Reader, Protocol):
    """A reader of a store that declares `LEXICAL`; `document_frequencies` may be absent where that
    is not declared."""

    def candidates(
        self,
        terms: Sequence[str],
        limit: int,
        filters: Filters = NO_FILTERS,
        phrases: Sequence[Sequence[str]] = (),
    ) -> list[str]:
        """Return up to `limit` ids of rows holding any of `terms` in any field, rarest terms
        first; with `phrases`, only rows that hold each of them in order in one field."""

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return how many rows hold each term in any field; absent terms count 0."""


class Writer(Protocol):
    """A generation in the making; nothing is seen by readers before `publish`."""

    def upsert(self, rows: Iterable[Row]) -> None:
        """Add rows, replacing those with the same id."""

    def remove(self, documents: Iterable[str]) -> int:
        """Drop every row of these documents; return how many rows that were."""

    def publish(self) -> None:
        """Make it durable; the writer is used no more in an index, and goes on in live use."""

    def discard(self) -> None:
        """Undo what was not published; idempotent."""


@frozen
class Store:
    """A store plugin's record.

    Args:
        name: what a user types (`--store NAME`) and the entry point's name.
        capabilities: see `Capability`.
        open: `open(location, schema)` returns a `Reader`, which is a `VectorReader`, a
            `LexicalReader` or both by the capabilities.
        begin: `begin(location, schema, base)` returns a `Writer`; `base` is the location of the
            generation to start from, or None. An embedded store links (else copies) what it keeps
            and never changes a file of `base`.
        summary: one line for `sourcebook plugins`.
        schemes: URL schemes that select it (`redis`, `rediss`); none for embedded stores.
        format_version: moves when its files or rows do.
    """

    name: str
    capabilities: frozenset[Capability]
    open: Callable[[Location, StoreSchema], Reader]
    begin: Callable[[Location, StoreSchema, Location | None], Writer]
    summary: str = ""
    schemes: tuple[str, ...] = ()
    format_version: int = 1

    @property
    def remote(self) -> bool:
        """Whether it lives on a server: chosen by URL, its rows outside the index directory."""
        return bool(self.schemes)
