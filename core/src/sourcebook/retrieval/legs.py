"""The legs of a search: each a ranking of entries by one retriever, narrowed alike."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from attrs import frozen

from sourcebook.index.open import Generation
from sourcebook.retrieval.analyse import analyse, query_terms
from sourcebook.retrieval.fuse import ranked
from sourcebook.retrieval.keyword import Scorer, Weighed, weigh
from sourcebook.store import Capability, Filters, Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CANDIDATES: Final = 200
"""Entries that make up a leg. Scoring every posting ranked no better (FastAPI MRR@10 .593 against
.598) and took twenty times as long."""

FETCHED_MORE: Final = 4
"""How many times more is fetched where too few of what was found are allowed."""

Allowed = Callable[[str], bool]
"""Whether an entry may be found, by its id: what no filter of a store can say."""

T = TypeVar("T")

_PHRASE: Final = re.compile(r'["“”„]([^"“”„]+)["“”„]')


@frozen(eq=False)
class TextLeg:
    """A ranking by words, with what evidence is judged from.

    Args:
        ranking: entries by BM25F, best first, ties by id; scores from 0 to 1.
        terms: what the distinct terms of the query weigh, in its order.
        entries: how many entries the corpus has.
        held: by id, the places in `terms` of the terms that an entry holds.
        phrases: the quoted phrases that an entry must hold, each as terms.
    """

    ranking: tuple[Scored, ...]
    terms: tuple[Weighed, ...]
    entries: int
    held: Mapping[str, tuple[int, ...]]
    phrases: tuple[tuple[str, ...], ...] = ()

    def held_terms(self, entry_id: str) -> tuple[Weighed, ...]:
        """Return the query's terms that an entry holds."""
        return tuple(self.terms[place] for place in self.held.get(entry_id, ()))


def text_leg(
    generation: Generation,
    text: str,
    filters: Filters,
    *,
    limit: int = CANDIDATES,
    allowed: Allowed | None = None,
) -> TextLeg:
    """Rank entries by the words of `text`.

    Words inside double quotes must follow one another. A store that cannot tell is asked for ever
    more of what holds the words, and the entries' texts tell.
    """
    asked = query_terms(text)
    statistics = generation.statistics([one.term for one in asked])
    terms = weigh(asked, statistics)
    phrases = _phrases(text)
    reader = generation.reader("lexical")
    narrowed = bool(filters or phrases or allowed)
    wanted = _heaviest(terms, limit, narrowed=narrowed)
    if reader is None or not wanted:
        return TextLeg((), tuple(terms), statistics.entries, {}, phrases)
    scorer = Scorer(generation, terms, generation.subject.fields, statistics)
    find = partial(reader.candidates, wanted, filters=filters)
    if phrases and generation.can("lexical", Capability.PHRASES):
        find = partial(find, phrases=phrases)
    elif phrases:
        allowed = _holding(generation, phrases, allowed)
    candidates = _fetch(find, limit, allowed, lambda one: one)
    places = {one: place for one in candidates if (place := generation.find(one)) is not None}
    scores: dict[str, float] = {}
    held: dict[str, tuple[int, ...]] = {}
    for one, scored in zip(places, scorer.score_all(list(places.values())), strict=True):
        scores[one], held[one] = scored
    return TextLeg(tuple(ranked(scores)), tuple(terms), statistics.entries, held, phrases)


def _holding(
    generation: Generation, phrases: Sequence[Sequence[str]], allowed: Allowed | None
) -> Allowed:
    """Return what allows entries that hold some phrases, of those that were allowed."""
    from sourcebook.retrieval.phrases import PhraseCheck

    holds = PhraseCheck(generation, phrases).holds
    return holds if allowed is None else lambda one: allowed(one) and holds(one)


def _heaviest(terms: Sequence[Weighed], limit: int, *, narrowed: bool) -> list[str]:
    """Return the terms to look up, heaviest first: no more than it takes to find `limit` entries,
    so that the long lists of common words stay closed; all of them if only some entries count."""
    wanted: list[str] = []
    found = 0
    for one in sorted(terms, key=lambda one: (-one.weight, one.term)):
        if not one.df:
            continue
        if found >= limit and not narrowed:
            break
        wanted.append(one.term)
        found += one.df
    return wanted


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    """Return what stands in double quotes; a single word needs no order and is no phrase."""
    found = (tuple(analyse(part)) for part in _PHRASE.findall(text))
    return tuple(dict.fromkeys(phrase for phrase in found if len(phrase) > 1))


def vector_leg(
    generation: Generation,
    vector: "NDArray[np.float32]",
    filters: Filters,
    *,
    limit: int = CANDIDATES,
    allowed: Allowed | None = None,
) -> tuple[Scored, ...]:
    """Rank entries by their nearness to `vector`, see `sourcebook.store.VectorReader.nearest`."""
    reader = generation.reader("vector")
    if reader is None:
        return ()
    return tuple(
        _fetch(
            lambda count: reader.nearest(vector, count, filters),
            limit,
            allowed,
            lambda one: one.id,
        )
    )


def _fetch(
    find: Callable[[int], Sequence[T]],
    limit: int,
    allowed: Allowed | None,
    id_of: Callable[[T], str],
) -> Sequence[T]:
    """Return up to `limit` of what `find(count)` finds and is allowed, asking for ever more until
    there are enough or no more: where few are allowed, all of them are found."""
    if allowed is None:
        return find(limit)
    count = limit
    while True:
        found = find(count)
        kept = [one for one in found if allowed(id_of(one))]
        if len(kept) >= limit or len(found) < count:
            return kept[:limit]
        count *= FETCHED_MORE
