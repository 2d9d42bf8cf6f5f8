"""Indexes over the vectors of one segment: which one, built, checked, asked.

What an index finds is scored again from the vectors themselves, so kinds differ only in what they
miss. FAISS is imported here and only when an index is built or asked.
"""

import hashlib
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from sourcebook.errors import BadSetting, IndexDamaged

from sourcebook_faiss.state import IndexFile

if TYPE_CHECKING:
    from sourcebook_faiss.segment import Segment

KINDS: Final = ("auto", "exact", "flat", "hnsw", "ivf-sq8")

EXACT_VECTORS: Final = 50_000
"""Up to so many vectors `auto` scans, which takes some 3 ms there and misses nothing. Beyond, it
builds `ivf-sq8`: that finds as much as `hnsw` in the same time, is built in half of it, takes less
room, keeps its recall under filters and finds equal vectors."""

SCANNED_SHARE: Final = {"flat": 1.0, "hnsw": 0.2, "ivf-sq8": 0.03}
"""Up to which share of allowed vectors these alone are scanned instead. Beyond, at 100,000, lists
with a selector find 98 % as they do without, and are faster; a graph finds 90 %, below it less."""

HNSW_LINKS: Final = 32
HNSW_BUILD_WIDTH: Final = 100
HNSW_WIDTH: Final = 128

# Twice the lists find 1 % more and take four times as long to train; with half of them the same
# share probed finds 1 % less. More rounds or vectors of training gain less than that.
IVF_LISTS_PER_ROOT: Final = 4
IVF_PROBED: Final = 0.2
IVF_PROBED_VECTORS: Final = 20_000
"""A fifth of the lists is looked through, but of large segments no more than this many vectors:
recall@10 .993 at 100,000 and .988 at 300,000, both in 1.5 ms."""

TRAINING_ROUNDS: Final = 10
TRAINING_VECTORS_PER_LIST: Final = 20

_HEADER: Final = struct.Struct("<4siq")
_MARKS: Final = {"hnsw": b"IHNs", "ivf-sq8": b"IwSq"}


def wanted_kind(options: Mapping[str, object], vectors: int) -> str:
    """Return the kind of index that a segment of so many vectors gets.

    Raises:
        BadSetting: the option `index` is none of `KINDS`.
    """
    asked = options.get("index", "auto")
    if asked not in KINDS:
        raise BadSetting(
            f"`{asked}` is no kind of index",
            where="stores.faiss.index",
            hint=f"choose one of {', '.join(KINDS)}",
        )
    if asked == "auto":
        return "exact" if vectors <= EXACT_VECTORS else "ivf-sq8"
    return str(asked)


def build_index(segment: "Segment", kind: str, path: Path) -> IndexFile | None:
    """Build the index of a segment, in one thread where more would make the outcome vary.

    Returns:
        Its record; None where the segment is scanned.
    """
    if kind == "exact" or not segment.vectors:
        return None
    if kind == "flat":
        return IndexFile(kind)
    faiss = load_faiss()
    width, eight_bits = segment.matrix.shape[1], faiss.ScalarQuantizer.QT_8bit
    product = faiss.METRIC_INNER_PRODUCT
    lists = max(1, min(segment.vectors, int(IVF_LISTS_PER_ROOT * segment.vectors**0.5)))
    if kind == "hnsw":
        index = faiss.IndexHNSWSQ(width, eight_bits, HNSW_LINKS, product)
        index.hnsw.efConstruction = HNSW_BUILD_WIDTH
    else:
        coarse = faiss.IndexFlatIP(width)
        index = faiss.IndexIVFScalarQuantizer(coarse, width, lists, eight_bits, product)
        index.cp.niter = TRAINING_ROUNDS
        index.cp.min_points_per_centroid = 1  # few vectors are no reason for a warning
    step = max(1, segment.vectors // (TRAINING_VECTORS_PER_LIST * lists))
    with one_thread():
        index.train(np.ascontiguousarray(segment.matrix[::step]))
        index.add(segment.matrix)
    faiss.write_index(index, str(path))
    return IndexFile(kind, path.name, file_digest(path))


def lists_to_probe(lists: int, vectors: int) -> int:
    """Return how many of an index's lists are looked through for one question."""
    return max(1, round(lists * min(IVF_PROBED, IVF_PROBED_VECTORS / vectors)))


def load_faiss() -> Any:
    """Return the module, whose own types know half of it."""
    import faiss

    return faiss


@contextmanager
def one_thread() -> Iterator[None]:
    """Let FAISS work in the calling thread alone: for one question others only wait, spinning."""
    faiss = load_faiss()
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(threads)


def file_digest(path: Path) -> str:
    """Return the sha256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class VectorIndex:
    """The index of one segment; its file is checked and mapped when first asked."""

    def __init__(self, segment: "Segment", record: IndexFile, folder: Path) -> None:
        self._segment = segment
        self._record = record
        self._path = folder / record.name
        self._loaded: Any = None

    def serves(self, picked: NDArray[np.int64] | None) -> bool:
        """Return whether to ask it for the nearest of these vectors, rather than scan them."""
        if picked is None:
            return True
        return len(picked) > SCANNED_SHARE.get(self._record.kind, 1.0) * self._segment.vectors

    def find(
        self, query: NDArray[np.float32], limit: int, picked: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return scores and numbers of up to `limit` vectors near to `query`, best first.

        Args:
            query: shape [dimensions].
            limit: vectors, not rows.
            picked: the vectors that count, ascending; None for all.

        Raises:
            IndexDamaged: the file is not the one that was written.
        """
        faiss = load_faiss()
        limit = min(limit, self._segment.vectors)
        if self._record.kind == "flat":
            product = faiss.METRIC_INNER_PRODUCT
            scores, numbers = faiss.knn(query[None], self._segment.matrix, limit, metric=product)
            return scores[0], numbers[0]
        index = self._load()
        selector = self._selector(picked)
        if self._record.kind == "hnsw":
            width = max(HNSW_WIDTH, limit)
            parameters = faiss.SearchParametersHNSW(efSearch=width, sel=selector)
        else:
            probed = lists_to_probe(index.nlist, self._segment.vectors)
            parameters = faiss.SearchParametersIVF(nprobe=probed, sel=selector)
        scores, numbers = index.search(query[None], limit, params=parameters)
        found = numbers[0] >= 0
        return scores[0][found], numbers[0][found]

    def _selector(self, picked: NDArray[np.int64] | None) -> Any:
        if picked is None:
            return None
        allowed = np.zeros(self._segment.vectors, bool)
        allowed[picked] = True
        return load_faiss().IDSelectorBitmap(np.packbits(allowed, bitorder="little"))

    def _load(self) -> Any:
        if self._loaded is None:
            self._check()
            faiss = load_faiss()
            # Mapped, so that opening costs nothing and processes share it.
            self._loaded = faiss.read_index(str(self._path), faiss.IO_FLAG_MMAP_IFC)
        return self._loaded

    def _check(self) -> None:
        """Refuse a file that was not written by `build_index`: FAISS crashes on such."""
        try:
            with self._path.open("rb") as file:
                mark, width, count = _HEADER.unpack(file.read(_HEADER.size))
            sound = (
                mark == _MARKS.get(self._record.kind)
                and (count, width) == self._segment.matrix.shape
                and file_digest(self._path) == self._record.digest
            )
        except (OSError, struct.error) as error:
            raise IndexDamaged(f"cannot be read: {error}", where=str(self._path)) from None
        if not sound:
            raise IndexDamaged("not the index that was written", where=str(self._path))
