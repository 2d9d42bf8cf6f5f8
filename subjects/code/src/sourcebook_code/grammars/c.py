"""C, and what C++ shares with it."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.c_mend import mend, repair
from sourcebook_code.grammars.nodes import bytes_of, child_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

KINDS = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "class_specifier": "class",
}

OUTSIDE = frozenset(
    {
        "translation_unit",
        "preproc_if",
        "preproc_ifdef",
        "preproc_else",
        "preproc_elif",
        "preproc_elifdef",
        "declaration_list",
        "linkage_specification",
    }
)
"""What a declaration stands in that is of no function."""

_DECLARATORS = frozenset(
    {
        "function_declarator",
        "pointer_declarator",
        "array_declarator",
        "init_declarator",
        "parenthesized_declarator",
        "reference_declarator",
        "attributed_declarator",
    }
)
_PLAIN = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_LAST = re.compile(r"[^\W\d]\w*$")
_KEYWORDS = frozenset({"if", "for", "while", "switch", "return", "do", "else", "sizeof", "typedef"})


def declared(node: "Node | None") -> tuple["Node | None", bool]:
    """Return the node of the name that a declarator is about, and whether it is a function's.

    A pointer to a function is none; a function that returns one is.
    """
    function = False
    while node is not None and node.type in _DECLARATORS:
        if node.type != "parenthesized_declarator":
            function = node.type == "function_declarator"
        inner = node.child_by_field_name("declarator")
        if inner is None:  # within brackets and references it is no field
            inner = next((one for one in node.named_children if "attrib" not in one.type), None)
        node = inner
    return node, function


def returns_body(node: "Node") -> bool:
    """Tell whether a function seems to return a type with its body: the text is broken there."""
    kind = node.child_by_field_name("type")
    return kind is not None and kind.child_by_field_name("body") is not None


def definition(node: "Node") -> Iterator[Found]:
    """Find a function with its body."""
    name, function = declared(node.child_by_field_name("declarator"))
    if name is None or not function or name.type != "identifier" or text_of(name) in _KEYWORDS:
        return
    if returns_body(node):
        return
    yield Found("function", text_of(name), node, at=name, body=node.child_by_field_name("body"))


def _declaration(node: "Node") -> Iterator[Found]:
    names = [declared(one) for one in node.children_by_field_name("declarator")]
    if any(function for _, function in names):
        if in_the_open(node):
            yield from prototypes(node, names)
    else:
        yield from constants(node)


def in_the_open(node: "Node") -> bool:
    """Tell whether a node stands in no function."""
    return node.parent is not None and node.parent.type in OUTSIDE


def prototypes(node: "Node", names: list[tuple["Node | None", bool]]) -> Iterator[Found]:
    """Find the functions that a declaration announces."""
    for name, function in names:
        if function and name is not None and name.type == "identifier":
            yield Found("function", text_of(name), node, at=name, prototype=True)


def constants(node: "Node") -> Iterator[Found]:
    """Find the constants that a declaration outside of functions gives values to."""
    if not any(
        one.type == "type_qualifier" and one.text in (b"const", b"constexpr", b"constinit")
        for one in node.named_children
    ):
        return
    declarators = node.children_by_field_name("declarator")
    if not declarators or not in_the_open(node):
        return
    for one in declarators:
        name, _ = declared(one)
        if one.type == "init_declarator" and name is not None and name.type == "identifier":
            whole = node if len(declarators) == 1 else one
            yield Found("constant", text_of(name), whole, at=name, start=node, documented=True)


def specifier(node: "Node") -> Iterator[Found]:
    """Find a struct, union, enum or class with a body, by its tag or else its typedef's name."""
    body = node.child_by_field_name("body")
    if body is None:
        return
    around, name = node.parent, node.child_by_field_name("name")
    if around is not None and around.type == "type_definition":
        at = name or _first_name(around)
        if at is not None:
            # Other names that the typedef gives are no part of the body.
            names = around.children_by_field_name("declarator")
            alone = len(names) == 1 and bytes_of(names[0]) == bytes_of(at)
            end = around if alone else None
            yield Found(
                KINDS[node.type],
                text_of(at),
                node,
                at=at,
                start=around,
                head=around,
                end=end,
                body=body,
            )
    elif name is not None:
        start = around if around is not None and around.type == "declaration" else None
        yield Found(KINDS[node.type], text_of(name), node, at=name, start=start, body=body)


def _first_name(node: "Node") -> "Node | None":
    for one in node.children_by_field_name("declarator"):
        if one.type == "type_identifier":
            return one
    return None


def typedef(node: "Node") -> Iterator[Found]:
    """Find the names that a typedef gives; those of a body in it wait until that has ended."""
    kind = node.child_by_field_name("type")
    body = kind.child_by_field_name("body") if kind is not None else None
    taken = kind.child_by_field_name("name") if kind is not None else None
    if body is not None and taken is None:
        taken = _first_name(node)
    declarators = node.children_by_field_name("declarator")
    for one in declarators:
        name, _ = declared(one)
        if name is None or name.type not in ("type_identifier", "primitive_type"):
            continue
        if body is None:
            whole = node if len(declarators) == 1 else one
            yield Found("type", text_of(name), whole, at=name)
        elif taken is None or bytes_of(name) != bytes_of(taken):
            yield Found("type", text_of(name), one, at=name)


def macro(node: "Node") -> Iterator[Found]:
    """Find a macro with parameters, or with a value and a doc."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if node.type == "preproc_def" and value is None:
        return
    plain = node.type == "preproc_def"
    body = None if plain else value
    yield Found("macro", text_of(name), node, at=name, body=body, documented=plain)


def plain_call(text: str) -> str:
    """Return a called name dotted, with a dot before it if what it belongs to has no name."""
    text = "".join(text.split()).replace("->", ".").replace("::", ".").removeprefix(".")
    if _PLAIN.fullmatch(text):
        return text
    last = _LAST.search(text)
    return f".{last[0]}" if last else ""


def _call(node: "Node") -> str:
    called = node.child_by_field_name("function")
    if called is None or called.type not in ("identifier", "field_expression"):
        return ""
    return plain_call(text_of(called))


def include(node: "Node") -> Iterator[Import]:
    """Find the file that is included."""
    path = child_of(node, "string_literal", "system_lib_string")
    if path is not None:
        yield Import(text_of(path).strip('"<>'), node.start_point[0] + 1)


DECLARE = {
    "struct_specifier": specifier,
    "union_specifier": specifier,
    "enum_specifier": specifier,
    "type_definition": typedef,
    "preproc_def": macro,
    "preproc_function_def": macro,
}

GRAMMAR = Grammar(
    declare={**DECLARE, "function_definition": definition, "declaration": _declaration},
    calls={"call_expression": _call},
    imports={"preproc_include": include},
    mend=mend,
    repair=repair,
    pieces=False,
)
