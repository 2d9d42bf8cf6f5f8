"""What an embedder is: texts to unit vectors, with a fingerprint that moves when vectors would."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from attrs import frozen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@frozen
class EmbedderOptions:
    """What a user may say about an embedder.

    `dimensions` 0 and `batch` 0 mean the model's own; `endpoint` and `key_variable` are for
    hosted ones: a base URL, and the name of the environment variable that holds the key.
    """

    dimensions: int = 0
    batch: int = 0
    endpoint: str = ""
    key_variable: str = ""


class Embedder(Protocol):
    """A chosen model. Made cheaply: heavy libraries and the model load at the first embedding."""

    @property
    def ref(self) -> str:
        """What a user types to get it again: `minilm`, `openai:text-embedding-3-small`."""

    @property
    def fingerprint(self) -> str:
        """Moves whenever vectors would: model, width, window, pooling. The key of the cache."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    @property
    def max_batch(self) -> int:
        """How many texts one call of `embed_documents` works best with at most."""

    @property
    def semantic(self) -> bool:
        """Whether nearness means likeness of meaning; False for hashes of words."""

    @property
    def tokenizer(self) -> str:
        """The name of a registered tokenizer that sizes entries for it, or empty."""

    @property
    def window(self) -> int:
        """Tokens of a text that one vector takes in whole, 0 where there is no bound.

        They are counted by the declared tokenizer; special tokens that the model adds are not
        among them. A longer text is not cut short: its vector is made of several windows.
        """

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return unit vectors, shape (len(texts), dimensions), in the order of `texts`.

        Raises:
            EmbedderUnavailable: no credential, or the provider still refuses after the retries.
        """

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """Return the unit vector of a question, shape (dimensions,)."""


@frozen
class EmbedderPlugin:
    """An embedder plugin's record.

    Args:
        name: the part of a ref before the colon, and the entry point's name.
        load: `load(model, options)` returns an `Embedder`; `model` is the part after the colon.
        summary: one line for `sourcebook embedders`.
        hosted: whether texts leave this machine.
        tokenizers: import path (`module:function`) by tokenizer name. The function takes a text
            and returns the character spans of its tokens, `list[tuple[int, int]]`.
    """

    name: str
    load: Callable[[str, EmbedderOptions], Embedder]
    summary: str = ""
    hosted: bool = False
    tokenizers: tuple[tuple[str, str], ...] = ()
