"""The calls of an answer: operations that were found, carry what was found, or supply those."""

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import frozen

from sourcebook_schema.api import METHOD, PROPERTY, TYPE, Api
from sourcebook_schema.ranking import Ranking
from sourcebook_schema.scope import Scope
from sourcebook_schema.supply import Supplies
from sourcebook_schema.trace import Route, routes

CARRIERS: Final = 3
"""Operations of a type or property that many carry."""

CHAINED: Final = 5
"""Calls, the best ones, whose needs are looked after."""


@frozen
class Hit:
    """A node that was found.

    Args:
        node: it.
        ranking: of the term that found it best.
        found_by: the names of all terms that found it.
        routes: how operations carry it, the nearest, and of these the best, first.
    """

    node: int
    ranking: Ranking
    found_by: tuple[str, ...]
    routes: tuple[Route, ...]


@frozen
class Call:
    """An operation and why it is here: `found`, `carries` the node `of`, or `supplies` the call
    `of` with `parameter`; nodes are -1 where they do not apply."""

    operation: int
    role: str
    of: int = -1
    parameter: int = -1


def carriers(
    api: Api, scope: Scope, ranking: Ranking, node: int, max_hops: int
) -> tuple[Route, ...]:
    """Return the routes from the operations that carry a node: the nearest ones, by how well they
    fit the question where there are many, each operation once."""
    if api.graph.kinds[node] not in (TYPE, PROPERTY):
        return ()
    found = routes(api, node, directions=ranking.term.direction, max_hops=max_hops)
    nearest: dict[int, Route] = {}
    for route in found:
        if scope.shows(route.operation) and all(map(scope.shows, route.nodes[:-1])):
            nearest.setdefault(route.operation, route)
    if len(nearest) <= CARRIERS:
        return tuple(nearest.values())

    def worth(route: Route) -> tuple[int, float, int]:
        return route.hops, -ranking.fit(route.operation), route.operation

    return tuple(sorted(nearest.values(), key=worth)[:CARRIERS])


def calls(api: Api, scope: Scope, hits: Sequence[Hit], *, chain: bool) -> list[Call]:
    """Return the calls of some hits in their order, each operation once; with `chain`, the best
    are followed by the calls that supply what they need."""
    found: dict[int, Call] = {}
    for call, ranking in _asked(api, hits):
        if call.operation in found:
            continue
        best = len(found) < CHAINED
        found[call.operation] = call
        if not (chain and best):
            continue
        for supply in Supplies.of(api).best(call.operation, ranking.fit, scope.shows):
            given = Call(supply.operation, "supplies", call.operation, supply.need.parameter)
            found.setdefault(supply.operation, given)
    return list(found.values())


def _asked(api: Api, hits: Sequence[Hit]) -> Iterator[tuple[Call, Ranking]]:
    for hit in hits:
        if api.graph.kinds[hit.node] == METHOD:
            yield Call(hit.node, "found"), hit.ranking
        for route in hit.routes:
            yield Call(route.operation, "carries", hit.node), hit.ranking
