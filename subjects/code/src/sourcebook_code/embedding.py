"""The text that vectors of code are made of: words, since the models read prose."""

import re
from typing import Final

from sourcebook.model import IndexedEntry

from sourcebook_code.describe import humanised

OWNER: Final = "owner"
"""The field that says what the owner of a declaration is for."""

_TOKEN: Final = re.compile(r"\w+|[.,:!?'\"-]+(?=\s)")

_EVERYWHERE: Final = frozenset(
    """
    self cls this def fn fun func function return if else elif for in is not and or import from as
    with try except catch raise throw class None True False null nil true false undefined lambda
    yield await async pass const let var val new export typeof void number string any unknown
    boolean bool int extends implements public private protected readonly static final override
    """.split()  # noqa: SIM905
)
"""Words that are in all code of a language, and so tell nothing and take the room of others."""


def embedding_text(entry: IndexedEntry, body: str) -> tuple[str, str]:
    """Return what stands before each window of an entry's text, and that text, both as words.

    Before it stand its names, and what it is for if somebody described it, else what its owner is
    for: methods are seldom documented, and their classes often.
    """
    name = " ".join(map(humanised, entry.title.split(".")))
    if entry.facts.get("described"):
        return f"{name}: {entry.facts['description']}", in_words(body)
    owner = entry.fields.get(OWNER, "")
    return f"{name}. {owner}" if owner else name, in_words(body)


def in_words(code: str) -> str:
    """Return code as the words of its names, line by line, without what all code has."""
    lines = (" ".join(_words(line)) for line in code.split("\n"))
    return "\n".join(line for line in lines if line)


def _words(line: str) -> list[str]:
    found = [one for one in _TOKEN.findall(line) if one not in _EVERYWHERE]
    if not any(one[0].isalnum() or one[0] == "_" for one in found):
        return []
    return [one if one.isdigit() else humanised(one) for one in found]
