"""Python."""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import (
    bare,
    bytes_of,
    call_name,
    child_of,
    dotted,
    first_of,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_ACCESSORS = ("setter", "getter", "deleter")
_CLASS_MAKERS = ("namedtuple", "NamedTuple", "TypedDict", "make_dataclass", "new_class")
_ENUM_MAKERS = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")
_CONSTANT = re.compile(r"_{0,2}[A-Z][A-Z0-9_]+")
_BLOCKS = ("block", "if_statement", "else_clause", "elif_clause", "try_statement", "except_clause",
           "finally_clause", "with_statement")  # fmt: skip
"""What may stand between a module and an assignment that still is of the module."""


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
            if last.endswith("property") or ("." in name and last in _ACCESSORS):
                return "property"
    return "function"


def _docstring(body: "Node | None") -> "Node | None":
    first = first_of(body)
    while first is not None and first.type == "comment":
        first = first.next_named_sibling
    if first is None or first.type != "expression_statement":
        return None
    text = first_of(first)
    while text is not None and text.type == "parenthesized_expression":
        text = first_of(text)
    if text is None or text.type not in ("string", "concatenated_string"):
        return None
    mark = text_of(text)[:3].partition('"')[0].partition("'")[0].lower()
    # A text of bytes or with expressions in it documents nothing.
    return None if "b" in mark or "f" in mark else text


def _unquoted(text: str) -> str:
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return text.strip("\"'rRuUbB ")
    return value if isinstance(value, str) else ""


def _assignment(node: "Node") -> Iterator[Found]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    right = bare(right)
    if left.type == "pattern_list" and right.type == "expression_list":
        for name, value in zip(left.named_children, right.named_children, strict=False):
            literal = bare(value)
            if name.type == "identifier" and literal.type == "lambda":
                yield _lambda(text_of(name), value, literal, name)
    elif left.type == "attribute" and right.type == "lambda":
        path = tuple(dotted(left).split("."))
        if "".join(path).isidentifier() and _of_module(node):
            yield _lambda(path[-1], node, right, left)._replace(under=path[:-1])
    elif left.type == "identifier":
        yield from _bound(text_of(left), node, right)


def _lambda(name: str, node: "Node", value: "Node", at: "Node") -> Found:
    return Found(
        "function", name, node, at=at, body=value.child_by_field_name("body"), literal=True
    )


def _bound(name: str, node: "Node", value: "Node") -> Iterator[Found]:
    """What `name = value` declares: a function, a class, a type, a constant or nothing."""
    if value.type == "lambda":
        yield _lambda(name, node, value, node)
        return
    typed = text_of(node.child_by_field_name("type"))
    made = dotted(value.child_by_field_name("function")) if value.type == "call" else ""
    maker = made.rpartition(".")[2]
    if typed.rpartition(".")[2] == "TypeAlias" or maker in ("NewType", "TypeAliasType"):
        yield Found("type", name, node, scope=())
    elif maker in _CLASS_MAKERS or (maker in _ENUM_MAKERS and _takes_name(value)):
        yield Found("class", name, node)
    elif maker == "property" and _takes_lambda(value):
        yield Found("property", name, node, scope=())
    elif _CONSTANT.fullmatch(name) and not _is_text(value) and _of_module(node):
        # Plain numbers and texts are found through their file, if nobody explains them.
        yield Found("constant", name, node, scope=(), documented=value.type != "call")


def _takes_name(call: "Node") -> bool:
    arguments = call.child_by_field_name("arguments")
    first = first_of(arguments)
    return first is not None and first.type == "string"


def _takes_lambda(call: "Node") -> bool:
    arguments = call.child_by_field_name("arguments")
    return arguments is not None and child_of(arguments, "lambda") is not None


def _is_text(value: "Node") -> bool:
    """Whether it is a text of several lines, which nobody looks for as a constant."""
    kind = value.type in ("string", "concatenated_string")
    return kind and value.start_point[0] != value.end_point[0]


def _of_module(node: "Node") -> bool:
    around = node.parent
    if around is None or around.type != "expression_statement":
        return False
    for _ in range(12):
        around = around.parent
        if around is None or around.type not in _BLOCKS:
            break
    return around is not None and around.type == "module"


def _walrus(node: "Node") -> Iterator[Found]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    literal = bare(value) if value is not None else None
    if name is not None and literal is not None and literal.type == "lambda":
        yield _lambda(text_of(name), node, literal, node)


def _type_alias(node: "Node") -> Iterator[Found]:
    left = node.child_by_field_name("left")
    name = text_of(left).partition("[")[0].strip()
    if name:
        yield Found("type", name, node, scope=())


def _call(node: "Node") -> str:
    called = node.child_by_field_name("function")
    if called is not None and called.type == "list_splat":  # `print(x, *names.split())`
        called = first_of(called)
    if called is None or called.type not in ("identifier", "attribute"):
        return ""
    # Of `make().run` and `a[0].run` only the last part is a name.
    last = called.child_by_field_name("attribute")
    on = called.child_by_field_name("object")
    if on is not None and on.type == "call" and bytes_of(on) == b"super()":
        return f"super.{text_of(last)}"
    return call_name(called, last or called)


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
        "assignment": _assignment,
        "named_expression": _walrus,
        "type_alias_statement": _type_alias,
    },
    calls={"call": _call},
    imports={"import_statement": _import, "import_from_statement": _import},
    line_marks=("#",),
)
