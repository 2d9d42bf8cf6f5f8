"""Names that are known only when the whole bundle is: stand-ins for them, replaced at the end."""

from collections.abc import Callable
from typing import Any


class Pending(str):
    """A text of which the bundle makes another at the end.

    Args:
        text: the URI of a component or of an operation; of an `operationId`, the URI of the
            operation that it names.
        role: the role of the component, `operation` for a pointer to an operation,
            `operationId` for its id. A security scheme stands as the key of a requirement.
    """

    role: str

    def __new__(cls, text: str, role: str) -> "Pending":
        made = super().__new__(cls, text)
        made.role = role
        return made


def settle(value: Any, text_of: Callable[[Pending], str]) -> Any:
    """Return a copy of a JSON value in which every pending text is what `text_of` says."""
    if isinstance(value, dict):
        return {
            text_of(key) if isinstance(key, Pending) else key: settle(item, text_of)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [settle(item, text_of) for item in value]
    return text_of(value) if isinstance(value, Pending) else value
