"""The embedder `paced`: vectors of `hash` after a while, counted, and on demand a failure.

It is driven by the environment, so that it does the same in other processes:
`PACED_SECONDS` a text, `PACED_LOG` a file that gets a byte a text, `PACED_FAILS_AFTER` texts.
"""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define
from sourcebook.embedder import Embedder, EmbedderOptions, EmbedderPlugin
from sourcebook.embedders.hash import HashEmbedder
from sourcebook.errors import EmbedderUnavailable
from sourcebook.hookspecs import hookimpl

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@define
class Paced:
    """See the module."""

    ref: str
    fingerprint: str
    inner: HashEmbedder
    made: int = 0
    semantic = False
    tokenizer = "words"
    window = 0

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self.inner.dimensions

    @property
    def max_batch(self) -> int:
        """Texts in one call."""
        return 64

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return unit vectors, or fail when as many texts were made as are allowed."""
        time.sleep(float(os.environ.get("PACED_SECONDS", "0")) * len(texts))
        self.made += len(texts)
        if self.made > int(os.environ.get("PACED_FAILS_AFTER", "1000000")):
            raise EmbedderUnavailable("asked to fail")
        if log := os.environ.get("PACED_LOG"):
            with Path(log).open("ab") as stream:
                stream.write(b"." * len(texts))
        return self.inner.embed_documents(texts)

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """Return the unit vector of a question."""
        return self.inner.embed_query(text)


def load(model: str, options: EmbedderOptions) -> Embedder:
    """Return the embedder; each model has a fingerprint of its own."""
    ref = f"paced:{model}" if model else "paced"
    inner = HashEmbedder(options.dimensions or 64)
    return Paced(ref, f"{ref}/{inner.dimensions}", inner)


@hookimpl
def sourcebook_embedders() -> Iterator[EmbedderPlugin]:
    """Yield `paced`."""
    yield EmbedderPlugin("paced", load)
