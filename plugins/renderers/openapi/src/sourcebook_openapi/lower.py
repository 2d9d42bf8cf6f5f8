"""From OpenAPI 3.1 to OpenAPI 3.0: what 3.0 has other words for is reworded, the rest is left out.

What is left out only ever allows more: a value that the 3.1 document allows, this one allows.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sourcebook_openapi.schemas import Known, lower_schema
from sourcebook_openapi.walk import walk

PATH_ITEMS = "#/components/pathItems/"


def lower(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a valid OpenAPI 3.0 document from a valid 3.1 one whose references are its own."""
    known = Known.of(document.get("components", {}).get("schemas", {}))

    def change(form: str, value: Any) -> Any:
        if form == "schema":
            return lower_schema(value, known)
        return _CHANGES[form](value) if form in _CHANGES else value

    lowered: dict[str, Any] = walk("document", document, change)
    return lowered


def _document(value: dict[str, Any]) -> dict[str, Any]:
    lowered = {**value, "openapi": "3.0.3", "paths": value.get("paths", {})}
    if "webhooks" in lowered:
        lowered["x-webhooks"] = lowered.pop("webhooks")
    lowered.pop("jsonSchemaDialect", None)
    return lowered


def _info(value: dict[str, Any]) -> dict[str, Any]:
    value.pop("summary", None)
    return value


def _license(value: dict[str, Any]) -> dict[str, Any]:
    if identifier := value.pop("identifier", None):
        value["url"] = f"https://spdx.org/licenses/{identifier}.html"
    return value


def _components(value: dict[str, Any]) -> dict[str, Any]:
    if "pathItems" in value:
        value["x-pathItems"] = value.pop("pathItems")
    return value


def _reference(value: dict[str, Any]) -> dict[str, Any]:
    target = value["$ref"]
    if target.startswith(PATH_ITEMS):
        target = f"#/components/x-pathItems/{target.removeprefix(PATH_ITEMS)}"
    return {"$ref": target}


def _with_parameters(value: dict[str, Any]) -> dict[str, Any]:
    """Leave each parameter once."""
    if "parameters" in value:
        kept: list[Any] = []
        for one in value["parameters"]:
            if one not in kept:
                kept.append(one)
        value["parameters"] = kept
    return value


def _with_examples(value: dict[str, Any]) -> dict[str, Any]:
    """Leave either several examples or one."""
    if "examples" in value:
        value.pop("example", None)
    return value


def _scheme(value: dict[str, Any]) -> dict[str, Any]:
    """Name a client certificate, for which 3.0 has no type, as a scheme of HTTP."""
    if value["type"] == "mutualTLS":
        told = "A client certificate (mutual TLS). " + value.get("description", "")
        return {"type": "http", "scheme": "mutual", "description": told.strip()}
    return value


_CHANGES: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "document": _document,
    "info": _info,
    "license": _license,
    "components": _components,
    "reference": _reference,
    "pathItem": _with_parameters,
    "operation": _with_parameters,
    "parameter": _with_examples,
    "header": _with_examples,
    "mediaType": _with_examples,
    "securityScheme": _scheme,
}
