"""A small corpus, indexed by words, that the verbs of this subject are asked about."""

import io
import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, TypeAlias

import pytest
from sourcebook.surfaces.cli import run

Ask: TypeAlias = Callable[..., Any]

PAGES = {
    "guide/start.md": (
        "# Start\n\nOpen the lid.\n\n## Linux\n\nUse the tar file.\n\n### Notes\n\nKeep it dry.\n\n"
        "## Linux\n\nOr the package.\n"
    ),
    "guide/limits.md": (
        "---\ntitle: Limits\n---\n\nTable 1: allowances\n\n| Route | Rate |\n| --- | --- |\n"
        "| /users | 250 |\n| /orders | 90 |\n\n# Limits\n\n## Retry\n\n```sh\nwait 5\n```\n"
    ),
    "notes.txt": "A note.\n\n# no heading\n",
    "old/limits.md": "# Old limits\n\nNothing here.\n",
}


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder of an index of the pages."""
    folder = tmp_path_factory.mktemp("docs")
    for name, text in PAGES.items():
        path = folder / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    index = str(folder / "pages-db")
    answer(
        *("index", str(folder / "corpus"), "--out", index, "--no-cache"),
        *("--embedding", "none", "--store", "memory"),
    )
    return index


@pytest.fixture
def ask(index: str) -> Ask:
    """Return a function that runs a verb and returns its JSON, or what was printed as `text`."""
    return lambda verb, *arguments, text=False: answer(verb, "--dir", index, *arguments, text=text)


def answer(verb: str, *arguments: str, text: bool = False) -> Any:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run(["docs", verb, *([] if text else ["--json"]), *arguments])
    if text:
        return out.getvalue() + err.getvalue()
    return {"status": status, **json.loads(out.getvalue())}
