"""An index opened for reading: entries, sources, structure, statistics, and its stores."""

import difflib
import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from attrs import frozen

from sourcebook.errors import (
    Ambiguous,
    IndexDamaged,
    IndexOutdated,
    NotFound,
    SourcebookError,
)
from sourcebook.index import layout
from sourcebook.index.decode import decode
from sourcebook.index.manifest import Manifest, check_file, digest_file, read_manifest
from sourcebook.index.parse import entry_body
from sourcebook.index.segment import Segment, decode_row, id_hash
from sourcebook.model import IndexedEntry, Source
from sourcebook.registry import registry
from sourcebook.store import Location, Reader, StoreSchema
from sourcebook.subject import Subject

T = TypeVar("T")
_SOURCES_KEPT = 64


@frozen
class SourceInfo:
    """One source of an index.

    `digest` is the sha256 of its bytes, `size` their number, `lines` how many it has; `segment`
    and `place` say where its entries lie; `vectors` whether they have theirs; `parse` is the key
    of its parse; `problems` are (message, line).
    """

    name: str
    digest: str
    size: int
    lines: int
    encoding: str
    segment: int
    place: int
    entries: int
    vectors: bool
    parse: str
    problems: tuple[tuple[str, int], ...] = ()

    def to_row(self) -> list[Any]:
        """Return the JSON list that `sources.jsonl` holds."""
        return [
            self.name, self.digest, self.size, self.lines, self.encoding, self.segment,
            self.place, self.entries, int(self.vectors), self.parse,
            [list(problem) for problem in self.problems],
        ]  # fmt: skip


def _info(row: Sequence[Any]) -> SourceInfo:
    problems = tuple((message, line) for message, line in row[10])
    name, digest, size, lines, encoding, segment, place, entries, vectors, parse = row[:10]
    return SourceInfo(
        name, digest, size, lines, encoding, segment, place, entries, bool(vectors), parse, problems
    )


class Sources(Mapping[str, SourceInfo]):
    """The sources of a generation by name, sorted; rows become records when looked at."""

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self._rows = {row[0]: row for row in rows}

    def __getitem__(self, name: str) -> SourceInfo:
        return _info(self._rows[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def place(self, name: str) -> tuple[int, int] | None:
        """Return the segment and place of a source, None if it is not live."""
        row = self._rows.get(name)
        return None if row is None else (row[5], row[6])


@frozen
class Statistics:
    """What BM25F needs to know of a corpus: entries, mean length per field, df by term."""

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
        FileNotFoundError: another build has cleared it away meanwhile.
        IndexDamaged: bytes are not those that were written.
    """

    def __init__(self, index: Path, manifest: Manifest, subject: Subject) -> None:
        self.path = index
        self.folder = layout.generation(index, manifest.generation)
        self.manifest = manifest
        self.subject = subject
        self.fields = tuple(subject.fields)
        try:
            text = self.check(layout.SOURCES_TABLE).read_text("utf-8", "surrogatepass")
            self.sources = Sources(json.loads(f"[{','.join(text.splitlines())}]"))
            # All files are opened now: those of an old generation may be cleared away later.
            self.segments = {
                number: Segment(self.check(f"{layout.SEGMENTS}/{number}.sbk"), self.fields)
                for number in manifest.segments
            }
        except (ValueError, IndexError, TypeError) as error:
            raise IndexDamaged(
                f"the table of sources cannot be read: {error}",
                where=str(self.folder),
                hint=layout.REBUILD,
            ) from None
        self._readers: dict[str, Reader] = {}

    def check(self, name: str) -> Path:
        """Return the place of one of its files after comparing it with the manifest."""
        lock = self.manifest.files.get(name)
        if lock is None:
            raise IndexDamaged(
                f"the manifest does not know `{name}`", where=str(self.folder), hint=layout.REBUILD
            )
        return check_file(self.folder, name, lock)

    @cached_property
    def dead(self) -> dict[int, Dead]:
        """What to take off the statistics of each segment."""
        raw = json.loads(self.check(layout.DEAD).read_text("utf-8", "surrogatepass"))
        return {
            int(number): Dead(int(one[0]), tuple(one[1]), dict(one[2]))
            for number, one in raw.items()
        }

    def statistics(self, terms: Sequence[str]) -> Statistics:
        """Return the statistics of the whole corpus for these terms."""
        df = dict.fromkeys(terms, 0)
        for number, segment in self.segments.items():
            gone = self.dead.get(number)
            for term in df:
                df[term] += segment.term_number(term)[1] - (gone.df.get(term, 0) if gone else 0)
        entries = self.manifest.entries
        means = tuple(
            self.manifest.lengths.get(name, 0) / entries if entries else 0.0 for name in self.fields
        )
        return Statistics(entries, means, df)

    def find(self, entry_id: str) -> tuple[Segment, int] | None:
        """Return where the live entry with this id lies, or None."""
        source, _, _ = entry_id.partition("#")
        hashed = id_hash(entry_id)
        place = self.sources.place(source)
        if place is not None:
            found = self._find_in(place, hashed)
            if found:
                return found
        # A source's name may itself hold a `#`.
        at = entry_id.find("#", len(source) + 1)
        while at >= 0:
            place = self.sources.place(entry_id[:at])
            if place is not None and (found := self._find_in(place, hashed)):
                return found
            at = entry_id.find("#", at + 1)
        return None

    def _find_in(self, place: tuple[int, int], hashed: int) -> tuple[Segment, int] | None:
        segment = self.segments[place[0]]
        _, first, count = segment.sources[place[1]]
        for row in segment.find(hashed):
            if first <= row < first + count:
                return segment, row
        return None

    def entry_at(self, segment: Segment, row: int) -> IndexedEntry:
        """Return the entry in `row` of `segment`."""
        source, first, count = segment.sources[segment.source_of(row)]
        raw = segment.row(row)
        parent = raw[5]
        key = ""
        if isinstance(parent, int) and 0 <= parent < count:
            key = str(segment.row(first + parent)[0])
        return decode_row(source, raw, key)

    def rows(self, source: str) -> Iterator[tuple[Segment, int]]:
        """Yield where the entries of a source lie, in its order."""
        place = self.sources.place(source)
        if place is not None:
            segment = self.segments[place[0]]
            _, first, count = segment.sources[place[1]]
            for row in range(first, first + count):
                yield segment, row

    def source_facts(self, source: str) -> dict[str, Any]:
        """Return the `facts` and `filters` of a source."""
        place = self.sources.place(source)
        if place is None:
            return {"facts": [], "filters": {}}
        facts: dict[str, Any] = self.segments[place[0]].facts(place[1])
        return facts

    def document(self, info: SourceInfo) -> bytes:
        """Return the bytes of a source."""
        place = layout.document(self.path, info.digest)
        data = place.read_bytes()
        import hashlib

        if hashlib.sha256(data).hexdigest() != info.digest:
            raise IndexDamaged(
                f"the copy of `{info.name}` is not what was indexed",
                where=str(place),
                hint=layout.REBUILD,
            )
        return data

    def reader(self, role: str) -> Reader | None:
        """Return the store that plays `role` (`lexical` or `vector`), None without one."""
        if role not in self._readers:
            found = open_store(self, role)
            if found is None:
                return None
            self._readers[role] = found
        return self._readers[role]

    def close(self) -> None:
        """Let go of every file."""
        for reader in self._readers.values():
            reader.close()
        self._readers.clear()
        for segment in self.segments.values():
            segment.close()


def store_schema(subject: Subject, role: str, dimensions: int, options: Any) -> StoreSchema:
    """Return what the store of a role is asked to hold for a subject."""
    filters = {"source": False, "kind": False}
    filters.update({one.name: one.multi for one in subject.filters})
    lexical = role == "lexical"
    return StoreSchema(
        tuple(subject.fields) if lexical else (), filters, 0 if lexical else dimensions, options
    )


def open_store(generation: Generation, role: str) -> Reader | None:
    """Open the store that plays `role` in a generation."""
    manifest = generation.manifest
    lock = next((one for one in manifest.stores if one.role == role), None)
    if lock is None or (role == "vector" and manifest.embedder is None):
        return None
    store = registry().store(lock.name)
    if store.format_version != lock.format_version:
        raise IndexOutdated(
            f"the store `{store.name}` reads format {store.format_version}, "
            f"the index has {lock.format_version}",
            where=f"{generation.path / layout.MANIFEST}, stores",
            hint=layout.REBUILD,
        )
    prefix = f"{layout.STORES}/{role}/"
    names = [name for name in manifest.files if name.startswith(prefix)]
    for name in names:
        generation.check(name)
    dimensions = manifest.embedder.dimensions if manifest.embedder else 0
    schema = store_schema(generation.subject, role, dimensions, lock.options)
    folder = generation.folder / layout.STORES / role
    return store.open(Location(folder=folder, generation=manifest.generation), schema)


class Index:
    """An index opened for reading; see `open_index`."""

    def __init__(self, path: Path, embedder: Any = None) -> None:
        self.path = path
        self._embedder = embedder
        self._documents: OrderedDict[str, Source] = OrderedDict()
        self.generation = self._open()

    def _open(self) -> Generation:
        for last in (False, True):
            manifest = read_manifest(self.path)
            subject = registry().subject(manifest.subject)
            if subject.format_version != manifest.subject_format:
                raise IndexOutdated(
                    f"the subject `{subject.name}` reads format {subject.format_version}, "
                    f"the index has {manifest.subject_format}",
                    where=f"{self.path / layout.MANIFEST}, subject_format",
                    hint=f"build it again: `sourcebook {subject.name} index PATH...`",
                )
            try:
                return Generation(self.path, manifest, subject)
            except FileNotFoundError as error:
                # Another build may have published and cleared meanwhile: look once more.
                if last or read_manifest(self.path).generation == manifest.generation:
                    raise IndexDamaged(
                        "a file of the index is missing",
                        where=str(error.filename),
                        hint=layout.REBUILD,
                    ) from None
        raise AssertionError("the second round returns or raises")

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
        """
        kept = self._documents.get(name)
        if kept is not None:
            self._documents.move_to_end(name)
            return kept
        info = self.sources.get(name)
        if info is None:
            raise self._unknown("source", name, list(self.sources))
        data = self._checked(lambda: self.generation.document(info))
        source = Source(name, decode(data).text, info.digest, info.encoding)
        self._documents[name] = source
        if len(self._documents) > _SOURCES_KEPT:
            self._documents.popitem(last=False)
        return source

    def entries(self, sources: Sequence[str] | None = None) -> Iterator[IndexedEntry]:
        """Yield every entry by source name, then in the order of its source."""
        for name in self.sources if sources is None else sources:
            for segment, row in self.generation.rows(name):
                yield self.generation.entry_at(segment, row)

    def entry(self, entry_id: str) -> IndexedEntry:
        """Return the entry with this id; the source may be left out where one has such a key.

        Raises:
            NotFound: there is none.
            Ambiguous: several sources have an entry with this key.
        """
        found = self.generation.find(entry_id)
        if found is not None:
            return self.generation.entry_at(*found)
        fits = [
            place
            for name in self.sources
            if (place := self.generation.find(f"{name}#{entry_id}")) is not None
        ]
        if len(fits) > 1:
            ids = [self.generation.entry_at(*place).id for place in fits[:10]]
            raise Ambiguous(
                f"`{entry_id}` fits {len(fits)} entries: {', '.join(ids)}",
                where=entry_id,
                hint="write the source before it, as in `SOURCE#KEY`",
            )
        if not fits:
            raise NotFound(
                f"no entry has the id `{entry_id}`",
                where=entry_id,
                hint="ids are printed by `search --hits`, `list` and `export`",
            )
        return self.generation.entry_at(*fits[0])

    def body(self, entry: IndexedEntry) -> str:
        """Return the text of an entry, cut from its source by lines."""
        derived = entry.fields.get("body")
        if derived is not None:
            return derived
        return entry_body(self.source(entry.source), entry)

    def structure(self, name: str) -> bytes:
        """Return a structure file that the subject's `assemble` made."""
        return self._checked(
            lambda: self.generation.check(f"{layout.STRUCTURE}/{name}").read_bytes()
        )

    def filter_values(self, key: str) -> list[str]:
        """Return the values of a declared filter key that occur, sorted."""
        if key == "source":
            return list(self.sources)
        if key == "kind":
            return sorted(self.manifest.kinds)
        values: set[str] = set()
        for name in self.sources:
            values.update(self.generation.source_facts(name)["filters"].get(key, ()))
        return sorted(values)

    def status(self) -> dict[str, Any]:
        """Return whether another generation has been published since this one was opened."""
        try:
            current = read_manifest(self.path).generation
        except SourcebookError as error:
            return {"generation": self.manifest.generation, "stale": True, "damaged": str(error)}
        return {
            "generation": self.manifest.generation,
            "stale": current != self.manifest.generation,
            "damaged": "",
        }

    def close(self) -> None:
        """Let go of every file; idempotent."""
        self.generation.close()
        self._documents.clear()

    def __enter__(self) -> "Index":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _checked(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except FileNotFoundError as error:
            raise IndexDamaged(
                "a file of the index is missing", where=str(error.filename), hint=layout.REBUILD
            ) from None

    def _unknown(self, what: str, name: str, known: Sequence[str]) -> NotFound:
        near = difflib.get_close_matches(name, known[:20000], n=1, cutoff=0.5)
        return NotFound(
            f"no {what} is called `{name}`",
            where=name,
            hint=f"did you mean `{near[0]}`?" if near else f"there are {len(known)}; see `list`",
        )


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


def verify_index(path: Path) -> list[IndexDamaged]:
    """Return everything that is wrong with an index's files, checking each byte.

    Raises:
        IndexMissing, IndexOutdated, IndexDamaged: the manifest itself cannot be used.
    """
    manifest = read_manifest(path)
    folder = layout.generation(path, manifest.generation)
    faults: list[IndexDamaged] = []
    for name, lock in sorted(manifest.files.items()):
        try:
            check_file(folder, name, lock, whole=True)
        except IndexDamaged as error:
            faults.append(error)
        except OSError as error:
            faults.append(_missing(folder / name, error))
    if faults:
        return faults
    text = (folder / layout.SOURCES_TABLE).read_text("utf-8", "surrogatepass")
    for line in text.splitlines():
        info = _info(json.loads(line))
        place = layout.document(path, info.digest)
        try:
            if digest_file(place) != info.digest:
                faults.append(
                    IndexDamaged(
                        f"the copy of `{info.name}` is not what was indexed",
                        where=str(place),
                        hint=layout.REBUILD,
                    )
                )
        except OSError as error:
            faults.append(_missing(place, error))
    return faults


def _missing(place: Path, error: OSError) -> IndexDamaged:
    return IndexDamaged(
        f"it cannot be read: {error.strerror}", where=str(place), hint=layout.REBUILD
    )
