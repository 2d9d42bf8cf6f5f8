"""A part of an API as one OpenAPI 3.1 description that stands alone and is valid.

Whatever the documents hold: what is invalid is mended or left out, see `mend` and `repair`. Nothing
is inlined; what several operations share is one component.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from attrs import frozen

from sourcebook_schema.bundle.closure import Closure, FileInfo, Operation
from sourcebook_schema.bundle.document import Document, Place
from sourcebook_schema.bundle.grammar import SECTIONS
from sourcebook_schema.bundle.naming import make_names, unused, valid_name
from sourcebook_schema.bundle.pending import Pending, settle
from sourcebook_schema.bundle.repair import repair
from sourcebook_schema.facts import split_uri

NONE: Mapping[str, str] = MappingProxyType({})


@frozen
class Bundle:
    """A description, and the URI of what stands at each JSON pointer of its operations and
    components."""

    description: dict[str, Any]
    uris: dict[str, str]


def bundle(
    components: Callable[[str], Any],
    files: Mapping[str, FileInfo],
    variants: Callable[[str], Mapping[str, str]],
    operations: Sequence[str],
    types: Sequence[str],
    *,
    homes: Mapping[str, str] = NONE,
    names: Callable[[str], str] = lambda _uri: "",
) -> Bundle:
    """Return a valid description of operations and types, with all that they need.

    Args:
        components: `components(uri)` returns the value of a component, see
            `sourcebook_schema.facts.ComponentRow`; LookupError or None: there is none.
        files: what is known of each source.
        variants: `variants(uri)` returns the types that a type's discriminator names, by value.
        operations, types: URIs, in the order in which they are to stand.
        homes: the root file that a piece belongs to, by source; a root is its own.
        names: `names(uri)` returns a type's name; empty: it has none.
    """
    chosen = []
    for uri in dict.fromkeys(operations):
        source = split_uri(uri)[0]
        operation = Operation(uri, homes.get(source, source), components(uri))
        chosen.append(operation)
    closure = Closure(components, files, variants, chosen)
    for uri in types:
        closure.follow(uri, "schema")
    sources = [operation.home for operation in chosen]
    sources += [homes.get(split_uri(uri)[0], split_uri(uri)[0]) for uri in types]
    document = Document(closure, files, chosen, [*dict.fromkeys(sources)])
    closure.drain()
    schemas = closure.of_role("schema")
    repair(schemas, closure.inline, closure.hints)
    closure.values.update((("schema", uri), value) for uri, value in schemas.items())
    return _settle(closure, document, files, names)


def _settle(
    closure: Closure,
    document: Document,
    files: Mapping[str, FileInfo],
    names: Callable[[str], str],
) -> Bundle:
    """Give everything its name and put the parts together."""
    places: dict[tuple[str, str], Place] = {
        ("operation", uri): place for uri, place in document.places.items()
    }

    def own_name(uri: str) -> str:
        return closure.hints.get(uri) or names(uri)

    components: dict[str, dict[str, Any]] = {}
    for role, section in SECTIONS.items():
        values = closure.of_role(role)
        named = own_name if role == "schema" else None
        found = make_names(values, named, lambda file: file in files and files[file].root)
        for uri, name in sorted(found.items(), key=lambda item: item[1]):
            components.setdefault(section, {})[name] = values[uri]
            places[role, uri] = ("components", section, name)
    for event, role, uri in document.shared:
        below = (event.path, event.field) if role == "callback" else (event.field,)
        places["operation", event.uri] = (*places[role, uri], *below)
    for event, part in document.callbacks:
        callbacks = components.setdefault("callbacks", {})
        name = unused(valid_name(event.key or "callback"), callbacks)
        callbacks[name] = {event.path: {event.field: part}}
        place = ("components", "callbacks", name, event.path, event.field)
        places["operation", event.uri] = place

    def text_of(pending: Pending) -> str:
        if pending.role == "operationId":
            return document.ids[pending]
        if pending.role == "securityScheme":
            return places[pending.role, str(pending)][-1]
        return f"#{_pointer(places[pending.role, str(pending)])}"

    description = {**document.values}
    if components:
        description["components"] = components
    return Bundle(
        settle(description, text_of), {_pointer(place): uri for (_, uri), place in places.items()}
    )


def _pointer(place: Place) -> str:
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in place)
