"""Rust."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.comments import plain
from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = {
    "struct_item": "struct",
    "enum_item": "enum",
    "union_item": "union",
    "trait_item": "trait",
    "mod_item": "module",
    "macro_definition": "macro",
}
_WRAPPED = {
    "generic_type": "type",
    "reference_type": "type",
    "pointer_type": "type",
    "dynamic_type": "trait",
    "scoped_type_identifier": "name",
}
_ROOTS = frozenset({"identifier", "self", "super", "crate", "type_identifier"})
_INNER_MARKS = ("//!", "/*!")
MAX_USES = 500


def _item(node: "Node") -> Iterator[Found]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    kind = _KINDS[node.type]
    doc: str | None = None
    first: Node | None = None
    if kind == "module":
        if body is None:  # its text is in a file of its own
            return
        doc, first = _inner_doc(body)
    elif kind == "macro":
        body = next((one for one in node.named_children if one.type == "macro_rule"), None)
    elif body is not None and body.type == "ordered_field_declaration_list":
        body = None  # the fields of a tuple are told as parameters are
    yield Found(kind, text_of(name), node, at=name, body=body, doc=doc, doc_node=first)


def _inner_doc(body: "Node") -> "tuple[str | None, Node | None]":
    """Return the doc that stands in a module, and its first comment."""
    comments: list[Node] = []
    for one in body.named_children:
        if one.child_by_field_name("inner") is None:
            break
        comments.append(one)
    if not comments:
        return None, None
    return plain("\n".join(text_of(one).rstrip("\n") for one in comments), _INNER_MARKS), comments[
        0
    ]


def _within(node: "Node") -> str:
    """Return the type of what an item is a member of, empty in a function or at the top."""
    around = node.parent
    if around is None or around.type != "declaration_list" or around.parent is None:
        return "" if around is None or around.type != "block" else "block"
    return around.parent.type


def _function(node: "Node") -> Iterator[Found]:
    name, within = node.child_by_field_name("name"), _within(node)
    yield Found(
        "method" if within in ("impl_item", "trait_item") else "function",
        text_of(name),
        node,
        at=name,
        body=node.child_by_field_name("body"),
        prototype=within == "foreign_mod_item",
    )


def _constant(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if text_of(name) != "_" and _within(node) not in ("impl_item", "trait_item", "block"):
        yield Found("constant", text_of(name), node, at=name, documented=True)


def _type(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if _within(node) != "impl_item":
        yield Found("type", text_of(name), node, at=name)


def _impl(node: "Node") -> Iterator[Found]:
    """Find the scope of an `impl` block; that a trait is implemented is worth an entry."""
    owner = _owner(node.child_by_field_name("type"))
    if node.child_by_field_name("trait") is None:
        yield Found("", "", node, scope=(owner,))
    else:
        yield Found("impl", owner, node, body=node.child_by_field_name("body"))


def _owner(node: "Node | None") -> str:
    """Return the name of a type without arguments, references, pointers and paths."""
    while node is not None:
        if node.type == "bounded_type":  # dyn A + B
            node = node.named_children[0]
        elif node.type in _WRAPPED:
            node = node.child_by_field_name(_WRAPPED[node.type])
        else:
            break
    return " ".join(text_of(node).split())


def _closure(node: "Node") -> Iterator[Found]:
    name, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
    body = value.child_by_field_name("body") if value is not None else None
    yield Found("function", text_of(name), node, at=name, body=body, literal=True)


def _call(node: "Node") -> str:
    called = node.child_by_field_name("function")
    if called is not None and called.type == "generic_function":
        called = called.child_by_field_name("function")
    return _path(called)


def _path(node: "Node | None") -> str:
    """Return a path or a chain of fields dotted; arguments of types are dropped."""
    parts: list[str] = []
    while node is not None:
        if node.type in _ROOTS:
            return ".".join([text_of(node), *reversed(parts)])
        if node.type == "field_expression":
            parts.append(text_of(node.child_by_field_name("field")))
            node = node.child_by_field_name("value")
        elif node.type in ("scoped_identifier", "scoped_type_identifier"):
            parts.append(text_of(node.child_by_field_name("name")))
            node = node.child_by_field_name("path")
        elif node.type == "generic_type":
            node = node.child_by_field_name("type")
        elif node.type == "bracketed_type":  # <A as Trait>::f
            node = node.named_children[0] if node.named_children else None
            if node is not None and node.type == "qualified_type":
                node = node.child_by_field_name("type")
        else:
            break
    return "." + ".".join(reversed(parts)) if parts else ""


def _macro_call(node: "Node") -> str:
    return _path(node.child_by_field_name("macro"))


def _token_call(node: "Node") -> str:
    """Return the name of a call in the arguments of a macro, of which the grammar makes tokens."""
    arguments = node.next_sibling
    if arguments is None or not text_of(arguments).startswith("("):
        return ""
    parts = [text_of(node)]
    before = node.prev_sibling
    if before is not None and before.type == "fn":
        return ""
    while before is not None and before.type in (".", "::"):
        owner = before.prev_sibling
        if owner is None or owner.type not in _ROOTS:
            return "." + ".".join(reversed(parts))
        parts.append(text_of(owner))
        before = owner.prev_sibling
    return ".".join(reversed(parts))


def _use(node: "Node") -> Iterator[Import]:
    argument = node.child_by_field_name("argument")
    if argument is not None:
        yield from list(_uses(argument, "", node.start_point[0] + 1))[:MAX_USES]


def _uses(node: "Node", path: str, line: int) -> Iterator[Import]:
    def joined(more: str) -> str:
        return f"{path}::{more}" if path and more else path or more

    kind = node.type
    if kind == "use_list":
        for one in node.named_children:
            yield from _uses(one, path, line)
    elif kind == "scoped_use_list":
        inner = joined(_written(node.child_by_field_name("path")))
        listed = node.child_by_field_name("list")
        if listed is not None:
            yield from _uses(listed, inner, line)
    elif kind == "use_wildcard":
        inner = _written(node.named_children[0]) if node.named_children else ""
        yield Import(joined(inner), line, "*")
    elif kind == "use_as_clause":
        alias = text_of(node.child_by_field_name("alias"))
        yield _import(joined(_written(node.child_by_field_name("path"))), line, alias)
    elif kind == "self":
        yield Import(path, line)
    elif kind in ("identifier", "scoped_identifier", "crate", "super"):
        yield _import(joined(_written(node)), line, "")


def _import(path: str, line: int, alias: str) -> Import:
    module, _, name = path.rpartition("::")
    if name == "self":
        return Import(module, line, "", alias)
    return Import(module, line, name, alias) if module else Import(name, line, "", alias)


def _written(node: "Node | None") -> str:
    return "".join(text_of(node).split())


def _module(node: "Node") -> Iterator[Import]:
    if node.child_by_field_name("body") is None:
        name = text_of(node.child_by_field_name("name"))
        yield Import(f"self::{name}", node.start_point[0] + 1)


def _crate(node: "Node") -> Iterator[Import]:
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    yield Import(text_of(name), node.start_point[0] + 1, "", text_of(alias))


GRAMMAR = Grammar(
    declare={
        **dict.fromkeys(_KINDS, _item),
        "function_item": _function,
        "function_signature_item": _function,
        "const_item": _constant,
        "static_item": _constant,
        "type_item": _type,
        "impl_item": _impl,
        "let_declaration": _closure,
    },
    calls={
        "call_expression": _call,
        "macro_invocation": _macro_call,
        "identifier": _token_call,
    },
    imports={
        "use_declaration": _use,
        "mod_item": _module,
        "extern_crate_declaration": _crate,
    },
    comments=("line_comment", "block_comment"),
    attributes=("attribute_item",),
    patterns={
        "let_declaration": (
            "(let_declaration pattern: (identifier) value: (closure_expression)) @node"
        ),
        "identifier": "(token_tree (identifier) @node . (token_tree))",
    },
)
