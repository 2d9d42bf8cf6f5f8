"""Python."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import child_of, dotted, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_ACCESSORS = ("setter", "getter", "deleter")


def _definition(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    around = node.parent
    start = around if around is not None and around.type == "decorated_definition" else None
    docstring = _docstring(body)
    yield Found(
        _kind(node, start),
        text_of(name),
        node,
        start=start,
        body=body,
        doc=None if docstring is None else _unquoted(text_of(docstring)),
        doc_node=docstring,
        insert=body,
    )


def _kind(node: "Node", decorated: "Node | None") -> str:
    if node.type == "class_definition":
        return "class"
    for one in decorated.named_children if decorated is not None else ():
        if one.type == "decorator":
            name = dotted(one)[1:].partition("(")[0]
            last = name.rpartition(".")[2]
            if last in ("property", "cached_property") or ("." in name and last in _ACCESSORS):
                return "property"
    return "function"


def _docstring(body: "Node | None") -> "Node | None":
    first = body.named_children[0] if body is not None and body.named_children else None
    if first is None or first.type != "expression_statement":
        return None
    return child_of(first, "string", "concatenated_string")


def _unquoted(text: str) -> str:
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text.strip("\"'rRuUbB ")
    return value if isinstance(value, str) else ""


def _lambda(node: "Node") -> Iterator[Found]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "identifier" or right.type != "lambda":
        return
    yield Found("function", text_of(left), node)


def _call(node: "Node") -> str:
    called = node.child_by_field_name("function")
    if called is None or called.type not in ("identifier", "attribute"):
        return ""
    name = dotted(called)
    # Of `make().run` and `a[0].run` only the last part is a name.
    last = text_of(called.child_by_field_name("attribute"))
    if name == f"super().{last}":
        return f"super.{last}"
    return name if name.replace(".", "").isidentifier() else f".{last}"


def _import(node: "Node") -> Iterator[Import]:
    line = node.start_point[0] + 1
    module = dotted(node.child_by_field_name("module_name"))
    if node.type == "future_import_statement":
        return
    wildcard = child_of(node, "wildcard_import")
    if wildcard is not None:
        yield Import(module, line, "*")
    for one in node.children_by_field_name("name"):
        alias = ""
        if one.type == "aliased_import":
            alias = text_of(one.child_by_field_name("alias"))
            named = dotted(one.child_by_field_name("name"))
        else:
            named = dotted(one)
        yield Import(module, line, named, alias) if module else Import(named, line, "", alias)


GRAMMAR = Grammar(
    declare={
        "function_definition": _definition,
        "class_definition": _definition,
        "assignment": _lambda,
    },
    calls={"call": _call},
    imports={"import_statement": _import, "import_from_statement": _import},
    line_marks=("#",),
)
