"""One file from top to bottom: what is read of it, and in which order."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from sourcebook_schema.convert.swagger import Swagger, security_scheme, servers
from sourcebook_schema.describe import name_of_uri
from sourcebook_schema.draft import MISSING, Draft, Text
from sourcebook_schema.facts import MORE_METHODS, ROLES, FileFact
from sourcebook_schema.naming import free_name, name_of_place
from sourcebook_schema.operations import Operations, Route
from sourcebook_schema.parameters import PLACES, Parts
from sourcebook_schema.reading.grammar import PLAIN_FIELDS
from sourcebook_schema.reading.tree import Map, Value
from sourcebook_schema.references import References
from sourcebook_schema.schemas import Schemas, summary_of
from sourcebook_schema.texts import as_text, escape, outline, unescape

SECTIONS = {
    "schemas": "schema", "parameters": "parameter", "headers": "header",
    "requestBodies": "requestBody", "responses": "response", "callbacks": "callback",
    "links": "link", "examples": "example", "securitySchemes": "securityScheme",
}  # fmt: skip
"""The role of what stands in each section of `components`. Path items are read where they are
used, for only there they have a path."""

OLD_SECTIONS = {
    "definitions": "schema", "parameters": "parameter", "responses": "response",
    "securityDefinitions": "securityScheme",
}  # fmt: skip
"""The same of version 2.0, at the top of the file."""

_OTHERS = frozenset({*SECTIONS, *OLD_SECTIONS, "pathItems", "paths", "content"}) - {
    "schemas", "definitions",
}  # fmt: skip

MAX_NAME = 200
"""Characters of a title that are kept as a name."""


class Reader:
    """Reads one file.

    Args:
        source: its name.
        root: what it holds.
        text: its text.
        version: `3.1`, `3.0` or `2.0`.
        is_description: whether it is one by itself, or a piece that others refer to.
        roles: pointers that others refer to, each with the role that must be there and, of a path
            item, the paths that it is for.
        elsewhere: where references lead that leave the file.
    """

    def __init__(
        self, source: str, root: Value, text: str, *, version: str, is_description: bool,
        roles: Sequence[Sequence[Any]], elsewhere: Mapping[str, Mapping[str, str]],
    ) -> None:  # fmt: skip
        self.version = version
        self.is_description = is_description
        self.root = root
        self.stem = PurePosixPath(source).stem
        self.draft = Draft(source, root)
        self.references = References(self.draft, text, elsewhere, is_description=is_description)
        self._roles = sorted(roles, key=lambda row: str(row[0]))
        self.references.inside |= {str(row[0]) for row in self._roles if row[1] in ROLES}
        self._types: dict[str, str] = {}
        self._made: set[str] = set()
        self._schemas = Schemas(
            self.draft, self.references, old=version != "3.1", names=self._types,
            siblings="/definitions" if version == "2.0" else "/components/schemas",
        )  # fmt: skip
        self._swagger = Swagger(_top(root), self._resolve) if version == "2.0" else None
        self._parts = Parts(self.draft, self.references, self._schemas)
        self._operations = Operations(self.draft, self._parts, self._swagger)
        self._readers: Mapping[str, Callable[[str, str, Map], None]] = {
            "parameter": self._read_parameter,
            "header": self._read_header,
            "requestBody": self._read_body,
            "response": self._read_response,
            "callback": self._read_callback,
            "link": self._read_loose,
            "example": self._read_loose,
            "securityScheme": self._read_scheme,
        }
        self._service = self.draft.begin() if is_description else -1
        self._rest = Text(self._service)
        if is_description:
            self.draft.texts[self._service] = self._rest

    def read(self) -> FileFact:
        """Read all of it; the texts of the entries are in `draft` then."""
        draft, operations = self.draft, self._operations
        components = self._settle_moved(self._components())
        self._count_ids(components)
        self._name_types(pointer for pointer, role in components if role == "schema")
        if self.is_description:
            operations.read_paths(_top(self.root).get("paths"), "/paths", self._service)
            for name in self._webhooks():
                operations.read_webhooks(_top(self.root)[name], f"/{name}", self._service)
        for row in self._roles:
            if row[1] == "pathItem":
                self._read_path_item(str(row[0]), row[2] if len(row) > 2 else [""])
            elif row[1] == "operation" and len(row) > 2:
                self._read_operation(str(row[0]), row[2])
        for pointer, role in components:
            self._component(pointer, role)
        for row in self._roles:
            self._component(str(row[0]), str(row[1]))
        self._read_used()
        operations.link()
        info = self._close() if self.is_description else {}
        if not self.is_description:
            self._close_piece()
        schemes = {
            unescape(row.pointer.rpartition("/")[2]): row.pointer
            for row in draft.components
            if row.role == "securityScheme"
        }
        return FileFact(
            self.is_description, self.version, info, draft.rows(), draft.edges(), draft.components,
            schemes, self.references.reached(),
        )  # fmt: skip

    def _components(self) -> list[tuple[str, str]]:
        """Return the pointer and role of every component, in the order of the file."""
        top = _top(self.root)
        if not self.is_description:
            return []
        if self._swagger is not None:
            above, sections, roles = "", top, OLD_SECTIONS
        else:
            above, roles = "/components", SECTIONS
            sections = self._parts.mapping(top.get("components"), above, "components")
        found = []
        for section, things in sections.items():
            role, place = roles.get(section), f"{above}/{section}"
            if role is None:
                continue
            for name, thing in self._parts.mapping(things, place, f"section of {role}").items():
                pointer = f"{place}/{escape(name)}"
                if self.draft.has(pointer):
                    found.append((pointer, role))
                elif role == "securityScheme" and isinstance(thing, Map):
                    # Others are referred to where they are written, these by name.
                    made = self._parts.reference(thing, role, pointer, self._rest)
                    self.draft.component(pointer, role, -1, made or {})
        return found

    def _settle_moved(self, components: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return the components without the types that are written in another file under the same
        name (`Stall: {$ref: schemas/Stall.yaml}`): there they are types, here not again."""
        kept = []
        for pointer, role in components:
            uri = self._alias(self.draft.at(pointer)).get("$ref", "") if role == "schema" else ""
            name = unescape(pointer.rpartition("/")[2])
            if uri and len(self.draft.at(pointer)) == 1 and name_of_uri(uri) == name:
                self.references.moved[pointer] = self.draft.aliases[pointer] = uri
                self.draft.done.add(pointer)
                self.draft.component(pointer, "schema", -1, {"$ref": uri})
            else:
                kept.append((pointer, role))
        return kept

    def _webhooks(self) -> list[str]:
        top = _top(self.root)
        names = [name for name in ("webhooks", "x-webhooks") if name in top]
        return [name for name in names if name == "webhooks" or isinstance(top[name], Map)]

    def _count_ids(self, components: Sequence[tuple[str, str]]) -> None:
        for name in ("paths", *self._webhooks()) if self.is_description else ():
            self._operations.count_ids(_top(self.root).get(name))
        elsewhere = [(str(row[0]), str(row[1])) for row in self._roles]
        for pointer, role in dict.fromkeys([*components, *elsewhere]):
            if role == "callback":
                self._operations.count_ids(self.draft.at(pointer), 1)
        for row in self._roles:
            if row[1] == "pathItem":
                for _ in row[2] if len(row) > 2 else [""]:
                    self._operations.count_ids({"": self.draft.at(str(row[0]))})
            elif row[1] == "operation" and len(row) > 2:
                operation = self.draft.at(str(row[0]))
                for _ in row[2] if isinstance(operation, Map) else ():
                    self._operations.count_id(operation)

    def _name_types(self, components: Any) -> None:
        """Name all types before any is read, for each may refer to any other."""
        taken: set[str] = set()
        named = self._types
        for pointer in components:
            named[pointer] = free_name(unescape(pointer.rpartition("/")[2]), taken)
        roles = [str(row[0]) for row in self._roles if row[1] == "schema"]
        inside = [one for one in sorted(self.references.inside) if not _is_section(one)]
        for pointer in (*roles, *inside):
            if pointer not in named and isinstance(self.draft.at(pointer), Map | bool):
                wanted, made = self._name_of(pointer)
                named[pointer] = free_name(wanted, taken)
                self._schemas.apart.add(pointer)
                if made:
                    self._made.add(pointer)

    def _name_of(self, pointer: str) -> tuple[str, bool]:
        return name_of_place(self.draft.source, pointer, self._operation_name, self._parameter_name)

    def _operation_name(self, section: str, path: str, method: str) -> str:
        value = self.draft.at(f"/{section}/{escape(path)}/{method}")
        method = method.removeprefix(f"{MORE_METHODS}/").lower()
        own = Route(path) if section == "paths" else Route(path, "webhook", path)
        return self._operations.label(value, method, own)

    def _parameter_name(self, pointer: str) -> str:
        value = self.draft.at(pointer)
        return as_text(value.get("name")) if isinstance(value, dict) else "parameter"

    def _resolve(self, ref: object) -> tuple[Map | None, str]:
        uri = self.references.peek(as_text(ref))
        return self._parts.target(uri), self.references.inner(uri) or ""

    def _read_path_item(self, pointer: str, routes: Sequence[str]) -> None:
        """Read a path item that other files refer to, once for each of the paths it is for."""
        value = self.draft.at(pointer)
        if value is MISSING:
            return
        found: dict[str, str] = {}
        for path in routes:
            for read in self._operations.read_item(value, pointer, _route(path)):
                found.setdefault(read.method, read.uri)
        self.draft.component(pointer, "pathItem", -1, found or self._alias(value))

    def _read_operation(self, pointer: str, ways: Sequence[Sequence[str]]) -> None:
        """Read an operation that path items in other files refer to, once for each of them.

        Args:
            pointer: where it is.
            ways: its method, its path, the URI of the path item, and those of its parameters.
        """
        value = self.draft.at(pointer)
        if not isinstance(value, Map):
            return
        if "$ref" in value:
            self.draft.component(pointer, "operation", -1, self._alias(value))
            return
        self.draft.done.add(pointer)
        for method, path, item, *parameters in ways:
            self._operations.read_referred(value, pointer, method, _route(path), item, parameters)

    def _alias(self, value: Value) -> dict[str, str]:
        """Return what is known of a thing that is a reference to one in another file."""
        ref = value.get("$ref") if isinstance(value, Map) else None
        uri = self.references.peek(ref) if isinstance(ref, str) else ""
        return {"$ref": uri} if uri and self.references.inner(uri) is None else {}

    def _component(self, pointer: str, role: str) -> None:
        """Read what stands at a pointer in a role, once."""
        draft = self.draft
        if pointer in draft.done or role not in ROLES:
            return
        value = draft.at(pointer)
        if value is MISSING:
            draft.problem(f"another file refers to this {role}, which is not there", pointer)
            return
        if role == "schema" and pointer in self._types:
            draft.done.add(pointer)
            self._schemas.read_type(pointer, value, made=pointer in self._made)
            return
        read = self._readers.get(role)
        if not isinstance(value, Map):
            self._parts.wrong(f"a {role}", value, pointer)
        elif read is None:
            return
        elif "$ref" in value:
            made = self._parts.reference(value, role, pointer, self._rest)
            if made:
                draft.done.add(pointer)
                draft.aliases[pointer] = made["$ref"]
                draft.component(pointer, role, -1, made)
        else:
            read(pointer, unescape(pointer.rpartition("/")[2]) or self.stem, value)

    def _read_parameter(self, pointer: str, name: str, value: Map) -> None:
        place = value.get("in")
        if self._swagger is not None:
            if place == "body":
                self._read_body(pointer, name, self._swagger.body(value, pointer))
                return
            if place == "formData":  # read where it is used, as part of a body
                return
            value = self._swagger.parameter(value, pointer)
        if place not in PLACES or not value.get("name"):
            self.draft.problem(
                f"a parameter needs a `name`, and an `in` of {', '.join(PLACES)}", pointer
            )
            return
        called = as_text(value["name"])
        component = called if name.isdecimal() else name  # one of a list has no name there
        self._property("parameter", pointer, called, component, place, value)

    def _read_header(self, pointer: str, name: str, value: Map) -> None:
        self._property("header", pointer, name, name, "header", value)

    def _property(
        self, role: str, pointer: str, name: str, component: str, place: str, value: Map
    ) -> None:
        self.draft.done.add(pointer)
        routes = self._operations.parameters.routes.get(self.draft.uri(pointer), ())
        node, made = self._parts.parameter(
            value, pointer, name=name, path=f"{role}s.{component}", owner=f"{role}s", place=place,
            text=None, routes=tuple(routes),
        )  # fmt: skip
        self.draft.component(pointer, role, node, made)

    def _read_body(self, pointer: str, name: str, value: Map) -> None:
        self.draft.done.add(pointer)
        node, made = self._parts.body(
            value, pointer, name=name, path=f"requestBodies.{name}", text=self._rest
        )
        self.draft.component(pointer, "requestBody", node, made)

    def _read_response(self, pointer: str, name: str, value: Map) -> None:
        self.draft.done.add(pointer)
        if self._swagger is not None:
            value = self._swagger.response(value, pointer)
        node, made = self._parts.response(
            value, pointer, name=name, path=f"responses.{name}", text=self._rest, status="",
            routes=(),
        )  # fmt: skip
        self.draft.component(pointer, "response", node, made)

    def _read_callback(self, pointer: str, name: str, value: Map) -> None:
        self.draft.done.add(pointer)
        name = name or self.stem
        self._rest.lines.append(name)
        made, nodes = self._operations.read_callback(
            value, pointer, name, of="", depth=1, text=self._rest
        )
        known = [node for node in nodes if isinstance(node, int)]
        self.draft.component(pointer, "callback", known[0] if known else -1, made)

    def _read_loose(self, pointer: str, name: str, value: Map) -> None:
        self.draft.done.add(pointer)
        role = "link" if "operationId" in value or "operationRef" in value else "example"
        made = self._parts.loose(value, role, pointer, self._rest, name)
        self.draft.component(pointer, role, -1, made)

    def _read_scheme(self, pointer: str, _name: str, value: Map) -> None:
        if self._swagger is not None:
            value = security_scheme(value)
        self.draft.component(pointer, "securityScheme", -1, value)

    def _read_used(self) -> None:
        """Read what references lead to and nothing else has read, until there is no more."""
        used = self.references.used
        seen = 0
        while seen < len(used):
            for pointer, role in list(used.items())[seen:]:
                seen += 1
                if role == "schema" and pointer not in self._types:
                    taken = set(self._types.values())
                    self._types[pointer] = free_name(self._name_of(pointer)[0], taken)
                    self._made.add(pointer)
                self._component(pointer, role)
        # What cannot be read as what it should be is still there to refer to, and empty.
        known = {row.pointer for row in self.draft.components}
        roles = {str(row[0]): str(row[1]) for row in self._roles}
        for pointer, role in {**used, **roles}.items():
            if pointer not in known and (role == "schema" or role in self._readers):
                self.draft.component(pointer, role, -1, {})

    def _close(self) -> dict[str, Any]:
        """Fill in the service with all texts that stand in no other entry; return its facts."""
        draft, top, text = self.draft, _top(self.root), self._rest
        told = {key: self._told(top[key], f"/{key}", role)
                for key, role in PLAIN_FIELDS.items() if key in top}  # fmt: skip
        info = told.get("info")
        if not isinstance(info, Map):
            draft.problem("`info` is missing or no object", "/info" if "info" in top else "")
        said: Mapping[str, Any] = info if isinstance(info, Map) else {}
        title = as_text(said.get("title") or self.stem)
        name = " ".join(title.split())[:MAX_NAME] or self.stem
        facts: dict[str, Any] = {"title": title, "version": as_text(said.get("version") or "")}
        if said.get("description") is not None:
            facts["description"] = as_text(said["description"])
            text.description.append(facts["description"])
        if said.get("summary") is not None:
            text.summary = as_text(said["summary"])
        draft.done |= {"/info/title", "/info/description", "/info/summary"}
        for key in ("servers", "security", "tags", "externalDocs"):
            if top.get(key) is not None:
                facts[key] = told.get(key, top[key])
        if self._swagger is not None:
            found = servers(top)
            if found:
                facts["servers"] = found
        text.lines += self._left(top)
        draft.node(
            self._service, draft.key(f"Service:{name}"), "service", name, "",
            draft.span(info if isinstance(info, Map) else self.root, "/info"),
            type_words=facts["version"], summary=summary_of(text.summary or text),
        )  # fmt: skip
        return facts

    def _told(self, value: Value, pointer: str, role: str) -> Value:
        """Return a field that is read as it is, with what stands for references in it."""
        value = self._parts.unfold(value, pointer, role, None)
        inner = role.partition(" of ")[2]
        if isinstance(value, list) and inner:
            return [self._told(one, f"{pointer}/{at}", inner) for at, one in enumerate(value)]
        return value

    def _close_piece(self) -> None:
        """Give what of a piece stands in no other entry an entry of its own."""
        draft, text = self.draft, self._rest
        text.lines += self._left(_top(self.root))
        if not (text.lines or text.description):
            return
        text.node = draft.begin()
        draft.texts = {text.node: text, **draft.texts}
        draft.node(
            text.node, draft.key(f"Service:{self.stem}"), "service", self.stem, "",
            draft.span(self.root, ""),
        )  # fmt: skip

    def _left(self, top: Mapping[str, Any]) -> list[str]:
        """Return an outline of what nothing else has read."""
        if "" in self.draft.done:
            return []
        above = {""}
        for pointer in self.draft.done:
            while pointer := pointer.rpartition("/")[0]:
                if pointer in above:
                    break
                above.add(pointer)
        lines: list[str] = []
        self._outline(lines, top, "", "", above)
        return lines

    def _outline(
        self, lines: list[str], value: Any, pointer: str, indent: str, above: set[str]
    ) -> None:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in items:
            place = f"{pointer}/{escape(str(key))}"
            if place in self.draft.done:
                continue
            if place in above and isinstance(part, dict | list):
                before = len(lines)
                lines.append(f"{indent}{key}:")
                self._outline(lines, part, place, f"{indent}  ", above)
                if len(lines) == before + 1:
                    lines.pop()
            else:
                outline(lines, str(key), part, indent)


def _route(path: str) -> Route:
    """Return the route that the context of a file names."""
    event, _, key = path.partition(":")
    if event == "webhook":
        return Route(key, event, key)
    if event == "callback":
        key, _, expression = key.partition("\n")
        return Route(expression, event, key, depth=1)
    return Route(path)


def _is_section(pointer: str) -> bool:
    """Whether a pointer leads to what cannot be a schema, since it stands among others such."""
    above = pointer.split("/")[-2:-1]
    return bool(above) and above[0] in _OTHERS


def _top(root: Value) -> Mapping[str, Any]:
    return root if isinstance(root, Map) else {}
