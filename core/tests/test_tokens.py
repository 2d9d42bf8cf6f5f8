"""Tokenizers by name, and the one that is built in."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.errors import PluginMissing
from sourcebook.tokens import counter, spans, words


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in words(text)]


def test_words_and_punctuation_are_tokens() -> None:
    assert cut("Don't panic: retry_after = 30s.") == [
        "Don", "'", "t", "panic", ":", "retry", "_", "after", "=", "30s", ".",
    ]  # fmt: skip


def test_each_cjk_character_is_a_token() -> None:
    assert cut("速率 limit カナ 한글") == ["速", "率", "limit", "カ", "ナ", "한", "글"]


def test_a_long_run_of_letters_is_no_single_token() -> None:
    assert counter("words")("a" * 100) == 3


@given(st.text())
def test_tokens_tile_all_that_is_not_white_space(text: str) -> None:
    found = words(text)
    assert all(start < end for start, end in found)
    assert all(before[1] <= after[0] for before, after in pairwise(found))
    assert "".join(text[start:end] for start, end in found) == "".join(text.split())


def test_a_tokenizer_is_loaded_once() -> None:
    assert spans("words") is spans("words")
    assert counter("words") is counter("words")


def test_an_unknown_tokenizer_names_the_known_ones() -> None:
    with pytest.raises(PluginMissing, match=r"no tokenizer named `wurds`; installed: .*words"):
        spans("wurds")
