"""An index is a folder that can be moved, copied, committed, or lie where nobody may write."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sourcebook.errors import SourcebookError
from sourcebook.index.open import open_index, verify_index
from sourcebook.testing.indexes import answers, ask, build
from sourcebook.testing.nobody import as_nobody, open_folder

QUESTIONS = ("token bucket", "rate limit", "pump")

PAGE = """# {name}

The pump of {name} drains the tank.

## Limits

| header | meaning |
| --- | --- |
| X-Rate-Limit | token bucket of {name} |

- rate limit of {name}
"""


@pytest.fixture(name="built", params=["memory", "tantivy,faiss"])
def _built(request: pytest.FixtureRequest) -> Iterator[Path]:
    """Return an index of two generations in a folder that everybody can reach."""
    with open_folder() as folder:
        (folder / "corpus").mkdir()
        for name in ("alpha", "beta", "gamma"):
            (folder / "corpus" / f"{name}.md").write_text(PAGE.format(name=name))
        stores = request.param.split(",")
        build("docs", folder / "corpus", folder / "docs-db", stores=stores)
        (folder / "corpus" / "alpha.md").write_text(PAGE.format(name="delta"))
        build("docs", folder / "corpus", folder / "docs-db", stores=stores)
        for base, _, names in os.walk(folder):
            Path(base).chmod(0o755)
            for name in names:
                assert (Path(base) / name).stat().st_mode & 0o444 == 0o444, name
        folder.chmod(0o777)
        yield folder / "docs-db"


@pytest.fixture(name="wanted")
def _wanted(built: Path) -> dict[str, Any]:
    return answers(built, QUESTIONS)


def test_a_moved_index_still_opens(built: Path, wanted: dict[str, Any], tmp_path: Path) -> None:
    moved = built.rename(built.parent / "moved index")
    assert answers(moved, QUESTIONS) == wanted
    assert verify_index(moved) == []


def test_a_copy_answers_the_same_when_the_original_is_gone(
    built: Path, wanted: dict[str, Any], tmp_path: Path
) -> None:
    copied = shutil.copytree(built, tmp_path / "deep" / "copy")
    shutil.rmtree(built)
    shutil.rmtree(built.parent / "corpus")
    assert answers(copied, QUESTIONS) == wanted


def test_a_clone_of_a_committed_index_answers_the_same(
    built: Path, wanted: dict[str, Any], tmp_path: Path
) -> None:
    def git(*arguments: str) -> None:
        who = ["-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "core.autocrlf=true"]
        subprocess.run(["git", *who, *arguments], check=True, capture_output=True, cwd=built.parent)

    git("init", "-q")
    git("add", "docs-db")
    git("commit", "-qm", "index")
    git("clone", "-q", str(built.parent), str(tmp_path / "clone"))
    assert answers(tmp_path / "clone" / "docs-db", QUESTIONS) == wanted
    assert verify_index(tmp_path / "clone" / "docs-db") == []


def test_an_index_is_opened_from_any_working_directory(
    built: Path, wanted: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(built / "sources")
    assert answers(Path(".."), QUESTIONS) == wanted
    monkeypatch.chdir(built.parent)
    assert answers(Path("docs-db"), QUESTIONS) == wanted
    with open_index("docs-db") as index:
        monkeypatch.chdir("/")
        assert ask(index, "search", query="pump", min_evidence="none").hits


def test_where_nobody_may_write_it_answers_and_is_left_as_it_was(
    built: Path, wanted: dict[str, Any]
) -> None:
    before = {path: path.lstat().st_mtime_ns for path in built.rglob("*")}
    for base, _, names in os.walk(built):
        for name in names:
            (Path(base) / name).chmod(0o444)
        Path(base).chmod(0o555)

    def work() -> None:
        assert answers(built, QUESTIONS) == wanted
        assert verify_index(built) == []
        with pytest.raises(SourcebookError, match="cannot write to"):
            build("docs", built.parent / "corpus", built)

    as_nobody(work)
    assert before == {path: path.lstat().st_mtime_ns for path in built.rglob("*")}


def test_a_build_goes_on_from_a_moved_index(
    built: Path, wanted: dict[str, Any], tmp_path: Path
) -> None:
    moved = built.rename(built.parent / "moved-db")
    corpus = (
        (built.parent / "corpus").rename(built.parent / "elsewhere").rename(built.parent / "corpus")
    )
    with open_index(moved) as index:
        stores = [lock.name for lock in index.manifest.stores]
    again = build("docs", corpus, moved, stores=stores)
    assert (again.parsed, again.embedded, again.fresh) == (0, 0, True)
    (corpus / "beta.md").unlink()
    assert build("docs", corpus, moved, stores=stores).removed == ["beta.md"]
    assert answers(moved, QUESTIONS) != wanted
    assert verify_index(moved) == []
