"""What building costs: the first time, unchanged, with one changed file, and ten times as much.

    python tests/bench/bench_build.py CORPUS... [--embedding hash] [--stores tantivy,faiss]
        [--times 10] [--rounds 3] [--json]

Each figure is of whole processes, CPU time of user and system together, the best of the rounds,
since other work on the machine only ever slows one down; a bare interpreter runs beside them.
The corpus that is `--times` as large is made by copying with changes: every line of text gets a
word of its copy, so that no passage is in the cache already.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, frozen
from sourcebook.index.layout import BACKGROUND, SOURCES_TABLE, document, generation
from sourcebook.index.manifest import read_manifest
from sourcebook.index.sources import read_sources
from sourcebook_faiss.segment import Segment

SUFFIXES = {".md", ".markdown", ".txt", ".text"}


@frozen
class Cost:
    """Seconds of CPU time, and MiB of memory at the most in one of the processes."""

    cpu: float
    peak: float


def run(*arguments: str) -> Cost:
    """Run a process to its end and return what it cost with its children."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)} ended with {process.returncode}")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def best(costs: Sequence[Cost]) -> Cost:
    return Cost(min(one.cpu for one in costs), max(one.peak for one in costs))


@frozen
class Way:
    """How to build: the corpus, where to, and the options."""

    corpus: Path
    folder: Path
    options: tuple[str, ...]

    @property
    def out(self) -> Path:
        return self.folder / "docs-db"

    def build(self, *more: str) -> Cost:
        return run(
            "-m", "sourcebook", "docs", "index", str(self.corpus), "--out", str(self.out),
            "--cache-dir", str(self.folder / "cache"), "--quiet", *self.options, *more,
        )  # fmt: skip

    def forget(self, *, cache: bool) -> None:
        shutil.rmtree(self.out, ignore_errors=True)
        if cache:
            shutil.rmtree(self.folder / "cache", ignore_errors=True)


def costs(way: Way, rounds: int) -> dict[str, Cost]:
    """Return what each kind of build costs."""
    documents = [path for path in way.corpus.rglob("*") if path.suffix in SUFFIXES]
    by_size = sorted(documents, key=lambda path: path.stat().st_size)
    changed = by_size[len(by_size) // 2]
    changed.chmod(0o644)
    taken: dict[str, list[Cost]] = {}

    def note(name: str, cost: Cost) -> None:
        taken.setdefault(name, []).append(cost)

    for number in range(rounds):
        note("bare interpreter", run("-c", "pass"))
        way.forget(cache=True)
        note("first build", way.build())
        way.forget(cache=False)
        note("from the caches", way.build())
        note("unchanged", way.build())
        note("check", way.build("--check"))
        with changed.open("a") as stream:
            stream.write(f"\n\nOne more paragraph, the {number}th of its kind.\n")
        note("one changed file", way.build())
    return {name: best(some) for name, some in taken.items()}


def sizes(way: Way) -> dict[str, float]:
    """Return bytes of the documents and of the published index, its vectors apart: these are the
    matrices of the segments and the sample, not the rows that say whose they are."""
    manifest = read_manifest(way.out)
    folder = generation(way.out, manifest.generation)
    vectors = manifest.files[BACKGROUND].size if BACKGROUND in manifest.files else 0
    for name in manifest.files:
        if name.endswith(".segment") and manifest.embedder:
            vectors += Segment(folder / name, manifest.embedder.dimensions).matrix.nbytes
    documents = {info.digest: info.size for info in read_sources(folder / SOURCES_TABLE).values()}
    index = (way.out / "manifest.json").stat().st_size - vectors
    index += sum(lock.size for lock in manifest.files.values())
    index += sum(document(way.out, digest).stat().st_size for digest in documents)
    corpus = sum(documents.values())
    return {
        "sources": manifest.sources,
        "entries": manifest.entries,
        "corpus MB": corpus / 1e6,
        "index MB": index / 1e6,
        "index / corpus": index / corpus,
        "vectors MB": vectors / 1e6,
    }


def enlarge(corpus: Path, times: int, target: Path) -> Path:
    """Write `times` copies of a corpus, each with words of its own."""
    for number in range(times):
        for path in corpus.rglob("*"):
            if path.suffix in SUFFIXES:
                place = target / f"copy{number}" / path.relative_to(corpus)
                place.parent.mkdir(parents=True, exist_ok=True)
                lines = path.read_text("utf-8", "replace").split("\n")
                marked = (f"{line} mark{number}" if line[:1].isalpha() else line for line in lines)
                place.write_text("\n".join(marked))
    return target


def measure(corpus: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return all figures of one corpus."""
    options = ["--embedding", arguments.embedding]
    for name in arguments.stores.split(","):
        options += ["--store", name]
    with tempfile.TemporaryDirectory(prefix="sourcebook-bench-") as name:
        folder = Path(name)
        one = Way(shutil.copytree(corpus, folder / "corpus"), folder, tuple(options))
        found: dict[str, Any] = {"corpus": corpus.name, "costs": costs(one, arguments.rounds)}
        found["sizes"] = sizes(one)
        one.forget(cache=True)
        if arguments.times > 1:
            many = Way(
                enlarge(corpus, arguments.times, folder / "many"), folder / "large", tuple(options)
            )
            found["costs of the larger one"] = costs(many, max(1, arguments.rounds - 2))
            found["sizes of the larger one"] = sizes(many)
    return found


def show(found: dict[str, Any]) -> None:
    print(f"# {found['corpus']}")
    for part in ("", " of the larger one"):
        if f"costs{part}" not in found:
            continue
        taken = found[f"costs{part}"]
        first, bare = taken["first build"].cpu, taken["bare interpreter"].cpu
        print(f"\n{'build' + part:<34}  cpu s  / first  / bare  peak MiB")
        for name, cost in taken.items():
            print(
                f"{name:<34} {cost.cpu:6.2f} {cost.cpu / first:8.1%} {cost.cpu / bare:7.1f}"
                f" {cost.peak:9.0f}"
            )
        for name, size in found[f"sizes{part}"].items():
            print(f"{name:<34} {size:6.2f}" if size % 1 else f"{name:<34} {size:6}")
    print()


def main() -> None:
    """Measure each corpus and print what it costs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS")
    parser.add_argument("--embedding", default="hash")
    parser.add_argument("--stores", default="tantivy,faiss")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for corpus in arguments.corpora:
        found = measure(corpus, arguments)
        if arguments.json:
            print(json.dumps(found, default=lambda one: asdict(one)))
        else:
            show(found)


if __name__ == "__main__":
    main()
