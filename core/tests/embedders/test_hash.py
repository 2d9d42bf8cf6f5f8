"""The embedder of the core: words to places, the same everywhere."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.embedder import EmbedderOptions
from sourcebook.embedders.hash import HashEmbedder, choose, sourcebook_embedders
from sourcebook.errors import BadSetting

TEXT = "The gateway drains traffic; the gateway restarts."


def test_it_knows_words_and_not_meaning() -> None:
    embedder = HashEmbedder()
    question = embedder.embed_query("gateway traffic")
    shared, paraphrase = embedder.embed_documents([TEXT, "Connections are closed by the proxy."])
    assert not embedder.semantic
    assert question @ shared > 0.4
    assert abs(question @ paraphrase) < 0.3


def test_case_and_order_of_words_change_nothing() -> None:
    embedder = HashEmbedder()
    assert embedder.embed_query("Drain the Gateway") == pytest.approx(
        embedder.embed_query("gateway the drain"), abs=1e-7
    )


def test_vectors_are_the_ones_of_every_other_machine() -> None:
    vector = HashEmbedder(8).embed_query("drain the gateway, then drain it again")
    expected = [0.6325, -0.4472, 0, -0.4472, 0, 0, 0, -0.4472]
    assert vector.tolist() == pytest.approx(expected, abs=1e-4)


def test_another_process_makes_the_same_bytes() -> None:
    program = (
        "from sourcebook.embedders.hash import HashEmbedder\n"
        f"print(HashEmbedder().embed_query({TEXT!r}).tobytes().hex())"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert made == {HashEmbedder().embed_query(TEXT).tobytes().hex()}


@given(st.lists(st.text()), st.integers(8, 40))
def test_every_text_has_a_vector_of_unit_length(texts: list[str], width: int) -> None:
    vectors = HashEmbedder(width).embed_documents(texts)
    assert vectors.shape == (len(texts), width)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_words_that_cancel_leave_a_vector() -> None:
    embedder = HashEmbedder(8)
    words = [f"w{number}" for number in range(100)]
    opposed = next(
        f"{one} {two}"
        for one in words
        for two in words
        if embedder.embed_query(one) @ embedder.embed_query(two) == -1
    )
    assert np.linalg.norm(embedder.embed_query(opposed)) == pytest.approx(1)


def test_the_width_is_the_users_and_moves_the_fingerprint() -> None:
    (plugin,) = sourcebook_embedders()
    wide = plugin.load("", EmbedderOptions(dimensions=1024, batch=7))
    assert (plugin.name, wide.ref, wide.dimensions, wide.max_batch) == ("hash", "hash", 1024, 7)
    assert wide.fingerprint != HashEmbedder().fingerprint


@pytest.mark.parametrize(
    ("model", "options", "where"),
    [
        ("md5", EmbedderOptions(), "embedding"),
        ("", EmbedderOptions(dimensions=7), "dimensions"),
        ("", EmbedderOptions(dimensions=4097), "dimensions"),
        ("", EmbedderOptions(batch=-1), "batch"),
    ],
)
def test_a_wrong_option_is_said_at_once(model: str, options: EmbedderOptions, where: str) -> None:
    with pytest.raises(BadSetting) as caught:
        choose(model, options)
    assert caught.value.where == where
