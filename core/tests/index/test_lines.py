"""Lines cut out of a document are those that splitting it gives."""

from hypothesis import given
from hypothesis import strategies as st
from sourcebook.index.lines import BLOCK_BYTES, Lines
from sourcebook.model import Source

TEXTS = st.lists(
    st.sampled_from(["", "a", "é\u2028\f", "x" * (BLOCK_BYTES - 1), "y" * BLOCK_BYTES, "z" * 99])
).map("\n".join)


@given(TEXTS, st.integers(1, 12), st.integers(0, 5))
def test_some_lines_are_those_of_the_document(text: str, first: int, more: int) -> None:
    source = Source("a", text)
    assert Lines(text.encode()).cut(first, first + more) == source.cut(first, first + more)


def test_a_mark_of_the_encoding_is_no_text() -> None:
    assert Lines(b"\xef\xbb\xbfone\ntwo\n").cut(1, 2) == "one\ntwo"
