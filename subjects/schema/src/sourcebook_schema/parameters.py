"""What operations are made of: parameters, headers, bodies, responses and their media types."""

from collections.abc import Mapping
from typing import Any

from sourcebook_schema.describe import closed_values, name_of_uri
from sourcebook_schema.draft import Draft, Owner, Text
from sourcebook_schema.facts import Mark
from sourcebook_schema.reading.tree import Map, Value
from sourcebook_schema.references import References
from sourcebook_schema.schemas import Schemas, a_value, marks_of, summary_of
from sourcebook_schema.texts import as_text, escape, outline

PLACES = ("query", "path", "header", "cookie")

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data", "multipart/mixed")
"""Media types whose members are the fields of a form."""


class Parts:
    """Reads the parts of operations.

    Each method that returns a value returns it in the form of OpenAPI 3.1, references as URIs, or
    None, with a problem, where the file has nothing sensible.
    """

    def __init__(self, draft: Draft, references: References, schemas: Schemas) -> None:
        self.draft = draft
        self.references = references
        self.schemas = schemas
        self.links: list[tuple[int, str]] = []
        """The node of an operation, and the id or URI of one that a link of it leads to."""

    def reference(self, value: Map, role: str, pointer: str, text: Text) -> dict[str, Any] | None:
        """Return a Reference Object; what stands beside `$ref` is told in `text`."""
        uri = self.references.find(value["$ref"], role, pointer)
        beside = {}
        for key, part in value.items():
            if key == "$ref":
                continue
            outline(text.lines, key, part)
            if key in ("summary", "description"):
                beside[key] = as_text(part)
        return {"$ref": uri, **beside} if uri else None

    def parameter(
        self, value: Map, pointer: str, *, name: str, path: str, owner: str, place: str,
        text: Text | None, routes: tuple[str, ...], parent: int = -1,
    ) -> tuple[int, dict[str, Any]]:  # fmt: skip
        """Read a parameter or a header, which becomes a property.

        Args:
            value: what is written.
            pointer: where.
            name: how it is called.
            path: what the key of its node says after `Property:`.
            owner: what it belongs to: `getUser`, `getUser.200`, `parameters`.
            place: `query`, `path`, `header` or `cookie`.
            text: of the entry that it lies in.
            routes: of the operations that it belongs to.
            parent: the node of its owner.

        Returns:
            Its node and its value.
        """
        draft = self.draft
        node = draft.begin()
        own = draft.text(node, text, (owner,), routes)
        inside = Owner(node, "property", path, own, pointer)
        found: dict[str, Any] = {}
        schema: Any = {}
        for key, part in value.items():
            if key == "schema":
                schema = found[key] = self.schemas.walk(part, f"{pointer}/schema", inside, "value")
            elif key == "content":
                content = self.content(part, f"{pointer}/content", inside, "value")
                if content:
                    found[key] = content
                    schema = next(iter(content.values())).get("schema", {})
            elif key == "description":
                if part is not None:
                    found[key] = said = as_text(part)
                    own.description.insert(0, said)
            elif key in ("required", "deprecated", "allowEmptyValue", "allowReserved", "explode"):
                found[key] = self.flag(key, part, pointer)
            elif key in ("example", "examples"):
                found[key] = self.examples(key, part, f"{pointer}/{key}", own)
            elif key in ("name", "in"):
                found[key] = as_text(part)
            else:
                found[key] = part
                outline(own.lines, key, part)
        marks = marks_of(schema)
        if found.get("required") or place == "path":
            marks |= Mark.REQUIRED
        if found.get("deprecated"):
            marks |= Mark.DEPRECATED
        detail: dict[str, Any] = {"in": place}
        values = closed_values(schema)
        if values is not None:
            detail["values"] = values
        draft.node(
            node, draft.key(f"Property:{path}"), "property", name, pointer,
            draft.span(value, pointer), parent=parent, type_words=self.schemas.words(schema),
            marks=marks, summary=summary_of(own), detail=detail,
        )  # fmt: skip
        self._note(pointer, "parameter" if "in" in found else "header", node, found)
        return node, found

    def _note(self, pointer: str, role: str, node: int, value: object) -> None:
        """Note what is read where it is used as a component, if something refers to it."""
        if pointer in self.references.inside and pointer not in self.draft.done:
            self.draft.done.add(pointer)
            self.draft.component(pointer, role, node, value)

    def flag(self, key: str, value: Any, pointer: str) -> bool:
        """Return a boolean that may be written as a text."""
        if isinstance(value, bool):
            return value
        if value is not None:
            self.draft.problem(f"`{key}` is {a_value(value)}, not a boolean", f"{pointer}/{key}")
        return isinstance(value, str) and value.lower() == "true"

    def content(self, value: Value, pointer: str, owner: Owner, label: str) -> dict[str, Any]:
        """Return media types by name."""
        found: dict[str, Any] = {}
        for media, part in self.mapping(value, pointer, "map of content", owner.text).items():
            place = f"{pointer}/{escape(media)}"
            owner.text.lines.append(media)
            part = self.unfold(part, place, "content", owner.text)
            if isinstance(part, Map):
                found[media] = self._media_type(media, part, place, owner, label)
            elif part is not None:
                self.wrong("a media type", part, place)
            else:
                found[media] = {}
        return found

    def _media_type(
        self, media: str, value: Map, pointer: str, owner: Owner, label: str
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, part in value.items():
            if key == "schema":
                found[key] = self._schema(media, part, f"{pointer}/schema", owner, label)
            elif key in ("example", "examples"):
                found[key] = self.examples(key, part, f"{pointer}/{key}", owner.text)
            elif key == "encoding" and isinstance(part, Map):
                found[key] = self._encoding(part, f"{pointer}/{key}", owner)
            else:
                found[key] = part
                outline(owner.text.lines, key, part)
        return found

    def _schema(self, media: str, value: Value, pointer: str, owner: Owner, label: str) -> Any:
        """Return the schema of a media type, whose own members are fields where it is a form."""
        before = owner.place
        owner.place = "form" if owner.kind == "body" and media.lower() in FORMS else ""
        schema = self.schemas.walk(value, pointer, owner, label)
        owner.place = before
        return schema

    def _encoding(self, value: Map, pointer: str, owner: Owner) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, part in value.items():
            if not isinstance(part, Map):
                self.wrong("an encoding", part, f"{pointer}/{escape(name)}")
                continue
            made: dict[str, Any] = dict(part)
            found[name] = made
            for key, said in part.items():
                if key == "headers":
                    place = f"{pointer}/{escape(name)}/{key}"
                    made[key] = self._loose(said, "header", place, owner.text)
                    for one in made[key].values():
                        if "$ref" in one:
                            self.draft.edge(owner.node, one["$ref"], "holds")
                else:
                    outline(owner.text.lines, key, said)
        return found

    def examples(self, key: str, value: Value, pointer: str, text: Text) -> Any:
        """Return an `example`, or `examples` by name; what they say is apart from other texts."""
        told = len(text.lines)
        found: Any = value
        if key == "example":
            outline(text.lines, key, value)
        else:
            found = self._examples(value, pointer, text)
        text.examples += text.lines[told:]
        del text.lines[told:]
        return found

    def _examples(self, value: Value, pointer: str, text: Text) -> dict[str, Any]:
        if isinstance(value, list):
            self.wrong("`examples`", value, pointer)
            outline(text.lines, "examples", value)
            return {str(place): {"value": one} for place, one in enumerate(value, start=1)}
        return self._loose(value, "example", pointer, text)

    def _loose(self, value: Value, role: str, pointer: str, text: Text) -> dict[str, Any]:
        """Return things by name that become no nodes: each as it is, or a reference."""
        found: dict[str, Any] = {}
        for name, part in self.mapping(value, pointer, f"map of {role}", text).items():
            if isinstance(part, Map) and "$ref" in part:
                text.lines.append(name)
                made = self.reference(part, role, f"{pointer}/{escape(name)}", text)
                if made:
                    found[name] = made
            elif isinstance(part, Map):
                found[name] = self.loose(part, role, f"{pointer}/{escape(name)}", text, name)
            else:
                self.wrong(f"a {role}", part, f"{pointer}/{escape(name)}")
                outline(text.lines, name, part)
        return found

    def loose(self, value: Map, role: str, pointer: str, text: Text, name: str) -> dict[str, Any]:
        """Return one thing that becomes no node."""
        found = dict(value)
        if role == "header" and "schema" in value:
            owner = Owner(-1, "property", "", text, pointer)
            found["schema"] = self.schemas.walk(value["schema"], f"{pointer}/schema", owner, "")
        elif role == "link" and isinstance(value.get("operationRef"), str):
            uri = self.references.find(value["operationRef"], "operation", pointer)
            found["operationRef"] = uri
            if not uri:
                del found["operationRef"]
        outline(text.lines, name, {k: v for k, v in value.items() if k != "schema"})
        return found

    def body(
        self, value: Map, pointer: str, *, name: str, path: str, text: Text, parent: int = -1
    ) -> tuple[int, dict[str, Any]]:
        """Read a request body; return its node and its value.

        Args:
            value: what is written.
            pointer: where.
            name: what the key of its node says after `Body:`.
            path: what the names of its fields follow.
            text: where its texts go.
            parent: the node of its operation.
        """
        draft = self.draft
        node = draft.begin()
        owner = Owner(node, "body", path, text, pointer)
        found: dict[str, Any] = {}
        summary = ""
        for key, part in value.items():
            if key == "content":
                found[key] = self.content(part, f"{pointer}/content", owner, "holds")
            elif key == "required":
                found[key] = self.flag(key, part, pointer)
            elif key == "description":
                if part is not None:
                    found[key] = summary = as_text(part)
                    outline(text.lines, key, summary)
            else:
                found[key] = part
                outline(text.lines, key, part)
        self._close(node, "Body", name, value, pointer, parent, found, summary, {},
                    Mark.REQUIRED if found.get("required") else 0)  # fmt: skip
        return node, found

    def response(
        self, value: Map, pointer: str, *, name: str, path: str, text: Text, status: str,
        routes: tuple[str, ...], parent: int = -1,
    ) -> tuple[int, dict[str, Any]]:  # fmt: skip
        """Read a response; return its node and its value. `status` may be empty; the rest is as
        for `body`."""
        draft = self.draft
        node = draft.begin()
        owner = Owner(node, "response", path, text, pointer)
        found: dict[str, Any] = {}
        summary = ""
        for key, part in value.items():
            if key == "description":
                found[key] = summary = as_text(part) if part is not None else ""
                text.lines.append(f"{status or name}: {summary}")
            elif key == "content":
                found[key] = self.content(part, f"{pointer}/content", owner, "holds")
            elif key == "headers":
                found[key] = self._headers(part, f"{pointer}/headers", owner, routes)
            elif key == "links":
                found[key] = self._loose(part, "link", f"{pointer}/links", text)
                if parent >= 0:
                    self._note_links(parent, found[key])
            else:
                found[key] = part
                outline(text.lines, key, part)
        found.setdefault("description", "")
        self._close(node, "Response", name, value, pointer, parent, found, summary,
                    {"status": status} if status else {}, 0)  # fmt: skip
        return node, found

    def _note_links(self, operation: int, links: Mapping[str, Any]) -> None:
        for link in links.values():
            target = link.get("operationId", link.get("operationRef"))
            if isinstance(target, str):
                self.links.append((operation, target))

    def _headers(
        self, value: Value, pointer: str, owner: Owner, routes: tuple[str, ...]
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, part in self.mapping(value, pointer, "map of header", owner.text).items():
            place = f"{pointer}/{escape(name)}"
            if not isinstance(part, Map):
                self.wrong("a header", part, place)
            elif "$ref" in part:
                owner.text.lines.append(name)
                made = self.reference(part, "header", place, owner.text)
                if made:
                    found[name] = made
                    self.draft.edge(owner.node, made["$ref"], "holds")
            else:
                node, found[name] = self.parameter(
                    part, place, name=name, path=f"{owner.path}.{name}", owner=owner.path,
                    place="header", text=owner.text, routes=routes, parent=owner.node,
                )  # fmt: skip
                owner.text.members.append(name)
                self.draft.edge(owner.node, node, "holds")
        return found

    def _close(
        self, node: int, prefix: str, name: str, value: Map, pointer: str, parent: int,
        found: Mapping[str, Any], summary: str, detail: Mapping[str, Any], marks: int,
    ) -> None:  # fmt: skip
        content = found.get("content") or {}
        words = [self.schemas.words(one["schema"]) for one in content.values() if "schema" in one]
        self.draft.node(
            node, self.draft.key(f"{prefix}:{name}"), prefix.lower(), name, pointer,
            self.draft.span(value, pointer), parent=parent,
            type_words=" | ".join(dict.fromkeys(words)), marks=marks,
            summary=summary_of(summary), detail=detail,
        )  # fmt: skip
        self._note(pointer, "requestBody" if prefix == "Body" else "response", node, found)

    def mapping(
        self, value: Value, pointer: str, role: str, text: Text | None = None
    ) -> Mapping[str, Value]:
        """Return a mapping, also one that a reference stands for; an empty one, with a problem, for
        anything else. `role` and `text` are as for `unfold`."""
        value = self.unfold(value, pointer, role, text)
        if isinstance(value, dict):
            return value
        if value is not None:
            self.wrong(f"`{pointer.rpartition('/')[2]}`", value, pointer)
        return {}

    def unfold(self, value: Value, pointer: str, role: str, text: Text | None) -> Value:
        """Return what a reference stands for that is written in place of a mapping or list, see
        `References.unfold`; the reference is told in `text`. All else is returned as it is."""
        if isinstance(value, Map) and "$ref" in value:
            if text is not None:
                outline(text.lines, "$ref", value["$ref"])
            return self.references.unfold(value, role, pointer)
        return value

    def wrong(self, what: str, value: Value, pointer: str) -> None:
        """Note that something is no object."""
        self.draft.problem(f"{what} is {a_value(value)}, not an object", pointer)

    def target(self, uri: str) -> Map | None:
        """Return what a URI in this file leads to, by way of further references."""
        seen: set[str] = set()
        while uri not in seen:
            seen.add(uri)
            pointer = self.references.inner(uri)
            value = self.draft.at(pointer) if pointer is not None else None
            if not isinstance(value, Map):
                return None
            if "$ref" not in value:
                return value
            uri = self.references.peek(as_text(value["$ref"]))
        return None

    def name_of(self, uri: str) -> str:
        """Return the name of a component elsewhere."""
        return name_of_uri(uri)
