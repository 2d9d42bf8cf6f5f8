"""References in place of mappings and lists, and of operations: hand-made files have them, though
no standard names them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from openapi_spec_validator import validate
from sourcebook_schema import pieces, references

Ask: TypeAlias = Callable[..., Any]
Index: TypeAlias = Callable[[dict[str, str]], Ask]

HEAD = "openapi: 3.0.3\ninfo: {title: Market, version: '1'}\n"


@pytest.fixture(name="index")
def _index(index_of: Any, answer: Any, tmp_path: Path) -> Index:
    """Return what indexes files by name, and returns what runs a verb on that."""

    def indexed(files: dict[str, str]) -> Ask:
        folder = index_of(tmp_path, files)
        return lambda *arguments, text=False: answer(*arguments, "--dir", folder, text=text)

    return indexed


def listed(ask: Ask, what: str) -> dict[str, str]:
    """Return where things are, by name."""
    rows = ask("list", what)["items"]
    assert len({row["title"] for row in rows}) == len(rows)
    return {row["title"]: f"{row['source']}:{row['first_line']}" for row in rows}


def bundled(ask: Ask, *names: str) -> dict[str, Any]:
    """Return a valid description of some operations or types alone."""
    text = ask("show", *names, "--format", "openapi", text=True)
    found: dict[str, Any] = json.loads(text)
    validate(found)
    return found


MARKET = {
    "api.yaml": HEAD + "paths: {$ref: paths/_index.yaml}\n"
    "components:\n"
    "  schemas: {$ref: schemas/_index.yaml}\n"
    "  responses: {$ref: answers.yaml#/all}\n"
    "  securitySchemes: {$ref: keys.yaml}\n"
    "security: [{Key: []}]\n",
    "keys.yaml": "Key: {type: apiKey, in: header, name: X-Key}\n",
    "paths/_index.yaml": "/stalls: {$ref: stalls.yaml}\n"
    "/stalls/{no}:\n"
    "  parameters: [{name: no, in: path, required: true, schema: {type: integer}}]\n"
    "  get: {$ref: ../stall/get.yaml}\n"
    "  delete:\n"
    "    operationId: closeStall\n"
    "    responses: {$ref: ../usual.yaml}\n",
    "paths/stalls.yaml": "get:\n"
    "  operationId: listStalls\n"
    "  parameters: {$ref: ../paging.yaml}\n"
    "  responses:\n"
    "    '200':\n"
    "      description: All\n"
    "      content: {a/b: {schema: {items: {$ref: '../schemas/_index.yaml#/Stall'}}}}\n"
    "    default: {$ref: '../api.yaml#/components/responses/Broken'}\n",
    "paging.yaml": "- {name: page, in: query, schema: {type: integer}}\n"
    "- {name: size, in: query, schema: {type: integer}}\n",
    "stall/get.yaml": "operationId: getStall\n"
    "responses:\n"
    "  '200': {description: One, content: {$ref: '../contents.yaml#/stall'}}\n",
    "contents.yaml": "stall:\n  a/b:\n    schema: {$ref: schemas/Stall.yaml}\n"
    "    example: {no: 3}\n",
    "answers.yaml": "all:\n"
    "  Missing: {$ref: missing.yaml}\n"
    "  Broken: {description: It broke}\n",
    "missing.yaml": "description: Gone\ncontent: {a/b: {schema: {$ref: 'api.yaml#/components"
    "/schemas/Trader'}}}\n",
    "usual.yaml": "'204': {description: Done}\n"
    "'404': {$ref: 'api.yaml#/components/responses/Missing'}\n",
    "schemas/_index.yaml": "Stall: {$ref: Stall.yaml}\n"
    "Booth: {$ref: Stall.yaml}\n"
    "Trader:\n"
    "  type: object\n"
    "  properties: {$ref: trader-fields.yaml}\n"
    "Unused: {type: string}\n",
    "schemas/Stall.yaml": "type: object\n"
    "properties:\n"
    "  no: {type: integer}\n"
    "  trader: {$ref: '../api.yaml#/components/schemas/Trader'}\n",
    "schemas/trader-fields.yaml": "name: {type: string}\n"
    "home:\n"
    "  properties: {city: {type: string}}\n",
}  # fmt: skip


@pytest.fixture(name="market", scope="module")
def _market(index_of: Any, answer: Any, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    folder = index_of(tmp_path_factory.mktemp("market"), MARKET)
    return lambda *arguments, text=False: answer(*arguments, "--dir", folder, text=text)


def test_members_have_the_names_and_lines_that_they_are_written_with(market: Ask) -> None:
    assert listed(market, "types") == {
        "Stall": "schemas/Stall.yaml:1",
        "Booth": "schemas/_index.yaml:2",
        "Trader": "schemas/_index.yaml:3",
        "Unused": "schemas/_index.yaml:6",
        "name": "schemas/trader-fields.yaml:1",
        "home": "schemas/trader-fields.yaml:2",
    }
    assert listed(market, "methods") == {
        "GET /stalls": "paths/stalls.yaml:1",
        "GET /stalls/{no}": "stall/get.yaml:1",
        "DELETE /stalls/{no}": "paths/_index.yaml:5",
    }
    assert listed(market, "properties") == {
        "/stalls/{no}.no": "paths/_index.yaml:3",
        "parameters.page": "paging.yaml:1",
        "parameters.size": "paging.yaml:2",
        "Stall.no": "schemas/Stall.yaml:3",
        "Stall.trader": "schemas/Stall.yaml:4",
        "Trader.name": "schemas/_index.yaml:5",
        "Trader.home": "schemas/_index.yaml:5",
        "home.city": "schemas/trader-fields.yaml:3",
    }


def test_every_file_belongs_to_the_description(market: Ask) -> None:
    (document,) = market("list", "documents")["documents"]
    assert sorted(document["files"]) == sorted(MARKET)
    assert market("stats")["problems"] == []


def test_what_refers_to_members_finds_them(market: Ask) -> None:
    carriers = {route["operation"] for route in market("trace", "Trader")["nodes"][0]["routes"]}
    assert carriers == {"GET /stalls", "GET /stalls/{no}", "DELETE /stalls/{no}"}


def test_a_bundle_of_them_is_valid_and_holds_the_members(market: Ask) -> None:
    found = bundled(market, "listStalls", "getStall", "closeStall")
    schemas = found["components"]["schemas"]
    assert set(schemas) == {"Stall", "Trader", "name", "home"}
    assert set(schemas["Trader"]["properties"]) == {"name", "home"}
    item = found["paths"]["/stalls/{no}"]
    media = item["get"]["responses"]["200"]["content"]["a/b"]
    assert media == {"schema": {"$ref": "#/components/schemas/Stall"}, "example": {"no": 3}}
    assert set(item["delete"]["responses"]) == {"204", "404"}
    assert len(found["paths"]["/stalls"]["get"]["parameters"]) == 2
    assert found["components"]["securitySchemes"]["Key"]["name"] == "X-Key"


def test_the_texts_of_the_files_between_are_found(market: Ask) -> None:
    for text in ("keys.yaml", "../usual.yaml", "../paging.yaml", "trader-fields.yaml", "It broke"):
        assert market("grep", text)["found"] > 0, text


def test_what_one_writes_beside_such_a_reference_comes_with_it(index: Index) -> None:
    ask = index(
        {
            "api.yaml": HEAD + "paths:\n"
            "  $ref: more.yaml#/paths\n"
            "  /own: {get: {responses: {'200': {description: Own}}}}\n"
            "components: {$ref: more.yaml#/components}\n",
            "more.yaml": "paths:\n  /more: {get: {responses: {'200': {description: More}}}}\n"
            "components: {schemas: {A: {type: string}, B: {$ref: '#/components/schemas/A'}}}\n",
        }
    )
    assert listed(ask, "methods") == {"GET /own": "api.yaml:5", "GET /more": "more.yaml:2"}
    assert listed(ask, "types") == {"A": "more.yaml:3", "B": "more.yaml:3"}


def test_such_references_lead_on_to_others(index: Index) -> None:
    ask = index(
        {
            "api.yaml": HEAD + "paths: {$ref: a.yaml#/paths}\ncomponents: {$ref: a.yaml#/parts}\n",
            "a.yaml": "paths: {$ref: b.yaml}\n"
            "parts: {schemas: {$ref: c.yaml, A: {type: string}}}\n",
            "b.yaml": "/b: {$ref: items/b.yaml}\n",
            "c.yaml": "$ref: d.yaml\nC: {type: object}\n",
            "d.yaml": "D: {type: object}\n",
            "items/b.yaml": "post: {$ref: operations.yaml#/post}\n",
            "items/operations.yaml": "post: {$ref: post.yaml}\n",
            "items/post.yaml": "requestBody: {content: {a/b: {schema: {$ref: '../api.yaml#"
            "/components/schemas/D'}}}}\nresponses: {}\n",
        }
    )
    assert listed(ask, "methods") == {"POST /b": "items/post.yaml:1"}
    assert listed(ask, "types") == {"A": "a.yaml:2", "C": "c.yaml:2", "D": "d.yaml:1"}
    assert [item["name"] for item in ask("list", "types", "--direction", "input")["items"]] == ["D"]
    assert bundled(ask, "POST /b")["components"]["schemas"] == {"D": {"type": "object"}}
    assert ask("stats")["problems"] == []


def test_an_operation_elsewhere_has_each_path_that_refers_to_it(index: Index) -> None:
    ask = index(
        {
            "api.yaml": "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n"
            "  /a/{id}:\n"
            "    parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n"
            "    get: {$ref: get.yaml}\n"
            "    put: {responses: {}}\n"
            "  /b/{id}:\n"
            "    parameters: [{$ref: '#/components/parameters/Number'}]\n"
            "    get: {$ref: get.yaml}\n"
            "webhooks:\n  low: {post: {$ref: hook.yaml}}\n"
            "components:\n  parameters:\n"
            "    Number: {name: id, in: path, required: true, schema: {}}\n",
            "get.yaml": "operationId: getIt\nparameters: [{name: id, in: query, schema: {}}]\n"
            "responses: {}\n",
            "hook.yaml": "requestBody: {content: {a/b: {schema: {$ref: Low.yaml}}}}\n",
            "Low.yaml": "type: object\n",
        }
    )
    assert listed(ask, "methods") == {
        "GET /a/{id}": "get.yaml:1",
        "GET /b/{id}": "get.yaml:1",
        "PUT /a/{id}": "api.yaml:7",
        "WEBHOOK low": "hook.yaml:1",
    }
    for path in ("/a/{id}", "/b/{id}"):
        (item,) = bundled(ask, f"GET {path}")["paths"].values()
        assert len(item["get"]["parameters"]) == 2
    (low,) = ask("list", "types")["items"]
    assert low["direction"] == "output"


def test_swagger_has_them_too(index: Index) -> None:
    ask = index(
        {
            "api.json": json.dumps(
                {
                    "swagger": "2.0",
                    "info": {"title": "T", "version": "1"},
                    "paths": {"/a": {"get": {"responses": {"$ref": "usual.json"}}}},
                    "definitions": {"$ref": "definitions.json"},
                    "responses": {"$ref": "usual.json"},
                }
            ),
            "definitions.json": '{"A": {"type": "object"},\n"B": {"$ref": "#/A"}}',
            "usual.json": '{"200": {"description": "",\n'
            '"schema": {"$ref": "api.json#/definitions/B"}}}',
        }
    )
    assert listed(ask, "types") == {"A": "definitions.json:1", "B": "definitions.json:2"}
    assert set(bundled(ask, "GET /a")["components"]["schemas"]) == {"A", "B"}


def test_such_a_reference_may_stay_in_its_file(index: Index) -> None:
    text = (
        f"{HEAD}paths:\n  /a:\n    get: {{responses: {{$ref: '#/x-usual'}}}}\n"
        "x-usual: {'200': {description: Usual, content: {$ref: '#/x-content'}}}\n"
        "x-content: {a/b: {schema: {$ref: '#/components/schemas/B'}, example: 1}}\n"
        "components:\n  schemas:\n    A: {properties: {one: {type: string}}}\n"
        "    B: {properties: {$ref: '#/components/schemas/A/properties', two: {type: integer}}}\n"
    )
    ask = index({"api.yaml": text})
    assert ask("stats")["problems"] == []
    schemas = bundled(ask, "GET /a")["components"]["schemas"]
    assert set(schemas["B"]["properties"]) == {"one", "two"}
    (carrier,) = ask("trace", "B")["nodes"][0]["routes"]
    assert carrier["operation"] == "GET /a"


@pytest.mark.parametrize(
    ("text", "other", "told"),
    [
        ("paths: {$ref: gone.yaml}", "", "there is no file `gone.yaml`"),
        ("paths: {$ref: b.yaml}", "$ref: b.yaml\n", "`b.yaml#` leads round to itself"),
        ("paths: {$ref: b.yaml}", "$ref: api.yaml#/paths\n", "leads round to itself"),
        ("paths: {$ref: b.yaml}", "$ref: gone.yaml\n", "there is no file `gone.yaml`"),
        ("paths: {$ref: b.yaml}", "- a\n", "`b.yaml#` is no mapping, so it is no paths"),
        ("paths: {/a: {parameters: {$ref: b.yaml}, get: {}}}", "a: {}\n", "is no list"),
        ("paths: {/a: {get: {$ref: b.yaml}}}", "$ref: b.yaml\n", ""),
        ("paths: {/a: {get: {$ref: '#/x'}}}", "", "points at nothing"),
        ("paths: {/a: {get: {responses: {$ref: '#/info'}}}}", "", "not an object"),
        ("paths: {/a: {get: {responses: {$ref: '#/x'}}}}", "", "points at nothing"),
        ("x: {$ref: '#/x'}\npaths: {$ref: '#/x'}", "", "`#/x` leads round to itself"),
        ("components: {schemas: {$ref: b.yaml}}", "A: 1\nB: {$ref: '#/C'}\n", "points at nothing"),
        ("components: {schemas: {A: {$ref: b.yaml}}}", "$ref: b.yaml\n", ""),
        ("components: {schemas: {A: {properties: {b: {properties: {$ref: '#/components/schemas/A/"
         "properties'}}}}}}", "", ""),
    ],
)  # fmt: skip
def test_what_leads_nowhere_or_round_costs_itself_alone(
    index: Index, text: str, other: str, told: str
) -> None:
    files = {"api.yaml": f"{HEAD}{text}\n"}
    if other:
        files["b.yaml"] = other
    problems = index(files)("stats")["problems"]
    assert any(told in problem for problem in problems) or not told, problems


def test_a_reference_counts_from_its_file_whatever_is_called_alike(index: Index) -> None:
    ask = index(
        {
            "api.yaml": f"{HEAD}paths: {{$ref: in/paths.yaml}}\n",
            "in/paths.yaml": "/a:\n  get:\n    responses: {$ref: ../usual.yaml}\n"
            "  put:\n    responses: {'200': {$ref: usual.yaml#/200}}\n",
            "usual.yaml": "'200': {description: Far}\n",
            "in/usual.yaml": "'200': {description: Near}\n",
        }
    )
    for name, said in (("GET /a", "Far"), ("PUT /a", "Near")):
        (response,) = bundled(ask, name)["components"]["responses"].values()
        assert response["description"] == said


def test_a_type_that_only_names_its_file_is_the_one_type_there(index: Index) -> None:
    ask = index(
        {
            "api.yaml": f"{HEAD}paths:\n  /stalls:\n    get:\n      operationId: listStalls\n"
            "      responses:\n        '200':\n          description: All\n          content:\n"
            "            application/json:\n"
            "              schema: {$ref: '#/components/schemas/Offer'}\n"
            "components:\n  schemas:\n    Stall: {$ref: schemas/Stall.yaml}\n"
            "    Trader: {$ref: schemas/Trader.yaml}\n    Booth: {$ref: schemas/Stall.yaml}\n"
            "    Offer:\n      oneOf:\n        - {$ref: '#/components/schemas/Stall'}\n"
            "        - {$ref: schemas/Trader.yaml}\n"
            "      discriminator:\n        propertyName: kind\n"
            "        mapping: {s: Stall, t: '#/components/schemas/Trader'}\n",
            "schemas/Stall.yaml": "properties:\n  kind: {type: string}\n"
            "  by: {$ref: '../api.yaml#/components/schemas/Trader'}\n",
            "schemas/Trader.yaml": "properties: {kind: {type: string}, name: {type: string}}\n",
        }
    )
    assert listed(ask, "types") == {
        "Booth": "api.yaml:17",
        "Offer": "api.yaml:18",
        "Stall": "schemas/Stall.yaml:1",
        "Trader": "schemas/Trader.yaml:1",
    }
    [traced] = ask("trace", "Trader.name")["nodes"]
    assert [route["operation"] for route in traced["routes"]] == ["GET /stalls"]
    schemas = bundled(ask, "listStalls")["components"]["schemas"]
    assert set(schemas) == {"Offer", "Stall", "Trader"}
    assert schemas["Offer"]["discriminator"]["mapping"] == {
        "s": "#/components/schemas/Stall",
        "t": "#/components/schemas/Trader",
    }


def test_what_comes_by_references_is_bounded(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "MAX_MEMBERS", 20)
    monkeypatch.setattr(references, "MAX_UNFOLDED", 15)
    ask = index(
        {
            "api.yaml": f"{HEAD}paths: {{}}\ncomponents:\n  schemas:\n"
            + "".join(f"    T{n}: {{properties: {{$ref: many.yaml}}}}\n" for n in range(9))
            + "    U: {properties: {$ref: many.yaml#}}\n    V: {properties: {$ref: ./many.yaml}}\n",
            "many.yaml": "".join(f"p{n}: {{type: string}}\n" for n in range(10)),
        }
    )
    assert [item["title"] for item in ask("list", "fields")["items"]] == [
        f"T0.p{n}" for n in range(10)
    ]
    problems = " ".join(ask("stats")["problems"])
    assert "more than 15 things come by such references" in problems
    assert "more than 20 things come by references like this" in problems


def test_fields_of_the_whole_may_be_references(index: Index) -> None:
    ask = index(
        {
            "api.yaml": "openapi: 3.0.3\n"
            "info: {$ref: parts/info.yaml}\n"
            "servers: {$ref: parts/servers.yaml}\n"
            "externalDocs: {$ref: '#/x-docs'}\n"
            "x-docs: {url: 'https://market.example/docs'}\n"
            "tags:\n"
            "  - {$ref: 'parts/tags.yaml#/stalls'}\n"
            "  - {name: own}\n"
            "  - {$ref: parts/gone.yaml}\n"
            "paths:\n"
            "  /a: {get: {operationId: a, tags: [stalls], responses: {'200': {description: A}}}}\n",
            "parts/info.yaml": "title: Market\nversion: '7'\ncontact: {name: Ann}\n",
            "parts/servers.yaml": "- {url: 'https://market.example/v7'}\n- {$ref: more.yaml}\n",
            "parts/more.yaml": "url: https://other.example\n",
            "parts/tags.yaml": "stalls: {name: stalls, description: All about stalls.}\n",
        }
    )
    [document] = ask("list", "documents")["documents"]
    assert (document["title"], document["version"]) == ("Market", "7")
    found = bundled(ask, "a")
    assert found["info"] == {"title": "Market", "version": "7"}
    assert [one["url"] for one in found["servers"]] == [
        "https://market.example/v7", "https://other.example",
    ]  # fmt: skip
    assert found["tags"] == [{"name": "stalls", "description": "All about stalls."}]
    assert found["externalDocs"] == {"url": "https://market.example/docs"}
    assert [one["source"] for one in ask("grep", "Ann", "--case-sensitive")["matches"]] == [
        "parts/info.yaml"
    ]


CALLS = {
    "api.yaml": HEAD + "paths:\n"
    "  /a:\n"
    "    post:\n"
    "      operationId: a\n"
    "      responses: {'200': {description: A}}\n"
    "      callbacks:\n"
    "        onSale: {'{$url}': {$ref: hooks.yaml#/sold}}\n"
    "        onGift: {'{$url}': {$ref: hooks.yaml#/given}}\n"
    "  /b:\n"
    "    post:\n"
    "      operationId: b\n"
    "      responses: {'200': {description: B}}\n"
    "      callbacks:\n"
    "        onOther: {'{$other}': {$ref: hooks.yaml#/sold}}\n"
    "        onShared: {$ref: '#/components/callbacks/Shared'}\n"
    "        onWhole: {$ref: whole.yaml}\n"
    "components:\n"
    "  callbacks:\n"
    "    Shared: {'{$shared}': {$ref: hooks.yaml#/shared}}\n",
    "hooks.yaml": "sold:\n"
    "  post: {requestBody: {content: {application/json: {schema: {$ref: '#/Sale'}}}}}\n"
    "given:\n"
    "  post: {operationId: gift}\n"
    "  put: {operationId: putGift}\n"
    "shared:\n"
    "  post: {operationId: share}\n"
    "third:\n"
    "  post: {}\n"
    "Sale: {type: object, properties: {price: {type: number}}}\n",
    "whole.yaml": "'{$whole}': {$ref: hooks.yaml#/third}\n",
}


def test_path_items_of_callbacks_may_be_in_other_files(index: Index) -> None:
    ask = index(CALLS)
    rows = {item["id"].partition("#")[2]: item for item in ask("list")["items"]}
    called = {
        key: (item["title"], item["parent"].partition("#")[2])
        for key, item in rows.items()
        if "CALLBACK" in item["title"]
    }
    assert called == {
        "Method:CALLBACK onSale": ("CALLBACK onSale", "Method:a"),
        "Method:CALLBACK onOther": ("CALLBACK onOther", "Method:b"),
        "Method:gift": ("CALLBACK onGift", "Method:a"),
        "Method:putGift": ("CALLBACK onGift", "Method:a"),
        "Method:share": ("CALLBACK onShared", "Method:b"),
        "Method:CALLBACK whole": ("CALLBACK onWhole", "Method:b"),
    }
    [item] = ask("list", "types")["items"]
    assert (item["name"], item["direction"]) == ("Sale", "output")


def test_a_part_holds_the_callbacks_of_its_operations_from_other_files(index: Index) -> None:
    ask = index(CALLS)
    found = bundled(ask, "a", "b")
    calls = found["paths"]["/b"]["post"]["callbacks"]
    assert {*calls} == {"onOther", "onShared", "onWhole"}
    items = found["components"]["pathItems"]
    assert {tuple(item) for item in items.values()} == {("post",), ("post", "put")}
    assert "callbacks" in bundled(ask, "gift", "a")["paths"]["/a"]["post"]
    assert ask("check", "gift")["fits"]
    text = ask("show", "a", "gift", "putGift", "--format", "ts", text=True)
    assert "onGift: putGift | gift" in text
