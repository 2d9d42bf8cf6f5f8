"""Indexes in tests: built by one call, and compared by everything that they answer."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sourcebook.cache import open_cache
from sourcebook.embedder import EmbedderOptions
from sourcebook.index import layout
from sourcebook.index.build import Build, BuildOptions, build_index, check_index
from sourcebook.index.open import Index, open_index
from sourcebook.registry import registry
from sourcebook.subject import LoadOptions, Subject
from sourcebook.verb import Verb, verb_refs
from sourcebook.verbs.index import choose_stores


def build_options(
    subject: str,
    out: Path,
    *,
    embedding: str = "hash",
    dimensions: int = 0,
    stores: Sequence[str] = ("memory",),
    options: Any = None,
    keep_sources: bool = True,
    load: LoadOptions | None = None,
    anew: bool = False,
    workers: int = 1,
) -> BuildOptions:
    """Return what `build_index` takes, with plugins by their names.

    Args:
        embedding: an embedder's ref, or `none`.
        options: an instance of the subject's options class; default: as they are by default.
        keep_sources, load, anew, workers: see `BuildOptions`.
    """
    record = registry().subject(subject)
    embedder = None
    if embedding != "none":
        embedder = registry().embedder(embedding, EmbedderOptions(dimensions=dimensions))
    return BuildOptions(
        out=out,
        embedder=embedder,
        stores=choose_stores(stores, words_only=embedder is None),
        options=options or (record.options() if record.options else None),
        tokenizer="words",
        keep_sources=keep_sources,
        load=load or LoadOptions(),
        anew=anew,
        workers=workers,
    )


def build(
    subject: str, paths: Path | Sequence[Path], out: Path, cache: Path | None = None, **chosen: Any
) -> Build:
    """Build an index.

    Args:
        cache: the folder of the cache; None for none.
        chosen: see `build_options`.
    """
    paths = [paths] if isinstance(paths, Path) else paths
    with open_cache(cache, enabled=cache is not None) as kept:
        options = build_options(subject, out, **chosen)
        return build_index(registry().subject(subject), paths, options, kept)


def check(subject: str, paths: Path | Sequence[Path], out: Path, **chosen: Any) -> Build:
    """Return what `build` would have to do."""
    paths = [paths] if isinstance(paths, Path) else paths
    return check_index(registry().subject(subject), paths, build_options(subject, out, **chosen))


def verb(subject: Subject, name: str) -> Verb:
    """Return a verb of a subject."""
    return next(ref.load(subject) for ref in verb_refs(subject) if ref.name == name)


def ask(index: Index, name: str, **request: Any) -> Any:
    """Return the response of a verb."""
    asked = verb(index.subject, name)
    return asked.run(index, asked.request(**request))


def answers(place: Path, questions: Sequence[str]) -> dict[str, Any]:
    """Return everything that the index at `place` answers, comparable: two indexes of equal input
    are equal here, whatever their history.

    Args:
        questions: searched for by each leg and by both.
    """
    with open_index(place) as index:
        manifest = index.manifest
        terms = sorted({word for question in questions for word in question.split()})
        statistics = index.generation.statistics(terms)
        legs = ["text"] if manifest.embedder is None else ["text", "vector", "hybrid"]
        found: dict[str, Any] = {
            "manifest": {
                name: getattr(manifest, name)
                for name in (
                    "subject", "subject_format", "root", "options", "tokenizer", "embedder",
                    "stores", "sources", "entries", "kinds", "lengths", "vectors_done",
                    "vectors_total", "skipped", "content_digest", "format", "features",
                )
            },
            "sources": {
                name: (info.digest, info.size, info.lines, info.encoding, info.problems)
                for name, info in index.sources.items()
            },
            "texts": {name: index.source(name).text for name in index.sources},
            "entries": [
                (one.id, one.kind, one.span, one.title, one.parent, one.path, one.context,
                 one.fields, one.filters, one.facts, index.body(one))
                for one in index.entries()
            ],
            "statistics": (statistics.entries, statistics.mean_lengths, statistics.df),
            "structure": {
                name: index.structure(name.removeprefix(f"{layout.STRUCTURE}/"))
                for name in manifest.files
                if name.startswith(f"{layout.STRUCTURE}/")
            },
            "filters": {
                one: index.filter_values(one)
                for one in ("source", "kind", *(each.name for each in index.subject.filters))
            },
        }  # fmt: skip
        if layout.BACKGROUND in manifest.files:
            found["background"] = index.generation.check(layout.BACKGROUND).read_bytes()
        for mode in legs:
            for question in questions:
                hits = ask(
                    index, "search", query=question, mode=mode, limit=20, min_evidence="none"
                ).hits
                found[f"{mode}: {question}"] = [(hit.id, round(hit.score, 6)) for hit in hits]
        return found
