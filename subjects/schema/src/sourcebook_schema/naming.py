"""Names of types that the file does not name as components."""

from collections.abc import Callable
from pathlib import PurePosixPath

from sourcebook_schema.facts import MORE_METHODS
from sourcebook_schema.texts import unescape

_NAMED = ("properties", "patternProperties", "dependentSchemas", "headers", "responses",
          "callbacks", "$defs", "definitions")  # fmt: skip
"""Keys whose keys are names."""

_COUNTED = ("allOf", "oneOf", "anyOf", "prefixItems", "content")
"""Keys whose keys say nothing to a reader."""

_STRUCTURE = (*_NAMED, *_COUNTED, "items", "additionalProperties", "requestBody", "parameters",
              "schema", "not", "if", "then", "else")  # fmt: skip

OperationName = Callable[[str, str, str], str]
"""From section, path and method to the name of an operation."""


def name_of_place(
    source: str, pointer: str, operation: OperationName, parameter: Callable[[str], str]
) -> tuple[str, bool]:
    """Return a name for the schema at a pointer, and whether it is made up.

    A schema that stands among others under a name of its own has that name, a whole file its stem.
    One inside of another or of an operation is called after that and the members on the way:
    `Order.address`, `createUser.body.name`.

    Args:
        source: the name of the file.
        pointer: where it stands.
        operation: names operations.
        parameter: from the pointer of a parameter to its name.
    """
    parts = [unescape(part) for part in pointer.split("/")[1:]]
    if parts[:1] == ["components"]:
        base, at = parts[2:3], 3
    elif parts[:1] in (["paths"], ["webhooks"], ["x-webhooks"]) and len(parts) > 2:
        at = 4 if parts[2] == MORE_METHODS else 3
        base = [operation(parts[0], parts[1], "/".join(parts[2:at]))]
    elif parts[:1] in (["definitions"], ["responses"], ["$defs"]):
        base, at = parts[1:2], 2
    else:
        at = next((place for place, part in enumerate(parts) if part in _STRUCTURE), len(parts))
        base = parts[at - 1 : at]
    names = base or [PurePosixPath(source).stem]
    if at >= len(parts):
        return names[0], False
    while at < len(parts):
        word = parts[at]
        if word in _NAMED and at + 1 < len(parts):
            names.append(parts[at + 1])
            at += 1
        elif word in _COUNTED:
            at += 1
        elif word == "parameters" and at + 1 < len(parts):
            names.append(parameter("/".join(pointer.split("/")[: at + 3])))
            at += 1
        elif word == "requestBody":
            names.append("body")
        at += 1
    return ".".join(names), True


def free_name(wanted: str, taken: set[str]) -> str:
    """Return a name that is not taken, and take it: what is wanted, else with `~2`, `~3`."""
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted}~{count}"
    taken.add(name)
    return name
