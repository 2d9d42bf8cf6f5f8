"""Descriptions in the form of 3.1 as components, made by hand: what `parse` and `assemble` give."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from attrs import frozen
from sourcebook_schema.bundle import Bundle, bundle
from sourcebook_schema.facts import make_uri, split_uri

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
LITERALS = ("example", "default", "const", "enum", "value")


@frozen
class MadeFile:
    """A file as `assemble` knows it."""

    root: bool
    info: Mapping[str, Any]
    schemes: Mapping[str, str]


class MadeApi:
    """Files by name; each `$ref` in them is relative to its file, `other.json#/Pointer`."""

    def __init__(self, files: Mapping[str, Any]) -> None:
        self.documents = files
        self.files = {}
        for name, file in files.items():
            info = {**file.get("info", {})} if isinstance(file.get("info"), dict) else {}
            for key in ("servers", "security", "tags", "externalDocs"):
                if key in file:
                    info[key] = file[key]
            schemes = _get(file, "components", "securitySchemes")
            pointers = {key: f"/components/securitySchemes/{_escaped(key)}" for key in schemes}
            self.files[name] = MadeFile("openapi" in file, info, pointers)

    def component(self, uri: str) -> Any:
        """Return what stands at a URI."""
        source, pointer = split_uri(uri)
        value: Any = self.documents[source]
        parts = [unquote(part) for part in pointer.split("/")[1:]]
        owner: Any = None
        for part in parts:
            key = part.replace("~1", "/").replace("~0", "~")
            try:
                owner, value = value, value[int(key) if isinstance(value, list) else key]
            except (TypeError, ValueError, IndexError):
                raise KeyError(uri) from None
        linked = _linked(value, source)
        if len(parts) > 2 and parts[0] in ("paths", "webhooks") and parts[-1] in METHODS:
            key = parts[-2].replace("~1", "/").replace("~0", "~")
            event = (
                "callback" if "callbacks" in parts else "webhook" if parts[0] == "webhooks" else ""
            )
            name = parts[-3] if event == "callback" else key
            shared = owner.get("parameters")
            if isinstance(shared, list) and isinstance(linked, dict):
                own = linked.get("parameters", [])
                linked["parameters"] = [
                    *(own if isinstance(own, list) else []),
                    *_linked(shared, source),
                ]
            return {
                "method": parts[-1].upper(), "path": key, "event": event,
                "key": name if event else "", "operation": linked,
            }  # fmt: skip
        return linked

    def operations(self) -> Iterator[str]:
        """Yield the URI of each operation."""
        for name, file in self.documents.items():
            for section in ("paths", "webhooks"):
                for path, item in _get(file, section).items():
                    for method in item if isinstance(item, dict) else ():
                        if method in METHODS and isinstance(item[method], dict):
                            yield make_uri(name, f"/{section}/{_escaped(path)}/{method}")

    def types(self) -> Iterator[str]:
        """Yield the URI of each schema that has a name."""
        for name, file in self.documents.items():
            for key in _get(file, "components", "schemas"):
                yield make_uri(name, f"/components/schemas/{_escaped(key)}")

    def variants(self, uri: str) -> Mapping[str, str]:
        """Return the types that a discriminator names."""
        value = self.component(uri)
        found = value.get("discriminator") if isinstance(value, dict) else None
        mapping = found.get("mapping") if isinstance(found, dict) else None
        texts = mapping.items() if isinstance(mapping, dict) else ()
        return {tag: target for tag, target in texts if isinstance(target, str)}

    def bundle(
        self, operations: list[str] | None = None, types: list[str] | None = None, **options: Any
    ) -> Bundle:
        """Return a bundle of operations and types, all of them if none are named."""
        if operations is None and types is None:
            operations, types = [*self.operations()], [*self.types()]
        return bundle(
            self.component, self.files, self.variants, operations or [], types or [], **options
        )


def _get(value: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _linked(value: Any, source: str) -> Any:
    if isinstance(value, list):
        return [_linked(item, source) for item in value]
    if not isinstance(value, dict):
        return value
    linked: dict[str, Any] = {}
    for key, item in value.items():
        if key in ("$ref", "operationRef") and isinstance(item, str):
            linked[key] = _absolute(item, source)
        elif key == "mapping" and isinstance(item, dict):
            linked[key] = {
                tag: _absolute(one, source) if isinstance(one, str) else one
                for tag, one in item.items()
            }
        else:
            linked[key] = item if key in LITERALS else _linked(item, source)
    return linked


def _absolute(reference: str, source: str) -> str:
    file, _, pointer = reference.partition("#")
    return make_uri(file or source, pointer)
