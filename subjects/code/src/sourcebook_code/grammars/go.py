"""Go."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import call_name, child_of, children_of, text_of, unquoted

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = {"struct_type": "struct", "interface_type": "interface"}
_DECLARING = ("type_declaration", "var_declaration", "const_declaration")
_NAME_CHARS = 60
"""What is longer is no name of a field, but text or a value that is a key."""

_AROUND = frozenset({"parenthesized_expression", "unary_expression"})


def _function(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    yield Found("function", text_of(name), node, at=name, body=body, prototype=body is None)


def _method(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    owner = _receiver(node.child_by_field_name("receiver"))
    owners = (owner,) if owner else ()
    body = node.child_by_field_name("body")
    yield Found(
        "method", text_of(name), node, at=name, body=body, owners=owners, prototype=body is None
    )


def _receiver(node: "Node | None") -> str:
    """Return the name of the type of a receiver, without its star and type parameters."""
    parameter = child_of(node, "parameter_declaration") if node is not None else None
    kind = parameter.child_by_field_name("type") if parameter is not None else None
    while kind is not None and kind.type != "type_identifier":
        inner = kind.child_by_field_name("type") or kind.child_by_field_name("name")
        kind = inner or next(iter(kind.named_children), None)
    return text_of(kind)


def _statement(spec: "Node") -> "Node":
    """Return the declaration that a specification is all of, else the specification."""
    around = spec.parent
    if around is not None and around.type in _DECLARING and around.child(1) == spec:
        return around
    return spec


def _type(node: "Node") -> Iterator[Found]:
    name, made = node.child_by_field_name("name"), node.child_by_field_name("type")
    kind = "type"
    body: Node | None = None
    if made is not None and node.type == "type_spec" and made.type in _KINDS:
        kind = _KINDS[made.type]
        body = made.child(1)
    start = _statement(node)
    yield Found(kind, text_of(name), node, at=name, start=start, head=start, body=body)


def _signature(node: "Node") -> Iterator[Found]:
    around = node.parent.parent if node.parent is not None else None
    if around is None or around.type not in ("type_spec", "type_alias"):
        return  # of an interface without a name
    name = node.child_by_field_name("name")
    yield Found("method", text_of(name), node, at=name, prototype=True)


def _variable(node: "Node") -> Iterator[Found]:
    """Yield what a `var` declares as a function, and the variables of a package with a doc."""
    start = _statement(node)
    names = [one for one in node.children_by_field_name("name") if one.type == "identifier"]
    values = _values(node.child_by_field_name("value"))
    bound = list(_bound(node, names, values, start))
    yield from bound
    if not bound and _is_of_package(node):
        # Errors and other values that are made are looked for by name.
        made = any(one.type == "call_expression" for one in values)
        for name in names[:1]:
            if text_of(name) != "_":
                documented = not (made and text_of(name)[:1].isupper())
                yield Found(
                    "constant", text_of(name), node, name, start, start, scope=(),
                    documented=documented,
                )  # fmt: skip


def _constant(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if name is None or text_of(name) == "_" or not _is_of_package(node):
        return
    start = _statement(node)
    yield Found("constant", text_of(name), node, name, start, start, scope=(), documented=True)


def _is_of_package(spec: "Node") -> bool:
    around = spec.parent
    while around is not None and around.type in (*_DECLARING, "var_spec_list"):
        around = around.parent
    return around is not None and around.type == "source_file"


def _assigned(node: "Node") -> Iterator[Found]:
    """Yield what `:=` or `=` binds to function literals."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    names = left.named_children if left is not None else []
    yield from _bound(node, names, _values(right), node)


def _values(node: "Node | None") -> list["Node"]:
    return [*node.named_children] if node is not None else []


def _bound(
    node: "Node", names: list["Node"], values: list["Node"], start: "Node"
) -> Iterator[Found]:
    for place, (name, value) in enumerate(zip(names, values, strict=False)):
        parts = text_of(name).split(".")
        if parts[-1] == "_" or not all(part.isidentifier() for part in parts):
            continue
        *under, last = parts
        if value.type == "func_literal":
            # The first is the whole statement, the others begin where their names do.
            whole = node if len(names) == 1 else value
            first = start if place == 0 else name
            yield Found(
                "function",
                last,
                whole,
                at=name,
                start=first,
                head=first,
                body=value.child_by_field_name("body"),
                under=tuple(under),
            )
        elif _is_composite(value):
            yield Found("", "", value, scope=tuple(parts))


def _is_composite(value: "Node | None") -> bool:
    while value is not None and value.type in _AROUND:
        value = next(iter(value.named_children), None)
    return value is not None and value.type == "composite_literal"


def _element(node: "Node") -> Iterator[Found]:
    """Yield a field of a literal that holds a function, or a literal with such."""
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    name = unquoted(text_of(key))
    inner = next(iter(value.named_children), None) if value is not None else None
    if inner is None or not name or len(name) > _NAME_CHARS:
        return
    if inner.type == "func_literal":
        body = inner.child_by_field_name("body")
        yield Found("function", name, node, at=key, body=body)
    elif _is_composite(inner):
        yield Found("", "", node, scope=(name,))


def _call(node: "Node") -> str:
    called = node.child_by_field_name("function")
    if called is not None and called.type == "index_expression":
        # `New[int]()` and `list[i]()` look alike: the first is met more often.
        index = called.child_by_field_name("index")
        if index is None or index.type not in ("identifier", "selector_expression"):
            return ""
        called = called.child_by_field_name("operand")
    elif called is not None and called.type == "type_instantiation_expression":
        called = called.child_by_field_name("type")
    if called is None or called.type not in (
        "identifier",
        "type_identifier",
        "selector_expression",
    ):
        return ""
    return call_name(called, called.child_by_field_name("field") or called)


def _conversion(node: "Node") -> str:
    """Return the name of a generic function that is called with its type arguments."""
    kind = node.child_by_field_name("type")
    if kind is None or kind.type != "generic_type":
        return ""
    name = kind.child_by_field_name("type")
    return call_name(name, name)


def _import(node: "Node") -> Iterator[Import]:
    module = unquoted(text_of(node.child_by_field_name("path")))
    name = text_of(node.child_by_field_name("name"))
    line = node.start_point[0] + 1
    yield Import(module, line, "*") if name == "." else Import(module, line, "", name)


def _package(node: "Node") -> str:
    return text_of(next(children_of(node, "package_identifier"), None))


GRAMMAR = Grammar(
    declare={
        "function_declaration": _function,
        "method_declaration": _method,
        "type_spec": _type,
        "type_alias": _type,
        "method_elem": _signature,
        "var_spec": _variable,
        "const_spec": _constant,
        "short_var_declaration": _assigned,
        "assignment_statement": _assigned,
        "keyed_element": _element,
    },
    calls={"call_expression": _call, "type_conversion_expression": _conversion},
    imports={"import_spec": _import},
    packages={"package_clause": _package},
    patterns={
        "short_var_declaration": "(short_var_declaration right: (expression_list [(func_literal)"
        " (composite_literal) (unary_expression (composite_literal))])) @node",
        "assignment_statement": "(assignment_statement right: (expression_list [(func_literal)"
        " (composite_literal) (unary_expression (composite_literal))])) @node",
        "keyed_element": "(keyed_element value: (literal_element [(func_literal)"
        " (composite_literal) (unary_expression (composite_literal))])) @node",
    },
)
