"""The rulers of the docs subject: ranking and evidence on judged questions.

    python tests/bench/bench_docs.py CORPORA [--only fastapi] [--rows] [--json] [--keep DIR]

CORPORA holds `fastapi/` with `fastapi-questions.jsonl`, and `cranfield/` and `passages/`, each with
`docs/` and `queries.jsonl`. Every question is a JSON line with `id`, `query` and `relevant`, a list
of `file` and optional `lines` and `grade`; an empty list means that the documents do not answer it.
Questions about the other corpora are asked of each one, too: none of them has an answer there.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from attrs import frozen
from sourcebook.cache import open_cache
from sourcebook.evaluate import mean, mrr, ndcg_at, roc_auc, success_at
from sourcebook.index.background import read_background
from sourcebook.index.build import BuildOptions, build_index
from sourcebook.index.layout import BACKGROUND
from sourcebook.index.open import Index, open_index
from sourcebook.registry import registry
from sourcebook.retrieval.evidence import LEVELS, Evidence, assess
from sourcebook.retrieval.find import Found, find
from sourcebook.settings import load_settings
from sourcebook.verbs.index import choose_embedder, choose_stores, choose_tokenizer

LEGS = ("text", "vector", "hybrid")
DEPTH = 100
FOREIGN = 75
CURVE = [n / 20 for n in range(1, 20)]


@frozen
class Question:
    """A judged question; `relevant` are (file, first line, last line, grade), 0 meaning all."""

    id: str
    query: str
    relevant: tuple[tuple[str, int, int, float], ...]


@frozen
class Asked:
    """What one question found in one corpus: by leg the ranked entries and the evidence."""

    question: Question
    own: bool
    rankings: Mapping[str, Sequence[tuple[str, str, int, int]]]
    evidence: Mapping[str, Evidence]

    @property
    def answerable(self) -> bool:
        return self.own and bool(self.question.relevant)


def read_questions(path: Path) -> list[Question]:
    """Return the questions of a file."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        raw = json.loads(line)
        relevant = tuple(
            (one["file"], *(one.get("lines") or (0, 0)), float(one.get("grade", 1)))
            for one in raw["relevant"]
        )
        found.append(Question(str(raw["id"]), raw["query"], relevant))
    return found


def corpora(root: Path) -> Iterator[tuple[str, Path, list[Question]]]:
    """Yield name, folder and questions of each corpus that is there."""
    for name, folder, questions in (
        ("fastapi", root / "fastapi", root / "fastapi-questions.jsonl"),
        ("cranfield", root / "cranfield", root / "cranfield/queries.jsonl"),
        ("passages", root / "passages", root / "passages/queries.jsonl"),
    ):
        if folder.is_dir() and questions.is_file():
            yield name, folder, read_questions(questions)


def build(folder: Path, out: Path, embedding: str) -> float:
    """Index a corpus and return the seconds it took."""
    subject = registry().subject("docs")
    settings = load_settings({"embedding": embedding})
    embedder = choose_embedder(settings)
    tokenizer = choose_tokenizer(embedder)
    begun = time.perf_counter()
    with open_cache(Path(settings.get("cache_dir")) if settings.get("cache_dir") else None) as kept:
        build_index(
            subject,
            [folder],
            BuildOptions(
                out=out,
                embedder=embedder,
                stores=choose_stores(settings.get("stores"), words_only=embedder is None),
                options=subject.options(tokenizer=tokenizer) if subject.options else None,
                tokenizer=tokenizer,
            ),
            kept,
        )
    return time.perf_counter() - begun


def ask(index: Index, question: Question, *, own: bool, vectors: dict[str, Any]) -> Asked:
    """Ask one question of every leg."""
    generation = index.generation
    vector = background = None
    if index.manifest.embedder is not None:
        if question.query not in vectors:
            vectors[question.query] = index.embedder.embed_query(question.query)
        vector = vectors[question.query]
        background = read_background(generation.check(BACKGROUND))[1]
    legs: dict[str, Found] = {"text": find(generation, text=question.query, filters={})}
    if vector is not None:
        legs["vector"] = find(generation, vector=vector, filters={})
        legs["hybrid"] = find(generation, text=question.query, vector=vector, filters={})
    rankings = {}
    evidence = {}
    for leg, found in legs.items():
        rows = []
        for one in found.fused[:DEPTH]:
            entry = index.entry(one.id)
            rows.append((one.id, entry.source, entry.span.first, entry.span.last))
        rankings[leg] = rows
        evidence[leg] = assess(found, entries=index.manifest.entries, background=background)
    return Asked(question, own, rankings, evidence)


def judged(question: Question, rows: Sequence[tuple[str, str, int, int]]) -> dict[str, float]:
    """Return the grades of the ranked entries that answer a question."""
    grades: dict[str, float] = {}
    for entry_id, source, first, last in rows:
        for file, begin, end, grade in question.relevant:
            if source == file and (not end or (first <= end and last >= begin)):
                grades[entry_id] = max(grade, grades.get(entry_id, 0.0))
    return grades


def measures(asked: Sequence[Asked], leg: str) -> dict[str, float]:
    """Return the ranking figures of one leg. nDCG is of documents, relevant or not."""
    answerable = [one for one in asked if one.answerable]
    rankings = {one.question.id: [row[0] for row in one.rankings[leg]] for one in answerable}
    qrels = {
        one.question.id: judged(one.question, one.rankings[leg]) or {"": 1.0} for one in answerable
    }
    documents = {
        one.question.id: list(dict.fromkeys(row[1] for row in one.rankings[leg]))
        for one in answerable
    }
    graded = {
        one.question.id: {file: grade for file, _, _, grade in one.question.relevant}
        for one in answerable
    }
    return {
        "recall@1": mean(partial(success_at, k=1), rankings, qrels),
        "recall@5": mean(partial(success_at, k=5), rankings, qrels),
        "recall@10": mean(partial(success_at, k=10), rankings, qrels),
        "MRR@10": mean(partial(mrr, k=10), rankings, qrels),
        "nDCG@10": mean(partial(ndcg_at, k=10, gain="binary"), documents, graded),
        "nDCG@10 graded": mean(partial(ndcg_at, k=10), documents, graded),
    }


def evidence_figures(asked: Sequence[Asked], leg: str) -> dict[str, Any]:
    """Return levels, AUC and curve of one leg."""
    groups = {
        "answerable": [one for one in asked if one.answerable],
        "absent": [one for one in asked if one.own and not one.answerable],
        "foreign": [one for one in asked if not one.own],
    }
    figure = {
        name: [one.evidence[leg].figures["figure"] for one in group]
        for name, group in groups.items()
    }
    return {
        "questions": {name: len(group) for name, group in groups.items()},
        "levels": {
            name: {
                level: _share(one.evidence[leg].level == level for one in group) for level in LEVELS
            }
            for name, group in groups.items()
            if group
        },
        "auc": {
            name: roc_auc(figure["answerable"], figure[name]) for name in ("absent", "foreign")
        },
        "curve": {
            str(bar): {
                name: _share(one < bar for one in figures) for name, figures in figure.items()
            }
            for bar in CURVE
        },
    }


def _share(answers: Iterator[bool]) -> float:
    values = list(answers)
    return sum(values) / len(values) if values else 0.0


def report(name: str, index: Index, seconds: float, asked: Sequence[Asked]) -> dict[str, Any]:
    """Return all figures of a corpus."""
    legs = [leg for leg in LEGS if leg in asked[0].rankings]
    return {
        "corpus": name,
        "sources": index.manifest.sources,
        "entries": index.manifest.entries,
        "build_s": round(seconds, 1),
        "content_digest": index.manifest.content_digest,
        "ranking": {leg: measures(asked, leg) for leg in legs},
        "evidence": {leg: evidence_figures(asked, leg) for leg in legs},
    }


def rows_of(asked: Sequence[Asked]) -> Iterator[str]:
    """Yield a line for each question: rank of the first answer by leg, level, figure, wording."""
    for one in asked:
        ranks = []
        for leg, rows in one.rankings.items():
            good = judged(one.question, rows)
            rank = next((n for n, row in enumerate(rows, start=1) if row[0] in good), 0)
            ranks.append(f"{leg} {rank or '-':>3}")
        evidence = one.evidence.get("hybrid", one.evidence["text"])
        kind = "answerable" if one.answerable else "absent" if one.own else "foreign"
        yield (
            f"{one.question.id:>10}  {kind:<10}  {'  '.join(ranks)}  {evidence.level:<6} "
            f"{evidence.figures['figure']:.2f} {evidence.reason:<22} {one.question.query[:90]}"
        )


def told(figures: Mapping[str, Any]) -> str:
    """Return the figures of a corpus as a table."""
    lines = [
        f"{figures['corpus']}: {figures['sources']} sources, {figures['entries']} entries, "
        f"built in {figures['build_s']} s",
        "",
    ]
    for leg, values in figures["ranking"].items():
        lines.append(f"  {leg:<8}" + "  ".join(f"{name} {one:.3f}" for name, one in values.items()))
    for leg, values in figures["evidence"].items():
        auc = ", ".join(f"{name} {value:.3f}" for name, value in values["auc"].items())
        lines += ["", f"  evidence, {leg}: AUC {auc}"]
        for group, levels in values["levels"].items():
            count = values["questions"][group]
            shares = "  ".join(f"{level} {100 * share:.0f} %" for level, share in levels.items())
            lines.append(f"    {group:<10} ({count}): {shares}")
        lines.append("    refused below    answerable  absent  foreign")
        for bar, shares in values["curve"].items():
            lines.append(
                f"      {float(bar):.2f}"
                + "".join(f"{100 * one:10.0f} %" for one in shares.values())
            )
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Index the corpora, ask, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--only", action="append", help="one corpus; repeatable")
    parser.add_argument("--embedding", default="minilm")
    parser.add_argument("--rows", action="store_true", help="a line for each question, too")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path, help="folder for the indexes, used again if there")
    options = parser.parse_args(arguments)
    chosen = list(corpora(options.corpora))
    with tempfile.TemporaryDirectory(prefix="sourcebook-bench-") as scratch:
        place = options.keep or Path(scratch)
        for name, folder, questions in chosen:
            if options.only and name not in options.only:
                continue
            out = place / f"{name}-db"
            seconds = build(folder, out, options.embedding)
            vectors: dict[str, Any] = {}
            with open_index(out) as index:
                asked = [ask(index, one, own=True, vectors=vectors) for one in questions]
                for other, _, foreign in chosen:
                    if other != name:
                        # Evenly over the file, the same ones every time.
                        some = [one for one in foreign if one.relevant]
                        some = some[:: max(1, len(some) // FOREIGN)][:FOREIGN]
                        asked += [ask(index, one, own=False, vectors=vectors) for one in some]
                figures = report(name, index, seconds, asked)
            if options.json:
                if options.rows:
                    figures["rows"] = list(rows_of(asked))
                print(json.dumps(figures))
            else:
                print(told(figures), flush=True)
                if options.rows:
                    print("\n".join(rows_of(asked)))
                print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
