"""Which index is meant when none is named: the nearest, or an error, and never a guess."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sourcebook.errors import Ambiguous, IndexDamaged, IndexMissing
from sourcebook.index import locate
from sourcebook.index.locate import locate_indexes
from sourcebook.index.open import open_index
from sourcebook.testing.indexes import build
from sourcebook.testing.nobody import as_nobody, open_folder

Find = Callable[..., list[str]]


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """Return a home with two projects, in which there are no indexes yet."""
    home = tmp_path / "home"
    for folder in ("project/src/deep/er", "project/docs", "other/docs", "notes"):
        (home / folder).mkdir(parents=True)
    (home / "notes" / "a.txt").write_text("words\n")
    (home / "notes" / "a.other").write_text("words\n")
    return home


@pytest.fixture(name="made")
def _made(home: Path) -> Callable[[str], Path]:
    def made(place: str, subject: str = "notes") -> Path:
        (home / place).parent.mkdir(parents=True, exist_ok=True)
        build(subject, home / "notes", home / place, embedding="none")
        return home / place

    return made


@pytest.fixture(name="find")
def _find(home: Path) -> Find:
    def find(cwd: str, subject: str = "notes", **environ: str) -> list[str]:
        found, looked_for = locate_indexes(
            subject, cwd=home / cwd, environ={"HOME": str(home), **environ}
        )
        assert looked_for is ("SOURCEBOOK_NOTES_DB" not in environ)
        return [os.path.relpath(path, home) for path in found]

    return find


Made = Callable[..., Path]


def test_an_index_is_found_here_below_and_above(made: Made, find: Find) -> None:
    made("project/notes-db")
    assert find("project/notes-db") == ["project/notes-db"]
    assert find("project") == ["project/notes-db"]
    assert find("project/src/deep/er") == ["project/notes-db"]
    assert find("") == ["project/notes-db"]
    assert find("other/docs") == ["project/notes-db"]


def test_the_nearest_wins(made: Made, find: Find) -> None:
    made("project/notes-db")
    made("project/src/notes-db")
    made("other/any-name")
    assert find("project") == ["project/notes-db"]
    assert find("project/src/deep") == ["project/src/notes-db"]
    assert find("other/docs") == ["other/any-name"]


def test_two_equally_near_are_refused_and_named(made: Made, find: Find) -> None:
    made("project/a-db")
    made("other/b-db")
    with pytest.raises(Ambiguous) as caught:
        find("")
    assert "project/a-db" in caught.value.message
    assert "other/b-db" in caught.value.message
    assert "SOURCEBOOK_NOTES_DB" in caught.value.hint
    assert find("project/src") == ["project/a-db"]


def test_indexes_of_other_subjects_are_passed_over(made: Made, find: Find) -> None:
    made("project/notes-db", "other")
    made("other/deep/notes-db")
    assert find("project") == ["other/deep/notes-db"]
    assert find("project", "other") == ["project/notes-db"]


def test_nothing_is_found_above_home_or_too_far_below(home: Path, made: Made, find: Find) -> None:
    made("../outside-db")
    made("project/one/two/three/four-db")
    made(".hidden/notes-db")
    made("node_modules/notes-db")
    (home / "link").symlink_to(home.parent / "outside-db")
    with pytest.raises(IndexMissing) as caught:
        find("project/src")
    assert str(home) in caught.value.message
    assert "sourcebook notes index" in caught.value.hint
    assert find("project/one") == ["project/one/two/three/four-db"]


def test_the_environment_and_the_settings_name_one(home: Path, made: Made, find: Find) -> None:
    far = made("other/far-db")
    made("project/notes-db")
    assert find("project", SOURCEBOOK_NOTES_DB=str(far)) == ["other/far-db"]
    chosen = locate_indexes("notes", configured=str(far), cwd=home / "project", environ={})
    assert chosen == ([far], False)
    named = home / "project/notes-db"
    with_dir = locate_indexes(
        "notes", [named, far], cwd=home, environ={"SOURCEBOOK_NOTES_DB": "nowhere"}
    )
    assert with_dir == ([named, far], False)


def test_an_index_that_is_named_twice_is_meant_once(home: Path, made: Made) -> None:
    one, two = made("one-db"), made("two-db")
    (home / "link").symlink_to(one)
    named = [two, one, home / "link", home / "project/../one-db", two]
    assert locate_indexes("notes", named) == ([two, one], False)


def test_a_named_index_must_be_one_of_the_subject(home: Path, made: Made) -> None:
    place = made("other-db", "other")
    with pytest.raises(IndexMissing, match="is a other index, not one of notes") as caught:
        locate_indexes("notes", [place])
    assert caught.value.where == "--dir"
    with pytest.raises(IndexMissing, match="is not an index"):
        locate_indexes("notes", [home / "project"])
    with pytest.raises(IndexMissing, match="is not an index"):
        locate_indexes("notes", environ={"SOURCEBOOK_NOTES_DB": str(home / "gone")})


@pytest.mark.parametrize("text", ["", "{", "[]", "nothing", '{"format": "1"}', "[" * 60000])
def test_the_nearest_is_not_passed_over_because_it_is_broken(
    home: Path, made: Made, find: Find, text: str
) -> None:
    made("project/notes-db")
    broken = made("project/src/notes-db")
    (broken / "manifest.json").write_text(text)
    assert find("project/src") == ["project/src/notes-db"]
    with pytest.raises(IndexDamaged):
        open_index(home / find("project/src")[0])


def test_a_broken_index_of_another_subject_is_passed_over(made: Made, find: Find) -> None:
    made("project/notes-db")
    other = made("project/other-db", "other")
    manifest = json.loads((other / "manifest.json").read_text())
    (other / "manifest.json").write_text(json.dumps({**manifest, "format": 99, "entries": None}))
    assert find("project") == ["project/notes-db"]


def test_other_programs_manifests_and_unfinished_indexes_are_passed_over(
    home: Path, made: Made, find: Find
) -> None:
    (home / "project/manifest.json").write_text(json.dumps({"name": "an app", "format": 1}))
    (home / "project/src/manifest.json").write_text("no json")
    (home / "project/docs/generations").mkdir()
    (home / "project/docs/.lock").touch()
    made("project/src/deep/notes-db")
    assert find("project") == ["project/src/deep/notes-db"]


def test_big_trees_are_looked_at_only_so_far(
    home: Path, find: Find, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locate, "FOLDERS_LOOKED_AT", 200)
    wide = home / "project" / "wide"
    for number in range(1000):
        (wide / f"{number}").mkdir(parents=True)
    looked: set[Path] = set()
    assert locate._nearest(home / "project", "notes", looked) == []
    assert len(looked) <= 200
    started = time.process_time()
    with pytest.raises(IndexMissing):
        find("project/src")
    assert time.process_time() - started < 1


def test_folders_that_may_not_be_looked_into_are_passed_over() -> None:
    with open_folder() as folder:
        (folder / "secret" / "deep").mkdir(parents=True)
        (folder / "corpus").mkdir()
        (folder / "corpus" / "a.txt").write_text("words\n")
        build("notes", folder / "corpus", folder / "notes-db", embedding="none")
        (folder / "secret").chmod(0)

        def work() -> None:
            found = locate_indexes("notes", cwd=folder, environ={"HOME": str(folder)})
            assert found == ([folder.resolve() / "notes-db"], True)

        as_nobody(work)


def test_outside_home_the_search_ends_where_another_owner_s_folders_begin() -> None:
    """As in a folder for everybody's temporary files, where a stranger may put an index."""
    with open_folder() as everybody:
        mine = everybody / "mine"
        (mine / "src").mkdir(parents=True)
        (everybody / "a.txt").write_text("words\n")
        build("notes", everybody / "a.txt", everybody / "notes-db", embedding="none")
        if os.geteuid() == 0:
            for folder in (mine, mine / "src"):
                os.chown(folder, 65534, 65534)
            with pytest.raises(IndexMissing, match=f"above up to {mine.resolve()}"):
                locate_indexes("notes", cwd=mine / "src", environ={"HOME": "/nowhere"})
        found = locate_indexes("notes", cwd=everybody, environ={"HOME": "/nowhere"})
        assert found[0] == [everybody.resolve() / "notes-db"]
