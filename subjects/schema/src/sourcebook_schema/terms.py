"""The terms of a search: what each asks, of which kinds of entries, travelling which way."""

from collections.abc import Iterator
from typing import Any

from attrs import frozen
from sourcebook.errors import BadRequest
from sourcebook.verbs.search import wording

from sourcebook_schema.facts import ENTRY_KINDS, Direction

MAX_TERMS = 50

_OF_KIND = {
    "method": ("method", None),
    "type": ("type", None),
    "input_type": ("type", Direction.INPUT),
    "output_type": ("type", Direction.OUTPUT),
    "property": ("property", None),
    "input_property": ("property", Direction.INPUT),
    "output_property": ("property", Direction.OUTPUT),
}
"""The kind and the direction that a field of the request stands for; None: what it says itself."""


@frozen
class Term:
    """One thing that a search looks for.

    Args:
        name: the field of the request that asks it.
        text, vector: what each leg is asked; an empty one leaves the leg out.
        mode: the legs that run.
        kinds: the kinds of entries that it may find.
        direction: types and properties must travel this way, or one of these.
    """

    name: str
    text: str
    vector: str
    mode: str
    kinds: tuple[str, ...]
    direction: Direction

    @property
    def asked(self) -> str:
        """What was asked, in words."""
        return self.text or self.vector


@frozen
class _Asked:
    """What `sourcebook.verbs.search.wording` reads."""

    query: str
    text_query: str | None
    vector_query: str | None
    mode: str | None


def terms_of(request: Any, *, has_vectors: bool) -> list[Term]:
    """Return the terms of a search request, in the order of its fields.

    Raises:
        BadRequest: there are none, or they contradict themselves.
    """
    terms = list(_terms(request, has_vectors))
    if not terms:
        raise BadRequest(
            "nothing to search for",
            where="query",
            hint="ask in words, or say what you look for with `--method`, `--type` or `--property`",
        )
    if len(terms) > MAX_TERMS:
        raise BadRequest(
            f"a search takes at most {MAX_TERMS} terms, and this has {len(terms)}",
            where="query",
            hint="ask in several searches",
        )
    return terms


def _terms(request: Any, has_vectors: bool) -> Iterator[Term]:
    kinds = request.kind or ENTRY_KINDS
    way = Direction.BOTH if request.direction == "any" else Direction[request.direction.upper()]
    own = request.text_query is not None or request.vector_query is not None
    if own or request.query.strip():
        asked = _Asked(request.query, request.text_query, request.vector_query, request.mode)
        said = wording(asked, has_vectors=has_vectors)
        yield Term("query", said.text, said.vector, said.mode, kinds, Direction.BOTH)
    mode = None if own else request.mode
    for name in ("all", *_OF_KIND):
        kind, direction = _OF_KIND.get(name, ("", Direction.BOTH))
        for text in getattr(request, name):
            if not text.strip():
                raise BadRequest(
                    f"`{name}` is empty", where=name, hint="write a wording or leave it out"
                )
            said = wording(_Asked(text, None, None, mode), has_vectors=has_vectors)
            yield Term(
                name, said.text, said.vector, said.mode, (kind,) if kind else kinds,
                way if direction is None else direction,
            )  # fmt: skip
