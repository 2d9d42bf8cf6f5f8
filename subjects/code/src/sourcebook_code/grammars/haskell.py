"""Haskell: a signature and the equations below it are one declaration."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import child_of, children_of, first_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_BETWEEN = ("comment", "haddock", "pragma")
_EQUATIONS = ("function", "bind")
_VALUES = ("literal", "list", "tuple", "unit", "negation", "constructor")
_LOCAL_FUNCTIONS = (
    "apply", "lambda", "lambda_case", "variable", "qualified", "left_section", "right_section",
)  # fmt: skip
_APPLY_LEFT = ("$", "$!", "<$>", ".", "=<<", "<$", "$>", "<=<")
_APPLY_RIGHT = (">>=", "&", "<&>", ">=>")
_COMMON = frozenset(
    {
        "+", "-", "*", "/", "==", "/=", "<", ">", "<=", ">=", "&&", "||", "++", ":", "<*>", ">>",
        "<>", "!!", "^", "^^", "**", "*>", "<*", "<|>", "!", "&&&", "***", "~",
    }
)  # fmt: skip
_TYPE_NAME = re.compile(r"[A-Z][\w']*")
_IN_BLOCKS = ("declarations", "local_binds", "class_declarations", "instance_declarations", "ERROR")


def _bare(node: "Node | None") -> str:
    """Return a name without the parentheses or backquotes around it."""
    return text_of(node).strip("()` \n\t")


def _name_node(node: "Node") -> "Node | None":
    """Return the node with the name of an equation."""
    head: Node | None = node
    for _ in range(8):  # `((f x) y) z = ...`
        if head is None:
            return None
        name = head.child_by_field_name("name")
        if name is not None:
            return name
        infix = head if head.type == "infix" else child_of(head, "infix")
        if infix is not None:
            return infix.child_by_field_name("operator")
        head = head.child_by_field_name("parens")
    return None


def _names(signature: "Node") -> list["Node"]:
    name = signature.child_by_field_name("name")
    if name is not None:
        return [name]
    names = signature.child_by_field_name("names")
    return names.children_by_field_name("name") if names is not None else []


def _beside(node: "Node", forward: bool) -> "Node | None":
    """Return the next or previous sibling that is neither a comment nor a pragma."""
    while True:
        other = node.next_named_sibling if forward else node.prev_named_sibling
        if other is None or other.type not in _BETWEEN:
            return other
        node = other


def _last_equation(first: "Node", name: str) -> "Node":
    last = first
    while (other := _beside(last, True)) is not None and other.type in _EQUATIONS:
        if _bare(_name_node(other)) != name:
            break
        last = other
    return last


def _signature(node: "Node") -> Iterator[Found]:
    names = _names(node)
    if not names:
        return
    around = node.parent
    if around is not None and around.type == "class_declarations":
        yield Found("function", _bare(names[0]), node, at=names[0], scope=(), quiet=node)
        return
    first = _beside(node, True)
    if first is None or first.type not in _EQUATIONS:
        return
    at = _name_node(first)
    name = _bare(at)
    if name not in map(_bare, names):
        return
    yield Found(
        _kind(first),
        name,
        node,
        at=at,
        end=_last_equation(first, name),
        body=first.child_by_field_name("match"),
        quiet=node,
    )


def _kind(equation: "Node") -> str:
    match = equation.child_by_field_name("match")
    value = match.child_by_field_name("expression") if match is not None else None
    around = equation.parent
    member = around is not None and around.type in ("class_declarations", "instance_declarations")
    if not member and equation.type == "bind" and value is not None and value.type in _VALUES:
        return "constant"
    return "function"


def _equation(node: "Node") -> Iterator[Found]:
    match = node.child_by_field_name("match")
    at = _name_node(node)
    if match is None or at is None:
        return
    name = _bare(at)
    infix = at.parent if at.parent is not None and at.parent.type == "infix" else None
    if _continues(node, name):
        yield Found("", "", node, quiet=infix)
    elif node.type == "function" or _counts(node, match):
        end = _last_equation(node, name)
        yield Found(_kind(node), name, node, at=at, end=end, body=match, quiet=infix)


def _continues(node: "Node", name: str) -> bool:
    """Whether a signature or an equation above already stands for this one."""
    before = _beside(node, False)
    if before is None:
        return False
    if before.type in _EQUATIONS:
        return _bare(_name_node(before)) == name
    around = node.parent
    in_class = around is not None and around.type == "class_declarations"
    return before.type == "signature" and not in_class and name in map(_bare, _names(before))


def _counts(bind: "Node", match: "Node") -> bool:
    """Whether a local name stands for a function rather than for a value."""
    around = bind.parent
    if around is None or around.type != "local_binds":
        return True
    value = match.child_by_field_name("expression")
    if value is None:
        return True
    holder = around.parent
    if holder is not None and holder.type in ("let_in", "let"):
        return value.type in ("lambda", "lambda_case")
    composed = value.type == "infix" and text_of(value.child_by_field_name("operator")) == "."
    return composed or value.type in _LOCAL_FUNCTIONS


def _type(node: "Node") -> Iterator[Found]:
    name = _name_node(node)
    if name is not None:
        yield Found("type", _bare(name), node, at=name, scope=(), quiet=node)


def _class(node: "Node") -> Iterator[Found]:
    name, body = _name_node(node), node.child_by_field_name("declarations")
    if name is not None:
        yield Found("interface", _bare(name), node, at=name, body=body, quiet=name)


def _instance(node: "Node") -> Iterator[Found]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("declarations")
    if name is None:
        return
    types = _TYPE_NAME.findall(text_of(node.child_by_field_name("patterns"))[:200])
    # `instance Shape a => Shape (Maybe a)` makes members of `Maybe`.
    scope = (types[0],) if types else (_bare(name),)
    yield Found("impl", _bare(name), node, at=name, body=body, scope=scope, quiet=name)


def _pattern(node: "Node") -> Iterator[Found]:
    equation = child_of(node, "equation")
    before = _beside(node, False)
    name = _synonym(equation)
    if equation is None or not name:
        return
    start = None
    if before is not None and before.type == "pattern_synonym":
        typed = child_of(before, "signature")
        start = before if typed is not None and _synonym(typed) == name else None
    yield Found("function", name, node, start=start, scope=())


def _synonym(node: "Node | None") -> str:
    found = _TYPE_NAME.search(text_of(node.child_by_field_name("synonym")) if node else "")
    return found[0] if found else ""


def _foreign(node: "Node") -> Iterator[Found]:
    signature = child_of(node, "signature")
    names = _names(signature) if signature is not None else []
    if names:
        yield Found("function", _bare(names[0]), node, at=names[0])


def _apply(node: "Node") -> str:
    return _variable(node.child_by_field_name("function"))


def _variable(node: "Node | None") -> str:
    if node is None:
        return ""
    if node.type == "variable":
        return text_of(node)
    if node.type == "qualified":
        last = node.child_by_field_name("id")
        return text_of(node) if last is not None and last.type == "variable" else ""
    return ""


def _infix(node: "Node") -> str:
    operator = node.child_by_field_name("operator")
    if operator is None:
        return ""
    name = text_of(operator)
    if name in _APPLY_LEFT:
        return _variable(node.child_by_field_name("left_operand"))
    if name in _APPLY_RIGHT:
        return _variable(node.child_by_field_name("right_operand"))
    if name.startswith("`"):
        return _variable(first_of(operator))
    # A dot joins the parts of a name, so operators with one cannot be told.
    plain = operator.type == "operator" and name not in _COMMON and "." not in name
    return name if plain else ""


def _import(node: "Node") -> Iterator[Import]:
    line = node.start_point[0] + 1
    module = text_of(node.child_by_field_name("module"))
    alias = text_of(node.child_by_field_name("alias"))
    names = node.child_by_field_name("names")
    hiding = any(one.type == "hiding" for one in node.children)
    if names is None or hiding:
        qualified = any(one.type == "qualified" for one in node.children)
        yield Import(module, line, "" if qualified else "*", alias)
        return
    if alias:
        yield Import(module, line, "", alias)
    for one in children_of(names, "import_name"):
        yield Import(module, line, text_of(one).partition("(..")[0].strip("() "))


def _module(node: "Node") -> str:
    return text_of(node.child_by_field_name("module"))


def _in_blocks(kind: str) -> str:
    return " ".join(f"({block} ({kind}) @node)" for block in _IN_BLOCKS)


GRAMMAR = Grammar(
    declare={
        "signature": _signature,
        "function": _equation,
        "bind": _equation,
        "data_type": _type,
        "newtype": _type,
        "type_synonym": _type,
        "type_family": _type,
        "data_family": _type,
        "class": _class,
        "instance": _instance,
        "pattern_synonym": _pattern,
        "foreign_import": _foreign,
    },
    calls={"apply": _apply, "infix": _infix, "variable": text_of},
    imports={"import": _import},
    packages={"header": _module},
    comments=("comment", "haddock"),
    line_marks=("-- |", "--|", "--"),
    patterns={
        "signature": _in_blocks("signature"),
        "function": _in_blocks("function"),
        "bind": _in_blocks("bind"),
        "class": "(class name: (_)) @node",
        "import": "(import module: (_)) @node",
        # A statement that is a mere name runs it: `main = do { setup; run }`.
        "variable": "(exp . (variable) @node .) (do (bind expression: (variable) @node))",
    },
    method_in=frozenset({"interface", "impl"}),
)
