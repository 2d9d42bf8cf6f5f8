"""An eight-bit copy of vectors in memory: what is not among the nearest is passed over cheaply.

A scan is bound by memory, and the copy is a quarter of the vectors. It names the rows that may be
near; they are scored from the vectors themselves, so the copy decides nothing. A vector stands in
it times the most that its row's nearness can be of its cosine (see `sourcebook.stores.exact`: the
cosine of the mean is at most the best one over the length of the mean), so that the product with a
vector is never below the nearness of its row, rounding aside.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from sourcebook.stores.exact import MEAN_SHARE

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
_COPIED_AT_ONCE: Final = 8192


class Copy:
    """The copy of some vectors.

    Args:
        matrix: the vectors, shape [n, dimensions].
        owners: the row each belongs to, ascending, shape [n].
        lengths: what `mean_lengths` returns for them.
        numbers: the vectors that are copied, ascending, at least one.
    """

    def __init__(
        self,
        matrix: NDArray[np.float32],
        owners: NDArray[np.integer],
        lengths: NDArray[np.float32],
        numbers: NDArray[np.int64],
    ) -> None:
        faiss = load_faiss()
        self._owners = owners
        self._numbers = numbers
        most = (1 - MEAN_SHARE) + MEAN_SHARE / lengths
        self._longest = float(most[numbers].max())
        self._scale = _LEVELS / (float(np.abs(matrix).max()) * self._longest or 1.0)
        self._index = faiss.IndexScalarQuantizer(
            matrix.shape[1],
            faiss.ScalarQuantizer.QT_8bit_direct_signed,
            faiss.METRIC_INNER_PRODUCT,
        )
        with one_thread():
            for at in range(0, len(numbers), _COPIED_AT_ONCE):
                part = numbers[at : at + _COPIED_AT_ONCE]
                self._index.add(np.rint(matrix[part] * (most[part, None] * self._scale)))

    def find(self, query: NDArray[np.float32], count: int) -> tuple[NDArray[np.int64], float]:
        """Return all vectors of the rows that own any of the `count` nearest in the copy,
        ascending, and the most that the nearness of any other row can be.

        Args:
            query: shape [dimensions], not zero.
            count: at most as many as were copied.
        """
        scale = _LEVELS / float(np.abs(query).max())
        with one_thread():
            scores, places = self._index.search(np.rint(query * scale)[None], count)
        # Rounding to steps of 1 / scale is off by 1 / sqrt(12) of a step, on either side.
        deviation = np.hypot(1 / self._scale, self._longest / scale) / 12**0.5
        most = float(scores[0, -1]) / (self._scale * scale) + DEVIATIONS * deviation
        near = np.zeros(int(self._owners[-1]) + 1, bool)
        near[self._owners[self._numbers[places[0]]]] = True
        return np.flatnonzero(near[self._owners]), most
