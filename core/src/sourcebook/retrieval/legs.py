"""The legs of a search: each a ranking of entries by one retriever, narrowed alike."""

import re
from typing import TYPE_CHECKING

from attrs import frozen

from sourcebook.index.open import Generation, Statistics
from sourcebook.retrieval.analyse import analyse
from sourcebook.retrieval.keyword import Scorer
from sourcebook.store import Filters, Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CANDIDATES = 400
"""Entries that a lexical store is asked for; the core scores them all."""

_PHRASE = re.compile(r'"([^"]+)"')


@frozen
class TextLeg:
    """A ranking by words, with what evidence is judged from.

    Args:
        ranking: entries by BM25F, best first, ties by id.
        terms: the distinct terms of the query, in order.
        statistics: of the whole corpus for these terms.
        held: by id, the terms that an entry holds.
    """

    ranking: tuple[Scored, ...]
    terms: tuple[str, ...]
    statistics: Statistics
    held: dict[str, tuple[str, ...]]


def text_leg(
    generation: Generation, text: str, filters: Filters, *, limit: int = CANDIDATES
) -> TextLeg:
    """Rank entries by the words of `text`.

    Words inside double quotes must follow one another, where the store can tell.
    """
    terms = tuple(dict.fromkeys(analyse(text)))
    statistics = generation.statistics(terms)
    reader = generation.reader("lexical")
    if reader is None or not terms:
        return TextLeg((), terms, statistics, {})
    phrases = [words for part in _PHRASE.findall(text) if len(words := analyse(part)) > 1]
    # Rarest first: a store that stops early has then seen what matters.
    wanted = sorted((term for term in terms if statistics.df[term]), key=statistics.df.__getitem__)
    candidates = reader.candidates(wanted, limit, filters, phrases) if wanted else []
    scorer = Scorer(generation, wanted, list(generation.subject.fields.values()), statistics)
    scored: list[Scored] = []
    held: dict[str, tuple[str, ...]] = {}
    for entry_id in candidates:
        place = generation.find(entry_id)
        if place is None:
            continue
        score, holds = scorer.score(*place)
        scored.append(Scored(entry_id, score))
        held[entry_id] = tuple(term for term, one in zip(scorer.terms, holds, strict=True) if one)
    scored.sort(key=lambda one: (-one.score, one.id))
    return TextLeg(tuple(scored), terms, statistics, held)


def vector_leg(
    generation: Generation, vector: "NDArray[np.float32]", filters: Filters, *, limit: int
) -> tuple[Scored, ...]:
    """Rank entries by the cosine of their best vector with `vector`."""
    reader = generation.reader("vector")
    if reader is None:
        return ()
    return tuple(reader.nearest(vector, limit, filters))
