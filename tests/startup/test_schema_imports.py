"""What the exact verbs of the schema subject may import: no reader, no engine, no checker."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "cattrs", "faiss", "jsonschema", "multiprocessing", "numpy", "onnxruntime", "openapi_core",
    "openapi_spec_validator", "referencing", "rich", "sqlite3", "tantivy", "tokenizers", "yaml",
}  # fmt: skip

SHOP = """\
openapi: 3.1.0
info: {title: Shop, version: '1'}
paths:
  /orders:
    get:
      operationId: listOrders
      responses:
        '200':
          description: All
          content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}
components:
  schemas:
    Order: {type: object, properties: {state: {type: string}}}
"""


def loaded(folder: Path, *arguments: str) -> set[str]:
    """Return the modules that a process has loaded after it ran a command line in a folder."""
    code = (
        "import json, sys; from sourcebook.surfaces.cli import run; status = run(sys.argv[1:]);"
        "sys.stderr.write('\\n' + json.dumps([status, sorted(sys.modules)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "schema", *arguments],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "SOURCEBOOK_CONFIG": os.devnull},
        capture_output=True,
        text=True,
        check=True,
    )
    status, modules = json.loads(done.stderr.rpartition("\n")[2])
    assert status == 0, done.stderr.rpartition("\n")[0]
    return set(modules)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an index of one description, `schema-db`."""
    folder = tmp_path_factory.mktemp("startup")
    (folder / "shop.yaml").write_text(SHOP)
    loaded(folder, "index", "shop.yaml", "--embedding", "hash", "--no-cache")
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["list", "properties", "--json"],
        ["grep", "state"],
        ["trace", "state"],
        ["show", "Order"],
        ["show", "GET /orders", "--format", "openapi", "--exact"],
        ["stats"],
    ],
    ids=" ".join,
)
def test_an_exact_verb_imports_nothing_heavy(folder: Path, arguments: list[str]) -> None:
    assert not loaded(folder, *arguments) & HEAVY
