"""Scala 2 and 3."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import call_name, child_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = {
    "class_definition": "class",
    "object_definition": "object",
    "package_object": "object",
    "trait_definition": "trait",
    "enum_definition": "enum",
    "type_definition": "type",
}
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]+")
_MEMBER_OF = ("template_body", "with_template_body", "enum_body", "compilation_unit")
_SCALARS = (
    "integer_literal", "floating_point_literal", "string", "boolean_literal", "character_literal",
)  # fmt: skip
_TYPE_HEAD = re.compile(r"[\w$.]*?([\w$]+)\s*(?:[\[({]|$|with\b|&|\||<|=>|#)")


def _named(node: "Node") -> Iterator[Found]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None:
        yield Found(_KINDS[node.type], _plain(name), node, at=name, body=body)


def _plain(name: "Node") -> str:
    return text_of(name)


def _function(node: "Node") -> Iterator[Found]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    title = _plain(name) if name is not None else ""
    kind = "constructor" if title == "this" else "function"
    if title:
        abstract = node.type == "function_declaration"
        yield Found(kind, title, node, at=name, body=None if abstract else body)


def _given(node: "Node") -> Iterator[Found]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    of = node.child_by_field_name("return_type")
    # A given without a name is known by its type: `given_Ordering_Int`.
    title = _plain(name) if name else "given_" + "_".join(re.findall(r"\w+", text_of(of)))
    yield Found("object", title, node, at=name, body=body)


def _extension(node: "Node") -> Iterator[Found]:
    type_ = None
    for parameters in node.children_by_field_name("parameters"):
        parameter = child_of(parameters, "parameter")
        # `using` clauses stand around the one parameter that is extended.
        if parameter is not None and not text_of(parameters).startswith("(using"):
            type_ = parameter.child_by_field_name("type")
            break
    body = node.child_by_field_name("body")
    name = _head_of(type_)
    if name:
        yield Found("extension", name, node, body=body)


def _head_of(type_: "Node | None") -> str:
    """Return the name of a type without its path and arguments: `List` of `im.List[A]`."""
    found = _TYPE_HEAD.match(text_of(type_)[:300].strip())
    return found[1] if found else ""


def _value(node: "Node") -> Iterator[Found]:
    pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
    if (
        pattern is None
        or value is None
        or pattern.type not in ("identifier", "operator_identifier")
    ):
        return
    around = node.parent
    if around is None or around.type not in _MEMBER_OF:
        return
    name = _plain(pattern)
    if (body := _literal_body(node, value)) is not None:
        yield Found("function", name, node, at=pattern, body=body, literal=True)
    elif node.type == "val_definition" and value.type in _SCALARS and _CONSTANT.fullmatch(name):
        yield Found("constant", name, node, at=pattern, scope=(), documented=True)


def _literal_body(node: "Node", value: "Node") -> "Node | None":
    """Return the body of the function literal that is bound; None: it is none."""
    inner = value
    if value.type == "block" and value.named_child_count == 1:
        inner = value.named_children[0]
    if inner.type == "lambda_expression":
        return inner.named_children[-1]
    if value.type in ("case_block", "indented_cases"):
        return value
    type_ = node.child_by_field_name("type")
    typed = type_ is not None and type_.type == "function_type"
    return value if typed and _has_blank(value) else None


def _has_blank(value: "Node") -> bool:
    """Whether it is a function written with a placeholder: `_ + 1`, `_.name`."""
    return value.type in ("infix_expression", "field_expression", "call_expression") and bool(
        re.search(r"(?<![\w$])_(?![\w$])", text_of(value)[:200])
    )


def _call(node: "Node") -> str:
    called = node.child_by_field_name("function")
    while called is not None and called.type == "generic_function":
        called = called.child_by_field_name("function")
    if called is None:
        return ""
    if called.type in ("identifier", "operator_identifier"):
        return text_of(called)
    if called.type == "instance_expression":
        return ""
    return call_name(called, called.child_by_field_name("field"))


def _new(node: "Node") -> str:
    for one in node.named_children:
        if one.type in ("type_identifier", "generic_type", "stable_type_identifier"):
            return text_of(one).partition("[")[0]
        if one.type in ("template_body", "arguments"):
            break
    return ""


def _infix(node: "Node") -> str:
    operator = node.child_by_field_name("operator")
    if operator is None or operator.type != "identifier":
        return ""
    return f".{text_of(operator)}"


def _import(node: "Node") -> Iterator[Import]:
    line = node.start_point[0] + 1
    path: list[str] = []
    for one in node.children:
        if one.type in ("identifier", "operator_identifier"):
            path.append(text_of(one))
        elif one.type == "namespace_wildcard":
            yield Import(".".join(path), line, "*")
            path = []
        elif one.type == "namespace_selectors":
            for each in one.named_children:
                yield from _selected(each, ".".join(path), line)
            path = []
        elif one.type == "as_renamed_identifier":
            yield from _selected(one, ".".join(path), line)
            path = []
        elif one.type == ",":
            yield from _whole(path, line)
            path = []
    yield from _whole(path, line)


def _whole(path: list[str], line: int) -> Iterator[Import]:
    if path:
        yield Import(".".join(path[:-1]), line, path[-1])


def _selected(node: "Node", module: str, line: int) -> Iterator[Import]:
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if name is not None:
        if text_of(alias) != "_":
            yield Import(module, line, text_of(name), text_of(alias))
    elif node.type == "namespace_wildcard":
        yield Import(module, line, "*")
    else:
        yield Import(module, line, text_of(node))


def _package(node: "Node") -> str:
    return text_of(node.child_by_field_name("name"))


GRAMMAR = Grammar(
    declare={
        **dict.fromkeys(_KINDS, _named),
        "function_definition": _function,
        "function_declaration": _function,
        "given_definition": _given,
        "extension_definition": _extension,
        "val_definition": _value,
        "var_definition": _value,
    },
    calls={"call_expression": _call, "instance_expression": _new, "infix_expression": _infix},
    imports={"import_declaration": _import},
    packages={"package_clause": _package},
    comments=("comment", "block_comment"),
)
