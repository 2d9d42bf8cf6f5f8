"""The operations of a file: those of its paths, its webhooks and its callbacks."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sourcebook_schema.convert.swagger import Swagger
from sourcebook_schema.draft import Draft, Moved, Text
from sourcebook_schema.facts import FIELDS_OF_METHODS, MORE_METHODS, Mark, method_field
from sourcebook_schema.parameter_lists import Parameter, ParameterLists, Parameters, is_name
from sourcebook_schema.parameters import Parts
from sourcebook_schema.reading.tree import Map, Value
from sourcebook_schema.schemas import a_value, summary_of
from sourcebook_schema.texts import as_text, escape, outline

_METHOD = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,40}")
"""What HTTP takes as a method."""

MAX_CALLBACKS = 4
"""So deep callbacks of callbacks are read."""


class Route(NamedTuple):
    """How an operation is reached.

    Args:
        path: the path, the key of a webhook or the expression of a callback.
        event: empty, `webhook` or `callback`.
        key: the name of the webhook or callback.
        of: the key of the operation whose callback it is.
        depth: how many callbacks it lies in.
    """

    path: str
    event: str = ""
    key: str = ""
    of: str = ""
    depth: int = 0

    def named(self, method: str) -> str:
        """Return the name of an operation that has no id."""
        return f"{self.event.upper()} {self.key}" if self.event else f"{method.upper()} {self.path}"


class Shared(NamedTuple):
    """What a path says for all its operations: parameters, servers, and the lines of its texts,
    which stand in the entry of its first operation."""

    parameters: Parameters
    servers: Any
    lines: list[str]


class Read(NamedTuple):
    """An operation that has been read."""

    method: str
    node: int
    uri: str
    value: dict[str, Any]


class Operations:
    """Reads operations.

    Args:
        draft: takes the rows.
        parts: reads what they are made of.
        swagger: converts path items of version 2.0.
    """

    def __init__(self, draft: Draft, parts: Parts, swagger: Swagger | None) -> None:
        self.draft = draft
        self.parts = parts
        self._swagger = swagger
        self.ids: Counter[str] = Counter()
        """How often each id occurs in the file."""
        self.parameters = ParameterLists(draft, parts)
        self._by_id: dict[str, int] = {}
        self._by_uri: dict[str, int] = {}

    def count_ids(self, value: Any, depth: int = 0) -> None:
        """Count the ids in a mapping of path items."""
        for item in _maps(value):
            ref = item.get("$ref")
            if isinstance(ref, str):
                uri = self.parts.references.peek(ref)
                item = self.parts.target(uri) or item
            for operation in (*map(item.get, FIELDS_OF_METHODS), *_maps(item.get(MORE_METHODS))):
                if isinstance(operation, Map):
                    self.count_id(operation, depth)

    def count_id(self, operation: Map, depth: int = 0) -> None:
        """Count the id of an operation, and those in its callbacks."""
        name = _id_of(operation)
        if name:
            self.ids[name] += 1
        if depth < MAX_CALLBACKS:
            for callback in _maps(operation.get("callbacks")):
                self.count_ids(callback, depth + 1)

    def label(self, value: Any, method: str, route: Route) -> str:
        """Return how an operation is called: by its id if that is the only one, else by route."""
        name = _id_of(value) if isinstance(value, Map) else ""
        return name if name and self.ids[name] == 1 else route.named(method)

    def read_paths(self, value: Value, pointer: str, service: int) -> None:
        """Read a Paths Object; its operations are held by the node `service`."""
        for path, item in self.parts.mapping(value, pointer, "paths").items():
            if path.startswith("x-"):
                continue
            place = f"{pointer}/{escape(path)}"
            if not path.startswith("/"):
                self.draft.problem("a path does not begin with `/`", place)
            for read in self.read_item(item, place, Route(path), service):
                self.draft.edge(service, read.node, "holds")

    def read_webhooks(self, value: Value, pointer: str, service: int) -> None:
        """Read webhooks by their keys."""
        for key, item in self.parts.mapping(value, pointer, "webhooks").items():
            place = f"{pointer}/{escape(key)}"
            for read in self.read_item(item, place, Route(key, "webhook", key), service):
                self.draft.edge(service, read.node, "holds")

    def read_item(self, value: Value, pointer: str, route: Route, service: int = -1) -> list[Read]:
        """Read a Path Item Object and return its operations.

        One that is a reference to another file adds an edge from `service` to that.
        """
        if not isinstance(value, Map):
            if value is not None:
                self.parts.wrong("a path", value, pointer)
            return []
        found: list[Read] = []
        if "$ref" in value:
            found = self._referred(value, pointer, route, service)
        if self._swagger is not None:
            value = self._swagger.path_item(value, pointer)
        operations: dict[str, tuple[Map, str]] = {}
        elsewhere: dict[str, Map] = {}
        for method, place, part in self._methods(value, pointer):
            if isinstance(part, Map):
                target = self._target(part, place, route, service)
                if target is None:
                    elsewhere[method] = part
                else:
                    operations[method] = target
            elif part is not None:
                self.parts.wrong(f"`{method}`", part, place)
        if not operations and not elsewhere:
            return found
        shared = self._shared(value, pointer, route)
        for method, part in elsewhere.items():
            outline(shared.lines, method, part)
        for method, (operation, place) in operations.items():
            self.draft.done.add(pointer)
            found.append(self._operation(operation, place, method, route, shared))
            shared.lines.clear()
        return found

    def _methods(self, item: Map, pointer: str) -> Iterator[tuple[str, str, Value]]:
        """Yield the operations of a path item: each method, where it is written, and what."""
        for method, part in item.items():
            if method in FIELDS_OF_METHODS:
                yield method, f"{pointer}/{method}", part
        above = f"{pointer}/{MORE_METHODS}"
        more = self.parts.mapping(item.get(MORE_METHODS), above, "map of operation")
        for name, part in more.items():
            place = f"{above}/{escape(name)}"
            if not _METHOD.fullmatch(name):
                self.draft.problem(f"`{name[:40]}` is no method", place)
            elif name.lower() not in item:
                yield name.lower(), place, part

    def read_referred(
        self, value: Map, pointer: str, method: str, route: Route, item: str,
        parameters: Sequence[str],
    ) -> None:  # fmt: skip
        """Read an operation that a path item in another file refers to.

        Args:
            value: the operation.
            pointer: where it is written.
            method: its method.
            route: its route.
            item: the URI of the path item.
            parameters: the URIs of the parameters which that has for all its operations.
        """
        if self._swagger is not None:
            value = self._swagger.operation(value, pointer, ())
        known = {("", uri): Parameter({"$ref": uri}, uri) for uri in parameters}
        self._operation(value, pointer, method, route, Shared(known, None, []), item)

    def _referred(self, value: Map, pointer: str, route: Route, service: int) -> list[Read]:
        uri = self.parts.references.find(value["$ref"], "pathItem", pointer)
        inner = self.parts.references.inner(uri)
        if inner is None:
            if uri and service >= 0:
                self.draft.edge(service, uri, "holds")
            return []
        target = self.draft.at(inner)
        if not isinstance(target, Map) or "$ref" in target:
            self.draft.problem("a path leads to another reference or to no path", pointer)
            return []
        return self.read_item(target, inner, route, service)

    def _shared(self, value: Map, pointer: str, route: Route) -> Shared:
        lines: list[str] = []
        for key, part in value.items():
            if key not in (*FIELDS_OF_METHODS, MORE_METHODS, "parameters", "$ref"):
                outline(lines, key, part)
        owner = route.named("").strip()
        place = f"{pointer}/parameters"
        routes = () if route.event else (route.path,)
        parameters = self.parameters.read(value.get("parameters"), place, owner, None, routes, -1)
        return Shared(parameters, value.get("servers"), lines)

    def _operation(
        self, value: Map, pointer: str, method: str, route: Route, shared: Shared, item: str = ""
    ) -> Read:
        draft = self.draft
        pointer = draft.free_pointer(pointer)
        name = _id_of(value)
        own = route.named(method)
        label = draft.key(f"Method:{self.label(value, method, route)}").removeprefix("Method:")
        place = draft.begin()
        routes = () if route.event else (route.path,)
        text = draft.text(place, None, (own,) if name else (), routes)
        text.lines += shared.lines
        sent, got = ("output", "input") if route.event else ("input", "output")
        found: dict[str, Any] = {}
        parameters = dict(shared.parameters)
        listed = value.get("parameters")
        parameters.update(
            self.parameters.read(listed, f"{pointer}/parameters", label, text, routes, place)
        )
        for (named, where), parameter in parameters.items():
            draft.edge(place, parameter.node, sent)
            if named:
                text.members.append(named)
            elif where:
                text.members.append(self.parts.name_of(where))
        if parameters:
            found["parameters"] = [one.value for one in parameters.values()]
        key = f"Method:{label}"
        for word, part in value.items():
            self._word(found, word, part, pointer, text, place, label, sent, got, routes, route)
        if shared.servers is not None and "servers" not in found:
            found["servers"] = shared.servers
        detail = {
            "method": method.upper(), "path": route.path, "event": route.event, "key": route.key,
            "of": route.of, "id": name, "tags": found.get("tags", []), "item": item,
        }  # fmt: skip
        row = {
            "method": method.upper(), "path": route.path, "event": route.event, "key": route.key,
            "operation": found,
        }  # fmt: skip
        draft.component(pointer, "operation", place, row)
        draft.node(
            place, key, "method", name or own, pointer, draft.span(value, pointer),
            type_words=own if route.event else f"{method.upper()} {route.path}",
            marks=Mark.DEPRECATED if found.get("deprecated") else 0,
            summary=summary_of(text.summary or text),
            detail={word: said for word, said in detail.items() if said},
        )  # fmt: skip
        if name:
            self._by_id.setdefault(name, place)
        uri = draft.uri(pointer)
        self._by_uri[uri] = place
        return Read(method, place, uri, found)

    def _target(
        self, value: Map, pointer: str, route: Route, service: int
    ) -> tuple[Map, str] | None:
        """Return an operation and its pointer, also one that a reference leads to; None, with an
        edge from `service`, if it is in another file."""
        if "$ref" not in value:
            return value, pointer
        uri = self.parts.references.find(value["$ref"], "operation", pointer)
        inner = self.parts.references.inner(uri)
        target = self.draft.at(inner) if inner is not None else None
        if isinstance(target, Map) and "$ref" not in target:
            return target, inner or ""
        if uri and inner is None and route.event != "callback":
            if service >= 0:
                self.draft.edge(service, uri, "holds")
            return None
        if uri:
            self.draft.problem(
                "an operation leads to another reference or to no operation", pointer
            )
        return value, pointer

    def _word(
        self, found: dict[str, Any], word: str, part: Any, pointer: str, text: Text, place: int,
        label: str, sent: str, got: str, routes: tuple[str, ...], route: Route,
    ) -> None:  # fmt: skip
        """Read one field of an operation."""
        if word == "summary":
            found[word] = text.summary = as_text(part) if part is not None else ""
        elif word == "description":
            if part is not None:
                found[word] = said = as_text(part)
                text.description.append(said)
        elif word == "operationId":
            if is_name(part):
                found[word] = as_text(part)
            elif part is not None:
                self.draft.problem(f"`operationId` is {a_value(part)}, not a text", pointer)
        elif word == "tags":
            if isinstance(part, list):
                found[word] = [as_text(one) for one in part if not isinstance(one, dict | list)]
            elif part is not None:
                self.draft.problem(f"`tags` is {a_value(part)}, not a list", f"{pointer}/tags")
            outline(text.lines, word, part)
        elif word == "deprecated":
            found[word] = self.parts.flag(word, part, pointer)
        elif word == "requestBody":
            self._body(found, part, f"{pointer}/requestBody", text, place, label, sent)
        elif word == "responses":
            found[word] = self._responses(
                part, f"{pointer}/responses", text, place, label, got, routes
            )
        elif word == "callbacks":
            found[word] = self._callbacks(part, f"{pointer}/callbacks", text, place, label, route)
        elif word not in ("parameters", "$ref"):
            found[word] = part
            outline(text.lines, word, part)

    def _body(
        self, found: dict[str, Any], value: Value, pointer: str, text: Text, place: int,
        label: str, sent: str,
    ) -> None:  # fmt: skip
        if not isinstance(value, Map):
            if value is not None:
                self.parts.wrong("`requestBody`", value, pointer)
            return
        if isinstance(value, Moved):
            pointer = value.pointer
        if "$ref" in value:
            made = self.parts.reference(value, "requestBody", pointer, text)
            if made:
                found["requestBody"] = made
                text.members.append(self.parts.name_of(made["$ref"]))
                self.draft.edge(place, made["$ref"], sent)
            return
        node, found["requestBody"] = self.parts.body(
            value, pointer, name=label, path=f"{label}.body", text=text, parent=place
        )
        self.draft.edge(place, node, sent)

    def _responses(
        self, value: Value, pointer: str, text: Text, place: int, label: str, got: str,
        routes: tuple[str, ...],
    ) -> dict[str, Any]:  # fmt: skip
        found: dict[str, Any] = {}
        for status, part in self.parts.mapping(value, pointer, "map of response", text).items():
            where = f"{pointer}/{escape(status)}"
            told = len(text.members)
            if status.startswith("x-"):
                found[status] = part
                outline(text.lines, status, part)
            elif not isinstance(part, Map):
                self.parts.wrong("a response", part, where)
            elif "$ref" in part:
                text.lines.append(f"{status}:")
                made = self.parts.reference(part, "response", where, text)
                if made:
                    found[status] = made
                    text.members.append(self.parts.name_of(made["$ref"]))
                    self.draft.edge(place, made["$ref"], got, status)
            else:
                node, found[status] = self.parts.response(
                    part, where, name=f"{label}.{status}", path=f"{label}.{status}", text=text,
                    status=status, routes=routes, parent=place,
                )  # fmt: skip
                self.draft.edge(place, node, got)
            if _is_failure(status):
                # Every operation can fail alike: that says nothing of what it is for.
                del text.members[told:]
        return found

    def _callbacks(
        self, value: Value, pointer: str, text: Text, place: int, label: str, route: Route
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if route.depth >= MAX_CALLBACKS:
            outline(text.lines, "callbacks", value)
            return found
        for name, callback in self.parts.mapping(value, pointer, "map of callback", text).items():
            where = f"{pointer}/{escape(name)}"
            if not isinstance(callback, Map):
                self.parts.wrong("a callback", callback, where)
                continue
            text.lines.append(name)
            if "$ref" in callback:
                made = self.parts.reference(callback, "callback", where, text)
                if made:
                    found[name] = made
                    self.draft.edge(place, made["$ref"], "callback", name)
                    for item in (self.parts.target(made["$ref"]) or {}).values():
                        if uri := self._item_elsewhere(item).get("$ref"):
                            self.draft.edge(place, uri, "callback", name)
                continue
            found[name], nodes = self.read_callback(
                callback, where, name, of=f"Method:{label}", depth=route.depth + 1, text=text
            )
            for node in nodes:
                self.draft.edge(place, node, "callback", "" if isinstance(node, int) else name)
        return found

    def read_callback(
        self, value: Map, pointer: str, name: str, *, of: str, depth: int, text: Text
    ) -> tuple[dict[str, Any], list[int | str]]:
        """Read a Callback Object; return its value and the nodes of its operations, or the URIs of
        its path items in other files."""
        found: dict[str, Any] = {}
        nodes: list[int | str] = []
        for expression, item in value.items():
            if expression.startswith("x-"):
                found[expression] = item
                outline(text.lines, expression, item)
                continue
            text.lines.append(expression)
            where = f"{pointer}/{escape(expression)}"
            made = self._item_elsewhere(item)
            if made:
                found[expression] = made
                nodes.append(made["$ref"])
                continue
            route = Route(expression, "callback", name, of, depth)
            read = self.read_item(item, where, route)
            nodes += [one.node for one in read]
            found[expression] = {method_field(one.method): one.value for one in read}
        return found, nodes

    def _item_elsewhere(self, value: Value) -> dict[str, str]:
        """Return the reference to a path item that is in another file, empty if it is not."""
        ref = value.get("$ref") if isinstance(value, Map) else None
        uri = self.parts.references.peek(ref) if isinstance(ref, str) else ""
        return {"$ref": uri} if uri and self.parts.references.inner(uri) is None else {}

    def link(self) -> None:
        """Add the edges of links, now that all operations are known."""
        for place, target in self.parts.links:
            node = self._by_uri.get(target, self._by_id.get(target, -1))
            if node >= 0:
                self.draft.edge(place, node, "link")


def _maps(value: Any) -> Iterator[Map]:
    if isinstance(value, dict):
        for part in value.values():
            if isinstance(part, Map):
                yield part


def _is_failure(status: str) -> bool:
    return status[:1] in ("4", "5")


def _id_of(operation: Mapping[str, Any]) -> str:
    name = operation.get("operationId")
    return as_text(name) if is_name(name) else ""
