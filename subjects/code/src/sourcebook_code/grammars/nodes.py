"""What the node tables of all languages use: texts, fields and neighbours of nodes."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


_parsed: ContextVar[bytes] = ContextVar("parsed")


@contextmanager
def reading(data: bytes) -> Iterator[None]:
    """Say which bytes the tree is of whose nodes are asked for their text from here on.

    A node can tell its text by itself, but a tree that was parsed bit by bit puts it together anew
    each time, and another copies all of the file: a quarter of the time of reading Django.
    """
    before = _parsed.set(data)
    try:
        yield
    finally:
        _parsed.reset(before)


def bytes_of(node: "Node") -> bytes:
    """Return the text of a node as bytes."""
    return _parsed.get()[node.start_byte : node.end_byte]


def text_of(node: "Node | None") -> str:
    """Return the text of a node, empty for none."""
    return bytes_of(node).decode("utf-8", "replace") if node is not None else ""


def child_of(node: "Node", *types: str) -> "Node | None":
    """Return the first named child of one of these types."""
    for child in node.named_children:
        if child.type in types:
            return child
    return None


def first_of(node: "Node | None") -> "Node | None":
    """Return the first named child, None if there is none."""
    return node.named_child(0) if node is not None and node.named_child_count else None


def bare(node: "Node") -> "Node":
    """Return what stands within parentheses."""
    while node.type == "parenthesized_expression" and (inner := first_of(node)) is not None:
        node = inner
    return node


def children_of(node: "Node | None", *types: str) -> Iterator["Node"]:
    """Yield the named children of these types, of no node none."""
    for child in node.named_children if node is not None else ():
        if child.type in types:
            yield child


def dotted(node: "Node | None") -> str:
    """Return the text of a name that is written with dots, without white space."""
    return "".join(text_of(node).split())


_NAME_BYTES = 300
"""What is longer is no name but a chain of calls, which is not read link by link."""


def call_name(whole: "Node | None", last: "Node | None", *joints: str) -> str:
    """Return the dotted name of what is called.

    Args:
        whole: the name with all it is called on.
        last: the last part of it.
        joints: what the language writes for a dot besides it (`::`).
    """
    if whole is not None and whole.end_byte - whole.start_byte <= _NAME_BYTES:
        name = dotted(whole)
        for joint in joints:
            name = name.replace(joint, ".")
        bare = name.rstrip("?!").replace(".", "").replace("$", "")
        if bare.isidentifier() and not name.startswith("."):
            return name
    end = text_of(last)
    return f".{end}" if end else ""


def unquoted(text: str) -> str:
    """Return a string without its quotes."""
    return text.strip("\"'` \t")


def member_call(owner: "Node | None", name: "Node | None") -> str:
    """Return the dotted name of a call that has its owner and its name in nodes of their own."""
    last = dotted(name)
    if not last.replace(".", "").replace("$", "").isidentifier():
        return ""
    if owner is None:
        return last
    if owner.end_byte - owner.start_byte <= _NAME_BYTES:
        whole = dotted(owner)
        if whole.replace(".", "").replace("$", "").isidentifier() and not whole.startswith("."):
            return f"{whole}.{last}"
    return f".{last}"
