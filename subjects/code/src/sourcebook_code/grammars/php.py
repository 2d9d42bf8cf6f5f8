"""PHP."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import child_of, children_of, dotted, text_of, unquoted

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "trait_declaration": "trait",
    "enum_declaration": "enum",
    "function_definition": "function",
    "method_declaration": "method",
}
_CLOSURES = ("anonymous_function", "arrow_function")
_INCLUDES = (
    "include_expression",
    "include_once_expression",
    "require_expression",
    "require_once_expression",
)
_NAME_CHARS = 60
"""What is longer is no name of an element, but text that is a key."""


_BY_REFERENCE = re.compile(rb"(?i)(\bfunction\s*)&(?=\s*\w+\s*\()")


_HALT = re.compile(
    rb"(?i)(?:^|[;{}]|<\?php\s)\s*__halt_compiler\s*\(\s*\)\s*(?:;|\?>)", re.MULTILINE
)


def _without_data(data: bytes) -> bytes:
    """Return the text without what follows the end of the code: it is read as data, if at all."""
    found = _HALT.search(data)
    if found is None:
        return data
    return data[: found.end()] + re.sub(rb"[^\r\n]", b" ", data[found.end() :])


def _without_references(data: bytes) -> bytes:
    """Return the text without the marks of functions that return a reference: the grammar does not
    take one whose name is a keyword."""
    return _BY_REFERENCE.sub(rb"\1 ", data)


def _named(node: "Node") -> Iterator[Found]:
    """Yield a type, a function or a method."""
    name = node.child_by_field_name("name")
    kind = _KINDS[node.type]
    if kind == "method" and text_of(name).lower() == "__construct":
        kind = "constructor"
    body = node.child_by_field_name("body")
    yield Found(kind, text_of(name), node, at=name, head=_head(node), body=body)


def _head(node: "Node") -> "Node":
    """Return the first child that is no attribute."""
    for child in node.children:
        if child.type not in ("attribute_list", "comment"):
            return child
    return node


def _property(node: "Node") -> Iterator[Found]:
    """Yield a property with hooks, or one that holds a closure."""
    hooks = child_of(node, "property_hook_list")
    for one in children_of(node, "property_element"):
        name = one.child_by_field_name("name")
        value = one.child_by_field_name("default_value")
        if hooks is not None:
            yield Found("property", _bare(name), node, at=name, head=_head(node), body=hooks)
            return
        if value is not None and value.type in _CLOSURES:
            body = value.child_by_field_name("body")
            yield Found("method", _bare(name), node, at=name, head=_head(node), body=body)
            return


def _bare(variable: "Node | None") -> str:
    return text_of(variable).lstrip("$")


def _constant(node: "Node") -> Iterator[Found]:
    name = child_of(node, "name")
    statement = node.parent
    if statement is None or child_of(statement, "const_element") != node:
        return
    yield Found(
        "constant", text_of(name), node, name, statement, _head(statement), scope=(),
        documented=True,
    )  # fmt: skip


def _assigned(node: "Node") -> Iterator[Found]:
    """Yield a variable, a member or an element of an array that a closure is assigned to."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    parts = _path(left)
    if not parts or not parts[-1]:
        return
    kind, up = "function", 0
    if parts[0] == "this":
        kind = "method"
        parts = parts[1:]
        up = int(_in_method(node))
    if not parts:
        return
    *under, name = parts
    if right.type == "array_creation_expression":
        yield Found("", "", node, under=tuple(parts), up=up)
        return
    body = right.child_by_field_name("body")
    yield Found(kind, name, node, at=left, body=body, under=tuple(under), up=up)


def _path(node: "Node", depth: int = 10) -> list[str]:
    """Return the names of `$a`, `$a->b`, `A::$b`, `$a['b']`; none for what has another form."""
    if node.type == "variable_name":
        return [_bare(node)]
    if node.type == "member_access_expression":
        owner, last = node.child_by_field_name("object"), node.child_by_field_name("name")
    elif node.type == "scoped_property_access_expression":
        owner, last = node.child_by_field_name("scope"), node.child_by_field_name("name")
        return (
            [_bare(last)] if text_of(owner) in ("self", "static") else [text_of(owner), _bare(last)]
        )
    elif node.type == "subscript_expression" and node.named_child_count == 2:
        owner, last = node.named_children
        if last.type != "string":
            return []
    else:
        return []
    before = _path(owner, depth - 1) if owner is not None and depth else []
    return [*before, unquoted(_bare(last))] if before else []


def _in_method(node: "Node") -> bool:
    around = node.parent
    while around is not None and around.type not in ("method_declaration", "function_definition"):
        around = around.parent
    return around is not None and around.type == "method_declaration"


def _element(node: "Node") -> Iterator[Found]:
    """Yield an element of an array that holds a closure, or an array with such."""
    if node.named_child_count != 2:
        return
    key, value = node.named_children
    name = unquoted(text_of(key))
    if key.type != "string" or not name or len(name) > _NAME_CHARS:
        return
    if value.type == "array_creation_expression":
        yield Found("", "", node, scope=(name,))
    elif value.type in _CLOSURES:
        yield Found("function", name, node, at=key, body=value.child_by_field_name("body"))


def _call(node: "Node") -> str:
    called = node.child_by_field_name("function")
    if called is None or called.type not in ("name", "qualified_name", "variable_name"):
        return ""
    return _type(called)


def _type(node: "Node | None") -> str:
    return dotted(node).replace("\\", ".").strip(".")


def _member_call(node: "Node") -> str:
    name = node.child_by_field_name("name")
    if name is None or name.type != "name":
        return ""
    owner = node.child_by_field_name("object")
    parts: list[str] = []
    while owner is not None and owner.type in (
        "member_access_expression",
        "nullsafe_member_access_expression",
    ):
        parts.append(text_of(owner.child_by_field_name("name")))
        owner = owner.child_by_field_name("object")
    if owner is None or owner.type != "variable_name":
        return f".{text_of(name)}"
    return ".".join((_bare(owner), *reversed(parts), text_of(name)))


def _scoped_call(node: "Node") -> str:
    scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
    if name is None or name.type != "name":
        return ""
    named = scope is not None and scope.type in ("name", "qualified_name", "relative_scope")
    return f"{_type(scope) if named else ''}.{text_of(name)}"


def _creation(node: "Node") -> str:
    name = child_of(node, "name", "qualified_name")
    return _type(name) if name is not None else ""


def _use(node: "Node") -> Iterator[Import]:
    around = node.parent
    prefix = ""
    if around is not None and around.type == "namespace_use_group" and around.parent is not None:
        prefix = dotted(child_of(around.parent, "namespace_name")) + "\\"
    path = prefix + dotted(child_of(node, "qualified_name", "name", "namespace_name"))
    module, _, name = path.lstrip("\\").rpartition("\\")
    alias = text_of(node.child_by_field_name("alias"))
    line = node.start_point[0] + 1
    yield Import(module, line, name, alias) if module else Import(name, line, "", alias)


def _include(node: "Node") -> Iterator[Import]:
    expression = next(iter(node.named_children), None)
    if expression is not None and expression.type == "parenthesized_expression":
        expression = next(iter(expression.named_children), None)
    beside = expression is not None and expression.type == "binary_expression"
    last = expression.child_by_field_name("right") if expression and beside else expression
    if last is not None and last.type in ("string", "encapsed_string"):
        path = unquoted(text_of(last))
        yield Import(f".{path}" if beside and path[:1] == "/" else path, node.start_point[0] + 1)


def _namespace(node: "Node") -> str:
    return dotted(node.child_by_field_name("name")).replace("\\", ".")


_VALUES = "[(anonymous_function) (arrow_function) (array_creation_expression)]"

GRAMMAR = Grammar(
    declare={
        **dict.fromkeys(_KINDS, _named),
        "property_declaration": _property,
        "const_element": _constant,
        "assignment_expression": _assigned,
        "array_element_initializer": _element,
    },
    calls={
        "function_call_expression": _call,
        "member_call_expression": _member_call,
        "nullsafe_member_call_expression": _member_call,
        "scoped_call_expression": _scoped_call,
        "object_creation_expression": _creation,
    },
    imports={"namespace_use_clause": _use, **dict.fromkeys(_INCLUDES, _include)},
    packages={"namespace_definition": _namespace},
    line_marks=("///", "//", "#"),
    mend=_without_data,
    repair=_without_references,
    patterns={
        "assignment_expression": f"(assignment_expression right: {_VALUES}) @node",
        "array_element_initializer": f"(array_element_initializer (string) {_VALUES}) @node",
    },
)
