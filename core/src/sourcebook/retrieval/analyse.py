"""Text to terms: the one analyser of index, query, evidence and document frequencies.

A term is what two texts share when they use the same word: compatibility forms, case and accents
are folded, English words are stemmed. Names keep what they are and are taken apart, too:
`getUserName` gives `getusername get user name`, `etc/main.toml` gives `etc/main.toml etc main.toml
main toml`. Scripts without spaces between words give pairs of characters. No word is left out:
how little a common word tells is weighed (`rarity`, `keyword`), not decided here.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from attrs import frozen

from sourcebook.retrieval.rarity import rarity
from sourcebook.retrieval.stem import stem

ANALYSER_VERSION: Final = 1
"""Moves when any text gives other terms: kept parses are then made again."""

TERM_LENGTH: Final = 100
"""Characters after which a term is cut off."""

_WORDS_KEPT: Final = 200_000
_LENGTH_KEPT: Final = 64

# Marks that `\w` does not count among the letters they belong to.
_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    "\u07a6-\u07b0\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09d7"
    "\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57"
    "\u0b82\u0bbe-\u0bd7\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03"
    "\u0d3b-\u0d4d\u0d57\u0dca-\u0ddf\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc"
    "\u0ec8-\u0ecd\u0f18\u0f19\u0f35\u0f37\u0f39\u0f71-\u0f87\u0f90-\u0fbc\u102b-\u103e\u17b4-\u17d3"
)
_LETTER: Final = rf"[\w{_MARKS}]"
_TOKEN: Final = re.compile(
    rf"@?{_LETTER}+(?:['’]{_LETTER}+|[-./:@+]{{1,3}}{_LETTER}+)*(?:\+\+|#)?", re.UNICODE
)
_ACCENT: Final = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]"
)
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_SEPARATORS: Final = (re.compile(r"[/:@]+"), re.compile(r"[.+]+"), re.compile("-+"))
_HUMP: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+|[^\W_]")
_SHORTENED: Final = frozenset(("s", "re", "ve", "ll", "d", "m"))
_CLIPPED: Final = {"ca": "can", "wo": "will", "sha": "shall", "": "n"}

Term = tuple[str, str]
"""A term, and the word in lower case that it was made of, by which it is rare or common; a name
taken whole is no word of a language, so that is empty."""


def analyse(text: str) -> list[str]:
    """Return the terms of `text` in order. None is empty, holds white space or is longer than
    `TERM_LENGTH`; equal words give equal terms wherever they stand."""
    found: list[str] = []
    kept = _terms_kept
    for token in _tokens(text):
        terms = kept.get(token)
        if terms is None:
            terms = _keep(token)
        found.extend(terms)
    return found


@frozen
class QueryTerm:
    """A distinct term of a query; `rarity` is how rare it is in general English, 0 to 1; `word`
    is what a reader is shown of it: the word or name itself, in lower case."""

    term: str
    rarity: float
    word: str


def query_terms(text: str) -> list[QueryTerm]:
    """Return the distinct terms of a query in order, each as rare as its commonest word."""
    found: dict[str, QueryTerm] = {}
    for token in _tokens(text):
        for term, word in _expand(token):
            one = QueryTerm(term, rarity(word) if word else 1.0, word or term)
            known = found.setdefault(term, one)
            if one.rarity < known.rarity:
                found[term] = one
    return list(found.values())


_terms_kept: dict[str, tuple[str, ...]] = {}


def _tokens(text: str) -> list[str]:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _TOKEN.findall(text)


def _keep(token: str) -> tuple[str, ...]:
    terms = tuple(term for term, _ in _expand(token))
    if len(token) <= _LENGTH_KEPT:
        if len(_terms_kept) >= _WORDS_KEPT:
            _terms_kept.clear()
        _terms_kept[token] = terms
    return terms


def _expand(token: str) -> Iterator[Term]:
    """Yield the terms of a token: the whole name, then what it is made of."""
    if token.isascii() and token.isalpha() and (token.islower() or token.istitle()):
        word = token.lower()
        yield _stem(word)[:TERM_LENGTH], word
    elif token.endswith(("++", "#")):
        yield fold(token), ""
    else:
        yield from _split(token.replace("’", "'"), 0)


def _split(name: str, level: int) -> Iterator[Term]:
    """Yield a name whole and its parts, cut at the widest separator first."""
    for deeper in range(level, len(_SEPARATORS)):
        parts = [part for part in _SEPARATORS[deeper].split(name) if part]
        if len(parts) > 1 or (parts and parts[0] != name):
            whole = fold(name)
            if not _UNSPACED.search(whole):
                yield whole, ""
            for part in parts:
                yield from _split(part, deeper + 1)
            return
    yield from _words(name)


def _words(name: str) -> Iterator[Term]:
    """Yield the terms of a name without separators: a word, or humps and parts between `_`."""
    if "'" in name:
        yield from _without_apostrophe(name)
        return
    if _UNSPACED.search(name):
        yield from _unspaced(name)
        return
    humps = _HUMP.findall(name) if name.isascii() else [part for part in name.split("_") if part]
    if len(humps) > 1 or "_" in name:
        yield fold(name), ""
        for hump in humps:
            yield _word(hump)
    else:
        yield _word(name)


def _without_apostrophe(name: str) -> Iterator[Term]:
    """Yield the words of a contraction: `don't` is `do not`, `we'll` is `we`, `l'eau` `l eau`."""
    parts = [part for part in name.split("'") if part]
    if len(parts) > 1 and parts[-1].lower() == "t" and parts[-2].lower().endswith("n"):
        verb = parts[-2][:-1]
        parts[-2:] = [_CLIPPED.get(verb.lower(), verb), "not"]
    elif len(parts) > 1 and parts[-1].lower() in _SHORTENED:
        parts.pop()
    for part in parts:
        yield from _words(part)


def _unspaced(name: str) -> Iterator[Term]:
    """Yield pairs of the characters of scripts without spaces, single ones alone, and the rest."""
    at = 0
    for run in _UNSPACED.finditer(name):
        if at < run.start():
            yield from _words_of_rest(name[at : run.start()])
        text = run.group()
        for start in range(max(1, len(text) - 1)):
            yield text[start : start + 2], text[start : start + 2]
        at = run.end()
    if at < len(name):
        yield from _words_of_rest(name[at:])


def _words_of_rest(rest: str) -> Iterable[Term]:
    rest = rest.strip("_")
    return _words(rest) if rest else ()


def _word(word: str) -> Term:
    folded = fold(word)
    if folded.isascii() and folded.isalpha():
        return _stem(folded)[:TERM_LENGTH], folded
    return folded, folded


def _stem(word: str) -> str:
    return _stem_kept(word) if len(word) <= _LENGTH_KEPT else stem(word)


# Names are made of the same words over and over.
_stem_kept = lru_cache(_WORDS_KEPT)(stem)


def fold(word: str) -> str:
    """Return a word without case and accents, at most `TERM_LENGTH` characters of it."""
    if word.isascii():
        return word.lower()[:TERM_LENGTH]
    plain = _ACCENT.sub("", unicodedata.normalize("NFD", word.casefold()))
    return unicodedata.normalize("NFKC", plain)[:TERM_LENGTH] or word[:TERM_LENGTH]
