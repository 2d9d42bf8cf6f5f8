"""Names that came from outside, as messages show them: clean, short, with the nearest known one."""

from collections.abc import Iterable, Sequence

SHOWN = 80
"""Characters of a foreign name that a message repeats."""

WORDS_SHOWN = 400
"""Characters of the words of a foreign text that a message repeats."""


def shown(name: str) -> str:
    """Return a name without control characters, cut to `SHOWN` characters."""
    clean = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name)
    return clean if len(clean) <= SHOWN else clean[: SHOWN - 1] + "…"


def shown_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the first words of a text that came from outside, `WORDS_SHOWN` characters of them,
    each as `shown`; a last one like `[… 5,000 words …]` marks what is left out."""
    kept: list[str] = []
    room = WORDS_SHOWN
    for word in words:
        kept.append(shown(word))
        room -= len(kept[-1])
        if room < 0:
            kept[-1] = f"[… {len(words) - len(kept) + 1:,} words …]"
            break
    return tuple(kept)


def nearest(name: str, known: Iterable[str], cutoff: float = 0.7) -> str:
    """Return the known name that `name` is probably a slip of, or "".

    Args:
        cutoff: the likeness needed, from 0 to 1 (`difflib.SequenceMatcher.ratio`).
    """
    from difflib import get_close_matches

    return next(iter(get_close_matches(name[:SHOWN], [*known], n=1, cutoff=cutoff)), "")


def counted(count: int, noun: str, many: str = "") -> str:
    """Return `1 source` or `2 sources`; `many` is for nouns whose plural is not made by an s."""
    return f"{count} {noun if count == 1 else many or noun + 's'}"


def near_miss(name: str, known: Iterable[str]) -> str:
    """Return a hint with the nearest known name, or ""."""
    close = nearest(name, known)
    return f"did you mean `{close}`?" if close else ""


def described(error: BaseException) -> str:
    """Return an exception as one line: its class and message."""
    text = " ".join(str(error).split())
    if len(text) > 4 * SHOWN:
        text = text[: 4 * SHOWN - 1] + "…"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
