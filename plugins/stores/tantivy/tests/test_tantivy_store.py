"""What is special about the store `tantivy`; the rest is in the conformance suite."""

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import tantivy
from sourcebook.errors import BadRequest, IndexDamaged, IndexOutdated, StoreUnavailable
from sourcebook.store import Location, Row, StoreSchema
from sourcebook_tantivy.engine import find_damage, guard, make_schema
from sourcebook_tantivy.plugin import begin, open_reader

SCHEMA = StoreSchema(("title", "body"), {"kind": False})


def rows(first: int, last: int, document: str = "") -> Iterator[Row]:
    for n in range(first, last):
        terms = {"title": f"number {n}", "body": " ".join(f"w{(n * k) % 997}" for k in range(60))}
        yield Row(f"{n}", document or f"d{n // 10}", terms=terms, filters={"kind": (f"k{n % 3}",)})


def publish(folder: Path, base: Path | None = None, change: int = 0, first: int = 2000) -> Path:
    folder.mkdir()
    writer = begin(Location(folder=folder), SCHEMA, Location(folder=base) if base else None)
    if base:
        writer.remove([f"d{change}"])
        writer.upsert(rows(change * 10, change * 10 + 10))
    else:
        writer.upsert(rows(0, first))
    writer.publish()
    return folder


def test_the_plugin_module_imports_no_engine() -> None:
    program = "import sys, sourcebook_tantivy.plugin; assert 'tantivy' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_generation_links_what_it_keeps(tmp_path: Path) -> None:
    base = publish(tmp_path / "1")
    following = publish(tmp_path / "2", base, change=7)
    kept = {path.stat().st_ino for path in base.iterdir()}
    new = [path for path in following.iterdir() if path.stat().st_ino not in kept]
    assert sum(path.stat().st_size for path in new) < 0.1 * sum(
        path.stat().st_size for path in base.iterdir()
    )
    assert not {"meta.json", ".managed.json"} - {path.name for path in new}


def test_segments_stay_few_over_many_generations(tmp_path: Path) -> None:
    folder = publish(tmp_path / "0", first=200)
    for generation in range(1, 25):
        folder = publish(tmp_path / f"{generation}", folder, change=generation % 20)
        assert len(list(folder.glob("*.term"))) <= 8
    reader = open_reader(Location(folder=folder), SCHEMA)
    assert reader.count() == 200
    assert [row.id for row in reader.list_chunks("d3")] == [f"{n}" for n in range(30, 40)]


def test_nothing_waits_for_the_disk_before_publish(tmp_path: Path) -> None:
    base = publish(tmp_path / "1", first=200)
    folder = tmp_path / "2"
    folder.mkdir()
    writer = begin(Location(folder=folder), SCHEMA, Location(folder=base))
    begun = (folder / "meta.json").read_bytes()
    for change in range(20):
        assert writer.remove([f"d{change}"]) == 10
        writer.upsert(rows(change * 10, change * 10 + 10))
        assert writer.remove([f"d{change}"]) == 10
        assert writer.remove([f"d{change}"]) == 0
        writer.upsert(rows(change * 10, change * 10 + 9))
    assert (folder / "meta.json").read_bytes() == begun
    writer.publish()
    assert open_reader(Location(folder=folder), SCHEMA).count() == 180


def test_a_row_that_moves_between_documents_is_counted_where_it_is(tmp_path: Path) -> None:
    writer = begin(Location(folder=tmp_path), SCHEMA, None)
    writer.upsert([Row("x", "d1"), Row("x", "d2"), Row("y", "d1")])
    assert writer.remove(["d1"]) == 1
    assert writer.remove(["d1", "d2", "d2"]) == 1
    writer.publish()
    assert open_reader(Location(folder=tmp_path), SCHEMA).count() == 0


def test_no_file_stays_that_the_engine_needs_no_more(tmp_path: Path) -> None:
    folder = publish(tmp_path / "0", first=100)
    for generation in range(1, 10):
        folder = publish(tmp_path / f"{generation}", folder, change=0)
    living = {path.name.partition(".")[0] for path in folder.glob("*.term")}
    for path in folder.iterdir():
        assert path.name in ("meta.json", ".managed.json") or path.name.partition(".")[0] in living


def test_the_private_folder_is_gone_once_the_index_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = publish(tmp_path / "1", first=50)
    private = tmp_path / "private"
    private.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    reader = open_reader(Location(folder=folder), SCHEMA)
    assert list(private.iterdir()) == []
    assert len(reader.candidates(["number"], 100)) == 50
    reader.close()


def test_without_a_temporary_folder_the_error_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = publish(tmp_path / "1", first=5)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(StoreUnavailable, match="temporary"):
        open_reader(Location(folder=folder), SCHEMA)


def test_a_panic_of_the_engine_is_damage_and_keeps_the_process_alive(tmp_path: Path) -> None:
    folder = publish(tmp_path / "1", first=5)
    with pytest.raises(IndexDamaged) as raised, guard(folder):
        tantivy.Query.phrase_query(make_schema(), "terms", ["alone"])
    assert raised.value.where == str(folder)


def test_an_interrupt_passes_the_guard(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), guard(tmp_path):
        raise KeyboardInterrupt


def test_damage_names_the_file(tmp_path: Path) -> None:
    folder = publish(tmp_path / "1", first=100)
    (path,) = folder.glob("*.store")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + data[len(data) // 2 + 1 :])
    with pytest.raises(IndexDamaged) as raised:
        open_reader(Location(folder=folder), SCHEMA).list_chunks("d3")
    assert raised.value.where == str(path)
    path.write_bytes(data)
    assert find_damage(folder) is None
    path.unlink()
    assert find_damage(folder) == path
    (folder / ".managed.json").write_text("{")
    assert find_damage(folder) == folder / ".managed.json"


def test_a_damaged_base_stops_a_build(tmp_path: Path) -> None:
    base = publish(tmp_path / "1", first=100)
    (path,) = base.glob("*.idx")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(IndexDamaged) as raised:
        publish(tmp_path / "2", base)
    assert raised.value.where == str(tmp_path / "2" / path.name)


def test_files_of_another_engine_version_are_outdated(tmp_path: Path) -> None:
    folder = publish(tmp_path / "1", first=5)
    for path in folder.glob("*.*"):
        data = path.read_bytes()
        path.write_bytes(data.replace(b'"index_format_version":7', b'"index_format_version":1'))
    with pytest.raises(IndexOutdated):
        open_reader(Location(folder=folder), SCHEMA)


def test_a_disk_that_takes_no_more_is_no_damage(tmp_path: Path) -> None:
    folder = publish(tmp_path / "1", first=5)
    with pytest.raises(StoreUnavailable, match="No space"), guard(folder, writing=True):
        raise OSError(28, "No space left on device")


def test_rows_of_a_refused_batch_are_not_written(tmp_path: Path) -> None:
    writer = begin(Location(folder=tmp_path), SCHEMA, None)
    with pytest.raises(BadRequest):
        writer.upsert([*rows(0, 5), Row("bad", "d", terms={"nothing": "x"})])
    writer.publish()
    assert open_reader(Location(folder=tmp_path), SCHEMA).count() == 0


@pytest.mark.parametrize("kept", [0, 2, 100_000])
def test_candidates_have_their_own_ids_however_many_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    monkeypatch.setattr("sourcebook_tantivy.reader.IDS_KEPT", kept)
    ids = ["plain", 'a "quoted" one', "back\\slash", "new\nline", "Grüße #1", '"', "\\", "]", ""]
    writer = begin(Location(folder=tmp_path), SCHEMA, None)
    writer.upsert(
        Row(one, "d", terms={"title": f"t{n}", "body": "all"}) for n, one in enumerate(ids)
    )
    writer.publish()
    with contextlib.closing(open_reader(Location(folder=tmp_path), SCHEMA)) as reader:
        for _ in range(2):
            assert sorted(reader.candidates(["all"], 100)) == sorted(ids)
            for number, one in enumerate(ids):
                assert reader.candidates([f"t{number}"], 1) == [one]
