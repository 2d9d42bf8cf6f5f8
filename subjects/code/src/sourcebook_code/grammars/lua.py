"""Lua."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import call_name, child_of, first_of, text_of, unquoted

if TYPE_CHECKING:
    from tree_sitter import Node

_NAME_BYTES = 300
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]+")
_SCALARS = ("number", "string", "true", "false")
_KEY = re.compile(r"""\[\s*(?:"([^"\n]*)"|'([^'\n]*)')\s*\]""")


def _path(node: "Node | None") -> tuple[str, ...]:
    """Return the parts of `M.a.b:c`; of `t[i].x` none."""
    if node is None or node.end_byte - node.start_byte > _NAME_BYTES:
        return ()
    text = _KEY.sub(lambda key: f".{key[1] or key[2] or ''}", text_of(node))
    if "[" in text or "(" in text:
        return ()
    return tuple(part.strip() for part in text.replace(":", ".").split("."))


def _function(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    path = _path(name)
    if name is None or not path:
        return
    kind = "method" if name.type == "method_index_expression" else "function"
    body = node.child_by_field_name("body")
    yield Found(kind, path[-1], node, at=name, body=body, under=path[:-1])


def _assignment(node: "Node") -> Iterator[Found]:
    around = node.parent
    local = around is not None and around.type == "variable_declaration"
    whole = around if around is not None and local else node
    names, values = child_of(node, "variable_list"), child_of(node, "expression_list")
    if names is None or values is None:
        return
    single = len(values.named_children) == 1
    pairs = zip(names.children_by_field_name("name"), values.named_children, strict=False)
    for name, value in pairs:
        path = _path(name)
        if not path:
            continue
        if value.type == "function_definition":
            body = value.child_by_field_name("body")
            held = whole if single else value
            yield Found("function", path[-1], held, at=name, body=body, under=path[:-1])
        elif value.type == "table_constructor" or _is_class(value):
            yield Found("", "", value, scope=path)
        elif value.type in _SCALARS and len(path) == 1 and single and _CONSTANT.fullmatch(path[0]):
            top = whole.parent is not None and whole.parent.type == "chunk"
            if top and value.start_point[0] == value.end_point[0]:
                yield Found("constant", path[0], whole, scope=(), documented=True)


def _is_class(value: "Node") -> bool:
    """Whether it is `setmetatable({...}, {...})`, whose tables are of the name."""
    if (
        value.type != "function_call"
        or text_of(value.child_by_field_name("name")) != "setmetatable"
    ):
        return False
    first = _first_argument(value)
    return first is not None and first.type == "table_constructor"


def _first_argument(node: "Node") -> "Node | None":
    arguments = node.child_by_field_name("arguments")
    return first_of(arguments)


def _metatable(node: "Node") -> Iterator[Found]:
    """`setmetatable(T, {...})`: what the table holds is of `T`."""
    if text_of(node.child_by_field_name("name")) == "setmetatable":
        first = _first_argument(node)
        if first is not None and first.type in ("identifier", "dot_index_expression"):
            yield Found("", "", node, scope=_path(first))


def _field(node: "Node") -> Iterator[Found]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None or name.type not in ("identifier", "string"):
        return
    title = unquoted(text_of(name)) if name.type == "string" else text_of(name)
    if value.type == "function_definition":
        body = value.child_by_field_name("body")
        yield Found("function", title, node, at=name, body=body)
    elif value.type == "table_constructor":
        yield Found("", "", node, scope=(title,))


def _call(node: "Node") -> str:
    name = node.child_by_field_name("name")
    if name is None:
        return ""
    if name.type == "identifier":
        text = text_of(name)
        return "" if text == "require" else text
    last = name.child_by_field_name("method") or name.child_by_field_name("field")
    if name.type not in ("dot_index_expression", "method_index_expression"):
        return ""
    return call_name(name, last, ":")


def _import(node: "Node") -> Iterator[Import]:
    name = node.child_by_field_name("name")
    if name is None or name.end_byte - name.start_byte != 7 or text_of(name) != "require":
        return
    module = _first_argument(node)
    if module is not None and module.type == "string":
        alias = _bound_to(node)
        yield Import(unquoted(text_of(module)), node.start_point[0] + 1, "", alias)


def _bound_to(node: "Node") -> str:
    """Return the name that `local name = require "x"` gives."""
    values = node.parent
    whole = values.parent if values is not None and values.type == "expression_list" else None
    if whole is None or whole.type != "assignment_statement":
        return ""
    names = child_of(whole, "variable_list")
    name = first_of(names)
    return text_of(name) if name is not None and name.type == "identifier" else ""


GRAMMAR = Grammar(
    declare={
        "function_declaration": _function,
        "assignment_statement": _assignment,
        "function_call": _metatable,
        "field": _field,
    },
    calls={"function_call": _call},
    imports={"function_call": _import},
    line_marks=("---", "--"),
)
