"""Builds that are killed at any moment: the index answers as before or as after, and goes on."""

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sourcebook.errors import IndexMissing
from sourcebook.index import build as building
from sourcebook.index import embed
from sourcebook.index.open import verify_index
from sourcebook.testing.indexes import answers, build

KILLS = 50
QUESTIONS = ("zebra", "w3 w5", "w7")
VECTORS = ("vector", "hybrid", "background")

CHANGES = {"open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.scandir"}
"""Events of Python's own auditing that come before something is done to files."""


@pytest.fixture(name="folder")
def _folder() -> Iterator[Path]:
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="sourcebook-", dir=memory) as folder:
        (Path(folder) / "corpus").mkdir()
        yield Path(folder)


def edit(corpus: Path, generator: random.Random) -> None:
    """Write, change, move and delete some documents; some are always left."""
    for _ in range(generator.randint(1, 6)):
        place = corpus / f"{generator.randrange(16)}.txt"
        if generator.random() < 0.3 and len(list(corpus.iterdir())) > 3:
            place.unlink(missing_ok=True)
        else:
            words = [f"w{generator.randrange(9)}" for _ in range(12)]
            place.write_text(f"zebra {generator.random()}\n\n{' '.join(words)}\n\n!fact {words[0]}")


def killed(work: Callable[[], None], after: float | int) -> bool:
    """Do `work` in a process that is killed after so many seconds, or so many changes of files;
    return whether it was still at it."""
    child = os.fork()
    if child == 0:
        if isinstance(after, int):
            die_after(after)
        work()
        os._exit(0)
    if isinstance(after, float):
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), "the build failed of itself"
    return status == signal.SIGKILL


def die_after(changes: int) -> None:
    """Have this process kill itself right before it changes files the next time."""
    left = changes

    def count(event: str, _arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event in CHANGES:
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def changes_of(work: Callable[[], None]) -> int:
    """Return how many times `work` changes files."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        counted = 0

        def count(event: str, _arguments: tuple[Any, ...]) -> None:
            nonlocal counted
            counted += event in CHANGES

        sys.addaudithook(count)
        work()
        os.write(writing, str(counted).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        return int(stream.read())


def void(_result: object) -> None:
    """Forget a result."""


def of_text(answered: dict[str, Any]) -> dict[str, Any]:
    """Return what does not depend on vectors, of which not all may be there yet."""
    manifest = {
        name: value
        for name, value in answered["manifest"].items()
        if name not in ("vectors_done", "content_digest")
    }
    plain = {name: value for name, value in answered.items() if not name.startswith(VECTORS)}
    return {**plain, "manifest": manifest}


def test_a_killed_build_never_leaves_wrong_answers_and_the_next_one_finishes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = random.Random(20)
    corpus, out, fresh, cache = (folder / name for name in ("corpus", "db", "fresh", "cache"))
    kills = trials = during_vectors = 0
    before: dict[str, Any] | None = None
    while kills < KILLS:
        trials += 1
        assert trials < 3 * KILLS, "most builds were over before they could be killed"
        if trials % 7 == 0:
            shutil.rmtree(out)
            before = None
        edit(corpus, generator)
        # Every other build publishes its text first, as those do that take long.
        monkeypatch.setattr(embed, "FIRST_AT_ONCE", 4)
        monkeypatch.setattr(building, "TWO_GENERATIONS_S", -1.0 if trials % 2 else 1e9)

        def work() -> None:
            build("notes", corpus, out, cache)

        shutil.rmtree(fresh, ignore_errors=True)
        begun = time.monotonic()
        changes = changes_of(lambda: void(build("notes", corpus, fresh)))
        took = time.monotonic() - begun
        after = answers(fresh, QUESTIONS)

        moment: float | int
        moment = generator.randrange(changes) if trials % 3 else generator.uniform(0.0, took)
        kills += killed(work, moment)

        try:
            found = answers(out, QUESTIONS)
        except IndexMissing:
            assert before is None
        else:
            assert verify_index(out) == []
            if found["manifest"]["vectors_done"] < found["manifest"]["vectors_total"]:
                during_vectors += 1
                assert of_text(found) == of_text(after)
            else:
                assert found in (before, after)
        work()
        before = answers(out, QUESTIONS)
        assert before == after
        assert verify_index(out) == []
    assert during_vectors, "no build was killed between its two generations"
