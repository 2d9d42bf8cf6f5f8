"""C++."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.c import (
    DECLARE,
    KINDS,
    constants,
    declared,
    include,
    plain_call,
    returns_body,
)
from sourcebook_code.grammars.c_mend import mend, repair
from sourcebook_code.grammars.nodes import child_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_ARGUMENTS = re.compile(r"<[^<>]*>")
_NO_NAMES = re.compile(r"\btemplate\s+|\boperator\s.*", re.DOTALL)
_CASTS = frozenset(
    {
        "static_cast", "dynamic_cast", "const_cast", "reinterpret_cast", "sizeof", "decltype",
        "alignof", "noexcept", "typeid",
    }
)  # fmt: skip
_NOT_NAMES = frozenset(
    {"if", "for", "while", "switch", "return", "catch", "do", "else", "typedef", "class", "struct"}
)


def _split(node: "Node | None") -> tuple["Node | None", tuple[str, ...]]:
    """Return the last part of a name and the texts of those before it, without arguments."""
    scopes: list[str] = []
    while node is not None and node.type == "qualified_identifier":
        scope = node.child_by_field_name("scope")
        if scope is not None:
            scopes.append(_plain(scope))
        node = node.child_by_field_name("name")
    return node, tuple(one for one in scopes if one)


def _plain(node: "Node") -> str:
    """Return the text of a name, arguments of templates dropped; operators as they are called."""
    if node.type in ("template_function", "template_type", "template_method"):
        return text_of(node.child_by_field_name("name"))
    if node.type == "dependent_name":
        inner = child_of(node, "template_function", "template_type", "template_method")
        return _plain(inner) if inner is not None else ""
    if node.type == "operator_cast":
        return " ".join(text_of(node).partition("(")[0].split())
    text = text_of(node)
    if node.type == "operator_name":
        rest = " ".join(text.removeprefix("operator").split())
        rest = rest.replace(" ", "") if not rest[:1].isalpha() else f" {rest}".replace(" [", "[")
        return f"operator{rest}"
    return "".join(text.split())


def _whole(node: "Node") -> "Node":
    """Return a declaration with its template line, `friend` or `extern "C"`."""
    around = node.parent
    while around is not None and (
        around.type in ("template_declaration", "friend_declaration")
        or (around.type == "linkage_specification" and around.child_by_field_name("body") == node)
    ):
        node, around = around, around.parent
    return node


def _function(node: "Node", declarator: "Node | None", prototype: bool = False) -> Iterator[Found]:
    """Find the function that a declarator names, if it is one."""
    last, function = declared(declarator)
    last, scopes = _split(last)
    if last is None or not (function or last.type == "operator_cast"):
        return
    name = _plain(last)
    if not name or name in _NOT_NAMES:
        return
    kind = "method" if scopes else "function"
    if scopes and scopes[-1] == name:
        kind = "constructor"
    elif last.type in ("identifier", "field_identifier") and not scopes:
        returned = node.child_by_field_name("type")
        # A macro may stand where the type would.
        if (returned is None or text_of(returned).isupper()) and name == _class_around(node):
            kind = "constructor"
        elif returned is None and (prototype or name.isupper()):  # a deduction guide, a macro
            return
    body = node.child_by_field_name("body") or child_of(node, "try_statement")
    yield Found(kind, name, _whole(node), at=last, body=body, under=scopes, prototype=prototype)


def _class_around(node: "Node") -> str:
    """Return the name of the class that a member stands in, empty if it is none."""
    around = node.parent
    for _ in range(8):
        if around is None or around.type in ("translation_unit", "compound_statement"):
            return ""
        if around.type in KINDS:
            name, _scopes = _split(around.child_by_field_name("name"))
            return _plain(name) if name is not None else ""
        around = around.parent
    return ""


def _definition(node: "Node") -> Iterator[Found]:
    if not returns_body(node):
        yield from _function(node, node.child_by_field_name("declarator"))


def _declaration(node: "Node") -> Iterator[Found]:
    declarators = node.children_by_field_name("declarator")
    for one in declarators:
        value = one.child_by_field_name("value") if one.type == "init_declarator" else None
        if value is not None and value.type == "lambda_expression":
            yield from _lambda(node if len(declarators) == 1 else one, one, value)
            return
    name, function = declared(declarators[0] if declarators else None)
    name, _ = _split(name)
    if function or (name is not None and name.type == "operator_cast"):
        around = _whole(node).parent
        while around is not None and around.type.startswith("preproc_"):
            around = around.parent
        if around is not None and around.type in (
            "translation_unit", "declaration_list", "field_declaration_list",
            "linkage_specification",
        ):  # fmt: skip
            yield from _function(node, declarators[0], prototype=True)
    else:
        yield from constants(node)


def _field(node: "Node") -> Iterator[Found]:
    declarators = node.children_by_field_name("declarator")
    value = node.child_by_field_name("default_value")
    if value is not None and value.type == "lambda_expression" and declarators:
        yield from _lambda(node, declarators[0], value)
    else:
        for one in declarators[:1]:
            yield from _function(node, one, prototype=True)


def _lambda(node: "Node", declarator: "Node", value: "Node") -> Iterator[Found]:
    name, _ = declared(declarator)
    if name is not None and name.type in ("identifier", "field_identifier"):
        body = value.child_by_field_name("body")
        yield Found("function", text_of(name), _whole(node), at=name, body=body, literal=True)


def _specifier(node: "Node") -> Iterator[Found]:
    body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
    around = node.parent
    if body is None or (name is None and (around is None or around.type != "type_definition")):
        return
    if name is None:
        yield from DECLARE[node.type](node)
        return
    last, scopes = _split(name)
    if last is None:
        return
    whole, start, head = _whole(node), None, None
    if around is not None and around.type in ("declaration", "type_definition"):
        start = around
        outer = _whole(around)
        if outer is not around:
            start = outer
        if around.type == "type_definition":
            head = around
    yield Found(
        KINDS[node.type],
        _plain(last),
        whole,
        at=last,
        start=start,
        head=head,
        body=body,
        under=scopes,
    )


def _namespace(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if name is None:
        return
    parts = [part.removeprefix("inline ").strip() for part in text_of(name).split("::")]
    yield Found(
        "namespace",
        parts[-1],
        node,
        at=name,
        body=node.child_by_field_name("body"),
        under=tuple(parts[:-1]),
    )


def _alias(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    yield Found("type", text_of(name), _whole(node), at=name)


def _concept(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    yield Found("concept", text_of(name), _whole(node), at=name)


def _call(node: "Node") -> str:
    called = node.child_by_field_name("function") or node.child_by_field_name("type")
    if called is None or called.type not in (
        "identifier", "field_expression", "qualified_identifier", "template_function",
        "type_identifier", "template_type",
    ):  # fmt: skip
        return ""
    text = _NO_NAMES.sub("", text_of(called))
    for _ in range(6):
        if "<" not in text:
            break
        text = _ARGUMENTS.sub("", text)
    name = plain_call(text)
    return "" if name in _CASTS else name


def _using(node: "Node") -> Iterator[Import]:
    line = node.start_point[0] + 1
    last, scopes = _split(child_of(node, "qualified_identifier", "identifier"))
    if last is None or (node.parent is not None and node.parent.type == "field_declaration_list"):
        return
    name = _plain(last)
    if any(one.type == "namespace" for one in node.children):
        yield Import("::".join((*scopes, name)), line, "*")
    elif scopes:
        yield Import("::".join(scopes), line, name)


GRAMMAR = Grammar(
    declare={
        **DECLARE,
        "function_definition": _definition,
        "declaration": _declaration,
        "field_declaration": _field,
        "class_specifier": _specifier,
        "struct_specifier": _specifier,
        "union_specifier": _specifier,
        "enum_specifier": _specifier,
        "namespace_definition": _namespace,
        "alias_declaration": _alias,
        "concept_definition": _concept,
    },
    calls={"call_expression": _call, "new_expression": _call},
    imports={"preproc_include": include, "using_declaration": _using},
    mend=mend,
    repair=repair,
    pieces=False,
)
