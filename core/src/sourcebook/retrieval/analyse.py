"""Text to terms: the one analyser of index, query, evidence and document frequencies."""

import re

ANALYSER_VERSION = 0

_WORD = re.compile(r"[^\W_]+(?:[_.'/@-][^\W_]+)*")


def analyse(text: str) -> list[str]:
    """Return the terms of `text` in order."""
    return [word.casefold() for word in _WORD.findall(text)]
