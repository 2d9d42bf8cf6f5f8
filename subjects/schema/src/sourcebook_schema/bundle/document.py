"""The document around the components: paths, webhooks, callbacks, servers, security, tags."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sourcebook_schema.bundle.closure import Closure, FileInfo, Operation
from sourcebook_schema.bundle.routes import Route, Routes
from sourcebook_schema.bundle.values import NOTHING, holds_reference
from sourcebook_schema.facts import item_pointer, make_uri, split_uri

Place = tuple[str, ...]
"""Where something stands in the bundle, as the keys that lead there."""

NO_SERVER = [{"url": "/"}]
"""What the standard says where no server is named."""


class Document:
    """A bundle in the making, all but its components and names.

    Args:
        values: the fields of the document as far as they are known.
        places: where each operation stands.
        ids: the id of each operation that has one.
        callbacks: operations of callbacks that were asked for and come with no other operation.
        shared: those that come with a component, each with its role and URI.
    """

    def __init__(
        self,
        closure: Closure,
        files: Mapping[str, FileInfo],
        operations: Sequence[Operation],
        homes: Sequence[str],
    ) -> None:
        self.places: dict[str, Place] = {}
        self.ids: dict[str, str] = {}
        self.callbacks: list[tuple[Operation, dict[str, Any]]] = []
        self.shared: list[tuple[Operation, str, str]] = []
        self._closure = closure
        self._files = files
        self._homes = homes
        self._parts: dict[str, dict[str, Any]] = {}
        events = [one for one in operations if one.event == "callback"]
        operations = [one for one in operations if one.event != "callback"]
        for operation in operations:
            if operation.id:
                self.ids[operation.uri] = closure.claim_id(operation.id)
        routes = Routes(operations, homes)
        self.values: dict[str, Any] = {"openapi": "3.1.0", "info": self._info(), "paths": {}}
        for operation in operations:
            self._add(operation, routes.of(operation))
        for event in events:
            self._add_callback(event)
        self._hoist(operations, "servers", self._servers_of, NO_SERVER)
        self._hoist(operations, "security", self._security_of, [])
        self._add_tags()

    def _home_info(self, home: str) -> Mapping[str, Any]:
        return self._files[home].info if home in self._files else {}

    def _mend(self, home: str, form: str, value: Any) -> Any:
        """Return a value that stands in the root file `home`, `NOTHING` if it is None."""
        self._closure.home = home
        return NOTHING if value is None else self._closure.mend_at(f"{home}#", form, value)

    # The document as a whole

    def _info(self) -> dict[str, Any]:
        infos = [self._mend(home, "info", {**self._home_info(home)}) for home in self._homes]
        for info in infos:
            for name in [name for name in info if name not in _INFO]:
                del info[name]
        if len(infos) == 1:
            return {"title": "API", "version": "0", **infos[0]}
        return {
            "title": _joined(info.get("title", "") for info in infos) or "API",
            "version": _joined(info.get("version", "") for info in infos) or "0",
        }

    def _add_tags(self) -> None:
        """Describe the tags that are used, in the order of their documents."""
        used = {tag for part in self._parts.values() for tag in part.get("tags", ())}
        tags: dict[str, Any] = {}
        for home in self._homes:
            found = self._mend(home, "[tag]", self._home_info(home).get("tags"))
            for tag in [] if found is NOTHING else found:
                if tag["name"] in used:
                    tags.setdefault(tag["name"], tag)
        if tags:
            self.values["tags"] = [*tags.values()]
        if len(self._homes) == 1:
            docs = self._home_info(self._homes[0]).get("externalDocs")
            if (mended := self._mend(self._homes[0], "externalDocs", docs)) is not NOTHING:
                self.values["externalDocs"] = mended

    def _hoist(
        self,
        operations: Sequence[Operation],
        field: str,
        value_of: Callable[[Operation], Any],
        absent: Any,
    ) -> None:
        """Write what most operations have once, for all, and on the others what they have."""
        found = [(self._parts[one.uri], value_of(one)) for one in operations]
        counts = Counter(repr(value) for _, value in found)
        most = max(counts, key=counts.__getitem__, default=repr(absent))
        for part, value in found:
            if repr(value) == most:
                part.pop(field, None)
                if value != absent:
                    self.values[field] = value
            else:
                part[field] = value

    def _servers_of(self, operation: Operation) -> Any:
        own = self._parts[operation.uri].get("servers")
        if not own:
            own = self._mend(
                operation.home, "[server]", self._home_info(operation.home).get("servers")
            )
        return NO_SERVER if own is NOTHING or not own else own

    def _security_of(self, operation: Operation) -> Any:
        part = self._parts[operation.uri]
        raw = operation.raw.get("security")
        if raw is None:
            raw = self._home_info(operation.home).get("security", [])
            part["security"] = self._mend(operation.home, "security", raw)
        if part.get("security", NOTHING) is NOTHING:
            if not holds_reference(raw):
                part["x-security"] = raw
            return []
        return part["security"]

    # Operations

    def _mended(self, operation: Operation) -> dict[str, Any]:
        self._closure.home = operation.home
        raw = {key: value for key, value in operation.raw.items() if key != "operationId"}
        part: dict[str, Any] = self._closure.mend_at(operation.uri, "operation", raw)
        own = {"operationId": self.ids[operation.uri]} if operation.uri in self.ids else {}
        self._parts[operation.uri] = {**own, **part}
        return self._parts[operation.uri]

    def _add_callback(self, event: Operation) -> None:
        """Add an operation that the API calls, unless it is there with the one that asks for it."""
        source, pointer = split_uri(event.uri)
        callback = item_pointer(pointer).rpartition("/")[0]
        item = make_uri(source, item_pointer(pointer))
        for role, uri in (("callback", make_uri(source, callback)), ("pathItem", item)):
            if (role, uri) in self._closure.values:
                self.shared.append((event, role, uri))
                return
        owner, _, key = event.uri.partition("/callbacks/")
        if owner in self.places and key.count("/") == 2:
            self.places[event.uri] = (
                *self.places[owner], "callbacks", event.key, event.path, event.field,
            )  # fmt: skip
            return
        if event.id:
            self.ids[event.uri] = self._closure.claim_id(event.id)
        self.callbacks.append((event, self._mended(event)))

    def _add(self, operation: Operation, route: Route) -> None:
        part = self._mended(operation)
        parameters = self._distinct(part.get("parameters", []))
        if not operation.event:
            parameters = self._fit_route(parameters, route)
        if parameters:
            part["parameters"] = parameters
        else:
            part.pop("parameters", None)
        section = "webhooks" if operation.event else "paths"
        items = self.values.setdefault(section, {})
        items.setdefault(route.key, {})[operation.field] = part
        self.places[operation.uri] = (section, route.key, operation.field)

    def _told(self, parameter: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a parameter itself, where a reference stands for it."""
        target = parameter.get("$ref")
        value: Mapping[str, Any] = (
            self._closure.values["parameter", target] if target else parameter
        )
        return value

    def _distinct(self, parameters: list[Any]) -> list[Any]:
        found: dict[tuple[str, str], Any] = {}
        for one in parameters:
            told = self._told(one)
            found.setdefault((told["name"], told["in"]), one)
        return [*found.values()]

    def _fit_route(self, parameters: list[Any], route: Route) -> list[Any]:
        """Return the parameters with exactly those in the path that the route names."""
        wanted = dict.fromkeys(route.names)
        kept = []
        for one in parameters:
            told = self._told(one)
            if told["in"] != "path":
                kept.append(one)
                continue
            name = route.name_of(told["name"])
            if name in wanted:
                del wanted[name]
                kept.append(one if name == told["name"] else {**told, "name": name})
        kept.extend(
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in wanted
        )
        return kept


_INFO = ("title", "summary", "description", "termsOfService", "contact", "license", "version")


def _joined(texts: Iterable[str]) -> str:
    """Return distinct texts as a list, three of them at most."""
    distinct = [*dict.fromkeys(text for text in texts if text)]
    more = f" and {len(distinct) - 3} more" if len(distinct) > 3 else ""
    return ", ".join(distinct[:3]) + more
