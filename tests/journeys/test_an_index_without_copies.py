"""An index that will never travel holds no copies of its documents."""

from pathlib import Path

from tests.journeys.conftest import User

SHOP = """\
openapi: 3.1.0
info: {title: Shop, version: '1'}
paths:
  /orders:
    get:
      operationId: listOrders
      parameters: [{name: page, in: query, description: Which page., schema: {type: integer}}]
      responses: {'200': {description: The orders}}
"""


def test_it_is_built_asked_checked_verified_and_built_with_copies_again(tmp_path: Path) -> None:
    user = User(tmp_path)
    user.write("api/shop.yaml", SHOP)
    index = ("schema", "index", "api", "--embedding", "hash")
    assert user.run(*index, "--no-sources").status == 0
    copies = user.folder / "schema-db/sources"
    assert not copies.exists()
    assert user.run(*index, "--no-sources", "--check").status == 0
    again = user.run(*index, "--no-sources").out
    assert "nothing has changed; 0 parsed, 0 parses kept, 0 texts embedded" in again

    assert user.run("schema", "search", "orders of a shop").status == 0
    assert "shop.yaml:7: Which page." in user.run("schema", "grep", "which page").out
    assert "GET /orders" in user.run("schema", "show", "listOrders").out
    assert "every byte is sound" in user.run("verify", "schema-db").out
    user.shell("mv schema-db elsewhere-db")
    assert user.run("schema", "list", "methods", "-d", "elsewhere-db").status == 0
    user.shell("mv elsewhere-db schema-db")

    stale = user.run(*index, "--check")
    assert (stale.status, "options changed: no_sources" in stale.out) == (1, True)
    built = user.run(*index).out
    assert "built anew: options changed: no_sources" in built
    assert "0 parsed, 1 parses kept, 0 texts embedded" in built
    assert len(list(copies.iterdir())) == 1


def test_documents_that_are_quoted_are_always_kept(tmp_path: Path) -> None:
    user = User(tmp_path)
    user.write("notes/a.md", "# Pumps\n\nThe pump drains the tank.\n")
    refused = user.run("docs", "index", "notes", "--no-sources")
    assert refused.status == 2
    assert "--no-sources" in refused.err
