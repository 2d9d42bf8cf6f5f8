"""English words to stems, so that `indexes`, `indexed` and `indexing` are one term.

Written out rather than taken from a package: the generated Python of the Snowball project takes
80 microseconds a word, which would be most of the time of a build without vectors.
"""

from typing import Final

VOWELS: Final = frozenset("aeiouy")
DOUBLES: Final = frozenset(("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"))
LI_BEFORE: Final = frozenset("cdeghkmnrt")

EXCEPTIONS: Final = {
    "skis": "ski", "skies": "sky", "idly": "idl", "gently": "gentl", "ugly": "ugli",
    "early": "earli", "only": "onli", "singly": "singl", "sky": "sky", "news": "news",
    "howe": "howe", "atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes",
    "dying": "die", "lying": "lie", "tying": "tie", "paste": "paste",
}  # fmt: skip
LEFT_AFTER_PLURAL: Final = frozenset(
    ("inning", "outing", "canning", "herring", "earring", "evening", "proceed", "exceed", "succeed")
)
REGION_AFTER: Final = (
    "gener", "commun", "arsen", "univers", "organ", "emerg", "inter", "later", "past",
)  # fmt: skip

# Longest first: the first ending that fits is the one that counts.
STEP_2: Final = (
    ("ational", "ate"), ("fulness", "ful"), ("iveness", "ive"), ("ization", "ize"),
    ("ousness", "ous"), ("biliti", "ble"), ("lessli", "less"), ("tional", "tion"),
    ("alism", "al"), ("aliti", "al"), ("ation", "ate"), ("entli", "ent"), ("fulli", "ful"),
    ("iviti", "ive"), ("ousli", "ous"), ("abli", "able"), ("alli", "al"), ("anci", "ance"),
    ("ator", "ate"), ("enci", "ence"), ("izer", "ize"), ("bli", "ble"), ("ogist", "og"),
    ("ogi", "og"), ("li", ""),
)  # fmt: skip
STEP_3: Final = (
    ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("ative", ""), ("icate", "ic"),
    ("iciti", "ic"), ("ical", "ic"), ("ness", ""), ("ful", ""),
)  # fmt: skip
STEP_4: Final = (
    "ement", "able", "ance", "ence", "ible", "ment", "ant", "ate", "ent", "ion", "ism", "iti",
    "ive", "ize", "ous", "al", "er", "ic",
)  # fmt: skip


def stem(word: str) -> str:
    """Return the stem of a lower-case word of the letters a to z.

    Source:
        M. Porter, the Snowball English stemmer ("Porter2"), 2001.
    """
    if len(word) <= 2:
        return word
    if word in EXCEPTIONS:
        return EXCEPTIONS[word]
    word = _mark_consonant_y(word)
    r1, r2 = _regions(word)
    word = _plural(word)
    if word in LEFT_AFTER_PLURAL:
        return word
    word = _past(word, r1)
    if word[-1] in "yY" and len(word) > 2 and word[-2] not in VOWELS:
        word = word[:-1] + "i"
    word = _step_2(word, r1)
    word = _step_3(word, r1, r2)
    word = _step_4(word, r2)
    return _final(word, r1, r2).lower()


def _mark_consonant_y(word: str) -> str:
    """Write a `y` that is a consonant, at the start or after a vowel, as `Y`."""
    if "y" not in word:
        return word
    letters = list(word)
    for at, letter in enumerate(letters):
        if letter == "y" and (at == 0 or letters[at - 1] in VOWELS):
            letters[at] = "Y"
    return "".join(letters)


def _regions(word: str) -> tuple[int, int]:
    """Return where the first and the second region begin in which endings may be taken off."""
    first = next((len(one) for one in REGION_AFTER if word.startswith(one)), 0)
    first = first or _region(word, 0)
    return first, _region(word, first)


def _region(word: str, start: int) -> int:
    """Return the place after the first consonant that follows a vowel."""
    for at in range(start + 1, len(word)):
        if word[at] not in VOWELS and word[at - 1] in VOWELS:
            return at + 1
    return len(word)


def _has_vowel(part: str) -> bool:
    return not VOWELS.isdisjoint(part)


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word[-1] == "s" and word[-2] not in "us" and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _past(word: str, r1: int) -> str:
    for ending in ("eedly", "eed"):
        if word.endswith(ending):
            return word[: -len(ending)] + "ee" if len(word) - len(ending) >= r1 else word
    for ending in ("ingly", "edly", "ing", "ed"):
        if not word.endswith(ending):
            continue
        rest = word[: -len(ending)]
        if not _has_vowel(rest):
            return word
        if rest.endswith(("at", "bl", "iz")):
            return rest + "e"
        if rest[-2:] in DOUBLES:
            return rest if len(rest) == 3 and rest[0] in "aeo" else rest[:-1]
        if r1 >= len(rest) and _short_end(rest):
            return rest + "e"
        return rest
    return word


def _short_end(word: str) -> bool:
    """Whether a word ends in a short syllable: consonant, vowel, consonant, or vowel, consonant."""
    if len(word) == 2:
        return word[0] in VOWELS and word[1] not in VOWELS
    return (
        len(word) > 2
        and word[-3] not in VOWELS
        and word[-2] in VOWELS
        and word[-1] not in VOWELS
        and word[-1] not in "wxY"
    )


def _step_2(word: str, r1: int) -> str:
    for ending, instead in STEP_2:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            if len(rest) < r1:
                return word
            if ending in ("ogi", "ogist") and rest[-1:] != "l":
                return word
            if ending == "li" and rest[-1:] not in LI_BEFORE:
                return word
            return rest + instead
    return word


def _step_3(word: str, r1: int, r2: int) -> str:
    for ending, instead in STEP_3:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            region = r2 if ending == "ative" else r1
            return rest + instead if len(rest) >= region else word
    return word


def _step_4(word: str, r2: int) -> str:
    for ending in STEP_4:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            if len(rest) < r2 or (ending == "ion" and rest[-1:] not in ("s", "t")):
                return word
            return rest
    return word


def _final(word: str, r1: int, r2: int) -> str:
    rest = word[:-1]
    if word[-1] == "e":
        return rest if len(rest) >= r2 or (len(rest) >= r1 and not _short_end(rest)) else word
    if word[-1] == "l" and len(rest) >= r2 and rest[-1:] == "l":
        return rest
    return word
