"""What verbs share that list: a limit on what is shown, places that open, rows and their count."""

from collections.abc import Iterable
from typing import Any

from sourcebook.verb import option


def limit_option() -> Any:
    """Return the field `limit` of a request: how many are shown, 0 for all."""
    return option(
        0, help="Show at most this many; the count is still of all. 0 shows all.", minimum=0
    )


class Located:
    """A record of lines of a source, from `first_line` on."""

    __slots__ = ()

    source: str
    first_line: int

    @property
    def location(self) -> str:
        """`source:line`, which editors open."""
        return f"{self.source}:{self.first_line}"


def told(rows: Iterable[str], response: Any, *, shown: int, found: str) -> str:
    """Return rows, what of the request nothing fits, and how many were found.

    Args:
        shown: how many of `response.found` the rows stand for.
        found: the count in words.
    """
    count = found + (f", {shown} shown" if shown < response.found else "")
    return "\n".join((*rows, *response.notes, count))
