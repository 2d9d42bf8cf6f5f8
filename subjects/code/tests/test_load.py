"""Which files of a repository are read."""

import subprocess
from pathlib import Path

import pytest
from attrs import evolve
from sourcebook.model import Skipped
from sourcebook.subject import Document, LoadOptions
from sourcebook_code.languages import language_of
from sourcebook_code.load import load
from sourcebook_code.options import CodeOptions


def found(
    folder: Path, options: CodeOptions | None = None
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return the documents with their bytes, and what was skipped with the reason."""
    loaded = list(load([folder], LoadOptions(), options or CodeOptions()))
    documents = {one.name: one.data for one in loaded if isinstance(one, Document)}
    skipped = {one.name: one.reason for one in loaded if isinstance(one, Skipped)}
    return documents, skipped


def test_scripts_are_known_by_their_first_line_and_read_whole(tmp_path: Path) -> None:
    texts = {
        "run": "#!/usr/bin/env python3\ndef run(): pass\n",
        "go": "#!/bin/sh -e\n" + "x=1\n" * 200,
        "env": "#!/usr/bin/env -S node --harmony\n",
        "LICENSE": "Permission is hereby granted\n",
        "empty": "",
        "Rakefile": "task :x\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    documents, skipped = found(tmp_path)
    assert documents == {name: texts[name].encode() for name in ("run", "go", "env", "Rakefile")}
    assert skipped == {"LICENSE": "suffix", "empty": "suffix"}


def test_a_file_above_the_size_is_skipped_and_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n" * 10)
    (tmp_path / "b.py").write_text("x = 1\n")
    documents, skipped = found(tmp_path, evolve(CodeOptions(), max_file_bytes=20))
    assert list(documents) == ["b.py"]
    assert skipped == {"a.py": "too large"}


def test_hidden_folders_are_read_and_those_of_tools_are_not(tmp_path: Path) -> None:
    for name in (".github/x.py", ".git/hooks/x.py", ".venv/x.py", "a/__pycache__/x.py", ".x.py"):
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("def x(): pass\n")
    documents, skipped = found(tmp_path)
    assert sorted(documents) == [".github/x.py", ".x.py"]
    assert skipped == {".git": "hidden", ".venv": "dependencies", "a/__pycache__": "dependencies"}


@pytest.fixture(name="nested")
def _nested(tmp_path: Path) -> Path:
    """Make a repository with a clone and a work tree in it."""

    def git(*words: str) -> None:
        name = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        subprocess.run(["git", *name, *words], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "top.py").write_text("def top(): pass\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    git("worktree", "add", "-q", "side")
    git("clone", "-q", ".", "copy")
    return tmp_path


def test_repositories_inside_are_foreign(nested: Path) -> None:
    documents, skipped = found(nested)
    assert list(documents) == ["top.py"]
    assert skipped == {".git": "hidden", "copy": "repository", "side": "repository"}


def test_repositories_inside_are_read_when_asked_for_or_named(nested: Path) -> None:
    documents, _ = found(nested, evolve(CodeOptions(), nested_repositories=True))
    assert sorted(documents) == ["copy/top.py", "side/top.py", "top.py"]
    documents, _ = found(nested / "copy")
    assert list(documents) == ["top.py"]


def test_files_with_jsx_are_of_the_language_they_are_a_dialect_of() -> None:
    assert [language_of(name).name for name in ("a.tsx", "a.jsx")] == ["typescript", "javascript"]  # type: ignore[union-attr]
