"""Titles and cells as a reader sees them: emphasis, links and escapes read, marks gone."""

import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LIMIT_CHARACTERS = 2000
"""Longer inline text is cut before it is read: it is no title, and brackets cost more than once."""

MARKED = re.compile(r"[\\`*_<>&!\[\]~\n]")
ATTRIBUTES = re.compile(
    r"(?<=[^\s\\])\s*\{:?\s*(?:[#.][\w:.-]+|[\w-]+=[^\s{}]+)(?:\s+[^{}]*)?\}\s*$"
)
FOOTNOTE = re.compile(r"(?<=\S)\[\^[^\]\s]+\]")
LINE_BREAK = re.compile(r"<br\s*/?>", re.I)
BLANKS = re.compile(r"[ \t\n]+")


def plain(text: str, env: dict[str, Any] | None = None) -> str:
    """Return the text that is read when the marks of `text` are; `env` holds link definitions."""
    text = text[:LIMIT_CHARACTERS]
    if not MARKED.search(text):
        return BLANKS.sub(" ", text).strip(" ")
    (block,) = _reader().parseInline(text, {} if env is None else env)
    return BLANKS.sub(" ", "".join(_words(block.children or []))).strip(" ")


def title(text: str, env: dict[str, Any] | None = None) -> str:
    """Return the text of a heading: `plain`, without footnote marks and closing attributes."""
    return plain(FOOTNOTE.sub("", ATTRIBUTES.sub("", text[:LIMIT_CHARACTERS])), env)


def _words(tokens: "list[Token]") -> list[str]:
    words: list[str] = []
    for token in tokens:
        if token.type in {"text", "code_inline", "text_special"}:
            words.append(token.content)
        elif token.type in {"softbreak", "hardbreak"} or LINE_BREAK.fullmatch(token.content):
            words.append(" ")
        elif token.type == "image":
            words += _words(token.children or [])
    return words


@cache
def _reader() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("strikethrough")
