"""Generations: text first when vectors take long, old ones kept for their readers, then swept."""

import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sourcebook.errors import EmbedderUnavailable, IndexDamaged
from sourcebook.index import build as building
from sourcebook.index.manifest import read_manifest
from sourcebook.index.open import Index, open_index, verify_index
from sourcebook.registry import registry
from sourcebook.testing.indexes import answers, ask, build, check

QUESTIONS = ("zebra", "number 7")


@pytest.fixture(name="written")
def _written(corpus: Path) -> Path:
    """Write 200 documents of two entries."""
    for number in range(200):
        (corpus / f"{number:03}.txt").write_text(f"zebra number {number}\n\nother words {number}\n")
    return corpus


@pytest.fixture(name="log")
def _log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file that gets a byte for each text that `paced` embeds."""
    monkeypatch.setenv("PACED_LOG", str(tmp_path / "log"))
    return tmp_path / "log"


@pytest.fixture(name="slowly")
def _slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every embedding one that takes long."""
    monkeypatch.setattr(building, "TWO_GENERATIONS_S", -1.0)


def count(log: Path) -> int:
    return len(log.read_bytes()) if log.exists() else 0


def numbers(out: Path) -> list[int]:
    return sorted(int(place.name) for place in (out / "generations").iterdir())


def fail_after(monkeypatch: pytest.MonkeyPatch, texts: int) -> None:
    monkeypatch.setenv("PACED_FAILS_AFTER", str(texts))


def test_text_is_published_first_when_vectors_take_long(
    written: Path, out: Path, tmp_path: Path, slowly: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_after(monkeypatch, 300)
    with pytest.raises(EmbedderUnavailable):
        build("notes", written, out, embedding="paced")
    with open_index(out) as index:
        manifest = index.manifest
        assert (manifest.sources, manifest.entries) == (200, 400)
        assert (manifest.vectors_done, manifest.vectors_total) == (0, 400)
        for mode in ("text", "hybrid", "vector"):
            found = ask(index, "search", query="zebra 7", mode=mode, min_evidence="none")
            assert found.vectors == "0 of 400"
            assert mode == "vector" or found.hits[0].source == "007.txt"
    assert numbers(out) == [1], "the draft of the second is taken back, the first stays"
    assert verify_index(out) == []
    told = check("notes", written, out, embedding="paced")
    assert (told.vectors_done, told.vectors_total) == (0, 400)

    fail_after(monkeypatch, 10**6)
    built = build("notes", written, out, embedding="paced")
    assert (built.generation, built.parsed, built.vectors_done) == (2, 0, 400)
    build("notes", written, tmp_path / "fresh-db", embedding="paced")
    assert answers(out, QUESTIONS) == answers(tmp_path / "fresh-db", QUESTIONS)


def test_a_build_that_died_while_embedding_is_gone_on_with(
    written: Path, out: Path, cache: Path, log: Path, slowly: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_after(monkeypatch, 256)
    with pytest.raises(EmbedderUnavailable):
        build("notes", written, out, cache, embedding="paced")
    assert count(log) == 256
    fail_after(monkeypatch, 10**6)
    built = build("notes", written, out, cache, embedding="paced")
    assert count(log) == 400, "nothing is embedded twice"
    assert (built.embedded, built.vectors_cached) == (144, 256)


def test_vectors_of_what_is_unchanged_answer_while_the_rest_is_made(
    written: Path, out: Path, slowly: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    build("notes", written, out, embedding="paced")
    for number in range(195):
        (written / f"{number:03}.txt").write_text(f"changed {number}\n")
    (written / "199.txt").unlink()
    fail_after(monkeypatch, 192)
    with pytest.raises(EmbedderUnavailable):
        build("notes", written, out, embedding="paced")
    with open_index(out) as index:
        assert (index.manifest.vectors_done, index.manifest.vectors_total) == (8, 203)
        asked = {"mode": "vector", "min_evidence": "none", "limit": 50}
        found = ask(index, "search", query="zebra 197", **asked)
        assert found.vectors == "8 of 203"
        assert found.hits[0].source == "197.txt"
        assert all(hit.source != "199.txt" for hit in found.hits)


def test_text_is_not_published_first_when_only_the_embedder_changes(
    written: Path, out: Path, slowly: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    build("notes", written, out, embedding="hash")
    fail_after(monkeypatch, 100)
    with pytest.raises(EmbedderUnavailable):
        build("notes", written, out, embedding="paced")
    with open_index(out) as index:
        assert index.manifest.embedder is not None
        assert index.manifest.embedder.ref == "hash"
        assert ask(index, "search", query="zebra 7", mode="vector").vectors == ""


def test_quick_vectors_are_published_with_the_text(written: Path, out: Path) -> None:
    assert build("notes", written, out).generation == 1


def test_the_readme_tells_how_far_a_build_is_and_that_it_died(
    written: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_after(monkeypatch, 100)
    with pytest.raises(EmbedderUnavailable):
        build("notes", written, out, embedding="paced")
    told = (out / "README.md").read_text()
    assert "An index in the making" in told
    assert "the build died here" in told
    assert f"process {os.getpid()}" in told
    fail_after(monkeypatch, 10**6)
    build("notes", written, out, embedding="paced")
    told = (out / "README.md").read_text()
    assert "A notes index of corpus" in told
    assert "200 sources, 400 entries" in told
    assert "| note | 400 |" in told
    assert "paced, 64 dimensions, 400 of 400 entries" in told


def test_a_failed_first_build_leaves_no_index(
    written: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_after(monkeypatch, 100)
    with pytest.raises(EmbedderUnavailable):
        build("notes", written, out, embedding="paced")
    assert numbers(out) == []
    fail_after(monkeypatch, 10**6)
    assert build("notes", written, out, embedding="paced").generation == 1


# ---- what a switch rebuilds and keeps


def test_another_embedder_makes_all_vectors_anew_and_keeps_the_text(
    written: Path, out: Path, tmp_path: Path
) -> None:
    build("notes", written, out, embedding="hash")
    segment = (out / "generations/1/segments/1.sbk").stat().st_ino
    built = build("notes", written, out, embedding="paced")
    assert (built.parsed, built.embedded, built.generation) == (0, 400, 2)
    assert (out / "generations/2/segments/1.sbk").stat().st_ino == segment
    build("notes", written, tmp_path / "fresh-db", embedding="paced")
    assert answers(out, QUESTIONS) == answers(tmp_path / "fresh-db", QUESTIONS)


def test_vectors_of_two_widths_never_meet(written: Path, out: Path, tmp_path: Path) -> None:
    build("notes", written, out, embedding="paced")
    (written / "000.txt").write_text("changed\n")
    build("notes", written, out, embedding="paced", dimensions=32)
    build("notes", written, tmp_path / "fresh-db", embedding="paced", dimensions=32)
    assert answers(out, QUESTIONS) == answers(tmp_path / "fresh-db", QUESTIONS)


def test_vectors_of_two_models_with_equal_widths_never_meet(
    written: Path, out: Path, log: Path, slowly: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even after a build that died half way between the two."""
    build("notes", written, out, embedding="paced:one")
    (written / "000.txt").write_text("changed\n")
    fail_after(monkeypatch, 300)
    with pytest.raises(EmbedderUnavailable):
        build("notes", written, out, embedding="paced:two")
    with open_index(out) as index:
        assert index.manifest.embedder is not None
        assert index.manifest.embedder.ref == "paced:two"
        assert index.manifest.vectors_done == 0
        found = ask(index, "search", query="zebra", mode="vector", min_evidence="none", limit=500)
        assert len(found.hits) == 64, "those of the new model that were made so far"
    fail_after(monkeypatch, 10**6)
    built = build("notes", written, out, embedding="paced:two")
    assert built.embedded == 399
    assert built.vectors_done == 399


def test_an_index_without_vectors_gets_them_and_loses_them(
    written: Path, out: Path, tmp_path: Path, cache: Path
) -> None:
    build("notes", written, out, cache, embedding="none")
    with open_index(out) as index:
        assert (index.manifest.embedder, index.manifest.vectors_total) == (None, 0)
        assert index.generation.reader("vector") is None
    built = build("notes", written, out, cache, embedding="hash")
    assert (built.parsed, built.embedded) == (0, 400)
    without = build("notes", written, out, cache, embedding="none")
    assert (without.parsed, without.embedded) == (0, 0)
    assert not (out / f"generations/{without.generation}/stores/vector").exists()
    build("notes", written, tmp_path / "fresh-db", embedding="none")
    assert answers(out, QUESTIONS) == answers(tmp_path / "fresh-db", QUESTIONS)


def test_building_anew_parses_and_embeds_everything(written: Path, out: Path) -> None:
    build("notes", written, out)
    anew = build("notes", written, out, anew=True)
    assert (anew.parsed, anew.embedded, anew.rebuilt) == (200, 400, "asked to")
    assert build("notes", written, out).fresh


def test_a_reader_with_another_embedder_is_refused(written: Path, out: Path) -> None:
    build("notes", written, out, embedding="hash")
    other = registry().embedder("paced")
    with pytest.raises(Exception, match="was built with `hash`, not `paced`"):
        _ = Index(out, other).embedder


# ---- generations of readers


@pytest.fixture(name="opened")
def _opened(written: Path, out: Path) -> Iterator[Index]:
    """An index whose generation has been followed by two others."""
    build("notes", written, out)
    with open_index(out) as index:
        for number in (1, 2):
            (written / "000.txt").write_text(f"newer {number}\n")
            build("notes", written, out)
        yield index


def test_a_reader_goes_on_with_the_generation_it_opened(opened: Index, out: Path) -> None:
    assert opened.manifest.generation == 1
    assert opened.source("000.txt").lines[0] == "zebra number 0"
    for mode in ("text", "vector", "hybrid"):
        hits = ask(opened, "search", query="zebra number 0", mode=mode, min_evidence="none").hits
        assert "000.txt" in {hit.source for hit in hits}
    assert opened.status() == {
        "generation": 1,
        "stale": True,
        "changed": True,
        "damaged": "",
    }
    with open_index(out) as now:
        assert now.source("000.txt").lines[0] == "newer 2"
        assert now.status()["stale"] is False


def older(out: Path, number: int, seconds: float) -> None:
    """Have a generation be published so long ago."""
    at = time.time() - seconds
    os.utime(out / "generations" / str(number) / "sources.jsonl", (at, at))


def test_old_generations_go_an_hour_after_they_were_superseded(
    opened: Index, written: Path, out: Path
) -> None:
    assert numbers(out) == [1, 2, 3]
    build("notes", written, out)
    assert numbers(out) == [1, 2, 3]
    older(out, 1, 9000)
    build("notes", written, out)
    assert numbers(out) == [1, 2, 3], "the first was current until the second came"
    older(out, 2, 4000)
    build("notes", written, out)
    assert numbers(out) == [2, 3]
    older(out, 3, 9000)
    build("notes", written, out)
    assert numbers(out) == [2, 3], "the one before is kept whatever its age"
    with open_index(out) as index:
        kept = {f"{info.digest}.z" for info in index.sources.values()}
        assert kept < {place.name for place in (out / "sources").iterdir()}
    assert verify_index(out) == []


def test_a_reader_of_a_generation_that_is_gone_is_told_to_open_again(
    opened: Index, written: Path, out: Path
) -> None:
    for number in (1, 2, 3):
        older(out, number, 9000)
    build("notes", written, out)
    assert opened.source("007.txt").lines[0] == "zebra number 7", "others still need it"
    assert len(list(opened.entries())) == 400
    with pytest.raises(IndexDamaged, match="has been built again since it was opened") as caught:
        opened.source("000.txt")
    assert caught.value.hint == "open it again"
    with pytest.raises(IndexDamaged, match="has been built again since it was opened"):
        ask(opened, "search", query="zebra")


def test_a_file_that_is_gone_under_a_changed_manifest_means_opening_once_more(
    written: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader has the old manifest in hand when another process publishes and sweeps."""
    build("notes", written, out)
    old = read_manifest(out)
    (written / "000.txt").write_text("newer\n")
    build("notes", written, out)
    shutil.rmtree(out / "generations/1")
    first = [old]
    monkeypatch.setattr(
        "sourcebook.index.open.read_manifest",
        lambda path: first.pop() if first else read_manifest(path),
    )
    with open_index(out) as index:
        assert index.manifest.generation == 2


def test_what_killed_builds_left_is_swept(written: Path, out: Path) -> None:
    build("notes", written, out)
    left = out / "generations/2"
    (left / "segments").mkdir(parents=True)
    (left / "segments/9.sbk").write_text("half")
    digest = "0" * 64
    for name in (digest, f"{digest}.z", f"{digest}.z.partial", "something-else"):
        (out / "sources" / name).write_text("left")
    build("notes", written, out)
    assert numbers(out) == [1]
    left_over = {place.name for place in (out / "sources").iterdir() if len(place.name) != 66}
    assert left_over == {"something-else"}, "what no build made is not deleted"
    assert not (out / "sources" / f"{digest}.z").exists()


def test_what_a_killed_first_build_left_is_swept(written: Path, out: Path) -> None:
    (out / "generations/1/segments").mkdir(parents=True)
    (out / ".lock").touch()
    assert build("notes", written, out).generation == 1
    assert verify_index(out) == []


def test_what_is_kept_is_linked_and_its_digests_are_carried_over(written: Path, out: Path) -> None:
    build("notes", written, out)
    (written / "000.txt").write_text("newer\n")
    build("notes", written, out)
    first, second = (out / "generations" / number for number in "12")
    assert (first / "segments/1.sbk").samefile(second / "segments/1.sbk")
    files = json.loads((out / "manifest.json").read_text())["files"]
    assert set(files) == {
        place.relative_to(second).as_posix() for place in second.rglob("*") if place.is_file()
    }


def test_where_links_do_not_work_files_are_copied(
    written: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refused)
    build("notes", written, out)
    (written / "000.txt").write_text("newer\n")
    build("notes", written, out)
    first, second = (out / "generations" / number for number in "12")
    assert not (first / "segments/1.sbk").samefile(second / "segments/1.sbk")
    assert (first / "segments/1.sbk").read_bytes() == (second / "segments/1.sbk").read_bytes()
    assert verify_index(out) == []
    assert list(out.rglob("*.partial")) == []
