"""An eight-bit copy of vectors in memory: what is not among the nearest is passed over cheaply.

A scan is bound by memory, and the copy is a quarter of the vectors. It names the rows that may be
near; they are scored from the vectors themselves, so the copy decides nothing. It holds each vector
moved towards its row, see `sourcebook.stores.exact.tempered`, so that products are nearness.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from sourcebook.stores.exact import tempered

from sourcebook_faiss.index import load_faiss, one_thread

LEAST_VECTORS: Final = 5_000
MOST_VECTORS: Final = 200_000
"""Fewer are scanned in no time; more would take too much memory (77 MB at 384 numbers)."""

SCANS_BEFORE: Final = 8
"""Questions of a process that are answered without it: importing FAISS and making the copy cost
as much as some 80 questions save, so it is for those who go on asking."""

DEVIATIONS: Final = 6
"""Of rounding, which two products in a billion are off by more than."""

_LEVELS: Final = 127


class Copy:
    """The copy of some vectors.

    Args:
        matrix: the vectors, shape [n, dimensions].
        owners: the row each belongs to, ascending, shape [n].
        lengths: what `mean_lengths` returns for them.
        numbers: the vectors that are copied, all of a row or none, ascending, at least one.
    """

    def __init__(
        self,
        matrix: NDArray[np.float32],
        owners: NDArray[np.integer],
        lengths: NDArray[np.float32],
        numbers: NDArray[np.int64],
    ) -> None:
        faiss = load_faiss()
        self._owners = owners[numbers]
        self._numbers = numbers
        # No number grows by moving a vector towards the mean of others.
        self._scale = _LEVELS / (float(np.abs(matrix).max()) or 1.0)
        self._index = faiss.IndexScalarQuantizer(
            matrix.shape[1],
            faiss.ScalarQuantizer.QT_8bit_direct_signed,
            faiss.METRIC_INNER_PRODUCT,
        )
        with one_thread():
            for moved in tempered(matrix, owners, lengths, numbers):
                self._index.add(np.rint(moved * self._scale))

    def near(self, query: NDArray[np.float32], limit: int, asked: int) -> NDArray[np.int64] | None:
        """Return vectors of all rows that may be among the `limit` nearest; None where more than
        the `asked` nearest vectors would be needed to tell.

        Args:
            query: shape [dimensions], not zero.
            asked: at most as many as were copied.
        """
        scale = _LEVELS / float(np.abs(query).max())
        with one_thread():
            found, places = self._index.search(np.rint(query * scale)[None], asked)
        _, first = np.unique(self._owners[places[0]], return_index=True)
        if len(first) < limit:
            return None
        scores = found[0] / (self._scale * scale)
        # Rounding to steps of 1 / scale is off by 1 / sqrt(12) of a step, on either side.
        wrong = DEVIATIONS * float(np.hypot(1 / self._scale, 1 / scale)) / 12**0.5
        bar = scores[np.sort(first)[limit - 1]] - 2 * wrong
        if scores[-1] >= bar:
            return None
        near: NDArray[np.int64] = self._numbers[places[0][scores >= bar]]
        return near
