"""Dart."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import (
    bytes_of,
    child_of,
    children_of,
    dotted,
    first_of,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_SIGNATURES = {
    "function_signature": "function",
    "getter_signature": "property",
    "setter_signature": "property",
    "operator_signature": "method",
    "constructor_signature": "constructor",
    "constant_constructor_signature": "constructor",
    "factory_constructor_signature": "constructor",
    "redirecting_factory_constructor_signature": "constructor",
}
_TYPES = {
    "class_definition": "class",
    "mixin_declaration": "class",
    "extension_declaration": "extension",
    "extension_type_declaration": "extension",
    "enum_declaration": "enum",
}
_BODIES = ("class_body", "extension_body", "enum_body")
_BEFORE_NAMES = frozenset(
    {
        "const_builtin", "final_builtin", "inferred_type", "type_identifier", "type_arguments",
        "function_type", "nullable_type", "record_type", "void_type", "late", "static", ".",
    }
)  # fmt: skip
_ROOTS = frozenset({"identifier", "this", "super"})


def _signature(node: "Node") -> Iterator[Found]:
    """Find a function, whose body is the sibling that follows its signature."""
    kind, around = _SIGNATURES[node.type], node.parent
    whole = node
    if around is not None and around.type in ("method_signature", "declaration"):
        whole = around
    body: Node | None
    if around is not None and around.type == "lambda_expression":
        body = around.child_by_field_name("body")
        whole = around
    else:
        body = whole.next_named_sibling
        while body is not None and body.type in ("comment", "documentation_comment"):
            body = body.next_named_sibling
    if body is not None and body.type != "function_body":
        body = None
    name, at = _name(node, kind)
    if node.type == "constructor_signature" and name != _class_around(whole):
        # The grammar takes a method without a type for a constructor.
        kind = "method" if len(list(children_of(node, "identifier"))) == 1 else kind
    yield Found(kind, name, whole, at=at, end=body, body=body)


def _class_around(node: "Node") -> str:
    """Return the name of the type that a member stands in."""
    around = node.parent
    for _ in range(3):
        if around is None or around.type in _TYPES:
            break
        around = around.parent
    return next((one.name for one in _type(around)), "") if around is not None else ""


def _name(node: "Node", kind: str) -> "tuple[str, Node | None]":
    if node.type == "operator_signature":
        at = next((one for one in node.children if one.type == "operator"), None)
        stop = child_of(node, "formal_parameter_list")
        if at is None or stop is None:
            return "", at
        text = bytes_of(node)[at.end_byte - node.start_byte : stop.start_byte - node.start_byte]
        return text.decode("utf-8", "replace").strip(), at
    if kind == "constructor":
        names = list(children_of(node, "identifier"))
        return (text_of(names[-1]), names[-1]) if names else ("", None)
    name = node.child_by_field_name("name")
    return text_of(name), name


def _type(node: "Node") -> Iterator[Found]:
    holder = child_of(node, "mixin_application_class") or node
    name = holder.child_by_field_name("name") or child_of(holder, "identifier")
    # An extension without a name is called by what it extends.
    name = name or node.child_by_field_name("class")
    if name is not None:
        yield Found(_TYPES[node.type], text_of(name), node, at=name, body=child_of(node, *_BODIES))


def _alias(node: "Node") -> Iterator[Found]:
    names = list(children_of(node, "type_identifier"))
    if names:
        # typedef int Old(int a), but typedef New = int Function(int)
        name = names[-1] if child_of(node, "formal_parameter_list") is not None else names[0]
        yield Found("type", text_of(name), node, at=name)


def _variable(node: "Node") -> Iterator[Found]:
    """Find a function literal that a name is bound to, and a constant outside of classes."""
    value = child_of(node, "function_expression")
    name = node.child_by_field_name("name") or child_of(node, "identifier")
    if name is None or (value is None and node.type != "static_final_declaration"):
        return
    head = _head(node)
    if value is None:
        listed = node.parent
        around = listed.parent if listed is not None else None
        if head.type == "const_builtin" and around is not None and around.type == "program":
            yield Found(
                "constant", text_of(name), node, at=name, start=head, head=head, documented=True
            )
        return
    body = value.child_by_field_name("body")
    inner = body.named_children[0] if body is not None and body.named_children else body
    yield Found(
        "function", text_of(name), node, at=name, start=head, head=head, body=inner, literal=True
    )


def _head(node: "Node") -> "Node":
    """Return what the statement of a variable begins with: modifiers and a type, on one line."""
    around = node.parent
    if around is None or node.type == "initialized_variable_definition":
        return node
    if around.parent is not None and around.parent.type == "declaration":
        return around.parent
    head, before = node, around.prev_sibling
    while before is not None and before.type in _BEFORE_NAMES:
        head, before = before, before.prev_sibling
    return head


def _call(node: "Node") -> str:
    """Return the name that arguments follow, collected backwards over its siblings."""
    around = node.parent
    if around is None or around.type == "enum_constant":
        return ""
    if around.type == "cascade_section":
        selector = child_of(around, "cascade_selector")
        name = text_of(child_of(selector, "identifier")) if selector is not None else ""
        return f".{name}" if name else ""
    parts: list[str] = []
    before = around.prev_named_sibling if around.type == "selector" else node.prev_named_sibling
    while before is not None:
        if before.type in _ROOTS:
            return ".".join([text_of(before), *reversed(parts)])
        inner = first_of(before) if before.type == "selector" else before
        if inner is None:
            break
        name = text_of(child_of(inner, "identifier")) if "assignable" in inner.type else ""
        if not name:
            break
        parts.append(name)
        before = before.prev_named_sibling
    return "." + ".".join(reversed(parts)) if parts else ""


def _new(node: "Node") -> str:
    return ".".join(text_of(one) for one in children_of(node, "type_identifier", "identifier"))


def _import(node: "Node") -> Iterator[Import]:
    line = node.start_point[0] + 1
    uri = child_of(node, "configurable_uri", "uri")
    module = dotted(uri).strip("'\"")
    alias = text_of(child_of(node, "identifier"))
    shown = [
        text_of(name)
        for one in children_of(node, "combinator")
        if text_of(one).startswith("show")
        for name in children_of(one, "identifier")
    ]
    if module and shown:
        for name in shown:
            yield Import(module, line, name)
    elif module:
        yield Import(module, line, "", alias)


GRAMMAR = Grammar(
    declare={
        **dict.fromkeys(_SIGNATURES, _signature),
        **dict.fromkeys(_TYPES, _type),
        "type_alias": _alias,
        "static_final_declaration": _variable,
        "initialized_identifier": _variable,
        "initialized_variable_definition": _variable,
    },
    calls={
        "argument_part": _call,
        "new_expression": _new,
        "const_object_expression": _new,
    },
    imports={
        "import_specification": _import,
        "library_export": _import,
        "part_directive": _import,
    },
    comments=("comment", "documentation_comment"),
    attributes=("annotation",),
)
