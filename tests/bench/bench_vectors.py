"""Vectors: what each kind of index costs and finds, beside bare FAISS.

Prints one row for each size and kind: CPU seconds to build and publish, megabytes on disk, CPU
milliseconds of the first question in a fresh reader and of the median one after, the share of the
true ten nearest found, and the ratio of its median to that of bare FAISS with the same index in
memory. All in one thread of FAISS.

    python tests/bench/bench_vectors.py --sizes 10000 100000
    python tests/bench/bench_vectors.py --vectors passages.npy --queries questions.npy

Without `--vectors` the vectors are made: clusters whose spread is that of MiniLM's embeddings of
documentation (nearest neighbours of real questions at cosines near 0.5, of passages near 0.8).
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray
from sourcebook.store import Location, Row, StoreSchema
from sourcebook_faiss.index import HNSW_WIDTH, KINDS, lists_to_probe, load_faiss
from sourcebook_faiss.plugin import begin, open_reader

Matrix = NDArray[np.float32]

TOP = 10


def made(count: int, width: int, seed: int) -> Matrix:
    """Return unit vectors around centres whose number grows with the square root of `count`."""
    drawn = np.random.default_rng(7).standard_normal((max(16, int(count**0.5)), width))
    generator = np.random.default_rng(seed)
    centres = drawn[generator.integers(0, len(drawn), count)]
    vectors = centres + 0.7 * generator.standard_normal((count, width))
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    return np.asarray(vectors / lengths, dtype=np.float32)


def cpu_ms(act: Callable[[], object]) -> float:
    """Return the CPU milliseconds of one call."""
    start = time.process_time()
    act()
    return 1000 * (time.process_time() - start)


def measure(kind: str, vectors: Matrix, queries: Matrix, truth: list[set[str]]) -> str:
    """Return the row of one kind of index."""
    root = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        location = Location(folder=root)
        schema = StoreSchema((), {}, vectors.shape[1], {"index": kind})

        def build() -> None:
            writer = begin(location, schema, None)
            writer.upsert(Row(f"{n}", "d", vectors=vectors[n : n + 1]) for n in range(len(vectors)))
            writer.publish()

        seconds = cpu_ms(build) / 1000
        size = sum(path.stat().st_size for path in root.iterdir()) / 1e6
        reader = open_reader(location, schema)
        first = cpu_ms(lambda: reader.nearest(queries[0], TOP))
        times, found = [], 0
        for query, best in zip(queries, truth, strict=True):
            start = time.process_time()
            hits = reader.nearest(query, TOP)
            times.append(1000 * (time.process_time() - start))
            found += len(best & {hit.id for hit in hits})
        bare = bare_ms(kind, root, vectors, queries)
        recall = found / (TOP * len(queries))
        return (
            f"{len(vectors):8} {kind:8} {seconds:8.1f} {size:8.0f} {first:8.2f} "
            f"{median(times):8.2f} {recall:8.3f} {median(times) / bare:8.2f}"
        )
    finally:
        shutil.rmtree(root)


def bare_ms(kind: str, root: Path, vectors: Matrix, queries: Matrix) -> float:
    """Return the median CPU milliseconds of bare FAISS for the same questions."""
    faiss = load_faiss()
    if kind in ("exact", "flat"):
        index = faiss.IndexFlatIP(vectors.shape[1])
        index.add(vectors)
    else:
        (path,) = root.glob("*.faiss")
        index = faiss.read_index(str(path))
        if kind == "hnsw":
            index.hnsw.efSearch = HNSW_WIDTH
        else:
            index.nprobe = lists_to_probe(index.nlist, len(vectors))
    return median([cpu_ms(partial(index.search, query[None], TOP)) for query in queries])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 300_000])
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--kinds", nargs="+", choices=KINDS[1:], default=KINDS[1:])
    parser.add_argument("--count", type=int, default=100, help="questions asked")
    parser.add_argument("--vectors", type=Path, help="real vectors instead of made ones, .npy")
    parser.add_argument("--queries", type=Path, help="questions that go with --vectors, .npy")
    options = parser.parse_args()
    load_faiss().omp_set_num_threads(1)
    titles = ["vectors", "index", "build-s", "MB", "first-ms", "warm-ms", "recall", "vs-bare"]
    print(" ".join(f"{title:>8}" for title in titles))
    for size in options.sizes:
        if options.vectors:
            vectors = np.load(options.vectors)[:size].astype(np.float32)
            queries = np.load(options.queries)[: options.count].astype(np.float32)
        else:
            vectors = made(size, options.dimensions, 1)
            queries = made(options.count, options.dimensions, 2)
        best = np.argsort(-(queries @ vectors.T), axis=1)[:, :TOP]
        truth = [{str(number) for number in row} for row in best.tolist()]
        for kind in options.kinds:
            print(measure(kind, vectors, queries, truth), flush=True)


if __name__ == "__main__":
    main()
