"""`-v` tells what happens in numbers and names, and neither what was asked nor what was read."""

import os
import re
import subprocess
import sys
from pathlib import Path

QUERY = "zanzibar harpsichord"

PASSAGE = "The harpsichord of Zanzibar was tuned on Thursday by a quixotic lighthouse keeper.\n"


def run(folder: Path, *arguments: str, loud: bool = True) -> subprocess.CompletedProcess[str]:
    """Return what a command line says, with `-v` if it is to be loud."""
    return subprocess.run(
        [sys.executable, "-m", "sourcebook", "docs", *arguments, *(["-v"] if loud else [])],
        cwd=folder,
        env=os.environ
        | {"HOME": str(folder), "SOURCEBOOK_CONFIG": os.devnull, "SOURCEBOOK_PLUGINS": ""}
        | {"XDG_CACHE_HOME": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )


def test_a_log_of_a_build_and_a_search_holds_no_text(tmp_path: Path) -> None:
    (tmp_path / "secret-title.md").write_text(f"# Confidential heading\n\n{PASSAGE}")
    built = run(tmp_path, "index", "secret-title.md", "--embedding", "hash", "--store", "memory")
    found = run(tmp_path, "search", QUERY)
    logged = [
        line for done in (built, found) for line in done.stderr.splitlines() if "event=" in line
    ]
    assert {re.search(r"event=(\w+)", line)[1] for line in logged} >= {"build", "search"}  # type: ignore[index]
    log = "\n".join(logged).lower()
    for word in re.findall(r"\w{4,}", f"{QUERY} {PASSAGE} secret confidential heading".lower()):
        assert word not in log
    assert re.search(r"entries=\d+", log)
    assert re.search(r"ms=\d", log)


def test_without_it_nothing_is_logged(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(PASSAGE)
    done = run(tmp_path, "index", "a.md", "--embedding", "none", "--store", "memory", loud=False)
    assert "event=" not in done.stderr
