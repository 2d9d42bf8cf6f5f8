"""Warm searches at a given number of entries: CPU milliseconds beside a loop and their budgets.

    python tests/bench/bench_latency.py CORPORA [--entries 10000] [--json]

The corpus is FastAPI's documentation, its pages repeated under other names until there are enough
entries; the questions are those of the ruler. Vectors come from the cache after the first copy.
A search is the whole verb: narrowing, legs, fusion, evidence, quotes. `first` is each question when
it is new to a process that is warm with others, `again` the least of three more times.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench_docs import build, read_questions  # type: ignore[import-not-found]
from sourcebook.index.open import open_index
from sourcebook.registry import registry
from sourcebook.verb import verb_refs

ROUNDS = 3
WARM_UP = 10
"""Questions that are asked before the first one counts: with the ninth, a process is taken for one
that goes on asking, and prepares for it."""


def copies(folder: Path, target: Path, entries: int, per_copy: int) -> None:
    """Write the pages of `folder` as often as it takes."""
    for number in range(-(-entries // per_copy)):
        for page in sorted(folder.rglob("*.md")):
            place = target / f"copy{number}" / page.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(page.read_text("utf-8"), "utf-8")


def timed(asked: Sequence[str], run: Callable[[str], object]) -> dict[str, list[float]]:
    """Return the CPU milliseconds of each question: asked first, and the least of `ROUNDS` more."""

    def once(query: str) -> float:
        begun = time.process_time()
        run(query)
        return 1000 * (time.process_time() - begun)

    first = [once(query) for query in asked]
    again = [min(once(query) for _ in range(ROUNDS)) for query in asked]
    return {"first": first[WARM_UP:], "again": again}


class Remembered:
    """An embedder whose questions have been embedded before."""

    def __init__(self, embedder: Any, vectors: Mapping[str, Any]) -> None:
        self._embedder = embedder
        self._vectors = vectors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_query(self, text: str) -> Any:
        """Return the vector of a question."""
        return self._vectors[text]


def loop(_query: str) -> int:
    """Do what the speed of the interpreter alone decides: the baseline."""
    return sum(number & 7 for number in range(20_000))


def main(arguments: Sequence[str]) -> int:
    """Build, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--per-copy", type=int, default=3_349, help="entries of one copy")
    parser.add_argument("--embedding", default="minilm")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    asked = [one.query for one in read_questions(options.corpora / "fastapi-questions.jsonl")]
    with tempfile.TemporaryDirectory(prefix="sourcebook-bench-") as scratch:
        corpus, out = Path(scratch) / "corpus", Path(scratch) / "docs-db"
        copies(options.corpora / "fastapi", corpus, options.entries, options.per_copy)
        build(corpus, out, options.embedding)
        with open_index(out) as index:
            embedder = index.embedder
            subject = registry().subject("docs")
            verb = next(ref for ref in verb_refs(subject) if ref.name == "search").load(subject)
            vectors = {query: embedder.embed_query(query) for query in asked}

            def by_words(query: str) -> object:
                return verb.run(index, verb.request(query=query, mode="text"))

            found = {
                "baseline loop": timed(asked, loop),
                "embedding the query": timed(asked, embedder.embed_query),
                "search --mode text": timed(asked, by_words),
            }
            # A process that only ever asks by words has not loaded numpy.
            numpy = sys.modules.pop("numpy")
            found["the same without numpy"] = timed(asked, by_words)
            sys.modules["numpy"] = numpy
            # The embedding is a row of its own: here it is looked up.
            index.embedder = Remembered(embedder, vectors)
            found["search, embedding apart"] = timed(
                asked, lambda query: verb.run(index, verb.request(query=query))
            )
            figures: dict[str, Any] = {"entries": index.manifest.entries}
            for name, times in found.items():
                figures[name] = {
                    f"{when}_{label}": round(quantile, 2)
                    for when, values in times.items()
                    for label, quantile in (
                        ("p50", statistics.median(values)),
                        ("p95", statistics.quantiles(values, n=20)[-1]),
                    )
                }
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:<30} {value}")
        print("budgets: lexical p95 5 ms, hybrid p95 the embedding of the query plus 5 ms")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
