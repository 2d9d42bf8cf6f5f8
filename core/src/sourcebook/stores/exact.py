"""The exact scan over vectors, and the one place where a similarity becomes a score.

Engines sum in different orders and so differ in the last digits, which would reorder equals from
store to store. So an index of any kind, approximate ones included, only finds vectors here; what
it found is scored by `rescore` in double precision and rounded to what single precision can
tell apart. Equal vectors then have equal scores everywhere, and ties go by id.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sourcebook.errors import BadRequest
from sourcebook.store import Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCORE_DIGITS: Final = 6
"""Decimals of a score: float32 unit vectors of some hundred numbers carry no more."""

_NOISE: Final = 1e-5
"""More than a float32 scan can be wrong by: all this near to the last place is scored again."""

_SCORED_AT_ONCE: Final = 2048
"""Vectors widened to double precision at a time, which bounds memory when all are equal."""

_GATHER_SHARE: Final = 0.25
"""Below this share of picked vectors they are gathered, above it all are scanned and masked."""


def scan(
    matrix: "NDArray[np.float32]",
    owners: "NDArray[np.int64] | None",
    query: "NDArray[np.float32]",
    limit: int,
    id_of: Callable[[int], str],
    picked: "NDArray[np.int64] | None" = None,
) -> list[Scored]:
    """Return the `limit` best rows by their best vector, best first, ties by id.

    Args:
        matrix: the vectors, shape [n, dimensions]; may be a memory map.
        owners: the row each vector belongs to, ascending, shape [n]; None where vector i is the
            only one of row i.
        query: shape [dimensions].
        limit: rows, not vectors.
        id_of: the id of a row.
        picked: the vectors that count, ascending; None for all.
    """
    import numpy as np

    if picked is None:
        scores = matrix @ query
    elif len(picked) < _GATHER_SHARE * len(matrix):
        scores = matrix[picked] @ query
    else:
        scores = (matrix @ query)[picked]
    if limit < 1 or not len(scores):
        return []
    if owners is None:
        best = scores
    else:
        best = np.full(int(owners[-1]) + 1, -np.inf, dtype=np.float32)
        np.maximum.at(best, owners if picked is None else owners[picked], scores)
    last = max(0, len(best) - limit)
    bar = np.partition(best, last)[last] - _NOISE
    near = np.flatnonzero(scores >= bar)
    numbers = near if picked is None else picked[near]
    return rescore(matrix, owners, query, limit, id_of, numbers)


def rescore(
    matrix: "NDArray[np.float32]",
    owners: "NDArray[np.int64] | None",
    query: "NDArray[np.float32]",
    limit: int,
    id_of: Callable[[int], str],
    numbers: "NDArray[np.int64]",
) -> list[Scored]:
    """Return the best rows among the vectors `numbers`; the other arguments are those of `scan`."""
    import numpy as np

    wide = query.astype(np.float64)
    best: dict[int, float] = {}
    for start in range(0, len(numbers), _SCORED_AT_ONCE):
        part = numbers[start : start + _SCORED_AT_ONCE]
        # Summed row by row, since a matrix product may round a row by where it stands.
        scores = (matrix[part].astype(np.float64) * wide).sum(axis=1).round(SCORE_DIGITS)
        rows = part if owners is None else owners[part]
        for row, score in zip(rows.tolist(), scores.tolist(), strict=True):
            if score > best.get(row, -np.inf):
                best[row] = score
    ranked = sorted((-score, id_of(row)) for row, score in best.items())
    # Adding zero makes the negative zero of an orthogonal vector a plain one.
    return [Scored(row_id, 0.0 - negated) for negated, row_id in ranked[:limit]]


def merge(rankings: "list[list[Scored]]", limit: int) -> list[Scored]:
    """Return the best of several rankings over different rows, in the order of `scan`."""
    ranked = sorted((-hit.score, hit.id) for ranking in rankings for hit in ranking)
    return [Scored(row_id, 0.0 - negated) for negated, row_id in ranked[: max(0, limit)]]


def check_query(query: "NDArray[np.float32]", dimensions: int) -> None:
    """Refuse a query vector that fits no vector of the store.

    Raises:
        BadRequest: the store holds no vectors, or vectors of another width.
    """
    if query.shape != (dimensions,) or not dimensions:
        held = f"vectors of {dimensions}" if dimensions else "no vectors"
        raise BadRequest(f"the query has shape {list(query.shape)}, the store holds {held}")
