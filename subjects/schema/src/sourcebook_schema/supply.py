"""What gives an operation what it needs: the calls whose answers hold the ids in its route.

`GET /movie/{movie_id}/credits` needs an id of a movie; `GET /search/movie` answers with some. A
parameter in a route that is called an id is of a thing: `movie_id` of a movie, `id` of what the
route names before it. An operation that only reads supplies it if its answer has a property of that
very name, or an `id` of something that is called so: by the names of the types and properties
around it, or by the operation's own route.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final
from weakref import WeakKeyDictionary

from attrs import frozen
from sourcebook.retrieval.analyse import analyse

from sourcebook_schema.api import METHOD, PROPERTY, SERVICE, TYPE, Api
from sourcebook_schema.facts import Direction, Mark
from sourcebook_schema.graph import PLACES
from sourcebook_schema.parse import READ_ONLY
from sourcebook_schema.trace import routes

IDS: Final = frozenset({"id", "ids", "key", "uuid", "guid", "slug"})
"""Last words of names that stand for a thing."""

MAX_HOPS: Final = 3
"""Steps from one type to the next, from an answer down to the id in it."""

LOOKUP: Final = 0.1
"""What it counts that an operation finds things by a text that it requires."""

UNMET: Final = 0.05
"""What it counts against an operation that it needs something itself, for each."""

_PATH, _QUERY = PLACES.index("path"), PLACES.index("query")
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


@frozen
class Need:
    """A parameter of an operation that stands for a thing, and the terms that it is called by."""

    parameter: int
    thing: frozenset[str]


@frozen
class Supply:
    """An operation whose answer holds what a parameter needs."""

    operation: int
    need: Need


class Supplies:
    """The suppliers of the operations of an API, worked out when they are asked for."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._graph = api.graph
        self._needs: dict[int, tuple[Need, ...]] = {}
        self._suppliers: dict[tuple[str, frozenset[str]], tuple[int, ...]] = {}

    @classmethod
    def of(cls, api: Api) -> "Supplies":
        """Return the one of an open API."""
        found = _kept.get(api)
        if found is None:
            found = _kept[api] = cls(api)
        return found

    def best(
        self, operation: int, fit: Callable[[int], float], shows: Callable[[int], bool]
    ) -> list[Supply]:
        """Return the best supplier for each need of an operation.

        Args:
            operation: its node.
            fit: how well an operation fits what was asked.
            shows: whether an operation may be named.
        """
        found = []
        for need in self.needs(operation):
            others = [one for one in self._all(need) if one != operation and shows(one)]
            if others:
                first = max(others, key=lambda one: (self._worth(one, fit(one)), -one))
                found.append(Supply(first, need))
        return found

    def _worth(self, operation: int, score: float) -> float:
        return score + LOOKUP * self._looks_up(operation) - UNMET * len(self.needs(operation))

    def needs(self, operation: int) -> tuple[Need, ...]:
        """Return what an operation needs, in the order of its parameters."""
        if operation not in self._needs:
            self._needs[operation] = tuple(self._needed(operation))
        return self._needs[operation]

    def _needed(self, operation: int) -> Iterator[Need]:
        graph = self._graph
        parts = graph.operations[operation].path.split("/")
        for node, _ in graph.out.of(operation):
            if graph.places[node] != _PATH:
                continue
            name = graph.names[node]
            words = _WORD.findall(name)
            if not words or words[-1].lower() not in IDS:
                continue
            place = next((at for at, part in enumerate(parts) if f"{{{name}}}" in part), 0)
            before = parts[place - 1] if place else ""
            thing = frozenset(analyse(" ".join(words[:-1]) or before))
            if thing:
                yield Need(node, thing)

    def _all(self, need: Need) -> tuple[int, ...]:
        name = self._graph.names[need.parameter]
        key = (name, need.thing)
        if key not in self._suppliers:
            found = dict.fromkeys(self._found(name, need.thing))
            # What needs such a thing itself is no way to come by one.
            self._suppliers[key] = tuple(
                one for one in found if need.thing not in {other.thing for other in self.needs(one)}
            )
        return self._suppliers[key]

    def _found(self, name: str, thing: frozenset[str]) -> Iterator[int]:
        graph = self._graph
        for node in graph.names.equal(name):
            if name.lower() not in IDS:
                yield from self._answering(node)
        ids = [node for one in sorted(IDS) for node in graph.names.equal(one, exactly=False)]
        for node in ids:
            if thing <= self._called(node):
                yield from self._answering(node)
        about = [
            node
            for node, operation in graph.operations.items()
            if operation.method in READ_ONLY and thing <= _route_words(operation.path)
        ]
        yield from (node for node in about if self._answers_with_id(node))

    def _answering(self, node: int) -> Iterator[int]:
        graph = self._graph
        if graph.kinds[node] != PROPERTY or graph.places[node]:
            return
        for route in routes(self._api, node, directions=Direction.OUTPUT, max_hops=MAX_HOPS):
            if graph.operations[route.operation].method in READ_ONLY:
                yield route.operation

    def _called(self, node: int) -> frozenset[str]:
        """Return the terms of what a property belongs to."""
        owner = self._graph.parents[node]
        return frozenset(analyse(self._graph.key_title(owner))) if owner >= 0 else frozenset()

    def _answers_with_id(self, operation: int) -> bool:
        """Whether some property of an operation's answer is called an id."""
        graph = self._graph
        seen = {operation}
        level = [operation]
        for _ in range(MAX_HOPS + 1):
            below: list[int] = []
            while level:
                node = level.pop()
                for end, _ in graph.out.of(node):
                    if end in seen or graph.places[end] or graph.kinds[end] in (METHOD, SERVICE):
                        continue
                    if not graph.directions[end] & Direction.OUTPUT:
                        continue
                    seen.add(end)
                    if graph.kinds[end] == PROPERTY and graph.names[end].lower() in IDS:
                        return True
                    (below if graph.kinds[end] == TYPE else level).append(end)
            level = below
        return False

    def _looks_up(self, operation: int) -> bool:
        """Whether an operation requires a text to find things by."""
        graph = self._graph
        return any(
            graph.places[node] == _QUERY
            and graph.marks[node] & Mark.REQUIRED
            and graph.types[node] == "string"
            and "values" not in graph.detail(node)
            for node, _ in graph.out.of(operation)
        )


_kept: "WeakKeyDictionary[Api, Supplies]" = WeakKeyDictionary()


def _route_words(path: str) -> frozenset[str]:
    parts = [part for part in path.split("/") if not part.startswith("{")]
    return frozenset(analyse(" ".join(parts)))
