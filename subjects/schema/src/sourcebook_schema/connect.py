"""The connected part of an API around what a search found.

Operations and types are what is connected; members, bodies and responses belong to one of them.
One step, a hop, leads from an operation or type to a type named in it, or back. Hits are joined by
shortest paths, the shortest first, until all that are near enough are one piece: the heuristic of
Mehlhorn (Information Processing Letters 27, 1988) for Steiner trees, one walk from all at once.

What an operation answers when it fails, and types that very many things name, connect nothing:
every operation has those in common.
"""

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from attrs import frozen

from sourcebook_schema.api import METHOD, PROPERTY, SERVICE, TYPE, Api
from sourcebook_schema.facts import EDGES, NODE_KINDS
from sourcebook_schema.parts import with_members
from sourcebook_schema.trace import Route

RESPONSE: Final = NODE_KINDS.index("response")

_NOT: Final = EDGES.index("not")

_STATUS: Final = re.compile(r"[1-5](?:[0-9]{2}|XX)|default", re.ASCII)

FAN: Final = 100
"""What more than so many things name connects none of them."""

MEMBERS_OF: Final = 2
"""Steps from what was found within which things are shown with what they consist of."""


class Step(NamedTuple):
    """From an operation or type to the next: where to, and the nodes on the way."""

    end: int
    via: tuple[int, ...]


class Walk:
    """Steps between the operations and types of an API.

    Args:
        api: the graph.
        shows: whether a node may be walked through.
    """

    def __init__(self, api: Api, shows: Callable[[int], bool]) -> None:
        self._api = api
        self._graph = api.graph
        self._shows = shows
        self._failures: dict[int, frozenset[int]] = {}
        self._named: dict[int, list[Step]] = {}

    def unit(self, node: int) -> int:
        """Return the operation or type that a node belongs to; what belongs to none stands for
        itself (a parameter that several operations share)."""
        top = node
        for top in (node, *self._api.owners(node)):
            if self._graph.kinds[top] in (METHOD, TYPE):
                return top
        return top

    def steps(self, unit: int) -> list[Step]:
        """Return the steps from an operation or type, down first; none twice to one end."""
        found: dict[int, Step] = {}
        above = () if self.is_hub(unit) else self._above(unit)
        for step in (*self._down(unit), *above):
            if step.end != unit and step.end not in found and self._shows(step.end):
                found[step.end] = step
        return list(found.values())

    def is_hub(self, unit: int) -> bool:
        """Whether so many things name a type that it connects none of them."""
        return len(self._above(unit)) > FAN

    def _above(self, unit: int) -> Sequence[Step]:
        if unit not in self._named:
            self._named[unit] = list(islice(self._up(unit), FAN + 1))
        return self._named[unit]

    def _down(self, unit: int) -> Iterator[Step]:
        graph = self._graph
        failing: Collection[int] = ()
        if graph.kinds[unit] == METHOD:
            failing = self.failures(unit)
        seen = {unit}
        todo: deque[tuple[int, tuple[int, ...]]] = deque([(unit, ())])
        while todo:
            node, via = todo.popleft()
            for end, label in graph.out.of(node):
                if label == _NOT or end in seen:
                    continue
                seen.add(end)
                if graph.kinds[end] in (METHOD, TYPE):
                    yield Step(end, via)
                elif end not in failing and self._shows(end):
                    todo.append((end, (*via, end)))

    def _up(self, unit: int) -> Iterator[Step]:
        graph = self._graph
        seen = {unit}
        todo: deque[tuple[int, tuple[int, ...]]] = deque([(unit, ())])
        while todo:
            node, via = todo.popleft()
            for start, label in graph.into.of(node):
                kind = graph.kinds[start]
                if label == _NOT or kind == SERVICE or start in seen:
                    continue
                seen.add(start)
                if kind == METHOD:
                    if graph.kinds[node] != RESPONSE or node not in self.failures(start):
                        yield Step(start, via)
                elif kind == TYPE:
                    yield Step(start, via)
                elif self._shows(start):
                    todo.append((start, (start, *via)))

    def failures(self, operation: int) -> frozenset[int]:
        """Return the responses of an operation that say that it failed."""
        if operation not in self._failures:
            self._failures[operation] = frozenset(self._failing(operation))
        return self._failures[operation]

    def _failing(self, operation: int) -> Iterator[int]:
        graph = self._graph
        answers = [end for end, _ in graph.out.of(operation) if graph.kinds[end] == RESPONSE]
        status = {end: graph.pointers[end].rpartition("/")[2] for end in answers}
        if all(map(_STATUS.fullmatch, status.values())):
            good = {end for end in answers if status[end][0] in "123"}
        else:  # components have no status: the operation says for which it gives them
            given = self._api.component(self._api.uri_of(operation))["operation"]["responses"]
            uris = {part.get("$ref") for told, part in given.items() if told[:1] in ("1", "2", "3")}
            good = {
                end
                for end in answers
                if self._api.uri_of(end) in uris
                or (_STATUS.fullmatch(status[end]) and status[end][0] in "123")
            }
        # An answer for all that has no status of its own says of a failure where others do not.
        if good:
            yield from (end for end in answers if end not in good)


@frozen
class Seed:
    """A node that was found, and the operations that carry it, nearest and best first."""

    node: int
    routes: tuple[Route, ...] = ()


@frozen
class Piece:
    """Nodes in the order in which they are told of, and how many were left out.

    Args:
        nodes: operations first, those of better hits before others.
        left_out: `hits` that had no room; `nodes`: what stands around the others and had none.
    """

    nodes: tuple[int, ...]
    left_out: dict[str, int]


def connect(
    api: Api,
    seeds: Sequence[Seed],
    *,
    more: Sequence[int] = (),
    shows: Callable[[int], bool],
    max_hops: int,
    max_nodes: int,
) -> Piece:
    """Return what was found as one connected part, as far as its pieces are near enough.

    Args:
        seeds: best first.
        more: operations to be shown too, after what connects the seeds.
        shows: whether a node may be shown without having been found.
        max_hops: steps between two that are joined.
        max_nodes: of the whole; hits come first, then what carries them, then what joins them,
            then their members and those of the types named in operations.
    """
    walk = Walk(api, shows)
    room = _Room(max_nodes)
    left = sum(not room.take((seed.node, *api.owners(seed.node))) for seed in seeds)
    shown = [seed for seed in seeds if seed.node in room.nodes]
    for seed in shown:
        for route in seed.routes:
            room.take((route.operation, *route.nodes, *_owners(api, route.nodes)))
    for path in joins(walk, [seed.node for seed in shown], max_hops):
        room.take((*path, *_owners(api, path)))
    for operation in more:
        room.take((operation,))
    units = list(dict.fromkeys(walk.unit(node) for node in room.nodes))
    for _ in range(MEMBERS_OF):
        for unit in units:
            if unit in room.nodes or shows(unit):
                room.fill(node for node in _members(api, walk, unit) if shows(node))
        operations = [unit for unit in units if api.graph.kinds[unit] == METHOD]
        units = list(dict.fromkeys(_named(api, room.nodes, operations)))
    operations = [node for node in room.nodes if api.graph.kinds[node] == METHOD]
    rest = sorted(node for node in room.nodes if api.graph.kinds[node] != METHOD)
    return Piece((*operations, *rest), {"hits": left, "nodes": room.left})


class _Room:
    """Nodes in the order in which they came, as many as there is room for."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.nodes: dict[int, None] = {}
        self._refused: set[int] = set()

    @property
    def left(self) -> int:
        """How many nodes had no room."""
        return len(self._refused.difference(self.nodes))

    def take(self, nodes: Sequence[int]) -> bool:
        """Take nodes, all of them or none; return whether they are there."""
        new = dict.fromkeys(node for node in nodes if node not in self.nodes)
        if len(self.nodes) + len(new) > self._limit:
            self._refused.update(new)
            return False
        self.nodes.update(new)
        return True

    def fill(self, nodes: Iterable[int]) -> None:
        """Take as many of some nodes as there is room for."""
        for node in nodes:
            self.take((node,))


def joins(walk: Walk, nodes: Sequence[int], max_hops: int) -> Iterator[tuple[int, ...]]:
    """Yield the paths that join nodes at most `max_hops` steps apart, the shortest first; none
    between two that are joined already."""
    origin: dict[int, int] = {}
    above: dict[int, tuple[int, Step] | None] = {}
    far: dict[int, int] = {}
    for place, node in enumerate(nodes):
        unit = walk.unit(node)
        if unit not in origin:
            origin[unit], above[unit], far[unit] = place, None, 0
    todo = deque(origin)
    meetings: list[tuple[int, int, int, int, Step]] = []
    # What two walks are to meet in lies no further than half way from either.
    while todo:
        unit = todo.popleft()
        hops = far[unit]
        if 2 * hops + 1 > max_hops:
            continue
        for step in walk.steps(unit):
            if step.end not in origin:
                if 2 * (hops + 1) <= max_hops and not walk.is_hub(step.end):
                    origin[step.end], above[step.end] = origin[unit], (unit, step)
                    far[step.end] = hops + 1
                    todo.append(step.end)
            elif origin[step.end] != origin[unit] and hops + 1 + far[step.end] <= max_hops:
                one, other = sorted((origin[unit], origin[step.end]))
                meetings.append((hops + 1 + far[step.end], one, other, unit, step))
    meetings.sort()
    heads = list(range(len(nodes)))

    def head(place: int) -> int:
        while heads[place] != place:
            heads[place] = heads[heads[place]]
            place = heads[place]
        return place

    def way(unit: int) -> Iterator[int]:
        yield unit
        while (came := above[unit]) is not None:
            unit, step = came
            yield from (*step.via, unit)

    for _, one, other, unit, step in meetings:
        if head(one) != head(other):
            heads[head(other)] = head(one)
            yield (*way(unit), *step.via, *way(step.end))


def _owners(api: Api, nodes: Sequence[int]) -> Iterator[int]:
    for node in nodes:
        if api.graph.kinds[node] == PROPERTY:
            yield from api.owners(node)


def _members(api: Api, walk: Walk, unit: int) -> list[int]:
    """Return what an operation or type consists of, without the answers of a failure."""
    members = with_members(api, [unit])
    if api.graph.kinds[unit] == METHOD and (failing := walk.failures(unit)):
        good = with_members(api, [end for end, _ in api.graph.out.of(unit) if end not in failing])
        bad = with_members(api, sorted(failing))
        members -= bad - good
    return sorted(members)


def _named(api: Api, nodes: Collection[int], operations: Sequence[int]) -> Iterator[int]:
    """Yield the types that are named in what operations consist of, as far as that is shown."""
    for operation in operations:
        for node in sorted(with_members(api, [operation])):
            if node in nodes:
                yield from (
                    end for end, _ in api.graph.out.of(node) if api.graph.kinds[end] == TYPE
                )
