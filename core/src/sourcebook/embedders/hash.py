"""The embedder `hash`: signed feature hashing of words, for tests and machines without a model."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from attrs import frozen

from sourcebook.embedder import Embedder, EmbedderOptions, EmbedderPlugin
from sourcebook.errors import BadSetting
from sourcebook.hookspecs import hookimpl
from sourcebook.retrieval.analyse import ANALYSER_VERSION, analyse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSIONS = 256
FEWEST, MOST = 8, 4096
BATCH = 1024


@frozen
class HashEmbedder:
    """Each term adds the root of its count to one place of the vector, with a sign of its own.

    Nearness means shared terms of the core's analyser, no more. Place and sign come from a BLAKE2b
    digest and roots are exact, so vectors are equal in every process and on every machine. A text
    without words has the vector of the word of no letters, since every vector has unit length.

    Source:
        Weinberger, Dasgupta, Langford, Smola and Attenberg, ICML 2009.
    """

    dimensions: int = DIMENSIONS
    max_batch: int = BATCH

    ref = "hash"
    semantic = False
    tokenizer = "words"
    window = 0

    @property
    def fingerprint(self) -> str:
        """The analyser, the way of hashing and the width."""
        return f"hash/analyser-{ANALYSER_VERSION}/blake2b/{self.dimensions}"

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return unit vectors, shape (len(texts), dimensions), in the order of `texts`."""
        import numpy as np

        vectors = np.zeros((len(texts), self.dimensions), np.float64)
        for vector, text in zip(vectors, texts, strict=True):
            counts = Counter(analyse(text))
            places, signs = zip(*map(_place, counts or ("",)), strict=True)
            weights = np.sqrt(list(counts.values()) or [1]) * signs
            np.add.at(vector, np.array(places) % self.dimensions, weights)
            if not vector.any():
                # Words of opposite sign met in one place, and no others were there.
                vector[places[0] % self.dimensions] = 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors.astype(np.float32)

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """Return the unit vector of a question, shape (dimensions,)."""
        vector: NDArray[np.float32] = self.embed_documents([text])[0]
        return vector


def choose(model: str, options: EmbedderOptions) -> Embedder:
    """Return the embedder for what a user asked.

    Raises:
        BadSetting: a model after the colon, or a width or batch out of range.
    """
    if model:
        raise BadSetting(
            f"`hash` has no model `{model}`",
            where="embedding",
            hint="`--embedding hash`, with `--dimensions` for another width",
        )
    width = options.dimensions or DIMENSIONS
    if not FEWEST <= width <= MOST:
        raise BadSetting(
            f"`hash` makes vectors of {FEWEST} to {MOST} dimensions, not {width}",
            where="dimensions",
        )
    if options.batch < 0:
        raise BadSetting(f"a batch of {options.batch} texts holds nothing", where="batch")
    return HashEmbedder(width, options.batch or BATCH)


@lru_cache(maxsize=65_536)
def _place(word: str) -> tuple[int, int]:
    """Return a word's place, to be taken modulo the width, and its sign."""
    number = int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest())
    return number >> 1, 1 if number & 1 else -1


@hookimpl
def sourcebook_embedders() -> Iterator[EmbedderPlugin]:
    """Yield `hash`."""
    yield EmbedderPlugin(
        "hash", choose, summary="Hashed words: no meaning, no model, equal on every machine."
    )
