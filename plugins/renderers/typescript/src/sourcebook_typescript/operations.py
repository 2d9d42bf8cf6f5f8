"""Operations, webhooks and callbacks as types: what a call takes and what it gives."""

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, field, frozen

from sourcebook_typescript.declare import BINARY, Declarations, is_binary_media
from sourcebook_typescript.schema import list_at, mapping_at
from sourcebook_typescript.text import write_line, write_prose
from sourcebook_typescript.types import (
    NEVER,
    UNKNOWN,
    Member,
    Object,
    Ref,
    Type,
    literal,
    unite,
)

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
MORE = "x-"
"""Before the names of other methods, which a path item of version 3.1 has no fields for."""

FACTS = ("format", "default")
"""What a parameter's comment says of its schema, whose description would often repeat its own."""

MAX_CALLBACKS = 8
"""Callbacks of callbacks that are told."""

PLACES = ("path", "query", "header", "cookie")


@frozen
class Operation:
    """One operation of a description.

    Args:
        pointer: where it stands in the description.
        method: in capitals.
        address: its path; a webhook's key; a callback's expression.
        event: `webhook`, `callback`, or empty.
        key: the key of a webhook or callback.
        value: the operation object.
        item: the path item that it stands in.
    """

    pointer: str
    method: str
    address: str
    event: str
    key: str
    value: Mapping[str, Any]
    item: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Its `operationId`, or ""."""
        named = self.value.get("operationId")
        return named if isinstance(named, str) else ""

    @property
    def name(self) -> str:
        """Its id, else its method and path or its event and key."""
        return self.id or self.title

    @property
    def title(self) -> str:
        """`GET /invoices`, `WEBHOOK invoicePaid`, `CALLBACK onEvent`."""
        return f"{self.event.upper()} {self.key}" if self.event else f"{self.method} {self.address}"


@define
class Operations:
    """The operations of a description, callbacks after the operations that they belong to."""

    description: Mapping[str, Any]
    found: dict[str, Operation] = field(factory=dict)

    def find(self) -> dict[str, Operation]:
        """Return every operation by its pointer."""
        for path, item in mapping_at(self.description, "paths").items():
            self._add(f"/paths/{escape(path)}", item, path, "", "")
        for key, item in mapping_at(self.description, "webhooks").items():
            self._add(f"/webhooks/{escape(key)}", item, key, "webhook", key)
        return self.found

    def resolve(self, value: Any, pointer: str = "") -> tuple[Mapping[str, Any], str]:
        """Return what a reference leads to and where that stands."""
        for _ in range(10):
            if not isinstance(value, dict):
                return {}, pointer
            ref = value.get("$ref")
            if not isinstance(ref, str) or not ref.startswith("#/"):
                return value, pointer
            pointer = ref[1:]
            value = self.description
            for part in pointer.split("/")[1:]:
                value = mapping_at(value, part.replace("~1", "/").replace("~0", "~"))
        return {}, pointer

    def callbacks(self, operation: Operation) -> Iterator[tuple[str, str, str, Any]]:
        """Yield the key, the expression, the pointer and the path item of each callback."""
        for key, callback in mapping_at(operation.value, "callbacks").items():
            at = f"{operation.pointer}/callbacks/{escape(key)}"
            expressions, at = self.resolve(callback, at)
            for expression, item in expressions.items():
                if not expression.startswith("x-"):
                    yield key, expression, f"{at}/{escape(expression)}", item

    def _add(
        self, pointer: str, item: Any, address: str, event: str, key: str, depth: int = 0
    ) -> None:
        item, pointer = self.resolve(item, pointer)
        for method in methods(item):
            at = f"{pointer}/{method}"
            value = item[method]
            # A callback may be shared, and lead to itself.
            if not isinstance(value, dict) or at in self.found:
                continue
            name = method.removeprefix(MORE).upper()
            operation = Operation(at, name, address, event, key, value, item)
            self.found[at] = operation
            for name, expression, place, callback in self.callbacks(operation):
                if depth < MAX_CALLBACKS:
                    self._add(place, callback, expression, "callback", name, depth + 1)


@define
class Signatures:
    """Operations as types.

    Args:
        declarations: makes types of what the API sends.
        sent: makes types of what the caller sends.
        names: the identifier of each operation by its pointer.
    """

    operations: Operations
    declarations: Declarations
    sent: Declarations
    names: Mapping[str, str]

    def type_of(self, operation: Operation) -> Type:
        """Return an operation's type."""
        members: dict[str, Member] = {}
        members["method"] = Member(literal(operation.method), required=True)
        if operation.event:
            members[operation.event] = Member(literal(operation.key), required=True)
        if operation.event != "webhook":
            members["path"] = Member(literal(operation.address), required=True)
        if parameters := self._parameters(operation):
            required = any(member.required for _, member in parameters.members)
            members["parameters"] = Member(parameters, required)
        if "requestBody" in operation.value:
            body, _ = self.operations.resolve(operation.value["requestBody"])
            content = self._content(body, self.declarations if operation.event else self.sent)
            members["body"] = Member(content, body.get("required") is True, doc=self._doc(body))
        responses = self._responses(operation)
        members["responses"] = Member(responses, required=True)
        if callbacks := self._callbacks(operation):
            members["callbacks"] = Member(callbacks, required=True)
        return Object(tuple(members.items()))

    def doc_of(self, operation: Operation) -> list[str]:
        """Return what a comment says of an operation, by lines."""
        lines = [write_line(operation.title)]
        if self.declarations.docs:
            for key in ("summary", "description"):
                text = operation.value.get(key)
                if isinstance(text, str) and (prose := write_prose(text)):
                    lines += ["", *prose]
        if operation.value.get("deprecated") is True:
            lines += ["", "@deprecated"]
        return lines

    def _parameters(self, operation: Operation) -> Object | None:
        by_place: dict[str, dict[str, Member]] = {}
        shared, own = list_at(operation.item, "parameters"), list_at(operation.value, "parameters")
        for each in (*shared, *own):
            parameter, _ = self.operations.resolve(each)
            name, place = parameter.get("name"), parameter.get("in")
            if isinstance(name, str) and isinstance(place, str):
                required = place == "path" or parameter.get("required") is True
                doc = self._doc(parameter)
                member = Member(self._value(parameter), required, doc=doc)
                by_place.setdefault(place, {})[name] = member
        if not by_place:
            return None
        order = sorted(by_place, key=lambda place: (*PLACES, place).index(place))
        return Object(
            tuple(
                (place, Member(Object(tuple(members.items())), _any_required(members)))
                for place in order
                for members in [by_place[place]]
            )
        )

    def _value(self, parameter: Mapping[str, Any]) -> Type:
        """Return the type of a parameter or header, by its schema or its one media type."""
        if "schema" in parameter:
            return self.declarations.type_of(parameter["schema"])
        content = mapping_at(parameter, "content")
        return (
            unite(self._media(name, each, self.declarations) for name, each in content.items())
            if content
            else (UNKNOWN)
        )

    def _content(self, holder: Mapping[str, Any], declarations: Declarations) -> Type:
        """Return an object with a type for each media type."""
        content = mapping_at(holder, "content")
        return Object(
            tuple(
                (media, Member(self._media(media, value, declarations), required=True))
                for media, value in content.items()
            )
        )

    def _media(self, media: str, value: Any, declarations: Declarations) -> Type:
        value, _ = self.operations.resolve(value)
        made = declarations.type_of(value.get("schema", True))
        return BINARY if made == UNKNOWN and is_binary_media(media) else made

    def _responses(self, operation: Operation) -> Object:
        members = []
        for status, each in mapping_at(operation.value, "responses").items():
            if status.startswith("x-"):
                continue
            response, _ = self.operations.resolve(each)
            parts: dict[str, Member] = {}
            headers = {}
            for name, header in mapping_at(response, "headers").items():
                value, _ = self.operations.resolve(header)
                required = value.get("required") is True
                headers[name] = Member(self._value(value), required, doc=self._doc(value))
            if headers:
                held = Object(tuple(headers.items()))
                parts["headers"] = Member(held, required=_any_required(headers))
            has_content = bool(mapping_at(response, "content"))
            declarations = self.sent if operation.event else self.declarations
            content = self._content(response, declarations) if has_content else NEVER
            parts["content"] = Member(content, required=has_content)
            held = Object(tuple(parts.items()))
            members.append((status, Member(held, required=True, doc=self._doc(response))))
        return Object(tuple(members))

    def _callbacks(self, operation: Operation) -> Object | None:
        by_key: dict[str, list[Type]] = {}
        for key, _, pointer, item in self.operations.callbacks(operation):
            item, at = self.operations.resolve(item, pointer)
            by_key.setdefault(key, []).extend(
                Ref(self.names[each]) for m in methods(item) if (each := f"{at}/{m}") in self.names
            )
        members = tuple(
            (key, Member(unite(types), required=True)) for key, types in by_key.items() if types
        )
        return Object(members) if members else None

    def _doc(self, value: Mapping[str, Any]) -> tuple[str, ...]:
        """Return what a comment says of a parameter, a body, a response or a header."""
        lines: list[str] = []
        if self.declarations.docs:
            said = value.get("description") or value.get("summary")
            lines += write_prose(said) if isinstance(said, str) else []
            facts = mapping_at(value, "schema")
            lines += self.declarations.doc_of({k: facts[k] for k in FACTS if k in facts})
        if value.get("deprecated") is True:
            lines.append("@deprecated")
        return tuple(lines)


def _any_required(members: Mapping[str, Member]) -> bool:
    return any(member.required for member in members.values())


def methods(item: Mapping[str, Any]) -> list[str]:
    """Return the fields of a path item that hold operations: those of the standard first."""
    known = [method for method in METHODS if method in item]
    return known + [
        name
        for name, value in item.items()
        if name.startswith(MORE) and isinstance(value, dict) and "responses" in value
    ]


def escape(part: str) -> str:
    """Return a key as a part of a JSON pointer."""
    return part.replace("~", "~0").replace("/", "~1")
