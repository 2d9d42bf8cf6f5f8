"""Parsing in other processes: whatever the main program is, and whatever befalls them."""

import multiprocessing
import subprocess
import sys
from pathlib import Path

import pytest
from sourcebook import events
from sourcebook.errors import SourcebookError
from sourcebook.index import workers
from sourcebook.index.open import open_index
from sourcebook.testing.indexes import build

SCRIPT = """
import sys
from pathlib import Path
from sourcebook.testing.indexes import build

print("begun")
built = build("notes", Path(sys.argv[1]), Path(sys.argv[2]), workers=2)
print(built.parsed)
"""


@pytest.fixture(name="written")
def _written(corpus: Path) -> Path:
    for number in range(40):
        (corpus / f"{number}.txt").write_text(f"zebra {number}\n")
    return corpus


@pytest.mark.parametrize("way", ["file", "stdin", "-c"])
def test_a_script_is_not_run_again_by_the_processes_that_it_starts(
    written: Path, out: Path, tmp_path: Path, way: str
) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    program = {"file": [str(script)], "stdin": ["-"], "-c": ["-c", SCRIPT]}[way]
    done = subprocess.run(
        [sys.executable, *program, str(written), str(out)],
        input=SCRIPT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr, done.returncode) == ("begun\n40\n", "", 0)


def test_the_processes_are_started_once_a_build(
    written: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sourcebook.index.build.DOCUMENTS_AT_ONCE", 34)
    started: list[object] = []
    start = workers.Workers._start

    def counted(self: workers.Workers) -> object:
        started.append(self)
        return start(self)

    monkeypatch.setattr(workers.Workers, "_start", counted)
    assert build("notes", written, out, workers=2).parsed == 40
    assert len(started) == 1


def test_a_process_that_is_killed_ends_the_build_with_an_error(
    written: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build("notes", written, out)
    for number in range(40):
        (written / f"{number}.txt").write_text(f"yak {number}\n" * 2000)

    before = set(multiprocessing.active_children())

    def kill_one(event: str, facts: dict[str, object]) -> None:
        if event == events.PROGRESS and facts["step"] == "parsing":
            for child in set(multiprocessing.active_children()) - before:
                child.kill()

    with events.listening(kill_one), pytest.raises(SourcebookError, match="ended from outside"):
        build("notes", written, out, workers=2)
    with open_index(out) as index:
        assert index.source("7.txt").text == "zebra 7\n"
    assert build("notes", written, out, workers=2).parsed == 40
