"""Writing one generation on top of another: a new segment, tombstones, merges, indexes."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from attrs import define, evolve, field
from sourcebook.store import Location, Row, StoreSchema
from sourcebook.stores.files import clear, folder_of, link_or_copy, make_durable, writing
from sourcebook.stores.rows import check_row

from sourcebook_faiss.index import build_index, wanted_kind
from sourcebook_faiss.reader import Part
from sourcebook_faiss.segment import SegmentWriter
from sourcebook_faiss.state import IndexFile, SegmentFiles, State, read_state, write_state

MAX_SEGMENTS: Final = 8


@define(eq=False)
class Kept:
    """A segment as the generation in the making has it.

    Args:
        folder: where its files lie: the base's folder, or the new one.
        files: its files.
        part: it as readers of these files see it.
        died: its rows that died since.
    """

    folder: Path
    files: SegmentFiles
    part: Part
    died: set[int] = field(factory=set)

    def count(self) -> int:
        """Return the number of rows that are not dead."""
        return self.part.count() - len(self.died)


class FaissWriter:
    """A generation in the making; files of the base are only read, and linked at `publish`."""

    def __init__(self, location: Location, schema: StoreSchema, base: Location | None) -> None:
        self._folder = folder_of(location, "faiss")
        self._schema = schema
        wanted_kind(schema.options, 0)  # a wrong option is said before any work
        self._state = State(schema.dimensions)
        self._base: list[Kept] = []
        if base:
            origin = folder_of(base, "faiss")
            self._state = read_state(origin, schema.dimensions)
            self._base = [self._kept(origin, files) for files in self._state.segments]
        self._new: SegmentWriter | None = None
        self._new_rows: dict[str, int] = {}
        self._new_died: set[int] = set()
        self._published = False

    def upsert(self, rows: Iterable[Row]) -> None:
        """Add rows, replacing those with the same id.

        Raises:
            BadRequest: a row does not fit the schema.
            StoreUnavailable: the disk takes no more.
        """
        with writing(self._folder, "faiss"):
            for row in rows:
                check_row(row, self._schema)
                if self._new is None:
                    self._new = self._next_segment()
                order = self._state.next_order
                number = self._new.add(row, order)
                self._state = evolve(self._state, next_order=order + 1)
                if row.id in self._new_rows:
                    self._new_died.add(self._new_rows[row.id])
                elif row.id in self._base_rows:
                    kept, replaced = self._base_rows[row.id]
                    kept.died.add(replaced)
                self._new_rows[row.id] = number

    def remove(self, documents: Iterable[str]) -> int:
        """Drop every row of these documents; return how many rows that were."""
        removed = 0
        names = list(dict.fromkeys(documents))
        for kept in self._base:
            rows = {row for _, row in kept.part.of_documents(names)} - kept.died
            kept.died |= rows
            removed += len(rows)
        for document in names:
            if self._new is not None:
                rows = set(self._new.of_document(document)) - self._new_died
                self._new_died |= rows
                removed += len(rows)
        return removed

    def publish(self) -> None:
        """Merge what should be, build indexes, link what stays, and force all to the disk.

        Raises:
            StoreUnavailable: the disk takes no more.
        """
        if self._published:
            return
        with writing(self._folder, "faiss"):
            segments = list(self._base)
            if self._new is not None:
                self._new.finish()
                segments.append(self._kept(self._folder, SegmentFiles(self._new.path.name)))
                segments[-1].died = self._new_died
            segments = self._merged(segments)
            files = tuple(self._settle(kept) for kept in segments)
            write_state(self._folder, evolve(self._state, segments=files))
            needed = {name for segment in files for name in segment.names()}
            for path in self._folder.glob("[0-9]*"):
                if path.name not in needed:
                    path.unlink()
            make_durable(self._folder)
        self._published = True

    def discard(self) -> None:
        """Empty the folder; idempotent."""
        if not self._published:
            if self._new is not None:
                self._new.close()
            clear(self._folder)

    @cached_property
    def _base_rows(self) -> dict[str, tuple[Kept, int]]:
        return {row_id: (kept, row) for kept in self._base for row_id, row in kept.part.ids()}

    def _kept(self, folder: Path, files: SegmentFiles) -> Kept:
        return Kept(folder, files, Part(folder, files, self._schema.dimensions))

    def _next_segment(self) -> SegmentWriter:
        number = self._state.next_segment
        self._state = evolve(self._state, next_segment=number + 1)
        return SegmentWriter(self._folder / f"{number:06}.segment", self._schema.dimensions)

    def _merged(self, segments: Sequence[Kept]) -> list[Kept]:
        """Return the segments with those that `choose_merges` names copied into one."""
        counts = [(kept.count(), kept.part.segment.rows) for kept in segments]
        chosen = choose_merges(counts)
        stay = [kept for number, kept in enumerate(segments) if number not in chosen]
        rows = sum(counts[number][0] for number in chosen)
        if not rows:
            return stay
        writer = self._next_segment()
        for number in sorted(chosen):
            kept = segments[number]
            for row, order in kept.part.whole_rows(kept.died):
                writer.add(row, order)
        writer.finish()
        return [*stay, self._kept(self._folder, SegmentFiles(writer.path.name))]

    def _settle(self, kept: Kept) -> SegmentFiles:
        """Bring a segment's files into the folder, and return which they are."""
        self._bring(kept, kept.files.name)
        return SegmentFiles(kept.files.name, self._dead_file(kept), self._index_file(kept))

    def _bring(self, kept: Kept, name: str) -> None:
        if kept.folder != self._folder and name:
            link_or_copy(kept.folder / name, self._folder / name)

    def _dead_file(self, kept: Kept) -> str:
        before = kept.files.dead
        if not kept.died:
            self._bring(kept, before)
            return before
        stem, _, rest = (before or kept.files.name).partition(".")
        number = int(rest.partition(".")[0]) + 1 if before else 1
        path = self._folder / f"{stem}.{number}.dead"
        path.write_bytes(np.array(kept.part.dead(kept.died), "<u4").tobytes())
        return path.name

    def _index_file(self, kept: Kept) -> IndexFile | None:
        segment, index = kept.part.segment, kept.files.index
        wanted = wanted_kind(self._schema.options, segment.vectors)
        if index and index.kind == wanted:
            self._bring(kept, index.name)
            return index
        return build_index(segment, wanted, self._folder / f"{segment.path.stem}.faiss")


def choose_merges(counts: Sequence[tuple[int, int]]) -> set[int]:
    """Return the numbers of the segments to copy into one.

    These are the half dead ones; then, while more than `MAX_SEGMENTS` would be left, the smallest;
    and with them all that are no larger than what they come to, so that a row is copied about as
    often as the corpus has doubled since it came.

    Args:
        counts: for each segment its rows that are not dead, and all its rows.
    """
    chosen = {number for number, (living, rows) in enumerate(counts) if 2 * living <= rows}
    others = sorted((living, number) for number, (living, _) in enumerate(counts))
    total = sum(counts[number][0] for number in chosen)
    for living, number in others:
        left = len(counts) - len(chosen) + bool(total)
        if number not in chosen and (left > MAX_SEGMENTS or (chosen and 0 < living <= total)):
            chosen.add(number)
            total += living
    return chosen
