"""Whole processes over API descriptions: an index without embedding, then exact verbs, cold.

    python tests/bench/bench_schema_build.py FILE... [--runs 3] [--json]

CPU seconds of user and system together, the least of the runs, and the peak of memory. Beside them
run processes that do nothing, that only read the same file (`json.load` for JSON, and PyYAML's C
loader for both, which like an index knows lines), and `sourcebook --version`, the process start
that verbs are measured by. Memory is what a process takes over one that does nothing. Unset
PYTHONDONTWRITEBYTECODE.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

YAML = "import sys, yaml; yaml.load(open(sys.argv[1], 'rb'), Loader=yaml.CSafeLoader)"
JSON = "import sys, json; json.load(open(sys.argv[1], 'rb'))"
VERBS = {
    "stats": ["stats"],
    "list": ["list", "methods", "--limit", "20"],
    "grep": ["grep", "token", "--limit", "20"],
    "grep --regex": ["grep", "--regex", "tokens? (is|are)", "--limit", "20"],
    "trace": ["trace", "description", "--limit", "3"],
    "show": ["show", "--method", "*", "--exact", "--max-nodes", "50"],
}


class Cost(NamedTuple):
    """CPU seconds and megabytes of one process."""

    seconds: float
    megabytes: float


def cost(command: list[str], folder: Path) -> Cost:
    """Run a process and return what it took.

    Raises:
        RuntimeError: it failed.
    """
    silent = os.open(os.devnull, os.O_WRONLY)
    environ = os.environ | {"SOURCEBOOK_CACHE_DIR": str(folder / "cache")}
    child = os.posix_spawn(
        command[0], command, environ, file_actions=[(os.POSIX_SPAWN_DUP2, silent, 1)]
    )
    _, status, used = os.wait4(child, 0)
    os.close(silent)
    if status:
        raise RuntimeError(
            f"{' '.join(command[:6])} ended with {os.waitstatus_to_exitcode(status)}"
        )
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def least(command: list[str], folder: Path, runs: int, *, afresh: bool = False) -> Cost:
    """Return the least of some runs, each from an empty folder if `afresh`."""
    found = []
    for _ in range(runs):
        if afresh:
            shutil.rmtree(folder)
            folder.mkdir()
        found.append(cost(command, folder))
    return Cost(min(one.seconds for one in found), min(one.megabytes for one in found))


def report(path: Path, folder: Path, runs: int) -> dict[str, Any]:
    """Return the figures of one file."""
    python = [sys.executable]
    tool = [*python, "-m", "sourcebook"]
    index = str(folder / "schema-db")
    folder.mkdir()
    nothing = least([*python, "-c", "pass"], folder, runs)
    readers = {"PyYAML": YAML} | ({"json.load": JSON} if path.suffix == ".json" else {})
    read = {
        name: least([*python, "-c", text, str(path)], folder, 1 if name == "PyYAML" else runs)
        for name, text in readers.items()
    }
    start = least([*tool, "--version"], folder, runs)
    build = [*tool, "schema", "index", str(path), "--embedding", "none", "-o", index, "-q"]
    built = least(build, folder, runs, afresh=True)
    verbs = {
        name: least([*tool, "schema", *words, "-d", index], folder, runs).seconds
        for name, words in VERBS.items()
    }
    return {
        "file": path.name,
        "bare interpreter": nothing._asdict(),
        "read": {
            name: {
                **one._asdict(),
                "build_times": built.seconds / one.seconds,
                "memory_times": (built.megabytes - nothing.megabytes)
                / max(one.megabytes - nothing.megabytes, 1),
            }
            for name, one in read.items()
        },
        "build": built._asdict(),
        "start": start.seconds,
        "verbs": {
            name: {"seconds": taken, "start_times": taken / start.seconds}
            for name, taken in verbs.items()
        },
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of each file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)
    for path in asked.files:
        with tempfile.TemporaryDirectory(prefix="sourcebook-bench-") as scratch:
            figures = report(path.resolve(), Path(scratch) / "made", asked.runs)
        if asked.json:
            print(json.dumps(figures))
            continue
        built = figures["build"]
        print(f"{path.name}: built in {built['seconds']:.2f} s, peak {built['megabytes']:.0f} MB")
        for name, one in figures["read"].items():
            print(
                f"  {name:<14}{one['seconds']:7.2f} s {one['megabytes']:5.0f} MB: the build takes "
                f"{one['build_times']:.1f} times its time, {one['memory_times']:.1f} its memory"
            )
        print(f"  {'start':<14}{figures['start'] * 1000:5.0f} ms")
        for name, one in figures["verbs"].items():
            print(f"  {name:<14}{one['seconds'] * 1000:5.0f} ms, {one['start_times']:.1f} times it")


if __name__ == "__main__":
    main()
