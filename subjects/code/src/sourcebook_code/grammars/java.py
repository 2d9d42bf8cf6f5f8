"""Java."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import child_of, dotted, member_call, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "record_declaration": "record",
    "annotation_type_declaration": "interface",
    "method_declaration": "method",
    "annotation_type_element_declaration": "method",
    "constructor_declaration": "constructor",
    "compact_constructor_declaration": "constructor",
}
_ANNOTATIONS = ("annotation", "marker_annotation", "line_comment", "block_comment")


def _named(node: "Node") -> Iterator[Found]:
    """Yield a type, a method or a constructor."""
    name = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    if node.type == "compact_constructor_declaration":
        body = None  # without it nothing but the name would be left to show
    yield Found(_KINDS[node.type], text_of(name), node, at=name, head=_head(node), body=body)


def _head(node: "Node") -> "Node":
    """Return the first node that is no annotation."""
    first = node.child(0)
    if first is None or first.type != "modifiers":
        return first or node
    for child in first.children:
        if child.type not in _ANNOTATIONS:
            return child
    return first.next_sibling or node


def _module(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    *under, last = dotted(name).split(".")
    body = node.child_by_field_name("body")
    yield Found("module", last, node, at=name, body=body, under=tuple(under))


def _enum_constant(node: "Node") -> Iterator[Found]:
    yield Found("", "", node, scope=(text_of(node.child_by_field_name("name")),))


def _field(node: "Node") -> Iterator[Found]:
    """Yield the fields and variables that hold a lambda, and constants with a doc."""
    declarators = node.children_by_field_name("declarator")
    constant = node.type == "constant_declaration" or (
        node.type == "field_declaration" and _is_constant(node)
    )
    for place, one in enumerate(declarators):
        name = one.child_by_field_name("name")
        value = one.child_by_field_name("value")
        whole = node if len(declarators) == 1 else one
        start, head = (node, _head(node)) if place == 0 else (one, one)
        if value is not None and value.type == "lambda_expression":
            body = value.child_by_field_name("body")
            yield Found("function", text_of(name), whole, name, start, head, body=body)
        elif constant and place == 0:
            yield Found(
                "constant", text_of(name), whole, name, start, head, scope=(), documented=True
            )


def _is_constant(node: "Node") -> bool:
    modifiers = node.child(0)
    if modifiers is None or modifiers.type != "modifiers":
        return False
    words = {child.type for child in modifiers.children}
    return "static" in words and "final" in words


def _assigned(node: "Node") -> Iterator[Found]:
    """Yield what is assigned a lambda: `this.action = () -> ...`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    name = dotted(left).rpartition(".")[2]
    if right is not None and name.isidentifier():
        yield Found("function", name, node, at=left, body=right.child_by_field_name("body"))


def _call(node: "Node") -> str:
    return member_call(node.child_by_field_name("object"), node.child_by_field_name("name"))


def _creation(node: "Node") -> str:
    kind = node.child_by_field_name("type")
    if kind is not None and kind.type == "generic_type":
        kind = next(iter(kind.named_children), None)
    return member_call(None, kind)


def _reference(node: "Node") -> str:
    """Return what `Owner::member` refers to."""
    owner, last = node.child(0), node.child(node.child_count - 1)
    return member_call(None, owner) if text_of(last) == "new" else member_call(owner, last)


def _import(node: "Node") -> Iterator[Import]:
    line = node.start_point[0] + 1
    path = dotted(child_of(node, "scoped_identifier", "identifier"))
    if child_of(node, "asterisk") is not None:
        yield Import(path, line, "*")
        return
    module, _, name = path.rpartition(".")
    yield Import(module, line, name)


def _package(node: "Node") -> str:
    return dotted(child_of(node, "scoped_identifier", "identifier"))


GRAMMAR = Grammar(
    declare={
        **dict.fromkeys(_KINDS, _named),
        "module_declaration": _module,
        "enum_constant": _enum_constant,
        "field_declaration": _field,
        "constant_declaration": _field,
        "local_variable_declaration": _field,
        "assignment_expression": _assigned,
    },
    calls={
        "method_invocation": _call,
        "object_creation_expression": _creation,
        "method_reference": _reference,
    },
    imports={"import_declaration": _import},
    packages={"package_declaration": _package},
    comments=("line_comment", "block_comment"),
    patterns={
        "local_variable_declaration": "(local_variable_declaration"
        " declarator: (variable_declarator value: (lambda_expression))) @node",
        "assignment_expression": "(assignment_expression right: (lambda_expression)) @node",
        "enum_constant": "(enum_constant body: (_)) @node",
    },
)
