"""Elixir, in which everything is a call: what is declared is told by the name that is called."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import call_name, child_of, dotted, first_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_CONTAINERS = {"defmodule": "module", "defprotocol": "interface", "defimpl": "impl"}
_FUNCTIONS = {
    "def": "function",
    "defp": "function",
    "defdelegate": "function",
    "defmacro": "macro",
    "defmacrop": "macro",
    "defguard": "macro",
    "defguardp": "macro",
    "defn": "function",
    "defnp": "function",
}
_IMPORTS = ("alias", "import", "require", "use")
_FORMS = frozenset(
    {
        *_CONTAINERS, *_FUNCTIONS, *_IMPORTS, "defstruct", "defexception", "defoverridable",
        "quote", "unquote", "unquote_splicing", "case", "cond", "if", "unless", "for", "with",
        "try", "receive", "fn",
    }
)  # fmt: skip
"""What is written as a call and is a form of the language."""

_TYPES = ("spec", "type", "typep", "opaque", "callback", "macrocallback")
_ALIAS = re.compile(r"[\w.]+")
MAX_ATTRIBUTES = 12
"""So many attributes above a function are looked through for its doc."""


def _target(node: "Node") -> str:
    target = node.child_by_field_name("target")
    return text_of(target) if target is not None and target.type == "identifier" else ""


def _arguments(node: "Node") -> "Node | None":
    return child_of(node, "arguments")


def _definition(node: "Node") -> Iterator[Found]:
    name = _target(node)
    if name in _FUNCTIONS:
        yield from _function(node, _FUNCTIONS[name])
    elif name in _CONTAINERS:
        yield from _container(node, _CONTAINERS[name])
    elif name == "quote":
        yield Found("", "", node, sealed=True)


def _container(node: "Node", kind: str) -> Iterator[Found]:
    arguments, body = _arguments(node), child_of(node, "do_block")
    alias = first_of(arguments)
    if alias is None or not _ALIAS.fullmatch(dotted(alias)):
        return
    path = tuple(part for part in dotted(alias).split(".") if part not in ("__MODULE__", "Elixir"))
    if not path:
        return
    doc = _module_doc(body) if body is not None else None
    yield Found(
        kind,
        path[-1],
        node,
        body=body,
        under=path[:-1],
        doc=None if doc is None else _string(doc),
        doc_node=doc,
        insert=first_of(body),
    )


def _module_doc(body: "Node") -> "Node | None":
    at: Node | None = first_of(body)
    for _ in range(MAX_ATTRIBUTES):
        if at is None:
            return None
        if _attribute(at) == "moduledoc":
            return at if _text_node(at) is not None else None
        at = at.next_named_sibling
    return None


def _function(node: "Node", kind: str) -> Iterator[Found]:
    arguments, body = _arguments(node), child_of(node, "do_block")
    head = first_of(arguments)
    while head is not None and head.type == "binary_operator" and _operator(head) == "when":
        head = head.child_by_field_name("left")
    if arguments is None or head is None or not (name := _name(head)):
        return
    keywords = child_of(arguments, "keywords")
    if body is None and keywords is not None and text_of(keywords).startswith("do:"):
        body = keywords
    doc = _doc(node)
    yield Found(
        kind,
        name,
        node,
        body=body,
        doc=None if doc is None else _string(doc),
        doc_node=doc,
        quiet=head,
    )


def _name(head: "Node") -> str:
    if head.type == "identifier":
        return text_of(head)
    if head.type == "call":
        return _target(head)
    return _operator(head) if head.type in ("binary_operator", "unary_operator") else ""


def _operator(node: "Node") -> str:
    return text_of(node.child_by_field_name("operator"))


def _attribute(node: "Node") -> str:
    """Return the name of a module attribute that is set (`doc` of `@doc "..."`)."""
    operand = node.child_by_field_name("operand") if node.type == "unary_operator" else None
    if operand is None or operand.type != "call" or _operator(node) != "@":
        return ""
    return _target(operand)


def _doc(node: "Node") -> "Node | None":
    """Return the `@doc` among the attributes above a function."""
    above = node.prev_named_sibling
    for _ in range(MAX_ATTRIBUTES):
        if above is None:
            return None
        name = _attribute(above)
        if name == "doc" and _text_node(above) is not None:
            return above
        if not name and above.type != "comment":
            return None
        above = above.prev_named_sibling
    return None


def _text_node(attribute: "Node") -> "Node | None":
    operand = attribute.child_by_field_name("operand")
    arguments = _arguments(operand) if operand is not None else None
    return child_of(arguments, "string", "sigil") if arguments is not None else None


def _string(attribute: "Node") -> str:
    text = _text_node(attribute)
    kept = ("quoted_content", "escape_sequence", "interpolation")
    parts = text.named_children if text is not None else ()
    return "".join(text_of(one) for one in parts if one.type in kept).strip("\n")


def _setting(node: "Node") -> Iterator[Found]:
    """An attribute looks like a call and is none, nor is anything in a type."""
    operand = node.child_by_field_name("operand")
    if operand is not None and (name := _attribute(node)):
        target = operand.child_by_field_name("target")
        yield Found("", "", node, quiet=node if name in _TYPES else target)


def _call(node: "Node") -> str:
    target = node.child_by_field_name("target")
    if target is None:
        return ""
    if target.type == "identifier":
        name = text_of(target)
        return "" if name in _FORMS else name
    if target.type != "dot":
        return ""
    left, right = target.child_by_field_name("left"), target.child_by_field_name("right")
    if right is None:  # `fun.(1)`
        return text_of(left) if left is not None and left.type == "identifier" else ""
    if _arguments(node) is None and left is not None and left.type not in ("alias", "atom"):
        return ""  # `basket.items` reads a field
    if right.type not in ("identifier", "operator_identifier"):
        return ""
    return call_name(target, right)


def _import(node: "Node") -> Iterator[Import]:
    if _target(node) not in _IMPORTS:
        return
    arguments = _arguments(node)
    first = first_of(arguments)
    if arguments is None or first is None:
        return
    line = node.start_point[0] + 1
    left, right = first.child_by_field_name("left"), first.child_by_field_name("right")
    if first.type == "dot" and right is not None and right.type == "tuple":
        for one in right.named_children:
            yield Import(f"{dotted(left)}.{dotted(one)}", line)
    elif first.type == "alias":
        yield Import(dotted(first), line, "", _alias(arguments))


def _alias(arguments: "Node") -> str:
    keywords = child_of(arguments, "keywords")
    for pair in keywords.named_children if keywords is not None else ():
        if text_of(pair.child_by_field_name("key")).strip() == "as:":
            return text_of(pair.child_by_field_name("value"))
    return ""


GRAMMAR = Grammar(
    declare={"call": _definition, "unary_operator": _setting},
    calls={"call": _call, "identifier": text_of},
    imports={"call": _import},
    line_marks=("#",),
    patterns={
        "identifier": '(binary_operator operator: "|>" right: (identifier) @node)',
        "unary_operator": '(unary_operator operator: "@" operand: (call)) @node',
    },
    method_in=frozenset(),
)
