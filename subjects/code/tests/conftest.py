"""Small repositories that the tests write: linked from their texts, or indexed and asked."""

import io
import json
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from sourcebook.surfaces.cli import run
from sourcebook_code.assemble import assemble
from sourcebook_code.extract import extract
from sourcebook_code.facts import file_fact
from sourcebook_code.graph import GRAPH, Graph
from sourcebook_code.languages import language_of_source

Files: TypeAlias = Mapping[str, str]
Ask: TypeAlias = Callable[..., Any]


def graph_bytes(files: Files) -> bytes:
    """Return the structure file of files by name."""
    facts = {}
    for name, text in files.items():
        language = language_of_source(name, text)
        assert language is not None
        facts[name] = [json.loads(json.dumps(file_fact(extract(text, language), text)))]
    return assemble(facts)[GRAPH]


def graph_of(files: Files) -> Graph:
    """Return the graph of files by name."""
    return Graph(graph_bytes(files))


def edges_of(files: Files, label: str = "calls") -> set[str]:
    """Return the edges with a label, as `a.py#f -> b.py#g`, those that are guessed with `(unique
    name)` or `(ambiguous)` behind."""
    graph = graph_of(files)
    return {
        f"{graph.id(node)} -> {graph.id(step.end)}"
        + ("" if step.provenance == "resolved" else f" ({step.provenance})")
        for node in range(len(graph))
        for step in graph.out(node)
        if step.label == label
    }


def answer(verb: str, *arguments: str, text: bool = False) -> Any:
    """Run a verb and return its JSON with its status, or what was printed."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run(["code", *verb.split(), *([] if text else ["--json"]), *arguments])
    if text:
        return out.getvalue() + err.getvalue()
    return {"status": status, **json.loads(out.getvalue())}


def index_files(files: Files, folder: Path) -> str:
    """Write and index files, and return the folder of the index."""
    for name, text in files.items():
        path = folder / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    index = str(folder / "code-db")
    built = answer(
        *("index", str(folder / "corpus"), "--out", index, "--no-cache"),
        *("--embedding", "none", "--store", "memory"),
    )
    assert built["status"] == 0, built
    return index


@pytest.fixture(scope="session", name="graph_of")
def graph_of_fixture() -> Callable[[Files], Graph]:
    """Return `graph_of`."""
    return graph_of


@pytest.fixture(scope="session", name="graph_bytes")
def graph_bytes_fixture() -> Callable[[Files], bytes]:
    """Return `graph_bytes`."""
    return graph_bytes


@pytest.fixture(scope="session", name="edges_of")
def edges_of_fixture() -> Callable[..., set[str]]:
    """Return `edges_of`."""
    return edges_of


SHOP: Files = {
    "shop/__init__.py": "from .till import Till\n",
    "shop/till.py": (
        "from . import prices\n"
        "from .errors import Closed, ShopError\n"
        "\n"
        "\n"
        "class Till:\n"
        "    def __init__(self):\n"
        "        self.drawer = Drawer()\n"
        "\n"
        "    def sell(self, item):\n"
        "        if not self.is_open():\n"
        "            raise Closed(item)\n"
        "        price = prices.price_of(item)\n"
        "        self.drawer.put(price)\n"
        "        return price\n"
        "\n"
        "    def is_open(self):\n"
        "        return True\n"
        "\n"
        "\n"
        "class Drawer:\n"
        "    def put(self, coins):\n"
        "        self.coins = coins\n"
    ),
    "shop/errors.py": (
        "class ShopError(Exception):\n    pass\n\n\nclass Closed(ShopError):\n    pass\n"
    ),
    "shop/prices.py": (
        "import json\n"
        "\n"
        "\n"
        "# The price of one.\n"
        "# In pence.\n"
        "def price_of(item):\n"
        "    return json.loads(item)\n"
    ),
    "tests/test_till.py": (
        "from shop import Till\n\n\ndef test_selling():\n    assert Till().sell('tea')\n"
    ),
    "web/cart.ts": (
        "import { total } from './sums';\n"
        "\n"
        "export class Cart {\n"
        "  items: number[] = [];\n"
        "  sum(): number {\n"
        "    return total(this.items);\n"
        "  }\n"
        "}\n"
    ),
    "web/sums.ts": "export const total = (some: number[]) => some.reduce((a, b) => a + b, 0);\n",
}


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder of an index of a small shop."""
    return index_files(SHOP, tmp_path_factory.mktemp("shop"))


@pytest.fixture
def ask(shop: str) -> Ask:
    """Return a function that asks the index of the shop."""
    return lambda verb, *arguments, text=False: answer(verb, "--dir", shop, *arguments, text=text)
