"""The exact scan, against sums written out in plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sourcebook.errors import BadRequest
from sourcebook.store import Scored
from sourcebook.stores.exact import SCORE_DIGITS, check_query, merge, scan

VALUES = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0])
VECTORS = st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=40)


def by_hand(
    vectors: list[tuple[float, ...]], owners: list[int], query: tuple[float, ...], limit: int
) -> list[tuple[str, float]]:
    best: dict[int, float] = {}
    for vector, owner in zip(vectors, owners, strict=True):
        score = sum(a * b for a, b in zip(vector, query, strict=True))
        best[owner] = max(score, best.get(owner, -9.0))
    ranked = sorted((-round(score, SCORE_DIGITS), f"{owner:03}") for owner, score in best.items())
    return [(row_id, -score) for score, row_id in ranked[:limit]]


def name(row: int) -> str:
    return f"{row:03}"


def as_pairs(hits: list[Scored]) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in hits]


@given(VECTORS, st.tuples(VALUES, VALUES, VALUES), st.integers(0, 50), st.data())
def test_a_scan_is_what_one_would_compute_by_hand(
    vectors: list[tuple[float, ...]],
    query: tuple[float, ...],
    limit: int,
    data: st.DataObject,
) -> None:
    owners = sorted(
        data.draw(st.lists(st.integers(0, 20), min_size=(n := len(vectors)), max_size=n))
    )
    picked = data.draw(st.lists(st.integers(0, n - 1), unique=True).map(sorted))
    matrix, vector = np.array(vectors, np.float32), np.array(query, np.float32)
    numbers = np.array(picked, np.int64)
    chosen = [vectors[number] for number in picked]

    assert as_pairs(scan(matrix, np.array(owners), vector, limit, name)) == by_hand(
        vectors, owners, query, limit
    )
    assert as_pairs(scan(matrix, np.array(owners), vector, limit, name, numbers)) == by_hand(
        chosen, [owners[number] for number in picked], query, limit
    )
    assert as_pairs(scan(matrix, None, vector, limit, name)) == by_hand(
        vectors, list(range(n)), query, limit
    )
    assert as_pairs(scan(matrix, None, vector, limit, name, numbers)) == by_hand(
        chosen, picked, query, limit
    )


def made(count: int, width: int) -> NDArray[np.float32]:
    vectors = np.random.default_rng(1).standard_normal((count, width))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1)[:, None], np.float32)


def test_a_score_does_not_depend_on_where_a_vector_stands() -> None:
    matrix, query = made(1000, 384), made(3, 384)[2]
    whole = {hit.id: hit.score for hit in scan(matrix, None, query, 1000, name)}
    for start in range(0, 1000, 97):
        part = matrix[start : start + 97]
        for hit in scan(part, None, query, 1000, str):
            assert hit.score == whole[name(start + int(hit.id))]


def test_more_equal_vectors_than_are_scored_at_once_still_go_by_id() -> None:
    matrix = np.repeat(made(1, 384), 5000, axis=0)
    hits = scan(matrix, None, matrix[0], 3, lambda row: f"{(row * 7919) % 5000:04}")
    assert as_pairs(hits) == [("0000", 1.0), ("0001", 1.0), ("0002", 1.0)]


def test_rankings_over_different_rows_merge_by_score_then_id() -> None:
    one = [Scored("b", 0.9), Scored("d", 0.5)]
    two = [Scored("c", 0.9), Scored("a", 0.5)]
    assert [hit.id for hit in merge([one, two], 3)] == ["b", "c", "a"]
    assert merge([], 3) == []
    assert merge([one], 0) == []


def test_a_query_must_have_the_width_of_the_store() -> None:
    check_query(np.zeros(3, np.float32), 3)
    for width, dimensions in ((4, 3), (0, 0), (3, 0)):
        with pytest.raises(BadRequest):
            check_query(np.zeros(width, np.float32), dimensions)
