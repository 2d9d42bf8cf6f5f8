"""CPU time of whole processes, cold, beside their budgets and a bare interpreter.

    python tests/bench/bench_startup.py CORPORA [--entries 10000] [--runs 15] [--json]

The corpus is FastAPI's documentation, its pages repeated until there are enough entries. Byte code
is cached: every command runs once before it is measured. The smallest of the runs counts, since
load on the machine only ever adds; the bare interpreter and `import click` stand beside, since the
same work takes up to twice as long on a machine that is busy.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench_latency import copies  # type: ignore[import-not-found]

BARE = {
    "python -c pass": ["-c", "pass"],
    "import click": ["-c", "import click"],
}

COMMANDS: Mapping[str, tuple[float, list[str]]] = {
    "--help": (120, ["--help"]),
    "--version": (120, ["--version"]),
    "docs --help": (250, ["docs", "--help"]),
    "docs search --help": (250, ["docs", "search", "--help"]),
    "list files": (250, ["docs", "list", "files"]),
    "list sections": (250, ["docs", "list", "sections"]),
    "grep": (250, ["docs", "grep", "dependency"]),
    "show": (250, ["docs", "show", "copy0/tutorial/first-steps.md"]),
    "stats": (250, ["docs", "stats"]),
    "search, words": (250, ["docs", "search", "--mode", "text", "how to declare a dependency"]),
    "search, hybrid": (800, ["docs", "search", "how to declare a dependency"]),
}
"""Budget in milliseconds and arguments, by name."""


def cpu_ms(arguments: Sequence[str], folder: Path, runs: int) -> float:
    """Return the least CPU time, user and system, of a process among some runs."""
    environment = {**os.environ, "HOME": str(folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    times = []
    for _ in range(runs + 1):
        process = os.posix_spawn(
            sys.executable,
            [sys.executable, *arguments],
            environment,
            file_actions=[(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)],
        )
        _, status, used = os.wait4(process, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            raise SystemExit(f"failed: {' '.join(arguments)}")
        times.append(1000 * (used.ru_utime + used.ru_stime))
    return min(times[1:] or times)


def main(arguments: Sequence[str]) -> int:
    """Build, run, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--per-copy", type=int, default=3_800, help="entries of one copy")
    parser.add_argument("--embedding", default="minilm")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="sourcebook-bench-") as scratch:
        folder = Path(scratch)
        corpora = options.corpora.resolve()
        copies(corpora / "fastapi", folder / "corpus", options.entries, options.per_copy)
        os.chdir(folder)
        sourcebook = ["-m", "sourcebook"]
        index = [*sourcebook, "docs", "index", "corpus", "--embedding", options.embedding]
        cpu_ms(index, folder, 0)
        figures = {name: cpu_ms(one, folder, options.runs) for name, one in BARE.items()}
        budgets = dict.fromkeys(BARE, 0.0)
        for name, (budget, one) in COMMANDS.items():
            if name == "search, hybrid" and options.embedding == "none":
                continue
            figures[name] = cpu_ms([*sourcebook, *one], folder, options.runs)
            budgets[name] = budget
    if options.json:
        rows = {name: {"ms": figures[name], "budget_ms": budgets[name]} for name in figures}
        print(json.dumps(rows, indent=2))
        return 0
    for name, figure in figures.items():
        beside = f"of {budgets[name]:.0f}" if budgets[name] else ""
        print(f"{name:<20} {figure:6.0f} ms {beside}".rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
