"""The operation that a request is for: by its id, its route, or the very path that is called."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from attrs import frozen
from sourcebook.errors import Ambiguous, BadRequest, NotFound
from sourcebook.naming import nearest, shown

from sourcebook_schema.api import Api
from sourcebook_schema.bundle.routes import make_route
from sourcebook_schema.names import Names, Wanted

CALL = re.compile(r"([A-Za-z]+)\s+((?:/|https?://)\S*)")

ADDRESS = re.compile(r"/|https?://")

FIELD = "operation"

ROUTE_S = 1.0
"""What it may take to see whether a path fits a route; parameters side by side fit in many ways."""


@frozen
class Called:
    """An operation as it is called.

    Args:
        node: the operation.
        path: values of the parameters in its path; None: only the operation was named.
        query: what stands after `?`.
    """

    node: int
    path: Mapping[str, str] | None
    query: tuple[tuple[str, str], ...] = ()


def find_called(api: Api, text: str, sources: frozenset[str] | None) -> Called:
    """Return the operation that a text means: `GET /users/7?full=1`, `GET /users/{id}`, a URL with
    the method before it, an operationId, an id.

    Raises:
        BadRequest: none, or several; the hint says which are near.
    """
    if call := CALL.fullmatch(text):
        return _by_call(api, call[1].upper(), call[2], sources)
    try:
        found = Names(api, Wanted(("method",), sources=sources)).one(text, "operation")
    except (NotFound, Ambiguous) as error:
        hint = f"write the method before it: `GET {shown(text)}`"
        hint = hint if ADDRESS.match(text) else error.hint
        raise BadRequest(error.message, where=FIELD, hint=hint) from None
    if len(found) > 1:
        raise _ambiguous(api, text, found)
    operation = api.graph.operations.get(found[0])
    if operation is None:
        raise BadRequest(f"`{shown(text)}` is no operation", where=FIELD)
    return Called(found[0], None if "{" in operation.path and not operation.event else {})


def _by_call(api: Api, method: str, address: str, sources: frozenset[str] | None) -> Called:
    try:
        url = urlsplit(address)
    except ValueError as error:
        raise BadRequest(f"`{shown(address)}` is no URL: {error}", where=FIELD) from None
    query = tuple(parse_qsl(url.query, keep_blank_values=True))
    operations = {
        node: operation.path
        for node, operation in api.graph.operations.items()
        if not operation.event and (sources is None or api.graph.source(node) in sources)
    }
    same_method = {
        node: path
        for node, path in operations.items()
        if api.graph.operations[node].method.upper() == method
    }
    named = [node for node, path in same_method.items() if path == url.path]
    if len(named) > 1:
        raise _ambiguous(api, f"{method} {url.path}", named)
    if named:
        return Called(named[0], None if "{" in url.path else {}, query)
    fitting = _fitting(api, same_method, url.path)
    if not fitting:
        raise _unknown(api, method, url.path, operations)
    fewest = min(len(values) for values in fitting.values())
    best = [node for node, values in fitting.items() if len(values) == fewest]
    if len(best) > 1:
        raise _ambiguous(api, f"{method} {url.path}", best)
    return Called(best[0], fitting[best[0]], query)


def _fitting(api: Api, operations: Mapping[int, str], path: str) -> dict[int, dict[str, str]]:
    """Return the operations whose route a path fits, by itself or below one of its servers, each
    with the values of its parameters."""
    found = {}
    for node, template in operations.items():
        if (values := match_route(template, path)) is not None:
            found[node] = values
    if found:
        return found
    for node, template in operations.items():
        for base in _bases(api, node):
            if path.startswith(f"{base}/"):
                values = match_route(template, path.removeprefix(base))
                if values is not None:
                    found[node] = values
    return found


def match_route(template: str, path: str) -> dict[str, str] | None:
    """Return the values that a path gives to the parameters of a template, None if it fits not."""
    import regex

    route = make_route(template)
    if "{" not in route.key:
        return {} if path == route.key else None
    # Groups are numbered: a name in braces need be no name of a group.
    names = re.findall(r"\{([^{}]+)\}", route.key)
    parts = re.split(r"\{[^{}]+\}", route.key)
    pattern = "([^/]+)".join(re.escape(part) for part in parts)
    try:
        found = regex.fullmatch(pattern, path, timeout=ROUTE_S)
    except TimeoutError:
        return None
    return dict(zip(names, map(unquote, found.groups()), strict=True)) if found else None


def _bases(api: Api, node: int) -> Iterator[str]:
    """Yield the paths of the servers of an operation's documents."""
    source = api.graph.source(node)
    for document in api.documents:
        if source not in document.files:
            continue
        servers: Any = api.files[document.source].info.get("servers", [])
        for server in servers if isinstance(servers, list) else ():
            url = server.get("url") if isinstance(server, dict) else None
            if isinstance(url, str):
                with suppress(ValueError):  # it is no URL
                    base = urlsplit(_with_defaults(url, server)).path.rstrip("/")
                    if base:
                        yield base


def _with_defaults(url: str, server: Mapping[str, Any]) -> str:
    variables = server.get("variables")
    for name, variable in variables.items() if isinstance(variables, dict) else ():
        if isinstance(variable, dict):
            url = url.replace(f"{{{name}}}", str(variable.get("default", "")))
    return url


def _ambiguous(api: Api, text: str, nodes: list[int]) -> BadRequest:
    ids = ", ".join(api.id(node) for node in nodes[:10])
    return BadRequest(
        f"`{shown(text)}` fits {len(nodes)} operations: {ids}",
        where=FIELD,
        hint="name one by its id, or narrow with `--source`",
    )


def _unknown(api: Api, method: str, path: str, operations: Mapping[int, str]) -> BadRequest:
    there = sorted(
        {api.graph.operations[node].method.upper() for node in _fitting(api, operations, path)}
    )
    if there:
        hint = f"that path has {', '.join(there)}"
    else:
        labels = [api.graph.operations[node].label for node in operations]
        near = nearest(f"{method} {path}", labels, cutoff=0.5)
        hint = f"did you mean `{near}`?" if near else "`list methods` names them all"
    call = shown(f"{method} {path}")
    return BadRequest(f"no operation is called by `{call}`", where=FIELD, hint=hint)
