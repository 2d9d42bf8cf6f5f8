"""C#."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import child_of, dotted, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = {
    "class_declaration": "class",
    "struct_declaration": "struct",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "record_declaration": "record",
    "delegate_declaration": "type",
    "method_declaration": "method",
    "constructor_declaration": "constructor",
    "destructor_declaration": "method",
    "local_function_statement": "function",
    "property_declaration": "property",
    "event_declaration": "property",
    "indexer_declaration": "property",
    "operator_declaration": "method",
    "conversion_operator_declaration": "method",
}
_LITERALS = ("lambda_expression", "anonymous_method_expression")
_STATEMENTS = ("field_declaration", "local_declaration_statement", "event_field_declaration")


def _named(node: "Node") -> Iterator[Found]:
    """Yield a type, a function or a member."""
    name, at = _name(node)
    body = (
        node.child_by_field_name("body")
        or node.child_by_field_name("accessors")
        or node.child_by_field_name("value")
    )
    if not name:
        return
    prototype = body is None and node.type == "method_declaration" and "partial" in _modifiers(node)
    yield Found(
        _KINDS[node.type], name, node, at=at, head=_head(node), body=body, prototype=prototype
    )


def _name(node: "Node") -> "tuple[str, Node | None]":
    """Return the name of a declaration and where it stands."""
    if node.type == "indexer_declaration":
        for child in node.children:
            if child.type == "this":
                return "this", child
    if node.type == "operator_declaration":
        operator = node.child_by_field_name("operator")
        return f"operator {text_of(operator)}", operator
    if node.type == "conversion_operator_declaration":
        kind = node.child_by_field_name("type")
        return f"operator {dotted(kind)}", kind
    name = node.child_by_field_name("name")
    return ("~" if node.type == "destructor_declaration" else "") + text_of(name), name


def _head(node: "Node") -> "Node":
    """Return the first child that is no attribute."""
    for child in node.children:
        if child.type not in ("attribute_list", "comment"):
            return child
    return node


def _modifiers(node: "Node") -> set[str]:
    return {text_of(child) for child in node.children if child.type == "modifier"}


def _variable(node: "Node") -> Iterator[Found]:
    """Yield a field or variable that holds a lambda, or a constant with a doc."""
    name = node.child_by_field_name("name")
    declaration = node.parent
    statement = declaration.parent if declaration is not None else None
    if name is None or declaration is None or statement is None:
        return
    start, head = node, node
    if statement.type in _STATEMENTS and child_of(declaration, "variable_declarator") == node:
        start, head = statement, _head(statement)
    value = node.named_children[-1]
    if value.type in _LITERALS:
        yield Found("function", text_of(name), node, name, start, head, body=_body(value))
    elif statement.type == "field_declaration":
        modifiers = _modifiers(statement)
        if "const" in modifiers or {"static", "readonly"} <= modifiers:
            yield Found(
                "constant", text_of(name), node, name, start, head, scope=(), documented=True
            )


def _body(literal: "Node") -> "Node | None":
    return literal.child_by_field_name("body") or child_of(literal, "block")


def _assigned(node: "Node") -> Iterator[Found]:
    """Yield what is assigned a lambda; a handler that is added with `+=` has no name."""
    right = node.child_by_field_name("right")
    if right is None or text_of(node.child_by_field_name("operator")) != "=":
        return
    left = node.child_by_field_name("left")
    parts = _chain(left)
    if not parts or not parts[0] or not parts[-1].isidentifier() or parts[-1] == "_":
        return
    kind, up = "function", 0
    if parts[0] == "this":
        kind, up, parts = "method", 1, parts[1:]
    if not parts:
        return
    *under, name = parts
    yield Found(kind, name, node, at=left, body=_body(right), under=tuple(under), up=up)


def _chain(node: "Node | None") -> list[str]:
    """Return the parts of a dotted name without type arguments; of what no name stands before,
    an empty part first."""
    parts: list[str] = []
    while node is not None:
        if node.type in ("identifier", "this", "base", "predefined_type"):
            return [text_of(node).lstrip("@"), *reversed(parts)]
        if node.type == "generic_name":
            node = next(iter(node.named_children), None)
        elif node.type in ("member_access_expression", "qualified_name", "alias_qualified_name"):
            parts.append(_last(node.child_by_field_name("name")))
            node = (
                node.child_by_field_name("expression")
                or node.child_by_field_name("qualifier")
                or node.child_by_field_name("alias")
            )
        elif node.type == "conditional_access_expression":
            binding = child_of(node, "member_binding_expression")
            if binding is None:
                break
            parts.append(_last(binding.child_by_field_name("name")))
            node = node.child_by_field_name("condition")
        elif node.type == "postfix_unary_expression" and node.named_children:
            node = node.named_children[0]
        else:
            break
    return ["", *reversed(parts)] if parts else []


def _last(name: "Node | None") -> str:
    if name is not None and name.type == "generic_name":
        name = next(iter(name.named_children), None)
    return text_of(name).lstrip("@")


def _call(node: "Node") -> str:
    names = _chain(node.child_by_field_name("function"))
    return "" if names == ["nameof"] else ".".join(names)


def _creation(node: "Node") -> str:
    return ".".join(_chain(node.child_by_field_name("type")))


def _using(node: "Node") -> Iterator[Import]:
    line = node.start_point[0] + 1
    alias = node.child_by_field_name("name")
    path = [child for child in node.named_children if child != alias]
    module = ".".join(_chain(path[-1])) if path else ""
    if not module:
        return
    static = any(child.type == "static" for child in node.children)
    yield Import(module, line, "*" if static else "", text_of(alias))


def _namespace(node: "Node") -> str:
    return dotted(node.child_by_field_name("name"))


GRAMMAR = Grammar(
    declare={
        **dict.fromkeys(_KINDS, _named),
        "variable_declarator": _variable,
        "assignment_expression": _assigned,
    },
    calls={"invocation_expression": _call, "object_creation_expression": _creation},
    imports={"using_directive": _using},
    packages={
        "namespace_declaration": _namespace,
        "file_scoped_namespace_declaration": _namespace,
    },
    patterns={
        "assignment_expression": "(assignment_expression"
        " right: [(lambda_expression) (anonymous_method_expression)]) @node",
        "variable_declarator": "(variable_declarator"
        " [(lambda_expression) (anonymous_method_expression)]) @node"
        " (field_declaration (variable_declaration . type: (_) . (variable_declarator) @node))",
    },
)
