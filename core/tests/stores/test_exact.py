"""The exact scan, against sums written out in plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sourcebook.errors import BadRequest
from sourcebook.store import Scored
from sourcebook.stores.exact import MEAN_SHARE, check_query, mean_lengths, merge, scan, tempered

VALUES = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0])
VECTORS = st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=40)


def by_hand(
    vectors: list[tuple[float, ...]], owners: list[int], query: tuple[float, ...], limit: int
) -> list[tuple[str, float]]:
    rows: dict[int, list[tuple[float, ...]]] = {}
    for vector, owner in zip(vectors, owners, strict=True):
        rows.setdefault(owner, []).append(vector)
    ranked = []
    for owner, own in rows.items():
        score = max(dot(vector, query) for vector in own)
        if len(own) > 1:
            mean = tuple(sum(numbers) / len(own) for numbers in zip(*own, strict=True))
            length = dot(mean, mean) ** 0.5
            score = (1 - MEAN_SHARE) * score
            score += MEAN_SHARE * dot(mean, query) / length if length else 0.0
        ranked.append((-score, f"{owner:03}"))
    return [(row_id, -score) for score, row_id in sorted(ranked)[:limit]]


def dot(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def name(row: int) -> str:
    return f"{row:03}"


def as_pairs(hits: list[Scored]) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in hits]


def agree(hits: list[Scored], wanted: list[tuple[str, float]]) -> None:
    """Compare in order, equals aside: sums by hand are rounded otherwise."""
    assert [hit.score for hit in hits] == pytest.approx([score for _, score in wanted], abs=2e-6)
    for hit in hits:
        near = [score for row_id, score in wanted if row_id == hit.id]
        if near:
            assert hit.score == pytest.approx(near[0], abs=2e-6)
    assert as_pairs(hits) == sorted(as_pairs(hits), key=lambda pair: (-pair[1], pair[0]))


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
    kept = data.draw(st.sets(st.sampled_from(owners)))
    picked = [number for number in range(n) if owners[number] in kept]
    matrix, vector = np.array(vectors, np.float32), np.array(query, np.float32)
    numbers = np.array(picked, np.int64)
    chosen = [vectors[number] for number in picked]
    rows = np.array(owners)

    agree(scan(matrix, rows, vector, limit, name), by_hand(vectors, owners, query, limit))
    lengths = mean_lengths(matrix, rows)
    agree(
        scan(matrix, rows, vector, limit, name, numbers, lengths),
        by_hand(chosen, [owners[number] for number in picked], query, limit),
    )


@given(st.integers(1, 30), st.integers(0, 2**32))
def test_no_row_is_nearer_than_one(count: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    vectors = generator.standard_normal((60, 16)) * generator.choice([0.01, 1, 30], (60, 1))
    matrix = np.asarray(vectors / np.linalg.norm(vectors, axis=1)[:, None], np.float32)
    owners = np.sort(generator.integers(0, count, 60))
    for hit in scan(matrix, owners, matrix[0], 60, name):
        assert -1 - 1e-5 <= hit.score <= 1 + 1e-5


@given(st.integers(1, 30), st.integers(0, 2**32))
def test_the_best_product_with_tempered_vectors_is_the_nearness_of_a_row(
    count: int, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    matrix, query = made(60, 16), made(61, 16)[60]
    owners = np.sort(generator.integers(0, count, 60))
    owners[0] = 0
    numbers = np.flatnonzero(owners != generator.integers(1, 31))
    moved = list(tempered(matrix, owners, mean_lengths(matrix, owners), numbers))
    products = np.concatenate(moved) @ query
    for hit in scan(matrix, owners, query, 60, name, numbers):
        best = products[[name(owner) == hit.id for owner in owners[numbers].tolist()]].max()
        assert best == pytest.approx(hit.score, abs=1e-5)


def test_vectors_that_cancel_out_have_no_direction_and_no_nan() -> None:
    vector = made(1, 8)[0]
    matrix = np.stack([vector, -vector])
    (hit,) = scan(matrix, np.array([0, 0]), vector, 5, name)
    assert hit.score == pytest.approx(1 - MEAN_SHARE)


def made(count: int, width: int) -> NDArray[np.float32]:
    vectors = np.random.default_rng(1).standard_normal((count, width))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1)[:, None], np.float32)


def test_a_score_does_not_depend_on_where_a_vector_stands() -> None:
    matrix, query = made(1000, 384), made(3, 384)[2]
    whole = {hit.id: hit.score for hit in scan(matrix, np.arange(1000), query, 1000, name)}
    for start in range(0, 1000, 97):
        part = matrix[start : start + 97]
        for hit in scan(part, np.arange(len(part)), query, 1000, str):
            assert hit.score == whole[name(start + int(hit.id))]


def test_more_equal_vectors_than_are_scored_at_once_still_go_by_id() -> None:
    matrix = np.repeat(made(1, 384), 5000, axis=0)
    hits = scan(matrix, np.arange(5000), matrix[0], 3, lambda row: f"{(row * 7919) % 5000:04}")
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
