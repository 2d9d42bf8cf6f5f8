"""BM25F, against sums written out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.index.open import Index
from sourcebook.retrieval.analyse import query_terms
from sourcebook.retrieval.keyword import K1, LEAST_AT_ONCE, PRIOR, Scorer, idf, weigh
from sourcebook.retrieval.legs import CANDIDATES, text_leg, vector_leg
from sourcebook.retrieval.rarity import rarity

from .conftest import Indexed


def ranked(index: Index, query: str) -> list[str]:
    return [one.id.partition("#")[0] for one in text_leg(index.generation, query, {}).ranking]


@given(st.integers(0, 10**7), st.integers(0, 10**7))
def test_idf_is_positive_and_falls_with_df(entries: int, df: int) -> None:
    df = min(df, entries)
    assert idf(entries, df) > 0
    assert idf(entries, df) >= idf(entries, min(df + 1, entries))


def test_a_score_is_the_sum_written_out(indexed: Indexed) -> None:
    index = indexed("zebra", "zebra yak yak lion", "lion")
    leg = text_leg(index.generation, "yak zebra", {})
    weights = {
        "yak": math.log(1 + (PRIOR + 3 - 1 + 0.5) / 1.5) * rarity("yak"),
        "zebra": math.log(1 + (PRIOR + 3 - 2 + 0.5) / 2.5) * rarity("zebra"),
    }
    # Title and body hold the same words; the path holds the name of the source.
    mean = (1 + 4 + 1) / 3
    title, body = 3 / (0.5 + 0.5 * 4 / mean), 1 / (0.25 + 0.75 * 4 / mean)
    expected = sum(
        weight * tf * (title + body) / (K1 + tf * (title + body))
        for weight, tf in ((weights["yak"], 2), (weights["zebra"], 1))
    ) / sum(weights.values())
    assert leg.ranking[0].score == pytest.approx(expected)
    assert [one.word for one in leg.held_terms(leg.ranking[0].id)] == ["yak", "zebra"]


def test_many_entries_at_once_score_as_each_does_to_the_last_bit(indexed: Indexed) -> None:
    drawn = np.random.default_rng(1)
    words = ["zebra", "yak", "lion", "gull", "tide", "the", "of"]
    texts = ["\n\n".join(" ".join(drawn.choice(words, 9)) for _ in range(20)) for _ in range(9)]
    generation = indexed(*texts, "yak").generation
    places = [place for name in generation.sources for place in generation.rows(name)]
    assert len(places) > LEAST_AT_ONCE
    for asked in ("yak", "the zebra of the quagga", "tide gull lion yak", "quagga"):
        terms = query_terms(asked)
        statistics = generation.statistics([one.term for one in terms])
        fields = generation.subject.fields
        scorer = Scorer(generation, weigh(terms, statistics), fields, statistics)
        one_by_one = [scorer.score(*place) for place in places]
        assert scorer.score_all(places) == one_by_one
        assert scorer.score_all(places[:1]) == one_by_one[:1]


def test_scores_are_shares_of_all_that_is_asked(indexed: Indexed) -> None:
    index = indexed("zebra", "yak")
    alone = text_leg(index.generation, "zebra", {}).ranking[0].score
    beside = text_leg(index.generation, "zebra quagga", {}).ranking[0].score
    assert 0 < beside < alone <= 1


def test_everyday_words_weigh_little_even_where_they_are_rare(indexed: Indexed) -> None:
    index = indexed("how do i", "zebra sleeps in hay", "lions hunt", "yaks graze")
    assert ranked(index, "how do i zebra")[0] == "1.note"


def test_a_query_of_one_letter_finds_it(indexed: Indexed) -> None:
    assert ranked(indexed("option b", "option a"), "b") == ["0.note"]


@pytest.mark.parametrize("store", ["memory", "loose"])
def test_a_quoted_phrase_must_stand_in_order(indexed: Indexed, store: str) -> None:
    index = indexed("red house", "house red", "red barn house", store=store)
    assert ranked(index, '"red house"') == ["0.note"]
    assert len(ranked(index, "red house")) == 3
    assert ranked(index, '"red zebra" house') == []
    assert len(ranked(index, '"house" red')) == 3


@pytest.mark.parametrize("store", ["memory", "loose"])
def test_a_phrase_is_found_in_a_title_and_in_what_stands_for_the_text(
    indexed: Indexed, store: str
) -> None:
    index = indexed("# Old red house\n\ngreen", "x\n\nbody: old red", "# Old\n\nred", store=store)
    assert sorted(ranked(index, '"old red"')) == ["0.note", "0.note", "1.note"]
    assert ranked(index, '"old red" "red house"') == ["0.note", "0.note"]


def test_a_store_that_cannot_tell_an_order_is_asked_until_a_phrase_is_found(
    indexed: Indexed,
) -> None:
    best = ["tide red tide red"] * CANDIDATES
    generation = indexed(*best, "A long note with a red tide in it.", store="loose").generation
    last = f"{CANDIDATES}.note#"
    found = text_leg(generation, '"a red tide"', {})
    assert [one.id.startswith(last) for one in found.ranking] == [True]
    assert text_leg(generation, '"a red tide"', {}, allowed=lambda _: False).ranking == ()


def test_names_in_any_spelling_are_found(indexed: Indexed) -> None:
    index = indexed("call refillTankNow()", "header X-Quota-Remaining: 3", "C++ only", "plain c")
    assert ranked(index, "refill_tank_now")[0] == "0.note"
    assert ranked(index, "refilltanknow") == ["0.note"]
    assert ranked(index, "x-quota-remaining")[0] == "1.note"
    assert ranked(index, "C++") == ["2.note"]


def test_common_words_alone_stay_bounded(indexed: Indexed) -> None:
    index = indexed("\n\n".join(f"the note number {n} of the many" for n in range(300)))
    leg = text_leg(index.generation, "the of many", {}, limit=50)
    assert len(leg.ranking) == 50


def test_what_alone_is_allowed_is_found_however_many_fit_better(indexed: Indexed) -> None:
    best = ["tide tide"] * CANDIDATES
    generation = indexed(*best, "A long note that names the tide once.").generation
    assert len(text_leg(generation, "tide", {}).ranking) == CANDIDATES
    last = f"{CANDIDATES}.note#"
    found = text_leg(generation, "tide", {}, allowed=lambda one: one.startswith(last))
    assert [one.id.startswith(last) for one in found.ranking] == [True]
    assert text_leg(generation, "tide", {}, allowed=lambda _: False).ranking == ()


def test_the_nearest_of_what_is_allowed_are_found(indexed: Indexed) -> None:
    index = indexed(*(f"tide {number}" for number in range(CANDIDATES)), "gull", embedding="hash")
    vector = index.embedder.embed_query("tide")
    last = f"{CANDIDATES}.note#"
    found = vector_leg(index.generation, vector, {}, allowed=lambda one: one.startswith(last))
    assert [one.id.startswith(last) for one in found] == [True]
