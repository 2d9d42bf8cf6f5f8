"""Lists of parameters: those of an operation, and those that a path has for all of its."""

from typing import Any, NamedTuple

from sourcebook_schema.draft import Draft, Moved, Text, remade
from sourcebook_schema.parameters import PLACES, Parts
from sourcebook_schema.reading.tree import Map, Value
from sourcebook_schema.schemas import a_value
from sourcebook_schema.texts import as_text, outline


class Parameter(NamedTuple):
    """A parameter of an operation: its value, and its node or the URI of where that is."""

    value: dict[str, Any]
    node: int | str


Parameters = dict[tuple[str, str], Parameter]
"""By name and place; of those that are in other files, by `` and URI."""


class ParameterLists:
    """Reads lists of parameters.

    Args:
        draft: takes the problems.
        parts: reads the parameters.
    """

    def __init__(self, draft: Draft, parts: Parts) -> None:
        self.draft = draft
        self.parts = parts
        self.routes: dict[str, dict[str, None]] = {}
        """The paths of the operations that use a shared parameter, by its URI."""

    def read(
        self, value: Value, pointer: str, owner: str, text: Text | None, routes: tuple[str, ...],
        parent: int,
    ) -> Parameters:  # fmt: skip
        """Return the parameters of a list.

        Args:
            value: what is written.
            pointer: where.
            owner: what the names of their nodes follow.
            text: of the entry that is told of them; None: their own alone.
            routes: the paths of the operations that have them.
            parent: the node of the operation, -1 for those that several share.
        """
        found: Parameters = {}
        if value is None:
            return found
        value = self.parts.unfold(value, pointer, "list of parameter", text)
        if not isinstance(value, list):
            self.draft.problem(f"`parameters` is {a_value(value)}, not a list", pointer)
            return found
        for number, one in enumerate(value):
            place = one.pointer if isinstance(one, Moved) else f"{pointer}/{number}"
            if not isinstance(one, Map):
                self.parts.wrong("a parameter", one, place)
            elif "$ref" in one:
                self._reference(found, one, place, owner, text, routes, parent)
            else:
                self._parameter(found, one, place, owner, text, routes, parent)
        return found

    def _parameter(
        self, found: Parameters, value: Map, pointer: str, owner: str, text: Text | None,
        routes: tuple[str, ...], parent: int,
    ) -> None:  # fmt: skip
        name, place = value.get("name"), value.get("in")
        if not is_name(name) or place not in PLACES:
            self.draft.problem("a parameter needs a `name`, and an `in` of "
                               f"{', '.join(PLACES)}", pointer)  # fmt: skip
            if text is not None:
                outline(text.lines, "parameter", value)
            return
        name = as_text(name)
        node, made = self.parts.parameter(
            value, pointer, name=name, path=f"{owner}.{name}", owner=owner, place=place, text=text,
            routes=routes, parent=parent,
        )  # fmt: skip
        found[name, place] = Parameter(made, node)

    def _reference(
        self, found: Parameters, value: Map, pointer: str, owner: str, text: Text | None,
        routes: tuple[str, ...], parent: int,
    ) -> None:  # fmt: skip
        """Read a reference to a parameter. One that says more of it, being in this file, is a
        parameter of its own."""
        references = self.parts.references
        uri = references.find(value["$ref"], "parameter", pointer)
        if not uri:
            return
        target = self.parts.target(uri)
        beside = {key: part for key, part in value.items() if key != "$ref"}
        name = as_text(target.get("name")) if target else ""
        place = as_text(target.get("in")) if target else uri
        if beside and target is not None and name and place in PLACES:
            merged = remade(value, {**target, **beside})
            self._parameter(found, merged, pointer, owner, text, routes, parent)
            return
        made: dict[str, Any] = {"$ref": uri}
        for key, part in beside.items():
            if text is not None:
                outline(text.lines, key, part)
            if key in ("summary", "description"):
                made[key] = as_text(part)
        found[name, place] = Parameter(made, uri)
        self.routes.setdefault(uri, {}).update(dict.fromkeys(routes))


def is_name(value: object) -> bool:
    """Whether a value can be a name: a number without quotes is one to its author."""
    return (isinstance(value, str) and value != "") or (
        isinstance(value, int | float) and not isinstance(value, bool)
    )
