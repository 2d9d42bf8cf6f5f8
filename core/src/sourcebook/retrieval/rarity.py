"""How rare a word is in general English, whatever the corpus."""

from functools import cache, lru_cache
from math import log
from pathlib import Path

WORDS_KEPT = 4096

LEAST = 0.02
"""No word is worth nothing: a query of one letter or one `the` still finds where it stands."""


@lru_cache(WORDS_KEPT)
def rarity(word: str) -> float:
    """Return `LEAST` for the commonest word of English, towards 1 for rare ones, 1 if unlisted.

    It is the logarithm of the word's rank by frequency over that of the last rank. A corpus of a
    few hundred entries cannot tell "what" from "cors" by counting; this can, and where a language
    is not English it says 1 for all and so changes nothing. Single letters tell least.

    Args:
        word: as it stands in the text, in lower case.
    """
    if len(word) == 1 and word.isascii() and word.isalnum():
        return LEAST
    words, ranks = _words()
    at = words.find(b"\n" + word.encode("utf-8", "replace") + b"\n")
    return 1.0 if at < 0 else max(LEAST, log(words.count(b"\n", 0, at) + 1) / ranks)


@cache
def _words() -> tuple[bytes, float]:
    # Searched as bytes: a dictionary of all words would cost a cold search more than it saves.
    words = b"\n" + Path(__file__).with_name("words.txt").read_bytes()
    return words, log(words.count(b"\n") - 1)
