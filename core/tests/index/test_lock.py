"""One builder at a time; the other one is named; a dead one holds nobody up."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sourcebook.errors import BadRequest, IndexBusy, OutsideCorpus, SourcebookError
from sourcebook.index.lock import build_lock
from sourcebook.index.open import open_index
from sourcebook.testing.indexes import build
from sourcebook.testing.nobody import as_nobody, open_folder

HOLDER = """
import sys
from pathlib import Path
from sourcebook.index.lock import build_lock
with build_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def holding(out: Path) -> subprocess.Popen[str]:
    """Start a process that holds the lock until its standard input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(out)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


@pytest.fixture(name="written")
def _written(corpus: Path) -> Path:
    (corpus / "a.txt").write_text("words\n")
    return corpus


def test_a_second_builder_is_refused_and_told_who_builds(written: Path, out: Path) -> None:
    build("notes", written, out)
    with holding(out) as other:
        for _ in range(3):  # asking leaves what the holder wrote as it is
            with pytest.raises(IndexBusy) as caught:
                build("notes", written, out)
            assert f"process {other.pid} on '{socket.gethostname()}'" in caught.value.message
            assert caught.value.where == str(out / ".lock")
        assert json.loads((out / ".lock").read_text())["pid"] == other.pid
        with open_index(out) as index:
            assert list(index.sources) == ["a.txt"]
        other.communicate("")
    assert build("notes", written, out).fresh


def test_a_killed_builder_holds_nobody_up(written: Path, out: Path) -> None:
    out.mkdir()
    with holding(out) as other:
        os.kill(other.pid, signal.SIGKILL)
        other.communicate("")
    assert build("notes", written, out).sources == 1


def test_a_second_builder_in_the_same_process_is_refused_too(written: Path, out: Path) -> None:
    out.mkdir()
    refused: list[Exception] = []

    def second() -> None:
        try:
            build("notes", written, out)
        except IndexBusy as error:
            refused.append(error)

    with build_lock(out):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
        second()
    assert len(refused) == 2
    assert f"process {os.getpid()}" in str(refused[0])


def test_a_builder_without_a_word_of_itself_is_just_another_process(
    written: Path, out: Path
) -> None:
    out.mkdir()
    with holding(out) as other:
        (out / ".lock").write_text("[]")
        with pytest.raises(IndexBusy, match="another process is building"):
            build("notes", written, out)
        other.communicate("")


def test_where_nobody_may_write_there_is_an_error_without_a_trace() -> None:
    with open_folder() as folder:
        (folder / "a.txt").write_text("words\n")
        build("notes", folder / "a.txt", folder / "notes-db")
        (folder / "kept").mkdir(mode=0o755)

        def work() -> None:
            for out in (folder / "notes-db", folder / "kept", folder / "kept" / "new"):
                with pytest.raises(SourcebookError, match=f"cannot write to `{out}`"):
                    build("notes", folder / "a.txt", out)

        as_nobody(work)


def test_a_file_in_the_place_of_an_index_is_an_error(written: Path, out: Path) -> None:
    out.write_text("mine")
    with pytest.raises(SourcebookError, match="cannot write to"):
        build("notes", written, out)
    with pytest.raises(SourcebookError, match="cannot write to"):
        build("notes", written, out / "below")
    assert out.read_text() == "mine"


@pytest.mark.parametrize("name", ["README.md", "manifest.json", "src/code.py", "generations/x"])
def test_a_folder_that_holds_something_else_is_refused(written: Path, out: Path, name: str) -> None:
    (out / name).parent.mkdir(parents=True)
    (out / name).write_text("{}")
    with pytest.raises(BadRequest, match="is not empty, and what it holds is no index") as caught:
        build("notes", written, out)
    assert "--out" in caught.value.hint
    assert (out / name).read_text() == "{}"
    assert not (out / ".lock").exists()


def test_an_index_of_another_subject_is_refused(written: Path, out: Path) -> None:
    (written / "b.other").write_text("words\n")
    build("other", written, out)
    with pytest.raises(BadRequest, match="is a other index, not one of notes"):
        build("notes", written, out)
    assert build("other", written, out).fresh


@pytest.mark.parametrize("name", ["generations", "sources", ".lock"])
def test_parts_that_are_links_are_refused(
    written: Path, out: Path, tmp_path: Path, name: str
) -> None:
    """In a folder from a stranger, a build would delete and write where the links lead."""
    build("notes", written, out)
    (tmp_path / "treasure").mkdir()
    (tmp_path / "treasure" / "7").mkdir()
    (tmp_path / "treasure" / ("a" * 64)).write_text("gold")
    (out / name).rename(tmp_path / "was")
    (out / name).symlink_to(tmp_path / "treasure")
    with pytest.raises(OutsideCorpus, match=f"`{name}` in .* is a link"):
        build("notes", written, out)
    assert sorted(path.name for path in (tmp_path / "treasure").iterdir()) == ["7", "a" * 64]


@pytest.mark.parametrize("name", ["README.md", "README.md.partial", "manifest.json.partial"])
def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(
    written: Path, out: Path, tmp_path: Path, name: str
) -> None:
    build("notes", written, out)
    (tmp_path / "treasure").write_text("gold")
    (out / name).unlink(missing_ok=True)
    (out / name).symlink_to(tmp_path / "treasure")
    (written / "b.txt").write_text("more\n")
    build("notes", written, out)
    assert (tmp_path / "treasure").read_text() == "gold"
