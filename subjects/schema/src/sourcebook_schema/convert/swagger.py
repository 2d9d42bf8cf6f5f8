"""Swagger 2.0: what differs from OpenAPI 3 beside the schemas, one object at a time.

Mappings that stand elsewhere in the form of version 3 than they are written are `Moved`. Schemas
inside are left as they are written.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sourcebook_schema.draft import Moved, moved, remade
from sourcebook_schema.reading.tree import Map, Value
from sourcebook_schema.texts import as_text, escape

JSON = "application/json"
"""What a body is where neither the operation nor the file says it."""

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"

METHODS = ("get", "put", "post", "delete", "options", "head", "patch")

Resolve = Callable[[object], tuple[Map | None, str]]
"""From a `$ref` to what it leads to in this file, and where that stands."""

_OF_PARAMETERS = frozenset({
    "name", "in", "description", "required", "allowEmptyValue", "collectionFormat", "schema",
})  # fmt: skip
"""Fields of a parameter that are no keywords of its schema; nor are extensions."""

_STYLES: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("query", "csv"): {"style": "form", "explode": False},
    ("query", "ssv"): {"style": "spaceDelimited", "explode": False},
    ("query", "pipes"): {"style": "pipeDelimited", "explode": False},
    ("query", "multi"): {"style": "form", "explode": True},
    ("path", "csv"): {"style": "simple", "explode": False},
    ("header", "csv"): {"style": "simple", "explode": False},
}
"""How lists are written, by place and `collectionFormat`. Version 3 has no word for the others,
which are kept as `x-collectionFormat`."""

_FLOWS = {
    "implicit": "implicit", "password": "password", "application": "clientCredentials",
    "accessCode": "authorizationCode",
}  # fmt: skip


class Swagger:
    """Converts the objects of one file.

    Args:
        root: the file.
        resolve: finds what a reference leads to.
    """

    def __init__(self, root: Mapping[str, Any], resolve: Resolve) -> None:
        self._resolve = resolve
        self._consumes = _texts(root.get("consumes"))
        self._produces = _texts(root.get("produces"))

    def path_item(self, value: Map, pointer: str) -> Map:
        """Return a Path Item Object in the form of version 3."""
        shared, sent = self._split(value.get("parameters"), f"{pointer}/parameters")
        found: dict[str, Any] = {}
        for key, part in value.items():
            if key == "parameters":
                found[key] = shared
            elif key in METHODS and isinstance(part, Map):
                found[key] = self.operation(part, f"{pointer}/{key}", sent)
            else:
                found[key] = part
        return remade(value, found)

    def operation(self, value: Map, pointer: str, shared: Sequence[Moved]) -> Map:
        """Return an Operation Object in the form of version 3; `shared` are the parameters of its
        path that make up the body."""
        parameters, own = self._split(value.get("parameters"), f"{pointer}/parameters")
        written = [_identity(one) for one in own]
        sent = [one for one in shared if _identity(one) not in written] + own
        consumes = _texts(value.get("consumes"))
        produces = _texts(value.get("produces"))
        found: dict[str, Any] = {}
        for key, part in value.items():
            if key == "parameters":
                found[key] = parameters
            elif key == "responses" and isinstance(part, Map):
                found[key] = self._responses(part, f"{pointer}/responses", produces)
            elif key not in ("consumes", "produces", "schemes"):
                found[key] = part
        if sent:
            found["requestBody"] = self._sent(sent, consumes)
        # Nothing that is written may get lost.
        used = _media_types(found)
        for key in ("consumes", "produces", "schemes"):
            if not used.issuperset(_texts(value.get(key))):
                found[f"x-{key}"] = value[key]
        return remade(value, found)

    def _split(self, value: Value, pointer: str) -> tuple[Any, list[Moved]]:
        """Return the parameters proper, and those that make up the body."""
        if not isinstance(value, list):
            return value, []
        parameters: list[Any] = []
        sent: list[Moved] = []
        for number, one in enumerate(value):
            place = f"{pointer}/{number}"
            target, where = one, place
            if isinstance(one, Map) and "$ref" in one:
                target, where = self._resolve(one["$ref"])
            if not isinstance(target, Map):
                parameters.append(one)
            elif target.get("in") == "body" and target is not one:
                assert isinstance(one, Map)
                sent.append(moved(one, place, {**one, "in": "body"}))
            elif target.get("in") in ("body", "formData"):
                sent.append(moved(target, where, target))
            elif target is one:
                parameters.append(self.parameter(target, place))
            else:
                assert isinstance(one, Map)
                parameters.append(moved(one, place, one))
        return parameters, sent

    def parameter(self, value: Map, pointer: str) -> Moved:
        """Return a parameter that is not part of a body; a header is one without name."""
        found = {key: part for key, part in value.items() if _is_outer(key)}
        found.pop("schema", None)
        list_format = found.pop("collectionFormat", None)
        if value.get("type") == "array":
            style = _STYLES.get((as_text(value.get("in", "header")), as_text(list_format or "csv")))
            if style is not None:
                found.update(style)
            elif list_format is not None:
                found["x-collectionFormat"] = list_format
        if "schema" in value:
            found["schema"] = value["schema"]
        else:
            found["schema"] = self._schema(value, pointer)
        return moved(value, pointer, found)

    def _schema(self, value: Map, pointer: str) -> Moved:
        return moved(value, pointer, {key: one for key, one in value.items() if not _is_outer(key)})

    def _sent(self, sent: Sequence[Moved], consumes: Sequence[str]) -> Moved:
        """Return the body that parameters in `body` or `formData` make up."""
        for one in sent:
            if one.get("in") == "body":
                if "$ref" in one:
                    return moved(one, one.pointer, {k: v for k, v in one.items() if k != "in"})
                return self.body(one, one.pointer, consumes)
        types = [one for one in consumes or self._consumes if one in (FORM, MULTIPART)]
        if any(one.get("type") == "file" for one in sent):
            types = [one for one in types if one != FORM] or [MULTIPART]
        properties: dict[str, Any] = {}
        required = []
        for one in sent:
            name = as_text(one.get("name", ""))
            field = self._schema(one, one.pointer)
            if "description" in one:
                field["description"] = one["description"]
            field.update({key: part for key, part in one.items() if key.startswith("x-")})
            properties[name] = field
            if one.get("required") is True:
                required.append(name)
        first = sent[0]
        inner: dict[str, Any] = {"type": "object"}
        if required:
            inner["required"] = required
        inner["properties"] = properties
        schema = moved(first, first.pointer, inner)
        media = moved(first, first.pointer, {"schema": schema})
        content = moved(first, first.pointer, dict.fromkeys(types[:1] or [FORM], media))
        return moved(first, first.pointer, {"content": content})

    def body(self, value: Map, pointer: str, consumes: Sequence[str] = ()) -> Moved:
        """Return the body that a parameter in `body` is."""
        found: dict[str, Any] = {}
        media: dict[str, Any] = {}
        for key, part in value.items():
            if key == "schema":
                media["schema"] = _placed(part, f"{pointer}/schema")
            elif key not in ("name", "in"):
                found[key] = part
        if value.get("name") not in (None, "body"):
            found["x-body-name"] = value["name"]
        types = consumes or self._consumes or [JSON]
        found["content"] = moved(
            value, pointer, {one: moved(value, pointer, media) for one in types}
        )
        return moved(value, pointer, found)

    def _responses(self, value: Map, pointer: str, produces: Sequence[str]) -> Map:
        return remade(value, {
            status: self.response(one, f"{pointer}/{escape(status)}", produces)
            if isinstance(one, Map) and "$ref" not in one and not status.startswith("x-") else one
            for status, one in value.items()
        })  # fmt: skip

    def response(self, value: Map, pointer: str, produces: Sequence[str] = ()) -> Map:
        """Return a response."""
        found: dict[str, Any] = {}
        examples: Mapping[str, Any] = {}
        for key, part in value.items():
            if key == "examples" and isinstance(part, Map):
                examples = part
            elif key == "headers" and isinstance(part, Map):
                found[key] = remade(part, {
                    name: self.parameter(one, f"{pointer}/headers/{escape(name)}")
                    if isinstance(one, Map) else one
                    for name, one in part.items()
                })  # fmt: skip
            elif key != "schema":
                found[key] = part
        types = list(produces or self._produces or [JSON]) if "schema" in value else []
        types += [one for one in examples if one not in types]
        content: dict[str, Any] = {}
        for one in types:
            media: dict[str, Any] = {}
            if "schema" in value:
                media["schema"] = _placed(value["schema"], f"{pointer}/schema")
            if one in examples:
                media["example"] = examples[one]
            content[one] = moved(value, pointer, media)
        if content:
            found["content"] = moved(value, pointer, content)
        return remade(value, found)


def security_scheme(value: Map) -> Map:
    """Return a Security Scheme Object."""
    found: dict[str, Any] = dict(value)
    if value.get("type") == "basic":
        found["type"] = "http"
        found["scheme"] = "basic"
    elif value.get("type") == "oauth2":
        flow: dict[str, Any] = {
            key: found.pop(key) for key in ("authorizationUrl", "tokenUrl", "scopes")
            if key in found
        }  # fmt: skip
        flow.setdefault("scopes", {})
        name = _FLOWS.get(as_text(found.pop("flow", "")), "implicit")
        found["flows"] = {name: flow}
    return remade(value, found)


def servers(root: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the servers that `host`, `basePath` and `schemes` stand for."""
    host, base = root.get("host"), root.get("basePath")
    path = base.rstrip("/") if isinstance(base, str) else ""
    if path and not path.startswith("/"):
        path = f"/{path}"
    if not isinstance(host, str) or not host:
        return [{"url": path}] if path else []
    # Without a scheme it is that of the description itself, which nobody knows here.
    schemes = _texts(root.get("schemes")) or ["https"]
    return [{"url": f"{scheme}://{host}{path}"} for scheme in schemes]


def _media_types(operation: Mapping[str, Any]) -> set[str]:
    responses = operation.get("responses")
    parts = [operation.get("requestBody")]
    parts += responses.values() if isinstance(responses, Map) else ()
    contents = [part.get("content") for part in parts if isinstance(part, Map)]
    return {one for content in contents if isinstance(content, Map) for one in content}


def _placed(value: Value, pointer: str) -> Any:
    return moved(value, pointer, value) if isinstance(value, Map) else value


def _is_outer(key: str) -> bool:
    return key in _OF_PARAMETERS or (key.startswith("x-") and key != "x-nullable")


def _texts(value: object) -> list[str]:
    return [*_iter_texts(value)]


def _iter_texts(value: object) -> Iterator[str]:
    for one in value if isinstance(value, list) else ():
        if isinstance(one, str) and one:
            yield one


def _identity(value: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return what makes two parameters the same: of `body` there is one, whatever its name."""
    place = value.get("in")
    return None if place == "body" else value.get("name"), place
