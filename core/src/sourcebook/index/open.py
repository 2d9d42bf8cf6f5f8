"""An index opened for reading: entries, sources, structure, and the generation below them."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any

from sourcebook.errors import (
    Ambiguous,
    IndexDamaged,
    IndexOutdated,
    NotFound,
    SourcebookError,
)
from sourcebook.index import layout
from sourcebook.index.corpus import Watcher
from sourcebook.index.decode import decode
from sourcebook.index.generation import Generation, Statistics
from sourcebook.index.lines import Lines
from sourcebook.index.manifest import Manifest, read_manifest, unreadable
from sourcebook.index.rows import Said, entry_body, row_filter
from sourcebook.index.sources import SourceInfo, Sources
from sourcebook.index.verify import verify_index
from sourcebook.model import IndexedEntry, Source, Span
from sourcebook.naming import near_miss
from sourcebook.registry import registry
from sourcebook.subject import Subject

__all__ = ["Generation", "Index", "SourceInfo", "Statistics", "open_index", "verify_index"]

_CHARACTERS_KEPT = 16_000_000
"""Of the texts of sources that were read last, altogether."""


class Index:
    """An index opened for reading; see `open_index`."""

    def __init__(self, path: Path, embedder: Any = None) -> None:
        self.path = path
        self._embedder = embedder
        self._documents: OrderedDict[str, Source] = OrderedDict()
        self._characters = 0
        self._lines: tuple[str, Lines] | None = None
        self._filter_values: dict[str, list[str]] = {}
        self._watcher: Watcher | None = None
        self._lock = RLock()
        self.generation = self._open()

    def _open(self) -> Generation:
        manifest = read_manifest(self.path)
        try:
            return self._generation(manifest)
        except IndexDamaged:
            # Another build may have published and cleared meanwhile: look once more.
            now = read_manifest(self.path)
            if now == manifest:
                raise
            return self._generation(now)

    def _generation(self, manifest: Manifest) -> Generation:
        where = self.path / layout.MANIFEST
        subject = registry().subject(manifest.subject, where=f"{where}, subject")
        if subject.format_version != manifest.subject_format:
            raise IndexOutdated(
                f"the subject `{subject.name}` reads format {subject.format_version}, "
                f"the index has {manifest.subject_format}",
                where=f"{where}, subject_format",
                hint=f"build it again: `sourcebook {subject.name} index PATH...`",
            )
        # Absolute, so that it can be read on after a change of directory.
        return Generation(self.path.absolute(), manifest, subject)

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.path.name or str(self.path)

    @property
    def manifest(self) -> Manifest:
        """What it is and what built it."""
        return self.generation.manifest

    @property
    def subject(self) -> Subject:
        """The subject it belongs to."""
        return self.generation.subject

    @property
    def sources(self) -> Sources:
        """Its sources by name, sorted."""
        return self.generation.sources

    @cached_property
    def embedder(self) -> Any:
        """The embedder its vectors were made by, or the one handed in; None without vectors.

        Raises:
            EmbedderMismatch: the one at hand makes other vectors.
        """
        from sourcebook.index.embed import open_embedder

        return open_embedder(self.path, self.manifest, self._embedder)

    def source(self, name: str) -> Source:
        """Return a source with its text.

        Raises:
            NotFound: there is none of this name; the hint names the nearest.
            SourcesMissing: the index holds no copies.
        """
        with self._lock:
            kept = self._documents.get(name)
            if kept is not None:
                self._documents.move_to_end(name)
                return kept
        info = self.sources.get(name)
        if info is None:
            raise NotFound(
                f"no source is called `{name}`",
                where=name,
                hint=near_miss(name, list(self.sources)[:20_000])
                or f"there are {len(self.sources)}; see `list`",
            )
        data = self.generation.document(info)
        source = Source(name, decode(data).text, info.digest, info.encoding)
        with self._lock:
            if name not in self._documents:  # another thread may have read it, too
                self._documents[name] = source
                self._characters += len(source.text)
            while self._characters > _CHARACTERS_KEPT and len(self._documents) > 1:
                self._characters -= len(self._documents.popitem(last=False)[1].text)
        return source

    def cut(self, name: str, span: Span) -> str:
        r"""Return some lines of a source joined by \n; raises as `source` does.

        Of a long one it does not decode and split the rest.
        """
        with self._lock:
            lines = self._lines
        if lines is not None and lines[0] == name:
            return lines[1].cut(span.first, span.last)
        info = self.sources.get(name)
        if info is not None and info.encoding == "utf-8" and name not in self._documents:
            data = self.generation.document(info)
            if b"\r" not in data:
                with self._lock:
                    lines = self._lines = name, Lines(data)
                return lines[1].cut(span.first, span.last)
        return self.source(name).cut(span.first, span.last)

    def entries(self, sources: Sequence[str] | None = None) -> Iterator[IndexedEntry]:
        """Yield every entry by source name, then in the order of its source.

        Args:
            sources: of these alone.
        """
        for name in self.sources if sources is None else sources:
            for segment, row in self.generation.rows(name):
                yield self.generation.entry_at(segment, row)

    def said(
        self,
        sources: Sequence[str] | None = None,
        *,
        holding: str = "",
        exactly: bool = False,
        only_ascii: bool = False,
    ) -> Iterator[Said]:
        """Yield what every entry says, in the order of `entries` and at a fraction of their price.

        Args:
            sources: of these alone.
            holding: leave out entries of which nothing that is stored holds this text; of what is
                left some may not either. Bodies that are cut from the source are not stored.
            exactly: with these capitals.
            only_ascii: leave out only entries of which all that is stored is ASCII.
        """
        holds = row_filter(holding, exactly=exactly, only_ascii=only_ascii)
        for name in self.sources if sources is None else sources:
            yield from self.generation.said(name, holds)

    def entry(self, entry_id: str) -> IndexedEntry:
        """Return the entry with this id; the source may be left out where one has such a key.

        Raises:
            NotFound: there is none.
            Ambiguous: several sources have an entry with this key.
        """
        found = self._entry(entry_id)
        if found is not None:
            return found
        fits = [one for name in self.sources if (one := self._entry(f"{name}#{entry_id}"))]
        if len(fits) > 1:
            more = f" and {len(fits) - 10} more" if len(fits) > 10 else ""
            raise Ambiguous(
                f"`{entry_id}` fits {len(fits)} entries: "
                f"{', '.join(one.id for one in fits[:10])}{more}",
                where=entry_id,
                hint="write the source before it, as in `SOURCE#KEY`",
            )
        if not fits:
            raise NotFound(
                f"no entry has the id `{entry_id}`",
                where=entry_id,
                hint="ids are printed by `search --hits`, `list` and `export`",
            )
        return fits[0]

    def _entry(self, entry_id: str) -> IndexedEntry | None:
        place = self.generation.find(entry_id)
        if place is None:
            return None
        entry = self.generation.entry_at(*place)
        return entry if entry.id == entry_id else None

    def body(self, entry: IndexedEntry) -> str:
        """Return the text of an entry, cut from its source by lines."""
        derived = entry.fields.get("body")
        if derived is not None:
            return derived
        return entry_body(self.source(entry.source), entry)

    def structure(self, name: str) -> bytes:
        """Return a structure file that the subject's `assemble` made."""
        place = self.generation.check(f"{layout.STRUCTURE}/{name}")
        try:
            return place.read_bytes()
        except OSError as error:
            raise unreadable(place, error) from None

    def filter_values(self, key: str) -> list[str]:
        """Return the values of a declared filter key that occur, sorted."""
        if key == "source":
            return list(self.sources)
        if key == "kind":
            return sorted(self.manifest.kinds)
        if key not in self._filter_values:
            values: set[str] = set()
            for name in self.sources:
                values.update(self.generation.source_facts(name).filters.get(key, ()))
            self._filter_values[key] = sorted(values)
        return self._filter_values[key]

    def status(self) -> dict[str, Any]:
        """Return `generation`, whether it is `stale`, since another has been published or sources
        have `changed`, and what is `damaged`."""
        try:
            current = read_manifest(self.generation.path).generation
        except SourcebookError as error:
            return {
                "generation": self.manifest.generation,
                "stale": True,
                "changed": False,
                "damaged": str(error),
            }
        if self._watcher is None:
            self._watcher = Watcher(self)
        changed = self._watcher.changed()
        return {
            "generation": self.manifest.generation,
            "stale": changed or current != self.manifest.generation,
            "changed": changed,
            "damaged": "",
        }

    def close(self) -> None:
        """Let go of every file; idempotent."""
        self.generation.close()
        with self._lock:
            self._documents.clear()
            self._characters = 0
            self._lines = None

    def __enter__(self) -> "Index":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_index(path: str | Path, embedder: Any = None) -> Index:
    """Open the index at `path`.

    Args:
        path: the index directory.
        embedder: an `Embedder` to use instead of the one named in the manifest; its fingerprint
            must be that of the index.

    Raises:
        IndexMissing, IndexDamaged, IndexOutdated: see `sourcebook.errors`.
        PluginMissing: its subject or a store is not installed.
    """
    return Index(Path(path), embedder)
