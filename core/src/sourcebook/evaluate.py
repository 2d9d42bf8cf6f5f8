"""How good a ranking is: recall@k, MRR and nDCG@k from judged relevance.

Qrels are grades by id, 0 and absent both meaning not relevant. Measures take one question;
`mean` averages one over many. A question with nothing relevant has no measure and is left out of
means: whether it was refused is another question (`roc_auc`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log2

Qrels = Mapping[str, float]
"""Grades by id."""

Measure = Callable[[Sequence[str], Qrels], float]


def recall_at(ranking: Sequence[str], qrels: Qrels, k: int) -> float:
    """Return the share of the relevant ids that are among the first `k`; 0 if none is relevant."""
    relevant = {one for one, grade in qrels.items() if grade > 0}
    return len(relevant & set(ranking[:k])) / len(relevant) if relevant else 0.0


def success_at(ranking: Sequence[str], qrels: Qrels, k: int) -> float:
    """Return 1 if any of the first `k` is relevant, else 0: recall where one answer is enough."""
    return float(any(qrels.get(one, 0) > 0 for one in ranking[:k]))


def mrr(ranking: Sequence[str], qrels: Qrels, k: int | None = None) -> float:
    """Return 1 / rank of the first relevant id, ranks from 1; 0 if none is among the first `k`.

    Its mean over questions is the mean reciprocal rank.
    """
    for rank, one in enumerate(ranking[:k], start=1):
        if qrels.get(one, 0) > 0:
            return 1.0 / rank
    return 0.0


def ndcg_at(ranking: Sequence[str], qrels: Qrels, k: int, *, gain: str = "linear") -> float:
    """Return the discounted gain of the first `k`, divided by that of the best order there is.

    DCG is the sum over ranks i from 1 of gain / log2(i + 1). An id that comes twice counts once,
    where it first stands.

    Args:
        ranking: best first.
        qrels: grades by id.
        k: how many count.
        gain: `linear`, the grade itself; `exponential`, 2^grade - 1; `binary`, 1 if relevant.

    Source:
        Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; Burges et al., ICML 2005, for exponential.
    """
    found = [max(0.0, qrels.get(one, 0)) for one in dict.fromkeys(ranking)]
    best = sorted((grade for grade in qrels.values() if grade > 0), reverse=True)
    ideal = _dcg(_gain(grade, gain) for grade in best[:k])
    return _dcg(_gain(grade, gain) for grade in found[:k]) / ideal if ideal else 0.0


def _gain(grade: float, gain: str) -> float:
    if gain == "binary":
        return 1.0 if grade > 0 else 0.0
    if gain == "exponential":
        return float(2.0**grade - 1)
    if gain != "linear":
        raise ValueError(f"no gain is called {gain!r}")
    return grade


def _dcg(gains: Iterable[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def mean(
    measure: Measure, rankings: Mapping[str, Sequence[str]], qrels: Mapping[str, Qrels]
) -> float:
    """Return the mean of a measure over the questions of `qrels` that have something relevant.

    A question without a ranking counts as one that found nothing.
    """
    values = [
        measure(rankings.get(question, ()), judged)
        for question, judged in qrels.items()
        if any(grade > 0 for grade in judged.values())
    ]
    return sum(values) / len(values) if values else 0.0


def roc_auc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Return how often a figure of `positive` is above one of `negative`, equals counting half.

    0.5 is what chance gives, 1 a perfect separation; nan if one of them is empty.
    """
    if not positive or not negative:
        return float("nan")
    ranked = sorted([(value, True) for value in positive] + [(value, False) for value in negative])
    wins, at, below = 0.0, 0, 0
    while at < len(ranked):
        end = at
        while end < len(ranked) and ranked[end][0] == ranked[at][0]:
            end += 1
        above = sum(is_positive for _, is_positive in ranked[at:end])
        equal = end - at - above
        wins += above * (below + equal / 2)
        below += equal
        at = end
    return wins / (len(positive) * len(negative))
