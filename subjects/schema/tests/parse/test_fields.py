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
    assert embedding_text(_indexed(parsed(TEXT).entries[key]), "") == ("", text)


def test_all_that_an_entry_says_can_be_read_together(parsed: Any) -> None:
    entries = parsed(TEXT).entries
    assert read_text(entries["Method:addOrder"].fields) == (
        "Add an order\nIt is kept for a year.\napplication/json\n201: Added"
    )
    assert read_text(entries["Property:addOrder.body.count"].fields) == "How many\nminimum: 1"


ANSWERS = """\
openapi: 3.0.0
info: {title: Orders, version: '1'}
paths:
  /orders:
    get:
      operationId: listOrders
      parameters:
        - {name: state, in: query, example: parcelled, schema: {type: string, example: boxed}}
      responses:
        '200':
          description: Orders
          content:
            application/json:
              schema: {type: object, properties: {total: {type: integer}}}
              examples: {many: {value: {total: 12}}}
        '404': {$ref: '#/components/responses/Gone'}
        5XX:
          description: Broken
          content:
            application/json: {schema: {type: object, properties: {trace: {type: string}}}}
components:
  responses: {Gone: {description: There are none}}
"""


def test_examples_are_apart_from_what_is_stated(parsed: Any) -> None:
    entries = parsed(ANSWERS).entries
    assert "total: 12" in entries["Method:listOrders"].fields["examples"]
    assert "12" not in entries["Method:listOrders"].fields["body"]
    said = entries["Property:listOrders.state"].fields
    assert said["examples"].splitlines() == ["example: parcelled", "example: boxed"]
    assert "boxed" not in said["body"]
    assert "boxed" in read_text(entries["Property:listOrders.state"].fields)


def test_what_a_failure_answers_is_no_member(parsed: Any) -> None:
    fields = parsed(ANSWERS).entries["Method:listOrders"].fields
    assert fields["members"] == "state total"
