"""TypeScript: what it adds to JavaScript."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars import javascript as js
from sourcebook_code.grammars.nodes import child_of, text_of, unquoted

if TYPE_CHECKING:
    from tree_sitter import Node


_GAP = rb"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*"
_VARIANCE = re.compile(rb"([<,]" + _GAP + rb"(?:const\s+)?)(in\s+out|in|out)(?=\s+[A-Za-z_$])")
_IMPORTED_TYPE = re.compile(
    rb"\bimport\(\s*(?:\"[^\"\n]*\"|'[^'\n]*')\s*\)"
    rb"(?=\s*\.\s*(?!then\b|catch\b|finally\b)[\w$]+(?:\.[\w$]+)*\s*[<\[])"
)
_NEXT_SIGNATURE = re.compile(
    rb"(?<=[\w>\])])([ \t\r]*\n" + _GAP + rb")[ \t](?=<\s*(?:\n|\w+\s+extends\b))"
)


def _repair(data: bytes) -> bytes:
    """Return the text without what the grammar does not know: marks of variance on type parameters,
    type arguments of a type that is imported where it is used, and signatures that begin with type
    parameters on the line after another."""
    data = _VARIANCE.sub(lambda found: found[1] + _blank(found[2]), data)
    data = _IMPORTED_TYPE.sub(lambda found: b"i" + b"_" * (len(found[0]) - 1), data)
    data = _NEXT_SIGNATURE.sub(rb"\1;", data)
    return js.repair(data)


def _blank(text: bytes) -> bytes:
    return bytes(one if one in b"\n\r" else 32 for one in text)


def _interface(node: "Node") -> Iterator[Found]:
    return js.named(node, "interface")


def _type(node: "Node") -> Iterator[Found]:
    return js.named(node, "type")


def _enum(node: "Node") -> Iterator[Found]:
    return js.named(node, "enum")


def _namespace(node: "Node") -> Iterator[Found]:
    """Yield a `namespace A.B` or a `declare module "x"`; `declare global` adds no name."""
    name = node.child_by_field_name("name")
    if name is None:
        return
    parts: tuple[str, ...] = (unquoted(text_of(name)),)
    if name.type != "string":
        parts = tuple("".join(text_of(name).split()).split("."))
    start = js.outermost(node)
    around = start.parent
    if start is node and around is not None and around.type == "expression_statement":
        start = js.outermost(around)  # a namespace without export
    body = node.child_by_field_name("body")
    yield Found(
        "namespace", parts[-1], node, name, start, js.head_of(start), body=body, under=parts[:-1]
    )


def _signature(node: "Node") -> Iterator[Found]:
    """Yield the head of an overload, or a function that is made elsewhere."""
    for found in js.named(node, "function"):
        yield found._replace(prototype=True)


def _member_signature(node: "Node") -> Iterator[Found]:
    """Yield an abstract method, one of an interface, or the head of an overload."""
    key = node.child_by_field_name("name")
    name = js.key_name(key)
    if not name:
        return
    kind = "constructor" if name == "constructor" else "method"
    if any(child.type in ("get", "set") for child in node.children):
        kind = "property"
    yield Found(
        kind, name, node, at=key, start=js.decorated(node), head=js.head_of(node), prototype=True
    )


def _imported(node: "Node") -> Iterator[Import]:
    clause = child_of(node, "import_require_clause")
    if clause is None:
        yield from js.imported(node)
        return
    module = unquoted(text_of(clause.child_by_field_name("source")))
    alias = text_of(child_of(clause, "identifier"))
    yield Import(module, node.start_point[0] + 1, "", alias)


GRAMMAR = Grammar(
    declare={
        **js.DECLARE,
        "public_field_definition": js.member,
        "abstract_class_declaration": js.class_,
        "interface_declaration": _interface,
        "type_alias_declaration": _type,
        "enum_declaration": _enum,
        "internal_module": _namespace,
        "module": _namespace,
        "function_signature": _signature,
        "method_signature": _member_signature,
        "abstract_method_signature": _member_signature,
    },
    calls=js.CALLS,
    imports={**js.IMPORTS, "import_statement": _imported},
    comments=("comment", "html_comment", "hash_bang_line"),
    line_marks=("///", "//!", "//", "#!"),
    patterns={**js.PATTERNS, "module": "(module name: (_)) @node"},
    repair=_repair,
)
