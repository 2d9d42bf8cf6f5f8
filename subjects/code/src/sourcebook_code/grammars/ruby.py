"""Ruby."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import bytes_of, call_name, dotted, first_of, text_of, unquoted

if TYPE_CHECKING:
    from tree_sitter import Node

_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]+")
_LAMBDAS = ("lambda", "proc", "Proc.new")
_CLASS_MAKERS = {
    "Struct.new": "class",
    "Class.new": "class",
    "Data.define": "class",
    "Module.new": "module",
}
_DEFINERS = ("define_method", "define_singleton_method")
_OPENERS = ("class_eval", "class_exec", "module_eval", "module_exec", "instance_eval")
_REQUIRES = ("require", "require_relative", "load", "autoload")


def _path(node: "Node | None") -> tuple[str, ...]:
    """Return the parts of a constant's name, the first one empty for `::A`."""
    return tuple(dotted(node).split("::"))


def _container(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    path = _path(name)
    head = node.child_by_field_name("superclass") or name
    yield Found(
        node.type,
        path[-1],
        node,
        at=name,
        body=head.next_named_sibling if head is not None else None,
        owners=() if path[0] == "" else None,
        under=path[1:-1] if path[0] == "" else path[:-1],
    )


def _singleton_class(node: "Node") -> Iterator[Found]:
    value = node.child_by_field_name("value")
    named = value is not None and value.type in ("constant", "scope_resolution")
    yield Found("", "", node, scope=_path(value) if named else ())


def _method(node: "Node") -> Iterator[Found]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    holder = node.child_by_field_name("object")
    under: tuple[str, ...] = ()
    if holder is not None and holder.type in ("constant", "scope_resolution"):
        path = _path(holder)
        # `def Depot.build` in the class `Depot` is what `def self.build` is.
        under = () if path[-1] == _name_around(node) else path
    singleton = holder is not None or _around(node) == "singleton_class"
    kind = "method" if singleton else "function"
    if body is not None and body.type != "body_statement":
        body = None  # `def secret = 42` is all head
    yield Found(kind, text_of(name), node, at=name, body=body, under=under)


def _around(node: "Node") -> str:
    body = node.parent
    return body.parent.type if body is not None and body.parent is not None else ""


def _name_around(node: "Node") -> str:
    body = node.parent
    around = body.parent if body is not None else None
    return dotted(around.child_by_field_name("name")).rpartition("::")[2] if around else ""


def _assignment(node: "Node") -> Iterator[Found]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    constant = left.type in ("constant", "scope_resolution")
    if not constant and left.type != "identifier":
        return
    path = _path(left)
    body = _literal_body(right)
    made = _CLASS_MAKERS.get(_call_name(right), "") if right.type == "call" else ""
    if body is not None:
        yield Found("function", path[-1], node, body=body, under=path[:-1], literal=True)
    elif constant and made:
        block = right.child_by_field_name("block")
        yield Found(made, path[-1], node, body=block, under=path[:-1])
    elif constant and _CONSTANT.fullmatch(path[-1]) and _is_top(node):
        yield Found("constant", path[-1], node, under=path[:-1], scope=(), documented=True)


def _literal_body(value: "Node") -> "Node | None":
    """Return the body of a function literal, None for another value."""
    if value.type == "lambda":
        return value.child_by_field_name("body")
    if value.type == "call" and _call_name(value) in _LAMBDAS:
        return value.child_by_field_name("block")
    return None


def _is_top(node: "Node") -> bool:
    """Whether it is one line of the file itself, and no here-document."""
    around = node.parent
    one_line = node.start_point[0] == node.end_point[0] and b"<<" not in bytes_of(node)
    return one_line and around is not None and around.type == "program"


def _pair(node: "Node") -> Iterator[Found]:
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if key is None or value is None or key.type not in ("hash_key_symbol", "simple_symbol"):
        return
    body = _literal_body(value)
    if body is not None:
        yield Found("function", text_of(key).strip(":"), node, body=body, literal=True)


def _hash(node: "Node") -> Iterator[Found]:
    """A constant's hash gives its name to the lambdas in it."""
    around = node.parent
    if around is not None and around.type == "assignment":
        left = around.child_by_field_name("left")
        if left is not None and left.type == "constant":
            yield Found("", "", node, scope=(text_of(left),))


def _call_name(node: "Node") -> str:
    """Return the dotted name of a call, its arguments and block left out."""
    receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    last = text_of(method)
    if receiver is None:
        return last
    if receiver.type == "self":
        return f"self.{last}" if last else ""
    if not last:  # `run.(1)`
        return text_of(receiver) if receiver.type == "identifier" else ""
    if receiver.type in ("constant", "scope_resolution", "identifier", "call"):
        on = call_name(receiver, None, "::")
        if on and not on.startswith("."):
            return f"{on}.{last}"
    return f".{last}"


def _call(node: "Node") -> str:
    name = _call_name(node)
    return "" if name in _REQUIRES or name in _LAMBDAS else name


def _opened(node: "Node") -> Iterator[Found]:
    """Calls that declare: `define_method(:x) {}`, `refine String do`, `String.class_eval do`."""
    method, block = node.child_by_field_name("method"), node.child_by_field_name("block")
    if block is None or method is None:
        return
    name = text_of(method)
    if name in _DEFINERS or name == "refine":
        arguments = node.child_by_field_name("arguments")
        first = first_of(arguments)
        if first is None:
            return
        if name == "refine":
            yield Found("", "", node, scope=_path(first))
        elif first.type in ("simple_symbol", "string") and "#{" not in text_of(first):
            yield Found("method", unquoted(text_of(first).lstrip(":")), node, at=first, body=block)
    elif name in _OPENERS:
        receiver = node.child_by_field_name("receiver")
        if receiver is not None and receiver.type in ("constant", "scope_resolution"):
            yield Found("", "", node, scope=_path(receiver))


def _import(node: "Node") -> Iterator[Import]:
    name = text_of(node.child_by_field_name("method"))
    if name not in _REQUIRES:
        return
    arguments = node.child_by_field_name("arguments")
    last = arguments.named_children[-1:] if arguments is not None else []
    for one in last:
        if one.type == "string" and not any(c.type == "interpolation" for c in one.children):
            module = unquoted(text_of(one))
            if name == "require_relative" and not module.startswith("."):
                module = f"./{module}"
            yield Import(module, node.start_point[0] + 1)


GRAMMAR = Grammar(
    declare={
        "module": _container,
        "class": _container,
        "singleton_class": _singleton_class,
        "method": _method,
        "singleton_method": _method,
        "assignment": _assignment,
        "hash": _hash,
        "pair": _pair,
        "call": _opened,
    },
    calls={"call": _call, "identifier": text_of},
    imports={"call": _import},
    line_marks=("#",),
    # A name that stands alone as a statement, and not as the last one, is a call.
    patterns={
        "module": "(module name: (_)) @node",
        "class": "(class name: (_)) @node",
        "identifier": "(body_statement (identifier) @node . (_)) "
        "(then (identifier) @node . (_)) (block_body (identifier) @node . (_))",
        "hash": "(assignment left: (constant) right: (hash) @node)",
    },
    method_in=frozenset({"class", "module"}),
)
