"""Near-duplicates: texts that say the same, of which a search shows one."""

from functools import cached_property

from sourcebook.index.segment import Segment
from sourcebook.retrieval.analyse import analyse

DUPLICATE_SHARE = 0.95
"""Share of the terms of two texts together that both must hold to be near-duplicates."""


class Text:
    """The text of an entry and its distinct terms.

    An index has the terms of most entries as numbers, which is enough to tell nearly all texts
    apart: analysing them would cost more than finding them.

    Args:
        text: what it says.
        place: where the index has its terms; None for a part, whose terms are those of the whole.
    """

    def __init__(self, text: str, place: tuple[Segment, int] | None) -> None:
        self.text = text
        self._place = place

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its distinct terms."""
        return frozenset(analyse(self.text))

    @cached_property
    def _stored(self) -> tuple[Segment, frozenset[int]] | None:
        """The numbers of its terms in a segment, None where the index does not have them."""
        if self._place is None:
            return None
        segment, row = self._place
        if "body" not in segment.fields:
            return None
        return segment, frozenset(segment.row_terms(row)[segment.fields.index("body")])

    def is_near_duplicate_of(self, other: "Text") -> bool:
        """Whether two texts say the same.

        Long texts may differ in a few words, but never in one with a digit: versions, amounts and
        dates are what otherwise equal texts differ by when it matters.
        """
        if not self._may_share_enough(other):
            return False
        differing = self.terms ^ other.terms
        if len(self.terms & other.terms) < DUPLICATE_SHARE * len(self.terms | other.terms):
            return False
        return not any(character.isdigit() for term in differing for character in term)

    def _may_share_enough(self, other: "Text") -> bool:
        """Compare how many terms there are and, where they are of one segment, their numbers."""
        fewer, more = sorted((len(self._known), len(other._known)))
        if fewer < DUPLICATE_SHARE * more:
            return False
        one, two = self._stored, other._stored
        if one and two and one[0] is two[0]:
            shared = len(one[1] & two[1])
            return shared >= DUPLICATE_SHARE * (fewer + more - shared)
        return True

    @property
    def _known(self) -> frozenset[int] | frozenset[str]:
        return self._stored[1] if self._stored else self.terms
