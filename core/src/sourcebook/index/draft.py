"""A generation in the making: new segments beside linked ones, stores begun, then published."""

import contextlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from heapq import merge
from pathlib import Path
from typing import TypeVar

from attrs import evolve

from sourcebook.adapt import call_declared
from sourcebook.embedder import Embedder
from sourcebook.errors import SourcebookError
from sourcebook.index import layout
from sourcebook.index.decode import decode
from sourcebook.index.documents import read_document, write_document
from sourcebook.index.embed import Pending, embedding_texts
from sourcebook.index.generation import Dead, Generation, store_schema
from sourcebook.index.manifest import Manifest, lock_files, write_manifest
from sourcebook.index.parse import EncodedParse
from sourcebook.index.rows import Facts, encode_json, entry_body
from sourcebook.index.segment import Counted, Segment
from sourcebook.index.segment_writer import SegmentWriter
from sourcebook.index.sources import SourceInfo, encode_sources
from sourcebook.index.sweep import next_number
from sourcebook.index.workers import Task
from sourcebook.model import IndexedEntry, Source
from sourcebook.store import Location, Row, Store, Writer
from sourcebook.subject import Subject

MAX_SEGMENTS = 8
KEPT_BY_MERGE = 3
"""The largest segments, which a merge leaves alone: a build pays for what is small and new."""

DEAD_SHARE = 0.5
DEAD_FROM = 1000
"""A segment of more rows than this is written anew once more than that share of them is dead."""
K = TypeVar("K")


class Draft:
    """A generation in the making, on top of `base` if there is one.

    Args:
        out: the index directory.
        base: the generation to start from.
        keep_vectors: whether the vectors of `base` are of the embedder that is used now.
        keep_sources: whether the index is to hold a copy of each document.
    """

    def __init__(
        self,
        out: Path,
        subject: Subject,
        base: Generation | None,
        stores: Mapping[str, tuple[Store, Mapping[str, object]]],
        *,
        dimensions: int,
        keep_vectors: bool,
        keep_sources: bool,
    ) -> None:
        self.out = out
        self.subject = subject
        self.base = base
        self.number = next_number(out)
        self.folder = layout.generation(out, self.number)
        self.live: dict[str, SourceInfo] = {}
        self._stores = stores
        self._dimensions = dimensions
        self._keep_vectors = keep_vectors
        self._keep_sources = keep_sources
        self._writers: dict[str, Writer] = {}
        self._published = False
        self._saved: list[Path] = []
        self._segments: dict[int, Segment] = dict(base.segments) if base else {}
        self._opened: list[Segment] = []
        self._new = max(self._segments, default=0) + 1
        self._segment: SegmentWriter | None = None
        self._replaced: list[str] = []
        self._structure: dict[str, bytes] | None = None
        self._kinds: Counter[str] = Counter()
        self._parts: dict[str, int] = {}
        self.folder.mkdir(parents=True)
        (self.folder / layout.SEGMENTS).mkdir()

    @classmethod
    def after(cls, first: "Draft", base: Generation) -> "Draft":
        """Return a draft of the same text as `base`, which `first` has just become."""
        draft = cls(
            first.out, first.subject, base, first._stores,
            dimensions=first._dimensions, keep_vectors=True, keep_sources=first._keep_sources,
        )  # fmt: skip
        draft.live = dict(base.sources)
        draft._kinds, draft._parts = first._kinds, first._parts
        return draft

    # ---- text

    def keep(self, info: SourceInfo, data: bytes) -> None:
        """Take over a source as it was."""
        self._save(info.digest, data)
        self.live[info.name] = info if self._keep_vectors else evolve(info, vectors=False)

    def add(self, task: Task, key: str, parse: EncodedParse) -> None:
        """Take in a new or changed source."""
        name, data, digest, _ = task
        self._save(digest, data)
        if self._segment is not None and self._segment.full:
            self._finish_segment()
        if self._segment is None:
            self._segment = SegmentWriter(
                layout.segment(self.folder, self._new), tuple(self.subject.fields)
            )
        place = self._segment.add(
            name,
            [head.key for head in parse.heads],
            parse.rows,
            [Counted.of(text) for text in parse.texts],
            parse.terms,
            _encode_facts(parse),
        )
        self.live[name] = SourceInfo(
            name, digest, len(data), parse.lines, parse.encoding, self._new, place,
            len(parse.rows), not parse.rows, key, tuple(parse.problems),
        )  # fmt: skip
        writer = self.writer("lexical")
        if self.base is not None and name in self.base.sources:
            self._replaced.append(name)
            writer.remove([name])
        fields = tuple(self.subject.fields)
        parts = _kinds_of_parts((head.parent, head.kind) for head in parse.heads if head.part)
        writer.upsert(
            Row(
                f"{name}#{head.key}",
                name,
                terms=dict(zip(fields, map(parse.texts.__getitem__, places), strict=True)),
                filters=_filters(name, (head.kind, *parts.get(at, ())), head.filters),
            )
            for at, (head, places) in enumerate(zip(parse.heads, parse.terms, strict=True))
            if not head.part
        )

    def complete_text(self, options: object | None) -> None:
        """Take out what is gone, close the new segment, merge, and assemble the structure."""
        gone = sorted(set(self.base.sources) - set(self.live)) if self.base else []
        if gone:
            self._replaced.extend(gone)
            self.writer("lexical").remove(gone)
        self._finish_segment()
        self._merge()
        self.live = dict(sorted(self.live.items()))
        facts: dict[str, list[object]] = {}
        for name, info in self.live.items():
            kept = self._segments[info.segment].facts(info.place)
            self._kinds.update(kept.kinds)
            self._parts[name] = kept.parts
            facts[name] = kept.facts
        if self.subject.assemble is not None:
            self._structure = dict(call_declared(self.subject.assemble, facts, options))

    def _save(self, digest: str, data: bytes) -> None:
        if not self._keep_sources:
            return
        place = write_document(self.out, digest, data)
        if place is not None:
            self._saved.append(place)

    def _finish_segment(self) -> None:
        if self._segment is not None:
            self._segment.finish()
            self._segment = None
            self._open_segment(self._new)
            self._new += 1

    def _open_segment(self, number: int) -> None:
        place = layout.segment(self.folder, number)
        self._segments[number] = Segment(place, tuple(self.subject.fields))
        self._opened.append(self._segments[number])

    def replaced(self) -> list[str]:
        """Return the sources of the base that changed or are gone."""
        return self._replaced

    @property
    def text_changed(self) -> bool:
        """Whether the text differs from that of the base."""
        return self.base is None or "lexical" in self._writers

    def _merge(self) -> None:
        """Write the small segments as one when there are too many, and those mostly dead anew."""
        alive: Counter[int] = Counter()
        for info in self.live.values():
            alive[info.segment] += max(info.entries, 1)
        for number in [one for one in self._segments if not alive[one]]:
            del self._segments[number]
        old = {
            number
            for number, segment in self._segments.items()
            if len(segment) > DEAD_FROM and alive[number] < len(segment) * (1 - DEAD_SHARE)
        }
        if len(self._segments) > MAX_SEGMENTS:
            by_size = sorted(self._segments, key=lambda number: (-alive[number], number))
            old.update(by_size[KEPT_BY_MERGE:])
        if not old:
            return
        target = max(self._segments) + 1
        writer = SegmentWriter(layout.segment(self.folder, target), tuple(self.subject.fields))
        words = {number: self._segments[number].terms() for number in old}
        for name, info in sorted(self.live.items()):
            if info.segment not in old:
                continue
            segment = self._segments[info.segment]
            _, first, count = segment.source(info.place)
            rows = range(first, first + count)
            raw = [segment.raw_row(row) for row in rows]
            fields = [one for row in rows for one in segment.counted(row, words[info.segment])]
            width = len(segment.fields)
            new = writer.add(
                name,
                [json.loads(row)[0] for row in raw],
                raw,
                fields,
                [range(at, at + width) for at in range(0, len(fields), width)],
                segment.raw_facts(info.place),
            )
            self.live[name] = evolve(info, segment=target, place=new)
        writer.finish()
        for number in old:
            self._segments.pop(number)
            layout.segment(self.folder, number).unlink(missing_ok=True)
        self._open_segment(target)

    # ---- vectors

    @property
    def vectors_change(self) -> bool:
        """Whether the vectors differ from those of the base."""
        return not self._keep_vectors or bool(self._replaced or self.without_vectors())

    def without_vectors(self) -> list[str]:
        """Return the sources whose entries still need vectors."""
        if "vector" not in self._stores:
            return []
        return [name for name, info in self.live.items() if not info.vectors]

    def searched(self, names: Iterable[str]) -> int:
        """Return how many entries of these sources are searched by themselves: all but parts."""
        return sum(self.live[name].entries - self._parts[name] for name in names)

    def pending(
        self, names: Iterable[str], embedder: Embedder, only: Container[str] | None = None
    ) -> Iterator[Pending]:
        """Yield the entries of these sources with the texts their vectors are made of.

        Args:
            only: the ids that are wanted; None for all.
        """
        for name in names:
            info = self.live[name]
            if not info.entries:
                continue
            # Without copies each entry has a body of its own.
            source = self.source(info) if self._keep_sources else Source(name, "")
            segment = self._segments[info.segment]
            _, first, count = segment.source(info.place)
            entries = [segment.entry(row) for row in range(first, first + count)]
            parts = _kinds_of_parts((one.parent, one.kind) for one in entries if one.part)
            for entry in entries:
                if not entry.part and (only is None or entry.id in only):
                    texts = embedding_texts(
                        self.subject, embedder, entry, entry_body(source, entry)
                    )
                    kinds = (entry.kind, *parts.get(entry.id, ()))
                    filters = _filters(name, kinds, entry.filters)
                    yield Pending(entry.id, name, filters, tuple(texts))

    def source(self, info: SourceInfo) -> Source:
        """Return a live source with its text."""
        text = decode(read_document(self.out, info)).text
        return Source(info.name, text, info.digest, info.encoding)

    def vectors_made(self, names: Iterable[str]) -> None:
        """Note that these sources have their vectors now."""
        for name in names:
            self.live[name] = evolve(self.live[name], vectors=True)

    def iter_hashes(self) -> Iterator[tuple[int, str, int]]:
        """Yield the hash of each live entry's id, its source, and its row in that one's segment, in
        ascending order. Entries without terms are passed over, and parts with them."""
        live: dict[int, dict[int, str]] = {number: {} for number in self._segments}
        for name, info in self.live.items():
            live[info.segment][info.place] = name

        def of(number: int, segment: Segment) -> Iterator[tuple[int, str, int]]:
            for hashed, row in segment.iter_hashes():
                name = live[number].get(segment.source_of(row))
                if name is not None and any(segment.lengths(row)):
                    yield hashed, name, row

        yield from merge(*(of(number, segment) for number, segment in self._segments.items()))

    def entry(self, name: str, row: int) -> IndexedEntry:
        """Return the entry in `row` of the segment that the source `name` lies in."""
        return self._segments[self.live[name].segment].entry(row)

    def background(self) -> Path | None:
        """Return the place of the base's sample of vectors if they are of the same embedder."""
        if self.base is None or not self._keep_vectors:
            return None
        known = layout.BACKGROUND in self.base.manifest.files
        return self.base.check(layout.BACKGROUND) if known else None

    # ---- publishing

    def writer(self, role: str) -> Writer:
        """Return the writer of the store that plays `role`, begun on top of the base."""
        if role not in self._writers:
            store, options = self._stores[role]
            folder = self.folder / layout.STORES / role
            folder.mkdir(parents=True)
            base = None
            if self.base is not None and (role == "lexical" or self._keep_vectors):
                before = self.base.folder / layout.STORES / role
                base = Location(folder=before, generation=self.base.manifest.generation)
                if not before.is_dir():
                    base = None
            self._writers[role] = store.begin(
                Location(folder=folder, generation=self.number),
                store_schema(self.subject, role, self._dimensions, options),
                base,
            )
        return self._writers[role]

    def publish(self, manifest: Manifest) -> Manifest:
        """Publish the draft under `manifest`, whose figures and files are filled in here."""
        for writer in self._writers.values():
            writer.publish()
        self._link_the_rest()
        self._write(layout.SOURCES_TABLE, encode_sources(self.live.values()))
        dead = self._dead()
        self._write(
            layout.DEAD,
            encode_json({
                str(number): [one.entries, list(one.lengths), dict(sorted(one.df.items()))]
                for number, one in sorted(dead.items())
            }),
        )  # fmt: skip
        for name, data in (self._structure or {}).items():
            self._write(f"{layout.STRUCTURE}/{name}", data)
        layout.sync_files(self._saved)
        for folder, _, _ in os.walk(self.folder):
            layout.sync_folder(Path(folder))
        layout.sync_folder(self.out / layout.SOURCES)
        base = self.base
        total, parts = sum(self._kinds.values()), sum(self._parts.values())
        done = self.searched(name for name, info in self.live.items() if info.vectors)
        manifest = evolve(
            manifest,
            generation=self.number,
            sources=len(self.live),
            entries=total,
            parts=parts,
            kinds=dict(sorted(self._kinds.items())),
            lengths=self._lengths(dead),
            vectors_done=done if manifest.embedder else 0,
            vectors_total=total - parts if manifest.embedder else 0,
            segments=tuple(sorted(self._segments)),
            content_digest=self._content_digest(manifest),
            files=lock_files(
                self.folder, base.folder if base else None, base.manifest.files if base else {}
            ),
        )
        write_manifest(self.out, manifest)
        self._published = True
        return manifest

    def close(self) -> None:
        """Let go of every file, and undo everything if it is not published; idempotent."""
        for segment in self._opened:
            segment.close()
        if self._published:
            return
        if self._segment is not None:
            self._segment.close()
        for writer in self._writers.values():
            with contextlib.suppress(SourcebookError, OSError):
                writer.discard()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _link_the_rest(self) -> None:
        """Link what the base has and nobody wrote anew."""
        if self.base is None:
            return
        for number in self._segments:
            target = layout.segment(self.folder, number)
            if not target.exists():
                layout.link_or_copy(layout.segment(self.base.folder, number), target)
        linked = [f"{layout.STORES}/{role}" for role in self._stores if role not in self._writers]
        if self._structure is None:
            linked.append(layout.STRUCTURE)
        for part in linked:
            if part == f"{layout.STORES}/vector" and not self._keep_vectors:
                continue
            before = self.base.folder / part
            for name in layout.files_below(before):
                target = self.folder / part / name
                target.parent.mkdir(parents=True, exist_ok=True)
                layout.link_or_copy(before / name, target)
        background = self.base.folder / layout.BACKGROUND
        if (
            self._keep_vectors
            and background.exists()
            and not (self.folder / layout.BACKGROUND).exists()
        ):
            layout.link_or_copy(background, self.folder / layout.BACKGROUND)

    def _write(self, name: str, data: bytes) -> None:
        place = layout.inside(self.folder, name)
        place.parent.mkdir(parents=True, exist_ok=True)
        layout.write_file(place, data)

    def _dead(self) -> dict[int, Dead]:
        """Return, per segment, what belongs to sources that are gone."""
        dead: dict[int, Dead] = {}
        live = {(info.segment, info.place) for info in self.live.values()}
        for number, segment in self._segments.items():
            before = self.base.dead.get(number) if self.base else None
            known = self.base.sources if self.base and number in self.base.segments else {}
            rows: list[int] = []
            for place, (name, first, count) in enumerate(segment.sources):
                if (number, place) in live:
                    continue
                was = known.get(name)
                if was is not None and (was.segment, was.place) == (number, place):
                    rows.extend(range(first, first + count))
            if before is None and not rows:
                continue
            dead[number] = _bury(segment, rows, before)
        return dead

    def _lengths(self, dead: Mapping[int, Dead]) -> dict[str, int]:
        totals = [0] * len(self.subject.fields)
        for number, segment in self._segments.items():
            for at, length in enumerate(segment.total_lengths()):
                gone = dead[number].lengths[at] if number in dead else 0
                totals[at] += length - gone
        return dict(zip(self.subject.fields, totals, strict=True))

    def _content_digest(self, manifest: Manifest) -> str:
        digest = sha256(
            encode_json([
                manifest.subject, manifest.subject_format, dict(manifest.options),
                manifest.tokenizer, manifest.embedder.fingerprint if manifest.embedder else "",
            ])
        )  # fmt: skip
        for info in self.live.values():
            line = f"{info.digest} {info.parse} {info.vectors:d} {info.name}\0"
            digest.update(line.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def _bury(segment: Segment, rows: Sequence[int], before: Dead | None) -> Dead:
    df: Counter[str] = Counter(before.df if before else {})
    lengths = list(before.lengths) if before else [0] * len(segment.fields)
    numbers: Counter[int] = Counter()
    for row in rows:
        for at, length in enumerate(segment.lengths(row)):
            lengths[at] += length
        numbers.update({number for field in segment.row_terms(row) for number in field})
    if numbers:
        words = segment.terms()
        for number, count in numbers.items():
            df[words[number]] += count
    return Dead((before.entries if before else 0) + len(rows), tuple(lengths), df)


def _encode_facts(parse: EncodedParse) -> bytes:
    """Return what is kept per source beside its entries."""
    filters: dict[str, set[str]] = {}
    for head in parse.heads:
        for name, values in head.filters.items():
            filters.setdefault(name, set()).update(values)
    kinds = Counter(head.kind for head in parse.heads)
    known = {name: sorted(values) for name, values in sorted(filters.items())}
    parts = sum(head.part for head in parse.heads)
    rest = encode_json(Facts([], known, dict(sorted(kinds.items())), parts))
    return b"[" + parse.facts + rest.removeprefix(b"[[]")


def _kinds_of_parts(parts: Iterable[tuple[K, str]]) -> dict[K, list[str]]:
    """Return the kinds of the parts of each entry, from pairs of it and the kind of a part."""
    found: dict[K, list[str]] = {}
    for parent, kind in parts:
        kinds = found.setdefault(parent, [])
        if kind not in kinds:
            kinds.append(kind)
    return found


def _filters(
    name: str, kinds: tuple[str, ...], own: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Return the filter values of an entry as stores take them."""
    values = {key: tuple(some) for key, some in own.items()}
    return {"source": (name,), "kind": kinds, **values}
