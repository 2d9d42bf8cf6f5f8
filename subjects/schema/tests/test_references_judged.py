"""References within a file lead where the library `referencing` says that they lead."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

from hypothesis import given
from hypothesis import strategies as st
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012
from sourcebook_schema.draft import Draft
from sourcebook_schema.facts import split_uri
from sourcebook_schema.reading.tree import read_tree
from sourcebook_schema.references import References
from sourcebook_schema.texts import escape

IDS = ["a", "b/c", "/d", "../a", "https://other.test/a", "https://other.test/b/", "a#"]
NAMES = ["a", "b", "x y", "p/q", "m~n", "50%", "é", "$id", "items", "0", "default"]
ANCHORS = ["a", "top", "b"]

VALUES = st.sampled_from([
    {"$anchor": "a"}, {"$id": "a", "$anchor": "top"}, [{"$id": "b/c"}], {"items": {}}, 1,
])  # fmt: skip
"""What is no schema, however it looks."""


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    listed = st.lists(inner, min_size=1, max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "$id": st.sampled_from(IDS),
            "$anchor": st.sampled_from(ANCHORS),
            "$defs": named,
            "properties": named,
            "allOf": listed,
            "prefixItems": listed,
            "items": inner,
            "not": inner,
            "const": VALUES,
            "examples": st.lists(VALUES, max_size=2),
            "default": VALUES,
        },
    )


ROOT_IDS = st.sampled_from([{}, {"$id": "https://made.test/x/root"}, {"$id": IDS[4]}])

SCHEMAS = st.builds(
    lambda schema, name: {**schema, **name},
    _schemas(st.recursive(st.just({}) | st.booleans(), _schemas, max_leaves=12)),
    ROOT_IDS,
)

PARTS = st.sampled_from([
    "$defs", "properties", "allOf", "items", "not", "0", "1", "const",
    *(escape(name) for name in NAMES), "p%2Fq", "x%20y", "50%25", "m%7E0n",
])  # fmt: skip
FRAGMENTS = (
    st.just("")
    | st.sampled_from(ANCHORS)
    | st.lists(PARTS, max_size=4).map(lambda parts: "".join(f"/{part}" for part in parts))
)
REFERENCES = st.builds(
    lambda base, fragment: f"{base}#{fragment}" if fragment or not base else base,
    st.sampled_from(["", "", "", *IDS[:-1], "c", "b/a"]),
    FRAGMENTS,
)


def parts(schema: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    """Yield the schemas right inside one, each with its pointer."""
    for keyword in ("$defs", "properties"):
        for name, part in schema.get(keyword, {}).items():
            yield f"{pointer}/{keyword}/{escape(name)}", part
    for keyword in ("allOf", "prefixItems"):
        for at, part in enumerate(schema.get(keyword, ())):
            yield f"{pointer}/{keyword}/{at}", part
    for keyword in ("items", "not"):
        if keyword in schema:
            yield f"{pointer}/{keyword}", schema[keyword]


def distinct(schema: Any, base: str, taken: set[tuple[str, str]]) -> Any:
    """Return a schema without names that another one has: nobody says which of two is meant.

    An `$id` that is relative to nothing goes as well: the judge looks anchors up by its text.
    """
    if isinstance(schema, dict):
        if "$id" in schema:
            name = urljoin(base, schema["$id"]).rstrip("#")
            if (name, "") in taken or not urlsplit(name).scheme:
                del schema["$id"]
            else:
                base = name
                taken.add((base, ""))
        if (anchor := (base, schema.get("$anchor", ""))) in taken:
            schema.pop("$anchor", None)
        elif anchor[1]:
            taken.add(anchor)
        for _, part in parts(schema, ""):
            distinct(part, base, taken)
    return schema


def walk(schema: Any, pointer: str, ours: References, theirs: Any) -> Iterator[tuple[str, Any]]:
    """Yield each schema's pointer and the judge there; `ours` is at the same place meanwhile."""
    if isinstance(schema, dict):
        before = ours.enter(schema, pointer)
        if pointer:
            theirs = theirs.in_subresource(DRAFT202012.create_resource(schema))
        yield pointer, theirs
        for place, part in parts(schema, pointer):
            yield from walk(part, place, ours, theirs)
        ours.leave(before)


@given(SCHEMAS, st.lists(REFERENCES, min_size=1, max_size=5))
def test_what_the_judge_finds_is_found(made: Any, refs: list[str]) -> None:
    document = distinct(made, "", set())
    text = json.dumps(document)
    draft = Draft("piece.json", read_tree(text, "piece.json").root)
    ours = References(draft, text, {}, is_description=False)
    registry: Any = Registry().with_resource("", DRAFT202012.create_resource(document)).crawl()
    theirs = registry.resolver(document.get("$id", "").rstrip("#"))
    for pointer, judge in walk(document, "", ours, theirs):
        for ref in refs:
            try:
                known = judge.lookup(ref).contents
            except (Unresolvable, ValueError, TypeError):
                continue
            if isinstance(known, dict | bool):
                uri = ours.peek(ref)
                assert uri, (ref, pointer)
                assert draft.at(split_uri(uri)[1]) == known, (ref, pointer)
