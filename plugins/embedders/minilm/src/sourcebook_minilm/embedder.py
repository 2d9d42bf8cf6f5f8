"""The embedder `minilm`: texts to unit vectors by all-MiniLM-L6-v2."""

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from attrs import frozen
from sourcebook.embedder import EmbedderOptions
from sourcebook.errors import BadSetting

from sourcebook_minilm.model import SHA256, WIDTH, model, sums
from sourcebook_minilm.tokenizer import ids

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOW = 254
"""Word pieces in one run of the model; `[CLS]` and `[SEP]` make it the 256 it was trained with."""

TEXTS = 256
RUN = 256
"""Tokens, padding included, in one run of the model: beyond it nothing gets faster and memory
grows; for short texts single runs are a sixth slower."""

MOST_THREADS = 16


@frozen
class MiniLM:
    """all-MiniLM-L6-v2: mean of the token vectors, cut to `dimensions`, made unit length.

    The model was trained at its full width of 384: the first n numbers are a cheaper vector, but
    no more than that, and rank worse the fewer they are.

    A text longer than the window is cut into windows of about equal length, and the mean goes
    over the tokens of all of them: nothing is left out.
    """

    dimensions: int = WIDTH
    max_batch: int = TEXTS

    ref = "minilm"
    semantic = True
    tokenizer = "bert-uncased"
    window = WINDOW

    @classmethod
    def choose(cls, name: str, options: EmbedderOptions) -> "MiniLM":
        """Return the embedder for what a user asked.

        Raises:
            BadSetting: a model after the colon, or more dimensions than the model has.
        """
        if name:
            raise BadSetting(
                f"`minilm` is one model and knows none called `{name}`",
                where="embedding",
                hint="`--embedding minilm`",
            )
        if not 0 <= options.dimensions <= WIDTH:
            raise BadSetting(
                f"`minilm` has vectors of 1 to {WIDTH} dimensions, not {options.dimensions}",
                where="dimensions",
                hint=f"`--dimensions {WIDTH}`, or leave it out",
            )
        if options.batch < 0:
            raise BadSetting(f"a batch of {options.batch} texts holds nothing", where="batch")
        return cls(options.dimensions or WIDTH, options.batch or TEXTS)

    @property
    def fingerprint(self) -> str:
        """Model, window, pooling and width."""
        return f"minilm/{SHA256[:16]}/bert-uncased/window-{WINDOW}/mean/{self.dimensions}"

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return unit vectors, shape (len(texts), dimensions), in the order of `texts`.

        A vector depends on its own text only, not on those beside it, nor on their number.

        Raises:
            EmbedderUnavailable: weights or onnxruntime are missing or not the right ones.
        """
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        windows = [(row, part) for row, text in enumerate(texts) for part in _windows(ids(text))]
        # The longest first: no thread is left alone with them at the end, little is padded.
        windows.sort(key=lambda window: len(window[1]), reverse=True)
        session = model().for_documents()
        runs = list(_runs(windows, self.max_batch))
        totals = np.zeros((len(texts), WIDTH), np.float32)
        for run, found in zip(runs, _compute(session, runs), strict=True):
            for (row, _), total in zip(run, found, strict=True):
                totals[row] += total
        return self._unit(totals)

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """Return the unit vector of a question, shape (dimensions,).

        Raises:
            EmbedderUnavailable: weights or onnxruntime are missing or not the right ones.
        """
        session = model().for_question()
        parts = [sums(session, [part]) for part in _windows(ids(text))]
        vector: NDArray[np.float32] = self._unit(sum(parts[1:], parts[0]))[0]
        return vector

    def _unit(self, totals: "NDArray[np.float32]") -> "NDArray[np.float32]":
        import numpy as np

        vectors = totals[:, : self.dimensions]
        lengths: NDArray[np.float32] = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / lengths


Window = tuple[int, list[int]]
"""The number of a text and the word pieces of one of its windows."""


def _windows(pieces: list[int]) -> list[list[int]]:
    """Cut word pieces into the fewest windows, of lengths that differ by at most one."""
    count = max(1, -(-len(pieces) // WINDOW))
    edges = [len(pieces) * number // count for number in range(count + 1)]
    return [pieces[start:end] for start, end in pairwise(edges)]


def _runs(windows: Sequence[Window], most: int) -> Iterator[list[Window]]:
    """Group windows, the longest first, into runs of at most `RUN` tokens and `most` windows."""
    run: list[Window] = []
    for window in windows:
        if run and (len(run) == most or (len(run) + 1) * (len(run[0][1]) + 2) > RUN):
            yield run
            run = []
        run.append(window)
    yield run


def _compute(session: Any, runs: list[list[Window]]) -> "Iterator[NDArray[np.float32]]":
    def compute(run: list[Window]) -> "NDArray[np.float32]":
        return sums(session, [pieces for _, pieces in run])

    threads = min(_cores(), len(runs), MOST_THREADS)
    if threads == 1:
        yield from map(compute, runs)
    else:
        from concurrent.futures import ThreadPoolExecutor  # 35 ms that a question need not pay

        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(compute, runs)


def _cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
