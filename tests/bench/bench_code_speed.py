"""What indexing and searching code costs, beside another tool of the kind where it is installed.

    python tests/bench/bench_code_speed.py FOLDER [--reference COMMAND] [--questions FILE] [--json]

FOLDER is copied, indexed by words, asked, changed in one file and indexed again. COMMAND is
`rag-your-code` in an environment of its own. Figures are of whole processes, CPU time of user and
system together, of processes whose byte code is cached; a warm question is asked of a process that
answers JSON Lines, after it has answered all questions once. Questions are lines of FILE.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

QUESTIONS = (
    "where is a password hashed",
    "how are migrations applied in order",
    "which code escapes html",
    "parse the date of a header",
    "open a file and read its lines",
    "what happens when a connection is closed",
    "compare two values in constant time",
    "render a template to a string",
    "validate an address",
    "merge the settings of two sources",
)
TICKS = os.sysconf("SC_CLK_TCK")


@frozen
class Figures:
    """Seconds of CPU time, MiB of memory at the most, MB on disk; warm figures in milliseconds."""

    build: float
    peak: float
    size: float
    cold: float
    warm: float
    changed: float
    changed_peak: float


@frozen
class Tool:
    """How a tool is asked: its command lines, and one request a line."""

    name: str
    index: Callable[[Path], Sequence[str]]
    search: Callable[[Path, str], Sequence[str]]
    serve: Callable[[Path], Sequence[str]]
    request: Callable[[str], dict[str, Any]]
    out: str


def ours() -> Tool:
    command = (sys.executable, "-m", "sourcebook")
    return Tool(
        "sourcebook",
        lambda root: (
            *command, "code", "index", str(root), "--out", str(root.parent / "code-db"),
            "--cache-dir", str(root.parent / "cache"), "--embedding", "none", "--quiet",
        ),
        lambda root, text: (
            *command, "code", "search", "--dir", str(root.parent / "code-db"), "--json", text,
        ),
        lambda root: (*command, "agent", "--dir", str(root.parent / "code-db")),
        lambda text: {"action": "search", "query": text},
        "../code-db",
    )  # fmt: skip


def reference(command: str) -> Tool:
    return Tool(
        "rag-your-code",
        lambda root: (command, "index", str(root)),
        lambda root, text: (command, "search", "--root", str(root), "--json", text),
        lambda root: (command, "agent", "--root", str(root)),
        lambda text: {"action": "search", "query": text},
        ".rag-your-code",
    )


def cost(command: Sequence[str]) -> tuple[float, float]:
    """Run a process to its end; return its CPU seconds and its peak in MiB, children included."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def warm(tool: Tool, root: Path, questions: Sequence[str], rounds: int) -> float:
    """Return the median, over the questions, of the CPU milliseconds of an answer."""
    command = tool.serve(root)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(text: str) -> None:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(tool.request(text)).encode() + b"\n")
            process.stdin.flush()
            if b'"error"' in process.stdout.readline()[:40]:
                raise SystemExit(f"{tool.name} refused a request")

        for text in questions:
            ask(text)
        times = []
        for text in questions:
            begun = _ticks(process.pid)
            for _ in range(rounds):
                ask(text)
            times.append((_ticks(process.pid) - begun) / TICKS / rounds * 1000)
        process.stdin.close()
    return statistics.median(times)


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def size(folder: Path) -> float:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()) / 1e6


def measure(tool: Tool, corpus: Path, questions: Sequence[str], rounds: int) -> Figures:
    """Return all figures of one tool on a copy of a corpus."""
    with tempfile.TemporaryDirectory(prefix="sourcebook-bench-") as scratch:
        root = Path(scratch) / "code"
        shutil.copytree(corpus, root)
        build, peak = cost(tool.index(root))
        cold = min(cost(tool.search(root, text))[0] for text in questions[:5])
        asked = warm(tool, root, questions, rounds)
        whole = size(root / tool.out)
        files = sorted(root.rglob("*.py"), key=lambda one: one.stat().st_size)
        middle = files[len(files) // 2]
        middle.write_text(middle.read_text("utf-8") + "\n\ndef added():\n    return 1\n", "utf-8")
        changed, changed_peak = cost(tool.index(root))
    return Figures(build, peak, whole, cold, asked, changed, changed_peak)


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--reference", help="the command `rag-your-code`")
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    questions = QUESTIONS
    if options.questions:
        questions = tuple(options.questions.read_text("utf-8").splitlines())
    tools = [ours(), *([reference(options.reference)] if options.reference else [])]
    for tool in tools:
        figures = measure(tool, options.folder, questions, options.rounds)
        if options.json:
            print(json.dumps({"tool": tool.name, **asdict(figures)}), flush=True)
            continue
        print(
            f"{tool.name:<14} build {figures.build:.1f} s, {figures.peak:.0f} MiB, "
            f"index {figures.size:.1f} MB; cold {figures.cold * 1000:.0f} ms, "
            f"warm {figures.warm:.1f} ms; one file changed {figures.changed:.2f} s, "
            f"{figures.changed_peak:.0f} MiB",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
