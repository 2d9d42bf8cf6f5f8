"""Fusion of rankings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.retrieval.fuse import fuse
from sourcebook.store import Scored

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 1), max_size=8)


def ranking(scores: dict[str, float]) -> list[Scored]:
    return sorted((Scored(*pair) for pair in scores.items()), key=lambda one: (-one.score, one.id))


def as_dict(fused: list[Scored]) -> dict[str, float]:
    return {one.id: one.score for one in fused}


def test_rrf_is_the_sum_written_out() -> None:
    fused = fuse(
        {"text": ranking({"a": 9.0, "b": 5.0}), "vector": ranking({"b": 0.9, "c": 0.1})},
        fusion="rrf",
        rrf_k=60,
        weights={"vector": 2.0},
    )
    assert as_dict(fused) == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 2 / 61, "c": 2 / 62})
    assert [one.id for one in fused] == ["b", "c", "a"]


def test_scores_are_summed_and_what_is_no_neighbour_is_as_near_as_the_last() -> None:
    fused = fuse(
        {"text": ranking({"a": 0.5}), "vector": ranking({"b": 0.9, "c": 0.3})},
        weights={"text": 0.4, "vector": 0.6},
    )
    assert as_dict(fused) == pytest.approx({"a": 0.2 + 0.18, "b": 0.54, "c": 0.18})


@given(SCORES, SCORES, st.sampled_from(["scores", "rrf"]))
def test_fusion_keeps_every_entry_once_and_does_not_mind_the_order_of_legs(
    text: dict[str, float], vector: dict[str, float], fusion: str
) -> None:
    legs = {"text": ranking(text), "vector": ranking(vector)}
    fused = fuse(legs, fusion=fusion)
    assert {one.id for one in fused} == text.keys() | vector.keys()
    assert len(fused) == len(text.keys() | vector.keys())
    assert [one.score for one in fused] == sorted((one.score for one in fused), reverse=True)
    turned = fuse(dict(reversed(legs.items())), fusion=fusion)
    assert as_dict(turned) == pytest.approx(as_dict(fused))


@given(SCORES, st.sampled_from(["scores", "rrf"]))
def test_one_ranking_alone_keeps_its_order(text: dict[str, float], fusion: str) -> None:
    assert [one.id for one in fuse({"text": ranking(text)}, fusion=fusion)] == [
        one.id for one in ranking(text)
    ]


def test_equal_scores_go_by_id() -> None:
    fused = fuse({"text": [Scored("b", 0.5), Scored("a", 0.5)]})
    assert [one.id for one in fused] == ["a", "b"]


def test_nothing_fuses_to_nothing() -> None:
    assert fuse({}) == []
    assert fuse({"text": [], "vector": []}) == []
