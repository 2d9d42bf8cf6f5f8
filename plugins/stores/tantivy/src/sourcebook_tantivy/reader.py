"""Reading one generation: candidates, document frequencies, rows."""

from collections.abc import Iterable, Sequence
from typing import Final

import tantivy
from sourcebook.store import NO_FILTERS, Filters, Location, Row, StoreSchema
from sourcebook.stores.files import folder_of
from sourcebook.stores.rows import check_filters, decode_id, decode_row
from tantivy import Occur, Query

from sourcebook_tantivy.engine import (
    DOCUMENT,
    FILTERS,
    ID,
    ORDER,
    ROW,
    TERMS,
    filter_key,
    guard,
    is_digest,
    key,
    make_schema,
    open_for_reading,
)

ASKED_AT_ONCE: Final = 1000
"""Ids in one query of `get`, which bounds what it holds."""

IDS_KEPT: Final = 100_000
"""Ids of candidates that are kept, since decoding a stored row takes most of a search."""


class TantivyReader:
    """One published generation."""

    def __init__(self, location: Location, schema: StoreSchema) -> None:
        self._folder = folder_of(location, "tantivy")
        self._declared = schema.filters
        self._schema = make_schema()
        self._searcher = open_for_reading(self._folder).searcher()
        self._ids: dict[int | float | None, str] = {}

    def candidates(
        self,
        terms: Sequence[str],
        limit: int,
        filters: Filters = NO_FILTERS,
        phrases: Sequence[Sequence[str]] = (),
    ) -> list[str]:
        """Return up to `limit` ids of rows holding any of `terms`, best BM25 over all fields
        together first; `phrases` must stand in order within one field.

        Raises:
            BadRequest: an undeclared filter key.
            IndexDamaged: a file is not what Tantivy wrote.
        """
        check_filters(filters, self._declared)
        phrases = [phrase for phrase in phrases if phrase]
        words = dict.fromkeys([*terms, *(word for phrase in phrases for word in phrase)])
        if limit < 1 or not words:
            return []
        with guard(self._folder):
            query = self._any_of(words)
            must = [self._phrase(phrase) for phrase in phrases]
            for name, values in filters.items():
                keys = [filter_key(name, value) for value in values]
                must.append(Query.term_set_query(self._schema, FILTERS, keys))
            if must:
                # What only narrows adds nothing to the score.
                narrowing = [(Occur.Must, Query.const_score_query(part, 0.0)) for part in must]
                query = Query.boolean_query([(Occur.Must, query), *narrowing])
            found = self._searcher.search(query, limit, count=False)
            return self._ids_of([address for _, address in found.hits])

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return how many rows hold each term in any field; absent terms count 0."""
        with guard(self._folder):
            return {
                # Counted, since the engine's own figure still has the rows that are deleted.
                term: int(self._searcher.search(self._term(term, "basic"), 1).count)  # type: ignore[attr-defined]
                for term in terms
            }

    def get(self, ids: Sequence[str]) -> list[Row]:
        """Return the rows with these ids, in that order, unknown ids left out."""
        rows = {}
        with guard(self._folder):
            for start in range(0, len(ids), ASKED_AT_ONCE):
                part = [key(row_id) for row_id in ids[start : start + ASKED_AT_ONCE]]
                query = Query.term_set_query(self._schema, ID, part)
                found = self._searcher.search(query, len(part), count=False)
                rows.update({row.id: row for row in self._rows(found)})
        return [rows[row_id] for row_id in ids if row_id in rows]

    def list_document_ids(self) -> list[str]:
        """Return every document with at least one row, sorted."""
        with guard(self._folder):
            # Only with a query does the engine leave out rows that are deleted.
            found = self._searcher.terms_with_prefix(DOCUMENT, "", Query.all_query())
            return sorted(self._whole_name(name) for name, _ in found)

    def list_chunks(self, document: str, offset: int = 0, limit: int = 1000) -> list[Row]:
        """Return the rows of a document in the order of their upsert, one page."""
        if limit < 1:
            return []
        with guard(self._folder):
            found = self._searcher.search(
                Query.term_query(self._schema, DOCUMENT, key(document)),
                limit,
                count=False,
                order_by_field=ORDER,
                offset=offset,
                order=tantivy.Order.Asc,
            )
            return list(self._rows(found))

    def count(self) -> int:
        """Return the number of rows."""
        return int(self._searcher.num_docs)

    def close(self) -> None:
        """The maps go with the reader; no file is open."""

    def _any_of(self, words: Iterable[str]) -> Query:
        return Query.boolean_query([(Occur.Should, self._term(word)) for word in words])

    def _term(self, word: str, option: str = "freq") -> Query:
        return Query.term_query(self._schema, TERMS, key(word), option)

    def _phrase(self, phrase: Sequence[str]) -> Query:
        if len(phrase) == 1:  # the engine panics
            return self._term(phrase[0])
        return Query.phrase_query(self._schema, TERMS, [key(word) for word in phrase])

    def _ids_of(self, addresses: list[tantivy.DocAddress]) -> list[str]:
        known = self._ids
        if len(known) > IDS_KEPT:
            known = self._ids = {}
        ids = []
        orders = self._searcher.fast_field_values(ORDER, addresses)
        for order, address in zip(orders, addresses, strict=True):
            found = known.get(order)
            if found is None:
                line = self._searcher.doc(address).get_first(ROW) or b""
                found = known[order] = decode_id(line, str(self._folder))
            ids.append(found)
        return ids

    def _rows(self, found: tantivy.SearchResult) -> Iterable[Row]:
        return (decode_row(line, str(self._folder))[0] for line in self._lines(found))

    def _lines(self, found: tantivy.SearchResult) -> Iterable[bytes]:
        return (self._searcher.doc(address).get_first(ROW) or b"" for _, address in found.hits)

    def _whole_name(self, name: str) -> str:
        if not is_digest(name):
            return name
        query = Query.term_query(self._schema, DOCUMENT, name)
        return next(iter(self._rows(self._searcher.search(query, 1, count=False)))).document
