"""Naming a store or an embedder: what is chosen, and what is refused."""

import json
import subprocess
import sys
from pathlib import Path

TEXT = "# Tides\n\nThe harbour floods at noon.\n"


def run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "sourcebook", "docs", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_named_store_takes_its_role_and_leaves_the_other(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT)
    built = run(tmp_path, "index", "a.md", "--embedding", "hash", "--store", "faiss:flat")
    assert built.returncode == 0, built.stderr
    stores = json.loads(run(tmp_path, "stats", "--json").stdout)["stores"]
    assert stores == {"lexical": "tantivy", "vector": "faiss"}
    manifest = json.loads((tmp_path / "docs-db" / "manifest.json").read_text())
    options = {store["role"]: store["options"] for store in manifest["stores"]}
    assert options == {"lexical": {}, "vector": {"index": "flat"}}


def test_an_unknown_kind_of_index_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT)
    built = run(tmp_path, "index", "a.md", "--embedding", "hash", "--store", "faiss:bogus")
    assert built.returncode == 2
    assert "hnsw" in built.stderr
    assert not (tmp_path / "docs-db" / "manifest.json").exists()


def test_a_search_with_another_embedder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT)
    run(tmp_path, "index", "a.md", "--embedding", "hash")
    asked = run(tmp_path, "search", "floods", "--embedding", "minilm")
    assert asked.returncode == 1
    assert "was built with `hash`, not `minilm`" in asked.stderr
    assert run(tmp_path, "search", "floods", "--embedding", "hash").returncode == 0
    missing = run(tmp_path, "search", "floods", "--embedding", "hsah")
    assert missing.returncode == 1
    assert "did you mean `hash`?" in missing.stderr


def test_an_index_of_words_has_no_embedder_to_name(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT)
    run(tmp_path, "index", "a.md", "--embedding", "none")
    asked = run(tmp_path, "search", "floods", "--embedding", "hash")
    assert asked.returncode == 2
    assert "has no vectors" in asked.stderr
