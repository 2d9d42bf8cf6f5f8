"""What each term of a search finds: entries ranked, and how strong the evidence is."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from attrs import evolve
from sourcebook.index.open import Index
from sourcebook.naming import shown
from sourcebook.retrieval.evidence import Evidence, assess
from sourcebook.retrieval.find import Found, find
from sourcebook.retrieval.fuse import ranked
from sourcebook.retrieval.legs import TextLeg
from sourcebook.store import Scored

from sourcebook_schema.api import Api
from sourcebook_schema.scope import Scope
from sourcebook_schema.terms import Term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VECTOR_SHARE: Final = 0.45
"""Share of the vector leg: names and routes tell more in an API than in prose."""

PART_SHARE: Final = 0.7
"""What a type, a property or a service counts beside operations where all are asked: short texts
are near many questions."""

_QUOTES: Final = re.compile(r'["“”„]')


class Ranking:
    """What one term finds in one index.

    Args:
        index: an open index.
        api: its graph.
        scope: what may be found.
        term: what is asked.
    """

    def __init__(self, index: Index, api: Api, scope: Scope, term: Term) -> None:
        self._index = index
        self._api = api
        self._scope = scope
        self.term = term
        self.notes: list[str] = []

    @cached_property
    def found(self) -> Found:
        """What the legs found, best first, as if in one search."""
        if self._scope.unmet:
            return Found(None, (), ())
        found = self._all(self.term.text)
        if found.text is not None and found.text.phrases and not found.text.ranking:
            # A question about an API has the names of things in quotes, which it does not hold.
            self.notes = [f"nothing holds {shown(self.term.text)}: searched without the quotes"]
            found = self._all(_QUOTES.sub(" ", self.term.text))
        return found

    def _all(self, text: str) -> Found:
        kinds = self.term.kinds
        if "method" not in kinds or len(kinds) == 1:
            return self._find(kinds, text)
        parts = [one for one in kinds if one != "method"]
        return _together(self._find(["method"], text), self._find(parts, text))

    def fit(self, operation: int) -> float:
        """Return how well an operation fits what is asked, whatever the term is about."""
        return self._fits.get(self._api.id(operation), 0.0)

    @cached_property
    def _fits(self) -> Mapping[str, float]:
        if "method" in self.term.kinds:
            return {one.id: one.score for one in self.found.fused}
        found = self._find(["method"], _QUOTES.sub(" ", self.term.text))
        return {one.id: one.score for one in found.fused}

    @cached_property
    def evidence(self) -> Evidence:
        """Whether what was found is an answer."""
        generation = self._index.generation
        manifest = generation.manifest
        return assess(
            self.found,
            entries=manifest.entries - manifest.parts,
            narrowed=bool(self._scope.sources or self._scope.allowed(self.term) is not None),
            unmet=bool(self._scope.unmet),
            background=generation.background if self.found.vector is not None else None,
            bars=self._index.subject.evidence_bars,
        )

    @cached_property
    def _vector(self) -> "NDArray[np.float32] | None":
        if not self.term.vector:
            return None
        vector: NDArray[np.float32] = self._index.embedder.embed_query(self.term.vector)
        return vector

    def _find(self, kinds: Sequence[str], text: str) -> Found:
        term = evolve(self.term, kinds=tuple(kinds))
        filters: dict[str, Sequence[str]] = {"kind": term.kinds}
        if self._scope.sources is not None:
            filters["source"] = sorted(self._scope.sources)
        ids = self._scope.allowed(term)
        return find(
            self._index.generation,
            text=text,
            vector=self._vector,
            filters=filters,
            allowed=None if ids is None else ids.__contains__,
            vector_share=VECTOR_SHARE,
        )


def _together(methods: Found, parts: Found) -> Found:
    """Return what two searches of one term found, as one."""
    text = None
    if methods.text is not None and parts.text is not None:
        text = TextLeg(
            _merged(methods.text.ranking, parts.text.ranking),
            methods.text.terms,
            methods.text.entries,
            {**methods.text.held, **parts.text.held},
            methods.text.phrases,
        )
    lowered = [Scored(one.id, PART_SHARE * one.score) for one in parts.fused]
    return Found(
        text,
        _merged(methods.nearest, parts.nearest),
        _merged(methods.fused, lowered),
        methods.embedder,
        methods.vector,
    )


def _merged(one: Sequence[Scored], other: Sequence[Scored]) -> tuple[Scored, ...]:
    return tuple(ranked({entry.id: entry.score for entry in (*one, *other)}))
