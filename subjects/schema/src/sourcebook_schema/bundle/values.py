"""Values without references: texts, flags, URIs, literals, and the fields of an object."""

import json
from collections.abc import Callable
from typing import Any, Protocol
from urllib.parse import quote

from sourcebook_schema.bundle.grammar import OBJECTS, REQUIRED

NOTHING: Any = object()
"""What stands for a value that has no place."""

URI_SAFE = "!#$%&'()*+,-./:;=?@[]_~"


class Links(Protocol):
    """What a bundle knows of names outside the value that is mended."""

    def follow(self, uri: str, role: str) -> Any:
        """Return the `Pending` that names a component, or None where the URI leads nowhere."""

    def note(self, schema: Any) -> Any:
        """Remember and return a mended schema that is no component itself."""

    def hoist(self, value: Any, hint: str) -> Any:
        """Make a component of a schema that is nested too deeply and return its `Pending`."""

    def find_operation(self, link: dict[str, Any]) -> Any:
        """Return the `Pending` that names a link's operation, or None: it is not in the bundle."""

    def claim_id(self, name: str) -> str:
        """Return an operationId that no other operation has: the name, or the name and a number."""

    def find_scheme(self, name: str) -> Any:
        """Return the `Pending` that names a security scheme, or None: none is so called."""


def missing(form: str, uri: str) -> Any:
    """Return what stands for a component that is not there, `NOTHING` where nothing can."""
    note = {"description": f"Nothing is found at {uri}"}
    if form == "header":
        return {**note, "schema": {}}
    if form == "requestBody":
        return {**note, "content": {}}
    return note if form in ("response", "example", "schema") else NOTHING


def holds_reference(value: Any) -> bool:
    """Return whether a literal value looks like, or holds, a reference."""
    if isinstance(value, dict):
        return isinstance(value.get("$ref"), str) or any(map(holds_reference, value.values()))
    return isinstance(value, list) and any(map(holds_reference, value))


def mend_object(form: str, value: Any, mend_part: Callable[[str, Any], Any]) -> Any:
    """Return an object with those of its fields that `mend_part` accepts and its extensions."""
    if not isinstance(value, dict):
        return NOTHING
    fields = OBJECTS[form]
    mended: dict[str, Any] = {}
    for key, item in value.items():
        if key in fields:
            kept = mend_part(fields[key], item)
        else:
            kept = item if key.startswith("x-") and not holds_reference(item) else NOTHING
        if kept is not NOTHING:
            mended[key] = kept
    return NOTHING if any(name not in mended for name in REQUIRED.get(form, ())) else mended


def mend_text(value: Any) -> Any:
    """Return a scalar as text."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, bool | int | float) else NOTHING


def mend_flag(value: Any) -> Any:
    """Return a boolean, also where it was written as a text."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(str(value).lower(), NOTHING)


def _mend_uri(value: Any) -> Any:
    return quote(value.strip(), safe=URI_SAFE) if isinstance(value, str) else NOTHING


def _mend_any(value: Any) -> Any:
    return NOTHING if holds_reference(value) else value


PLAIN: dict[str, Callable[[Any], Any]] = {
    "text": mend_text,
    "flag": mend_flag,
    "uri": _mend_uri,
    "any": _mend_any,
    "literal": lambda value: value,
}
