"""What a declaration is in one line: what its author wrote of it, else what its names tell."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

DESCRIPTION_CHARS: Final = 200
CALLS_NAMED: Final = 8
PARAMETERS_NAMED: Final = 8
NAMES_KEPT: Final = 65536

_HUMP: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(])|(?<=[。！？])")
_DOCSTRING: Final = re.compile(
    r"""(?:[ \t]*(?:#[^\n]*)?\n)*[rRuU]?(\"{3}|'{3})([^\\]{1,4000}?)\1"""
)
_PARAMETER: Final = re.compile(r"[^\W\d]\w*")
_NO_PARAMETERS: Final = frozenset(("self", "cls", "this", "void"))


@lru_cache(NAMES_KEPT)
def humanised(name: str) -> str:
    """Return the words of a name: `_buildAuthHeader` gives `build auth header`."""
    parts = _HUMP.findall(name) if name.isascii() else name.split("_")
    return " ".join(part.lower() for part in parts if part) or name


def first_sentence(doc: str) -> str:
    """Return the first sentence of a doc comment on one line, at most `DESCRIPTION_CHARS` long."""
    paragraph = " ".join(doc.strip().split("\n\n", 1)[0].split())
    return shortened(_SENTENCE_END.split(paragraph, maxsplit=1)[0])


def docstring(text: str) -> str:
    """Return the docstring at the top of a module of Python, empty if there is none."""
    found = _DOCSTRING.match(text)
    return found[2].strip() if found else ""


def shortened(text: str, limit: int = DESCRIPTION_CHARS) -> str:
    """Return a text of at most `limit` characters, cut between words, with a mark of the cut."""
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:.") + "…"


def parameters(signature: str) -> list[str]:
    """Return the names of the parameters in a signature, as far as its first brackets tell; those
    of a receiver in Go are passed over."""
    start = signature.find("(")
    if signature.startswith("func ("):
        start = signature.find("(", signature.find(")"))
    if start < 0:
        return []
    names, depth, at = [], 0, start + 1
    for place in range(start, len(signature)):
        character = signature[place]
        if character in "([{<":
            depth += 1
        elif character in ")]}>" and signature[place - 1] not in "-=":
            depth -= 1
        if (character == "," and depth == 1) or depth == 0:
            names.append(signature[at:place])
            at = place + 1
        if not depth:
            break
    first = signature.startswith("func ")
    found = [_parameter(one, first=first) for one in names]
    return [one for one in found if one and one not in _NO_PARAMETERS]


def _parameter(text: str, *, first: bool) -> str:
    """Return the name in one parameter, which stands before a colon, or after its type, or in Go
    before its type."""
    text = text.partition("=")[0]
    before, colon, _ = text.partition(":")
    words = _PARAMETER.findall(before if colon else text)
    return words[0 if first and not colon else -1] if words else ""


def generated(
    kind: str,
    name: str,
    owners: Sequence[str],
    signature: str,
    calls: Iterable[str],
    imports: Iterable[str] = (),
) -> str:
    """Return a line made of names alone: kind, words of the name, owner, parameters, what it calls
    and imports.

    It tells nothing that the code does not, and is for readers of what nobody described.
    """
    told = f"{kind} {name if kind == 'file' else humanised(name)}"
    if owners:
        told += f" of {owners[-1]}"
    if takes := parameters(signature)[:PARAMETERS_NAMED]:
        told += f"; takes {', '.join(takes)}"
    if called := list(dict.fromkeys(calls))[:CALLS_NAMED]:
        told += f"; calls {', '.join(called)}"
    if imported := list(dict.fromkeys(imports))[:CALLS_NAMED]:
        told += f"; imports {', '.join(imported)}"
    return shortened(told)
