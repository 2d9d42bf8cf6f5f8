"""Evidence: whether anything found is an answer, or why it is not."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from sourcebook.retrieval.keyword import idf
from sourcebook.retrieval.legs import TextLeg
from sourcebook.store import Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVELS = ("none", "weak", "strong")
UBIQUITOUS_SHARE = 0.2


@frozen
class Evidence:
    """Whether the hits answer the question.

    Args:
        level: `strong`; `weak`: hits are given and may not answer; `none`: nothing here answers.
        reason: a word for the cause, empty when strong; `hint` is the next move.
        distinctive: terms that make the question what it is; `matched` those of them that occur;
            `ubiquitous` terms so common here that they tell nothing.
        figures: what the level was decided by; `bars` the limits it was compared with.
    """

    level: str
    reason: str
    hint: str
    distinctive: tuple[str, ...]
    matched: tuple[str, ...]
    ubiquitous: tuple[str, ...]
    figures: Mapping[str, float]
    bars: Mapping[str, float]


HINTS = {
    "": "",
    "no_term_in_index": "no word of the question occurs here: ask in the corpus's own words, "
    "or look in another corpus",
    "only_ubiquitous_terms": "only words that are everywhere here matched: add one that is "
    "particular to what you look for",
    "too_little_matched": "most of what makes the question particular does not occur here: "
    "rephrase it, or look in another corpus",
    "terms_scattered": "the words occur here, but never together: this is probably about something "
    "that the corpus does not treat",
    "not_near_in_meaning": "nothing here is near the question in meaning: rephrase it, or look in "
    "another corpus",
    "nothing_fits_the_filter": "loosen the filters; see `list` for the names there are",
}


def assess(
    text: TextLeg | None,
    nearest: Sequence[Scored],
    background: "tuple[NDArray[np.uint64], NDArray[np.float32]] | None",
    vector: "NDArray[np.float32] | None",
    bars: Mapping[str, float],
) -> Evidence:
    """Judge what the legs found."""
    figures: dict[str, float] = {}
    distinctive: tuple[str, ...] = ()
    matched: tuple[str, ...] = ()
    ubiquitous: tuple[str, ...] = ()
    reason = ""
    if text is not None:
        statistics = text.statistics
        ubiquitous = tuple(
            term
            for term in text.terms
            if statistics.df[term] > UBIQUITOUS_SHARE * max(statistics.entries, 5)
        )
        distinctive = tuple(term for term in text.terms if term not in ubiquitous)
        matched = tuple(term for term in distinctive if statistics.df[term])
        weights = {term: idf(statistics.entries, statistics.df[term]) for term in distinctive}
        whole = sum(weights.values())
        figures["coverage"] = sum(weights[term] for term in matched) / whole if whole else 0.0
        figures["concentration"] = max(
            (
                sum(weights.get(term, 0.0) for term in held) / whole if whole else 0.0
                for held in text.held.values()
            ),
            default=0.0,
        )
        if not any(statistics.df.values()):
            reason = "no_term_in_index"
        elif not distinctive or not matched:
            reason = "only_ubiquitous_terms"
    if vector is not None and nearest:
        figures["cosine"] = nearest[0].score
    level = "strong"
    if text is not None and not nearest:
        if reason or figures["coverage"] < bars.get("coverage", 0.4):
            level, reason = "none", reason or "too_little_matched"
        elif figures["concentration"] < bars.get("concentration", 0.3):
            level, reason = "weak", "terms_scattered"
    elif nearest and figures["cosine"] < bars.get("cosine", 0.2):
        level, reason = "none", reason or "not_near_in_meaning"
    return Evidence(
        level, reason, HINTS[reason], distinctive, matched, ubiquitous, figures, dict(bars)
    )
