"""Fusion: several rankings made one."""

from collections.abc import Mapping, Sequence

from sourcebook.store import Scored

RRF_K = 10
"""Damping of the top ranks; docs/decisions.md has the figures of others."""


def fuse(
    rankings: Mapping[str, Sequence[Scored]],
    *,
    rrf_k: int = RRF_K,
    weights: Mapping[str, float] | None = None,
) -> list[Scored]:
    """Fuse rankings by the weighted sum of 1 / (rrf_k + rank).

    Args:
        rankings: each best first by the leg's name, ranks from 1; an entry absent from one adds
            nothing there.
        rrf_k: damping of the top ranks, in ranks.
        weights: of the legs, default 1.

    Returns:
        Every entry of every ranking, best first; ties by id, so that two runs agree.

    Source:
        Cormack, Clarke and Buettcher, SIGIR 2009.
    """
    scores: dict[str, float] = {}
    for name, ranking in rankings.items():
        weight = 1.0 if weights is None else weights.get(name, 1.0)
        for rank, one in enumerate(ranking, start=1):
            scores[one.id] = scores.get(one.id, 0.0) + weight / (rrf_k + rank)
    return sorted((Scored(*pair) for pair in scores.items()), key=lambda one: (-one.score, one.id))
