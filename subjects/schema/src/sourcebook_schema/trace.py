"""Up from a node to the operations that carry it, each with its direction and the shortest route.

The walk is that of `direction.py` turned round: it enters nothing that is read-only on the way in
or write-only on the way out, and comes from a base to another of its children only where the base
itself is the value.
"""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from sourcebook_schema.api import METHOD, PROPERTY, TYPE, Api
from sourcebook_schema.direction import ALL_OF, CLOSED, REF, SIDES, VARIANT, extends
from sourcebook_schema.facts import Direction

MAX_HOPS = 8

State = tuple[int, bool]
"""A node, and whether it must be a value there, since the route leaves it by a `variant` edge."""


class Route(NamedTuple):
    """How an operation carries a node.

    Args:
        operation: its node.
        direction: `Direction.INPUT` or `OUTPUT`.
        hops: steps from one type to the next.
        nodes: from the operation, which is left out, down to the node itself.
    """

    operation: int
    direction: Direction
    hops: int
    nodes: tuple[int, ...]


def routes(
    api: Api, node: int, *, directions: Direction = Direction.BOTH, max_hops: int = MAX_HOPS
) -> list[Route]:
    """Return the shortest route from each operation to a node, for each direction.

    Args:
        node: where the walk begins; an operation has no routes.
        directions: those that are wanted.
        max_hops: steps from one type to the next that a route may have.

    Returns:
        The routes by hops, then by operation, then input before output.
    """
    found: list[Route] = []
    for direction, first, mark in SIDES:
        if direction & directions & api.graph.directions[node]:
            found.extend(_Walk(api, direction, first, mark).up(node, max_hops))
    return sorted(found, key=lambda route: (route.hops, route.operation, route.direction))


class _Walk:
    """The walk up in one direction."""

    def __init__(self, api: Api, direction: Direction, first: int, mark: int) -> None:
        self._graph = api.graph
        self._direction = direction
        self._first = first
        self._mark = mark
        self._below: dict[State, State | None] = {}

    def up(self, node: int, max_hops: int) -> Iterator[Route]:
        """Yield a route for each operation."""
        graph = self._graph
        if graph.marks[node] & self._mark:
            return
        # A type is there itself; of a property the type that owns it is none of the steps.
        hops = 0 if graph.kinds[node] == TYPE else -1
        levels: dict[int, deque[tuple[State, State | None]]] = {
            hops: deque([((node, False), None)])
        }
        carried: set[int] = set()
        while levels:
            hops = min(levels)
            level = levels.pop(hops)
            while level:
                state, below = level.popleft()
                if state in self._below:
                    continue
                self._below[state] = below
                for start, label in graph.into.of(state[0]):
                    if label == self._first and start not in carried:
                        carried.add(start)
                        yield Route(start, self._direction, max(hops, 0), tuple(self._nodes(state)))
                    above = self._above(state, start, label)
                    if above is None or above in self._below:
                        continue
                    if graph.kinds[start] != TYPE:
                        level.append((above, state))
                    elif hops < max_hops:
                        levels.setdefault(hops + 1, deque()).append((above, state))

    def _above(self, state: State, start: int, label: int) -> State | None:
        """Return what an edge into a node comes from, None if no value comes along it."""
        as_value = state[1]
        graph = self._graph
        if label in CLOSED or graph.kinds[start] == METHOD or graph.marks[start] & self._mark:
            return None
        if as_value and label == ALL_OF and extends(graph.kinds[start], graph.marks[start]):
            return None
        return start, label == VARIANT or (as_value and label == REF)

    def _nodes(self, state: State | None) -> Iterator[int]:
        while state is not None:
            yield state[0]
            state = self._below[state]


def steps(api: Api, route: Route) -> list[str]:
    """Return a route as a reader sees it: `["PublicUserProfile.address", "Address.city"]`.

    A type stands with its member, members of members in one word; bodies and responses are none.
    """
    graph = api.graph
    found: list[str] = []
    nodes = [node for node in route.nodes if graph.kinds[node] in (TYPE, PROPERTY)]
    for place, node in enumerate(nodes):
        below = nodes[place + 1] if place + 1 < len(nodes) else -1
        if below < 0 or graph.parents[below] != node:
            found.append(api.title(node))
    return found
