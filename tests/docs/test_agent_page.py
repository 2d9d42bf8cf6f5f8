"""What the page on the agent protocol shows is answered."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parents[2] / "docs" / "reference"

PAGE = (PAGES / "agent-protocol.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an index of the reference pages, `docs-db`."""
    folder = tmp_path_factory.mktemp("agent")
    run(folder, ["-m", "sourcebook", "docs", "index", str(PAGES), "--embedding", "none"])
    return folder


def run(folder: Path, arguments: list[str], send: str = "") -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        input=send,
        cwd=folder,
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_request_of_the_transcript_is_answered(folder: Path) -> None:
    [requests] = blocks("jsonl")
    replies = run(folder, ["-m", "sourcebook", "agent"], requests).splitlines()
    assert len(replies) == len(requests.splitlines())
    for request, line in zip(requests.splitlines(), replies, strict=True):
        reply = json.loads(line)
        assert "error" not in reply, reply
        assert reply["id"] == json.loads(request).get("id")
