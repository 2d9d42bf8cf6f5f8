"""What a search may find and show: by documents, routes, methods, directions, exclusions."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from sourcebook.naming import shown
from sourcebook.verbs.pattern import name_matcher

from sourcebook_schema.api import METHOD, PROPERTY, SERVICE, TYPE, Api
from sourcebook_schema.direction import directions
from sourcebook_schema.facts import ENTRY_KINDS, Direction
from sourcebook_schema.names import Names, Wanted, find_sources
from sourcebook_schema.parse import READ_ONLY
from sourcebook_schema.terms import Term
from sourcebook_schema.verbs.items import on_routes


class Scope:
    """The part of an API that a search is narrowed to.

    Args:
        api: the graph.
        request: has `source`, `path`, `method_type` and the exclusions.

    Raises:
        BadPattern: a pattern cannot be read.
    """

    def __init__(self, api: Api, request: Any) -> None:
        self._api = api
        self._method_type = request.method_type
        self._paths = tuple(request.path)
        self.sources, self.unmet = find_sources(api, request.source)
        self.notes: list[str] = []
        self.excluded = frozenset(self._excluded(request))
        if self._paths and not any(map(self._on_path, api.graph.operations)):
            self.unmet.extend(f"no path fits `{shown(one)}`" for one in self._paths)

    def _excluded(self, request: Any) -> Iterable[int]:
        ways = (
            (request.exclude_id, ENTRY_KINDS),
            (request.exclude_method, ("method",)),
            (request.exclude_type, ("type",)),
            (request.exclude_property, ("property",)),
        )
        for texts, kinds in ways:
            names = Names(self._api, Wanted(kinds))
            for text in texts:
                found = names.find(text)
                if not found:
                    self.notes.append(f"nothing to exclude is called `{shown(text)}`")
                yield from found

    @cached_property
    def _on_path(self) -> Any:
        return on_routes(self._api, name_matcher(self._paths))

    @cached_property
    def operations(self) -> frozenset[int]:
        """The operations that may be shown."""
        found = self._api.graph.operations
        return frozenset(
            node
            for node, operation in found.items()
            if node not in self.excluded
            and self._method_type in ("any", _method_type(operation.method))
            and (not self._paths or self._on_path(node))
        )

    @cached_property
    def _ways(self) -> "bytes | bytearray | Any":
        """Which way each node travels, by the operations of the wanted method type alone."""
        graph = self._api.graph
        if self._method_type == "any":
            return graph.directions
        out = graph.out
        return directions(
            graph.kinds, graph.marks, out.at, out.nodes, out.labels, among=self.operations
        )

    def holds(self, node: int, term: Term) -> bool:
        """Whether a term may find a node."""
        graph = self._api.graph
        kind = graph.kinds[node]
        if kind == METHOD:
            return node in self.operations
        if not self.excluded.isdisjoint((node, *self._api.owners(node))):
            return False
        if kind == SERVICE:
            return not self._paths
        if self._paths and not (kind == PROPERTY and self._on_path(node)):
            return False
        if term.direction != Direction.BOTH:
            return bool(self._ways[node] & term.direction)
        return self._method_type == "any" or bool(self._ways[node])

    def allowed(self, term: Term) -> frozenset[str] | None:
        """Return the ids that a term may find, None where kinds and sources say it all."""
        narrow = (
            self._paths
            or self.excluded
            or self._method_type != "any"
            or (term.direction != Direction.BOTH and set(term.kinds) != {"method"})
        )
        if not narrow:
            return None
        nodes = self._api.of_kinds(term.kinds)
        return frozenset(self._api.id(node) for node in nodes if self.holds(node, term))

    def shows(self, node: int) -> bool:
        """Whether a node may stand among what connects and carries the hits."""
        graph = self._api.graph
        kind = graph.kinds[node]
        if kind == METHOD:
            return node in self.operations and self._from(node)
        if kind in (TYPE, PROPERTY):
            return self.excluded.isdisjoint((node, *self._api.owners(node)))
        return kind != SERVICE

    def _from(self, node: int) -> bool:
        return self.sources is None or self._api.graph.source(node) in self.sources


def _method_type(method: str) -> str:
    return "read_only" if method in READ_ONLY else "read_write"
