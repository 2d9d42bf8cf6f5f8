"""The renderer, given a part of an API."""

import subprocess
import sys
from pathlib import Path

SHOP = """\
openapi: 3.1.0
info: {title: Shop, version: "1"}
paths:
  /orders:
    get:
      operationId: listOrders
      responses:
        "200":
          description: All.
          content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}
components:
  schemas:
    Order: {type: object, properties: {item: {$ref: "#/components/schemas/Item"}}}
    Item: {type: object}
"""


def sourcebook(*arguments: str, cwd: Path) -> str:
    command = [sys.executable, "-m", "sourcebook", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout


def test_operations_and_types_are_boxes_with_arrows(tmp_path: Path) -> None:
    (tmp_path / "shop.yaml").write_text(SHOP)
    sourcebook("schema", "index", "shop.yaml", "--embedding", "none", cwd=tmp_path)
    found = sourcebook("schema", "show", "Order", "--format", "dot", cwd=tmp_path)
    operation, order, item = (
        f'"shop.yaml#{key}"' for key in ("Method:listOrders", "Type:Order", "Type:Item")
    )
    assert found.splitlines() == [
        "digraph {",
        "  node [shape=box]",
        f'  {operation} [label="listOrders"]',
        f'  {order} [label="Order"]',
        f'  {item} [label="Item"]',
        f"  {operation} -> {order}",
        f"  {order} -> {item}",
        "}",
    ]
