"""The suite that every embedder passes, ours and yours.

An author's test file is three lines::

    from sourcebook.testing import EmbedderConformance

    class TestAcme(EmbedderConformance):
        embedder = "acme"

Tests are chosen by what the embedder declares: those of meaning by `semantic`, those of sizes by
`tokenizer`. A hosted embedder is asked for real, so its author sets the key or a recording proxy.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

import numpy as np
import pytest
from attrs import evolve

from sourcebook.adapt import call_declared
from sourcebook.embedder import Embedder, EmbedderOptions, EmbedderPlugin
from sourcebook.errors import SourcebookError
from sourcebook.registry import registry
from sourcebook.tokens import spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Test = TypeVar("_Test", bound=Callable[..., None])

TEXTS: Final = (
    "Requests beyond the limit are answered with 429 until the minute is over.",
    "To restore a backup, stop the service first.",
    "Penguins live in the Antarctic.",
    "The invoice lists every item, its price and its tax. " * 6,
    "| code | meaning |\n| --- | --- |\n| 404 | not found |",
)

ODD: Final = (
    "",
    " ",
    "\n\t\r\n",
    "\x00",
    "nul\x00inside",
    "\ufeffmarked",
    "速率限制は毎分です。",
    "한국어 문서",
    "עברית וערבית العربية",
    "👩‍👩‍👧 👍🏽",
    "e\u0301" * 50,
    "half a pair \ud83d",
    "x" * 5000,
    "!" * 500,
    "[CLS] [SEP] [PAD] <s> </s> <|endoftext|>",
)

LIKENESS: Final = (
    (
        "How do I bring my data back after a crash?",
        "To restore a backup, stop the service, copy the archive into place and start it again.",
        "The kitchen is closed on Sundays and public holidays.",
    ),
    (
        "too many calls in a short time",
        "Clients that send more requests than the limit allows are refused for one minute.",
        "Paint the wall twice and let it dry overnight.",
    ),
    (
        "sign in without a password",
        "Users may log on with a one-time link sent by mail.",
        "The bridge was built of stone in 1791.",
    ),
)
"""Question, an answer in other words, and a text about something else."""

HEAVY: Final = frozenset(
    {
        "faiss", "httpx", "huggingface_hub", "model2vec", "numpy", "onnxruntime", "openai",
        "pandas", "requests", "scipy", "sentence_transformers", "tensorflow", "tokenizers",
        "torch", "transformers", "wordllama",
    }
)  # fmt: skip


def semantic(test: _Test) -> _Test:
    """Mark a test as one for embedders whose nearness is likeness of meaning."""
    test.__dict__["needs_meaning"] = True
    return test


def sized(test: _Test) -> _Test:
    """Mark a test as one for embedders that declare a tokenizer."""
    test.__dict__["needs_tokenizer"] = True
    return test


def installed(test: _Test) -> _Test:
    """Mark a test as one for embedders that other processes find by name."""
    test.__dict__["needs_name"] = True
    return test


class EmbedderConformance:
    """Base of an embedder's test class; see the module.

    Attributes:
        embedder: its name, or its record.
        model: what stands after the colon of its ref, empty for its own choice.
        options: what a user would say about it.
        tolerance: the most that a number of a vector may change when the same text is embedded
            again, alone or in company. A quantisation that looks at the whole batch needs more.
        likeness: (question, answer, other text) for embedders that are semantic; replace them
            where yours does not speak English.
    """

    embedder: ClassVar[EmbedderPlugin | str]
    model: ClassVar[str] = ""
    options: ClassVar[EmbedderOptions] = EmbedderOptions()
    tolerance: ClassVar[float] = 1e-5
    likeness: ClassVar[Sequence[tuple[str, str, str]]] = LIKENESS
    record: ClassVar[EmbedderPlugin]
    made: ClassVar[Embedder]

    def __init_subclass__(cls) -> None:
        named = getattr(cls, "embedder", None)
        if named is None:
            return  # a base class of the author's own
        cls.record = (
            named
            if isinstance(named, EmbedderPlugin)
            else registry().load("embedders", named, where=cls.__qualname__)
        )
        cls.made = cls.load(cls.options)
        lacking = {
            "needs_meaning": not cls.made.semantic,
            "needs_tokenizer": not cls.made.tokenizer,
            "needs_name": not isinstance(named, str),
        }
        for name in dir(cls):
            if any(lacking.get(need) for need in getattr(getattr(cls, name), "__dict__", ())):
                setattr(cls, name, None)  # pytest collects functions only

    @classmethod
    def load(cls, options: EmbedderOptions) -> Embedder:
        """Return the embedder as the registry would make it."""
        embedder: Embedder = call_declared(cls.record.load, cls.model, options)
        return embedder

    def near(self, one: "NDArray[np.float32]", other: "NDArray[np.float32]") -> bool:
        """Return whether two results are equal within the tolerance."""
        return bool(np.allclose(one, other, rtol=0, atol=self.tolerance))

    # What comes back.

    @pytest.mark.parametrize("count", [0, 1, len(TEXTS)])
    def test_documents_become_unit_vectors_of_the_declared_width(self, count: int) -> None:
        vectors = self.made.embed_documents(TEXTS[:count])
        assert vectors.shape == (count, self.made.dimensions)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)

    def test_a_question_becomes_one_unit_vector(self) -> None:
        vector = self.made.embed_query(TEXTS[0])
        assert vector.shape == (self.made.dimensions,)
        assert vector.dtype == np.float32
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-4)

    def test_vectors_come_in_the_order_of_the_texts(self) -> None:
        vectors = self.made.embed_documents(TEXTS)
        assert self.near(self.made.embed_documents(TEXTS[::-1]), vectors[::-1])

    def test_more_texts_than_a_batch_holds_are_taken(self) -> None:
        texts = [f"Text {number}." for number in range(min(self.made.max_batch, 600) + 1)]
        vectors = self.made.embed_documents(texts)
        assert vectors.shape[0] == len(texts)
        assert self.near(vectors[-1:], self.made.embed_documents(texts[-1:]))

    @pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text)[:24])
    def test_odd_text_has_a_vector(self, text: str) -> None:
        for vector in (self.made.embed_documents([text])[0], self.made.embed_query(text)):
            assert np.isfinite(vector).all()
            assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-4)

    # The same text, the same vector.

    def test_a_vector_does_not_depend_on_the_texts_beside_it(self) -> None:
        together = self.made.embed_documents([*TEXTS, *ODD])
        for text, vector in zip([*TEXTS, *ODD], together, strict=True):
            assert self.near(self.made.embed_documents([text])[0], vector)

    def test_equal_texts_have_equal_vectors(self) -> None:
        one, _, again = self.made.embed_documents([TEXTS[0], TEXTS[3], TEXTS[0]])
        assert self.near(one, again)

    def test_another_embedder_of_the_same_name_makes_the_same_vectors(self) -> None:
        again = self.load(self.options)
        assert again.fingerprint == self.made.fingerprint
        assert self.near(again.embed_documents(TEXTS), self.made.embed_documents(TEXTS))

    def test_threads_may_share_it(self) -> None:
        vectors = self.made.embed_documents(TEXTS)
        questions = [self.made.embed_query(text) for text in TEXTS]
        with ThreadPoolExecutor(4) as pool:
            for found in pool.map(self.made.embed_documents, [TEXTS] * 8):
                assert self.near(found, vectors)
            for vector, found in zip(
                questions, pool.map(self.made.embed_query, TEXTS), strict=True
            ):
                assert self.near(found, vector)

    # Nothing of a text is left out.

    def test_the_end_of_a_long_text_counts(self) -> None:
        long = "The committee met and spoke about the budget. " * 200
        short, whole = self.made.embed_documents([long, long + TEXTS[2] * 20])
        assert not self.near(short, whole)

    # Questions.

    def test_a_question_in_the_words_of_a_text_finds_it(self) -> None:
        vectors = self.made.embed_documents(TEXTS)
        for place, text in enumerate(TEXTS):
            assert int(np.argmax(vectors @ self.made.embed_query(text))) == place

    @semantic
    def test_an_answer_in_other_words_is_nearer_than_another_text(self) -> None:
        for question, answer, other in self.likeness:
            vector = self.made.embed_query(question)
            near, far = self.made.embed_documents([answer, other]) @ vector
            assert near > far + 0.1, question

    # What it says about itself.

    def test_its_ref_names_it(self) -> None:
        name, _, model = self.made.ref.partition(":")
        assert name == self.record.name
        assert model == self.model or not self.model
        again = call_declared(self.record.load, model, self.options)
        assert (again.ref, again.fingerprint) == (self.made.ref, self.made.fingerprint)

    def test_its_fingerprint_is_one_printable_word(self) -> None:
        assert self.made.fingerprint.isprintable()
        assert self.made.fingerprint.split() == [self.made.fingerprint]

    def test_another_width_is_another_fingerprint(self) -> None:
        width = self.made.dimensions // 2
        try:
            narrow = self.load(evolve(self.options, dimensions=width))
        except SourcebookError:
            return  # a model of one width says so
        assert narrow.dimensions == width
        assert narrow.fingerprint != self.made.fingerprint
        assert narrow.embed_documents(TEXTS[:2]).shape == (2, width)
        assert np.linalg.norm(narrow.embed_query(TEXTS[0])) == pytest.approx(1, abs=1e-4)

    def test_the_size_of_a_batch_moves_no_vector_and_no_fingerprint(self) -> None:
        one = self.load(evolve(self.options, batch=1))
        assert one.max_batch == 1
        assert one.fingerprint == self.made.fingerprint
        assert self.near(one.embed_documents(TEXTS), self.made.embed_documents(TEXTS))

    def test_a_width_that_cannot_be_is_refused_when_it_is_chosen(self) -> None:
        with pytest.raises(SourcebookError) as caught:
            self.load(evolve(self.options, dimensions=-1))
        assert caught.value.where == "dimensions"

    @sized
    def test_its_tokenizer_is_registered_and_gives_spans_in_order(self) -> None:
        tokenizer = spans(self.made.tokenizer)
        for text in [*TEXTS, *ODD]:
            found = tokenizer(text)
            assert all(0 <= start < end <= len(text) for start, end in found)
            assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(found))
        assert len(tokenizer(TEXTS[3] * 2)) == 2 * len(tokenizer(TEXTS[3]))

    def test_a_bound_on_a_text_is_given_in_tokens_that_can_be_counted(self) -> None:
        assert self.made.window >= 0
        assert self.made.tokenizer or not self.made.window

    # Manners.

    @installed
    def test_it_is_chosen_without_loading_anything_heavy(self) -> None:
        """Help and exact verbs may make it and ask what it is, and must not pay for the model."""
        loaded = self.elsewhere(
            "made.ref, made.fingerprint, made.dimensions, made.window, made.tokenizer",
            "' '.join({name.partition('.')[0] for name in sys.modules})",
        )
        assert set(loaded.split()) & HEAVY == set()

    @installed
    def test_another_process_makes_the_same_vectors(self) -> None:
        made = self.elsewhere(f"made.embed_documents([{TEXTS[0]!r}]).tobytes().hex()")
        found = np.frombuffer(bytes.fromhex(made), np.float32)
        assert self.near(found, self.made.embed_documents(TEXTS[:1])[0])

    def test_it_writes_nothing_to_the_terminal(self, capfd: pytest.CaptureFixture[str]) -> None:
        fresh = self.load(self.options)
        fresh.embed_documents(TEXTS[:1])
        fresh.embed_query(TEXTS[0])
        assert tuple(capfd.readouterr()) == ("", "")

    def elsewhere(self, *expressions: str) -> str:
        """Evaluate expressions about the embedder `made` in a new process; return the last."""
        program = [
            "import sys",
            "from sourcebook.embedder import EmbedderOptions",
            "from sourcebook.registry import registry",
            f"plugin = registry().load('embedders', {self.record.name!r})",
            f"made = plugin.load({self.model!r}, {self.options!r})",
            *(f"found = {expression}" for expression in expressions),
            "print(found)",
        ]
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", "\n".join(program)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
