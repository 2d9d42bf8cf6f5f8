"""What is wrong in a description is told with its place, and costs no more than itself."""

from typing import Any

import pytest
from sourcebook_schema.facts import Mark

HEAD = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\n"


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("paths: {/a: [get]}", "3: paths > /a: a path is a list, not an object"),
        ("paths: {/a: {get: none}}", "3: paths > /a > get: `get` is a text, not an object"),
        ("paths:\n  /a:\n    get:\n      parameters: {id: 1}\n      responses: {}",
         "6: paths > /a > get > parameters: `parameters` is an object, not a list"),
        ("paths:\n  /a:\n    get:\n      parameters: [id]\n      responses: {}",
         "6: paths > /a > get > parameters > 0: a parameter is a text, not an object"),
        ("paths:\n  /a:\n    get:\n      parameters:\n        - {in: query, schema: {}}\n",
         "7: paths > /a > get > parameters > 0: a parameter needs a `name`, and an `in` of query, "
         "path, header, cookie"),
        ("paths:\n  /a:\n    get:\n      parameters:\n        - name: q\n          in: query\n"
         "          required: 'false'\n          schema: {}\n",
         "9: paths > /a > get > parameters > 0 > required: `required` is a text, not a boolean"),
        ("paths:\n  /a:\n    get:\n      responses: [a]",
         "6: paths > /a > get > responses: `responses` is a list, not an object"),
        ("paths:\n  /a:\n    get:\n      responses: {'200': fine}",
         "6: paths > /a > get > responses > 200: a response is a text, not an object"),
        ("paths:\n  /a:\n    get:\n      tags: pets",
         "6: paths > /a > get > tags: `tags` is a text, not a list"),
        ("paths: {a: {get: {responses: {}}}}", "3: paths > a: a path does not begin with `/`"),
        ("components: {schemas: []}",
         "3: components > schemas: `schemas` is a list, not an object"),
        ("components:\n  schemas:\n    A: text", "5: components > schemas > A: a schema is a text"),
        ("components:\n  schemas:\n    A: {properties: [b]}",
         "5: components > schemas > A > properties: `properties` is a list, not an object"),
        ("components:\n  schemas:\n    A:\n      properties:\n        b: null",
         "7: components > schemas > A > properties > b: a schema is empty"),
        ("components:\n  schemas:\n    A:\n      enum: one",
         "6: components > schemas > A > enum: `enum` is a text, not a list"),
        ("components:\n  schemas:\n    A: {required: true}",
         "5: components > schemas > A > required: `required` is a boolean, not a list of names"),
        ("components:\n  schemas:\n    A: {type: {a: b}}",
         "5: components > schemas > A > type: `type` is an object, not a text"),
        ("components:\n  schemas:\n    A: {allOf: {type: object}}",
         "5: components > schemas > A > allOf: `allOf` is an object, not a list of schemas"),
        ("components:\n  schemas:\n    A: {discriminator: {mapping: {}}}",
         "5: components > schemas > A > discriminator: `discriminator` is an object, not an object "
         "with a `propertyName`"),
        ("components:\n  parameters:\n    A: {name: a}",
         "5: components > parameters > A: a parameter needs a `name`, and an `in` of query, path, "
         "header, cookie"),
    ],
)  # fmt: skip
def test_a_wrong_shape_is_told_with_its_line_and_place(parsed: Any, rest: str, said: str) -> None:
    found = parsed(HEAD + rest + "\n")
    found.check()
    assert found.said() == [said]


def test_a_reference_to_nothing_costs_itself_alone(parsed: Any) -> None:
    found = parsed(
        HEAD
        + """\
paths:
  /a:
    get:
      operationId: a
      parameters: [{$ref: '#/components/parameters/Gone'}]
      responses:
        '200': {description: A, content: {text/plain: {schema: {$ref: 'gone.yaml#/A'}}}}
        '404': {$ref: '#/components/responses/Gone'}
components:
  schemas:
    Real:
      type: object
      properties:
        hole: {description: Kept, $ref: '#/components/schemas/real'}
        deep: {$ref: '#/components/things/Real'}
        odd: {$ref: [1]}
        text: {$ref: '#/info/title'}
        name: {$ref: '#real'}
        whole: {$ref: '#'}
""",
        context={"root": True, "refs": {"gone.yaml#/A": {"error": "there is no file gone.yaml"}}},
    )
    found.check()
    above = "components > schemas > Real > properties >"
    assert found.said() == [
        "7: paths > /a > get > parameters > 0: `#/components/parameters/Gone` points at nothing: "
        "there is no `components > parameters`",
        "9: paths > /a > get > responses > 200 > content > text/plain > schema: `gone.yaml#/A`: "
        "there is no file gone.yaml",
        "10: paths > /a > get > responses > 404: `#/components/responses/Gone` points at nothing: "
        "there is no `components > responses`",
        f"16: {above} hole: `#/components/schemas/real` points at nothing, did you mean "
        "`#/components/schemas/Real`?",
        f"17: {above} deep: `#/components/things/Real` points at nothing: there is no "
        "`components > things`",
        f"18: {above} odd: a reference is no text",
        f"19: {above} text: `#/info/title` points at what is no object",
        f"20: {above} name: `#real` names an anchor that is nowhere in this file",
        f"21: {above} whole: `#` is the whole description, which is nothing to refer to",
    ]
    properties = found.value("/components/schemas/Real")["properties"]
    assert properties["hole"] == {"description": "Kept"}
    assert properties["deep"] == {}
    assert found.value("/paths/~1a/get") == {
        "operationId": "a",
        "responses": {"200": {"description": "A", "content": {"text/plain": {"schema": {}}}}},
    }


def test_operations_with_one_id_are_told_apart_by_their_routes(parsed: Any) -> None:
    found = parsed(
        HEAD
        + """\
paths:
  /tools/search: {get: {operationId: search, responses: {}}}
  /staff/search:
    get: {operationId: search, responses: {}}
    post: {summary: By many criteria, responses: {}}
  /tools/{id}: {get: {parameters: [{name: id, in: path, schema: {}}], responses: {}}}
"""
    )
    found.check()
    methods = {key: row.name for key, row in found.nodes.items() if row.kind == "method"}
    assert methods == {
        "Method:GET /tools/search": "search",
        "Method:GET /staff/search": "search",
        "Method:POST /staff/search": "POST /staff/search",
        "Method:GET /tools/{id}": "GET /tools/{id}",
    }
    assert found.nodes["Property:GET /tools/{id}.id"].marks == Mark.REQUIRED


@pytest.mark.parametrize(
    "text",
    ["openapi: 9.0.0\npaths: {}\n", "swaggerVersion: '1.2'\n", "a: b\n", "- 1\n", "openapi: [3]\n"],
)
def test_what_is_no_description_that_can_be_read_is_refused(parsed: Any, text: str) -> None:
    found = parsed(text)
    found.check()
    assert found.fact is None
    assert len(found.problems) == 1
