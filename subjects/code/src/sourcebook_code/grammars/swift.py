"""Swift."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import child_of, children_of, dotted, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = {
    "struct": "struct",
    "class": "class",
    "actor": "class",
    "enum": "enum",
    "extension": "extension",
    "protocol": "interface",
}
_SPECIAL = {
    "init_declaration": ("constructor", "init"),
    "deinit_declaration": ("method", "deinit"),
    "subscript_declaration": ("method", "subscript"),
}
_BODIES = (
    "function_body",
    "computed_property",
    "willset_didset_block",
    "protocol_property_requirements",
)
_ROOTS = frozenset({"simple_identifier", "self_expression", "super_expression"})
_NEWER = re.compile(
    rb"\bisolated(?=\s+deinit\b)|^[ \t]*#(?:if|elseif|else|endif)\b[^\n]*|"
    rb"(?<=[\s(])(?:consume|copy)[ \t]+(?=[a-z_])|"
    rb"\b(?:borrowing|consuming|sending)[ \t]+(?=[@\w(\[])|"
    rb"\brepeat[ \t]+each\b|~(?=[A-Z])|\bnonisolated\(\w+\)|(?<=throws)\([^()\n]*\)|"
    rb"(?<=[(, ])@_\w+(?:\([^()\n]*\))?(?=[ \t])|"
    rb"^[ \t]*(?:public|package|internal|private|fileprivate)[ \t]+(?=import\b)",
    re.MULTILINE,
)
_SEPARATOR = re.compile(
    rb"(?<=})([ \t]*);(?=[ \t]*[^\s;])|;(?=[ \t]*(?:@?\w+(?:\(\w+\))?[ \t]+){0,6}"
    rb"(?:func|init|deinit|subscript|var|let|case|struct|enum|class|typealias)\b)"
)


def _type(node: "Node") -> Iterator[Found]:
    kind = _KINDS.get(text_of(node.child_by_field_name("declaration_kind")))
    name = node.child_by_field_name("name")
    parts = _type_name(name)
    if kind and parts:
        body = node.child_by_field_name("body")
        yield Found(kind, parts[-1], node, at=name, body=body, under=parts[:-1])


def _type_name(node: "Node | None") -> tuple[str, ...]:
    """Return the parts of the name of a type, without arguments."""
    if node is None:
        return ()
    if node.type == "user_type":
        return tuple(text_of(one) for one in children_of(node, "type_identifier"))
    sugar = {"array_type": "Array", "dictionary_type": "Dictionary", "optional_type": "Optional"}
    return (sugar.get(node.type) or dotted(node),)


def _function(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    yield Found("function", text_of(name), node, at=name, body=child_of(node, *_BODIES))


def _special(node: "Node") -> Iterator[Found]:
    kind, name = _SPECIAL[node.type]
    at = next((one for one in node.children if one.type == name), None)
    yield Found(kind, name, node, at=at, body=child_of(node, *_BODIES))


def _property(node: "Node") -> Iterator[Found]:
    body = child_of(node, *_BODIES)
    value = node.child_by_field_name("value")
    name = _bound(node.child_by_field_name("name"))
    if body is not None:
        if name is not None:
            yield Found("property", text_of(name), node, at=name, body=body)
    elif value is not None and value.type == "lambda_literal":
        if name is not None:
            # Without parameters the head would end before the brace, and say nothing.
            body = (
                child_of(value, "statements") if child_of(value, "lambda_function_type") else None
            )
            if body is None and value.start_point[0] != value.end_point[0]:
                body = value
            yield Found("function", text_of(name), node, at=name, body=body, literal=True)
    elif node.parent is not None and node.parent.type == "source_file" and _is_let(node):
        for one in node.children_by_field_name("name"):
            name = _bound(one)
            if name is not None:
                yield Found("constant", text_of(name), node, at=name, scope=(), documented=True)


def _bound(pattern: "Node | None") -> "Node | None":
    return pattern.child_by_field_name("bound_identifier") if pattern is not None else None


def _is_let(node: "Node") -> bool:
    return text_of(child_of(node, "value_binding_pattern")) == "let"


def _alias(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    yield Found("type", text_of(name), node, at=name)


def _macro(node: "Node") -> Iterator[Found]:
    name = child_of(node, "simple_identifier")
    yield Found("macro", text_of(name), node, at=name)


def _call(node: "Node") -> str:
    return _path(node.named_children[0] if node.named_children else None)


def _path(node: "Node | None") -> str:
    parts: list[str] = []
    while node is not None:
        if node.type in _ROOTS:
            return ".".join([text_of(node), *reversed(parts)])
        if node.type == "navigation_expression":
            suffix = node.child_by_field_name("suffix")
            parts.append(dotted(suffix).lstrip(".") if suffix is not None else "")
        elif node.type not in ("postfix_expression", "optional_chain_expression"):
            break
        node = node.child_by_field_name("target")
    if node is not None and node.type == "prefix_expression" and text_of(node).startswith("."):
        parts.append(text_of(node.child_by_field_name("target")))
    return "." + ".".join(reversed(parts)) if parts else ""


def _construction(node: "Node") -> str:
    return ".".join(_type_name(node.child_by_field_name("constructed_type")))


def _macro_call(node: "Node") -> str:
    return text_of(child_of(node, "simple_identifier"))


def _import(node: "Node") -> Iterator[Import]:
    path, line = dotted(child_of(node, "identifier")), node.start_point[0] + 1
    kinds = {"struct", "class", "enum", "protocol", "func", "var", "let", "typealias"}
    if any(one.type in kinds for one in node.children):
        module, _, name = path.rpartition(".")
        yield Import(module, line, name)
    else:
        yield Import(path, line)


def _repair(data: bytes) -> bytes:
    """Take out what the grammar has no rule for: newer words, and directives among cases.

    Between members on one line it knows no semicolon, but a return without a line feed, which ends
    a line for the grammar and not for the count of lines.
    """
    return _SEPARATOR.sub(rb"\1\r", _NEWER.sub(lambda found: b" " * len(found[0]), data))


GRAMMAR = Grammar(
    declare={
        "class_declaration": _type,
        "protocol_declaration": _type,
        "function_declaration": _function,
        "protocol_function_declaration": _function,
        **dict.fromkeys(_SPECIAL, _special),
        "property_declaration": _property,
        "protocol_property_declaration": _property,
        "typealias_declaration": _alias,
        "macro_declaration": _macro,
    },
    calls={
        "call_expression": _call,
        "constructor_expression": _construction,
        "macro_invocation": _macro_call,
    },
    imports={"import_declaration": _import},
    comments=("comment", "multiline_comment"),
    repair=_repair,
)
