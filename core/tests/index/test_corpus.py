"""The files an index was built from: found again, and seen to change."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sourcebook.index import corpus as corpus_module
from sourcebook.index.corpus import changed_sources, find_root, place_of
from sourcebook.index.open import Index, open_index
from sourcebook.testing.indexes import build


@pytest.fixture(name="built")
def _built(corpus: Path, out: Path) -> Path:
    (corpus / "deep").mkdir()
    (corpus / "a.note").write_text("alpha")
    (corpus / "deep" / "b.note").write_text("beta")
    build("notes", corpus, out)
    return out


def watched(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Index, Callable[[], bool]]:
    monkeypatch.setattr(corpus_module, "PAUSE_S", 0.0)
    index = open_index(path)
    return index, lambda: bool(index.status()["changed"])


def test_the_root_is_found_around_the_index_and_from_the_working_directory(
    built: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_index(built) as index:
        assert find_root(index) == corpus
    away = tmp_path / "away"
    shutil.move(built, away / "db")
    shutil.move(corpus, tmp_path / "else" / "where")
    with open_index(away / "db") as index:
        assert find_root(index) is None
        monkeypatch.chdir(tmp_path / "else" / "where")
        assert find_root(index) == tmp_path / "else" / "where"


def test_files_of_the_same_name_elsewhere_are_not_the_corpus(
    built: Path, corpus: Path, tmp_path: Path
) -> None:
    shutil.rmtree(corpus)
    (built.parent / "a.note").write_text("something else")
    with open_index(built) as index:
        assert find_root(index) is None
        corpus.mkdir()
        (corpus / "a.note").write_text("changed, under the name that the folder had")
        assert find_root(index) == corpus


@pytest.mark.parametrize("name", ["../outside.note", "/etc/hosts", "link.note", "deep", "a\0b"])
def test_no_name_leads_out_of_the_root(corpus: Path, name: str) -> None:
    (corpus / "deep").mkdir()
    outside = corpus.parent / "outside.note"
    outside.write_text("x")
    (corpus / "link.note").symlink_to(outside)
    assert place_of(corpus, name) is None


@pytest.mark.parametrize(
    "name", [b"new\nline.note", b"caf\xe9.note", b"tab\t\x1b.note", b"a\\n.note"]
)
def test_files_with_odd_names_are_found_again(corpus: Path, out: Path, name: bytes) -> None:
    (corpus / os.fsdecode(name)).write_text("alpha")
    build("notes", corpus, out)
    with open_index(out) as index:
        assert find_root(index) == corpus
        assert list(changed_sources(index, corpus)) == []
        assert index.status()["changed"] is False


def test_changed_and_missing_files_are_told(built: Path, corpus: Path) -> None:
    with open_index(built) as index:
        assert list(changed_sources(index, corpus)) == []
        (corpus / "a.note").write_text("gamma")
        (corpus / "deep" / "b.note").unlink()
        assert list(changed_sources(index, corpus)) == ["a.note", "deep/b.note"]


def test_a_change_is_seen_and_a_touch_is_not(
    built: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, changed = watched(built, monkeypatch)
    with index:
        later = (built / "manifest.json").stat().st_mtime + 10
        assert not changed()
        os.utime(corpus / "a.note", (later, later))
        assert not changed()
        (corpus / "a.note").write_text("ALPHA")  # as long as before
        os.utime(corpus / "a.note", (later + 1, later + 1))
        assert changed()
        assert index.status()["stale"]
        (corpus / "a.note").write_text("alpha")
        assert not changed()
        (corpus / "a.note").unlink()
        assert changed()


def test_it_looks_once_a_second(built: Path, corpus: Path) -> None:
    with open_index(built) as index:
        assert not index.status()["changed"]
        (corpus / "a.note").write_text("longer than before")
        assert not index.status()["changed"]
