"""The texts of entries: by field, together, and for vectors."""

from typing import Any

import pytest
from sourcebook import Entry, IndexedEntry, Span
from sourcebook_schema.fields import embedding_text, read_text


def _indexed(entry: Entry) -> IndexedEntry:
    return IndexedEntry(
        f"a#{entry.key}", "a", Span(1, 1), entry.kind, entry.title, "", entry.path, (),
        entry.fields, entry.filters, {},
    )  # fmt: skip


TEXT = """\
openapi: 3.1.0
info: {title: T, version: '1'}
paths:
  /orders:
    post:
      operationId: addOrder
      summary: Add an order
      description: It is kept for a year.
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                note: {type: string}
                count: {type: integer, description: How many, minimum: 1}
      responses: {'201': {description: Added}}
components:
  schemas:
    a.b.Order:
      type: object
      properties:
        maker: {type: object, properties: {city: {type: string}}}
"""


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("Method:addOrder",
         "POST /orders\nAdd an order\nIt is kept for a year.\nnote count"),
        ("Property:addOrder.body.note", "addOrder note"),
        ("Property:addOrder.body.count", "count: How many"),
        ("Property:a.b.Order.maker", "Order maker"),
        ("Property:a.b.Order.maker.city", "maker city"),
        ("Type:a.b.Order", "a.b.Order\nmaker"),
    ],
)  # fmt: skip
def test_a_vector_is_made_of_what_tells_most(parsed: Any, key: str, text: str) -> None:
    assert embedding_text(_indexed(parsed(TEXT).entries[key]), "") == text


def test_all_that_an_entry_says_can_be_read_together(parsed: Any) -> None:
    entries = parsed(TEXT).entries
    assert read_text(_indexed(entries["Method:addOrder"])) == (
        "Add an order\nIt is kept for a year.\napplication/json\n201: Added"
    )
    assert read_text(_indexed(entries["Property:addOrder.body.count"])) == "How many\nminimum: 1"
