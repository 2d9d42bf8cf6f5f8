"""The cases of code: files with the declarations they hold, and a tree with what a walk reads.

`SOURCEBOOK_CASES_CODE` names another folder of such cases; its README says what the keys mean.
The folder is indexed by the command line, and what the index then holds is compared.
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from sourcebook.index.decode import decode
from sourcebook.surfaces.cli import run
from sourcebook_code.declaration import Declaration
from sourcebook_code.extract import extract
from sourcebook_code.languages import language_of

CASES = Path(os.environ.get("SOURCEBOOK_CASES_CODE", Path(__file__).parent / "cases" / "code"))
EXPECTED: Mapping[str, Any] = json.loads((CASES / "expected.json").read_text())
WALK = CASES / "walk.json"
RARE = frozenset({"impl", "singleton", "anonymous", "concept", "index", "local"})
"""Kinds that may always be left out."""

NEAR = 2
"""How far from the line of an error its diagnostic may point."""

OUTPUT_CHARS = 40_000


@frozen
class Indexed:
    """What an index of the cases holds."""

    built: Mapping[str, Any]
    entries: Sequence[Mapping[str, Any]]

    def of(self, name: str) -> list[Mapping[str, Any]]:
        """Return the declarations of a file."""
        return [one for one in self.entries if one["source"] == name and one["kind"] != "file"]

    def file(self, name: str) -> Mapping[str, Any]:
        """Return the entry that stands for a file."""
        (found,) = (one for one in self.entries if one["source"] == name and one["kind"] == "file")
        return found


def sourcebook(*arguments: str) -> str:
    """Run a command and return what it printed."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run([*arguments])
    assert status == 0, err.getvalue() + out.getvalue()
    return out.getvalue()


def index_of(folder: Path, out: Path) -> Indexed:
    """Index a folder by the command line, and read the index back."""
    built = sourcebook(
        "code", "index", str(folder), "-o", str(out), "--embedding", "none", "--no-ignore", "--json"
    )
    listed = sourcebook("code", "export", "-d", str(out))
    return Indexed(json.loads(built), [json.loads(line) for line in listed.splitlines()])


@pytest.fixture(scope="module", name="indexed")
def _indexed(tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    folder = tmp_path_factory.mktemp("code")
    shutil.copytree(CASES, folder / "corpus")
    return index_of(folder / "corpus", folder / "code-db")


def joined(text: str) -> str:
    """Return a text with each run of white space as one blank."""
    return " ".join(text.split())


def wrong_facts(entry: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    """Yield what an entry says that a case denies."""
    facts = entry["facts"]
    for key, got, right in (
        ("start_line", entry["first_line"], wanted["start_line"]),
        ("end_line", entry["last_line"], wanted["end_line"]),
        ("kind", entry["kind"], wanted["kind"]),
    ):
        if got != right:
            yield f"{key} {got}, not {right}"
    if joined(wanted["signature_contains"]) not in joined(facts["signature"]):
        yield f"signature {facts['signature']!r} lacks {wanted['signature_contains']!r}"
    same = [
        one
        for one in declared(entry["source"])
        if (one.qualified_name, one.first, one.def_line)
        == (facts["qualified_name"], entry["first_line"], facts["def_line"])
    ]
    docs = [joined(one.doc) for one in same]
    if wanted["doc_contains"] and not any(joined(wanted["doc_contains"]) in one for one in docs):
        yield f"doc {docs} lacks {wanted['doc_contains']!r}"
    calls = {call.simple for one in same for call in one.calls}
    if missing := set(wanted["calls_include"]) - calls:
        yield f"calls {sorted(calls)} lack {sorted(missing)}"


@cache
def declared(name: str) -> tuple[Declaration, ...]:
    """Return what the parser says of a file: docs and calls are searched and followed, and no entry
    holds them word by word."""
    text = decode((CASES / name).read_bytes()).text
    language = language_of(name, text[:200].encode())
    assert language is not None
    return extract(text, language).declarations


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_declarations_are_found_with_their_facts(indexed: Indexed, name: str) -> None:
    case = EXPECTED[name]
    found = indexed.of(name)
    optional = RARE | set(case.get("optional_kinds", ()))
    wrong = []
    for wanted in case["declarations"]:
        names = {
            wanted["qualified_name"],
            *case.get("alternatives", {}).get(wanted["qualified_name"], ()),
        }
        same = [
            one
            for one in found
            if one["facts"]["qualified_name"] in names
            and one["facts"]["def_line"] == wanted["def_line"]
        ]
        where = f"{wanted['qualified_name']} (line {wanted['def_line']})"
        if same:
            # Accessors and clauses may share a name and a line: one of them must be right.
            faults = min((list(wrong_facts(one, wanted)) for one in same), key=len)
            wrong += [f"{where}: {fault}" for fault in faults]
        elif wanted["kind"] not in optional:
            wrong.append(f"{where}: not found")
    names = {one["facts"]["qualified_name"].rpartition(".")[2] for one in found}
    wrong += [f"{one}: not a declaration" for one in sorted(names & set(case["absent"]))]
    assert not wrong, "\n".join([name, *wrong])


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_files_are_marked_and_diagnosed(indexed: Indexed, name: str) -> None:
    case = EXPECTED[name]
    problems = [one for one in indexed.built["problems"] if one["source"] == name]
    if not (CASES / name).read_bytes():
        assert not problems
        assert not indexed.of(name)
        return
    entry = indexed.file(name)
    assert entry["facts"]["language"] == case["language"]
    for mark in ("generated", "minified"):
        assert entry["facts"][mark] is bool(case.get(mark)), mark
    if case.get("has_error"):
        lines = [one["line"] for one in problems]
        assert any(abs(line - case["error_line"]) <= NEAR for line in lines), problems


def test_no_answer_about_a_minified_file_floods_its_reader(
    indexed: Indexed, tmp_path: Path
) -> None:
    names = [name for name, case in EXPECTED.items() if case.get("minified")]
    for name in names:
        shutil.copy(CASES / name, tmp_path)
        word = (CASES / name).read_text()[:2000].replace("(", " ").split()[1]
    if not names:
        return
    out = str(tmp_path / "code-db")
    sourcebook("code", "index", str(tmp_path), "-o", out, "--embedding", "none", "--no-ignore")
    for request in (("search", word, "--mode", "text"), ("grep", word), ("list", "declarations")):
        for more in ((), ("--json",)):
            assert len(sourcebook("code", *request, "-d", out, *more)) < OUTPUT_CHARS, request


@pytest.fixture(name="tree")
def _tree(tmp_path: Path) -> Path:
    """Write the tree of `walk.json`."""
    walk = json.loads(WALK.read_text())
    folder = tmp_path / "tree"
    for name, text in walk["files"].items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    for name, target in walk["links"].items():
        (folder / name).symlink_to(target)
    (tmp_path / "outside.py").write_text("def outside(): pass\n")
    return folder


@pytest.mark.skipif(not WALK.exists(), reason="this folder of cases has no walk.json")
def test_a_walk_reads_what_git_knows_and_nothing_else(tree: Path, tmp_path: Path) -> None:
    walk = json.loads(WALK.read_text())
    (tree / ".git" / "info").mkdir(parents=True)  # git reads ignore files in a repository only
    out = tmp_path / "code-db"
    built = json.loads(
        sourcebook("code", "index", str(tree), "-o", str(out), "--embedding", "none", "--json")
    )
    assert sorted(built["added"]) == sorted(walk["indexed"])
    reasons = {one["name"]: one["reason"] for one in built["skipped"]}
    for name in walk["skipped"]:
        above = [name, *(str(folder) for folder in Path(name).parents)]
        assert any(one in reasons for one in above), f"{name} is nowhere told: {reasons}"


@pytest.mark.skipif(not WALK.exists(), reason="this folder of cases has no walk.json")
def test_an_ignored_file_that_is_named_is_read(tree: Path, tmp_path: Path) -> None:
    out = tmp_path / "code-db"
    for name in ("tmp1/x.py", "node_modules/lib/index.js", "nested/open.py"):
        built = json.loads(
            sourcebook(
                "code", "index", str(tree / name), "-o", str(out), "--embedding", "none", "--json"
            )
        )
        assert built["sources"] == 1
