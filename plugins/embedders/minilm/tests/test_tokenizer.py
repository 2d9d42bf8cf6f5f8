"""The word-piece tokenizer: the pieces BERT would see, and where they lie in the text."""

import time
from hashlib import sha256
from importlib.resources import files
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.tokens import counter
from sourcebook.tokens import spans as spans_of
from sourcebook_minilm import tokenizer
from sourcebook_minilm.tokenizer import ids, load, slices, spans


def pieces(text: str) -> list[str | None]:
    return [load().id_to_token(number) for number in ids(text)]


def test_the_vocabulary_is_whole_and_unchanged() -> None:
    package = files("sourcebook_minilm")
    digest = sha256(package.joinpath("vocab.txt").read_bytes()).hexdigest()
    assert f"sha256: {digest}" in package.joinpath("VOCABULARY.md").read_text("utf-8")
    assert load().get_vocab_size() == 30_522
    assert [load().token_to_id(mark) for mark in ("[PAD]", "[UNK]", "[CLS]", "[SEP]")] == [
        0, 100, 101, 102,
    ]  # fmt: skip


def test_text_is_lower_cased_stripped_of_accents_and_cut_into_pieces() -> None:
    assert pieces("Tokenizing the Café") == ["token", "##izing", "the", "cafe"]
    assert spans("Tokenizing the Café") == [(0, 5), (5, 10), (11, 14), (15, 19)]


def test_special_tokens_in_a_text_are_plain_text() -> None:
    assert pieces("[CLS]") == ["[", "cl", "##s", "]"]


def test_it_is_found_by_name() -> None:
    assert spans_of("bert-uncased") is spans
    assert counter("bert-uncased")("How do I drain traffic?") == 6


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "x\x00y\u200bz",
        "한국어 문서",
        "日本語の文書",
        "👩‍👩‍👧 👍🏽",
        "e\u0301t\u00e9 \ufdfa \u1e9e",
        "lone \ud83d half \udc4d",
        "a" * 300,
    ],
)
def test_spans_of_odd_text_lie_inside_it_in_order(text: str) -> None:
    found = spans(text)
    assert len(found) == len(ids(text))
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(found))


@given(st.text(max_size=400))
def test_spans_never_go_back(text: str) -> None:
    found = spans(text)
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(found))


WORDS = st.lists(
    st.sampled_from(
        ["naïve", "rate-limits", "速率限制", "(HTTP/2)", "x_y", "İstanbul", "한국", "~"]
    ),
    max_size=60,
)


@given(WORDS, st.sampled_from([" ", "\n", "\t", "."]), st.integers(20, 80))
def test_slicing_changes_nothing(words: list[str], glue: str, width: int) -> None:
    text = glue.join(words)
    whole = spans(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenizer, "SLICE", width)
        assert "".join(part for _, part in slices(text)) == text
        assert all(len(part) <= width for _, part in slices(text))
        assert spans(text) == whole


def test_time_grows_in_line_with_the_text() -> None:
    line = "The quick brown fox, jumping over 17 lazy dogs; again.\n"
    taken = []
    for size in (2_000, 16_000):
        start = time.process_time()
        assert len(spans(line * size)) == 13 * size
        taken.append(time.process_time() - start)
    assert taken[1] < 8 * taken[0] * 2 + 0.5


def test_a_run_of_letters_without_end_is_cut_where_a_slice_ends() -> None:
    assert spans("x" * 40_000) == [(0, 16_384), (16_384, 32_768), (32_768, 40_000)]
