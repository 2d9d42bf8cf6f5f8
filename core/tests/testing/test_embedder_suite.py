"""The suite for embedders notices what it is there to notice."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest
from attrs import evolve, frozen
from sourcebook.embedder import Embedder, EmbedderOptions, EmbedderPlugin
from sourcebook.embedders.hash import HashEmbedder, choose
from sourcebook.testing import EmbedderConformance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]

Fault = Callable[[Sequence[str], "Vectors"], "Vectors"]


@frozen
class Faulty(HashEmbedder):
    """`hash` with one fault."""

    fault: Fault = lambda _texts, vectors: vectors

    def embed_documents(self, texts: Sequence[str]) -> "Vectors":
        return self.fault(texts, super().embed_documents(texts))


def suite_for(load: Callable[[str, EmbedderOptions], Embedder]) -> EmbedderConformance:
    class Suite(EmbedderConformance):
        embedder = EmbedderPlugin("hash", load)

    return Suite()


def cut(texts: Sequence[str], vectors: "Vectors") -> "Vectors":
    return HashEmbedder(vectors.shape[1]).embed_documents([text[:2000] for text in texts])


def blended(_texts: Sequence[str], vectors: "Vectors") -> "Vectors":
    mixed = vectors + vectors.sum(axis=0, keepdims=True) / 10
    lengths: Vectors = np.linalg.norm(mixed, axis=1, keepdims=True)
    normed: Vectors = mixed / lengths
    return normed


def doubled(_texts: Sequence[str], vectors: "Vectors") -> "Vectors":
    return vectors * 2


def reordered(texts: Sequence[str], vectors: "Vectors") -> "Vectors":
    return vectors[sorted(range(len(texts)), key=lambda place: len(texts[place]))]


@pytest.mark.parametrize(
    ("fault", "test"),
    [
        (doubled, EmbedderConformance.test_a_question_becomes_one_unit_vector),
        (reordered, EmbedderConformance.test_vectors_come_in_the_order_of_the_texts),
        (reordered, EmbedderConformance.test_a_question_in_the_words_of_a_text_finds_it),
        (blended, EmbedderConformance.test_a_vector_does_not_depend_on_the_texts_beside_it),
        (cut, EmbedderConformance.test_the_end_of_a_long_text_counts),
    ],
)
def test_a_wrong_vector_is_noticed(
    fault: Fault, test: Callable[[EmbedderConformance], None]
) -> None:
    def load(model: str, options: EmbedderOptions) -> Embedder:
        made = choose(model, options)
        return Faulty(made.dimensions, made.max_batch, fault)

    with pytest.raises(AssertionError):
        test(suite_for(load))


def test_an_option_that_does_nothing_is_noticed() -> None:
    one_width = suite_for(lambda model, options: choose(model, evolve(options, dimensions=0)))
    with pytest.raises(AssertionError):
        one_width.test_another_width_is_another_fingerprint()
    one_batch = suite_for(lambda model, options: choose(model, evolve(options, batch=0)))
    with pytest.raises(AssertionError):
        one_batch.test_the_size_of_a_batch_moves_no_vector_and_no_fingerprint()


def test_tests_are_chosen_by_what_is_declared() -> None:
    suite = suite_for(choose)
    assert suite.test_an_answer_in_other_words_is_nearer_than_another_text is None
    assert suite.test_another_process_makes_the_same_vectors is None
    assert suite.test_its_tokenizer_is_registered_and_gives_spans_in_order is not None
