"""One published generation, read: its sources, entries, statistics and stores."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal, overload

from attrs import frozen

from sourcebook.errors import IndexDamaged, IndexOutdated, SourcebookError, SourcesMissing
from sourcebook.index import layout
from sourcebook.index.background import read_background
from sourcebook.index.documents import read_document
from sourcebook.index.manifest import Manifest, check_file, read_manifest, unreadable
from sourcebook.index.rows import Facts, Said, id_hash
from sourcebook.index.segment import Segment
from sourcebook.index.sources import SourceInfo, read_sources
from sourcebook.model import IndexedEntry
from sourcebook.registry import registry
from sourcebook.store import Capability, LexicalReader, Location, Reader, StoreSchema, VectorReader
from sourcebook.subject import Subject

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


PLACES_KEPT = 100_000
"""Ids whose place is kept: a search asks for the places of hundreds, often of the same ones."""


@frozen
class Statistics:
    """What BM25F needs to know of a corpus: entries (parts are none), mean length per field, df by
    term."""

    entries: int
    mean_lengths: tuple[float, ...]
    df: Mapping[str, int]


@frozen
class Dead:
    """What of a segment belongs to sources that are gone: to be taken off its statistics."""

    entries: int
    lengths: tuple[int, ...]
    df: Mapping[str, int]


class Generation:
    """The published state that a manifest describes. Files are checked when first used.

    Raises:
        IndexDamaged: a file is missing, or its bytes are not those that were written; of a
            generation that another build has cleared away, too.
    """

    def __init__(self, index: Path, manifest: Manifest, subject: Subject) -> None:
        self.path = index
        self.folder = layout.generation(index, manifest.generation)
        self.manifest = manifest
        self.subject = subject
        self.fields = tuple(subject.fields)
        self._lock = RLock()
        self._checked: dict[str, Path] = {}
        self._readers: dict[str, Reader] = {}
        self._places: dict[str, tuple[Segment, int]] = {}
        self.sources = read_sources(self.check(layout.SOURCES_TABLE))
        # All are opened now: those of an old generation may be cleared away later.
        self.segments = {
            number: Segment(self.check(f"{layout.SEGMENTS}/{number}.sbk"), self.fields)
            for number in manifest.segments
        }

    def check(self, name: str) -> Path:
        """Return the place of one of its files, compared with the manifest the first time.

        Raises:
            IndexDamaged: see `check_file`.
        """
        place = self._checked.get(name)
        if place is None:
            lock = self.manifest.files.get(name)
            if lock is None:
                raise IndexDamaged(
                    f"the manifest does not know `{name}`",
                    where=str(self.folder),
                    hint=layout.rebuild(self.folder),
                )
            try:
                place = self._checked[name] = check_file(self.folder, name, lock)
            except IndexDamaged as error:
                raise self._told(error) from None
        return place

    def _told(self, error: IndexDamaged) -> IndexDamaged:
        """Return the error to raise: files of a generation that is long gone are not damaged."""
        try:
            if read_manifest(self.path) == self.manifest:
                return error
        except SourcebookError:
            return error
        return IndexDamaged(
            f"the index has been built again since it was opened: {error.message}",
            where=error.where,
            hint="open it again",
        )

    def check_all(self) -> None:
        """Compare every file with the manifest; raises as `check` does."""
        for name in self.manifest.files:
            self.check(name)

    @cached_property
    def background(self) -> "NDArray[np.float32] | None":
        """The sampled vectors, shape [n, dimensions], see `background.py`; None without any."""
        if layout.BACKGROUND not in self.manifest.files:
            return None
        return read_background(self.check(layout.BACKGROUND))[1]

    @cached_property
    def dead(self) -> dict[int, Dead]:
        """What to take off the statistics of each segment."""
        place = self.check(layout.DEAD)
        try:
            raw = json.loads(place.read_bytes().decode("utf-8", "surrogatepass"))
            return {
                int(number): Dead(int(one[0]), tuple(map(int, one[1])), {**one[2]})
                for number, one in raw.items()
            }
        except OSError as error:
            raise unreadable(place, error) from None
        except (ValueError, TypeError, IndexError, AttributeError, RecursionError) as error:
            raise IndexDamaged(
                f"not the table of what is gone: {error}"[:200],
                where=str(place),
                hint=layout.rebuild(place),
            ) from None

    def statistics(self, terms: Sequence[str]) -> Statistics:
        """Return the statistics of the whole corpus for these terms."""
        df = dict.fromkeys(terms, 0)
        for number, segment in self.segments.items():
            gone = self.dead.get(number)
            for term in df:
                buried = gone.df.get(term, 0) if gone else 0
                df[term] += max(0, segment.term_number(term)[1] - buried)
        entries = self.manifest.entries - self.manifest.parts
        means = tuple(
            self.manifest.lengths.get(name, 0) / entries if entries else 0.0 for name in self.fields
        )
        return Statistics(entries, means, df)

    def find(self, entry_id: str) -> tuple[Segment, int] | None:
        """Return where the live entry with this id lies, or None.

        Ids are compared by their hashes, and as a whole only where two hashes are equal: of ids
        that some leg returned no more is needed, see `Index.entry` for those that users type.
        """
        place = self._places.get(entry_id)
        if place is None and (place := self._find(entry_id)) is not None:
            if len(self._places) >= PLACES_KEPT:
                self._places = {}
            self._places[entry_id] = place
        return place

    def _find(self, entry_id: str) -> tuple[Segment, int] | None:
        hashed = id_hash(entry_id)
        at = entry_id.find("#")
        while at >= 0:  # a source's name may itself hold a `#`
            place = self.sources.place(entry_id[:at])
            if place is not None:
                segment = self._segment(place[0])
                _, first, count = segment.source(place[1])
                rows = segment.find(hashed, first, count)
                if len(rows) > 1:
                    rows = [row for row in rows if segment.entry(row).id == entry_id]
                if rows:
                    return segment, rows[0]
            at = entry_id.find("#", at + 1)
        return None

    def _segment(self, number: int) -> Segment:
        segment = self.segments.get(number)
        if segment is None:
            raise IndexDamaged(
                f"a source lies in segment {number}, which is not there",
                where=str(self.folder / layout.SOURCES_TABLE),
                hint=layout.rebuild(self.folder / layout.SOURCES_TABLE),
            )
        return segment

    def entry_at(self, segment: Segment, row: int) -> IndexedEntry:
        """Return the entry in `row` of `segment`."""
        return segment.entry(row)

    def rows(self, source: str) -> Iterator[tuple[Segment, int]]:
        """Yield where the entries of a source lie, in its order."""
        place = self.sources.place(source)
        if place is not None:
            segment = self._segment(place[0])
            _, first, count = segment.source(place[1])
            for row in range(first, first + count):
                yield segment, row

    def said(self, source: str, holds: Callable[[bytes], bool]) -> Iterator[Said]:
        """Yield what those entries of a source say whose stored row passes, see `row_filter`."""
        place = self.sources.place(source)
        if place is not None:
            yield from self._segment(place[0]).said(place[1], holds)

    def source_facts(self, source: str) -> Facts:
        """Return what is kept of a source beside its entries."""
        place = self.sources.place(source)
        if place is None:
            return Facts([], {}, {}, 0)
        return self._segment(place[0]).facts(place[1])

    def document(self, info: SourceInfo) -> bytes:
        """Return the bytes of a source.

        Raises:
            SourcesMissing: the index holds no copies.
            IndexDamaged: the copy is missing, or not what was indexed.
        """
        if not self.manifest.sources_kept:
            raise SourcesMissing(index=str(self.path), subject=self.subject.name)
        try:
            return read_document(self.path, info)
        except IndexDamaged as error:
            raise self._told(error) from None

    @overload
    def reader(self, role: Literal["lexical"]) -> LexicalReader | None: ...

    @overload
    def reader(self, role: Literal["vector"]) -> VectorReader | None: ...

    def reader(self, role: str) -> Any:
        """Return the store that plays `role` (`lexical` or `vector`), None without one."""
        with self._lock:
            if role not in self._readers:
                found = open_store(self, role)
                if found is None:
                    return None
                self._readers[role] = found
            return self._readers[role]

    def can(self, role: Literal["lexical", "vector"], capability: Capability) -> bool:
        """Whether the store that plays `role` declares a capability."""
        return any(
            capability in registry().store(one.name, where=_stores(self)).capabilities
            for one in self.manifest.stores
            if one.role == role
        )

    def close(self) -> None:
        """Let go of every file."""
        with self._lock:
            for reader in self._readers.values():
                reader.close()
            self._readers.clear()
        for segment in self.segments.values():
            segment.close()


def store_schema(
    subject: Subject, role: str, dimensions: int, options: Mapping[str, object]
) -> StoreSchema:
    """Return what the store of a role is asked to hold for a subject."""
    filters = {"source": False, "kind": True}
    filters.update({one.name: one.multi for one in subject.filters})
    lexical = role == "lexical"
    return StoreSchema(
        tuple(subject.fields) if lexical else (), filters, 0 if lexical else dimensions, options
    )


def open_store(generation: Generation, role: str) -> Reader | None:
    """Open the store that plays `role` in a generation.

    Raises:
        PluginMissing: it is not installed.
        IndexOutdated: it reads another format.
        IndexDamaged: a file of it is missing or damaged.
    """
    manifest = generation.manifest
    lock = next((one for one in manifest.stores if one.role == role), None)
    if lock is None or (role == "vector" and manifest.embedder is None):
        return None
    where = _stores(generation)
    store = registry().store(lock.name, where=where)
    if Capability(role) not in store.capabilities:
        raise IndexDamaged(
            f"the store `{store.name}` cannot be the {role} one",
            where=where,
            hint=layout.rebuild(generation.path),
        )
    if store.format_version != lock.format_version:
        raise IndexOutdated(
            f"the store `{store.name}` reads format {store.format_version}, "
            f"the index has {lock.format_version}",
            where=where,
            hint=layout.rebuild(generation.path),
        )
    prefix = f"{layout.STORES}/{role}/"
    for name in manifest.files:
        if name.startswith(prefix):
            generation.check(name)
    dimensions = manifest.embedder.dimensions if manifest.embedder else 0
    schema = store_schema(generation.subject, role, dimensions, lock.options)
    folder = generation.folder / layout.STORES / role
    return store.open(Location(folder=folder, generation=manifest.generation), schema)


def _stores(generation: Generation) -> str:
    """Return where the manifest names the stores, for messages."""
    return f"{generation.path / layout.MANIFEST}, stores"
