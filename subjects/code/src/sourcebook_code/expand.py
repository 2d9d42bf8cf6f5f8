"""From some declarations along the edges of the graph to those around them, with the way there."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from attrs import frozen

from sourcebook_code.edges import EDGES, PROVENANCES
from sourcebook_code.graph import Graph, Step

if TYPE_CHECKING:
    from sourcebook.index.open import Index

DIRECTIONS = ("in", "out", "both")

MAX_HOPS = 3
MAX_REACHED = 2000
"""Nodes that one walk reaches, all those next to its seeds and then so many."""

MAX_EDGES = 256
"""Edges of one node that are followed from the second hop on: what half of a corpus calls leads
everywhere."""

WEIGHTS = {"calls": 0.7, "contains": 0.5, "extends": 0.5, "imports": 0.3}
"""What of a score an edge hands on. Calls weigh most: they say what takes part in a behaviour."""

TRUST = {"resolved": 1.0, "unique name": 0.8, "ambiguous": 0.4}
"""What of that is left of an edge that is guessed."""


@frozen
class GraphEdge:
    """A directed edge on the way to what was reached.

    Args:
        start: the id of what contains, calls, imports or extends.
        end: the id of what is contained, called, imported or extended.
        label: `contains`, `calls`, `imports` or `extends`.
        provenance: `resolved`: the rules of the language lead there; `unique name`: only the name
            says so, and nothing else has it; `ambiguous`: it is one of a few that have the name.
        line: the line of the source of `start` in which it is written first; 0 for `contains`.
    """

    start: str
    end: str
    label: str
    provenance: str
    line: int


@frozen
class Expansion:
    """A declaration that was reached.

    Args:
        id: of its entry.
        score: that of the seed times what each edge on the way hands on.
        way: the edges from the seed to it.
    """

    id: str
    score: float
    way: tuple[GraphEdge, ...]


class Reached(NamedTuple):
    """A node that a walk reached: its score, and the steps to it."""

    score: float
    way: tuple[Step, ...]


def edge_of(graph: Graph, step: Step) -> GraphEdge:
    """Return a step with ids."""
    return GraphEdge(
        graph.id(step.start), graph.id(step.end), step.label, step.provenance, step.line
    )


def walk(
    graph: Graph,
    seeds: Mapping[int, float],
    *,
    hops: int,
    direction: str = "both",
    labels: Collection[str] = EDGES,
    provenances: Collection[str] = PROVENANCES,
) -> dict[int, Reached]:
    """Return the nodes that are reached from some with the best score of each, without the seeds.

    Args:
        seeds: their scores, by node.
        hops: how many edges a way has at most.
        direction: `out` follows edges from their start, `in` from their end.
        labels, provenances: of the edges that are followed.
    """
    best = {node: Reached(score, ()) for node, score in seeds.items()}
    front = list(best)
    for hop in range(hops):
        wave: dict[int, None] = {}
        for node in front:
            here = best[node]
            steps = _steps(graph, node, direction)
            for step in islice(steps, MAX_EDGES) if hop else steps:
                if step.label not in labels or step.provenance not in provenances:
                    continue
                score = here.score * WEIGHTS[step.label] * TRUST[step.provenance]
                known = best.get(step.node)
                if step.node in seeds or (known is not None and known.score >= score):
                    continue
                if hop and known is None and len(best) >= MAX_REACHED + len(seeds):
                    continue
                best[step.node] = Reached(score, (*here.way, step))
                wave[step.node] = None
        front = list(wave)
    return {node: one for node, one in best.items() if node not in seeds}


def _steps(graph: Graph, node: int, direction: str) -> Iterator[Step]:
    if direction != "in":
        yield from graph.out(node)
    if direction != "out":
        yield from graph.into(node)


def expand(
    index: "Index", seeds: Sequence[tuple[str, float]], *, hops: int = 1, limit: int = 50
) -> list[Expansion]:
    """Return what the graph reaches from entries that a search found, the best first.

    Args:
        seeds: ids with their scores.
        hops: how many edges a way has at most, bounded by `MAX_HOPS`.
        limit: how many are returned.

    Raises:
        IndexDamaged: the graph of the index is not what was written.
    """
    graph = Graph.of(index)
    scores: dict[int, float] = {}
    for entry_id, score in seeds:
        node = graph.node(entry_id)
        if node >= 0:
            scores[node] = max(score, scores.get(node, 0.0))
    reached = walk(graph, scores, hops=min(hops, MAX_HOPS))
    ranked = sorted(reached.items(), key=lambda one: (-one[1].score, one[0]))[:limit]
    return [
        Expansion(graph.id(node), one.score, tuple(edge_of(graph, step) for step in one.way))
        for node, one in ranked
    ]
