"""The renderer, given what a search answers."""

import subprocess
import sys
from pathlib import Path


def sourcebook(*arguments: str, cwd: Path) -> str:
    command = [sys.executable, "-m", "sourcebook", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout


def test_each_hit_is_a_line_that_an_editor_opens(tmp_path: Path) -> None:
    (tmp_path / "handbook.md").write_text("# Rolling back\n\nRun `ship back`.\n")
    sourcebook("docs", "index", "handbook.md", "--embedding", "none", cwd=tmp_path)
    found = sourcebook("docs", "search", "--format", "quickfix", "rolling back", cwd=tmp_path)
    assert found == "handbook.md:3: Rolling back\n"
