"""What is special about the store `faiss`; the rest is in the conformance suite."""

import json
import math
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sourcebook.errors import (
    BadSetting,
    IndexDamaged,
    IndexOutdated,
    StoreMismatch,
    StoreUnavailable,
)
from sourcebook.store import Location, Row, StoreSchema
from sourcebook_faiss import index, reader
from sourcebook_faiss.plugin import begin, open_reader
from sourcebook_faiss.reader import FaissReader
from sourcebook_faiss.state import STATE
from sourcebook_faiss.writer import MAX_SEGMENTS, choose_merges

WIDTH = 16


def schema(options: Mapping[str, object] | None = None, width: int = WIDTH) -> StoreSchema:
    return StoreSchema((), {"kind": False}, width, options or {})


def vectors(count: int, seed: int = 0) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).standard_normal((count, WIDTH)).astype(np.float32)
    lengths: NDArray[np.float32] = np.sqrt((drawn * drawn).sum(axis=1, keepdims=True))
    return drawn / lengths


def rows(count: int, seed: int = 0) -> Iterator[Row]:
    for n, vector in enumerate(vectors(count, seed)):
        yield Row(f"{n}", f"d{n // 10}", vectors=vector[None], filters={"kind": (f"k{n % 40}",)})


def publish(
    folder: Path,
    new: Iterator[Row],
    base: Path | None = None,
    remove: tuple[str, ...] = (),
    **options: object,
) -> Path:
    folder.mkdir()
    writer = begin(
        Location(folder=folder), schema(options), Location(folder=base) if base else None
    )
    writer.remove(remove)
    writer.upsert(new)
    writer.publish()
    return folder


def opened(folder: Path) -> FaissReader:
    reader = open_reader(Location(folder=folder), schema())
    assert isinstance(reader, FaissReader)
    return reader


def test_the_plugin_module_imports_neither_numpy_nor_faiss() -> None:
    program = (
        "import sys, sourcebook_faiss.plugin; assert not {'numpy', 'faiss'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_an_exact_search_imports_no_faiss(tmp_path: Path) -> None:
    folder = publish(tmp_path / "1", rows(50))
    program = (
        "import sys; from pathlib import Path; import numpy as np;"
        "from sourcebook.store import *; from sourcebook_faiss.plugin import open_reader;"
        f"schema = StoreSchema((), {{'kind': False}}, {WIDTH});"
        "reader = open_reader(Location(folder=Path(sys.argv[1])), schema);"
        f"assert len(reader.nearest(np.eye({WIDTH}, dtype=np.float32)[0], 5)) == 5;"
        "assert 'faiss' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program, folder], check=True)


@pytest.mark.parametrize("slacks", [(1,), (1, 20), (4, 8)])
def test_the_eight_bit_copy_finds_what_a_scan_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slacks: tuple[int, ...]
) -> None:
    def long_rows(seed: int) -> Iterator[Row]:
        drawn, at = vectors(4000, seed), 0
        for n, windows in enumerate(np.random.default_rng(seed).integers(1, 6, 1000)):
            # Windows of one row are alike, and some rows are equal.
            own = drawn[at] + drawn[at : at + windows] * 0.7 if n % 7 else drawn[:1]
            own /= np.linalg.norm(own, axis=1, keepdims=True)
            yield Row(f"{seed}-{n}", f"d{n // 10}-{seed}", vectors=own.astype(np.float32))
            at += int(windows)

    base = publish(tmp_path / "1", long_rows(1), index="exact")
    folder = publish(tmp_path / "2", long_rows(2), base, remove=("d3-1", "d5-1"), index="exact")
    asked = [*vectors(40, 3), np.eye(WIDTH, dtype=np.float32)[0], np.zeros(WIDTH, np.float32)]
    wanted = [opened(folder).nearest(query, 12) for query in asked]
    monkeypatch.setattr(reader, "LEAST_VECTORS", 1)
    monkeypatch.setattr(reader, "SCANS_BEFORE", 0)
    monkeypatch.setattr(reader, "COPY_SLACKS", slacks)
    copied = opened(folder)
    assert [copied.nearest(query, 12) for query in asked] == wanted
    assert all("_copy" in vars(part) for part in copied._parts)


def test_a_copy_of_zero_vectors_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = np.zeros((1, WIDTH), np.float32)
    folder = publish(tmp_path / "1", (Row(f"{n:03}", "d", vectors=none) for n in range(300)))
    monkeypatch.setattr(reader, "LEAST_VECTORS", 1)
    monkeypatch.setattr(reader, "SCANS_BEFORE", 0)
    found = opened(folder).nearest(vectors(1)[0], 2)
    assert [(hit.id, hit.score) for hit in found] == [("000", 0.0), ("001", 0.0)]


def test_a_generation_links_the_segments_it_keeps(tmp_path: Path) -> None:
    base = publish(tmp_path / "1", rows(500), index="hnsw")
    following = publish(tmp_path / "2", rows(10), base, remove=("d3",), index="hnsw")
    for name in ("000001.segment", "000001.faiss"):
        assert (following / name).stat().st_ino == (base / name).stat().st_ino
    new = {path.name for path in following.iterdir()} - {path.name for path in base.iterdir()}
    assert new == {"000002.segment", "000002.faiss", "000001.1.dead"}


def test_an_unchanged_generation_links_everything_but_its_record(tmp_path: Path) -> None:
    base = publish(tmp_path / "1", rows(50), index="ivf-sq8")
    base = publish(tmp_path / "2", iter(()), base, remove=("d3",), index="ivf-sq8")
    following = publish(tmp_path / "3", iter(()), base, index="ivf-sq8")
    for path in base.iterdir():
        linked = (following / path.name).stat().st_ino == path.stat().st_ino
        assert linked == (path.name != STATE)


def test_segments_stay_few_over_many_generations(tmp_path: Path) -> None:
    folder = publish(tmp_path / "0", rows(300))
    for generation in range(1, 40):
        change = (Row(f"{n}", f"d{n // 10}") for n in range(generation * 5, generation * 5 + 5))
        folder = publish(tmp_path / f"{generation}", change, folder)
        assert len(list(folder.glob("*.segment"))) <= MAX_SEGMENTS
        assert opened(folder).count() == 300
    assert len(opened(folder).nearest(vectors(1)[0], 500)) == 300 - 195


def test_a_half_dead_segment_is_copied_without_its_dead(tmp_path: Path) -> None:
    base = publish(tmp_path / "1", rows(40))
    following = publish(tmp_path / "2", iter(()), base, remove=("d0", "d1"))
    assert [path.name for path in following.glob("0*")] == ["000002.segment"]
    assert [hit.id for hit in opened(following).nearest(vectors(40)[33], 1)] == ["33"]
    emptied = publish(tmp_path / "3", iter(()), following, remove=("d2", "d3"))
    assert [path.name for path in emptied.iterdir()] == [STATE]


@given(st.lists(st.integers(0, 1000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))))
def test_what_is_merged_leaves_few_segments_and_none_half_dead(
    counts: list[tuple[int, int]],
) -> None:
    chosen = choose_merges(counts)
    stay = [counts[number] for number in range(len(counts)) if number not in chosen]
    assert all(2 * living > total for living, total in stay)
    assert len(stay) + any(counts[number][0] for number in chosen) <= MAX_SEGMENTS


def test_a_row_is_copied_about_as_often_as_the_corpus_doubles() -> None:
    segments, copied, added = [100_000], 0, 0
    for _ in range(3000):
        segments.append(10)
        added += 10
        chosen = choose_merges([(count, count) for count in segments])
        merged = sum(segments[number] for number in chosen)
        copied += merged
        segments = [count for number, count in enumerate(segments) if number not in chosen]
        segments += [merged] if merged else []
    assert copied < math.log2(added / 10) * added


def test_beyond_the_measured_size_an_index_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "EXACT_VECTORS", 100)
    small, large = publish(tmp_path / "1", rows(100)), publish(tmp_path / "2", rows(101))
    assert not list(small.glob("*.faiss"))
    assert list(large.glob("*.faiss"))


@pytest.mark.parametrize("kind", ["hnsw", "ivf-sq8"])
def test_an_index_is_built_alike_every_time(tmp_path: Path, kind: str) -> None:
    one, two = (publish(tmp_path / name, rows(3000), index=kind) for name in "ab")
    for path in one.iterdir():
        assert path.read_bytes() == (two / path.name).read_bytes()


def test_another_kind_of_index_is_built_over_the_same_segment(tmp_path: Path) -> None:
    folder = publish(tmp_path / "exact", rows(500), index="exact")
    for kind in ("hnsw", "ivf-sq8", "flat", "exact"):
        before, folder = folder, publish(tmp_path / f"to {kind}", iter(()), folder, index=kind)
        segment = folder / "000001.segment"
        assert segment.stat().st_ino == (before / "000001.segment").stat().st_ino
        assert bool(list(folder.glob("*.faiss"))) == (kind in ("hnsw", "ivf-sq8"))
        assert opened(folder).nearest(vectors(500)[7], 1)[0].id == "7"


def test_an_unknown_kind_of_index_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(BadSetting) as raised:
        begin(Location(folder=tmp_path), schema({"index": "hnws"}), None)
    assert "hnsw" in raised.value.hint


@pytest.mark.parametrize("kind", ["flat", "hnsw", "ivf-sq8"])
def test_a_narrow_filter_misses_nothing_and_a_wide_one_little(tmp_path: Path, kind: str) -> None:
    indexed = opened(publish(tmp_path / "1", rows(4000), index=kind))
    exact = opened(publish(tmp_path / "2", rows(4000), index="exact"))
    wide = {"kind": [f"k{n}" for n in range(30)]}
    found = 0
    for query in vectors(20, seed=1):
        narrow = {"kind": ["k3"]}
        assert indexed.nearest(query, 10, narrow) == exact.nearest(query, 10, narrow)
        best = {hit.id for hit in exact.nearest(query, 10, wide)}
        found += len(best & {hit.id for hit in indexed.nearest(query, 10, wide)})
    assert found >= 170


# A graph does not lead to every one of many equal vectors, so `hnsw` cannot promise this.
@pytest.mark.parametrize("kind", ["exact", "flat", "ivf-sq8"])
def test_equals_at_the_limit_go_by_id(tmp_path: Path, kind: str) -> None:
    same = vectors(1)
    alike = (Row(f"{n * 37 % 200:03}", "d", vectors=same) for n in range(200))
    reader = opened(publish(tmp_path / "1", alike, index=kind))
    assert [hit.id for hit in reader.nearest(same[0], 3)] == ["000", "001", "002"]


def test_an_index_file_is_checked_before_faiss_reads_it(tmp_path: Path) -> None:
    folder = publish(tmp_path / "1", rows(200), index="hnsw")
    (path,) = folder.glob("*.faiss")
    data = path.read_bytes()
    swapped = data[:2] + b"SQ" + data[4:]
    for damaged in (data[:-1], data[:-1] + b"?", swapped, b"", data[:4] + bytes(12) + data[16:]):
        path.write_bytes(damaged)
        with pytest.raises(IndexDamaged) as raised:
            opened(folder).nearest(vectors(1)[0], 5)
        assert raised.value.where == str(path)
    path.unlink()
    with pytest.raises(IndexDamaged):
        opened(folder).nearest(vectors(1)[0], 5)


@pytest.mark.parametrize("name", ["../000001.segment", "/etc/passwd", "000001.segment/x", 7])
def test_no_name_in_the_record_leads_out_of_the_folder(tmp_path: Path, name: object) -> None:
    folder = publish(tmp_path / "1", rows(20))
    state = json.loads((folder / STATE).read_text())
    state["segments"][0]["name"] = name
    (folder / STATE).write_text(json.dumps(state))
    with pytest.raises(IndexDamaged) as raised:
        opened(folder)
    assert raised.value.where == str(folder / STATE)


def test_another_format_is_outdated_not_damaged(tmp_path: Path) -> None:
    folder = publish(tmp_path / "1", rows(20))
    state = json.loads((folder / STATE).read_text())
    (folder / STATE).write_text(json.dumps(state | {"format": 1}))
    with pytest.raises(IndexOutdated):
        opened(folder)


def test_vectors_of_another_width_are_a_mismatch(tmp_path: Path) -> None:
    folder = publish(tmp_path / "1", rows(20))
    with pytest.raises(StoreMismatch) as raised:
        open_reader(Location(folder=folder), schema(width=WIDTH + 1))
    assert (raised.value.expected, raised.value.actual) == (f"{WIDTH + 1}", f"{WIDTH}")


def test_a_folder_that_takes_no_file_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "1"
    folder.mkdir()
    writer = begin(Location(folder=folder), schema(), None)
    shutil.rmtree(folder)
    with pytest.raises(StoreUnavailable) as raised:
        writer.upsert(rows(1))
    assert str(folder) in raised.value.where
