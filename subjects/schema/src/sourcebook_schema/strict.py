"""Descriptions held to their standard, for `index --strict`."""

import os
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any
from urllib.parse import unquote, urlsplit

from sourcebook.errors import CorpusUnreadable

from sourcebook_schema.reading.pointer import NothingThere, escape, resolve
from sourcebook_schema.reading.tree import Map, Value

ERRORS_SHOWN = 20
"""Of each description; the first ones explain the others."""

FAULT_LENGTH = 200

STRICT_S = 300.0
"""What the check of one description may take."""


class InvalidDescription(CorpusUnreadable):
    """A description breaks the rules of OpenAPI or Swagger; each line of the message is one of
    `file:line: pointer: what`."""


def errors_of(
    name: str, place: str, root: Map, version: str, read: Callable[[str], Value]
) -> Iterator[str]:
    """Yield what the standard has against a description, as `file:line: pointer: what`.

    Args:
        name: the name of its file.
        place: the path or URL of it, from which its references count.
        version: as the description has it.
        read: returns what the file at a path or URL holds, or raises LookupError; nothing else is
            read, and nothing fetched.
    """
    from jsonschema_path import SchemaPath
    from openapi_spec_validator import (
        OpenAPIV2SpecValidator,
        OpenAPIV30SpecValidator,
        OpenAPIV31SpecValidator,
        OpenAPIV32SpecValidator,
    )

    validators = {
        "3.0": OpenAPIV30SpecValidator,
        "3.1": OpenAPIV31SpecValidator,
        "3.2": OpenAPIV32SpecValidator,
    }
    validator = validators.get(version[:3], OpenAPIV2SpecValidator)
    uri = place if "://" in place else f"file://{place}"
    end = time.monotonic() + STRICT_S

    class Timed(SchemaPath):
        """A path whose steps end when time is up: a schema may be reached in countless ways."""

        def __truediv__(self, key: Any) -> Any:
            if time.monotonic() > end:
                raise TimeoutError(f"not all was checked within {STRICT_S:g} s")
            return super().__truediv__(key)

    path = Timed.from_dict(root, base_uri=uri, handlers=_Handlers(read))
    try:
        for error in islice(validator(path).iter_errors(), ERRORS_SHOWN):
            cause = _cause(error)
            yield _told(name, root, [*cause.absolute_path], cause.message)
    except TimeoutError as error:
        yield _told(name, root, [], str(error))
    except (
        Exception
    ) as error:  # a reference that leads nowhere ends it, in several libraries' words
        ref = getattr(error, "ref", None)
        what = f"`{ref}` leads nowhere" if ref else f"{type(error).__name__}: {error}"
        yield _told(name, root, [], what)


def _cause(error: Any) -> Any:
    """Return what is wrong in the choice that came closest, where one of several must fit."""
    while error.context:
        # What lacks a `$ref` was not meant to be a reference.
        found = [one for one in error.context if "'$ref' is a required" not in one.message]
        error = max(found or error.context, key=lambda one: len(one.absolute_path))
    return error


class _Handlers(dict[str, Callable[[str], Value]]):
    """Says for every scheme of a URI how it is read: the library would fetch what has none."""

    def __init__(self, read: Callable[[str], Value]) -> None:
        super().__init__()
        self._read = read

    def __contains__(self, _scheme: object) -> bool:
        return True

    def __missing__(self, _scheme: str) -> Callable[[str], Value]:
        return self._file

    def _file(self, uri: str) -> Value:
        parts = urlsplit(uri)
        return self._read(os.path.realpath(unquote(parts.path)) if parts.scheme == "file" else uri)


def _told(name: str, root: Map, parts: list[Any], message: str) -> str:
    what = " ".join(message.split())
    if len(what) > FAULT_LENGTH:
        what = what[: FAULT_LENGTH - 1] + "…"
    line, pointer = root.first, ""
    for part in parts:
        above, pointer = pointer, f"{pointer}/{escape(str(part))}"
        try:
            value, owner = resolve(root, pointer), resolve(root, above)
        except NothingThere:
            # The libraries give paths from several starts; this one is not the file's.
            return f"{name}: {what}"
        if isinstance(owner, Map):
            line = owner.line(str(part))
        elif isinstance(value, Map):
            line = value.first
    return f"{name}:{line}: {pointer}: {what}" if pointer else f"{name}: {what}"
