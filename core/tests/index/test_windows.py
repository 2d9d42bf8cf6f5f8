"""Windows: nothing is left out, nothing is too long, and cuts fall where a reader would cut."""

from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.index.windows import windows
from sourcebook.tokens import words


def syllables(text: str) -> list[tuple[int, int]]:
    """Three tokens for each Hangul syllable and one for any other letter, as word pieces are."""
    return [
        (place, place + 1)
        for place, letter in enumerate(text)
        for _ in range(3 if "가" <= letter <= "힣" else 1)
        if not letter.isspace()
    ]


TOKENIZERS = st.sampled_from([words, syllables])
TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(["word ", "한글", "x", ". ", "\n", "\n\n", "速率", "e\u0301", "\x00", "-"]),
        max_size=200,
    ).map("".join),
)
Tokenizer = Callable[[str], list[tuple[int, int]]]


@given(TEXTS, TOKENIZERS, st.integers(1, 40))
def test_windows_joined_are_the_text(text: str, spans: Tokenizer, size: int) -> None:
    assert "".join(windows(text, spans, size)) == text


@given(TEXTS, TOKENIZERS, st.integers(1, 40), st.data())
def test_a_window_holds_at_most_its_size(
    text: str, spans: Tokenizer, size: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, size // 2))
    for window in windows(text, spans, size, overlap):
        assert len(spans(window)) <= size or len(window.strip()) == 1


@given(
    st.lists(st.sampled_from([" ", ". ", "\n", "\n\n", "-"]), max_size=200),
    st.integers(2, 40),
    st.data(),
)
def test_windows_that_overlap_leave_nothing_out(
    glues: list[str], size: int, data: st.DataObject
) -> None:
    text = "".join(f"w{number:04}{glue}" for number, glue in enumerate(glues))
    overlap = data.draw(st.integers(1, size // 2))
    end = 0
    for window in windows(text, words, size, overlap):
        start = text.index(window)
        assert start <= end
        assert len(words(text[start:end])) <= overlap
        end = start + len(window)
    assert end == len(text)


def test_a_text_that_fits_comes_back_whole() -> None:
    assert windows("", words, 1) == [""]
    assert windows(" \n", words, 1) == [" \n"]
    assert windows("one two", words, 2) == ["one two"]


def test_windows_are_of_similar_length() -> None:
    sizes = [len(words(window)) for window in windows("word " * 300, words, 254)]
    assert sizes == [150, 150]


@pytest.mark.parametrize("glue", ["\n\n", "\n", ". ", " "])
def test_a_cut_falls_at_the_best_place(glue: str) -> None:
    left, right = "one two three four five", "six seven eight nine ten"
    assert windows(left + glue + right, words, 7) == [left + glue, right]


def test_a_word_is_cut_only_where_nothing_else_is() -> None:
    assert windows("a" * 80 + "-" + "b" * 80, words, 3) == ["a" * 80 + "-", "b" * 80]
    assert windows("a" * 160, words, 2) == ["a" * 80, "a" * 80]


def test_a_character_is_never_cut() -> None:
    assert windows("한글", syllables, 2) == ["한", "글"]
    assert windows("한", syllables, 1) == ["한"]


def test_a_word_that_grows_when_it_is_cut_is_cut_again() -> None:
    def greedy(text: str) -> list[tuple[int, int]]:
        """Two tokens for a run of letters of even length, a token a letter for an odd one."""
        half = len(text) // 2
        if len(text) % 2 == 0:
            return [(0, half - 1), (half - 1, len(text))] if half > 1 else [(0, len(text))]
        return [(place, place + 1) for place in range(len(text))]

    found = windows("abcdefgh", greedy, 1)
    assert "".join(found) == "abcdefgh"
    assert all(len(greedy(window)) <= 1 for window in found)


def test_an_overlap_begins_at_a_sentence_where_it_can() -> None:
    text = "First one here now. Second is here. Third is here. Fourth is here. Fifth is here."
    found = windows(text, words, 12, 5)
    assert all(window.split()[0] in {"First", "Second", "Third", "Fourth"} for window in found)


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (10, 6), (10, -1)])
def test_sizes_that_make_no_sense_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="no windows of"):
        windows("text", words, size, overlap)


def test_a_long_text_takes_little_time() -> None:
    start = process_time()
    found = windows("A line of seven words, or so.\n" * 20_000, words, 254, 32)
    assert process_time() - start < 5
    assert sum(map(len, found)) > 20_000 * 30
