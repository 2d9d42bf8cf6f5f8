"""Very long lines are cut to what matters, and each gap says how much is missing."""

import re

from hypothesis import given
from hypothesis import strategies as st
from sourcebook.model import Source, Span
from sourcebook.retrieval.clip import LONG_LINE, clip, clip_around
from sourcebook.retrieval.quote import Passage, quote

GAP = re.compile(r"\[… ([\d,]+) characters …\]")


def test_a_line_of_usual_length_stays_as_it_is() -> None:
    line = "x" * LONG_LINE
    assert clip(line) == line


def test_a_long_line_is_cut_to_its_beginning() -> None:
    assert clip("x" * 50_000) == "x" * LONG_LINE + "[… 40,000 characters …]"


def test_a_long_line_is_cut_to_its_stretches() -> None:
    line = "a" * 20_000 + "here" + "b" * 20_000 + "there"
    text = clip(line, [(40_004, 40_009), (20_000, 20_004)])
    assert text == "[… 20,000 characters …]here[… 20,000 characters …]there"


@given(
    st.integers(LONG_LINE + 1, 5 * LONG_LINE),
    st.lists(st.tuples(st.integers(0, 60_000), st.integers(0, 60_000)), max_size=6),
)
def test_what_is_kept_and_what_is_left_out_make_the_line(
    length: int, stretches: list[tuple[int, int]]
) -> None:
    text = clip("x" * length, stretches)
    gaps = sum(int(one.replace(",", "")) for one in GAP.findall(text))
    kept = GAP.sub("", text)
    assert len(kept) + gaps == length
    assert len(kept) <= LONG_LINE


def test_a_long_line_is_shown_around_what_fits() -> None:
    line = "a" * 30_000 + "needle" + "b" * 30_000
    text = clip_around(line, lambda text: "needle" in text)
    assert "needle" in text
    assert len(GAP.sub("", text)) == LONG_LINE


def test_what_fits_a_whole_line_alone_is_shown_from_its_beginning() -> None:
    text = clip_around("a" * 30_000, lambda text: len(text) == 30_000)
    assert text == "a" * LONG_LINE + "[… 20,000 characters …]"


def test_of_a_long_line_a_quote_holds_the_passages_own_text() -> None:
    line = "before " * 5_000 + "the answer is 42" + " after" * 5_000
    source = Source("one.md", f"short\n{line}\n", "", "utf-8")
    passages = [Passage("one.md", Span(2, 2), text="the answer is 42")]
    (found,), _ = quote(passages, {"one.md": source}, before=1)
    assert [one.number for one in found.lines] == [1, 2]
    assert GAP.sub("", found.lines[1].text) == "the answer is 42"
