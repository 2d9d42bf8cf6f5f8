"""Real API descriptions: what is counted in them, and what parsing costs beside reading the text.

    python tests/bench/bench_schema.py CORPORA/openapi [FILE ...] [--runs 3] [--json]

The counts are compared with those in `counts.json`, which were made independently; a difference
fails. Times are CPU seconds, the least of the runs, of `json.load` or PyYAML's C loader on the same
text in the same process, and of `parse` without and with the core's rows and terms. Peak memory is
that of one process for each, less what the interpreter and its imports take. More files, such as
GitHub's description, may be named.
"""

import argparse
import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sourcebook import Fact, Problem, Source
from sourcebook.index.parse import parse_document
from sourcebook.registry import registry
from sourcebook_schema.facts import FileFact, Mark
from sourcebook_schema.parse import parse


def counts(fact: FileFact) -> dict[str, int]:
    """Return what `counts.json` says of a file."""
    methods = [row for row in fact.nodes if row.kind == "method"]
    plain = [row for row in methods if "event" not in row.detail]
    ids = [row.detail["id"] for row in plain if "id" in row.detail]
    types = {row.pointer for row in fact.nodes if row.kind == "type" and not row.marks & Mark.MADE}
    own = [
        row
        for row in fact.nodes
        if row.kind == "property"
        and row.pointer.rpartition("/properties/")[0] in types
        and fact.nodes[row.parent].kind == "type"
    ]
    return {
        "operations": len(plain),
        "without_id": len(plain) - len(ids),
        "duplicate_ids": len(ids) - len(set(ids)),
        "named_schemas": len(types),
        "webhooks": sum(row.detail.get("event") == "webhook" for row in methods),
        "own_properties_of_named_object_schemas": len(own),
    }


def plain_load(text: str) -> Any:
    """Read a text with the usual C loader, into values that know no lines."""
    if text.lstrip().startswith("{"):
        return json.loads(text)
    import yaml

    return yaml.load(text, Loader=yaml.CSafeLoader)


def whole_parse(path: Path) -> Any:
    """Parse a file as a build does."""
    subject = registry().subject("schema")
    return parse_document(subject, path.name, path.read_bytes(), "", "", None)


def least(work: Callable[[], object], runs: int) -> float:
    """Return the least CPU time of some runs."""
    found = []
    gc.disable()  # as a build does while it parses
    for _ in range(runs):
        gc.collect()
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def peak_mb(path: Path, what: str) -> float:
    """Return the memory that a process takes for one piece of work, over what it began with."""
    command = [sys.executable, __file__, "--peak", what, str(path)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure_peak(path: Path, what: str) -> float:
    """Do one piece of work and return by how much it raised this process's peak."""
    plain_load("{}")
    plain_load("a: b")
    registry().subject("schema")
    whole_parse(Path(__file__).with_name("bench_schema.py"))
    before = _peak_kb()
    kept = plain_load(path.read_text("utf-8")) if what == "load" else whole_parse(path)
    after = _peak_kb()
    del kept
    return (after - before) / 1024


def _peak_kb() -> int:
    """Return the peak of this process; that of `getrusage` begins with that of its parent."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0])


def report(path: Path, name: str, runs: int) -> dict[str, Any]:
    """Return the figures of one file."""
    text = path.read_text("utf-8")
    yielded = list(parse(Source(name, text)))
    values: list[Any] = [one.value for one in yielded if isinstance(one, Fact)]
    fact = FileFact.from_json(values[0])
    load = least(lambda: plain_load(text), runs)
    memory = peak_mb(path, "load")
    return {
        "file": name,
        "counts": counts(fact),
        "nodes": len(fact.nodes),
        "problems": sum(isinstance(one, Problem) for one in yielded),
        "load_s": load,
        "parse_x": least(lambda: list(parse(Source(name, text))), runs) / load,
        "with_terms_x": least(lambda: whole_parse(path), runs) / load,
        "load_mb": memory,
        "with_terms_memory_x": peak_mb(path, "parse") / max(memory, 0.1),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures; exit 1 if a count differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", type=Path)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.peak:
        print(measure_peak(asked.corpora, asked.peak))
        return
    known = json.loads((asked.corpora / "counts.json").read_text("utf-8"))
    rows = [report(asked.corpora / name, name, asked.runs) for name in known]
    rows += [report(path, path.name, asked.runs) for path in asked.files]
    wrong = [
        f"{row['file']}: {key} is {found}, not {known[row['file']][key]}"
        for row in rows
        if row["file"] in known
        for key, found in row["counts"].items()
        if found != known[row["file"]][key]
    ]
    if asked.json:
        print(json.dumps({"files": rows, "wrong": wrong}, indent=1))
    else:
        print(
            f"{'file':<32}{'nodes':>7}{'load s':>8}{'parse':>8}{'+terms':>8}{'MB':>7}{'memory':>8}"
        )
        for row in rows:
            print(
                f"{row['file'][:31]:<32}{row['nodes']:>8}{row['load_s']:>8.3f}"
                f"{row['parse_x']:>7.1f}x{row['with_terms_x']:>7.1f}x{row['load_mb']:>8.1f}"
                f"{row['with_terms_memory_x']:>7.1f}x"
            )
        print("\n".join(wrong) if wrong else "all counts are right")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
