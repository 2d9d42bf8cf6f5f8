"""`index --watch`: a process of its own that keeps an index current until it is interrupted."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest
from sourcebook.index.watch import _watched

WAIT_S = 30


class Watching:
    """A process that watches, and what it prints line by line."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sourcebook", "plain", "index", *arguments, "--watch", "--json"],
            cwd=folder,
            env={
                **os.environ,
                "SOURCEBOOK_STORES": "memory",
                "SOURCEBOOK_EMBEDDING": "none",
                "SOURCEBOOK_CACHE": "0",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._lines: Queue[str] = Queue()
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def next(self) -> Any:
        return json.loads(self._lines.get(timeout=WAIT_S))

    def quiet(self, seconds: float) -> bool:
        try:
            self._lines.get(timeout=seconds)
        except Exception:
            return True
        return False


@contextmanager
def watching(folder: Path, *arguments: str) -> Iterator[Watching]:
    one = Watching(folder, *arguments)
    try:
        yield one
        one.process.send_signal(signal.SIGINT)
        assert one.process.wait(WAIT_S) == 0
        assert one.process.stderr is not None
        assert "Traceback" not in one.process.stderr.read()
    finally:
        one.process.kill()
        one.process.wait()
        for stream in (one.process.stdout, one.process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture(name="corpus")
def _corpus(sample: Path, tmp_path: Path) -> Path:
    corpus = tmp_path / "corpus"
    (corpus / "deep").mkdir(parents=True)
    (corpus / "a.plain").write_text("The pump drains the tank.\n")
    (corpus / "deep" / "b.plain").write_text("Valves open at noon.\n")
    return corpus


def test_what_changes_is_indexed_and_nothing_else(corpus: Path) -> None:
    with watching(corpus, ".") as one:
        first = one.next()
        assert (first["sources"], first["parsed"]) == (2, 2)
        (corpus / "a.plain").write_text("The pump is new.\n")
        (corpus / "deep" / "c.plain").write_text("Added.\n")
        second = one.next()
        assert (second["changed"], second["added"]) == (["a.plain"], ["deep/c.plain"])
        assert (second["parsed"], second["sources"]) == (2, 3)
        (corpus / "deep" / "b.plain").unlink()
        assert one.next()["removed"] == ["deep/b.plain"]


def test_the_index_itself_and_folders_of_tools_cause_no_build(corpus: Path) -> None:
    with watching(corpus, ".") as one:
        one.next()
        for name in (".git/index.lock", "node_modules/x.plain", "plain-db/README.md"):
            (corpus / name).parent.mkdir(exist_ok=True)
            (corpus / name).write_text("x")
        assert one.quiet(2)


def test_a_fault_is_told_and_the_watch_goes_on(corpus: Path) -> None:
    with watching(corpus, "deep") as one:
        one.next()
        (corpus / "deep" / "b.plain").rename(corpus / "b.plain")
        (corpus / "deep").rmdir()
        error = one.next()
        assert error["error"]["code"] == "corpus_unreadable"


def test_what_is_watched_are_folders_that_exist(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "f.txt").write_text("")
    named = [str(tmp_path / "a" / one) for one in ("f.txt", "*/x*.md", "", "missing/f.txt")]
    assert _watched(named) == [str(tmp_path / "a")]
