"""The tokenizer `bert-uncased`: lower case, accents stripped, word pieces of one vocabulary."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

SLICE = 16_384
"""Characters tokenized at once: memory stays small, and longer slices are slower, not faster."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_WORD_BREAK = re.compile(r"[!-/:-@\[-`{-~\u4e00-\u9fff]")


@cache
def load() -> "Tokenizer":
    """Return the tokenizer, built from the vocabulary in this package, once for each process."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    lines = files(__package__).joinpath("vocab.txt").read_text("utf-8").split("\n")
    pieces = {piece: index for index, piece in enumerate(lines) if piece}
    tokenizer = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))  # noqa: S106
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def spans(text: str) -> list[tuple[int, int]]:
    """Return the character spans of the word pieces of `text`, without special tokens.

    Pieces of one character share its span (a Hangul syllable is up to three pieces), so spans may
    be equal, but they never go back. A word of more than a hundred characters is one `[UNK]`,
    one for each slice if it is longer than that. Time grows in line with the text.
    """
    return [
        (start + first, start + end)
        for start, part in slices(text)
        for first, end in _encode(part).offsets
    ]


def ids(text: str) -> list[int]:
    """Return the vocabulary's numbers of the word pieces of `text`, without special tokens."""
    return [piece for _, part in slices(text) for piece in _encode(part).ids]


def slices(text: str) -> Iterator[tuple[int, str]]:
    """Yield `text` in parts of at most `SLICE` characters, each with its start, cut between words.

    A part ends after white space, else after a mark or a Chinese character (each is a word of its
    own), else, in a run of letters longer than a slice, where the slice ends.
    """
    start = 0
    while len(text) - start > SLICE:
        end = _last_break(text, start, start + SLICE)
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def _last_break(text: str, start: int, end: int) -> int:
    space = max(text.rfind(mark, start, end) for mark in " \n\t")
    if space >= 0:
        return space + 1
    return max((found.end() for found in _WORD_BREAK.finditer(text, start, end)), default=end)


def _encode(text: str) -> "Encoding":
    try:
        return load().encode(text, add_special_tokens=False)
    except TypeError:
        # Half of a surrogate pair has no UTF-8 form: an argument's stray byte, a broken escape.
        return load().encode(_LONE_SURROGATE.sub("\ufffd", text), add_special_tokens=False)
