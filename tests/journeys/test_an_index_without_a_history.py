"""With engines as with brute force: what an index answers follows from its corpus alone."""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sourcebook.errors import IndexDamaged, IndexMissing
from sourcebook.index.open import verify_index
from sourcebook.testing.indexes import answers, build

ENGINES = ("tantivy", "faiss")
QUESTIONS = ("zebra token", "router alpha", "x-rate-limit", "nothing at all")
WORDS = ("alpha", "beta", "gamma", "CORS", "server", "router", "token", "zebra", "X-Rate-Limit")


@pytest.fixture(name="folder")
def _folder() -> Iterator[Path]:
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="sourcebook-", dir=memory) as folder:
        (Path(folder) / "corpus").mkdir()
        yield Path(folder)


def edit(corpus: Path, generator: random.Random, most: int = 4) -> None:
    """Write, change, move and delete some documents; some are always left."""
    for _ in range(generator.randint(1, most)):
        present = sorted(corpus.iterdir())
        place = corpus / f"{generator.randrange(30)}.md"
        if generator.random() < 0.25 and len(present) > 5:
            generator.choice(present).unlink()
        elif generator.random() < 0.2 and present:
            generator.choice(present).rename(place)
        else:
            place.write_text(page(generator))


def page(generator: random.Random) -> str:
    def words(most: int) -> str:
        return " ".join(generator.choices(WORDS, k=generator.randint(1, most)))

    parts = [f"# {words(2)}"]
    for _ in range(generator.randint(1, 5)):
        parts.append(
            generator.choice(
                (
                    words(30),
                    f"## {words(2)}",
                    f"- {words(5)}\n- {words(5)}",
                    f"| a | b |\n| --- | --- |\n| {words(2)} | {words(3)} |",
                    f"```\n{words(6)}\n```",
                )
            )
        )
    return "\n\n".join(parts) + "\n"


def without_stores(answered: dict[str, Any]) -> dict[str, Any]:
    manifest = {name: one for name, one in answered["manifest"].items() if name != "stores"}
    return {**answered, "manifest": manifest}


@pytest.mark.parametrize("seed", range(2))
def test_edits_and_builds_lead_where_one_build_would(folder: Path, seed: int) -> None:
    generator = random.Random(seed)
    corpus = folder / "corpus"
    for _ in range(5):
        edit(corpus, generator)
    for step in range(20):
        built = build("docs", corpus, folder / "db", stores=ENGINES)
        again = build("docs", corpus, folder / "db", stores=ENGINES)
        assert (again.generation, again.parsed, again.embedded) == (built.generation, 0, 0)
        if step % 4 == 3:
            shutil.rmtree(folder / "fresh", ignore_errors=True)
            build("docs", corpus, folder / "fresh", stores=ENGINES)
            found = answers(folder / "db", QUESTIONS)
            assert found == answers(folder / "fresh", QUESTIONS)
            assert verify_index(folder / "db") == []
            shutil.rmtree(folder / "plain", ignore_errors=True)
            build("docs", corpus, folder / "plain", stores=("memory",))
            assert without_stores(found) == without_stores(answers(folder / "plain", QUESTIONS))
        edit(corpus, generator)


def test_the_last_document_disappears_from_engines_too(folder: Path) -> None:
    corpus = folder / "corpus"
    (corpus / "a.md").write_text("zebra token\n")
    build("docs", corpus, folder / "db", stores=ENGINES)
    (corpus / "a.md").unlink()
    assert build("docs", corpus, folder / "db", stores=ENGINES).removed == ["a.md"]
    found = answers(folder / "db", QUESTIONS)
    assert all(hits == [] for name, hits in found.items() if ": " in name)
    (corpus / "b.md").write_text("zebra token\n")
    build("docs", corpus, folder / "db", stores=ENGINES)
    assert len(answers(folder / "db", QUESTIONS)["text: zebra token"]) == 1


@pytest.mark.parametrize("damage", ["cut", "flipped", "longer", "gone"])
def test_a_damaged_file_of_an_engine_is_named_and_mended(folder: Path, damage: str) -> None:
    corpus, out = folder / "corpus", folder / "db"
    for number in range(3):
        (corpus / f"{number}.md").write_text(page(random.Random(number)))
        build("docs", corpus, out, stores=ENGINES)
    wanted = answers(out, QUESTIONS)
    for place in sorted((out / "generations/3/stores").rglob("*")):
        if place.is_dir() or not place.exists() or not (data := place.read_bytes()):
            continue
        place.unlink()
        if damage != "gone":
            middle = len(data) // 2
            changed = {
                "cut": data[:middle],
                "longer": data + b"\0",
                "flipped": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
            }
            place.write_bytes(changed[damage])
        with pytest.raises(IndexDamaged) as caught:
            answers(out, QUESTIONS)
        assert caught.value.where == str(place)
        assert [fault.where for fault in verify_index(out)] == [str(place)]
        shutil.copytree(out, folder / "mended")
        assert build("docs", corpus, folder / "mended", stores=ENGINES).rebuilt
        assert answers(folder / "mended", QUESTIONS) == wanted
        shutil.rmtree(folder / "mended")
        place.write_bytes(data)
    assert answers(out, QUESTIONS) == wanted


BUILD = """
import sys
from pathlib import Path
from sourcebook.index import build as building
from sourcebook.testing.indexes import build
import numpy, tantivy, faiss

building.TWO_GENERATIONS_S = float(sys.argv[4])
print("ready", flush=True)
sys.stdin.readline()
build("docs", Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), stores=("tantivy", "faiss"))
"""


def test_a_build_with_engines_that_is_killed_leaves_right_answers(folder: Path) -> None:
    generator = random.Random(3)
    corpus, out, fresh, cache = (folder / name for name in ("corpus", "db", "fresh", "cache"))
    before: dict[str, Any] | None = None
    took = 1.0
    killed = 0
    for trial in range(12):
        edit(corpus, generator, most=8)
        shutil.rmtree(fresh, ignore_errors=True)
        begun = time.monotonic()
        build("docs", corpus, fresh, stores=ENGINES)
        took = time.monotonic() - begun
        after = answers(fresh, QUESTIONS)
        process = subprocess.Popen(
            [sys.executable, "-c", BUILD, str(corpus), str(out), str(cache), str(trial % 2 - 1)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        with process:
            assert process.stdout.readline() == "ready\n"
            process.stdin.write("\n")
            process.stdin.flush()
            time.sleep(generator.uniform(0.0, took))
            os.kill(process.pid, signal.SIGKILL)
        killed += process.returncode == -signal.SIGKILL
        try:
            found = answers(out, QUESTIONS)
        except IndexMissing:
            assert before is None
        else:
            partial = found["manifest"]["vectors_done"] < found["manifest"]["vectors_total"]
            assert found["entries"] == after["entries"] if partial else found in (before, after)
            assert verify_index(out) == []
        build("docs", corpus, out, cache, stores=ENGINES)
        before = answers(out, QUESTIONS)
        assert before == after
    assert killed > 3
