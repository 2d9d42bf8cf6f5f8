"""English words to stems."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.retrieval.stem import stem

# From the published vocabulary of the algorithm.
KNOWN = """
consign consign consigned consign consigning consign consignment consign consist consist
consistency consist consistent consist consistently consist consolation consol consolations consol
consolatory consolatori console consol consoling consol consolingly consol conspicuous conspicu
constable constabl constancy constanc knack knack knackeries knackeri knavish knavish knees knee
knelt knelt knocker knocker knots knot generate generat generic generic community communiti
hopping hop hoping hope falling fall agreed agre feed feed ties tie cries cri gas gas this this
kiwis kiwi gaps gap caresses caress luxuriated luxuri happy happi say say by by cry cri
rational ration relational relat vietnamization vietnam formative format electrical electr
hopefulness hope adjustment adjust adoption adopt rate rate controlling control roll roll
adding add egged egg tapped tap sky sky skies sky dying die news news succeeding succeed
analogously analog geologist geolog yes yes yellow yellow enjoy enjoy theory theori
"""


@pytest.mark.parametrize(
    ("word", "expected"), list(zip(KNOWN.split()[::2], KNOWN.split()[1::2], strict=True))
)
def test_a_word_has_the_stem_that_the_algorithm_gives(word: str, expected: str) -> None:
    assert stem(word) == expected


@given(st.from_regex(r"\A[a-z]{1,40}\Z"))
def test_a_stem_is_never_empty_and_never_longer(word: str) -> None:
    assert 0 < len(stem(word)) <= len(word)
