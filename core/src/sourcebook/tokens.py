"""Sizes of text in tokens: how many a text has and where each of them lies, by tokenizer name.

A tokenizer is a function from a text to the character spans of its tokens. `words` is built in;
the others belong to embedders and are found by the name that an embedder declares.
"""

import re
from collections.abc import Callable
from functools import cache

Tokenizer = Callable[[str], list[tuple[int, int]]]
"""Character spans `(start, end)` of the tokens of a text, `end` not included, in text order."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af"
# A run of letters counts once for every forty characters: a megabyte of base64 is no single word.
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]{{1,40}}|[^\w\s]|_")


def words(text: str) -> list[tuple[int, int]]:
    """Return the spans of words and of single marks of punctuation.

    Each Chinese, Japanese or Korean character counts for itself. Spans neither overlap nor touch
    white space.
    """
    return [match.span() for match in _WORD.finditer(text)]


@cache
def spans(name: str) -> Tokenizer:
    """Return the tokenizer called `name`, loaded once for each process.

    Raises:
        PluginMissing: no installed embedder declares it.
        PluginBroken: two do, or its module cannot be loaded.
    """
    if name == "words":
        return words
    from sourcebook.registry import registry

    return registry().tokenizer(name)


@cache
def counter(name: str) -> Callable[[str], int]:
    """Return a function that counts the tokens of a text, for the tokenizer called `name`.

    Raises:
        PluginMissing: no installed embedder declares it.
    """
    tokenizer = spans(name)
    return lambda text: len(tokenizer(text))
