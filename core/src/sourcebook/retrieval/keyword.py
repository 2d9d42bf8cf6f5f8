"""BM25F: how well entries fit words, from stored term counts and the corpus's own rarities."""

import math
from collections.abc import Mapping, Sequence

from sourcebook.index.open import Generation, Statistics
from sourcebook.index.segment import Segment

K1 = 1.2
B = 0.75


def idf(entries: int, df: int) -> float:
    """Return the weight of a term that `df` of `entries` hold; never negative.

    Source:
        Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, with the 1 inside the
        logarithm that Lucene uses.
    """
    return math.log(1.0 + (entries - df + 0.5) / (df + 0.5))


class Scorer:
    """Scores entries of one generation for the terms of one query.

    Args:
        generation: where the entries are.
        terms: distinct query terms.
        weights: of the fields, in their order.
        statistics: of the whole corpus, also under a filter.
    """

    def __init__(
        self,
        generation: Generation,
        terms: Sequence[str],
        weights: Sequence[float],
        statistics: Statistics,
    ) -> None:
        self._terms = [term for term in terms if statistics.df.get(term)]
        self._weights = weights
        self._means = [max(mean, 1.0) for mean in statistics.mean_lengths]
        self._idf = [idf(statistics.entries, statistics.df[term]) for term in self._terms]
        self._numbers = {
            id(segment): [segment.term_number(term)[0] for term in self._terms]
            for segment in generation.segments.values()
        }

    @property
    def terms(self) -> list[str]:
        """The terms that occur in the corpus at all."""
        return self._terms

    def idf_of(self) -> Mapping[str, float]:
        """Return the idf of each term that occurs."""
        return dict(zip(self._terms, self._idf, strict=True))

    def score(self, segment: Segment, row: int) -> tuple[float, list[bool]]:
        """Return the BM25F score of an entry, and which terms it holds.

        Source:
            Zaragoza, Craswell, Taylor, Saria and Robertson, TREC 2004: term frequencies are
            normalised by each field's length and weighted before they saturate.
        """
        frequencies = segment.frequencies(row, self._numbers[id(segment)])
        lengths = segment.lengths(row)
        total = 0.0
        held = []
        norms = [
            weight / (1.0 - B + B * length / mean)
            for weight, length, mean in zip(self._weights, lengths, self._means, strict=True)
        ]
        for at, weight in enumerate(self._idf):
            tf = 0.0
            for norm, counts in zip(norms, frequencies, strict=True):
                if counts[at]:
                    tf += norm * counts[at]
            held.append(tf > 0.0)
            total += weight * tf / (K1 + tf)
        return total, held
