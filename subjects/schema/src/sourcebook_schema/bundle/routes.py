"""Paths as keys: what every reader takes, and no two operations in one place."""

import re
from collections.abc import Mapping, Sequence
from string import Formatter

from sourcebook_schema.bundle.closure import Operation
from sourcebook_schema.bundle.naming import tell_apart, unused, valid_name


class Route:
    """A path as the key of an item.

    Args:
        key: the path; if another document's operation has its key, what tells its document from
            that one follows after `#`, which no client sends.
        names: what stands in braces.
        renamed: names that had to be written otherwise, by what they were.
    """

    def __init__(self, path: str, names: Sequence[str], renamed: Mapping[str, str]) -> None:
        self.key = path
        self.names = names
        self._renamed = renamed

    def name_of(self, parameter: str) -> str:
        """Return what a parameter is called in the route; one that differs in case is meant."""
        name = self._renamed.get(parameter, parameter)
        if name in self.names:
            return name
        alike = [one for one in self.names if one.lower() == name.lower()]
        return alike[0] if len(alike) == 1 else name


class Routes:
    """The routes of operations, no two of which are the same."""

    def __init__(self, operations: Sequence[Operation], homes: Sequence[str]) -> None:
        marks = dict(zip(homes, tell_apart(homes), strict=True))
        self._routes: dict[str, Route] = {}
        taken: set[tuple[str, str, str]] = set()
        for operation in operations:
            route = Route(operation.key, (), {}) if operation.event else make_route(operation.path)
            place = (operation.event, route.key, operation.method)
            if place in taken:
                mark = valid_name(marks.get(operation.home, operation.home))
                parted = f"{route.key}#{mark}"
                keys = {
                    key
                    for event, key, method in taken
                    if (event, method) == (operation.event, operation.method)
                }
                route.key = unused(parted, keys)
            taken.add((operation.event, route.key, operation.method))
            self._routes[operation.uri] = route

    def of(self, operation: Operation) -> Route:
        """Return the route of an operation."""
        return self._routes[operation.uri]


def make_route(path: str) -> Route:
    """Return a path that every reader takes: one slash before it, braces in pairs, plain names."""
    path = path if path.startswith("/") else f"/{path}"
    renamed: dict[str, str] = {}

    def rename(found: re.Match[str]) -> str:
        if (text := found[1]) is None:
            return {"{": "%7B", "}": "%7D"}[found[0]]
        plain = re.sub(r"[^\w$@.,'~ -].*", "", text.lstrip("+;.?&#/*")) or re.sub(r"\W+", "_", text)
        renamed[text] = unused(plain, set(renamed.values()) - {renamed.get(text, "")})
        return f"{{{renamed[text]}}}"

    path = re.sub(r"\{([^{}]+)\}|[{}]", rename, path)
    names = [name for _, name, _, _ in Formatter().parse(path) if name]
    return Route(path, [*dict.fromkeys(names)], renamed)
