"""Shell."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import child_of, text_of, unquoted

if TYPE_CHECKING:
    from tree_sitter import Node

_COMMAND = re.compile(r"[A-Za-z_][\w:+.-]*")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]+")
_FIXED = re.compile(r"readonly\b|(?:declare|typeset)\s+-\w*r")


def _function(node: "Node") -> Iterator[Found]:
    name = node.child_by_field_name("name")
    yield Found("function", text_of(name), node, at=name, body=node.child_by_field_name("body"))


def _constant(node: "Node") -> Iterator[Found]:
    if node.start_point[0] != node.end_point[0] or not _FIXED.match(text_of(node)):
        return
    for one in node.named_children:
        if one.type == "variable_assignment":
            name = text_of(one.child_by_field_name("name"))
            if _CONSTANT.fullmatch(name):
                yield Found("constant", name, one, start=node, end=node, scope=(), documented=True)


def _call(node: "Node") -> str:
    name = node.child_by_field_name("name")
    if name is None or name.end_byte - name.start_byte > 100:
        return ""
    text = text_of(name)
    return text if _COMMAND.fullmatch(text) and text not in ("source", "do", "done") else ""


def _import(node: "Node") -> Iterator[Import]:
    if text_of(node.child_by_field_name("name")) not in ("source", "."):
        return
    file = node.child_by_field_name("argument")
    if file is not None and file.type in ("word", "string", "raw_string", "concatenation"):
        module = "".join(text_of(file).split('"'))
        if child_of(file, "command_substitution") is None:
            yield Import(unquoted(module), node.start_point[0] + 1)


GRAMMAR = Grammar(
    declare={"function_definition": _function, "declaration_command": _constant},
    calls={"command": _call},
    imports={"command": _import},
    line_marks=("#",),
    # Without the line that opens it, the text of a here-document would be taken for code.
    pieces=False,
)
