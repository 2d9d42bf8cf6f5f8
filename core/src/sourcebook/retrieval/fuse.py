"""Fusion: several rankings made one."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sourcebook.store import Scored

RRF_K: Final = 10
"""Damping of the top ranks; docs/decisions.md has the figures of others."""

VECTOR_SHARE: Final = 0.6
HASH_SHARE: Final = 0.2
"""Share of the vector leg: of an embedder that knows meanings, and of one that knows words only,
which then says what the text leg says, less exactly."""

BEYOND: Final = 0.5
"""How far behind the last neighbour an entry stands that is none, in the distance of the first from
the last: measured, .49 on FastAPI's documentation, .34 on Cranfield, .12 on three long texts."""

DOCUMENT_SHARE: Final = 0.2
"""How much the mean of its document adds to an entry: a page about the question is likelier to
have the answer than a page that mentions it once."""


def fuse(
    rankings: Mapping[str, Sequence[Scored]],
    *,
    fusion: str = "scores",
    weights: Mapping[str, float] | None = None,
    rrf_k: int = RRF_K,
) -> list[Scored]:
    """Fuse rankings by the weighted sum of their scores or, with `rrf`, of 1 / (rrf_k + rank).

    Args:
        rankings: each best first by the leg's name, ranks from 1.
        fusion: `scores` for rankings whose scores mean the same whatever the query, as those of
            BM25F shares and cosines; `rrf` for others.
        weights: of the legs, default 1.
        rrf_k: damping of the top ranks, in ranks.

    Returns:
        Every entry of every ranking, best first; ties by id, so that two runs agree. An entry
        absent from a ranking adds nothing there by rank. By score it adds nothing for words, and
        for vectors, where every entry has some nearness, what `beyond` says.

    Source:
        Cormack, Clarke and Buettcher, SIGIR 2009, for `rrf`.
    """
    scores: dict[str, float] = {}
    base = 0.0
    for name, ranking in rankings.items():
        weight = 1.0 if weights is None else weights.get(name, 1.0)
        floor = beyond(ranking) if name == "vector" and fusion == "scores" else 0.0
        base += weight * floor
        for rank, one in enumerate(ranking, start=1):
            own = one.score - floor if fusion == "scores" else 1.0 / (rrf_k + rank)
            scores[one.id] = scores.get(one.id, 0.0) + weight * own
    return ranked({entry_id: base + score for entry_id, score in scores.items()})


def beyond(neighbours: Sequence[Scored]) -> float:
    """Return the nearness to reckon with for an entry that is not among the neighbours."""
    if not neighbours:
        return 0.0
    first, last = neighbours[0].score, neighbours[-1].score
    return last - BEYOND * (first - last)


def lift_documents(
    fused: Sequence[Scored],
    document_of: Callable[[str], tuple[str, int]],
    share: float = DOCUMENT_SHARE,
    floor: float | None = None,
) -> list[Scored]:
    """Add to each score a share of the mean score of the entry's document.

    Args:
        fused: best first.
        document_of: the name of an entry's document, and how many entries it has.
        share: of the mean.
        floor: the score of the entries that are not in `fused`; None for that of its last one.
    """
    if not fused:
        return []
    last = fused[-1].score if floor is None else floor
    own = {one.id: document_of(one.id) for one in fused}
    above: dict[str, float] = {}
    for one in fused:
        name = own[one.id][0]
        above[name] = above.get(name, 0.0) + one.score - last
    return ranked(
        {
            one.id: one.score + share * (last + above[own[one.id][0]] / max(own[one.id][1], 1))
            for one in fused
        }
    )


def ranked(scores: Mapping[str, float]) -> list[Scored]:
    """Return ids by score, best first, ties by id."""
    return sorted((Scored(*pair) for pair in scores.items()), key=lambda one: (-one.score, one.id))
