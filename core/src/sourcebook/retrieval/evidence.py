"""Evidence: whether anything found is an answer, or why it is not.

Three signals, each with its own blind spot, are weighed together:

- nearness: the best entry's nearness in meaning. Blind to a name that is not there.
- concentration: the largest share of the query's telling words that one entry holds. Blind to
  other wordings.
- joint: the best entry by nearness and share together. High only where one entry is near and
  holds the words.

Without meanings there are, beside concentration:

- amount: how many particular words of English one entry holds. Half of a long question found in
  one place is no accident, half of a short one may be. Blind to which words they are.
- attained: the best BM25F score. Blind to other wordings.

A logistic function of the signals gives a figure from 0 to 1 that two bars cut into levels. It says
how the signals usually stand where there is an answer, not how probable one is.
"""

from collections.abc import Mapping, Sequence
from math import exp
from typing import TYPE_CHECKING, Final

from attrs import frozen

from sourcebook.naming import shown_words
from sourcebook.retrieval.find import Found
from sourcebook.retrieval.keyword import Weighed
from sourcebook.retrieval.legs import TextLeg

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVELS: Final = ("none", "weak", "strong")

UBIQUITOUS_SHARE: Final = 0.25
UBIQUITOUS_FROM: Final = 10
"""A term is ubiquitous that a quarter of the entries holds, and more than ten of them."""

EVERYDAY: Final = 0.5
"""Words of general English below this rarity tell nothing alone."""

JOINT_SHARE: Final = 0.5

AMPLE: Final = 2.0
"""Rarities of English together, of which `amount` is a half: further words add ever less, so that
no text is so long that chance alone makes it an answer."""

FITTED: Final = "minilm"
USUAL_MEAN: Final = 0.19
USUAL_DEVIATION: Final = 0.15
LEAST_SAMPLE: Final = 32
"""Mean and deviation of the cosines between entries of one corpus with the fitted embedder, and
how many entries it takes to tell those of another."""


@frozen
class Formula:
    """How signals become a level: weights by signal, and the figures from which on the evidence
    is weak and strong."""

    weights: Mapping[str, float]
    bias: float
    weak: float
    strong: float

    def figure(self, signals: Mapping[str, float]) -> float:
        """Return the figure of some signals, 0 to 1."""
        total = self.bias + sum(
            weight * signals.get(name, 0.0) for name, weight in self.weights.items()
        )
        return 1.0 / (1.0 + exp(-max(-60.0, min(60.0, total))))


FORMULAS: Final[Mapping[str, Formula]] = {
    "hybrid": Formula(
        {"nearness": 8.36, "concentration": 5.0, "joint": 5.91}, -9.15, weak=0.25, strong=0.42
    ),
    "vector": Formula({"nearness": 20.0}, -9.0, weak=0.15, strong=0.4),
    "text": Formula(
        {"concentration": 11.6, "amount": 11.0, "attained": 4.8}, -12.0, weak=0.2, strong=0.5
    ),
}
"""Fitted with tests/bench/bench_docs.py; docs/decisions.md has the curves."""


@frozen
class Evidence:
    """Whether the hits answer the question.

    Args:
        level: `strong`; `weak`: hits are given and may not answer; `none`: nothing here answers.
        reason: a word for the cause, empty when strong.
        hint: the next move.
        distinctive: terms that make the question what it is; of these and the following lists some
            hundred characters, then `[… 5,000 words …]` for the others.
        matched: those of them that occur.
        missing: those of them that do not.
        ubiquitous: terms so common here that they tell nothing.
        figures, bars: what the level was decided by, and the limits it was compared with.
    """

    level: str
    reason: str
    hint: str
    distinctive: tuple[str, ...]
    matched: tuple[str, ...]
    missing: tuple[str, ...]
    ubiquitous: tuple[str, ...]
    figures: Mapping[str, float]
    bars: Mapping[str, float]


HINTS: Final = {
    "": "",
    "empty_index": "there is nothing to find here: index something",
    "no_term_in_index": "no word of the question occurs here: ask in the corpus's own words, "
    "or look in another corpus",
    "only_ubiquitous_terms": "only words that are everywhere here matched: add one that is "
    "particular to what you look for",
    "too_little_matched": "most of what makes the question particular does not occur here: "
    "rephrase it, or look in another corpus",
    "terms_scattered": "the words occur here, but hardly together: this may be about something "
    "that the corpus does not treat",
    "not_near_in_meaning": "nothing here is near the question in meaning: rephrase it, or look in "
    "another corpus",
    "phrase_not_found": "no entry holds the quoted words in this order: leave the quotes out",
    "nothing_fits_the_filter": "loosen the filters; see `list` for the names there are",
}


def assess(
    found: Found,
    *,
    entries: int,
    narrowed: bool = False,
    unmet: bool = False,
    background: "NDArray[np.float32] | None" = None,
    bars: Mapping[str, tuple[float, float]] | None = None,
) -> Evidence:
    """Judge what the legs found.

    Args:
        found: see `sourcebook.retrieval.find`.
        entries: in the whole corpus.
        narrowed: whether filters apply; with `unmet` nothing fits one of them.
        background: sampled vectors of the index, shape [n, dimensions], by which the scale of an
            embedder's similarities is known.
        bars: of the subject, (weak, strong) by formula.
    """
    kind = formula_of(found)
    formula = FORMULAS[kind]
    weak, strong = (bars or {}).get(kind, (formula.weak, formula.strong))
    figures = signals(found)
    figures["figure"] = formula.figure(aligned(figures, found.embedder, background))
    if narrowed and found.text is not None:
        figures["coverage_narrowed"] = coverage(found.text, narrowed=True)
    level = LEVELS[(figures["figure"] >= weak) + (figures["figure"] >= strong)]
    terms = found.text.terms if found.text is not None else ()
    ubiquitous = [one for one in terms if is_ubiquitous(one, entries)]
    distinctive = sorted(
        (one for one in terms if one not in ubiquitous and one.rarity >= EVERYDAY),
        key=lambda one: -one.telling,
    )
    matched = [one for one in distinctive if one.df]
    reason = ""
    if unmet:
        level, reason = "none", "nothing_fits_the_filter"
    elif not entries:
        level, reason = "none", "empty_index"
    elif found.text is not None and found.text.phrases and not found.text.ranking:
        level, reason = "none", "phrase_not_found"
    elif not found.fused:
        level = "none"
        if found.text is not None and not any(one.df for one in terms):
            reason = "no_term_in_index"
        else:
            reason = "nothing_fits_the_filter" if narrowed else "not_near_in_meaning"
    elif kind != "vector" and distinctive == [] and any(one.df for one in terms):
        # Everyday words match everywhere: whatever the figures say, this is no strong evidence.
        if kind == "text" or level == "strong":
            level = "weak"
        reason = "only_ubiquitous_terms"
    elif level != "strong":
        reason = _reason(found, figures, bool(matched))
    return Evidence(
        level,
        reason,
        HINTS[reason],
        _words(distinctive),
        _words(matched),
        _words([one for one in distinctive if not one.df]),
        _words(ubiquitous),
        {name: round(value, 4) for name, value in figures.items()},
        {"weak": weak, "strong": strong},
    )


def formula_of(found: Found) -> str:
    """Return which formula judges: by what ran, and whether vectors know meanings."""
    if found.vector is None or (not found.embedder and found.text is not None):
        return "text"
    return "vector" if found.text is None else "hybrid"


def signals(found: Found) -> dict[str, float]:
    """Return the signals of what was found, by name."""
    values: dict[str, float] = {}
    shares: dict[str, float] = {}
    if found.text is not None:
        leg = found.text
        shares = telling_shares(leg)
        values["coverage"] = coverage(leg)
        values["concentration"] = max(shares.values(), default=0.0)
        values["amount"] = amount(leg)
        values["attained"] = leg.ranking[0].score if leg.ranking else 0.0
    if found.vector is not None:
        values["nearness"] = found.nearest[0].score if found.nearest else 0.0
        if found.text is not None:
            # Whatever is not among the nearest is no nearer than the last of them.
            last = found.nearest[-1].score if found.nearest else 0.0
            further = last + JOINT_SHARE * values["concentration"]
            joint = [one.score + JOINT_SHARE * shares.get(one.id, 0.0) for one in found.nearest]
            values["joint"] = max([further, *joint])
    return values


def aligned(
    figures: Mapping[str, float], embedder: str, background: "NDArray[np.float32] | None"
) -> Mapping[str, float]:
    """Return signals as the formulas know them, whatever the scale of an embedder's similarities.

    Formulas are fitted with `FITTED`. Another embedder's nearness is moved so that similarities
    among the entries of this index, as its sample shows them, have the mean and deviation that
    they usually have with the fitted one. Too small a sample says nothing, and nothing is moved.
    """
    if background is None or not embedder or embedder == FITTED or len(background) < LEAST_SAMPLE:
        return figures
    import numpy as np

    among = (background @ background.T)[np.triu_indices(len(background), 1)]
    scale = USUAL_DEVIATION / max(float(among.std()), 1e-3)
    center = float(among.mean())
    moved = dict(figures)
    for name in ("nearness", "joint"):
        if name in figures:
            # The words' part of `joint` has no scale of its own to be moved.
            words = figures["joint"] - figures["nearness"] if name == "joint" else 0.0
            near = (figures["nearness"] - center) * scale + USUAL_MEAN
            moved[name] = min(1.0, max(-1.0, near)) + words
    return moved


def coverage(leg: TextLeg, *, narrowed: bool = False) -> float:
    """Return the share of the query's weight whose terms occur in the corpus, or with `narrowed`
    in what the filters let through."""
    whole = sum(one.weight for one in leg.terms)
    if narrowed:
        places = {place for held in leg.held.values() for place in held}
        return sum(leg.terms[place].weight for place in sorted(places)) / whole if whole else 0.0
    return sum(one.weight for one in leg.terms if one.df) / whole if whole else 0.0


def telling_shares(leg: TextLeg) -> dict[str, float]:
    """Return, by id, the share of what tells in the query that an entry holds."""
    whole = sum(one.telling for one in leg.terms) or 1.0
    # Many entries hold the same few terms.
    shares = {
        places: sum(leg.terms[place].telling for place in places) / whole
        for places in set(leg.held.values())
    }
    return {entry_id: shares[places] for entry_id, places in leg.held.items()}


def amount(leg: TextLeg) -> float:
    """Return how many particular words one entry holds, from 0 for none towards 1 for many.

    Words count by their rarity in English alone: by their rarity in the corpus, the same question
    would be more of one the larger the corpus is.
    """
    most = max(
        (sum(leg.terms[place].rarity for place in places) for places in set(leg.held.values())),
        default=0.0,
    )
    return most / (most + AMPLE)


def is_ubiquitous(term: Weighed, entries: int) -> bool:
    """Whether a term is so common in a corpus of so many entries that it tells nothing."""
    return term.df > max(UBIQUITOUS_SHARE * entries, UBIQUITOUS_FROM)


def _reason(found: Found, figures: Mapping[str, float], matched: bool) -> str:
    """Return why evidence is not strong: which signal is lowest."""
    if found.text is None:
        return "not_near_in_meaning"
    if not any(one.df for one in found.text.terms):
        return "no_term_in_index"
    if not matched or figures["coverage"] < 0.5:
        return "too_little_matched"
    if figures["concentration"] < 0.5:
        return "terms_scattered"
    return "not_near_in_meaning" if found.vector is not None else "terms_scattered"


def _words(terms: Sequence[Weighed]) -> tuple[str, ...]:
    return shown_words(list(dict.fromkeys(one.word for one in terms)))
