"""The import contracts hold, cover every package, and catch what would break them."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKSPACE: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
RULES: dict[str, Any] = WORKSPACE["tool"]["importlinter"]
PACKAGES = sorted(
    package
    for pattern in WORKSPACE["tool"]["uv"]["workspace"]["members"]
    for package in ROOT.glob(f"{pattern}/src/sourcebook*")
)


def lint(sources: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the linter as `uv run lint-imports` does, on copied sources if any are given."""
    return subprocess.run(
        [
            sys.executable,
            "-c",
            "import importlinter.cli as c; c.lint_imports_command()",
            "--no-cache",
        ],
        cwd=ROOT,
        env=os.environ | ({"PYTHONPATH": str(sources)} if sources else {}),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(name="sources")
def a_copy_of_all_packages(tmp_path: Path) -> Path:
    for package in PACKAGES:
        shutil.copytree(package, tmp_path / package.name)
    return tmp_path


def test_the_contracts_hold() -> None:
    done = lint()
    assert done.returncode == 0, done.stdout


def test_the_contracts_name_every_package() -> None:
    names = {package.name for package in PACKAGES}
    by_id = {contract["id"]: contract for contract in RULES["contracts"]}
    assert set(RULES["root_packages"]) == names
    assert set(by_id["core"]["forbidden_modules"]) == names - {"sourcebook"}
    assert set(by_id["leaves"]["modules"]) == names - {"sourcebook"}


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("sourcebook/model.py", "import sourcebook_docs", "The core imports no leaf"),
        (
            "sourcebook/registry/__init__.py",
            "def late():\n    from sourcebook_minilm import embedder\n",
            "The core imports no leaf",
        ),
        ("sourcebook_docs/__init__.py", "import sourcebook_faiss", "No leaf imports another"),
        (
            "sourcebook/stores/memory.py",
            "def late():\n    import faiss\n",
            "Engines and formats belong to their leaves",
        ),
    ],
)
def test_an_import_the_wrong_way_is_caught(
    module: str, line: str, contract: str, sources: Path
) -> None:
    assert lint(sources).returncode == 0
    file = sources / module
    file.write_text(f"{file.read_text()}\n{line}\n")
    done = lint(sources)
    assert done.returncode == 1
    assert f"{contract} BROKEN" in done.stdout
