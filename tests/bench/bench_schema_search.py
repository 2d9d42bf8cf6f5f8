"""The ruler of the schema subject: questions about APIs to the operations that answer them.

    python tests/bench/bench_schema_search.py CORPORA [--only tmdb] [--rows] [--json] [--keep DIR]

CORPORA holds `openapi/restbench` with two descriptions and their questions (RestBench, Song et al.
2023). A question is asked as written; what is ranked are the calls of the answer, and any operation
of the solution counts. First steps are judged apart: the first operation of each solution.
Questions about the other API, and those in `data/tmdb-absent.jsonl`, have no answer.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from attrs import frozen
from sourcebook.cache import open_cache
from sourcebook.evaluate import mean, mrr, ndcg_at, recall_at, roc_auc, success_at
from sourcebook.index.build import BuildOptions, build_index
from sourcebook.index.open import Index, open_index
from sourcebook.registry import registry
from sourcebook.retrieval.evidence import LEVELS
from sourcebook.settings import load_settings
from sourcebook.verbs.index import choose_embedder, choose_stores, choose_tokenizer
from sourcebook_schema.verbs.search import SearchRequest, search

DEPTH = 20

LEGS: Mapping[str, Mapping[str, Any]] = {
    "text": {"mode": "text", "chain": False},
    "vector": {"mode": "vector", "chain": False},
    "hybrid": {"chain": False},
    "with chain": {},
    "text with chain": {"mode": "text"},
}

MENDED = {
    "GET /person/{movie_id}/movie_credits": "GET /person/{person_id}/movie_credits",
    "GET /track/{id}": "GET /tracks/{id}",
}
"""Solutions that name operations as the description does not."""


@frozen
class Question:
    """A question and its solution, operations in order; none: there is no answer."""

    id: str
    query: str
    solution: tuple[str, ...] = ()


@frozen
class Asked:
    """What one question found: by leg the ranked operations, the level and the figure."""

    question: Question
    group: str
    rankings: Mapping[str, Sequence[str]]
    levels: Mapping[str, str]
    figures: Mapping[str, float]


def read_questions(path: Path) -> list[Question]:
    """Return the questions of RestBench in a file, mended."""
    found = []
    for place, one in enumerate(json.loads(path.read_text("utf-8"))):
        solution = [operation.strip() for operation in one["solution"]]
        solution = [MENDED.get(operation, operation) for operation in solution]
        found.append(Question(str(place), one["query"], tuple(solution)))
    return found


def read_absent(path: Path) -> list[Question]:
    """Return questions without an answer."""
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return [Question(row["id"], row["question"]) for row in rows]


def build(source: Path, out: Path, embedding: str) -> None:
    """Index a description."""
    embedder = choose_embedder(load_settings({"embedding": embedding}))
    settings = load_settings({})
    place = settings.get("cache_dir")
    subject = registry().subject("schema")
    with open_cache(Path(place) if place else None) as kept:
        build_index(
            subject,
            [source],
            BuildOptions(
                out=out,
                embedder=embedder,
                stores=choose_stores(settings.get("stores"), words_only=embedder is None),
                options=subject.options() if subject.options else None,
                tokenizer=choose_tokenizer(embedder),
            ),
            kept,
        )


def ask(index: Index, question: Question, group: str) -> Asked:
    """Ask one question every way."""
    rankings, levels, figures = {}, {}, {}
    for leg, more in LEGS.items():
        request = SearchRequest(
            query=question.query, limit=DEPTH, min_evidence="none", max_nodes=1, **more
        )
        response = search(index, request)
        rankings[leg] = [call.operation for call in response.calls]
        levels[leg] = response.evidence.level
        figures[leg] = response.evidence.figures["figure"]
    return Asked(question, group, rankings, levels, figures)


def measures(asked: Sequence[Asked], leg: str) -> dict[str, float]:
    """Return the ranking figures of one leg."""
    own = [one for one in asked if one.group == "answerable"]
    rankings = {one.question.id: one.rankings[leg] for one in own}
    qrels = {one.question.id: dict.fromkeys(one.question.solution, 1.0) for one in own}
    first = {one.question.id: {one.question.solution[0]: 1.0} for one in own}
    halves = [
        {name: judged for place, (name, judged) in enumerate(qrels.items()) if place % 2 == half}
        for half in (0, 1)
    ]
    return {
        "MRR@10": mean(partial(mrr, k=10), rankings, qrels),
        "hit@1": mean(partial(success_at, k=1), rankings, qrels),
        "recall@5": mean(partial(recall_at, k=5), rankings, qrels),
        "recall@10": mean(partial(recall_at, k=10), rankings, qrels),
        "nDCG@10": mean(partial(ndcg_at, k=10, gain="binary"), rankings, qrels),
        "first step@5": mean(partial(success_at, k=5), rankings, first),
        "MRR@10 even": mean(partial(mrr, k=10), rankings, halves[0]),
        "MRR@10 odd": mean(partial(mrr, k=10), rankings, halves[1]),
    }


def evidence_figures(asked: Sequence[Asked], leg: str) -> dict[str, Any]:
    """Return the share of each level by group, and how well figures tell the groups apart."""
    groups = {group: [one for one in asked if one.group == group]
              for group in ("answerable", "absent", "foreign")}  # fmt: skip
    figures = {group: [one.figures[leg] for one in some] for group, some in groups.items()}
    return {
        "levels": {
            group: {
                level: sum(one.levels[leg] == level for one in some) / len(some) for level in LEVELS
            }
            for group, some in groups.items()
            if some
        },
        "auc": {
            group: roc_auc(figures["answerable"], figures[group])
            for group in ("absent", "foreign")
            if figures[group]
        },
        "figures": {group: sorted(some) for group, some in figures.items()},
    }


def rows_of(asked: Sequence[Asked]) -> Iterator[str]:
    """Yield a line for each question: the rank of the first answer by leg, level, wording."""
    for one in asked:
        ranks = []
        for leg, ranking in one.rankings.items():
            good = set(one.question.solution)
            rank = next((n for n, name in enumerate(ranking, start=1) if name in good), 0)
            ranks.append(f"{leg} {rank or '-':>2}")
        yield (
            f"{one.question.id:>9}  {one.group:<10}  {'  '.join(ranks)}  "
            f"{one.levels['hybrid']:<6} {one.figures['hybrid']:.2f}  "
            f"text {one.levels['text']:<6} {one.figures['text']:.2f}  {one.question.query[:90]}"
        )


def told(name: str, report: Mapping[str, Any]) -> str:
    """Return the figures of an API as a table."""
    lines = [name, ""]
    for leg, values in report["ranking"].items():
        lines.append(f"  {leg:<16}" + "  ".join(f"{key} {one:.3f}" for key, one in values.items()))
    for leg, values in report["evidence"].items():
        auc = ", ".join(f"{group} {value:.3f}" for group, value in values["auc"].items())
        lines += ["", f"  evidence, {leg}: AUC {auc}"]
        for group, levels in values["levels"].items():
            shares = "  ".join(f"{level} {100 * share:.0f} %" for level, share in levels.items())
            lines.append(f"    {group:<10} ({len(values['figures'][group])}): {shares}")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Index both descriptions, ask, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--only", action="append", help="tmdb or spotify; repeatable")
    parser.add_argument("--embedding", default="minilm")
    parser.add_argument("--rows", action="store_true", help="a line for each question, too")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path, help="folder for the indexes, used again if there")
    options = parser.parse_args(arguments)
    folder = options.corpora / "openapi/restbench"
    questions = {
        name: read_questions(folder / f"datasets/{name}.json") for name in ("tmdb", "spotify")
    }
    absent = {"tmdb": read_absent(Path(__file__).parent / "data/tmdb-absent.jsonl"), "spotify": []}
    with tempfile.TemporaryDirectory(prefix="sourcebook-bench-") as scratch:
        for name in options.only or questions:
            out = (options.keep or Path(scratch)) / f"{name}-db"
            build(folder / f"{name}_oas.json", out, options.embedding)
            other = next(one for one in questions if one != name)
            groups = {
                "answerable": questions[name], "absent": absent[name], "foreign": questions[other],
            }  # fmt: skip
            with open_index(out) as index:
                asked = [ask(index, one, group) for group, some in groups.items() for one in some]
            report = {
                "ranking": {leg: measures(asked, leg) for leg in LEGS},
                "evidence": {
                    leg: evidence_figures(asked, leg) for leg in ("text", "vector", "hybrid")
                },
            }
            if options.json:
                rows = list(rows_of(asked)) if options.rows else []
                print(json.dumps({"api": name, **report, "rows": rows}))
            else:
                print(told(name, report), flush=True)
                if options.rows:
                    print("\n".join(rows_of(asked)))
                print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
