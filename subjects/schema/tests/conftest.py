"""Small APIs: written as the rows that `parse` yields, or indexed from descriptions."""

import io
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from sourcebook.surfaces.cli import run
from sourcebook_schema.api import Api
from sourcebook_schema.assemble import assemble
from sourcebook_schema.facts import EDGES, ComponentRow, EdgeRow, FileFact, Mark, NodeRow, split_uri

MakeApi: TypeAlias = Callable[..., Api]


def file_of(
    nodes: Sequence[str],
    edges: Sequence[str] = (),
    *,
    root: bool = True,
    marks: Mapping[str, Mark] | None = None,
    details: Mapping[str, Mapping[str, Any]] | None = None,
    pointers: Mapping[str, str] | None = None,
    components: Sequence[ComponentRow] = (),
    title: str = "Test",
) -> dict[str, Any]:
    """Return the fact of a file.

    Args:
        nodes: keys; the owner of `Property:A.b` is `Type:A` or `Method:A` if there is one.
        edges: `Type:A field Property:A.b`, `Type:A variant Type:B =tag`, `Type:A ref other#/B`.
        marks, details, pointers: by key.
    """
    places = {key: number for number, key in enumerate(nodes)}
    rows = []
    for key in nodes:
        kind, _, name = key.partition(":")
        owner, _, last = name.rpartition(".")
        parents = (f"{one}:{owner}" for one in ("Type", "Property", "Method"))
        parent = next((places[one] for one in parents if one in places), -1)
        detail = dict((details or {}).get(key, {}))
        if kind == "Method" and " " in name:
            method, path = name.split(" ", 1)
            detail = {"method": method, "path": path, **detail}
        rows.append(
            NodeRow(
                key, kind.lower(), last if kind == "Property" else name, parent,
                (pointers or {}).get(key, f"/{name}"),
                places[key] + 1, places[key] + 1, "", int((marks or {}).get(key, 0)), "", detail,
            )
        )  # fmt: skip
    links = []
    for edge in edges:
        text, _, tag = edge.partition(" =")
        start, label, end = _split(text)
        links.append(EdgeRow(places[start], places.get(end, end), label, tag))
    reached = sorted({split_uri(one.end)[0] for one in links if isinstance(one.end, str)})
    found = FileFact(root, "3.0", {"title": title}, rows, links, list(components), {}, reached)
    return found.to_json()


def _split(edge: str) -> tuple[str, str, str]:
    """Split an edge whose ends may hold spaces: labels stand between two of them."""
    for label in EDGES:
        start, found, end = edge.partition(f" {label} ")
        if found:
            return start, label, end
    raise ValueError(edge)


def api_of(files: Mapping[str, Any]) -> Api:
    """Return what the facts of some files make."""
    made = assemble({name: [file] for name, file in files.items()})
    return Api(made.__getitem__, "test-db, structure")


@pytest.fixture(scope="session", name="file_of")
def file_of_fixture() -> Callable[..., dict[str, Any]]:
    """Return `file_of`."""
    return file_of


@pytest.fixture(scope="session", name="answer")
def answer_fixture() -> Callable[..., Any]:
    """Return `answer`."""
    return answer


@pytest.fixture(scope="session", name="index_of")
def index_of_fixture() -> Callable[..., str]:
    """Return `index_of`."""
    return index_of


@pytest.fixture(scope="session")
def make_api() -> MakeApi:
    """Return a function that makes an API of one file from what `file_of` takes, or of many."""

    def make(nodes: Any, edges: Sequence[str] = (), **more: Any) -> Api:
        if isinstance(nodes, Mapping):
            return api_of(nodes)
        return api_of({"api.yaml": file_of(nodes, edges, **more)})

    return make


SHOP = """\
openapi: 3.1.0
info: {title: Shop, version: '2', description: Sells things.}
paths:
  /orders:
    get:
      operationId: listOrders
      summary: Lists the orders.
      parameters:
        - {name: page, in: query, description: Which page., schema: {type: integer}}
        - {$ref: '#/components/parameters/Trace'}
      responses:
        '200':
          description: The orders
          content:
            application/json:
              schema: {type: array, items: {$ref: '#/components/schemas/Order'}}
    post:
      operationId: addOrder
      deprecated: true
      requestBody:
        content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}
      responses:
        '201':
          description: Added
          content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}
  /customers/{id}:
    get:
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {$ref: '#/components/parameters/Trace'}
      responses:
        '200':
          description: The customer
          content: {application/json: {schema: {$ref: '#/components/schemas/Customer'}}}
webhooks:
  shipped:
    post:
      requestBody:
        content: {application/json: {schema: {$ref: '#/components/schemas/Parcel'}}}
      responses: {'200': {description: Thanks}}
components:
  parameters:
    Trace: {name: X-Trace, in: header, schema: {type: string}}
  schemas:
    Order:
      description: |
        What somebody wants.
        It holds "lines" of goods.
      type: object
      required: [customer]
      properties:
        number: {type: integer, readOnly: true, description: Given by the shop.}
        customer: {$ref: '#/components/schemas/Customer'}
        state: {type: string, enum: [open, packed]}
        address:
          type: object
          properties: {city: {type: string}}
    Customer:
      type: object
      properties:
        name: {type: string}
        card: {$ref: '#/components/schemas/Card'}
    Card: {type: object, properties: {digits: {type: string}}}
    Parcel: {type: object, properties: {weight: {type: number}, city: {type: string}}}
    Parcel.Old: {type: object, properties: {weight: {type: number}}}
"""

OLD_SHOP = """\
{"swagger": "2.0", "info": {"title": "Shop", "version": "1"},
 "paths": {"/orders": {"get": {"operationId": "listOrders", "responses": {"200": {
   "description": "All \\"orders\\"", "schema": {"$ref": "#/definitions/Order"}}}}}},
 "definitions": {"Order": {"type": "object", "properties": {"number": {"type": "integer"},
   "discount": {"type": "number"}}}}}
"""

_SERVICE = """\
openapi: 3.1.0
info: {title: %s, version: '1'}
paths:
  /%s:
    get:
      responses:
        '200': {description: It, content: {application/json: {schema: {
          $ref: 'common.yaml#/Problem'}}}}
"""

SHARED = {
    "common.yaml": "Problem: {properties: {code: {type: string}, fine: {$ref: '#/Fine'}}}\n"
    "Fine: {oneOf: [{$ref: '#/Late'}, {$ref: '#/Lost'}]}\nLate: {type: object}\nLost: {}\n",
    "loans.yaml": _SERVICE % ("Loans", "members"),
    "works.yaml": _SERVICE % ("Works", "copies"),
}

Ask: TypeAlias = Callable[..., Any]


def answer(*arguments: str, text: bool = False) -> Any:
    """Return what a command prints: its JSON with the exit status, or as text all of it."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run(["schema", *arguments, *([] if text else ["--json"])])
    if text:
        return out.getvalue() + err.getvalue()
    return {"status": status, **json.loads(out.getvalue())}


def index_of(folder: Path, files: Mapping[str, str]) -> str:
    """Return the folder of an index of some descriptions."""
    for name, text in files.items():
        path = folder / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    index = str(folder / "shop-db")
    answer(
        *("index", str(folder / "corpus"), "--out", index, "--no-cache"),
        *("--embedding", "none", "--store", "memory"),
    )
    return index


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder of an index of one description."""
    return index_of(tmp_path_factory.mktemp("shop"), {"shop.yaml": SHOP})


@pytest.fixture(scope="session")
def shops(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder of an index of two revisions."""
    files = {"new/shop.yaml": SHOP, "old/v1.json": OLD_SHOP}
    return index_of(tmp_path_factory.mktemp("shops"), files)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Return a function that runs a verb on two services that share a file; see `answer`."""
    index = index_of(tmp_path_factory.mktemp("shared"), SHARED)
    return lambda *arguments, text=False: answer(*arguments, "--dir", index, text=text)


@pytest.fixture
def ask(shop: str) -> Ask:
    """Return a function that runs a verb on one description; see `answer`."""
    return lambda *arguments, text=False: answer(*arguments, "--dir", shop, text=text)


@pytest.fixture
def ask_both(shops: str) -> Ask:
    """Return a function that runs a verb on two revisions; see `answer`."""
    return lambda *arguments, text=False: answer(*arguments, "--dir", shops, text=text)
