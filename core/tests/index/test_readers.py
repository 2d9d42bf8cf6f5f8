"""Readers beside builders: no error and no mixture of two states, in threads and in processes."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sourcebook.index.open import Index, open_index
from sourcebook.testing.indexes import ask, build

DOCUMENTS = 20
BUILDS = 10


def write(corpus: Path, version: int) -> None:
    """Write documents that all say the same version; more of them with each."""
    for number in range(DOCUMENTS + version):
        text = f"# Part {number}\n\nzebra version{version} of {number}\n"
        (corpus / f"{number}.txt").write_text(text)


def look(index: Index) -> int:
    """Ask for much, check that all of it is of one version, and return that."""
    (version,) = {
        word
        for entry in index.entries()
        for word in index.body(entry).split()
        if word.startswith("version")
    }
    number = int(version.removeprefix("version"))
    assert len(index.sources) == DOCUMENTS + number == index.manifest.sources
    for mode in ("text", "vector", "hybrid"):
        found = ask(
            index, "search", query=f"zebra {version}", mode=mode, limit=100, min_evidence="none"
        )
        texts = [hit.text for hit in found.hits if "zebra" in hit.text]
        assert len(texts) == DOCUMENTS + number
        assert all(version in text for text in texts)
    assert ask(index, "grep", pattern=version).found == DOCUMENTS + number
    assert ask(index, "show", target="3.txt").of == 3
    return number


def forked(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.__stderr__, flush=True)
            os._exit(1)
        os._exit(0)
    return child


@pytest.fixture(name="building")
def _building(corpus: Path, out: Path) -> Iterator[Callable[[], bool]]:
    """Build again and again in another process; return a function that says if it still does."""
    write(corpus, 0)
    build("notes", corpus, out)

    def work() -> None:
        for version in range(1, BUILDS + 1):
            write(corpus, version)
            build("notes", corpus, out)
            time.sleep(0.05)

    child = forked(work)
    status: list[int] = []

    def going_on() -> bool:
        if not status:
            done, code = os.waitpid(child, os.WNOHANG)
            status.extend([code] if done else [])
        return not status

    yield going_on
    while going_on():
        time.sleep(0.05)
    assert status == [0]


def test_readers_see_one_state_or_the_next_and_no_error(
    out: Path, building: Callable[[], bool]
) -> None:
    seen: set[int] = set()
    failed: list[BaseException] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                with open_index(out) as index:
                    version = look(index)
                    assert look(index) == version
                    seen.add(version)
        except BaseException as error:
            failed.append(error)

    def read_to_the_end() -> None:
        while True:
            with open_index(out) as index:
                if look(index) == BUILDS:
                    return

    processes = [forked(read_to_the_end) for _ in range(2)]
    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    while building():
        time.sleep(0.05)
    done.set()
    for thread in threads:
        thread.join()
    assert [os.waitpid(process, 0)[1] for process in processes] == [0, 0]
    assert failed == []
    assert len(seen) > 2
    with open_index(out) as index:
        assert look(index) == BUILDS


def test_one_open_index_serves_many_threads_while_it_is_superseded(
    out: Path, building: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sourcebook.index.open._CHARACTERS_KEPT", 100)
    failed: list[BaseException] = []
    versions: set[int] = set()
    with open_index(out) as index:

        def read() -> None:
            try:
                while building_still.is_set() or not versions:
                    versions.add(look(index))
            except BaseException as error:
                failed.append(error)

        building_still = threading.Event()
        building_still.set()
        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        while building():
            time.sleep(0.05)
        building_still.clear()
        for thread in threads:
            thread.join()
    assert failed == []
    assert len(versions) == 1
