"""The exact scan over vectors, and the one place where a similarity becomes a score.

Engines sum in different orders and so differ in the last digits, which would reorder equals from
store to store. So an index of any kind, approximate ones included, only finds vectors here; what
it found is scored by `rescore` in double precision and rounded to what single precision can
tell apart. Equal vectors then have equal scores everywhere, and ties go by id.

A long text has several vectors, one for each window. How near it is to a query is its best window,
tempered by the whole: `(1 - MEAN_SHARE) * best cosine + MEAN_SHARE * cosine with the mean of its
vectors`, which for a single vector is its cosine. The mean needs no second matrix: its cosine is
the sum of the cosines over the length of the sum of the vectors.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from sourcebook.errors import BadRequest
from sourcebook.store import Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCORE_DIGITS: Final = 6
"""Decimals of a score: float32 unit vectors of some hundred numbers carry no more."""

MEAN_SHARE: Final = 0.4
"""MRR@10 on FastAPI's documentation by vectors alone: .48 with 0, .55 with 0.4, .56 with 0.5;
evidence tells answerable questions apart best at 0.3 to 0.5."""

_NOISE: Final = 1e-5
"""More than a float32 scan can be wrong by: all this near to the last place is scored again."""

_SCORED_AT_ONCE: Final = 2048
"""Rows whose vectors are widened to double precision at a time, which bounds memory."""

_GATHER_SHARE: Final = 0.25
"""Below this share of picked vectors they are gathered, above it all are scanned and masked."""


def scan(
    matrix: "NDArray[np.float32]",
    owners: "NDArray[np.integer]",
    query: "NDArray[np.float32]",
    limit: int,
    id_of: Callable[[int], str],
    picked: "NDArray[np.int64] | None" = None,
    lengths: "NDArray[np.float32] | None" = None,
) -> list[Scored]:
    """Return the `limit` nearest rows, best first, ties by id.

    Args:
        matrix: the vectors, shape [n, dimensions]; may be a memory map.
        owners: the row each vector belongs to, ascending, shape [n].
        query: shape [dimensions].
        limit: rows, not vectors.
        id_of: the id of a row.
        picked: the vectors that count, all of a row or none, ascending; None for every one.
        lengths: what `mean_lengths` returns, for readers that keep it; None to compute it here.
    """
    import numpy as np

    if picked is None:
        scores = _products(matrix, query)
    elif len(picked) < _GATHER_SHARE * len(matrix):
        scores = _products(matrix[picked], query)
    else:
        scores = _products(matrix, query)[picked]
    if limit < 1 or not len(scores):
        return []
    starts = _starts(owners if picked is None else owners[picked])
    nearness: NDArray[Any] = scores
    if len(starts) < len(scores):
        if lengths is None:
            lengths = mean_lengths(matrix, owners)
        whole = lengths[starts if picked is None else picked[starts]]
        counts = np.diff(starts, append=len(scores))
        nearness = (1 - MEAN_SHARE) * np.maximum.reduceat(scores, starts)
        nearness += MEAN_SHARE * np.add.reduceat(scores, starts) / counts / whole
    last = max(0, len(nearness) - limit)
    bar = np.partition(nearness, last)[last] - _NOISE
    near = starts[nearness >= bar]
    numbers = near if picked is None else picked[near]
    return rescore(matrix, owners, query, limit, id_of, numbers, lengths)


def _products(matrix: "NDArray[np.float32]", query: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return the dot product of each row with `query`.

    By `vecdot`, a product for each row: 2.7 ms of CPU for 50,000 vectors of 384 numbers, as quick
    as FAISS. `@` takes 2 to 8, since it hands so small a product to BLAS threads that wait by
    spinning, and `einsum` 4 to 6.
    """
    import numpy as np

    products: NDArray[np.float32] = np.vecdot(matrix, query)
    return products


def rescore(
    matrix: "NDArray[np.float32]",
    owners: "NDArray[np.integer]",
    query: "NDArray[np.float32]",
    limit: int,
    id_of: Callable[[int], str],
    numbers: "NDArray[np.int64]",
    lengths: "NDArray[np.float32] | None" = None,
) -> list[Scored]:
    """Return the nearest among the rows that own any of the vectors `numbers`, each scored by all
    of its vectors; the other arguments are those of `scan`."""
    import numpy as np

    wide = query.astype(np.float64)
    rows = np.unique(owners[numbers])
    begin = np.searchsorted(owners, rows)
    end = np.searchsorted(owners, rows, side="right")
    ranked: list[tuple[float, str]] = []
    for at in range(0, len(rows), _SCORED_AT_ONCE):
        part = slice(at, at + _SCORED_AT_ONCE)
        counts = end[part] - begin[part]
        starts = np.append(0, np.cumsum(counts)[:-1])
        places = np.arange(counts.sum()) + np.repeat(begin[part] - starts, counts)
        vectors = matrix[places].astype(np.float64)
        # Row by row, since a matrix product may round a row by where it stands.
        scores = np.vecdot(vectors, wide)
        nearness = np.maximum.reduceat(scores, starts)
        several = counts > 1
        if several.any():
            if lengths is None:
                own = mean_lengths(matrix[places], owners[places])[starts]
            else:
                own = lengths[begin[part]]
            whole = np.add.reduceat(scores, starts) / counts / own
            nearness = np.where(several, (1 - MEAN_SHARE) * nearness + MEAN_SHARE * whole, nearness)
        for row, score in zip(
            rows[part].tolist(), nearness.round(SCORE_DIGITS).tolist(), strict=True
        ):
            ranked.append((-score, id_of(row)))
    ranked.sort()
    # Subtracting from zero makes the negative zero of an orthogonal vector a plain one.
    return [Scored(row_id, 0.0 - negated) for negated, row_id in ranked[:limit]]


def mean_lengths(
    matrix: "NDArray[np.float32]", owners: "NDArray[np.integer]"
) -> "NDArray[np.float32]":
    """Return, for each vector, the length of the mean of the vectors of its row, shape [n].

    It depends on no query, so that readers compute it once.
    """
    import numpy as np

    if not len(owners):
        return np.zeros(0, np.float32)
    starts = _starts(owners)
    counts = np.diff(starts, append=len(owners))
    lengths = np.ones(len(starts), np.float32)
    several = np.flatnonzero(counts > 1)
    for at in range(0, len(several), _SCORED_AT_ONCE):
        part = several[at : at + _SCORED_AT_ONCE]
        inner = np.append(0, np.cumsum(counts[part])[:-1])
        places = np.arange(counts[part].sum()) + np.repeat(starts[part] - inner, counts[part])
        means = np.add.reduceat(matrix[places], inner) / counts[part][:, None]
        lengths[part] = _length(means)
    return np.repeat(lengths, counts)


def tempered(
    matrix: "NDArray[np.float32]",
    owners: "NDArray[np.integer]",
    lengths: "NDArray[np.float32]",
    numbers: "NDArray[np.int64]",
) -> "Iterator[NDArray[np.float32]]":
    """Yield, in batches, for each of some vectors one whose product with a query is what a row of
    this best vector has as its nearness: the nearness of a row is the best of these products.

    Args:
        lengths: what `mean_lengths` returns.
        numbers: the vectors, at least one, all of a row or none, ascending.
    """
    import numpy as np

    starts = np.append(_starts(owners[numbers]), len(numbers))
    for at in range(0, len(starts) - 1, _SCORED_AT_ONCE):
        bounds = starts[at : at + _SCORED_AT_ONCE + 1]
        part = numbers[bounds[0] : bounds[-1]]
        vectors, counts = matrix[part], np.diff(bounds)
        sums = np.add.reduceat(vectors, bounds[:-1] - bounds[0])
        directions = sums / (counts * lengths[numbers[bounds[:-1]]])[:, None]
        moved = (1 - MEAN_SHARE) * vectors + MEAN_SHARE * np.repeat(directions, counts, axis=0)
        yield moved.astype(np.float32)


def _starts(owners: "NDArray[np.integer]") -> "NDArray[np.int64]":
    """Return where each row's vectors begin; they stand together."""
    import numpy as np

    return np.append(0, np.flatnonzero(owners[1:] != owners[:-1]) + 1)


def _length(means: "NDArray[Any]") -> "NDArray[Any]":
    """Return the lengths of means, infinite for those that cancel out: they point nowhere."""
    import numpy as np

    lengths = np.sqrt((means * means).sum(axis=1))
    return np.where(lengths > _NOISE, lengths, np.inf)


def merge(rankings: "list[list[Scored]]", limit: int) -> list[Scored]:
    """Return the best of several rankings over different rows, in the order of `scan`."""
    if len(rankings) == 1:
        return rankings[0][: max(0, limit)]
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
