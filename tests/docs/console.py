"""Pages as programs: the files they give, the commands they show, and the output they promise.

A page is run from top to bottom in one empty folder. It has a copy there of each folder of
`docs/examples` that it links to. A fence whose info string has `title="PATH"` writes that file. A
`console` fence is run: a line that begins with `$ ` is a command (lines that end in a backslash go
on), the lines below it are its output, standard output and error together. In an output, a line
`...` stands for any lines and `...` inside a line for any text; a command without output lines may
print what it likes. Every command must end with status 0.

Run as a program, it writes what commands print now in place of outputs that no longer fit:
`uv run python tests/docs/console.py docs/tutorial/*.md`.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]

FENCE = re.compile(r"(?P<mark>`{3,}|~{3,}) *(?P<info>.*)")
EXAMPLE = re.compile(r"\]\((?:\.\./)?examples/(\w+)\)")
TITLE = re.compile(r'title="([^"]+)"')
TIMEOUT_S = 300


class Fence(NamedTuple):
    """A fenced block: its info string, its lines, and the number of its first line (from 1)."""

    info: str
    lines: list[str]
    first: int

    @property
    def file(self) -> str:
        """The file it is the content of, or ""."""
        found = TITLE.search(self.info)
        return found[1] if found else ""

    @property
    def runs(self) -> bool:
        """Whether it is a session to be run."""
        return self.info.split()[:1] == ["console"]


class Command(NamedTuple):
    """A command, the output that a page shows of it, and the line the output begins at."""

    text: str
    output: list[str]
    first: int


def fences(page: str) -> Iterator[Fence]:
    """Yield the fenced blocks of a page."""
    lines = page.split("\n")
    at = 0
    while at < len(lines):
        opened = FENCE.fullmatch(lines[at].strip())
        at += 1
        if not opened:
            continue
        first = at
        while at < len(lines) and lines[at].strip() != opened["mark"]:
            at += 1
        yield Fence(opened["info"], lines[first:at], first + 1)
        at += 1


def commands(fence: Fence) -> Iterator[Command]:
    """Yield the commands of a session."""
    at = 0
    while at < len(fence.lines):
        line = fence.lines[at]
        assert line.startswith("$ "), f"line {fence.first + at}: a session begins with `$ `"
        text = line[2:]
        while text.endswith("\\"):
            at += 1
            text += "\n" + fence.lines[at]
        at += 1
        first = at
        while at < len(fence.lines) and not fence.lines[at].startswith("$ "):
            at += 1
        yield Command(text, fence.lines[first:at], fence.first + first)


class Shell:
    """A folder, and commands that run there as a user's would, with a home and caches of its own.

    Args:
        home: an empty folder; commands run in `home/here`.
    """

    def __init__(self, home: Path) -> None:
        self.folder = home / "here"
        self.folder.mkdir()
        scripts = sysconfig.get_path("scripts")
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("SOURCEBOOK_", "XDG_", "PYTEST_"))
        }
        self.environ = kept | {
            "HOME": str(home),
            "PATH": scripts + os.pathsep + os.environ["PATH"],
            "COLUMNS": "100",
        }

    def run(self, command: str) -> tuple[int, str]:
        """Return the status of a command and all that it printed, without trailing spaces."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        lines = [line.rstrip() for line in done.stdout.rstrip("\n").split("\n")]
        return done.returncode, "\n".join(lines)


def fits(shown: list[str], printed: str) -> bool:
    """Return whether an output is the one shown."""
    while shown and not shown[-1].strip():
        shown = shown[:-1]
    if not shown:
        return True
    pattern = ""
    for line in shown:
        if line.strip() == "...":
            pattern += "(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.rstrip().split("...")) + "\n"
    return re.fullmatch(pattern, printed + "\n") is not None


def run_page(page: str, shell: Shell) -> Iterator[tuple[Command, int, str]]:
    """Run a page, and yield each command with its status and what it printed."""
    for name in dict.fromkeys(EXAMPLE.findall(page)):
        shutil.copytree(ROOT / "docs" / "examples" / name, shell.folder / name)
    for fence in fences(page):
        if fence.file:
            place = shell.folder / fence.file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("\n".join(fence.lines) + "\n", encoding="utf-8")
        elif fence.runs:
            for command in commands(fence):
                yield command, *shell.run(command.text)


def rewrite(path: Path) -> int:
    """Write what commands print now where a page shows something else; return how often."""
    page = path.read_text(encoding="utf-8")
    lines = page.split("\n")
    changes: list[tuple[Command, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        for command, status, printed in run_page(page, Shell(Path(folder))):
            if status:
                print(f"{path}:{command.first}: status {status}\n{printed}", file=sys.stderr)
            if not fits(command.output, printed):
                changes.append((command, printed))
    for command, printed in reversed(changes):
        at = command.first - 1
        lines[at : at + len(command.output)] = printed.split("\n")
    if changes:
        path.write_text("\n".join(lines), encoding="utf-8")
    return len(changes)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{name}: {rewrite(Path(name))} outputs written anew")
