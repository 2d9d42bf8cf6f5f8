"""What declarations allow and refuse, as the compiler sees it.

A line that ends in `// wrong` must be refused, and no other.
"""

from collections.abc import Mapping
from typing import Any

import pytest
from sourcebook.subgraph import ApiSubgraph
from sourcebook_typescript.plugin import render

from tests.tools.tsc import Wrong, check

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def record(required: str = "", **properties: Any) -> dict[str, Any]:
    """Return an object's schema; `required` holds names with blanks between."""
    made: dict[str, Any] = {"type": "object", "properties": properties}
    return made | ({"required": required.split()} if required else {})


def tagged(key: str, *members: str, **mapping: str) -> dict[str, Any]:
    discriminator: dict[str, Any] = {"propertyName": key}
    if mapping:
        discriminator["mapping"] = {tag: ref(name)["$ref"] for tag, name in mapping.items()}
    alternatives = {"oneOf": [ref(name) for name in members]} if members else {}
    return alternatives | {"discriminator": discriminator}


def child(of: str, required: str = "", **properties: Any) -> dict[str, Any]:
    return {"allOf": [ref(of), record(required, **properties)]}


TREES = {
    "Tree": {"anyOf": [STRING, {"type": "array", "items": ref("Tree")}, ref("Forest")]},
    "Forest": {"type": "object", "additionalProperties": ref("Tree")},
    "Loop": {"anyOf": [ref("Loop"), STRING]},
    "Ring": {"oneOf": [ref("Chain"), {"type": "null"}]},
    "Chain": {"allOf": [ref("Ring")]},
    "Myself": ref("Myself"),
    "Pair": {"type": "array", "prefixItems": [ref("Pair"), STRING], "items": ref("Pair")},
    "Other": ref("Tree"),
}

SHAPES = {
    "Shape": tagged("form", "Disc", "Box", "Blob", round="Disc", flat="Disc", cornered="Box"),
    "Disc": record("form radius", form=STRING, radius=INTEGER),
    "Box": record("width", width=INTEGER),
    # Its own word for its tag is not the one that the mapping's lack would give.
    "Blob": record("form", form={"enum": ["blob", "splash"]}, drops=INTEGER),
    "Numbered": tagged("v", "First", "Second", **{"1": "First", "2": "Second"}),
    "First": record("v a", v=INTEGER, a=STRING),
    "Second": record("v b", v=INTEGER, b=STRING),
    "Maybe": {"anyOf": [ref("Shape"), {"type": "null"}]},
}

VEHICLES = {
    "Vehicle": record("kind wheels", kind=STRING, wheels=INTEGER) | tagged("kind", car="Car"),
    "Car": child("Vehicle", doors=INTEGER),
    "Van": {"allOf": [ref("Car"), record("load", load=INTEGER)]},
    "Tram": child("Vehicle", "line", line=INTEGER),
    "Depot": record(vehicles={"type": "array", "items": ref("Vehicle")}, first=ref("Vehicle")),
}

PETS = {
    "Pet": record("sort", sort=STRING, name=STRING) | tagged("sort", "Cat", "Dog", meow="Cat"),
    "Cat": child("Pet", "lives", lives=INTEGER),
    "Dog": child("Pet", tricks={"type": "array", "items": STRING}),
}

NODES = {
    "Node": record("type id", type=STRING, id=STRING) | tagged("type", leaf="Leaf", node="Node"),
    "Leaf": child("Node", "text", text=STRING),
}

MERGED = {
    "Base": record(a=STRING, b=INTEGER),
    "Demands": {"required": ["a"]},
    "Both": {"allOf": [ref("Base"), ref("Demands")]},
    "Beside": ref("Base") | {"required": ["b"], "description": "Beside a reference."},
    "Either": record(a=STRING, b=INTEGER, c={"type": "boolean"})
    | {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    "Unknown": {"required": ["nowhere"], "type": "object"},
    "Narrower": {"allOf": [ref("Base"), record("a", a={"enum": ["x", "y"]})]},
}

MAPS = {
    "Free": {"type": "object"},
    "Closed": {"type": "object", "additionalProperties": False},
    "Open": record("a", a=STRING) | {"additionalProperties": True},
    "Mixed": record("a", a=STRING, b={"type": "boolean"}) | {"additionalProperties": INTEGER},
    "Patterned": {"type": "object", "patternProperties": {"^x-": INTEGER, "^y-": STRING}},
    "Recursive": record(name=STRING) | {"additionalProperties": ref("Recursive")},
    "OnBase": {"allOf": [ref("Based")], "type": "object", "additionalProperties": INTEGER},
    "Based": record("flag", flag={"type": "boolean"}),
}

TUPLES = {
    "Open": {"type": "array", "prefixItems": [STRING, INTEGER], "minItems": 1},
    "Closed": {"type": "array", "prefixItems": [STRING], "items": False, "minItems": 1},
    "Long": {"type": "array", "prefixItems": [STRING], "items": INTEGER, "minItems": 3},
    "Cut": {"type": "array", "prefixItems": [STRING, INTEGER, INTEGER], "maxItems": 2},
    "Empty": {"type": "array", "maxItems": 0},
    "Plain": {"type": "array", "items": {"type": ["string", "null"]}},
}

VALUES = {
    "Any": True,
    "None": False,
    "Nothing": {"type": "null"},
    "Kinds": {"type": ["string", "integer", "null"]},
    "Fixed": {"const": {"a": [1, None]}},
    "Slip": {"type": "string", "enum": [1, 2]},
    "Part": {"type": ["string", "null"], "enum": ["a", 3, None]},
    "Word": {"allOf": [STRING, {"enum": ["x", "y"]}]},
    "File": {"type": "string", "format": "binary"},
    "Huge": {"enum": [1e400, -0.5, 12345678901234567890]},
    "Odd": {"if": {"type": "string"}, "then": {"minLength": 1}, "not": {"type": "null"}},
    "Set": record("at", at={"type": "string", "readOnly": True}),
}

EXAMPLES: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "recursive types": (
        TREES,
        """
        export const tree: api.Tree = ["a", ["b", { c: ["d"], e: "f" }]];
        export const other: api.Other = tree;
        export const bad: api.Tree = ["a", [{ c: 5 }]]; // wrong
        export const loop: api.Loop = "text";
        export const unlooped: api.Loop = 5; // wrong
        export const ring: api.Ring = null;
        export const pair: api.Pair = [[[], "a"], "b", []];
        """,
    ),
    "tags": (
        SHAPES,
        """
        export function size(s: api.Shape): number | undefined {
          switch (s.form) {
            case "round": return s.radius;
            case "flat": return s.radius;
            case "cornered": return s.width;
            case "blob": case "splash": return s.drops;
            default: { const never: never = s; return never; }
          }
        }
        export const a: api.Shape = { form: "Disc", radius: 1 }; // wrong
        export const b: api.Shape = { width: 1 }; // wrong
        export const c: api.Box = { width: 1 };
        export const d: api.Disc = { form: "anything", radius: 1 };
        export const e: api.Shape = { form: "Blob" }; // wrong
        export const f = (n: api.Numbered): string => (n.v === 1 ? n.a : n.b);
        export const g: api.Maybe = null;
        """,
    ),
    "inherited tags": (
        VEHICLES,
        """
        export function count(v: api.Vehicle): number | undefined {
          if (v.kind === "car") return v.doors;
          if (v.kind === "Tram") return v.line;
          const van: "Van" = v.kind;
          return van.length + v.load + v.wheels;
        }
        export const a: api.Car = { kind: "car", wheels: 4 };
        export const b: api.Car = { kind: "Car", wheels: 4 }; // wrong
        export const c: api.Van = { kind: "Van", wheels: 4, load: 2, doors: 3 };
        export const d: api.Van = { kind: "car", wheels: 4, load: 2 }; // wrong
        export const t: api.Tram = { kind: "Tram", wheels: 8, line: 1 };
        export const e: api.Depot = { vehicles: [a, c], first: t };
        export const f: api.Depot = { first: { kind: "Tram", wheels: 8 } }; // wrong
        export const g = (v: api.Vehicle) => v.load; // wrong
        """,
    ),
    "children that extend the union they are in": (
        PETS,
        """
        export function show(p: api.Pet): number | string | undefined {
          if (p.sort === "meow") return p.lives;
          const dog: "Dog" = p.sort;
          return p.tricks?.[0] ?? p.name ?? dog;
        }
        export const a: api.Cat = { sort: "meow", lives: 9 };
        export const b: api.Cat = { sort: "Dog", lives: 9 }; // wrong
        export const c: api.Pet = { sort: "meow", name: "x" }; // wrong
        """,
    ),
    "a base that is a variant of its own": (
        NODES,
        """
        export const text = (n: api.Node): string => (n.type === "leaf" ? n.text : n.id);
        export const a: api.Node = { type: "node", id: "1" };
        export const b: api.Node = { type: "leaf", id: "1" }; // wrong
        """,
    ),
    "required across branches": (
        MERGED,
        """
        export const a = (x: api.Both): string => x.a;
        export const b = (x: api.Beside): number => x.b;
        export const c: api.Both = { b: 1 }; // wrong
        export const d: api.Beside = { a: "x" }; // wrong
        export const e: api.Either = { b: 1, c: true };
        export const f: api.Either = { c: true }; // wrong
        export const g = (x: api.Unknown): unknown => x.nowhere;
        export const h: api.Narrower = { a: "z" }; // wrong
        export const i: api.Narrower = { a: "x", b: 2 };
        """,
    ),
    "maps": (
        MAPS,
        """
        export const a: api.Free = { x: 1, y: [null] };
        export const b: api.Closed = { x: 1 }; // wrong
        export const c: api.Open = { a: "x", other: [1] };
        export const d = (x: api.Open): string => x.a;
        export const e: api.Mixed = { a: "x", b: true, c: 1 };
        export const f: api.Mixed = { a: "x", c: [] }; // wrong
        export const g: api.Mixed = { a: 1 }; // wrong
        export const h: api.Patterned = { "x-a": 1, "y-b": "z" };
        export const i: api.Patterned = { "x-a": null }; // wrong
        export const j: api.Recursive = { name: "x", inner: { name: "y", innermost: {} } };
        export const k: api.OnBase = { flag: true, n: 1 };
        export const l = (x: api.OnBase): boolean => x.flag;
        """,
    ),
    "lists with places": (
        TUPLES,
        """
        export const a: api.Open = ["x"];
        export const b: api.Open = ["x", 1, null, {}];
        export const c: api.Open = []; // wrong
        export const d: api.Open = ["x", "y"]; // wrong
        export const e: api.Closed = ["x", 1]; // wrong
        export const f: api.Long = ["x", 1]; // wrong
        export const g: api.Long = ["x", 1, 2, 3];
        export const h: api.Cut = ["x", 1, 2]; // wrong
        export const i: api.Empty = [1]; // wrong
        export const j: api.Plain = ["x", null];
        """,
    ),
    "values": (
        VALUES,
        """
        export const a: api.Any = [1];
        export const b: api.None = 1; // wrong
        export const c: api.Nothing = "null"; // wrong
        export const d: api.Kinds[] = ["x", 1, null];
        export const e: api.Kinds = true; // wrong
        export const f: api.Fixed = { a: [1, null] };
        export const g: api.Fixed = { a: [2, null] }; // wrong
        export const h: api.Slip = 2;
        export const i: api.Part[] = ["a", null];
        export const j: api.Part = 3; // wrong
        export const k: api.Word = "z"; // wrong
        export const l: api.File[] = ["bytes", new Uint8Array(3)];
        export const m: api.Huge = -0.5;
        export const n: api.Odd = "anything";
        export const o = (x: api.Set_) => { x.at = ""; }; // wrong
        """,
    ),
}

PARAMETERS = [
    {"name": "id", "in": "path", "required": True, "schema": STRING},
    {"$ref": "#/components/parameters/Page"},
    {"name": "X-Trace", "in": "header", "required": True, "schema": STRING},
    {"name": "filter", "in": "query", "content": {"application/json": {"schema": ref("Filter")}}},
]
ADDED = {"200": {"description": "Added", "content": {"application/json": {"schema": STRING}}}}
OPERATIONS = {
    "openapi": "3.1.0",
    "info": {"title": "Notes", "version": "1"},
    "paths": {
        "/notes/{id}": {
            "parameters": PARAMETERS,
            "get": {
                "operationId": "Note",
                "parameters": [{"name": "page", "in": "query", "schema": STRING}],
                "responses": {
                    "200": {
                        "description": "The note",
                        "headers": {"X-Left": {"required": True, "schema": INTEGER}},
                        "content": {
                            "application/json": {"schema": ref("Note")},
                            "image/png": {},
                        },
                    },
                    "4XX": {"$ref": "#/components/responses/Wrong"},
                    "default": {"description": "Nothing"},
                },
            },
            "post": {
                "operationId": "watch-note",
                "requestBody": {"$ref": "#/components/requestBodies/Watch"},
                "callbacks": {"changed": {"$ref": "#/components/callbacks/Changed"}},
                "responses": ADDED,
            },
            "delete": {"responses": {}},
        }
    },
    "webhooks": {"note-gone": {"post": {"responses": ADDED}}},
    "components": {
        "schemas": {"Note": record("text", text=STRING), "Filter": record(text=STRING)},
        "parameters": {"Page": {"name": "page", "in": "query", "schema": INTEGER}},
        "responses": {"Wrong": {"description": "No", "content": {"text/plain": {}}}},
        "requestBodies": {
            "Watch": {
                "required": True,
                "content": {"application/json": {"schema": record("url", url=STRING)}},
            }
        },
        "callbacks": {
            "Changed": {
                "{$request.body#/url}": {
                    "post": {
                        "operationId": "noteChanged",
                        "callbacks": {"again": {"$ref": "#/components/callbacks/Changed"}},
                        "responses": ADDED,
                    }
                }
            }
        },
    },
}
CALLS = """
type Get = api.NoteOperation;
type Good = Get["responses"][200]["content"]["application/json"];
export const a: Get["parameters"] = { path: { id: "1" }, header: { "X-Trace": "t" } };
export const b: Get["parameters"] = { path: { id: "1" } }; // wrong
export const c: Get["parameters"] = { path: {}, header: { "X-Trace": "t" } }; // wrong
export const d: NonNullable<Get["parameters"]["query"]> = { page: "2", filter: { text: "x" } };
export const e: api.watch_note["parameters"]["query"] = { page: "2" }; // wrong
export const f: Good = { text: "x" };
export const g: api.Note = f;
export const h: Get["responses"][200]["headers"] = {}; // wrong
export const i: Get["responses"][200]["content"]["image/png"] = new Uint8Array(1);
export const j: api.watch_note["body"] = { "application/json": {} }; // wrong
export const k: api.watch_note["callbacks"]["changed"]["method"] = "POST";
export const l: api.noteChanged["callback"] = "changed";
export const m: api.WEBHOOK_note_gone["webhook"] = "note-gone";
export const n: api.DELETE_notes_id["method"] = "DELETE";
export const o: Get["responses"]["4XX"]["content"]["text/plain"] = 1;
"""


def choice(n: int) -> dict[str, Any]:
    return {"oneOf": [record("", **{f"a{n}": INTEGER}), record("", **{f"b{n}": INTEGER})]}


WIDE = {
    "Flat": {"allOf": [choice(n) for n in range(40)]},
    "Start": record(x=STRING),
    **{
        f"Step{n}": {"allOf": [ref(f"Step{n - 1}" if n else "Start"), choice(n)]} for n in range(40)
    },
    **{
        f"Fork{n}": {
            "oneOf": [
                child(f"Fork{n - 1}" if n else "Start", "", **{f"{side}{n}": INTEGER})
                for side in "ab"
            ]
        }
        for n in range(40)
    },
    "Holder": record(inside={"allOf": [ref(f"Step{n}") for n in range(40)]}),
    "Some": {"allOf": [choice(n) for n in range(4)]},
}


def body(schema: Any) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


READ_ONLY = {"type": "string", "readOnly": True}
SENT = {
    "openapi": "3.1.0",
    "paths": {
        "/pets": {
            "post": {
                "operationId": "addPet",
                "requestBody": body(ref("Pet")),
                "responses": {"200": body(ref("Pet"))},
            },
            "put": {
                "operationId": "putShelter",
                "requestBody": body(ref("Shelter")),
                "responses": {"200": body(ref("Shelter"))},
            },
            "patch": {
                "operationId": "patchPlain",
                "requestBody": body(ref("Plain")),
                "responses": {"200": body(ref("Unsent"))},
            },
        }
    },
    "webhooks": {
        "adopted": {
            "post": {"requestBody": body(ref("Pet")), "responses": {"200": body(ref("Pet"))}}
        }
    },
    "components": {
        "schemas": {
            "Entity": record("id", id=READ_ONLY, at=READ_ONLY),
            "Pet": child("Entity", "id name kind by", name=STRING, by=ref("Made"))
            | tagged("kind", cat="Cat", dog="Dog"),
            "Cat": child("Pet", "lives", kind=STRING, lives=INTEGER),
            "Dog": child("Pet", tricks={"type": "array", "items": ref("Pet")}, kind=STRING),
            "Made": {"type": "string", "readOnly": True},
            "Shelter": record("pets", pets={"additionalProperties": ref("Pet")}, best=ref("Pet")),
            "Plain": record("text", text=STRING, number=READ_ONLY),
            "Unsent": record("id", id=READ_ONLY),
            "PetInput": STRING,
        }
    },
}
SENDING = """
type Json = "application/json";
type Added = NonNullable<api.addPet["body"]>[Json];
export const a: Added = { kind: "cat", name: "Tom", lives: 9 };
export const b: Added = { kind: "cat", name: "Tom", lives: 9, by: "" }; // wrong
export const c: api.Pet = { kind: "cat", name: "Tom", lives: 9 }; // wrong
export const d: api.Pet = { kind: "cat", name: "Tom", lives: 9, id: "7", by: "me" };
export const e: api.PetInput_ = d;
export const f: api.CatInput = { kind: "cat", name: "Tom" }; // wrong
export const g: api.PetInput = "a text";
export const h: api.ShelterInput = { pets: { one: e, two: { kind: "dog", name: "Rex" } } };
export const i: NonNullable<api.putShelter["body"]>[Json] = h;
export const j: api.Shelter = h; // wrong
export const k: NonNullable<api.patchPlain["body"]>[Json] = { text: "a" };
export const l: api.Plain = k;
export const m: NonNullable<api.WEBHOOK_adopted["body"]>[Json] = e; // wrong
export const n: api.WEBHOOK_adopted["responses"][200]["content"][Json] = e;
export const o: api.UnsentInput = {}; // wrong
"""


COMBINED = """
export const a: api.Step3 = { x: "", a0: 1, b1: 1, a2: 1, b3: 1 };
export const b: api.Step39 = a;
export const c: api.Step3 = { x: 1 }; // wrong
export const d: api.Some = { a0: 1, a1: 1, a2: 1, a3: "" }; // wrong
export const e: api.Holder = { inside: a };
export const f: api.Flat = {};
export const g: api.Fork39 = {};
"""


def described(schemas: Mapping[str, Any]) -> dict[str, Any]:
    return {"openapi": "3.1.0", "components": {"schemas": dict(schemas)}}


SNIPPETS: Mapping[str, tuple[Mapping[str, Any], str]] = {
    **{name: (described(schemas), snippet) for name, (schemas, snippet) in EXAMPLES.items()},
    "operations": (OPERATIONS, CALLS),
    "sent": (SENT, SENDING),
    "combinations": (described(WIDE), COMBINED),
}


def folder(name: str) -> str:
    return name.replace(" ", "-")


@pytest.fixture(scope="module", params=[False, True], ids=["strict", "exact"])
def found(request: pytest.FixtureRequest) -> list[Wrong]:
    """All that the compiler says of all examples."""
    files = {}
    for name, (description, snippet) in SNIPPETS.items():
        text = render(ApiSubgraph((), (), description=description), {})
        files[f"{folder(name)}/types.ts"] = text
        files[f"{folder(name)}/use.ts"] = f'import type * as api from "./types";{snippet}'
    return check(files, exactOptionalPropertyTypes=request.param)


@pytest.mark.parametrize("name", SNIPPETS)
def test_declarations_allow_and_refuse(name: str, found: list[Wrong]) -> None:
    lines = SNIPPETS[name][1].splitlines()
    refused = {
        f"{folder(name)}/use.ts:{n}" for n, line in enumerate(lines, 1) if "// wrong" in line
    }
    said = {
        f"{each.file}:{each.line}": each for each in found if each.file.startswith(folder(name))
    }
    assert refused == set(said), said
