"""Descriptions to entries, nodes, edges and components."""

from typing import Any

from sourcebook_schema.facts import Mark

LIBRARY = """\
openapi: 3.1.0
info: {title: Library, version: 1.10, description: Books and who has them.}
servers: [{url: 'https://books.example'}]
tags: [{name: books, description: All about books}]
paths:
  /shelves/{shelf}/books:
    summary: Books on one shelf
    parameters:
      - {name: shelf, in: path, required: true, schema: {type: string}}
      - {$ref: '#/components/parameters/Lang'}
      - {name: sort, in: query, description: The usual order, schema: {type: string}}
    get:
      operationId: listBooks
      tags: [books]
      summary: List books.
      description: |
        First sentence here. And a second one.
      parameters:
        - {name: sort, in: query, required: true, schema: {type: string, enum: [title, year]}}
        - {name: sort, in: header, schema: {type: integer}}
      responses:
        '200':
          description: Some books
          headers: {X-Total: {description: How many, schema: {type: integer}}}
          content:
            application/json:
              schema: {type: array, items: {$ref: '#/components/schemas/Book'}}
        '404': {$ref: '#/components/responses/Gone'}
    post:
      operationId: addBook
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [title]
              properties:
                title: {type: string}
                maker:
                  type: object
                  properties: {city: {type: string}}
      responses: {'201': {description: Added}}
components:
  parameters:
    Lang: {name: Accept-Language, in: header, schema: {type: string}}
  responses:
    Gone:
      description: It is gone
      content:
        application/json:
          schema: {type: object, properties: {reason: {type: string}}}
  schemas:
    Thing: {type: object, properties: {id: {type: string, readOnly: true}}}
    Book:
      description: A book. It has pages.
      allOf:
        - {$ref: '#/components/schemas/Thing'}
        - type: object
          required: [pages]
          properties:
            pages: {type: integer, minimum: 1}
            next: {$ref: '#/components/schemas/Book', description: The one after}
            tags: {type: object, additionalProperties: {$ref: '#/components/schemas/Tag'}}
            old: {type: [string, 'null'], deprecated: true, default: never}
    Tag: {type: string, enum: [new, rare]}
"""


def test_every_part_of_a_description_has_an_id_that_says_what_it_is(parsed: Any) -> None:
    found = parsed(LIBRARY)
    found.check()
    assert not found.problems
    assert set(found.nodes) == {
        "Service:Library",
        "Property:/shelves/{shelf}/books.shelf",
        "Property:/shelves/{shelf}/books.sort",
        "Method:listBooks",
        "Property:listBooks.sort",
        "Property:listBooks.sort~2",
        "Response:listBooks.200",
        "Property:listBooks.200.X-Total",
        "Method:addBook",
        "Body:addBook",
        "Property:addBook.body.title",
        "Property:addBook.body.maker",
        "Property:addBook.body.maker.city",
        "Response:addBook.201",
        "Property:parameters.Lang",
        "Response:Gone",
        "Property:responses.Gone.reason",
        "Type:Thing",
        "Property:Thing.id",
        "Type:Book",
        "Property:Book.pages",
        "Property:Book.next",
        "Property:Book.tags",
        "Property:Book.old",
        "Type:Tag",
    }


def test_a_parameter_of_an_operation_overrides_one_of_its_path_by_name_and_place(
    parsed: Any,
) -> None:
    found = parsed(LIBRARY)
    assert found.leads("Method:listBooks", "input") == [
        "Property:/shelves/{shelf}/books.shelf",
        "Property:parameters.Lang",
        "Property:listBooks.sort",
        "Property:listBooks.sort~2",
    ]
    assert found.leads("Method:addBook", "input") == [
        "Property:/shelves/{shelf}/books.shelf",
        "Property:parameters.Lang",
        "Property:/shelves/{shelf}/books.sort",
        "Body:addBook",
    ]
    operation = found.value("/paths/~1shelves~1{shelf}~1books/get")
    assert [(one.get("name"), one.get("in")) for one in operation["parameters"]] == [
        ("shelf", "path"),
        (None, None),
        ("sort", "query"),
        ("sort", "header"),
    ]
    assert operation["parameters"][1] == {"$ref": "api.yaml#/components/parameters/Lang"}


def test_edges_say_how_one_thing_holds_another(parsed: Any) -> None:
    found = parsed(LIBRARY)
    assert found.leads("Service:Library", "holds") == ["Method:listBooks", "Method:addBook"]
    assert found.leads("Method:listBooks", "output") == ["Response:listBooks.200", "Response:Gone"]
    assert found.leads("Response:listBooks.200", "holds") == [
        "Property:listBooks.200.X-Total",
        "Type:Book",
    ]
    assert found.leads("Body:addBook", "holds") == [
        "Property:addBook.body.title",
        "Property:addBook.body.maker",
    ]
    assert found.leads("Property:addBook.body.maker", "field") == [
        "Property:addBook.body.maker.city"
    ]
    assert found.leads("Type:Book", "allOf") == ["Type:Thing"]
    assert found.leads("Property:Book.next", "value") == ["Type:Book"]
    assert found.leads("Property:Book.tags", "value") == ["Type:Tag"]


def test_nodes_have_types_marks_and_a_first_sentence(parsed: Any) -> None:
    nodes = parsed(LIBRARY).nodes
    assert nodes["Property:Book.tags"].type == "map of Tag"
    assert nodes["Response:listBooks.200"].type == "array of Book"
    assert nodes["Property:Book.pages"].marks == Mark.REQUIRED
    assert nodes["Property:Book.old"].marks == Mark.NULLABLE | Mark.DEPRECATED
    assert nodes["Property:Thing.id"].marks == Mark.READ_ONLY
    assert nodes["Type:Book"].summary == "A book."
    assert nodes["Type:Book"].detail == {"extends": ["api.yaml#/components/schemas/Thing"]}
    assert nodes["Type:Tag"].detail == {"values": ["new", "rare"]}
    assert nodes["Property:listBooks.sort"].detail == {"in": "query", "values": ["title", "year"]}
    assert nodes["Method:listBooks"].detail == {
        "method": "GET", "path": "/shelves/{shelf}/books", "id": "listBooks", "tags": ["books"],
    }  # fmt: skip
    assert nodes["Response:listBooks.200"].detail == {"status": "200"}


def test_entries_span_the_lines_on_which_they_are_written(parsed: Any) -> None:
    entries = parsed(LIBRARY).entries
    lines = LIBRARY.splitlines()
    span = entries["Method:listBooks"].span
    assert lines[span.first - 1] == "    get:"
    assert lines[span.last - 1] == "        '404': {$ref: '#/components/responses/Gone'}"
    span = entries["Property:Book.pages"].span
    assert lines[span.first - 1] == "            pages: {type: integer, minimum: 1}"
    assert span.first == span.last


def test_each_text_stands_in_one_field_of_one_entry(parsed: Any) -> None:
    found = parsed(LIBRARY)
    where = {
        "Books and who has them.": "Service:Library",
        "https://books.example": "Service:Library",
        "All about books": "Service:Library",
        "1.10": "Service:Library",
        "It is gone": "Service:Library",
        "Books on one shelf": "Method:listBooks",
        "And a second one": "Method:listBooks",
        "Some books": "Method:listBooks",
        "The usual order": "Property:/shelves/{shelf}/books.sort",
        "How many": "Property:listBooks.200.X-Total",
        "The one after": "Property:Book.next",
        "never": "Property:Book.old",
        "minimum: 1": "Property:Book.pages",
        "rare": "Type:Tag",
    }
    for text, key in where.items():
        holders = [
            (one.key, field)
            for one in found.entries.values()
            for field, said in one.fields.items()
            if text in said
        ]
        assert [holder for holder, _ in holders] == [key], (text, holders)
    assert "<<" not in found.texts()


def test_methods_and_what_belongs_to_them_are_found_by_path(parsed: Any) -> None:
    entries = parsed(LIBRARY).entries
    for key in (
        "Method:listBooks",
        "Property:listBooks.sort",
        "Property:listBooks.200.X-Total",
        "Property:addBook.body.maker.city",
        "Property:parameters.Lang",
    ):
        assert entries[key].filters["path"] == ("/shelves/{shelf}/books",)
    assert entries["Method:listBooks"].filters["method_type"] == ("read_only",)
    assert entries["Method:addBook"].filters["method_type"] == ("read_write",)
    assert not entries["Type:Book"].filters
    assert not entries["Property:Book.pages"].filters
