"""A sample of an index's vectors, against which evidence measures a question's similarities.

The sample is the entries with the smallest hashes of their ids, so that equal input gives an equal
sample whatever the history of the index, and a build replaces only what has changed in it.
"""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.errors import IndexDamaged
from sourcebook.index import layout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIZE = 256
_MAGIC = b"SBKBGR01"
_HEAD = struct.Struct("<8sII")


def write_background(place: Path, vectors: "Mapping[int, NDArray[np.float32]]") -> None:
    """Write the first vector of each sampled entry, given by the hashes of their ids, in the order
    of these."""
    import numpy as np

    hashes = sorted(vectors)
    matrix = np.stack([vectors[one] for one in hashes]) if hashes else np.zeros((0, 0))
    head = _HEAD.pack(_MAGIC, *matrix.shape)
    data = head + np.array(hashes, "<u8").tobytes() + matrix.astype("<f4").tobytes()
    layout.write_file(place, data)


def read_background(place: Path) -> "tuple[NDArray[np.uint64], NDArray[np.float32]]":
    """Return the hashes, shape [n], and the vectors, shape [n, dimensions].

    Raises:
        IndexDamaged: the file is something else.
    """
    import numpy as np

    try:
        data = place.read_bytes()
        magic, count, width = _HEAD.unpack_from(data)
        if magic != _MAGIC or len(data) != _HEAD.size + count * (8 + 4 * width):
            raise ValueError("sizes do not agree")
    except (OSError, struct.error, ValueError) as error:
        raise IndexDamaged(
            f"no sample of vectors: {error}", where=str(place), hint=layout.rebuild(place)
        ) from None
    hashes = np.frombuffer(data, "<u8", count, _HEAD.size)
    matrix = np.frombuffer(data, "<f4", count * width, _HEAD.size + 8 * count)
    return hashes.astype(np.uint64), matrix.reshape(count, width).astype(np.float32)
