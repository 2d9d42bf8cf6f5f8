"""Entries to vectors: which text, cut into windows, through the cache, in bounded batches."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, frozen

from sourcebook.embedder import Embedder, EmbedderOptions
from sourcebook.errors import EmbedderMismatch, EmbedderUnavailable
from sourcebook.index.manifest import Manifest
from sourcebook.model import IndexedEntry
from sourcebook.store import Row
from sourcebook.subject import Subject

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.cache import Cache

ENTRIES_AT_ONCE = 1024
"""Entries whose texts and vectors are in memory together."""

FIRST_AT_ONCE = 64
"""The first batch is small, so that a build soon knows how long it will take."""

TEXTS_AT_ONCE = 256
"""Texts embedded, at most, before their vectors are put into the cache: what a killed build may
lose. An embedder that works best with fewer gets fewer."""


def open_embedder(index: Path, manifest: Manifest, given: Embedder | None) -> Embedder | None:
    """Return the embedder for an index: `given` if it makes the same vectors, else its own.

    Raises:
        EmbedderMismatch: `given` makes other vectors.
        EmbedderUnavailable: the one installed under its name does.
    """
    lock = manifest.embedder
    if lock is None:
        return None
    if given is not None:
        return checked_embedder(index, manifest, given)
    from sourcebook.registry import registry

    own = registry().embedder(lock.ref, EmbedderOptions(dimensions=lock.dimensions))
    if own.fingerprint != lock.fingerprint:
        raise EmbedderUnavailable(
            f"`{lock.ref}` as installed here makes other vectors than those in `{index.name}`",
            where=f"{index}/manifest.json, embedder.fingerprint",
            hint="install the version that built it, or index again",
        )
    return own


def checked_embedder(index: Path, manifest: Manifest, given: Embedder) -> Embedder:
    """Return `given` if it makes the vectors of the index; raises `EmbedderMismatch` if not."""
    lock = manifest.embedder
    if lock is not None and given.fingerprint != lock.fingerprint:
        raise EmbedderMismatch(built_with=lock.ref, asked_for=given.ref, index=index.name)
    return given


def embedding_head(entry: IndexedEntry) -> str:
    """Return what stands before each window: where it is, what it is."""
    parts = [*entry.path]
    if entry.title and entry.title not in parts:
        parts.append(entry.title)
    return " > ".join(parts)


def embedding_texts(
    subject: Subject, embedder: Embedder, entry: IndexedEntry, body: str
) -> list[str]:
    """Return the texts that an entry's vectors are made of: one, or one for each window."""
    if subject.embedding_text is not None:
        head, text = subject.embedding_text(entry, body)
    else:
        head, text = embedding_head(entry), body
    whole = embedder.window
    # Vectors of words alone grow no sharper by windows.
    size = subject.window_tokens if embedder.semantic else whole
    # A token has at least one character, so short texts need no counting.
    if (not size or len(text) <= size) and (not whole or len(head) + len(text) + 3 <= whole):
        return [f"{head}\n{text}" if head else text]
    from sourcebook.index.windows import windows
    from sourcebook.tokens import spans

    find = spans(embedder.tokenizer or "words")
    taken = len(find(head)) if head else 0
    if whole and taken > whole // 2:
        head, taken = "", 0
    room = min(size, whole - taken - 2) if whole else size
    return [f"{head}\n{part}" if head else part for part in windows(text, find, room)]


@frozen
class Pending:
    """An entry that needs vectors, with what the vector store must know of it."""

    id: str
    source: str
    filters: dict[str, tuple[str, ...]]
    texts: tuple[str, ...]


@define
class Embedding:
    """Makes vectors for entries through the cache and counts what it did."""

    embedder: Embedder
    cache: "Cache"
    embedded: int = 0
    cached: int = 0

    def rows(
        self, pending: Iterable[Pending], said: Callable[[int], None] = lambda _done: None
    ) -> Iterator[list[Row]]:
        """Yield rows with vectors, at most `ENTRIES_AT_ONCE` in a list.

        Args:
            pending: the entries.
            said: called with the number of texts made so far.
        """
        batch: list[Pending] = []
        size = FIRST_AT_ONCE
        for one in pending:
            batch.append(one)
            if len(batch) == size:
                yield self._rows(batch, said)
                batch, size = [], min(2 * size, ENTRIES_AT_ONCE)
        if batch:
            yield self._rows(batch, said)

    def _rows(self, batch: Sequence[Pending], said: Callable[[int], None]) -> list[Row]:
        import numpy as np

        found = self.vectors([text for one in batch for text in one.texts], said)
        rows = []
        for one in batch:
            vectors = np.stack([found[text] for text in one.texts])
            rows.append(Row(one.id, one.source, vectors=vectors, filters=one.filters))
        return rows

    def vectors(
        self, texts: Sequence[str], said: Callable[[int], None] = lambda _done: None
    ) -> "dict[str, NDArray[np.float32]]":
        """Return the unit vector of each distinct text, from the cache where it has it."""
        import numpy as np

        distinct = list(dict.fromkeys(texts))
        keys = {text: self._key(text) for text in distinct}
        kept = self.cache.get_many("vectors", list(keys.values()))
        found: dict[str, NDArray[np.float32]] = {}
        missing = []
        for text in distinct:
            vector = _vector(kept.get(keys[text]), self.embedder.dimensions)
            if vector is None:
                missing.append(text)
            else:
                found[text] = vector
        self.cached += len(found)
        said(self.embedded + self.cached)
        # Texts of like length together: a batch is as wide as its longest.
        missing.sort(key=len)
        size = max(1, min(self.embedder.max_batch, TEXTS_AT_ONCE))
        for start in range(0, len(missing), size):
            part = missing[start : start + size]
            made = np.ascontiguousarray(self.embedder.embed_documents(part), dtype=np.float32)
            if made.shape != (len(part), self.embedder.dimensions):
                raise EmbedderUnavailable(
                    f"`{self.embedder.ref}` returned vectors of shape {made.shape} "
                    f"for {len(part)} texts of {self.embedder.dimensions} dimensions",
                    hint="the plugin breaks its contract",
                )
            self.cache.put_many(
                "vectors", {keys[text]: made[row].tobytes() for row, text in enumerate(part)}
            )
            found.update((text, made[row]) for row, text in enumerate(part))
            self.embedded += len(part)
            said(self.embedded + self.cached)
        return found

    def _key(self, text: str) -> str:
        data = f"{self.embedder.fingerprint}\0{text}".encode("utf-8", "surrogatepass")
        return sha256(data).hexdigest()


def _vector(data: bytes | None, dimensions: int) -> Any:
    """Return a cached vector, or None where the cache holds something else."""
    import numpy as np

    if data is None or len(data) != 4 * dimensions:
        return None
    vector = np.frombuffer(data, dtype="<f4").astype(np.float32, copy=False)
    return vector if abs(float(vector @ vector) - 1.0) < 1e-3 else None
