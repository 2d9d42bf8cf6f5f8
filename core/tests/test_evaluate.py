"""Measures, against figures worked out by hand."""

from functools import partial
from math import isnan, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.evaluate import mean, mrr, ndcg_at, recall_at, roc_auc, success_at

RANKING = ["d1", "d2", "d3", "d4", "d5"]
QRELS = {"d2": 3.0, "d4": 1.0, "d9": 2.0, "d1": 0.0}


def test_recall_counts_the_relevant_among_the_first() -> None:
    assert recall_at(RANKING, QRELS, 1) == 0
    assert recall_at(RANKING, QRELS, 2) == pytest.approx(1 / 3)
    assert recall_at(RANKING, QRELS, 5) == pytest.approx(2 / 3)
    assert recall_at(RANKING, {}, 5) == 0
    assert [success_at(RANKING, QRELS, k) for k in (1, 2, 5)] == [0, 1, 1]


def test_mrr_is_one_over_the_first_relevant_rank() -> None:
    assert mrr(RANKING, QRELS) == 0.5
    assert mrr(RANKING, QRELS, k=1) == 0
    assert mrr([], QRELS) == 0


def test_ndcg_by_each_gain() -> None:
    ideal = 3 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert ndcg_at(RANKING, QRELS, 10) == pytest.approx((3 / log2(3) + 1 / log2(5)) / ideal)
    binary = (1 / log2(3) + 1 / log2(5)) / (1 / log2(2) + 1 / log2(3) + 1 / log2(4))
    assert ndcg_at(RANKING, QRELS, 10, gain="binary") == pytest.approx(binary)
    exponential = (7 / log2(3) + 1 / log2(5)) / (7 / log2(2) + 3 / log2(3) + 1 / log2(4))
    assert ndcg_at(RANKING, QRELS, 10, gain="exponential") == pytest.approx(exponential)
    with pytest.raises(ValueError, match="cubic"):
        ndcg_at(RANKING, QRELS, 10, gain="cubic")


def test_the_mean_leaves_out_questions_without_an_answer() -> None:
    qrels = {"q1": QRELS, "q2": {"x": 1.0}, "absent": {}, "graded zero": {"d1": 0.0}}
    assert mean(mrr, {"q1": RANKING, "absent": RANKING}, qrels) == 0.25
    assert mean(partial(recall_at, k=5), {}, {}) == 0


@given(st.permutations(RANKING), st.integers(1, 6))
def test_measures_lie_between_0_and_1_and_the_best_order_has_1(ranking: list[str], k: int) -> None:
    for gain in ("linear", "binary", "exponential"):
        assert 0 <= ndcg_at(ranking, QRELS, k, gain=gain) <= 1
        assert ndcg_at(["d2", "d9", "d4"], QRELS, k, gain=gain) == pytest.approx(1)
    assert 0 <= recall_at(ranking, QRELS, k) <= success_at(ranking, QRELS, k) <= 1


def test_an_id_that_comes_twice_counts_once() -> None:
    assert ndcg_at(["d2", "d2", "d2"], {"d2": 1.0, "d3": 1.0}, 3) < 1


def test_auc_counts_pairs_in_the_right_order() -> None:
    assert roc_auc([0.9, 0.8], [0.1, 0.2]) == 1
    assert roc_auc([0.5], [0.5]) == 0.5
    assert roc_auc([0.9, 0.3, 0.3], [0.3, 0.1]) == pytest.approx((2 + 1.5 + 1.5) / 6)
    assert isnan(roc_auc([], [0.1]))
