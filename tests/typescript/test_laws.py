"""Declarations of any schemas compile, and take the values that fit the schemas."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sourcebook.subgraph import ApiSubgraph, Node
from sourcebook_typescript.plugin import render

from tests.tools.tsc import check

# What is drawn is collected, and all of it is checked by one run of the compiler.
COLLECTING = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))

PLAIN_NAMES = ("A", "B", "C", "D", "E")
ODD_NAMES = (
    "Record", "Array", "Uint8Array", "string", "class", "await", "default", "2024", "a.b", "a-b",
    "a_b", "ABase", "A_", "A", "B", "Größe", "型", "été", "\U0001f600", "", "_", "constructor",
    "__proto__", "toString", "undefined", "null", "C",
)  # fmt: skip
ODD_TEXTS = (
    "*/ export const x: never = 1; /*", "// @ts-nocheck", "@ts-ignore", " * @ts-expect-error",
    "/** @deprecated */", "line\nline\r\nline\u2028line", "`${1}`", '"', "'", "\\", "\\u002a/",
    "*\\/", "\0", "\ud800", "\u202e", "@param {never} x", "<reference path='x' />", "/", "*", "**/",
)  # fmt: skip

texts = st.sampled_from(ODD_TEXTS) | st.text(max_size=12)
keys = st.sampled_from(["a", "b", "kind", "1", "in-cents", "it's", *ODD_TEXTS]) | st.text(
    max_size=4
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | texts
    | st.sampled_from(["a", "A", "B", 1, 2])
)
values = st.recursive(
    scalars, lambda v: st.lists(v, max_size=2) | st.dictionaries(keys, v, max_size=2), max_leaves=4
)
kinds = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])


def schemas(names: Sequence[str]) -> st.SearchStrategy[Any]:
    """Return schemas with references to components of these names, and odd words in them."""
    refs = st.sampled_from(names).map(
        lambda name: {"$ref": f"#/components/schemas/{pointed(name)}"}
    )
    discriminators = st.fixed_dictionaries(
        {"propertyName": st.sampled_from(["kind", "a", "it's"])},
        optional={
            "mapping": st.dictionaries(
                texts, st.sampled_from([*names, "#/components/schemas/A"]), max_size=3
            )
        },
    )

    def larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        several = st.lists(inner | refs, min_size=1, max_size=3)
        return st.fixed_dictionaries(
            {},
            optional={
                "$ref": st.sampled_from(
                    [f"#/components/schemas/{pointed(each)}" for each in names]
                ),
                "type": kinds | st.lists(kinds, min_size=1, max_size=3, unique=True),
                "properties": st.dictionaries(keys, inner, max_size=3),
                "required": st.lists(keys, max_size=2),
                "additionalProperties": inner,
                "patternProperties": st.dictionaries(st.just("^x-"), inner, max_size=1),
                "unevaluatedProperties": inner,
                "items": inner,
                "prefixItems": st.lists(inner, max_size=3),
                "minItems": st.integers(0, 4),
                "maxItems": st.integers(0, 4),
                "allOf": several,
                "oneOf": several,
                "anyOf": several,
                "not": inner,
                "if": inner,
                "then": inner,
                "discriminator": discriminators,
                "readOnly": st.booleans(),
                "deprecated": st.booleans(),
                "description": texts,
                "default": scalars,
            },
        )

    leaves = (
        st.booleans()
        | refs
        | st.fixed_dictionaries({"type": kinds, "description": texts, "format": texts})
        | st.fixed_dictionaries({"enum": st.lists(values, min_size=1, max_size=3)})
        | st.fixed_dictionaries({"const": values})
        | st.just({"allOf": [{"$ref": f"#/components/schemas/{pointed(names[0])}"}, {}]})
    )
    return st.recursive(leaves, larger, max_leaves=6)


def pointed(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


@st.composite
def descriptions(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a description whose parts name each other in every way."""
    every = st.lists(st.sampled_from(ODD_NAMES), min_size=1, max_size=5, unique=True)
    names = draw(every | st.just(list(PLAIN_NAMES)))
    one = schemas(names)
    operation = st.fixed_dictionaries(
        {
            "responses": st.dictionaries(
                st.sampled_from(["200", "4XX", "default"]),
                st.fixed_dictionaries(
                    {"description": texts},
                    optional={
                        "content": st.dictionaries(
                            texts, st.fixed_dictionaries({"schema": one}), max_size=2
                        )
                    },
                ),
                max_size=2,
            )
        },
        optional={
            "operationId": st.sampled_from(names) | texts,
            "summary": texts,
            "parameters": st.lists(
                st.fixed_dictionaries(
                    {
                        "name": keys,
                        "in": st.sampled_from(["query", "path", "header", "cookie"]),
                        "schema": one,
                    },
                    optional={"required": st.booleans(), "description": texts},
                ),
                max_size=3,
            ),
        },
    )
    paths = st.dictionaries(texts, st.dictionaries(st.just("get"), operation), max_size=2)
    return {
        "openapi": "3.1.0",
        "paths": draw(paths),
        "webhooks": draw(paths),
        "components": {"schemas": {name: draw(one) for name in names}},
    }


def module_of(description: Mapping[str, Any], *, source: str = "a.yaml", docs: bool = True) -> str:
    schemas = description["components"]["schemas"]
    described = {
        f"/components/schemas/{pointed(name)}": Node(
            f"{source}#Type:{name}", "type", "", source=source, first_line=1
        )
        for name in schemas
    }
    graph = ApiSubgraph((), (), description=description, described=described)
    return render(graph, {"docs": docs}).encode("utf-8").decode()


def test_declarations_of_any_schemas_compile_alone() -> None:
    files: dict[str, str] = {}

    @COLLECTING
    @given(descriptions(), texts, st.booleans())
    def collect(description: dict[str, Any], source: str, docs: bool) -> None:
        files[f"{len(files)}.ts"] = module_of(description, source=source or "a", docs=docs)

    collect()
    for exact in (False, True):
        wrong = check(files, exactOptionalPropertyTypes=exact)
        assert wrong == [], [(each, files[each.file]) for each in wrong[:1]]


Pair = tuple[dict[str, Any], Any]
"""A schema and a value that fits it."""

SIMPLE: tuple[Pair, ...] = (
    ({"type": "string", "format": "date"}, "2024-02-30"), ({"type": "integer"}, -3), ({}, []),
    ({"type": ["boolean", "null"]}, None), ({"enum": ["a", 1, None]}, 1), ({"const": "c"}, "c"),
    ({"type": "object"}, {"x": 1}), ({"type": "array"}, [1, "x"]),
    ({"type": "string", "enum": ["a", "b"]}, "b"), ({"not": {"type": "null"}}, True),
    ({"const": [{"d": 1}]}, [{"d": 1}]),
)  # fmt: skip


@define
class Drawing:
    """Pairs of schemas and values; some of the schemas become components."""

    draw: st.DrawFn
    components: dict[str, Any] = field(factory=dict)

    def pair(self, depth: int = 0) -> Pair:
        """Draw any pair."""
        ways = [self.record, self.places, self.items, self.choice, self.merged, self.tagged]
        way = self.draw(st.integers(0, 8))
        if depth > 3 or way >= len(ways):
            return self.draw(st.sampled_from(SIMPLE))
        schema, value = ways[way](depth)
        return (self.named(schema) if self.draw(st.booleans()) else schema), value

    def named(self, schema: Any) -> dict[str, Any]:
        """Return a reference to a new component."""
        name = f"N{len(self.components)}"
        self.components[name] = schema
        return {"$ref": f"#/components/schemas/{name}"}

    def pairs(self, depth: int, least: int = 0) -> list[Pair]:
        return [self.pair(depth + 1) for _ in range(self.draw(st.integers(least, 3)))]

    def record(self, depth: int, prefix: str = "p") -> Pair:
        properties: dict[str, Any] = {}
        required: list[str] = []
        value: dict[str, Any] = {}
        for n, (schema, held) in enumerate(self.pairs(depth)):
            name = f"{prefix}{n}"
            properties[name] = schema
            how = self.draw(st.sampled_from(["required", "there", "absent"]))
            required += [name] if how == "required" else []
            value |= {name: held} if how != "absent" else {}
        return {"type": "object", "properties": properties, "required": required}, value

    def places(self, depth: int) -> Pair:
        pairs = self.pairs(depth, 1)
        least = self.draw(st.integers(0, len(pairs)))
        length = self.draw(st.integers(least, len(pairs)))
        schema = {
            "type": "array",
            "prefixItems": [schema for schema, _ in pairs],
            "items": self.draw(st.booleans()),
            "minItems": least,
        }
        return schema, [held for _, held in pairs[:length]]

    def items(self, depth: int) -> Pair:
        pairs = self.pairs(depth, 1)
        any_of = {"anyOf": [schema for schema, _ in pairs]}
        if self.draw(st.booleans()):
            return {"type": "array", "items": any_of}, [held for _, held in pairs]
        schema, value = self.record(depth)
        rest = {f"other{n}": held for n, (_, held) in enumerate(pairs)}
        return schema | {"additionalProperties": any_of}, value | rest

    def choice(self, depth: int) -> Pair:
        pairs = self.pairs(depth, 1)
        return {"oneOf": [schema for schema, _ in pairs]}, self.draw(st.sampled_from(pairs))[1]

    def merged(self, depth: int) -> Pair:
        """Draw an allOf whose demands stand in another branch than its properties."""
        first, one = self.record(depth, "first")
        second, two = self.record(depth, "second")
        demands = {"required": [*first.pop("required"), *second.pop("required")]}
        branches = [self.named(first) if self.draw(st.booleans()) else first, second]
        beside = self.draw(st.booleans())
        schema = {"allOf": branches if beside else [*branches, demands]}
        return schema | (demands if beside else {}), one | two

    def tagged(self, depth: int) -> Pair:
        """Draw a union with a tag, of types or of the children of a base."""
        inherited = self.draw(st.booleans())
        base, shared = self.record(depth, "base")
        base["properties"]["tag"] = {"type": "string"}
        discriminator: dict[str, Any] = {"propertyName": "tag", "mapping": {}}
        whole = self.named(base)
        refs, values = [], []
        for n in range(2):
            child, own = self.record(depth, f"child{n}_")
            refs.append(self.named({"allOf": [whole, child]}))
            discriminator["mapping"][f"tag {n}"] = refs[-1]["$ref"]
            values.append(shared | own | {"tag": f"tag {n}"})
        value = self.draw(st.sampled_from(values))
        if inherited:
            base["discriminator"] = discriminator
            return whole, value
        return {"oneOf": refs, "discriminator": discriminator}, value


@st.composite
def drawings(draw: st.DrawFn) -> tuple[dict[str, Any], Any]:
    """Draw components and a value of the one that is called `Whole`."""
    drawing = Drawing(draw)
    schema, value = drawing.pair()
    return {**drawing.components, "Whole": schema}, value


def test_a_value_that_fits_a_schema_fits_its_type() -> None:
    files: dict[str, str] = {}

    @COLLECTING
    @given(drawings())
    def collect(drawn: tuple[dict[str, Any], Any]) -> None:
        components, value = drawn
        n = len(files)
        files[f"{n}/types.ts"] = module_of({"components": {"schemas": components}})
        files[f"{n}/use.ts"] = (
            f'import type {{ Whole }} from "./types";\n'
            f"export const value: Whole = {json.dumps(value)};"
        )

    collect()
    for exact in (False, True):
        wrong = check(files, exactOptionalPropertyTypes=exact)
        assert wrong == [], [
            (each, files[each.file], files[each.file.replace("use", "types")]) for each in wrong[:1]
        ]


def test_every_letter_that_may_stand_in_an_identifier_may() -> None:
    from sourcebook_typescript.text import make_identifier

    letters = [
        chr(code) for code in range(0x80, 0x10000) if make_identifier(chr(code)) == chr(code)
    ]
    assert len(letters) > 40_000
    lines = [f"export type {a}{b} = 1;" for a, b in zip(letters, reversed(letters), strict=True)]
    assert check({"letters.ts": "\n".join(lines)}) == []
