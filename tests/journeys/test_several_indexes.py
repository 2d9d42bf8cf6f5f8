"""Two releases in two indexes, asked together."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parents[1] / "cases" / "docs" / "two-releases" / "input"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("releases")
    for name in ("acme_4.1.0", "acme_4.2.0"):
        run(folder, "index", str(CASES / name), "-o", name, "--embedding", "none", "--no-cache")
    return folder


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "sourcebook", "docs", *arguments],
        cwd=folder,
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def ask(folder: Path, *arguments: str) -> dict[str, Any]:
    both = ("-d", "acme_4.1.0", "-d", "acme_4.2.0")
    body: dict[str, Any] = json.loads(run(folder, *arguments, *both, "--json"))
    return body


def test_every_verb_that_reads_asks_both(folder: Path) -> None:
    files = [one["source"] for one in ask(folder, "list")["items"]]
    assert files == [
        "acme_4.1.0/api/routing.md",
        "acme_4.1.0/guide/start.md",
        "acme_4.2.0/api/routing.md",
        "acme_4.2.0/guide/start.md",
    ]
    matches = ask(folder, "grep", "rate limits")["matches"]
    assert {one["source"] for one in matches} == {files[0], files[2]}
    found = {one["source"] for one in ask(folder, "search", "rate limits")["hits"]}
    assert {files[0], files[2]} <= found


def test_what_search_prints_is_what_show_takes(folder: Path) -> None:
    first = ask(folder, "search", "rate limits")["hits"][0]
    lines = f"{first['first_line']}-{first['last_line']}"
    shown = ask(folder, "show", first["source"], "--lines", lines)
    read = [line["text"] for line in shown["parts"][0]["lines"]]
    assert first["text"].split("\n")[-len(read) :] == read
