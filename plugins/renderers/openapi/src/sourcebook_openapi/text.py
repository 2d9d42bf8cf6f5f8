"""A document as text."""

import json
from collections.abc import Mapping
from typing import Any

from sourcebook_openapi.walk import walk

_EXPLAINING = ("summary", "description", "externalDocs", "example", "examples", "$comment")


def write(document: Mapping[str, Any], *, docs: bool) -> str:
    """Return a document as JSON, with or without what only explains it."""
    value = document if docs else without_docs(document)
    return json.dumps(value, ensure_ascii=False, indent=2)


def without_docs(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document without descriptions, summaries, examples, tags and links elsewhere."""
    value: dict[str, Any] = walk("document", document, _strip)
    if components := value.get("components"):
        components.pop("examples", None)
        if not components:
            del value["components"]
    return value


def _strip(form: str, value: Any) -> Any:
    if isinstance(value, bool):
        return value
    for key in _EXPLAINING:
        value.pop(key, None)
    if form == "response":
        return {"description": "", **value}
    for key in {"document": ("tags",), "info": ("contact", "termsOfService")}.get(form, ()):
        value.pop(key, None)
    return value
