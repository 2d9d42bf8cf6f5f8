"""Both legs and their fusion: what a search finds, before anything is judged or shown."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from sourcebook.index.open import Generation
from sourcebook.retrieval.fuse import HASH_SHARE, VECTOR_SHARE, fuse
from sourcebook.retrieval.legs import Allowed, TextLeg, text_leg, vector_leg
from sourcebook.store import Filters, Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@frozen(eq=False)
class Found:
    """What the legs found.

    Args:
        text: the text leg, None if it was not asked.
        nearest: the vector leg.
        fused: both, best first.
        embedder: the ref of the embedder if it knows meanings, empty otherwise.
        vector: the query's vector.
    """

    text: TextLeg | None
    nearest: tuple[Scored, ...]
    fused: tuple[Scored, ...]
    embedder: str = ""
    vector: "NDArray[np.float32] | None" = None

    @property
    def rankings(self) -> Mapping[str, Sequence[Scored]]:
        """The legs that were asked, by name."""
        legs: dict[str, Sequence[Scored]] = {}
        if self.text is not None:
            legs["text"] = self.text.ranking
        if self.vector is not None:
            legs["vector"] = self.nearest
        return legs


def find(
    generation: Generation,
    *,
    text: str = "",
    vector: "NDArray[np.float32] | None" = None,
    filters: Filters,
    allowed: Allowed | None = None,
    vector_share: float = VECTOR_SHARE,
) -> Found:
    """Run the legs that are asked, an empty text or no vector leaving one out, and fuse them.

    Quoted phrases bind both legs: an entry that does not hold them is not found.

    Args:
        allowed: what no filter can say; the fewer entries it allows, the longer it takes.
        vector_share: of the vector leg, of an embedder that knows meanings.
    """
    lock = generation.manifest.embedder
    semantic = lock is not None and lock.semantic
    words = text_leg(generation, text, filters, allowed=allowed) if text else None
    nearest: tuple[Scored, ...] = ()
    if vector is not None:
        nearest = vector_leg(generation, vector, filters, allowed=allowed)
    if words is not None and words.phrases:
        nearest = tuple(one for one in nearest if one.id in words.held)
    share = vector_share if semantic else HASH_SHARE
    if words is None:
        fused: Sequence[Scored] = nearest
    elif vector is None:
        fused = words.ranking
    else:
        fused = fuse(
            {"text": words.ranking, "vector": nearest},
            weights={"text": 1 - share, "vector": share},
        )
    ref = lock.ref if lock is not None and semantic else ""
    return Found(words, nearest, tuple(fused), ref, vector)
