"""Texts of any content as parts of Mermaid's syntax."""

import re
from collections.abc import Sequence

NAME_LENGTH = 60
"""Characters of a name or type that are shown; longer ones lose their middle."""

_SPACE = re.compile(r"[\s\ufeff]+")

# Control characters, what turns the order of reading around, and what is no character.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")

# What is written as an entity code:
# - ASCII punctuation, which has meanings in the syntax, in HTML, in Markdown and in formulas; but
#   not commas, slashes, and what stands in or after a word, as in `a_b`, `a-b` and `a.b`, where
#   nothing reads it otherwise. The dot of `www.` would make a link.
# - the first letter of `direction`: Mermaid takes a line with `direction LR` anywhere in it, even
#   in quotes, for that statement.
_CODED = re.compile(
    r"(?<=[A-Za-z0-9])[_.-](?<!(?i:www)\.)(?=[A-Za-z0-9])"
    r"|(?<=[A-Za-z])(?<!(?i:www))\."
    r"|(?P<coded>[!-+\-.:-@\[-`{-~]|d(?=irection(?:\s|$)))"
)


def clean(text: str, length: int = NAME_LENGTH) -> str:
    """Return `text` as one line of at most `length` characters, never empty."""
    text = _HIDDEN.sub("\ufffd", _SPACE.sub(" ", text)).strip()
    if len(text) > length:
        tail = length // 3
        text = f"{text[: length - tail - 1].rstrip()}…{text[-tail:].lstrip()}"
    return text or '""'


def escape(text: str) -> str:
    """Return one line of text so that Mermaid shows it as it is, wherever a text may stand."""
    return _CODED.sub(_code, text)


def join(texts: Sequence[str], length: int = NAME_LENGTH) -> str:
    """Return texts with commas between them; those past `length` characters are counted only."""
    shown = texts[0]
    for done, text in enumerate(texts[1:], start=1):
        if len(shown) + len(text) > length:
            return f"{shown} and {len(texts) - done} more"
        shown = f"{shown}, {text}"
    return shown


def _code(found: re.Match[str]) -> str:
    return f"#{ord(found[0])};" if found["coded"] else found[0]
