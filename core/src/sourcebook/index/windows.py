"""Long texts cut into windows that an embedder can take in whole."""

from collections.abc import Iterator
from enum import IntEnum
from unicodedata import combining

from sourcebook.tokens import Tokenizer

SENTENCE_ENDS = frozenset(".!?;:…。！？；：")


class Break(IntEnum):
    """What lies between two tokens: the higher, the better a text is cut there."""

    SHARED_CHARACTER = 0
    ACCENT = 1
    WORD = 2
    MARK = 3
    SPACE = 4
    SENTENCE = 5
    LINE = 6
    PARAGRAPH = 7


def windows(text: str, spans: Tokenizer, size: int, overlap: int = 0) -> list[str]:
    """Return `text` in parts of at most `size` tokens each, in order, nothing left out.

    Parts are of similar length, and cut where it hurts least: between paragraphs, else lines, else
    sentences, else words. Without overlap they are the text when joined. A single character is
    never cut, even if it is more than `size` tokens.

    Args:
        text: what is to be cut; one that fits, an empty one too, comes back as it is.
        spans: the embedder's tokenizer (`sourcebook.tokens.spans`).
        size: the most tokens of one part, at least 1.
        overlap: the most tokens that a part shares with the one before, at most half of `size`.
    """
    if size < 1 or not 0 <= overlap <= size // 2:
        raise ValueError(f"no windows of {size} tokens with an overlap of {overlap}")
    found = spans(text)
    if len(found) <= size:
        return [text]
    parts = list(_cut(text, found, size, overlap))
    if len(parts) == 1:
        return parts
    # Cut again where need be: a word in two may be more tokens than it was whole.
    return [window for part in parts for window in windows(part, spans, size)]


def _cut(text: str, found: list[tuple[int, int]], size: int, overlap: int) -> Iterator[str]:
    first = start = 0
    while (left := len(found) - first) > size:
        count = -(-(left - overlap) // (size - overlap))
        even = first + -(-(left + (count - 1) * overlap) // count)
        lowest = max(first + 1, even - size // 4)
        rate, _, end = max(
            (_rate(text, found, place), -abs(place - even), place)
            for place in range(lowest, first + size + 1)
        )
        if rate is Break.SHARED_CHARACTER:
            apart = (
                place
                for place in range(first + 1, len(found))
                if _rate(text, found, place) is not Break.SHARED_CHARACTER
            )
            end = next(apart, len(found))
            if end == len(found):
                break
        yield text[start : found[end][0]]
        # The next window begins with what is best to begin with, and with more rather than less.
        first = max(
            range(max(first + 1, end - overlap), end + 1),
            key=lambda place: (_rate(text, found, place), -place),
        )
        start = found[first][0]
    yield text[start:]


def _rate(text: str, found: list[tuple[int, int]], place: int) -> Break:
    """Rate a cut between the tokens `place - 1` and `place`."""
    end, start = found[place - 1][1], found[place][0]
    gap = text[end:start]
    if start < end:
        return Break.SHARED_CHARACTER
    if "\n" in gap or "\r" in gap:
        return Break.PARAGRAPH if gap.count("\n") > 1 or gap.count("\r") > 1 else Break.LINE
    if any(map(str.isspace, gap)):
        return Break.SENTENCE if text[end - 1] in SENTENCE_ENDS else Break.SPACE
    if combining(text[start]):
        return Break.ACCENT
    if text[end - 1].isalnum() and text[start].isalnum():
        return Break.WORD
    return Break.MARK
