"""JavaScript with JSX; TypeScript builds on these rules."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from sourcebook_code.declaration import Import
from sourcebook_code.grammar import Found, Grammar
from sourcebook_code.grammars.nodes import child_of, children_of, text_of, unquoted

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset(
    {"arrow_function", "function_expression", "generator_function", "function", "class"}
)
"""Literals that take the name of what they are bound to."""

_AROUND = frozenset(
    {
        "parenthesized_expression",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "type_assertion",
    }
)
"""What may stand around a literal without making another value of it."""

_WRAPPERS = frozenset(
    {
        "action",
        "asyncHandler",
        "cache",
        "catchAsync",
        "debounce",
        "memo",
        "memoize",
        "memoizeOne",
        "observer",
        "once",
        "throttle",
        "useCallback",
        "useEffectEvent",
        "useEvent",
        "useMemoizedFn",
    }
)
"""Calls that return their function with another behaviour. The others (`map`, `reduce`, ...) make a
value of their own by it, unless the name says by its capital that it is a component."""

_MAKERS = ("create", "define", "make", "reactive", "readonly")
"""What functions begin with that return the object they get, or one like it."""

MAX_WRAPS = 5
"""So many calls one within the other are looked through for what they wrap."""

_EXPORTS = (("module", "exports"), ("exports",))
_GLOBALS = frozenset({"window", "global", "globalThis"})
_THIS = frozenset({"this", "self", "that", "_this"})
_MADE = frozenset(
    {
        "array",
        "object",
        "call_expression",
        "new_expression",
        "as_expression",
        "satisfies_expression",
    }
)
_COMPUTED = re.compile(r"\[[\w$.]+\]")


_RESERVED = re.compile(
    rb"(?<=\bas )(?:null|true|false|this|void|enum|function|class|import|export|instanceof|in|new|"
    rb"delete|typeof|return|if|else|for|while|do|switch|case|catch|finally|throw|try|var|with|super)"
    rb"(?=\s*[,}])"
)


def repair(data: bytes) -> bytes:
    """Return the text with other names for exports that are called like a keyword."""
    return _RESERVED.sub(lambda found: found[0][:-1] + b"_", data)


class Bound(NamedTuple):
    """What a name is bound to: a function or class literal, or an object that holds functions."""

    kind: str
    node: "Node"


def bound(value: "Node | None", name: str, depth: int = MAX_WRAPS) -> Bound | None:
    """Return the literal that a name is bound to, also through calls that wrap it."""
    value = bare(value)
    if value is None:
        return None
    if value.type in FUNCTIONS:
        return Bound("class" if value.type == "class" else "function", value)
    if value.type == "object":
        return Bound("object", value)
    if value.type == "call_expression" and depth:
        return _wrapped(value, name, depth - 1)
    return None


def bare(value: "Node | None", around: frozenset[str] = _AROUND) -> "Node | None":
    """Return what stands within parentheses, casts and further assignments."""
    while value is not None:
        if value.type == "assignment_expression":
            value = value.child_by_field_name("right")
        elif value.type in around and value.named_children:
            value = value.named_children[-1 if value.type == "type_assertion" else 0]
        else:
            break
    return value


def _wrapped(call: "Node", name: str, depth: int) -> Bound | None:
    called = call.child_by_field_name("function")
    arguments = call.child_by_field_name("arguments")
    if called is None or arguments is None or arguments.type != "arguments":
        return None
    names = chain(called)
    if not names:
        return None
    component = name[:1].isupper() and (len(names) == 1 or names[0][:1].isupper())
    if not (component or names[-1] in _WRAPPERS):
        # What holds functions is a thing of its own also when it is frozen or defined by a call.
        made = names[0] == "Object" or names[-1].startswith(_MAKERS)
        first = next(iter(arguments.named_children), None) if made else None
        return Bound("object", first) if first is not None and first.type == "object" else None
    for one in arguments.named_children:
        inner = bound(one, name, depth)
        if inner is not None:
            return inner
    return None


def chain(node: "Node | None") -> tuple[str, ...]:
    """Return the parts of a name like `a.b.c`; of what no name stands before, `("", "c")`."""
    parts: list[str] = []
    while node is not None:
        if node.type in ("identifier", "this", "super", "type_identifier"):
            parts.append(text_of(node))
            return tuple(reversed(parts))
        if node.type == "member_expression":
            parts.append(text_of(node.child_by_field_name("property")))
            node = node.child_by_field_name("object")
        elif node.type == "subscript_expression":
            index = node.child_by_field_name("index")
            if index is None or index.type != "string":
                break
            parts.append(unquoted(text_of(index)))
            node = node.child_by_field_name("object")
        elif node.type == "non_null_expression":
            node = node.named_children[0]
        else:
            break
    return ("", *reversed(parts)) if parts else ()


def key_name(key: "Node | None") -> str:
    """Return the name of a member; empty for one that is computed by more than a name."""
    if key is None:
        return ""
    text = text_of(key)
    if key.type == "string":
        return unquoted(text)
    if key.type == "computed_property_name":
        inner = key.named_children[0] if key.named_children else None
        if inner is not None and inner.type == "string":
            return unquoted(text_of(inner))
        return text if _COMPUTED.fullmatch(text) else ""
    return text


def outermost(node: "Node") -> "Node":
    """Return the statement that exports a declaration or says that it is ambient, else the
    declaration."""
    while (around := node.parent) is not None and around.type in (
        "export_statement",
        "ambient_declaration",
    ):
        node = around
    return node


def head_of(node: "Node") -> "Node":
    """Return the first child that is no decorator: there the signature begins."""
    for child in node.children:
        if child.type not in ("decorator", "comment"):
            return child
    return node


def named(node: "Node", kind: str) -> Iterator[Found]:
    """Yield a declaration that has a `name` and perhaps a `body`."""
    name = node.child_by_field_name("name")
    if name is None or not text_of(name):
        return
    start = outermost(node)
    yield Found(
        kind,
        text_of(name),
        node,
        at=name,
        start=start,
        head=head_of(start),
        body=node.child_by_field_name("body"),
    )


def function(node: "Node") -> Iterator[Found]:
    """Yield a function that is a statement."""
    return named(node, "function")


def class_(node: "Node") -> Iterator[Found]:
    """Yield a class that is a statement."""
    return named(node, "class")


def expression(node: "Node") -> Iterator[Found]:
    """Yield a function or class that has a name of its own and is bound to none."""
    name = node.child_by_field_name("name")
    if name is None or _is_bound(node):
        return
    kind = "class" if node.type == "class" else "function"
    yield Found(kind, text_of(name), node, at=name, body=node.child_by_field_name("body"))


def _is_bound(node: "Node") -> bool:
    around = node.parent
    for _ in range(4 * MAX_WRAPS):
        if around is None or (
            around.type not in _AROUND and around.type not in ("arguments", "call_expression")
        ):
            break
        around = around.parent
    if around is None:
        return False
    if around.type in ("variable_declarator", "pair", *_FIELDS):
        key = around.child_by_field_name(_FIELDS.get(around.type, "name"))
        value = around.child_by_field_name("value")
    elif around.type in ("assignment_expression", "augmented_assignment_expression"):
        key, value = around.child_by_field_name("left"), around.child_by_field_name("right")
    elif around.type == "export_statement":
        key, value = None, around.child_by_field_name("value")
    else:
        return False
    names = chain(key)
    found = bound(value, names[-1] if names else text_of(key) or "Default")
    return found is not None and found.node == node


_FIELDS = {"pair": "key", "field_definition": "property", "public_field_definition": "name"}


def method(node: "Node") -> Iterator[Found]:
    """Yield a method, accessor or constructor of a class or an object."""
    key = node.child_by_field_name("name")
    name = key_name(key)
    if not name:
        return
    kind = "method"
    for child in node.children:
        if child.type in ("get", "set"):
            kind = "property"
        elif child == key:
            break
    around = node.parent
    if name == "constructor" and around is not None and around.type == "class_body":
        kind = "constructor"
    yield Found(
        kind,
        name,
        node,
        at=key,
        start=decorated(node),
        head=head_of(node),
        body=node.child_by_field_name("body"),
    )


def decorated(node: "Node") -> "Node":
    """Return the first of the decorators that stand as siblings before a member."""
    start = node
    before = node.prev_named_sibling
    while before is not None and before.type == "decorator":
        start, before = before, before.prev_named_sibling
    return start


def member(node: "Node") -> Iterator[Found]:
    """Yield a field or a pair that holds a function, a class, or an object with such."""
    key = node.child_by_field_name(_FIELDS[node.type])
    value = node.child_by_field_name("value")
    name = key_name(key)
    found = bound(value, name) if name else None
    if found is None:
        return
    if found.kind == "object":
        yield Found("", name, node, scope=(name,))
        return
    kind = "class" if found.kind == "class" else "method"
    body = found.node.child_by_field_name("body")
    yield Found(kind, name, node, at=key, head=head_of(node), body=body)


def variable(node: "Node") -> Iterator[Found]:
    """Yield a variable that holds a function, a class or an object with such, or a constant."""
    target = node.child_by_field_name("name")
    value = node.child_by_field_name("value")
    if target is None or target.type != "identifier":
        return
    name = text_of(target)
    found = bound(value, name)
    statement = node.parent
    first = statement is not None and next(iter(statement.named_children), None) == node
    start = outermost(statement) if statement is not None and first else node
    at, head = target, head_of(start) if start is not node else node
    if found is None or (found.kind == "object" and not _holds_functions(found.node)):
        scope = (name,) if found is not None else ()
        if statement is not None and _is_constant(statement, value):
            made = value is not None and value.type in _MADE
            exported = start.type == "export_statement" and made
            documented = not exported
            yield Found("constant", name, node, at, start, head, scope=scope, documented=documented)
        elif scope:
            yield Found("", name, node, scope=scope)
        return
    body = found.node if found.kind == "object" else found.node.child_by_field_name("body")
    yield Found(found.kind, name, node, at, start, head, body=body)


def _holds_functions(node: "Node", depth: int = MAX_WRAPS) -> bool:
    for one in node.named_children:
        if one.type == "method_definition":
            return True
        if one.type == "pair":
            found = bound(one.child_by_field_name("value"), "")
            if found is not None and found.kind != "object":
                return True
            if found is not None and depth and _holds_functions(found.node, depth - 1):
                return True
    return False


def _is_constant(statement: "Node", value: "Node | None") -> bool:
    """Whether a statement declares a constant of the module, not what is imported."""
    if statement.type != "lexical_declaration":
        return False
    if text_of(statement.child_by_field_name("kind")) != "const":
        return False
    around = outermost(statement).parent
    if around is None or around.type != "program":
        return False
    return value is None or _required(value) is None


def assignment(node: "Node") -> Iterator[Found]:
    """Yield a function or class that is assigned: to a member, a prototype, an export."""
    around = node.parent
    if around is not None and around.type in ("assignment_expression", "variable_declarator"):
        return  # of `a = b = function ...` the first name counts
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if right is None or bare(right) is None:
        return
    parts = chain(left)
    found = bound(right, parts[-1]) if parts else None
    if found is None:
        return
    path = [*parts]
    exported = False
    while path and right is not None:
        exported = _strip_exports(path)
        if path or right.type != "assignment_expression":
            break
        path = [*chain(right.child_by_field_name("left"))]  # module.exports = exports = ...
        right = right.child_by_field_name("right")
    if found.kind != "object" and not path:
        path = [text_of(found.node.child_by_field_name("name")) or "exports"]
    up = 0
    if path and path[0] in _THIS:
        del path[0]
        around = _function_around(node)
        up = int(around is not None and around.type == "method_definition")
        exported = around is None
    elif path and path[0] in _GLOBALS:
        del path[0]
    path = [part for part in path if part not in ("", "prototype")]
    if found.kind == "object":
        yield Found("", "", node, under=tuple(path), up=up)
        return
    if not path:
        return
    *under, name = path
    kind = found.kind
    if kind == "function" and not exported and (under or parts[0] in _THIS):
        kind = "method"
    body = found.node.child_by_field_name("body")
    yield Found(kind, name, node, at=left, body=body, up=up, under=tuple(under))


def _strip_exports(path: list[str]) -> bool:
    for names in _EXPORTS:
        if tuple(path[: len(names)]) == names:
            del path[: len(names)]
            return len(path) == 1
    return False


def _function_around(node: "Node") -> "Node | None":
    """Return the function whose `this` is that at a node."""
    around = node.parent
    while around is not None and (
        around.type == "arrow_function"
        or around.type not in (*FUNCTIONS, "function_declaration", "method_definition")
    ):
        around = around.parent
    return around


def export(node: "Node") -> Iterator[Found]:
    """Yield what a module exports by default without a name: it is called `default`."""
    value = node.child_by_field_name("value")
    found = bound(value, "Default")
    if found is None or found.kind == "object":
        return
    own = found.node.child_by_field_name("name")
    body = found.node.child_by_field_name("body")
    name = text_of(own) or "default"
    yield Found(found.kind, name, node, at=own or value, head=head_of(node), body=body)


def call(node: "Node") -> str:
    """Return the name of what is called or made by `new`."""
    called = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    # With type arguments, `await make<T>()` is read as a call of `await make`.
    called = bare(called, _AROUND | {"await_expression"})
    if called is None or called.type in ("super", "import"):
        return ""
    names = chain(called)
    return "" if names == ("require",) else ".".join(names)


def element(node: "Node") -> str:
    """Return the component that a JSX element shows; tags in small letters are of the page."""
    name = chain(node.child_by_field_name("name"))
    return ".".join(name) if name and (len(name) > 1 or name[0][:1].isupper()) else ""


def imported(node: "Node") -> Iterator[Import]:
    """Yield what an `import` statement or an `export ... from` takes from elsewhere."""
    line = node.start_point[0] + 1
    source = node.child_by_field_name("source")
    if source is None:
        return
    module = unquoted(text_of(source))
    clause = child_of(node, "import_clause", "export_clause", "namespace_export")
    if clause is None:
        yield Import(module, line, "*" if node.type == "export_statement" else "")
        return
    if clause.type == "namespace_export":
        yield Import(module, line, "", text_of(clause.named_children[0]))
        return
    for one in clause.named_children:
        if one.type == "identifier":
            yield Import(module, line, "default", text_of(one))
        elif one.type == "namespace_import":
            yield Import(module, line, "", text_of(next(children_of(one, "identifier"), None)))
        elif one.type == "export_specifier":
            yield _specifier(one, module, line)
        elif one.type == "named_imports":
            for each in children_of(one, "import_specifier"):
                yield _specifier(each, module, line)


def _specifier(node: "Node", module: str, line: int) -> Import:
    name = unquoted(text_of(node.child_by_field_name("name")))
    return Import(module, line, name, unquoted(text_of(node.child_by_field_name("alias"))))


def required(node: "Node") -> Iterator[Import]:
    """Yield what `require(...)` or `import(...)` takes from elsewhere, with the names it gets."""
    called = node.child_by_field_name("function")
    if called is None or called.type not in ("identifier", "import"):
        return
    module = _required(node)
    if module is None:
        return
    line = node.start_point[0] + 1
    around = node.parent
    if around is not None and around.type == "await_expression":
        around = around.parent
    part = ""
    if called.type == "identifier" and around is not None and around.type == "member_expression":
        part = text_of(around.child_by_field_name("property"))
        around = around.parent
    target = None
    if around is not None and around.type == "variable_declarator":
        target = around.child_by_field_name("name")
    if target is None or target.type != "object_pattern":
        yield Import(module, line, part, text_of(target))
        return
    for one in target.named_children:
        if one.type == "shorthand_property_identifier_pattern":
            yield Import(module, line, text_of(one))
        elif one.type == "pair_pattern":
            name = key_name(one.child_by_field_name("key"))
            yield Import(module, line, name, text_of(one.child_by_field_name("value")))


def _required(node: "Node") -> str | None:
    """Return the module of `require("x")`, also awaited or with a member taken from it."""
    while node.type in ("await_expression", "member_expression") and node.named_children:
        node = node.named_children[0]
    if node.type != "call_expression":
        return None
    called = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if called is None or arguments is None or text_of(called) not in ("require", "import"):
        return None
    first = next(iter(arguments.named_children), None)
    return unquoted(text_of(first)) if first is not None and first.type == "string" else None


DECLARE = {
    "function_declaration": function,
    "generator_function_declaration": function,
    "function_expression": expression,
    "generator_function": expression,
    "class_declaration": class_,
    "class": expression,
    "method_definition": method,
    "pair": member,
    "variable_declarator": variable,
    "assignment_expression": assignment,
    "augmented_assignment_expression": assignment,
    "export_statement": export,
}
CALLS = {"call_expression": call, "new_expression": call}
ELEMENTS = {"jsx_opening_element": element, "jsx_self_closing_element": element}
IMPORTS = {
    "import_statement": imported,
    "export_statement": imported,
    "call_expression": required,
}
PATTERNS = {
    # A file of data has a pair a line; only those that may hold functions are of interest.
    "pair": "(pair value: [(arrow_function) (function_expression) (generator_function) (class)"
    " (object) (call_expression) (parenthesized_expression)]) @node",
    # The keyword has the same type as the expression.
    "class": "(class body: (_)) @node",
}

GRAMMAR = Grammar(
    declare={**DECLARE, "field_definition": member},
    calls={**CALLS, **ELEMENTS},
    imports=IMPORTS,
    comments=("comment", "html_comment", "hash_bang_line"),
    line_marks=("///", "//!", "//", "#!"),
    patterns=PATTERNS,
    repair=repair,
)
