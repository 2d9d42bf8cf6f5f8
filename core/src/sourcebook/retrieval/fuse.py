"""Fusion: several rankings made one."""

from collections.abc import Mapping, Sequence
from typing import Final

from sourcebook.store import Scored

RRF_K: Final = 10
"""Damping of the top ranks; docs/decisions.md has the figures of others."""

VECTOR_SHARE: Final = 0.65
HASH_SHARE: Final = 0.2
"""Share of the vector leg: of an embedder that knows meanings, and of one that knows words only,
which then says what the text leg says, less exactly."""


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
        for vectors, where every entry has some nearness, as much as the last neighbour: it cannot
        be nearer than that.

    Source:
        Cormack, Clarke and Buettcher, SIGIR 2009, for `rrf`.
    """
    scores: dict[str, float] = {}
    base = 0.0
    for name, ranking in rankings.items():
        weight = 1.0 if weights is None else weights.get(name, 1.0)
        floor = ranking[-1].score if name == "vector" and ranking and fusion == "scores" else 0.0
        base += weight * floor
        if fusion == "scores":
            gains = [one.score - floor for one in ranking]
        else:
            gains = [1.0 / (rrf_k + rank) for rank in range(1, len(ranking) + 1)]
        for one, gain in zip(ranking, gains, strict=True):
            scores[one.id] = scores.get(one.id, 0.0) + weight * gain
    return ranked({entry_id: base + score for entry_id, score in scores.items()})


def ranked(scores: Mapping[str, float]) -> list[Scored]:
    """Return ids by score, best first, ties by id."""
    best_first = sorted([(-score, entry_id) for entry_id, score in scores.items()])
    return [Scored(entry_id, -negated) for negated, entry_id in best_first]
