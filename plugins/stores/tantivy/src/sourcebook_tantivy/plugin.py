"""The store `tantivy`: lexical candidates from Tantivy."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook import hookimpl
from sourcebook.store import Capability, Location, Store, StoreSchema

if TYPE_CHECKING:
    from sourcebook.store import LexicalReader, Writer


def open_reader(location: Location, schema: StoreSchema) -> "LexicalReader":
    """Open a published generation, on read-only media too.

    Raises:
        IndexDamaged: a file is missing, or not what Tantivy wrote.
        IndexOutdated: another version of Tantivy wrote it.
    """
    from sourcebook_tantivy.reader import TantivyReader

    return TantivyReader(location, schema)


def begin(location: Location, schema: StoreSchema, base: Location | None) -> "Writer":
    """Begin a generation on top of `base`, whose files it links; raises as `open_reader` does."""
    from sourcebook_tantivy.writer import TantivyWriter

    return TantivyWriter(location, schema, base)


@hookimpl
def sourcebook_stores() -> Iterator[Store]:
    """Words only: vectors are another store's."""
    yield Store(
        "tantivy",
        frozenset({Capability.LEXICAL, Capability.PHRASES, Capability.DOCUMENT_FREQUENCIES}),
        open_reader,
        begin,
        summary="lexical candidates from Tantivy: files in the index, no server",
    )
