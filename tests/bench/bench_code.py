"""The rulers of the code subject: ranking and evidence on judged questions about real packages.

    python tests/bench/bench_code.py CORPORA [--only httpx] [--rows] [--json] [--keep DIR]

CORPORA holds `httpx-questions.jsonl` and `rxjs-questions.jsonl`, each line with `id`, `question`,
`answerable`, `gold` and `also_accepted`, lists of `file` and `qualified_name`. The packages are
fetched by pip and npm at the versions that the questions name, once, into DIR. A hit at rank n
means that a gold or accepted declaration is among the first n. Questions about the other package
are asked, too: none of them has an answer there.

The same table has a loop of greps, as an agent without an index would go about it: one search for
each word of the question that tells something, and files in the order of how many of them they
hold. It knows files only, so that the others are counted by files as well for that row.
"""

import argparse
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen
from sourcebook.cache import open_cache
from sourcebook.evaluate import roc_auc
from sourcebook.index.build import BuildOptions, build_index
from sourcebook.index.open import Index, open_index
from sourcebook.registry import registry
from sourcebook.retrieval.evidence import LEVELS, Evidence
from sourcebook.settings import load_settings
from sourcebook.verbs.index import choose_embedder, choose_stores, choose_tokenizer
from sourcebook.verbs.narrow import Narrowed
from sourcebook.verbs.search import Wording, judge
from sourcebook_code.options import CodeOptions
from sourcebook_code.ranking import rank

LEGS = {"words": "text", "meaning": "vector", "both": "hybrid"}
DEPTH = 10
EVERYDAY = frozenset(re.findall("[a-z]+", """
a an and any are as at be been by can code do does each for from function had has have how if in
into is it its may more not of on one or other out over own so some than that the their them
then there this to used was we what when where which while who why will with
"""))  # fmt: skip


@frozen
class Corpus:
    """A package: what its client calls it, the folder that is indexed, and what stands before the
    names of files in the questions."""

    name: str
    package: str
    client: str
    folder: str
    prefix: str


CORPORA = (
    Corpus("httpx", "httpx==0.28.1", "pip", "httpx-0.28.1/httpx", "httpx/"),
    Corpus("rxjs", "rxjs@7.8.2", "npm", "package/src", "src/"),
)


@frozen
class Question:
    """A judged question; `accepted` are (file, qualified name)."""

    id: str
    text: str
    accepted: frozenset[tuple[str, str]]


@frozen
class Asked:
    """What one question found: by leg the ranked (file, name) and the evidence; `grep` ranks
    files. `own` tells questions about this package from those about another."""

    question: Question
    own: bool
    rankings: Mapping[str, Sequence[tuple[str, str]]]
    evidence: Mapping[str, Evidence]
    grep: Sequence[str]

    @property
    def answerable(self) -> bool:
        return self.own and bool(self.question.accepted)


def read_questions(path: Path, prefix: str) -> list[Question]:
    """Return the questions of a file."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        raw = json.loads(line)
        accepted = frozenset(
            (one["file"].removeprefix(prefix), one["qualified_name"])
            for one in (*raw["gold"], *raw["also_accepted"])
        )
        found.append(Question(raw["id"], raw["question"], accepted))
    return found


def fetched(corpus: Corpus, place: Path) -> Path:
    """Return the unpacked folder of a package, fetched by its client if it is not there."""
    folder = place / corpus.folder
    if not folder.is_dir():
        place.mkdir(parents=True, exist_ok=True)
        if corpus.client == "pip":
            what = ["--no-deps", "--no-binary", ":all:", "--quiet", "--dest", str(place)]
            command = [sys.executable, "-m", "pip", "download", *what, corpus.package]
        else:
            command = ["npm", "pack", "--silent", "--pack-destination", str(place), corpus.package]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        name = re.split("[=@]", corpus.package)[0]
        for archive in (*place.glob(f"{name}-*.tar.gz"), *place.glob(f"{name}-*.tgz")):
            with tarfile.open(archive) as packed:
                packed.extractall(place, filter="data")
    return folder


def build(folder: Path, out: Path, embedding: str) -> float:
    """Index a folder and return the seconds it took."""
    settings = load_settings({"embedding": embedding})
    embedder = choose_embedder(settings)
    begun = time.perf_counter()
    with open_cache(Path(settings.get("cache_dir")) if settings.get("cache_dir") else None) as kept:
        build_index(
            registry().subject("code"),
            [folder],
            BuildOptions(
                out=out,
                embedder=embedder,
                stores=choose_stores(settings.get("stores"), words_only=embedder is None),
                options=CodeOptions(),
                tokenizer=choose_tokenizer(embedder),
            ),
            kept,
        )
    return time.perf_counter() - begun


def ask(index: Index, folder: Path, question: Question, *, own: bool) -> Asked:
    """Ask one question of every leg, and of grep."""
    rankings, evidence = {}, {}
    for leg, mode in LEGS.items():
        text = question.text if mode != "vector" else ""
        vector = question.text if mode != "text" else ""
        if vector and index.manifest.embedder is None:
            continue
        found = rank(index, Wording(text, vector, mode), Narrowed({}))
        evidence[leg] = judge(index, found, Narrowed({}))
        entries = [index.entry(one.id) for one in found.fused[:DEPTH]]
        rankings[leg] = [(one.source, one.title) for one in entries]
    return Asked(question, own, rankings, evidence, grep(folder, question.text))


def grep(folder: Path, question: str) -> list[str]:
    """Return files in the order in which a loop of greps brings them up."""
    words = [one for one in re.findall(r"[a-z0-9]+", question.lower()) if one not in EVERYDAY]
    held: dict[str, tuple[int, int]] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".py", ".ts"):
            continue
        lines = path.read_text("utf-8", "replace").lower().split("\n")
        counts = [sum(word in line for line in lines) for word in words]
        held[path.relative_to(folder).as_posix()] = (sum(map(bool, counts)), sum(counts))
    return sorted(held, key=lambda name: (-held[name][0], -held[name][1], name))[:DEPTH]


def place_of(one: Asked, leg: str, *, files: bool = False) -> int:
    """Return the rank of the first answer, 0 if none is among the first."""
    if leg == "grep":
        good = [name in {file for file, _ in one.question.accepted} for name in one.grep]
    elif files:
        names = list(dict.fromkeys(file for file, _ in one.rankings[leg]))
        good = [name in {file for file, _ in one.question.accepted} for name in names]
    else:
        good = [row in one.question.accepted for row in one.rankings[leg]]
    return next((place for place, right in enumerate(good, start=1) if right), 0)


def measures(ranks: Sequence[int]) -> dict[str, float]:
    """Return hits at 1, 3 and 10, and MRR@10."""
    return {
        **{f"hit@{k}": sum(0 < one <= k for one in ranks) for k in (1, 3, 10)},
        "MRR@10": round(sum(1 / one for one in ranks if one) / max(len(ranks), 1), 3),
    }


def figures_of(asked: Sequence[Asked]) -> dict[str, Any]:
    """Return all figures of a corpus: by leg, of grep, and of the evidence."""
    answerable = [one for one in asked if one.answerable]
    groups = {
        "answerable": answerable,
        "absent": [one for one in asked if one.own and not one.answerable],
        "foreign": [one for one in asked if not one.own],
    }
    rows: dict[str, Any] = {}
    for leg in asked[0].rankings:
        ranks = [place_of(one, leg) for one in answerable]
        kept = [
            0 if one.evidence[leg].level == "none" else place_of(one, leg) for one in answerable
        ]
        figure = {
            name: [one.evidence[leg].figures["figure"] for one in some]
            for name, some in groups.items()
        }
        rows[leg] = {
            "ranking": measures(ranks),
            "with refusal": measures(kept),
            "by file": measures([place_of(one, leg, files=True) for one in answerable]),
            "levels": {
                name: {level: sum(o.evidence[leg].level == level for o in some) for level in LEVELS}
                for name, some in groups.items()
            },
            "auc": {
                name: round(roc_auc(figure["answerable"], figure[name]), 3)
                for name in ("absent", "foreign")
                if figure[name]
            },
        }
    rows["grep"] = {"by file": measures([place_of(one, "grep") for one in answerable])}
    return rows


def told(name: str, index: Index, seconds: float, rows: Mapping[str, Any]) -> str:
    """Return the figures of a corpus as a table."""
    manifest = index.manifest
    lines = [
        f"{name}: {manifest.sources} files, {manifest.entries} entries, "
        f"{manifest.content_digest[:12]}, built in {seconds:.1f} s"
    ]
    for leg, row in rows.items():
        for what in ("ranking", "with refusal", "by file"):
            if what in row:
                values = "  ".join(f"{key} {value}" for key, value in row[what].items())
                lines.append(f"  {leg:<8} {what:<13} {values}")
        for group, levels in row.get("levels", {}).items():
            shares = "  ".join(f"{level} {count}" for level, count in levels.items())
            auc = row["auc"].get(group)
            lines.append(f"  {leg:<8} {group:<13} {shares}" + (f"  AUC {auc}" if auc else ""))
    return "\n".join(lines)


def rows_of(asked: Sequence[Asked]) -> Iterator[str]:
    """Yield a line for each question: rank by leg, level, figure, wording."""
    for one in asked:
        ranks = "  ".join(f"{leg} {place_of(one, leg) or '-':>2}" for leg in one.rankings)
        evidence = one.evidence.get("both", one.evidence["words"])
        kind = "answerable" if one.answerable else "absent" if one.own else "foreign"
        yield (
            f"{one.question.id:>14}  {kind:<10}  {ranks}  {evidence.level:<6} "
            f"{evidence.figures['figure']:.2f} {evidence.reason:<20} {one.question.text[:80]}"
        )


def main(arguments: Sequence[str]) -> int:
    """Index the packages, ask, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--only", action="append", help="one corpus; repeatable")
    parser.add_argument("--embedding", default="minilm")
    parser.add_argument("--rows", action="store_true", help="a line for each question, too")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path, help="folder for packages and indexes, used again")
    options = parser.parse_args(arguments)
    questions = {
        one.name: read_questions(options.corpora / f"{one.name}-questions.jsonl", one.prefix)
        for one in CORPORA
    }
    with tempfile.TemporaryDirectory(prefix="sourcebook-bench-") as scratch:
        place = options.keep or Path(scratch)
        for corpus in CORPORA:
            if options.only and corpus.name not in options.only:
                continue
            folder = fetched(corpus, place)
            out = place / f"{corpus.name}-db"
            seconds = build(folder, out, options.embedding)
            with open_index(out) as index:
                asked = [
                    ask(index, folder, one, own=name == corpus.name)
                    for name, some in questions.items()
                    for one in some
                    if name == corpus.name or one.accepted
                ]
                rows = figures_of(asked)
                if options.json:
                    print(json.dumps({"corpus": corpus.name, **rows}))
                else:
                    print(told(corpus.name, index, seconds, rows), flush=True)
            if options.rows:
                print("\n".join(rows_of(asked)))
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
