"""The store `loose`: that of the core, but it cannot tell in which order words stand."""

from collections.abc import Iterator, Sequence

from attrs import evolve
from sourcebook import hookimpl
from sourcebook.store import NO_FILTERS, Capability, Filters, Location, Store, StoreSchema
from sourcebook.stores import memory


class LooseReader(memory.MemoryReader):
    """A reader that takes no phrases."""

    def candidates(  # type: ignore[override]
        self, terms: Sequence[str], limit: int, filters: Filters = NO_FILTERS
    ) -> list[str]:
        """Return what holds any of the terms."""
        return super().candidates(terms, limit, filters)


def open_reader(location: Location, schema: StoreSchema) -> LooseReader:
    """Open a published generation."""
    assert location.folder is not None
    return LooseReader(memory.read_table(location.folder, schema), schema)


@hookimpl
def sourcebook_stores() -> Iterator[Store]:
    """Yield the store of the core without its phrases."""
    for one in memory.sourcebook_stores():
        capabilities = one.capabilities - {Capability.PHRASES}
        yield evolve(one, name="loose", capabilities=capabilities, open=open_reader)
