"""BM25F: how well entries fit words, from stored term counts and the corpus's own rarities.

A term weighs what it tells: its idf in this corpus times its rarity in general English
(`rarity.py`), so that "how do I" weighs little even where few documents ask questions. Scores are
shares of the weight of the whole query, terms that occur nowhere included: 1 would be an entry
that every term saturates, and 0.5 means the same in any corpus.
"""

import math
import sys
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

LEAST_AT_ONCE: Final = 24
"""Entries of one segment that numpy scores sooner than a loop."""


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

    def score_all(
        self, places: Sequence[tuple[Segment, int]]
    ) -> list[tuple[float, tuple[int, ...]]]:
        """Return what `score` does of each entry; with numpy, where something else needs it and
        has loaded it, in a third of the time."""
        if "numpy" not in sys.modules:
            return [self.score(*place) for place in places]
        found: list[tuple[float, tuple[int, ...]]] = [(0.0, ())] * len(places)
        numbers: dict[Segment, list[int]] = {}
        for number, (segment, _) in enumerate(places):
            numbers.setdefault(segment, []).append(number)
        for segment, some in numbers.items():
            rows = [places[number][1] for number in some]
            if len(rows) < LEAST_AT_ONCE:
                scored = [self.score(segment, row) for row in rows]
            else:
                scored = self._score_rows(segment, rows)
            for number, one in zip(some, scored, strict=True):
                found[number] = one
        return found

    def _score_rows(
        self, segment: Segment, rows: Sequence[int]
    ) -> list[tuple[float, tuple[int, ...]]]:
        """Return what `score` does of each row, to the last bit: sums have the same order."""
        import numpy as np

        numbers, terms = np.array(rows), len(self._shares)
        row, field, place, tf = segment.matches_all(numbers, self._wanted[id(segment)])
        weight, flat, slope = np.array(self._fields).T
        normalised = (weight / (flat + slope * segment.lengths_all(numbers)))[row, field] * tf
        cell = row * terms + place
        frequencies = np.bincount(cell, normalised, len(rows) * terms).reshape(-1, terms)
        gains = self._shares * frequencies / (K1 + frequencies)
        totals = np.zeros(len(rows))
        for gain in gains.T:
            totals += gain
        held_by, held = np.nonzero(frequencies)
        ends = np.searchsorted(held_by, np.arange(len(rows)), side="right").tolist()
        flat_held = held.tolist()
        return [
            (total, tuple(flat_held[begin:end]))
            for total, begin, end in zip(totals.tolist(), [0, *ends], ends, strict=False)
        ]

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
