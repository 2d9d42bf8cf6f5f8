"""Warm searches at a given number of entries: p50 and p95 in milliseconds, beside their budgets.

    python tests/bench/bench_latency.py CORPORA [--entries 10000] [--json]

The corpus is FastAPI's documentation, its pages repeated under other names until there are enough
entries; the questions are those of the ruler. Vectors come from the cache after the first copy.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bench_docs import build, read_questions  # type: ignore[import-not-found]
from sourcebook.index.open import open_index
from sourcebook.retrieval.find import find

ROUNDS = 3


def copies(folder: Path, target: Path, entries: int, per_copy: int) -> None:
    """Write the pages of `folder` as often as it takes."""
    for number in range(-(-entries // per_copy)):
        for page in sorted(folder.rglob("*.md")):
            place = target / f"copy{number}" / page.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(page.read_text("utf-8"), "utf-8")


def timed(asked: Sequence[str], run: Callable[[str], object]) -> list[float]:
    """Return the milliseconds of each run after one round that counts nothing."""
    for query in asked:
        run(query)
    times = []
    for _ in range(ROUNDS):
        for query in asked:
            begun = time.perf_counter()
            run(query)
            times.append(1000 * (time.perf_counter() - begun))
    return times


def main(arguments: Sequence[str]) -> int:
    """Build, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--per-copy", type=int, default=3_800, help="entries of one copy")
    parser.add_argument("--embedding", default="minilm")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    asked = [one.query for one in read_questions(options.corpora / "fastapi-questions.jsonl")]
    with tempfile.TemporaryDirectory(prefix="sourcebook-bench-") as scratch:
        corpus, out = Path(scratch) / "corpus", Path(scratch) / "docs-db"
        copies(options.corpora / "fastapi", corpus, options.entries, options.per_copy)
        build(corpus, out, options.embedding)
        with open_index(out) as index:
            generation, embedder = index.generation, index.embedder
            vectors = {query: embedder.embed_query(query) for query in asked}
            found = {
                "embedding the query": timed(asked, embedder.embed_query),
                "lexical": timed(asked, lambda query: find(generation, text=query, filters={})),
                "hybrid without the embedding": timed(
                    asked,
                    lambda query: find(generation, text=query, vector=vectors[query], filters={}),
                ),
            }
            figures = {"entries": index.manifest.entries} | {
                name: {
                    "p50_ms": round(statistics.median(times), 2),
                    "p95_ms": round(statistics.quantiles(times, n=20)[-1], 2),
                }
                for name, times in found.items()
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
