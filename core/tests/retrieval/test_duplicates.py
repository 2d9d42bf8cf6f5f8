"""Near-duplicates, told by the terms of an index as by those of the texts."""

from itertools import combinations

import pytest
from sourcebook.retrieval.duplicates import Text

from .conftest import Indexed

LONG = " ".join(f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz" * 2)


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        (LONG, LONG.replace("wordq", "Wordq,"), True),
        (LONG, f"{LONG} more", True),
        (LONG, f"{LONG} 2", False),
        (LONG, f"{LONG} four more words here", False),
        (LONG, LONG[: len(LONG) // 4], False),
        ("Install it.", "Install them.", False),
        ("...", "---", True),
    ],
)
def test_texts_are_near_duplicates_that_differ_in_little_and_in_no_digit(
    one: str, other: str, near: bool
) -> None:
    assert Text(one, None).is_near_duplicate_of(Text(other, None)) == near
    assert Text(other, None).is_near_duplicate_of(Text(one, None)) == near


def test_the_terms_of_an_index_tell_what_those_of_the_texts_tell(indexed: Indexed) -> None:
    texts = [LONG, f"{LONG} more", f"{LONG} 2", "Install it.", "body: install it", "> Install it."]
    index = indexed(*texts)
    stored = [Text(index.body(entry), index.generation.find(entry.id)) for entry in index.entries()]
    assert len(stored) == len(texts)
    for one, other in combinations(stored, 2):
        bare = Text(one.text, None), Text(other.text, None)
        assert one.is_near_duplicate_of(other) == bare[0].is_near_duplicate_of(bare[1])
        assert one.is_near_duplicate_of(bare[1]) == bare[0].is_near_duplicate_of(bare[1])
