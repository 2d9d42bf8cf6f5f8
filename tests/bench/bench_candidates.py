"""Words: how much of BM25F's first ten a store's candidates hold, and what they cost.

Passages are the paragraphs of all Markdown and text files below a folder, under their heading;
questions are the `query` of each line of all `.jsonl` files there. For each limit the share of the
ten best rows by BM25F over all rows that is among the candidates, and CPU milliseconds a question.

    python tests/bench/bench_candidates.py CORPORA --store tantivy
"""

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from sourcebook.retrieval.analyse import analyse, query_terms
from sourcebook.store import LexicalReader, Location, Row, StoreSchema
from sourcebook.testing.made import FIELDS, bm25f, find_store

TOP = 10


def passages(root: Path) -> Iterator[Row]:
    """Yield a row for each paragraph."""
    for path in sorted(root.rglob("*")):
        if path.suffix not in (".md", ".txt"):
            continue
        name, title = path.relative_to(root).as_posix(), ""
        for number, text in enumerate(re.split(r"\n\s*\n", path.read_text(errors="replace"))):
            if text.startswith("#"):
                title = text.partition("\n")[0].lstrip("# ")
            terms = {"title": " ".join(analyse(title)), "body": " ".join(analyse(text))}
            yield Row(f"{name}#{number}", name, terms=terms)


def questions(root: Path) -> list[list[str]]:
    """Return the terms of each question."""
    lines = (line for path in sorted(root.rglob("*.jsonl")) for line in path.open())
    return [[one.term for one in query_terms(json.loads(line)["query"])] for line in lines]


def main() -> None:
    """Print a row for each limit."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--store", default="tantivy")
    parser.add_argument("--limits", type=int, nargs="+", default=[50, 100, 200, 300])
    options = parser.parse_args()
    rows, asked = list(passages(options.corpora)), questions(options.corpora)
    rank = bm25f(rows)
    best = [set(rank(terms)[:TOP]) for terms in asked]
    store, schema = find_store(options.store), StoreSchema(FIELDS, {})
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        location = Location(folder=Path(folder))
        start = time.process_time()
        writer = store.begin(location, schema, None)
        writer.upsert(rows)
        writer.publish()
        built = time.process_time() - start
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        print(f"{len(rows)} rows, {len(asked)} questions, {built:.2f} CPU s, {size / 1e6:.1f} MB")
        reader = cast(LexicalReader, store.open(location, schema))
        for limit in options.limits:
            start = time.process_time()
            found = [set(reader.candidates(terms, limit)) for terms in asked]
            spent = 1000 * (time.process_time() - start) / len(asked)
            held = sum(len(one & other) for one, other in zip(best, found, strict=True))
            wanted = sum(map(len, best))
            print(f"limit {limit:4}: {held / wanted:.4f} of the best ten, {spent:.2f} ms")


if __name__ == "__main__":
    main()
