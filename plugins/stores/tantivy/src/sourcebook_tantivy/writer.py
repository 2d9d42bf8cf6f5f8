"""Writing one generation on top of another."""

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import tantivy
from sourcebook.store import Location, Row, StoreSchema
from sourcebook.stores.files import clear, folder_of, link_or_copy, make_durable
from sourcebook.stores.rows import check_row, decode_id, encode_row
from tantivy import Query

from sourcebook_tantivy.engine import (
    DOCUMENT,
    FILTERS,
    ID,
    KEY_LIMIT,
    ORDER,
    ROW,
    TERMS,
    filter_key,
    guard,
    key,
    make_schema,
)

HEAP_BYTES: Final = 64_000_000
"""What the engine gathers before it writes a segment. With 15 MB, the least it takes, a build of
74,000 rows cost half as much CPU again, in eight segments instead of one."""

THREADS: Final = 1
"""Two cost the same CPU and end with twice the segments; one also keeps the order of rows."""

BATCH: Final = 1000
LOCKS: Final = ".lock"


class TantivyWriter:
    """A generation in the making: links to the files of `base`, and new files beside them.

    The engine never changes a file; what it rewrites (`meta.json`, `.managed.json`) it replaces
    by rename, so `base` keeps what it has.

    Nothing is committed before `publish`, for a commit waits for the disk. So what the engine
    cannot tell until then is kept here: rows of the base that are gone (`_gone`), and the ids and
    documents of the new ones (`_new`, `_document`).
    """

    def __init__(self, location: Location, schema: StoreSchema, base: Location | None) -> None:
        self._folder = folder_of(location, "tantivy")
        self._wanted = schema
        self._schema = make_schema()
        self._gone: set[str] = set()
        self._new: dict[str, set[str]] = {}
        self._document: dict[str, str] = {}
        self._published = False
        with guard(self._folder, writing=True):
            if base:
                link_files(folder_of(base, "tantivy"), self._folder)
            self._index = tantivy.Index(self._schema, str(self._folder))
            # Else a thread of the engine reloads after each commit, and takes a lock to do so, by
            # a file that would turn up in what was just published.
            self._index.config_reader("manual")
            self._writer: tantivy.IndexWriter | None = self._index.writer(HEAP_BYTES, THREADS)
            self._searcher = self._index.searcher()
            self._order = self._last_order() + 1

    def upsert(self, rows: Iterable[Row]) -> None:
        """Add rows, replacing those with the same id.

        Raises:
            BadRequest: a row does not fit the schema.
            StoreUnavailable: the engine cannot write.
        """
        rows = iter(rows)
        while batch := [check_row(row, self._wanted) for row in islice(rows, BATCH)]:
            with guard(self._folder, writing=True):
                self._add(batch)

    def remove(self, documents: Iterable[str]) -> int:
        """Drop every row of these documents; return how many rows that were."""
        names = list(dict.fromkeys(documents))
        removed = 0
        with guard(self._folder, writing=True):
            writer = self._open_writer()
            held = self._held(DOCUMENT, names) - self._gone
            self._gone |= held
            removed += len(held)
            for name in names:
                new = self._new.pop(name, set())
                for row_id in new:
                    del self._document[row_id]
                removed += len(new)
                writer.delete_documents_by_term(DOCUMENT, key(name))
        return removed

    def publish(self) -> None:
        """Commit, wait for merges, and force all files to the disk."""
        if self._published:
            return
        with guard(self._folder, writing=True):
            writer = self._open_writer()
            writer.commit()
            writer.wait_merging_threads()
        self._writer = None
        for lock in self._folder.glob(f"*{LOCKS}"):
            lock.unlink()
        make_durable(self._folder)
        self._published = True

    def discard(self) -> None:
        """Stop the engine and empty the folder."""
        if self._published or self._writer is None:
            return
        with guard(self._folder, writing=True):
            self._writer.rollback()
            self._writer.wait_merging_threads()
        self._writer = None
        clear(self._folder)

    def _open_writer(self) -> tantivy.IndexWriter:
        assert self._writer is not None, "the generation is published or discarded"
        return self._writer

    def _add(self, batch: Sequence[Row]) -> None:
        writer = self._open_writer()
        held = self._held(ID, [row.id for row in batch])
        self._gone |= held
        for row in batch:
            replaced = self._document.get(row.id)
            # A deletion costs a kilobyte until the commit, so only what is there is deleted.
            if replaced is not None or row.id in held:
                writer.delete_documents_by_term(ID, key(row.id))
            if replaced is not None:
                self._new[replaced].remove(row.id)
            self._document[row.id] = row.document
            self._new.setdefault(row.document, set()).add(row.id)
            writer.add_document(self._as_document(row))
            self._order += 1

    def _held(self, field: str, texts: Sequence[str]) -> set[str]:
        """Return the ids of the rows of the base with one of these ids or documents."""
        if not self._searcher.num_docs:
            return set()
        query = Query.term_set_query(self._schema, field, [key(text) for text in texts])
        hits = self._searcher.search(query, self._searcher.num_docs, count=False).hits
        stored = (self._searcher.doc(address).get_first(ROW) or b"" for _, address in hits)
        return {decode_id(line, str(self._folder)) for line in stored}

    def _as_document(self, row: Row) -> tantivy.Document:
        document = tantivy.Document()
        document.add_text(ID, key(row.id))
        document.add_text(DOCUMENT, key(row.document))
        for name, values in row.filters.items():
            for value in values:
                document.add_text(FILTERS, filter_key(name, value))
        for text in filter(None, row.terms.values()):
            # Only a long text can hold a term that is too long.
            short = text if len(text) <= KEY_LIMIT else " ".join(map(key, text.split(" ")))
            document.add_text(TERMS, short)
        document.add_unsigned(ORDER, self._order)
        document.add_bytes(ROW, encode_row(row))
        return document

    def _last_order(self) -> int:
        found = self._searcher.search(
            Query.all_query(), 1, count=False, order_by_field=ORDER, order=tantivy.Order.Desc
        )
        orders = self._searcher.fast_field_values(ORDER, [address for _, address in found.hits])
        return int(orders[0] or 0) if orders else 0


def link_files(base: Path, folder: Path) -> None:
    """Link the files of a published generation into a new one."""
    for path in base.iterdir():
        link_or_copy(path, folder / path.name)
