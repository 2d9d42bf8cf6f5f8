"""A diff that puts descriptions into the code, as doc comments where there are none.

Nothing is written: `git apply` takes it. Only comments are added, so the digests of the code stay
what they were, and with them every description.
"""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import NamedTuple

COLUMNS = 76

_HAN = re.compile("[\u2e80-\u2fdf\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")

STAR = ("/**", " * ", " */")
"""What begins, goes on and ends a block comment; of a single line all stand together."""

LINE_MARKS: Mapping[str, str] = {
    "csharp": "/// ",
    "dart": "/// ",
    "elixir": "# ",
    "go": "// ",
    "haskell": "-- ",
    "lua": "--- ",
    "ruby": "# ",
    "rust": "/// ",
    "shell": "# ",
    "sql": "-- ",
    "swift": "/// ",
}
"""Languages not among them write `/** */`, Python a docstring."""


_ELIXIR: Mapping[str, str] = {
    "defmodule": "moduledoc",
    "defprotocol": "moduledoc",
    "def": "doc",
    "defmacro": "doc",
    "defguard": "doc",
    "defdelegate": "doc",
}
"""The attribute that documents what begins so; private functions have none."""


class Insertion(NamedTuple):
    """A comment to write.

    Args:
        line: the line of the file, from 1, that it goes before.
        text: the description.
        signature: the head of what it describes.
    """

    line: int
    text: str
    signature: str = ""


def promotable(text: str) -> str:
    """Return the part of a description that goes into code: what stands before the first Han
    character, up to the end of a sentence if there is one."""
    found = _HAN.search(text)
    head = text if found is None else text[: found.start()]
    return "\n".join(line.rstrip() for line in head.strip().split("\n"))


def comment(text: str, language: str, indent: str, signature: str = "") -> list[str]:
    """Return the lines of a comment in a language's own form, without line ends."""
    width = max(COLUMNS - len(indent.expandtabs(4)), 30)
    if language == "python":
        return [indent + line if line else "" for line in _docstring(_wrapped(text, width - 3))]
    attribute = _ELIXIR.get(signature.partition(" ")[0]) if language == "elixir" else None
    if attribute is not None:
        safe = text.replace("\\", "\\\\").replace('"""', r"\"\"\"").replace("#{", r"\#{")
        rows = [f'@{attribute} """', *_wrapped(safe, width), '"""']
        return [indent + row if row else "" for row in rows]
    mark = LINE_MARKS.get(language)
    if mark is not None:
        head = "-- | " if language == "haskell" else mark
        rows = _wrapped(text, width - len(head))
        marks = [head, *([mark] * (len(rows) - 1))]
        return [indent + (one + row).rstrip() for one, row in zip(marks, rows, strict=True)]
    begin, middle, end = STAR
    rows = _wrapped(text.replace("*/", "* /"), width - len(middle))
    if len(rows) == 1:
        return [f"{indent}{begin} {rows[0]}{end}"]
    return [indent + begin, *(indent + (middle + row).rstrip() for row in rows), indent + end]


def _docstring(rows: Sequence[str]) -> list[str]:
    safe = [row.replace("\\", "\\\\").replace('"""', r"\"\"\"") for row in rows]
    if safe[-1].endswith('"'):
        safe[-1] = safe[-1][:-1] + r"\""
    if len(safe) == 1:
        return [f'"""{safe[0]}"""']
    return [f'"""{safe[0]}', *safe[1:], '"""']


def _wrapped(text: str, width: int) -> list[str]:
    rows: list[str] = []
    for line in text.split("\n"):
        rows += textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]
    return rows


def diff(path: str, text: str, language: str, insertions: Sequence[Insertion]) -> str:
    """Return a unified diff of one file in the form of git, with its line ends and indentation.

    Args:
        path: the file below the root.
        text: its text, line ends as they are.
        insertions: what to write; of those before one line the first comes first.
    """
    before = re.split(r"(?<=\n)", text)
    if before[-1] == "":
        before.pop()
    end = "\r\n" if before and before[0].endswith("\r\n") else "\n"
    after = list(before)
    # From below, and of one line the last first: none moves the place of another.
    order = sorted(enumerate(insertions), key=lambda each: (each[1].line, each[0]), reverse=True)
    for _, one in order:
        here = before[one.line - 1]
        indent = here[: len(here) - len(here.lstrip(" \t"))]
        rows = comment(one.text, language, indent, one.signature)
        after[one.line - 1 : one.line - 1] = [row + end for row in rows]
    name = _quoted(f"a/{path}"), _quoted(f"b/{path}")
    return "".join(_ended(unified_diff(before, after, *name)))


def _quoted(name: str) -> str:
    """Return a name as git writes it in the head of a diff."""
    if name.isascii() and name.isprintable() and not set(name) & {'"', "\\"}:
        return f"{name}\t" if " " in name else name
    out = []
    for byte in name.encode("utf-8", "surrogateescape"):
        character = chr(byte)
        if character in '"\\':
            out.append(f"\\{character}")
        elif 0x20 <= byte < 0x7F:
            out.append(character)
        else:
            out.append(f"\\{byte:03o}")
    return f'"{"".join(out)}"'


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
