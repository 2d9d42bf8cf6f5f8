"""Whether every part of every description renders to something valid.

    python tests/bench/bench_schema_render.py CORPORA [--only NAME] [--formats openapi,openapi-3.0]
        [--sample N] [--jobs 2] [--json]

CORPORA is a folder of descriptions, or one description; each file or subfolder right below it that
holds some is indexed by itself. Every operation and every type is rendered alone, then all of them
together, in each format, and each text is given to the judge of its format: a failure is printed
with what it is of. `--sample` takes that many of each kind, evenly spread.

The judge of TypeScript is its compiler, which checks a batch in one run. That of the OpenAPI
formats is openapi-spec-validator: what it says of one schema by the meta-schema depends on nothing
but that schema, and is remembered by its text, which halves the time.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from attrs import field, frozen
from sourcebook.index.open import open_index
from sourcebook.registry import registry
from sourcebook_schema.api import Api
from sourcebook_schema.facts import NODE_KINDS

METHOD, TYPE = NODE_KINDS.index("method"), NODE_KINDS.index("type")
ALL = "all together"
BATCH = 50
ROOT = str(Path(__file__).parents[2])


@frozen
class Text:
    """What was rendered: of what, and the text."""

    of: str
    text: str = field(repr=False)


@frozen
class Failure:
    """A text that its judge does not accept."""

    corpus: str
    format: str
    of: str
    message: str


Judge = Callable[[Sequence[Text]], Iterable[tuple[str, str]]]
"""Takes a batch of texts and returns (of what, message) of those that are not valid."""


def judge_openapi(batch: Sequence[Text]) -> Iterator[tuple[str, str]]:
    """Validate OpenAPI documents of either version."""
    from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator

    _remember_meta_checks()
    for one in batch:
        document = json.loads(one.text)
        is_3_0 = document["openapi"].startswith("3.0")
        validator = (OpenAPIV30SpecValidator if is_3_0 else OpenAPIV31SpecValidator)(document)
        try:
            error = next(iter(validator.iter_errors()), None)
        except Exception as broken:
            yield one.of, f"the validator fails: {type(broken).__name__}: {str(broken)[:300]}"
            continue
        if error is not None:
            place = "/".join(map(str, error.absolute_path))
            yield one.of, f"{error.message[:300]} at {place}"
        yield from ((one.of, f"{target} leads nowhere") for target in _dangling(document))


def _dangling(document: Any) -> Iterator[str]:
    todo = [document]
    while todo:
        value = todo.pop()
        if isinstance(value, list):
            todo.extend(value)
        elif isinstance(value, dict):
            target = value.get("$ref")
            if isinstance(target, str) and not _leads(document, target):
                yield target
            todo.extend(item for key, item in value.items() if key not in ("enum", "const"))


def _leads(document: Any, target: str) -> bool:
    try:
        value = document
        for key in target.removeprefix("#/").split("/"):
            value = value[key.replace("~1", "/").replace("~0", "~")]
    except (KeyError, TypeError):
        return False
    return target.startswith("#/")


def _remember_meta_checks() -> None:
    from openapi_schema_validator import OAS30Validator, OAS31Validator

    for validator in (OAS30Validator, OAS31Validator):
        original = validator.check_schema
        if hasattr(original, "remembered"):
            continue

        def check(
            schema: Any,
            *arguments: Any,
            original: Any = original,
            known: set[bytes] = set(),  # noqa: B006
            **options: Any,
        ) -> None:
            key = hashlib.blake2b(json.dumps(schema).encode(), digest_size=16).digest()
            if key not in known:
                original(schema, *arguments, **options)
                known.add(key)

        check.remembered = True  # type: ignore[attr-defined]
        validator.check_schema = check


def judge_typescript(batch: Sequence[Text]) -> Iterator[tuple[str, str]]:
    """Compile modules by themselves, all of a batch by one run of the compiler."""
    if ROOT not in sys.path:
        sys.path.append(ROOT)
    from tests.tools.tsc import check

    files = {f"{at}.ts": one.text for at, one in enumerate(batch)}
    for wrong in check(files, exactOptionalPropertyTypes=True):
        of = batch[int(wrong.file.removesuffix(".ts"))].of
        yield of, f"TS{wrong.code} at line {wrong.line}: {wrong.message[:300]}"


JUDGES: dict[str, Judge] = {
    "openapi": judge_openapi,
    "openapi-3.0": judge_openapi,
    "typescript": judge_typescript,
}


def find_corpora(path: Path, only: str) -> list[Path]:
    """Return what is indexed by itself."""
    if path.is_file():
        return [path]
    suffixes = {".json", ".yaml", ".yml"}
    found = [
        one
        for one in sorted(path.iterdir())
        if (one.is_dir() and any(part.suffix in suffixes for part in one.rglob("*")))
        or (one.is_file() and one.suffix in suffixes and one.name != "counts.json")
    ]
    return [one for one in found if only in one.name]


def spread(items: Sequence[int], count: int) -> list[int]:
    """Return `count` of the items, evenly spread; all if it is 0."""
    if not count or count >= len(items):
        return [*items]
    return [items[at * len(items) // count] for at in range(count)]


@frozen
class Task:
    """A share of the parts of an index, to be rendered in one format."""

    corpus: str
    index: Path
    format: str
    nodes: tuple[tuple[int, ...], ...]


def run_task(task: Task) -> tuple[int, int, list[Failure]]:
    """Return how many texts were made, their characters, and those that failed."""
    index = open_index(task.index)
    api = Api.of(index)
    render = registry().renderer(task.format).render
    judge = JUDGES[task.format]
    failures = []
    count = size = 0
    batch: list[Text] = []

    def judged() -> None:
        for of, message in judge(batch):
            failures.append(Failure(task.corpus, task.format, of, message))
        batch.clear()

    for nodes in task.nodes:
        of = api.id(nodes[0]) if len(nodes) == 1 else ALL
        try:
            text = render(api.subgraph(nodes, nodes, document=True), {"docs": True})
        except Exception as error:
            message = f"the renderer fails: {type(error).__name__}: {error}"
            failures.append(Failure(task.corpus, task.format, of, message))
            continue
        count, size = count + 1, size + len(text)
        batch.append(Text(of, text))
        if len(batch) == BATCH:
            judged()
    judged()
    return count, size, failures


def tasks_of(
    corpus: Path, index: Path, formats: Sequence[str], sample: int, jobs: int
) -> list[Task]:
    """Return the work on an index, in shares."""
    opened = open_index(index)
    api = Api.of(opened)
    kinds = api.graph.kinds
    operations = [node for node, kind in enumerate(kinds) if kind == METHOD]
    types = [node for node, kind in enumerate(kinds) if kind == TYPE]
    alone = [(node,) for node in (*spread(operations, sample), *spread(types, sample))]
    tasks = [Task(corpus.name, index, one, ((*operations, *types),)) for one in formats]
    shares = jobs * 4
    tasks += [
        Task(corpus.name, index, one, tuple(alone[at::shares]))
        for one in formats
        for at in range(shares)
        if alone[at::shares]
    ]
    return tasks


def build(corpus: Path, index: Path) -> None:
    """Index a corpus without vectors."""
    options = ("--out", str(index), "--embedding", "none", "--quiet")
    command = (sys.executable, "-m", "sourcebook", "schema", "index", str(corpus), *options)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    """Run the bench and return how many texts failed, 1 at the most."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--formats", default=",".join(JUDGES))
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    formats = arguments.formats.split(",")
    rows: list[dict[str, Any]] = []
    failures: list[Failure] = []
    with tempfile.TemporaryDirectory() as folder, get_context("spawn").Pool(arguments.jobs) as pool:
        for corpus in find_corpora(arguments.corpora, arguments.only):
            index = Path(folder) / f"{corpus.name}-db"
            build(corpus, index)
            tasks = tasks_of(corpus, index, formats, arguments.sample, arguments.jobs)
            began = time.monotonic()
            done = pool.map(run_task, tasks, chunksize=1)
            seconds = time.monotonic() - began
            for name in formats:
                own = [made for task, made in zip(tasks, done, strict=True) if task.format == name]
                found = [failure for _, _, failed in own for failure in failed]
                failures += found
                rows.append(
                    {
                        "corpus": corpus.name,
                        "format": name,
                        "texts": sum(count for count, _, _ in own),
                        "megabytes": round(sum(size for _, size, _ in own) / 1e6, 1),
                        "failed": len({failure.of for failure in found}),
                        "seconds": round(seconds, 1),
                    }
                )
                if not arguments.json:
                    print(
                        "  ".join(f"{key} {value}" for key, value in rows[-1].items()), flush=True
                    )
                    for failure in found[:5]:
                        print(f"    {failure.of}: {failure.message}", flush=True)
    if arguments.json:
        print(json.dumps({"rows": rows, "failures": [str(one) for one in failures]}, indent=2))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
