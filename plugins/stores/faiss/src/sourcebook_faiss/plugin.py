"""The store `faiss`: vectors, scanned exactly while that is fast, indexed by FAISS beyond."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook import hookimpl
from sourcebook.store import Capability, Location, Store, StoreSchema

if TYPE_CHECKING:
    from sourcebook.store import VectorReader, Writer


def open_reader(location: Location, schema: StoreSchema) -> "VectorReader":
    """Open a published generation.

    Raises:
        IndexDamaged: a file is missing, cut off, or not what this store writes.
        IndexOutdated: another version of this store wrote it.
        StoreMismatch: its vectors have another width than the schema says.
    """
    from sourcebook_faiss.reader import FaissReader

    return FaissReader(location, schema)


def begin(location: Location, schema: StoreSchema, base: Location | None) -> "Writer":
    """Begin a generation on top of `base`, whose files it links; raises as `open_reader` does.

    Raises:
        BadSetting: the option `index` is none of `auto`, `exact`, `flat`, `hnsw`, `ivf-sq8`.
    """
    from sourcebook_faiss.writer import FaissWriter

    return FaissWriter(location, schema, base)


@hookimpl
def sourcebook_stores() -> Iterator[Store]:
    """Vectors only: words are another store's."""
    yield Store(
        "faiss",
        frozenset({Capability.VECTOR}),
        open_reader,
        begin,
        summary="vectors: an exact scan while that is fast, FAISS beyond",
        format_version=2,
    )
