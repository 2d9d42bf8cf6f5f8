"""Descriptions: kept beside the code, applied to it, put into it by a diff that git takes."""

import json
import os
import subprocess
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.surfaces.cli import run
from sourcebook_code.descriptions.promote import Insertion, comment, diff, promotable
from sourcebook_code.descriptions.sidecar import (
    NAME,
    Description,
    SidecarUnreadable,
    from_context,
    match,
    read_sidecar,
    to_context,
    write_sidecar,
)
from sourcebook_code.descriptions.survey import _declined
from sourcebook_code.extract import extract
from sourcebook_code.languages import by_name

TEXT = 'Gives the "trees" a drink; see a\\b */ and """. ' + "Words go on and on. " * 8

SOURCES: Mapping[str, str] = {
    "c": "int f(int a)\n{\n    return a;\n}\n",
    "cpp": "namespace n {\n  template <class T>\n  T f(T a) { return a; }\n}\n",
    "csharp": "class A {\n    [X]\n    int F() { return 1; }\n}\n",
    "dart": "class A {\n  int f() => 1;\n}\n",
    "elixir": "defmodule A do\n  def f(x) do\n    x\n  end\nend\n",
    "go": "package p\n\nfunc F() int {\n\treturn 1\n}\n",
    "haskell": "module A where\n\nf :: Int -> Int\nf x = x\n",
    "java": "class A {\n    @Override\n    int f() { return 1; }\n}\n",
    "javascript": "export class A {\n  f() { return 1; }\n}\nconst g = () => 2;\n",
    "kotlin": "class A {\n    fun f(): Int {\n        return 1\n    }\n}\n",
    "lua": "local M = {}\nfunction M.f()\n  return 1\nend\nreturn M\n",
    "php": "<?php\nclass A {\n    function f() { return 1; }\n}\n",
    "python": "class A:\n    @staticmethod\n    def f(\n        x,\n    ):\n        return x\n",
    "ruby": "class A\n  def f\n    1\n  end\nend\n",
    "rust": "#[test]\nfn f() -> u8 {\n    1\n}\n",
    "scala": "object A {\n  def f: Int = 1\n}\n",
    "shell": "f() {\n  echo 1\n}\n",
    "sql": "CREATE TABLE t (\n  a int\n);\n",
    "swift": "struct A {\n    func f() -> Int { 1 }\n}\n",
    "typescript": "export abstract class A {\n  private f(): number { return 1; }\n}\n",
}


def sourcebook(*arguments: str, status: int = 0) -> str:
    """Run a command and return what it printed."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        ended = run([*arguments])
    assert ended == status, err.getvalue() + out.getvalue()
    return out.getvalue()


def index(folder: Path) -> Any:
    """Index a folder into `code-db` below it."""
    return json.loads(
        sourcebook(
            "code", "index", str(folder), "-o", str(folder / "code-db"), "--embedding", "none",
            "--json",
        )
    )  # fmt: skip


def describe(folder: Path, verb: str, *arguments: str, status: int = 0) -> Any:
    """Run one of the verbs that describe, and return its JSON."""
    where = ("-d", str(folder / "code-db"), "--root", str(folder), "--json")
    return json.loads(sourcebook("code", "describe", verb, *arguments, *where, status=status))


def put(folder: Path, texts: Mapping[str, str], status: int = 0) -> Any:
    """Put texts by id."""
    file = folder.parent / "put.json"
    file.write_text(json.dumps([{"id": one, "text": text} for one, text in texts.items()]))
    return describe(folder, "put", str(file), status=status)


@pytest.fixture(name="repository")
def _repository(tmp_path: Path) -> Path:
    """Make a repository with two files, indexed."""
    folder = tmp_path / "repository"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.py").write_text("def f(x):\n    return x\n\n\ndef g():\n    return f(1)\n")
    (folder / "deep" / "b.py").write_text(
        'class B:\n    """Doc."""\n\n    def m(self):\n        pass\n'
    )
    index(folder)
    return folder


# ---- the law of matching


def test_a_text_applies_to_its_name_and_code() -> None:
    told = [Description("a", "f", "1", "one"), Description("a", "g", "2", "two")]
    assert match(told, [("f", "1"), ("g", "2"), ("h", "3")]) == [
        ("described", "one"),
        ("described", "two"),
        ("missing", ""),
    ]


def test_a_text_follows_its_code_to_another_name() -> None:
    told = [Description("a", "f", "1", "one")]
    assert match(told, [("renamed", "1")]) == [("moved", "one")]


def test_different_texts_for_one_code_move_nowhere() -> None:
    told = [Description("a", "f", "1", "one"), Description("a", "g", "1", "two")]
    assert match(told, [("renamed", "1")]) == [("missing", "")]


def test_a_text_that_has_a_home_does_not_move() -> None:
    told = [Description("a", "f", "1", "one")]
    assert match(told, [("f", "1"), ("copy", "1")]) == [("described", "one"), ("missing", "")]


def test_a_text_does_not_apply_to_code_that_has_changed() -> None:
    assert match([Description("a", "f", "1", "one")], [("f", "2")]) == [("superseded", "")]


texts = st.text(max_size=8)
described = st.lists(st.builds(Description, st.just("p"), texts, texts, texts), max_size=6)


@given(described)
def test_a_context_gives_back_what_it_was_made_of(told: list[Description]) -> None:
    assert from_context("p", to_context(told)) == sorted(told)
    assert to_context(told) == to_context(told[::-1])


@given(described, st.lists(st.tuples(texts, texts), max_size=6))
def test_no_text_applies_to_code_it_was_not_written_for(
    told: list[Description], declared: list[tuple[str, str]]
) -> None:
    for (_, code), found in zip(declared, match(told, declared), strict=True):
        assert bool(found.text) <= any((one.code, one.text) == (code, found.text) for one in told)


# ---- the file


def test_what_is_written_is_read_back_sorted_and_once(tmp_path: Path) -> None:
    told = [Description("b", "f", "1", "ü\n東京"), Description("a", "f", "1", "x")]
    write_sidecar(tmp_path, [*told, told[0]])
    assert read_sidecar(tmp_path) == tuple(sorted(told))
    first = (tmp_path / NAME).read_bytes()
    write_sidecar(tmp_path, told[::-1])
    assert (tmp_path / NAME).read_bytes() == first
    assert [one.name for one in tmp_path.iterdir()] == [NAME]


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{", '{"schema": 2, "descriptions": []}', '{"schema": 1}',
        '{"schema": 1, "descriptions": [{"path": "a"}]}',
        '{"schema": 1, "descriptions": [{"path": "a", "name": 1, "code": "", "text": ""}]}',
        "[" * 100_000,
    ],
)  # fmt: skip
def test_another_file_is_refused_and_kept(repository: Path, text: str) -> None:
    (repository / NAME).write_text(text)
    with pytest.raises(SidecarUnreadable, match="descriptions"):
        read_sidecar(repository)
    built = index(repository)
    assert (NAME, "malformed") in [(one["name"], one["reason"]) for one in built["skipped"]]
    put_file = repository.parent / "put.json"
    put_file.write_text('[{"id": "a.py#f", "text": "x"}]')
    error = describe(repository, "put", str(put_file), status=1)
    assert error["error"]["code"] == "sidecar_unreadable"
    assert (repository / NAME).read_text() == text


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_a_pipe_a_folder_and_a_link_out_of_the_corpus_are_not_read(
    repository: Path, kind: str
) -> None:
    outside = repository.parent / "outside.json"
    write_sidecar(repository, [Description("a.py", "f", "0", "outside")])
    (repository / NAME).rename(outside)
    if kind == "pipe":
        os.mkfifo(repository / NAME)
    elif kind == "link":
        (repository / NAME).symlink_to(outside)
    else:
        (repository / NAME).mkdir()
    with pytest.raises(SidecarUnreadable, match="no file"):
        read_sidecar(repository)


# ---- the verbs


def test_what_is_put_applies_after_the_next_build(repository: Path) -> None:
    answer = put(repository, {"a.py#f": "feed the parking meter"})
    assert (answer["accepted"], answer["rejected"]) == (1, [])
    assert answer["reindex_required"]
    built = index(repository)
    assert built["changed"] == ["a.py"]
    found = json.loads(
        sourcebook(
            "code", "search", "parking", "meter", "-d", str(repository / "code-db"), "--mode",
            "text", "--json",
        )
    )  # fmt: skip
    assert found["hits"][0]["id"] == "a.py#f"
    assert found["hits"][0]["facts"]["described"]
    counts = describe(repository, "status")
    assert (counts["described"], counts["missing"], counts["units"]) == (1, 3, 4)
    assert not counts["reindex_required"]
    assert not counts["stale"]


def test_bad_texts_are_rejected_each_with_its_reason(repository: Path) -> None:
    many = {"a.py#f": "good", "a.py#nope": "x", "a.py#g": "  ", "deep/b.py#B": "y" * 1001}
    answer = put(repository, many, status=1)
    assert answer["accepted"] == 1
    assert {one["id"]: one["reason"] for one in answer["rejected"]} == {
        "a.py#nope": "unknown",
        "a.py#g": "empty",
        "deep/b.py#B": "too long",
    }


def test_pending_hands_out_what_was_never_described_first(repository: Path) -> None:
    put(repository, {"a.py#f": "one"})
    (repository / "a.py").write_text("def f(x):\n    return x + 1\n\n\ndef g():\n    return f(1)\n")
    index(repository)
    answer = describe(repository, "pending", "--limit", "0")
    assert [(one["id"], one["state"]) for one in answer["units"]] == [
        ("a.py#g", "missing"),
        ("deep/b.py#B", "missing"),
        ("deep/b.py#B.m", "missing"),
        ("a.py#f", "superseded"),
    ]
    assert answer["units"][0]["source"] == "def g():\n    return f(1)"
    some = describe(repository, "pending", "--limit", "1", "-f", "deep")
    assert (some["found"], len(some["units"])) == (2, 1)


def test_what_is_declined_is_not_handed_out_and_counted(repository: Path) -> None:
    answer = describe(repository, "status", "--skip", "deep/**", "--skip", "*.py::g")
    assert (answer["declined"], answer["missing"]) == (3, 1)


@pytest.mark.parametrize(
    ("pattern", "path", "name", "fits"),
    [
        ("a.py", "a.py", "f", True),
        ("*.py", "deep/a.py", "f", False),
        ("**/*.py", "a.py", "f", True),
        ("**/*.py", "x/y/a.py", "f", True),
        ("deep/**", "deep/er/a.py", "f", True),
        ("a.py::f*", "a.py", "g", False),
        ("a.py::A.*", "a.py", "A.b", True),
    ],
)
def test_patterns_decline_by_path_and_name(pattern: str, path: str, name: str, fits: bool) -> None:
    assert _declined(path, name, [pattern]) is fits


def test_texts_of_code_that_is_gone_are_dropped_and_those_of_moved_files_go_along(
    repository: Path,
) -> None:
    put(repository, {"a.py#f": "one", "a.py#g": "two", "deep/b.py#B.m": "three"})
    (repository / "a.py").write_text("def f(x):\n    return x\n")
    (repository / "deep" / "b.py").rename(repository / "c.py")
    index(repository)
    answer = put(repository, {"a.py#f": "uno"})
    assert answer["pruned"] == 1
    assert [(one.path, one.name, one.text) for one in read_sidecar(repository)] == [
        ("a.py", "f", "uno"),
        ("c.py", "B.m", "three"),
    ]


def test_an_index_that_is_behind_drops_nothing(repository: Path) -> None:
    text = (repository / "a.py").read_text()
    (repository / "a.py").write_text(f"{text}\n\ndef new():\n    pass\n")
    (repository / "new.py").write_text("def other():\n    pass\n")
    mine = [Description("a.py", "new", "1", "x"), Description("new.py", "other", "2", "y")]
    write_sidecar(repository, mine)
    put(repository, {"a.py#f": "one"})
    assert {*mine} < {*read_sidecar(repository)}


def test_what_export_writes_import_takes(repository: Path) -> None:
    file = repository.parent / "todo.json"
    file.write_text(
        sourcebook(
            "code", "describe", "export", "-d", str(repository / "code-db"), "--root",
            str(repository), "--limit", "0",
        )
    )  # fmt: skip
    units = json.loads(file.read_text())
    units["units"][1]["text"] = "what g is for"
    file.write_text(json.dumps(units))
    assert describe(repository, "import", str(file))["accepted"] == 1
    assert [one.name for one in read_sidecar(repository)] == ["g"]


def test_annotate_refuses_an_index_that_is_stale(repository: Path) -> None:
    where = ("-d", str(repository / "code-db"), "--root", str(repository))
    page = sourcebook("code", "annotate", *where)
    assert "## deep/b.py\n\n3. `B` (class, deep/b.py:1): Doc." in page
    (repository / "a.py").write_text("x = 1\n")
    error = json.loads(sourcebook("code", "annotate", *where, "--json", status=1))
    assert error["error"]["code"] == "index_stale"


def test_bootstrap_names_the_next_step(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    words = ("code", "bootstrap", ".", "--embedding", "none", "--json")
    first = json.loads(sourcebook(*words))
    assert (first["next"], first["rounds"]) == ("describe", 1)
    put(repository, {one["id"]: "said" for one in describe(repository, "pending")["units"]})
    assert json.loads(sourcebook(*words))["next"] == "promote"
    apply(repository)
    assert json.loads(sourcebook(*words))["next"] == "ready"


# ---- putting them into the code


def apply(folder: Path) -> str:
    """Apply the diff that `promote` prints, as a user does, and return it."""
    text = sourcebook(
        "code", "describe", "promote", "-d", str(folder / "code-db"), "--root", str(folder), "-q"
    )
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"], cwd=folder, input=text.encode(), check=True
    )
    return text


@pytest.mark.parametrize("language", sorted(SOURCES))
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_git_takes_the_diff_and_nothing_else_changes(
    tmp_path: Path, language: str, end: str
) -> None:
    folder = tmp_path / "repository"
    (folder / "with space").mkdir(parents=True)
    file = folder / "with space" / f"ü{by_name(language).suffixes[0]}"
    text = SOURCES[language].removesuffix("\n").replace("\n", end)  # no end of line at the end
    file.write_bytes(text.encode())
    index(folder)
    units = describe(folder, "pending", "--limit", "0")["units"]
    assert units
    put(folder, {one["id"]: TEXT for one in units})
    index(folder)
    before = describe(folder, "status")
    assert before["described"] == len(units)
    diff_text = apply(folder)
    assert file.read_bytes().replace(b"\r\n", b"\n").count(b"\n") > text.count("\n")
    assert end == "\n" or b"\n" not in file.read_bytes().replace(b"\r\n", b"")
    index(folder)
    after = describe(folder, "status")
    assert (after["described"], after["promotable"]) == (len(units), 0)
    assert after["promotable"] + diff_text.count("@@ -") >= 1
    found = extract(file.read_bytes().decode(), by_name(language))
    assert not found.faults
    inserted = [one for one in found.declarations if "Words go on and on." in one.doc]
    assert len(inserted) == before["promotable"]


def test_a_body_on_the_line_of_its_head_is_left_out_with_a_reason(repository: Path) -> None:
    (repository / "a.py").write_text("def f(x): return x\n")
    index(repository)
    put(repository, {"a.py#f": "one"})
    answer = describe(repository, "promote")
    assert (answer["insertions"], answer["diff"]) == (0, "")
    assert "line of its head" in answer["left_out"][0]["reason"]


def test_a_file_that_has_changed_since_is_left_out(repository: Path) -> None:
    put(repository, {"a.py#f": "one"})
    (repository / "a.py").write_text("\ndef f(x):\n    return x\n")
    answer = describe(repository, "promote")
    assert answer["insertions"] == 0
    assert "changed since" in answer["left_out"][0]["reason"]


def test_only_what_stands_before_the_first_han_character_is_put_in() -> None:
    assert promotable("Feeds the meter. 停车 meter") == "Feeds the meter."
    assert promotable("停车") == ""


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).map(str.strip))
def test_a_docstring_is_one_whatever_the_text(text: str) -> None:
    if not text:
        return
    rows = comment(text, "python", "    ")
    found = extract("\n".join(["def f():", *rows, "    pass\n"]), by_name("python"))
    assert not found.faults
    assert [one.qualified_name for one in found.declarations] == ["f"]
    assert found.declarations[0].doc_first


def test_a_diff_names_files_as_git_does() -> None:
    made = diff('a"ü.py', "def f():\n    pass\n", "python", [Insertion(2, "x")])
    assert made.startswith('--- "a/a\\"\\303\\274.py"\n+++ "b/a\\"\\303\\274.py"\n')
