"""Evidence, asked of real indexes."""

import itertools
import math

import numpy as np
import pytest
from sourcebook.errors import BadRequest
from sourcebook.index.open import Index
from sourcebook.retrieval.evidence import FORMULAS, LEVELS, Evidence, aligned, assess
from sourcebook.retrieval.find import Found, find
from sourcebook.testing.indexes import ask

from .conftest import Indexed

ANIMALS = (
    "zebras sleep standing up",
    "yaks carry loads across mountain passes",
    "lions hunt at dusk",
    "storks nest on chimneys",
)


def evidence(index: Index, query: str, **more: object) -> Evidence:
    found: Evidence = ask(index, "search", query=query, **more).evidence
    return found


def test_what_is_there_is_strong_and_what_is_not_is_none(indexed: Indexed) -> None:
    index = indexed(*ANIMALS)
    assert evidence(index, "where do storks nest?").level == "strong"
    absent = evidence(index, "quantum chromodynamics lattice")
    assert (absent.level, absent.reason) == ("none", "no_term_in_index")
    assert absent.missing == absent.distinctive
    assert absent.hint


def test_the_same_share_of_a_longer_question_is_more_evidence(indexed: Indexed) -> None:
    index = indexed(*ANIMALS)
    short = evidence(index, "yaks photosynthesis")
    long = evidence(
        index, "yaks carry loads across mountain passes photosynthesis lattice gauge spinor tensor"
    )
    assert short.figures["concentration"] == pytest.approx(long.figures["concentration"], abs=0.05)
    assert short.figures["amount"] < long.figures["amount"]
    assert short.figures["figure"] < long.figures["figure"]
    assert (short.level, long.level) == ("none", "strong")


def test_no_text_is_so_long_that_chance_makes_it_strong(indexed: Indexed) -> None:
    shared = [f"marmot{number}" for number in range(60)]
    index = indexed(*ANIMALS, " ".join(shared))
    found = evidence(index, " ".join([*shared, *(f"quark{number}" for number in range(600))]))
    assert found.figures["amount"] > 0.9
    assert found.level != "strong"


def test_an_answer_repeats_little_of_a_long_query(indexed: Indexed) -> None:
    words = [f"marmot{number}" for number in range(5_000)]
    response = ask(indexed(*ANIMALS, " ".join(words)), "search", query=" ".join(words))
    assert response.hits
    told = [response.evidence.distinctive, response.evidence.matched, response.hits[0].terms]
    assert all(sum(map(len, one)) < 500 for one in told)
    assert all(one[-1].endswith(" words …]") for one in told)


@pytest.mark.parametrize("field", ["query", "text_query", "vector_query"])
def test_a_query_that_is_too_long_is_told_how_long_it_may_be(indexed: Indexed, field: str) -> None:
    with pytest.raises(BadRequest) as caught:
        ask(indexed(*ANIMALS), "search", **{field: "storks nest " * 250_000})
    assert "at most 100,000 characters, and this has 2,999,999" in caught.value.message
    assert caught.value.where == field


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("embedding", ["none", "hash"])
def test_a_word_that_all_of_a_tiny_corpus_holds_is_found(
    indexed: Indexed, count: int, embedding: str
) -> None:
    index = indexed(*[f"pump number {n}" for n in range(count)], embedding=embedding)
    response = ask(index, "search", query="pump")
    assert response.evidence.level != "none"
    assert len(response.hits) >= 1


def test_words_that_tell_nothing_are_weak_and_shown(indexed: Indexed) -> None:
    index = indexed(*ANIMALS, "the cat sat on the mat")
    response = ask(index, "search", query="the on")
    assert response.evidence.level == "weak"
    assert response.evidence.reason == "only_ubiquitous_terms"
    assert response.hits


def test_a_phrase_that_is_nowhere_is_said(indexed: Indexed) -> None:
    assert evidence(indexed(*ANIMALS), '"dusk at lions"').reason == "phrase_not_found"


def test_a_filter_that_nothing_fits_is_said(indexed: Indexed) -> None:
    found = evidence(indexed(*ANIMALS), "lions", kind=("quote",))
    assert (found.level, found.reason) == ("none", "nothing_fits_the_filter")


def test_coverage_is_of_the_corpus_and_of_what_the_filter_lets_through(indexed: Indexed) -> None:
    index = indexed(*ANIMALS)
    found = evidence(index, "storks hunt", source=("2.note",))
    assert found.figures["coverage"] == 1
    assert 0 < found.figures["coverage_narrowed"] < 1


def test_the_level_decides_whether_hits_are_shown(indexed: Indexed) -> None:
    index = indexed(*ANIMALS)
    query = "zebras quantum chromodynamics lattice gauge"
    level = evidence(index, query).level
    for asked in LEVELS:
        shown = ask(index, "search", query=query, min_evidence=asked).hits
        assert bool(shown) == (LEVELS.index(level) >= LEVELS.index(asked))


def test_copies_of_the_corpus_change_no_level(indexed: Indexed) -> None:
    index = indexed(*ANIMALS * 3)
    assert evidence(index, "where do storks nest?").level == "strong"
    assert evidence(index, "quantum chromodynamics lattice").level == "none"


def test_figures_are_finite_and_levels_follow_them(indexed: Indexed) -> None:
    index = indexed(*ANIMALS, embedding="hash")
    words = ["zebra", "the", "quantum", "nest", '"lions hunt"', "…", "東京", "a"]
    for count, mode in itertools.product((1, 2, 3), ("text", "vector", "hybrid")):
        for chosen in itertools.combinations(words, count):
            found = evidence(index, " ".join(chosen), mode=mode)
            assert all(math.isfinite(value) for value in found.figures.values())
            assert found.level in LEVELS
            assert (found.reason == "") == (found.level == "strong"), chosen
            assert set(found.matched) | set(found.missing) == set(found.distinctive)


def test_nothing_found_in_an_empty_index_is_said() -> None:
    assert assess(Found(None, (), ()), entries=0).reason == "empty_index"


def test_formulas_rise_with_every_signal() -> None:
    for formula in FORMULAS.values():
        assert 0 < formula.weak < formula.strong < 1
        low = dict.fromkeys(formula.weights, 0.2)
        for name in formula.weights:
            assert formula.figure({**low, name: 0.8}) > formula.figure(low)


def test_an_embedder_of_another_scale_is_judged_alike() -> None:
    generator = np.random.default_rng(1)
    common = generator.standard_normal(16)
    vectors = generator.standard_normal((100, 16)) + 3 * common
    background = (vectors / np.linalg.norm(vectors, axis=1)[:, None]).astype(np.float32)
    among = (background @ background.T)[np.triu_indices(100, 1)]
    figures = {"nearness": float(among.mean()), "joint": float(among.mean()) + 0.5}
    moved = aligned(figures, "another", background)
    assert moved["nearness"] < 0.3 < figures["nearness"]
    assert moved["joint"] - moved["nearness"] == pytest.approx(0.5)
    assert aligned(figures, "minilm", background) == figures
    assert aligned(figures, "another", background[:5]) == figures


def test_a_subject_may_set_its_own_bars(indexed: Indexed) -> None:
    found = find(indexed(*ANIMALS).generation, text="where do storks nest?", filters={})
    assert assess(found, entries=4).level == "strong"
    judged = assess(found, entries=4, bars={"text": (0.9999999, 0.99999999)})
    assert judged.level == "none"
    assert judged.bars == {"weak": 0.9999999, "strong": 0.99999999}


def test_finding_needs_no_vector_and_no_text(indexed: Indexed) -> None:
    index = indexed(*ANIMALS)
    assert find(index.generation, filters={}).fused == ()
