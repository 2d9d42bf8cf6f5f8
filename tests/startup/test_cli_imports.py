"""What each command of the command line may import: its own modules, and no engine in vain."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ENGINES = {"faiss", "numpy", "onnxruntime", "tantivy", "tokenizers"}

PARSERS = {"markdown_it", "mdit_py_plugins"}

COSTLY = {"cattrs", "diskcache", "filelock", "rich", "sqlite3", "structlog", "multiprocessing"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an index of two documents, `docs-db`."""
    folder = tmp_path_factory.mktemp("startup")
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "pumps.md").write_text("# Pumps\n\nA pump drains the tank.\n\n## Valves\n\nOpen.\n")
    (corpus / "city.md").write_text("# City\n\n| a | b |\n|---|---|\n| 1 | pump |\n")
    loaded(
        folder, "docs", "index", "corpus", "--embedding", "hash", "--store", "tantivy", "--no-cache"
    )
    return folder


def loaded(folder: Path, *arguments: str) -> set[str]:
    """Return the modules that a process has loaded after it ran a command line in a folder."""
    code = (
        "import json, sys; from sourcebook.surfaces.cli import run; status = run(sys.argv[1:]);"
        "sys.stderr.write('\\n' + json.dumps([status, sorted(sys.modules)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "SOURCEBOOK_CONFIG": os.devnull},
        capture_output=True,
        text=True,
        check=True,
    )
    status, modules = json.loads(done.stderr.rpartition("\n")[2])
    assert status == 0, done.stderr.rpartition("\n")[0]
    return set(modules)


def within(modules: set[str], prefix: str) -> set[str]:
    return {name for name in modules if name.startswith(prefix)}


def test_the_help_of_a_subject_imports_its_plugin_and_no_verb(folder: Path) -> None:
    modules = loaded(folder, "docs", "--help")
    assert "sourcebook_docs.plugin" in modules
    assert not within(modules, "sourcebook.verbs.")
    assert not within(modules, "sourcebook_tantivy")
    assert not modules & (ENGINES | PARSERS | COSTLY)


@pytest.mark.parametrize("verb", ["search", "list", "grep", "show", "stats", "export"])
def test_the_help_of_a_verb_imports_that_verb_alone(folder: Path, verb: str) -> None:
    modules = loaded(folder, "docs", verb, "--help")
    others = {"index", "search", "list", "grep", "show", "stats", "export"} - {verb}
    assert not modules & {f"sourcebook.verbs.{other}" for other in others}
    assert not modules & (ENGINES | PARSERS | COSTLY)


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["list", "--json"],
        ["grep", "pump"],
        ["show", "pumps.md"],
        ["stats"],
        ["export"],
    ],
    ids=" ".join,
)
def test_an_exact_verb_imports_no_engine_no_parser_and_nothing_costly(
    folder: Path, arguments: list[str]
) -> None:
    modules = loaded(folder, "docs", *arguments)
    assert not modules & (ENGINES | PARSERS | COSTLY)
    assert not within(modules, "sourcebook_minilm")


def test_a_search_by_words_imports_the_engine_of_words_and_no_numpy(folder: Path) -> None:
    modules = loaded(folder, "docs", "search", "--mode", "text", "pump")
    assert not modules & ((ENGINES - {"tantivy"}) | PARSERS | COSTLY)


@pytest.mark.parametrize(
    "arguments",
    [["config"], ["completion", "bash"], ["verify", "docs-db"]],
    ids=" ".join,
)
def test_the_commands_beside_the_subjects_import_nothing_costly(
    folder: Path, arguments: list[str]
) -> None:
    assert not loaded(folder, *arguments) & (ENGINES | PARSERS | COSTLY)
