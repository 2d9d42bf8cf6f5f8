"""BM25F: how well entries fit words, from stored term counts and the corpus's own rarities.

A term weighs what it tells: its idf in this corpus times its rarity in general English
(`rarity.py`), so that "how do I" weighs little even where few documents ask questions. Scores are
shares of the weight of the whole query, terms that occur nowhere included: 1 would be an entry
that every term saturates, and 0.5 means the same in any corpus.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from attrs import frozen

from sourcebook.index.open import Generation, Statistics
from sourcebook.index.postings import Wanted
from sourcebook.index.segment import Segment
from sourcebook.retrieval.analyse import QueryTerm

K1: Final = 1.2
B_BODY: Final = 0.75
B_SHORT: Final = 0.5
"""How much the length of a field counts: titles and paths are short by nature."""

PRIOR: Final = 50
"""Entries without the term that are imagined beside the corpus: in one of three entries, a word
that all of them hold would else tell nothing."""


def idf(entries: int, df: int) -> float:
    """Return the weight of a term that `df` of `entries` hold; always positive.

    Source:
        Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, with the 1 inside the
        logarithm that Lucene uses, and `PRIOR`.
    """
    return math.log(1.0 + (PRIOR + max(entries - df, 0) + 0.5) / (df + 0.5))


@frozen
class Weighed:
    """A term of a query in a corpus: how many entries hold it, and what it weighs.

    `weight` (idf * rarity) is for ranking, `telling` (idf * rarity^2) for judging evidence, where
    everyday words must count even less.
    """

    term: str
    word: str
    rarity: float
    df: int
    weight: float
    telling: float


def weigh(terms: Sequence[QueryTerm], statistics: Statistics) -> list[Weighed]:
    """Return what the terms of a query weigh in a corpus, in their order."""
    weighed = []
    for one in terms:
        df = statistics.df.get(one.term, 0)
        weight = idf(statistics.entries, df) * one.rarity
        weighed.append(Weighed(one.term, one.word, one.rarity, df, weight, weight * one.rarity))
    return weighed


class Scorer:
    """Scores entries of one generation for the terms of one query.

    Args:
        generation: where the entries are.
        terms: the weighed terms, also those that occur nowhere.
        fields: weight by field name, in the order of the index.
        statistics: of the whole corpus, also under a filter.
    """

    def __init__(
        self,
        generation: Generation,
        terms: Sequence[Weighed],
        fields: Mapping[str, float],
        statistics: Statistics,
    ) -> None:
        whole = sum(one.weight for one in terms) or 1.0
        self._shares = [one.weight / whole for one in terms]
        self._fields = []
        for (name, weight), mean in zip(fields.items(), statistics.mean_lengths, strict=True):
            b = B_BODY if name == "body" else B_SHORT
            self._fields.append((weight, 1.0 - b, b / max(mean, 1.0)))
        self._wanted = {
            id(segment): Wanted(
                {
                    number: place
                    for place, one in enumerate(terms)
                    if one.df and (number := segment.term_number(one.term)[0]) >= 0
                }
            )
            for segment in generation.segments.values()
        }

    def score(self, segment: Segment, row: int) -> tuple[float, tuple[int, ...]]:
        """Return the score of an entry, 0 to 1, and the places of the terms that it holds.

        Source:
            Zaragoza, Craswell, Taylor, Saria and Robertson, TREC 2004: term frequencies are
            normalised by each field's length and weighted before they saturate.
        """
        matches = segment.matches(row, self._wanted[id(segment)])
        if not matches:
            return 0.0, ()
        lengths = segment.lengths(row)
        frequencies: dict[int, float] = {}
        for number, place, tf in matches:
            weight, flat, slope = self._fields[number]
            normalised = weight / (flat + slope * lengths[number]) * tf
            frequencies[place] = frequencies.get(place, 0.0) + normalised
        total = 0.0
        held = tuple(sorted(frequencies))
        for place in held:
            frequency = frequencies[place]
            total += self._shares[place] * frequency / (K1 + frequency)
        return total, held
