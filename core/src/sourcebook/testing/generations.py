"""The part of the store suite about generations and their files."""

import hashlib
import os
import shutil
import signal
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
import pytest

from sourcebook.errors import IndexDamaged, SourcebookError
from sourcebook.store import Capability, Location, Row, Store, StoreSchema
from sourcebook.testing.made import (
    DIMENSIONS,
    FIELDS,
    FILTERS,
    changed_rows,
    find_store,
    identity,
    judging,
    made_rows,
    made_words,
    normed,
    seeded,
    without_vectors,
)

if TYPE_CHECKING:
    from sourcebook.store import Writer

_Test = TypeVar("_Test", bound=Callable[..., None])


def needs(*capabilities: Capability) -> Callable[[_Test], _Test]:
    """Mark a test as one for stores that declare these capabilities."""

    def mark(test: _Test) -> _Test:
        test.__dict__["needs"] = capabilities
        return test

    return mark


def needs_files(test: _Test) -> _Test:
    """Mark a test as one for embedded stores."""
    test.__dict__["needs_files"] = True
    return test


class GenerationSuite:
    """Base of a store's test class; see the module.

    Attributes:
        store: the store's name, or its record.
        options: the store's own settings, as `StoreSchema.options`.
        vector_recall: share of the true ten nearest rows that the store promises to find among
            made clusters; 1 means an exact store, whose rankings must equal the judge's.
        candidate_recall: share of the ten best rows by BM25F that must be among 200 candidates.
    """

    store: ClassVar[Store | str]
    options: ClassVar[Mapping[str, object]] = MappingProxyType({})
    vector_recall: ClassVar[float] = 1.0
    candidate_recall: ClassVar[float] = 0.99
    record: ClassVar[Store]

    def __init_subclass__(cls) -> None:
        named = getattr(cls, "store", None)
        if named is None:
            return  # a base class, of ours or of the author's own
        cls.record = named if isinstance(named, Store) else find_store(named)
        for name in dir(cls):
            test = getattr(cls, name)
            lacking = set(getattr(test, "needs", ())) - cls.record.capabilities
            if lacking or (cls.record.remote and hasattr(test, "needs_files")):
                setattr(cls, name, None)  # pytest collects functions only

    # What an author of a remote store replaces.

    def location(self, root: Path, generation: int) -> Location:
        """Return where a generation of this test lies; `root` is the test's own folder."""
        folder = root / str(generation)
        folder.mkdir()
        return Location(folder=folder, generation=generation)

    # What the tests are made of.

    def schema(self, dimensions: int = DIMENSIONS) -> StoreSchema:
        """Return the schema of the tests' rows."""
        if Capability.VECTOR not in self.record.capabilities:
            dimensions = 0
        return StoreSchema(FIELDS, FILTERS, dimensions, self.options)

    def begin(self, location: Location, base: Location | None = None) -> "Writer":
        """Begin a generation of the store under test."""
        return self.record.begin(location, self.schema(), base)

    def publish(
        self,
        location: Location,
        rows: Iterable[Row],
        base: Location | None = None,
        remove: Sequence[str] = (),
    ) -> None:
        """Publish a generation with these changes."""
        writer = self.begin(location, base)
        if remove:
            writer.remove(remove)
        writer.upsert(self.fitting(rows))
        writer.publish()

    def fitting(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Return the rows as this store takes them: without vectors where it holds none."""
        vectors = Capability.VECTOR in self.record.capabilities
        return (row if vectors else without_vectors(row) for row in rows)

    @contextmanager
    def opened(self, location: Location) -> Iterator[Any]:
        """Open a published generation of the store under test, and close it twice.

        What a reader has depends on the capabilities of its store, by which the tests are chosen.
        """
        reader = self.record.open(location, self.schema())
        try:
            yield reader
        finally:
            reader.close()
            reader.close()

    @contextmanager
    def holding(self, root: Path, rows: Iterable[Row]) -> Iterator[Any]:
        """Publish rows as generation 1 and open it."""
        location = self.location(root, 1)
        self.publish(location, rows)
        with self.opened(location) as reader:
            yield reader

    # Generations.

    def test_generations_agree_with_the_judge_whatever_happens(self, tmp_path: Path) -> None:
        for seed in range(2):
            generator = seeded(seed)
            root = tmp_path / str(seed)
            root.mkdir()
            held: dict[str, Row] = {}
            base = None
            for generation in range(1, 12):
                location = self.location(root, generation)
                writer = self.begin(location, base)
                for _ in range(generator.randint(0, 3)):
                    if generator.random() < 0.4:
                        gone = generator.sample([f"d{n}" for n in range(12)], 2)
                        there = [i for i, row in held.items() if row.document in gone]
                        assert writer.remove(gone) == len(there)
                        for row_id in there:
                            del held[row_id]
                    rows = changed_rows(generator)
                    for row in rows:
                        held.pop(row.id, None)
                        held[row.id] = row
                    writer.upsert(self.fitting(rows))
                writer.publish()
                with (
                    self.opened(location) as reader,
                    judging(held.values(), self.schema()) as judge,
                ):
                    self.compare(reader, judge, generator)
                base = location

    def compare(self, reader: Any, judge: Any, generator: Random) -> None:
        """Assert that a reader and the judge tell the same."""
        assert reader.count() == judge.count()
        documents = judge.list_document_ids()
        assert reader.list_document_ids() == documents
        for document in documents:
            assert list(map(identity, reader.list_chunks(document))) == list(
                map(identity, judge.list_chunks(document))
            )
        filters = {"kind": [f"k{generator.randint(0, 4)}", "k1"]}
        terms = made_words(generator, 8)
        if Capability.DOCUMENT_FREQUENCIES in self.record.capabilities:
            assert reader.document_frequencies(terms) == judge.document_frequencies(terms)
        if Capability.LEXICAL in self.record.capabilities:
            assert set(reader.candidates(terms, 999)) == set(judge.candidates(terms, 999))
            found = reader.candidates(terms, 999, filters)
            assert set(found) == set(judge.candidates(terms, 999, filters))
        if Capability.VECTOR in self.record.capabilities and self.vector_recall == 1:
            vector = normed(np.array([generator.gauss(0, 1) for _ in range(DIMENSIONS)]))
            assert reader.nearest(vector, 10) == judge.nearest(vector, 10)
            assert reader.nearest(vector, 10, filters) == judge.nearest(vector, 10, filters)

    def test_an_older_generation_answers_while_newer_ones_come(self, tmp_path: Path) -> None:
        first, second = self.location(tmp_path, 1), self.location(tmp_path, 2)
        self.publish(first, made_rows(20))
        with self.opened(first) as reader:
            self.publish(second, [Row("new", "d9")], first, remove=["d0", "d1"])
            assert reader.count() == 20
            assert len(reader.list_chunks("d0")) == 5
            with self.opened(second) as newer:
                assert newer.count() == 11

    def test_nothing_is_seen_before_publish_and_discard_takes_it_back(self, tmp_path: Path) -> None:
        first, second = self.location(tmp_path, 1), self.location(tmp_path, 2)
        self.publish(first, made_rows(20))
        writer = self.begin(second, first)
        writer.remove(["d0"])
        writer.upsert(self.fitting(made_rows(40)))
        with self.opened(first) as reader:
            assert reader.count() == 20
        writer.discard()
        writer.discard()
        with self.opened(first) as reader:
            assert reader.count() == 20
            assert len(reader.list_chunks("d0")) == 5

    def test_publish_may_be_called_again(self, tmp_path: Path) -> None:
        location = self.location(tmp_path, 1)
        writer = self.begin(location)
        writer.upsert(self.fitting(made_rows(20)))
        writer.publish()
        writer.publish()
        with self.opened(location) as reader:
            assert reader.count() == 20

    @needs_files
    def test_discard_leaves_an_empty_folder(self, tmp_path: Path) -> None:
        first, second = self.location(tmp_path, 1), self.location(tmp_path, 2)
        self.publish(first, made_rows(20))
        writer = self.begin(second, first)
        writer.upsert(self.fitting(made_rows(5)))
        writer.discard()
        assert digests(second) == {}

    @needs_files
    def test_no_file_of_the_base_is_ever_changed(self, tmp_path: Path) -> None:
        first, second = self.location(tmp_path, 1), self.location(tmp_path, 2)
        self.publish(first, made_rows(60))
        before = digests(first)
        self.publish(second, made_rows(8), first, remove=["d2"])
        assert digests(first) == before
        with self.opened(second) as reader:
            reader.list_chunks("d0")
        assert digests(first) == before

    @needs_files
    def test_reading_changes_no_file(self, tmp_path: Path) -> None:
        location = self.location(tmp_path, 1)
        self.publish(location, made_rows(60))
        before = digests(location)
        with self.opened(location) as reader, judging(made_rows(60), self.schema()) as judge:
            self.compare(reader, judge, seeded(1))
        assert digests(location) == before

    @needs_files
    def test_a_generation_stands_without_its_base(self, tmp_path: Path) -> None:
        first, second = self.location(tmp_path, 1), self.location(tmp_path, 2)
        self.publish(first, made_rows(60))
        self.publish(second, [], first)
        shutil.rmtree(folder(first))
        with self.opened(second) as reader, judging(made_rows(60), self.schema()) as judge:
            self.compare(reader, judge, seeded(1))

    @needs_files
    def test_a_moved_or_copied_generation_still_opens(self, tmp_path: Path) -> None:
        location = self.location(tmp_path, 1)
        self.publish(location, made_rows(60))
        copied, moved = tmp_path / "copied here", tmp_path / "moved ♥"
        shutil.copytree(folder(location), copied)
        folder(location).rename(moved)
        for place in (copied, moved):
            with (
                self.opened(Location(folder=place)) as reader,
                judging(made_rows(60), self.schema()) as judge,
            ):
                self.compare(reader, judge, seeded(1))

    @needs_files
    def test_published_files_are_plain_and_readable_by_everyone(self, tmp_path: Path) -> None:
        location = self.location(tmp_path, 1)
        self.publish(location, made_rows(20))
        for path in folder(location).iterdir():
            assert path.is_file()
            assert path.stat().st_mode & 0o777 == 0o644, path.name
            assert "lock" not in path.name

    @needs_files
    def test_another_user_reads_a_read_only_generation(self) -> None:
        with tempfile.TemporaryDirectory(prefix="sourcebook-") as name:
            root = Path(name)
            root.chmod(0o755)
            location = self.location(root, 1)
            self.publish(location, made_rows(60))

            def read() -> None:
                with (
                    self.opened(location) as reader,
                    judging(made_rows(60), self.schema()) as judge,
                ):
                    self.compare(reader, judge, seeded(1))

            read()  # what is imported lazily may lie where the other user cannot look
            folder(location).chmod(0o555)
            before = digests(location)
            as_nobody(folder(location), read)
            assert digests(location) == before
            folder(location).chmod(0o755)

    @needs_files
    def test_without_one_of_its_files_it_is_damaged_or_answers_rightly(
        self, tmp_path: Path
    ) -> None:
        location = self.location(tmp_path, 1)
        self.publish(location, made_rows(60))
        damages = []
        with judging(made_rows(60), self.schema()) as judge:
            for path in sorted(folder(location).iterdir()):
                data = path.read_bytes()
                path.unlink()
                try:
                    with self.opened(location) as reader:
                        self.compare(reader, judge, seeded(1))
                except IndexDamaged as damage:
                    damages.append(damage)
                path.write_bytes(data)
        assert damages
        assert all(str(folder(location)) in damage.where for damage in damages)

    @needs_files
    def test_flipped_bits_are_an_error_of_ours_or_an_answer_but_never_a_crash(
        self, tmp_path: Path
    ) -> None:
        first, second = self.location(tmp_path, 1), self.location(tmp_path, 2)
        self.publish(first, made_rows(60))
        self.publish(second, made_rows(8), first, remove=["d2"])
        generator = seeded(1)

        def try_damages() -> None:
            for trial in range(100):
                damaged = tmp_path / f"damaged {trial}"
                shutil.copytree(folder(second), damaged)
                path = generator.choice(sorted(damaged.iterdir()))
                data = bytearray(path.read_bytes())
                for _ in range(generator.choice((1, 1, 8)) if data else 0):
                    data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
                cut = generator.randrange(len(data) + 1) if generator.random() < 0.2 else len(data)
                path.write_bytes(data[:cut])
                # Wrong answers pass here: the digests of an index find every flip.
                with (
                    suppress(SourcebookError, AssertionError),
                    self.opened(Location(folder=damaged)) as reader,
                ):
                    self.compare(reader, reader, generator)

        in_child(try_damages)

    @needs_files
    def test_a_folder_that_is_gone_is_damage(self, tmp_path: Path) -> None:
        with pytest.raises(IndexDamaged):
            self.record.open(Location(folder=tmp_path / "nowhere"), self.schema())


def folder(location: Location) -> Path:
    """Return the folder of an embedded store's location."""
    assert location.folder is not None
    return location.folder


def digests(location: Location) -> dict[str, str]:
    """Return the sha256 of each file of a generation."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder(location).iterdir()
    }


def in_child(act: Callable[[], None]) -> None:
    """Act in a child process, and assert that it neither failed nor crashed."""
    with warnings.catch_warnings():
        # Engines keep threads; the child uses none of theirs and ends without cleaning up.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(120)
            act()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def as_nobody(place: Path, act: Callable[[], None]) -> None:
    """Act in a child process as a user who may not write in `place`."""

    def act_unprivileged() -> None:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        with pytest.raises(OSError):
            (place / "written").touch()
        act()

    in_child(act_unprivileged)
