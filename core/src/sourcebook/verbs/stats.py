"""stats: what an index holds and what built it."""

from collections.abc import Mapping

from attrs import frozen

from sourcebook.index import layout
from sourcebook.index.documents import copies_size
from sourcebook.index.open import Index
from sourcebook.verb import Verb


@frozen
class StatsRequest:
    """Stats asks for nothing."""


@frozen
class StatsResponse:
    """What an index holds and what built it.

    Args:
        index: the name of its folder.
        root: the name of the corpus's folder.
        sources, entries: how many there are.
        kinds: entries by kind.
        lines, corpus_bytes: of all sources.
        index_bytes: of all files of the index, with its copies of the sources.
        sources_kept: whether it holds such copies.
        embedding: the embedder's ref, or `none`.
        dimensions: length of the vectors, 0 without.
        vectors: how many entries have theirs, of how many: `11650 of 11700`.
        stores: the store for each role.
        options: what sources were parsed with.
        skipped: files left out, by reason.
        problems: what is wrong in sources.
        generation, format: the number of the published state, and of the format on disk.
        content_digest: equal for equal input on every build, order and machine.
        built: when, in UTC.
    """

    index: str
    root: str
    sources: int
    entries: int
    kinds: Mapping[str, int]
    lines: int
    corpus_bytes: int
    index_bytes: int
    sources_kept: bool
    embedding: str
    dimensions: int
    vectors: str
    stores: Mapping[str, str]
    options: Mapping[str, object]
    skipped: Mapping[str, int]
    problems: tuple[str, ...]
    generation: int
    format: int
    content_digest: str
    built: str


def stats(index: Index, _request: StatsRequest) -> StatsResponse:
    """Return the figures of an index."""
    manifest = index.manifest
    infos = list(index.sources.values())
    files = sum(lock.size for lock in manifest.files.values())
    copies = copies_size(index.generation.path, infos) if manifest.sources_kept else 0
    manifest_size = (index.generation.path / layout.MANIFEST).stat().st_size
    embedder = manifest.embedder
    return StatsResponse(
        index=index.name,
        root=manifest.root,
        sources=manifest.sources,
        entries=manifest.entries,
        kinds=manifest.kinds,
        lines=sum(info.lines for info in infos),
        corpus_bytes=sum(info.size for info in infos),
        index_bytes=files + manifest_size + copies,
        sources_kept=manifest.sources_kept,
        embedding=embedder.ref if embedder else "none",
        dimensions=embedder.dimensions if embedder else 0,
        vectors=f"{manifest.vectors_done} of {manifest.vectors_total}",
        stores={lock.role: lock.name for lock in manifest.stores},
        options=manifest.options,
        skipped=manifest.skipped,
        problems=tuple(
            f"{info.name}:{line}: {message}" if line else f"{info.name}: {message}"
            for info in infos
            for message, line in info.problems
        ),
        generation=manifest.generation,
        format=manifest.format,
        content_digest=manifest.content_digest,
        built=manifest.finished,
    )


def render(response: StatsResponse, _view: object) -> str:
    """One figure a row."""
    rows = {
        "index": f"{response.index}, of {response.root}, built {response.built}",
        "sources": f"{response.sources}, {response.lines} lines, {response.corpus_bytes} bytes",
        "entries": f"{response.entries}: " + _counts(response.kinds),
        "embedding": f"{response.embedding}, {response.dimensions} dimensions, "
        f"vectors for {response.vectors}",
        "stores": ", ".join(f"{name} ({role})" for role, name in response.stores.items()),
        "options": ", ".join(f"{name} {value}" for name, value in response.options.items()),
        "skipped": _counts(response.skipped) or "nothing",
        "size": f"{response.index_bytes} bytes"
        + ("" if response.sources_kept else ", without copies of the sources"),
        "generation": f"{response.generation}, format {response.format}, "
        f"content {response.content_digest[:16]}",
    }
    width = max(map(len, rows))
    shown = [f"{name:<{width}}  {value}" for name, value in rows.items()]
    return "\n".join([*shown, *(f"{'problem':<{width}}  {one}" for one in response.problems)])


def _counts(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counted.items())


verb = Verb(
    "stats",
    "Say what an index holds and what built it.",
    StatsRequest,
    StatsResponse,
    stats,
    render,
    schema="stats/1",
    tools=None,
)
