"""What comes first among what was found: code that was written for use before tests of it."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from attrs import evolve
from sourcebook.index.open import Generation, Index
from sourcebook.retrieval.analyse import analyse
from sourcebook.retrieval.find import Found, find
from sourcebook.retrieval.fuse import ranked
from sourcebook.verbs.narrow import Narrowed
from sourcebook.verbs.search import Wording

from sourcebook_code.marks import GENERATED, MINIFIED, TEST, is_test

VECTOR_SHARE: Final = 0.75
"""Share of the vectors in the fused score: names are the words of whoever chose them."""

ROLE_SHARES: Final = {TEST: 0.7, GENERATED: 0.7, MINIFIED: 0.5}
"""What of its score is left to an entry of such a file; docs/decisions.md has figures."""

KIND_SHARES: Final = {"file": 0.8, "constant": 0.85}
"""The same of what a file holds beside its declarations, and of constants: few questions are about
them, and their few words are near many."""

LOOKED_AT: Final = 48
"""Of the best, of which it is looked at what they are: that takes 20 microseconds each."""

TESTING: Final = frozenset(("test", "fixtur", "mock", "spec", "assert", "pytest", "unittest"))
"""Terms of questions that ask for tests, which then are what comes first."""

_of_tests = lru_cache(16384)(is_test)


def rank(index: Index, asked: Wording, narrowed: Narrowed) -> Found:
    """Run the legs that are asked, fuse them, and put code that was written for use first."""
    if narrowed.unmet:
        return Found(None, (), ())
    # Code asks nothing: without its mark a question is nearer to what answers it.
    wording = asked.vector.rstrip(" ?？") or asked.vector
    vector = index.embedder.embed_query(wording) if wording else None
    found = find(
        index.generation,
        text=asked.text,
        vector=vector,
        filters=narrowed.filters,
        vector_share=VECTOR_SHARE,
    )
    return _ordered(index.generation, found, analyse(asked.text or asked.vector))


def _ordered(generation: Generation, found: Found, asked: Iterable[str]) -> Found:
    """Return what was found with the scores of tests, of what machines wrote, and of some kinds
    lowered.

    Args:
        asked: the terms of the question. One that asks for tests lowers none.
    """
    testing = not TESTING.isdisjoint(asked)
    scores: dict[str, float] = {}
    for at, one in enumerate(found.fused):
        place = generation.find(one.id)
        if place is None:
            continue
        segment, row = place
        share = 1.0
        if not testing and _of_tests(segment.source(segment.source_of(row))[0]):
            share = ROLE_SHARES[TEST]
        if at < LOOKED_AT:
            outline = segment.outline(row)
            share *= KIND_SHARES.get(outline.kind, 1.0)
            for role in outline.filters.get("role", ()):
                share *= 1.0 if role == TEST else ROLE_SHARES.get(role, 1.0)
        scores[one.id] = one.score * share
    return evolve(found, fused=tuple(ranked(scores)))
