"""Kotlin."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import child_of, children_of, dotted, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_BODIES = ("class_body", "enum_class_body", "function_body", "block")
_TYPES = frozenset(
    {"user_type", "nullable_type", "parenthesized_type", "function_type", "non_nullable_type"}
)
_ROOTS = frozenset({"identifier", "this_expression", "super_expression"})


def _class(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    modifiers = _modifiers(node)
    if any(one.type == "interface" for one in node.children) or "annotation" in modifiers:
        kind = "interface"
    else:
        kind = "enum" if "enum" in modifiers else "class"
    yield Found(kind, text_of(name), node, at=name, body=child_of(node, *_BODIES))


def _modifiers(node: "Node") -> set[str]:
    modifiers = child_of(node, "modifiers")
    return {text_of(one) for one in modifiers.named_children} if modifiers is not None else set()


def _object(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    at = name or next((one for one in node.children if one.type == "companion"), None)
    body = child_of(node, *_BODIES)
    yield Found("object", text_of(name) or "Companion", node, at=at, body=body)


def _receiver(node: "Node", before: "Node") -> tuple[str, ...]:
    """Return the parts of the name of the type that an extension is of."""
    for one in node.named_children:
        if one.start_byte >= before.start_byte:
            break
        if one.type in _TYPES:
            inner: Node | None = one
            while inner is not None and inner.type != "user_type" and inner.named_children:
                inner = child_of(inner, *_TYPES)
            if inner is None or inner.type != "user_type":
                return (dotted(one),)
            return tuple(text_of(part) for part in children_of(inner, "identifier"))
    return ()


def _function(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if name is None:
        return
    body = child_of(node, *_BODIES)
    yield Found("function", text_of(name), node, at=name, body=body, under=_receiver(node, name))


def _property(node: "Node") -> Iterator[Found]:
    variable = child_of(node, "variable_declaration")
    name = child_of(variable, "identifier") if variable is not None else None
    if variable is None or name is None:
        return
    accessor = child_of(node, "getter", "setter")
    value = child_of(node, "lambda_literal", "anonymous_function")
    if accessor is not None:
        body = child_of(accessor, *_BODIES)
        under = _receiver(node, variable)
        yield Found("property", text_of(name), node, at=name, body=body, under=under)
    elif value is not None:
        yield Found("function", text_of(name), node, at=name, body=_inner(value), literal=True)
    elif "const" in _modifiers(node):
        yield Found("constant", text_of(name), node, at=name, documented=True)


def _inner(value: "Node") -> "Node | None":
    """Return what follows the parameters of a function literal, which say what it is."""
    if value.type == "anonymous_function":
        return child_of(value, *_BODIES)
    parameters = child_of(value, "lambda_parameters")
    if parameters is not None:
        return parameters.next_named_sibling
    return value if value.start_point[0] != value.end_point[0] else None


def _constructor(node: "Node") -> Iterator[Found]:
    at = next((one for one in node.children if one.type == "constructor"), None)
    yield Found("constructor", "constructor", node, at=at, body=child_of(node, *_BODIES))


def _alias(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("type") or child_of(node, "identifier")
    yield Found("type", text_of(name), node, at=name)


def _call(node: "Node") -> str:
    parts: list[str] = []
    at = node.named_children[0] if node.named_children else None
    while at is not None:
        if at.type in _ROOTS:
            return ".".join([text_of(at), *reversed(parts)])
        if at.type == "navigation_expression" and len(at.named_children) > 1:
            parts.append(text_of(at.named_children[-1]))
        elif at.type != "unary_expression" or not text_of(at).endswith("!!"):
            break
        at = at.named_children[0] if at.named_children else None
    return "." + ".".join(reversed(parts)) if parts else ""


def _import(node: "Node") -> Iterator[Import]:
    path, line = dotted(child_of(node, "qualified_identifier", "identifier")), node.start_point[0]
    alias = node.named_children[-1] if len(node.named_children) > 1 else None
    if any(one.type == "*" for one in node.children):
        yield Import(path, line + 1, "*")
    else:
        module, _, name = path.rpartition(".")
        yield Import(module, line + 1, name, text_of(alias))


def _package(node: "Node") -> str:
    return text_of(child_of(node, "qualified_identifier", "identifier"))


_STRING = rb'"(?:\\.|[^"\\\n])*"'
_ARGUMENTS = rb"\((?:[^()\"]|" + _STRING + rb")*\)"
for _ in range(3):
    _ARGUMENTS = rb"\((?:[^()\"]|" + _STRING + rb"|" + _ARGUMENTS + rb")*\)"
_ANNOTATED = re.compile(
    rb"(@(?!file:)[\w.:]{3,}(?:" + _ARGUMENTS + rb")?)(?=[ \t]*\r?\n"
    rb"(?:actual|annotation|companion|const|data|enum|expect|inner|operator|va[lr])\b)"
)
_LISTS = re.compile(rb"(@[\w.:]+)(" + _ARGUMENTS + rb")(?=\s)")


def _mend(data: bytes) -> bytes:
    """Put `open` in the place of an annotation before words that are names elsewhere.

    After an annotation on a line of its own the grammar takes `data`, `enum`... for a value; after
    a modifier it does not.
    """
    return _ANNOTATED.sub(lambda found: b"open" + _blank(found[1][4:]), data)


def _blank(text: bytes) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", text)


_ONE_LINE = re.compile(
    rb'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*[\s\S]*?\*/|'
    rb"([ \t])(?=})|(?<=})([ \t])(?=(?:abstract|companion|const|constructor|class|data|enum|fun|"
    rb"init|inline|inner|interface|internal|lateinit|object|open|operator|override|private|"
    rb"protected|public|sealed|suspend|val|var)\b)|(\bcontext\([\w, .<>?:]*\)(?=\s))"
)


def _repair(data: bytes) -> bytes:
    """Write what the grammar has no rule for so that it reads it.

    In a body on one line it wants the end of a line before the closing brace and between members;
    a return without a line feed is one for the grammar and not for the count of lines. Lists in
    the arguments of annotations it does not know.
    """

    def mended(found: re.Match[bytes]) -> bytes:
        if found[3]:  # context(Log), of which the grammar makes a call, becomes an annotation
            return b"@" + b"x" * (len(found[0]) - 1)
        return b"\r" if found[1] or found[2] else found[0]

    def bare(found: re.Match[bytes]) -> bytes:
        return found[1] + _blank(found[2]) if b"[" in found[2] else found[0]

    return _LISTS.sub(bare, _ONE_LINE.sub(mended, data))


GRAMMAR = Grammar(
    declare={
        "class_declaration": _class,
        "object_declaration": _object,
        "companion_object": _object,
        "function_declaration": _function,
        "property_declaration": _property,
        "secondary_constructor": _constructor,
        "type_alias": _alias,
    },
    calls={"call_expression": _call},
    imports={"import": _import},
    packages={"package_header": _package},
    comments=("line_comment", "block_comment"),
    mend=_mend,
    repair=_repair,
)
