"""index: read the corpus, write a searchable index, or say whether one is stale."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
from attrs import frozen

from sourcebook.embedder import Embedder, EmbedderOptions
from sourcebook.errors import BadRequest, PluginMissing
from sourcebook.index.build import NO_INDEX, Build, BuildOptions, build_index, check_index
from sourcebook.index.locate import default_name
from sourcebook.naming import counted
from sourcebook.registry import registry
from sourcebook.settings import Settings, load_settings
from sourcebook.settings.values import BY_KEY
from sourcebook.store import Capability, Store
from sourcebook.subject import LoadOptions, Subject
from sourcebook.verb import Verb, option

NAMES_SHOWN = 20

UNWANTED = frozenset(
    {"unreadable", "binary", "too large", "too deep", "link", "same name", "malformed"}
)
"""Reasons for which nobody may have wanted a file to be left out: all their files are named."""


@frozen
class IndexRequest:
    """What to index, where to, and with what."""

    paths: tuple[str, ...] = option(
        help="Files, folders or globs.", positional=True, metavar="PATH..."
    )
    out: str | None = option(None, help="Where the index goes.", flags=("-o",), metavar="DIR")
    embedding: str | None = option(
        None, help="Which embedder makes the vectors; `none` indexes words only.", metavar="REF"
    )
    batch: int | None = option(None, help="Texts per call of the embedder.", minimum=1)
    dimensions: int | None = option(
        None, help="Narrower vectors, if the model allows it.", minimum=1
    )
    store: tuple[str, ...] = option(
        (),
        help="Store for words or vectors, by name; `faiss:hnsw` says which index it builds. "
        "Repeatable.",
        metavar="NAME",
    )
    exclude: tuple[str, ...] = option(
        (), help="Leave out what fits, in the syntax of .gitignore. Repeatable.", metavar="PATTERN"
    )
    no_ignore: bool = option(False, help="Read what .gitignore leaves out, too.")
    no_cache: bool = option(False, help="Parse and embed everything again, whatever has been kept.")
    cache_dir: str | None = option(None, help="Keep the work elsewhere.", metavar="DIR")
    check: bool = option(
        False, help="Build nothing; exit 1 and name the changes if the index is stale."
    )


@frozen
class IndexView:
    """Whether to stay."""

    watch: bool = option(
        False, help="Stay, and build again whenever something below the paths changes."
    )


@frozen
class SkippedFile:
    """A file that was left out.

    Args:
        name: its path below the corpus root.
        reason: a word from a closed set: `suffix`, `ignored`, `hidden`, `binary`, `too large`,
            `unreadable`, `link`, `index`, `content`, `malformed`.
        detail: what more can be said.
    """

    name: str
    reason: str
    detail: str


@frozen
class SourceProblem:
    """Something wrong in a source that is indexed all the same.

    Args:
        source: its name.
        line: where; 0 means all of it.
        message: what.
    """

    source: str
    line: int
    message: str


@frozen
class IndexResponse:
    """What was done, or with `check` what would have to be.

    Args:
        index: the folder of the index.
        checked: whether nothing was built, as `check` asks.
        stale: whether the corpus differs from the index; false after a build.
        sources, entries: how many there are now.
        added, changed, removed: names of sources.
        parsed, parses_cached: how many sources were parsed, and how many parses had been kept.
        embedding: the embedder's ref, or `none`.
        embedded, vectors_cached: how many texts were embedded, and how many vectors had been kept.
        vectors_done, vectors_total: how many entries have their vectors, of how many.
        skipped: files that were left out.
        problems: what is wrong in sources.
        rebuilt: why nothing of an earlier index could be used, or none of its vectors; empty if
            they could.
        generation: the number of the published state.
        warnings: what was done and perhaps not meant.
    """

    index: str
    checked: bool
    stale: bool
    sources: int
    entries: int
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    parsed: int
    parses_cached: int
    embedding: str
    embedded: int
    vectors_cached: int
    vectors_done: int
    vectors_total: int
    skipped: tuple[SkippedFile, ...]
    problems: tuple[SourceProblem, ...]
    rebuilt: str
    generation: int
    warnings: tuple[str, ...] = ()


def index(subject: Subject, request: Any) -> IndexResponse:
    """Build the index, or check it: a stale one is told by `stale` and the exit status."""
    if not request.paths:
        raise BadRequest("nothing to index", where="paths", hint="name files, folders or globs")
    for name, values in (("paths", request.paths), ("out", (request.out,))):
        if "" in values:  # as of a variable of the shell that is not set
            raise BadRequest("an empty path", where=name, hint="`.` means this folder")
    settings = load_settings(
        {
            "embedding": request.embedding,
            "batch": request.batch,
            "dimensions": request.dimensions,
            "cache_dir": request.cache_dir,
        }
    )
    embedder = choose_embedder(settings)
    options = BuildOptions(
        out=Path(request.out or settings.get(f"{subject.name}.db") or default_name(subject.name)),
        embedder=embedder,
        stores=choose_stores(
            # What a request names comes first, and leaves the other role as it is set.
            [*request.store, *wanted_stores(settings)],
            words_only=embedder is None,
            where="--store" if request.store else settings.origin("stores"),
        ),
        options=subject_options(subject, settings, request, embedder),
        tokenizer=choose_tokenizer(embedder),
        keep_sources=not getattr(request, "no_sources", False),
        load=LoadOptions(tuple(request.exclude), ignore_files=not request.no_ignore),
        anew=request.no_cache,
    )
    if request.check:
        return _response(subject, check_index(subject, request.paths, options), embedder, True)
    from sourcebook.cache import open_cache

    enabled = settings.get("cache") and not request.no_cache
    folder = settings.get("cache_dir")
    with open_cache(Path(folder) if folder else None, enabled=enabled) as cache:
        built = build_index(subject, request.paths, options, cache)
    return _response(subject, built, embedder, False)


def choose_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder that the settings name, None for `none`.

    Raises:
        PluginMissing: it is not installed.
    """
    ref = settings.get("embedding")
    if ref == "none":
        return None
    return registry().embedder(
        ref,
        EmbedderOptions(
            settings.get("dimensions"),
            settings.get("batch"),
            settings.get("embedding_endpoint"),
            settings.get("embedding_key_variable"),
        ),
        where=settings.origin("embedding"),
    )


def choose_stores(
    names: Sequence[str], *, words_only: bool, where: str = ""
) -> dict[str, tuple[Store, Mapping[str, object]]]:
    """Return the store for each role: the first named that can play it, else the core's own.

    A name may say which kind of index the store is to build, as in `faiss:hnsw`.

    Raises:
        PluginMissing: a named store is not installed; `where` says who named it.
    """
    roles = {"lexical": Capability.LEXICAL}
    if not words_only:
        roles["vector"] = Capability.VECTOR
    chosen: dict[str, tuple[Store, Mapping[str, object]]] = {}
    for role, capability in roles.items():
        # Loaded one by one: a store that no role needs may as well be broken.
        for ref in (*names, "memory"):
            name, _, kind = (ref, "", "") if "://" in ref else ref.partition(":")
            store = registry().store(name, where=where)
            if capability in store.capabilities:
                chosen[role] = (store, {"index": kind} if kind else {})
                break
    return chosen


def wanted_stores(settings: Settings) -> list[str]:
    """Return the stores to choose from: of the built-in choice, those that are installed."""
    names = list(settings.get("stores"))
    if settings.origin("stores") != "built in":
        return names
    installed = registry().names("stores")
    return [name for name in names if name in installed]


def choose_tokenizer(embedder: Embedder | None) -> str:
    """Return the tokenizer that sizes entries: the embedder's, the default model's, or words."""
    wanted = [embedder.tokenizer] if embedder is not None and embedder.tokenizer else []
    for name in (*wanted, "bert-uncased"):
        try:
            registry().tokenizer(name)
        except PluginMissing:
            continue
        return name
    return "words"


def subject_options(
    subject: Subject, settings: Settings, request: Any, embedder: Embedder | None
) -> Any:
    """Return an instance of the subject's options: flags over settings over defaults."""
    if subject.options is None:
        return None
    values = dict(settings.options(subject.name))
    for attribute in attrs.fields(subject.options):
        given = getattr(request, attribute.name, None)
        if attribute.name == "tokenizer":
            values["tokenizer"] = choose_tokenizer(embedder)
        elif given is not None:
            values[attribute.name] = given
        elif attribute.name in BY_KEY:
            values[attribute.name] = settings.get(attribute.name)
    return subject.options(**values)


def _response(
    subject: Subject, built: Build, embedder: Embedder | None, checked: bool
) -> IndexResponse:
    return IndexResponse(
        index=str(built.index),
        checked=checked,
        stale=checked and not built.fresh,
        sources=built.sources,
        entries=built.entries,
        added=tuple(built.added),
        changed=tuple(built.changed),
        removed=tuple(built.removed),
        parsed=built.parsed,
        parses_cached=built.parses_cached,
        embedding=embedder.ref if embedder else "none",
        embedded=built.embedded,
        vectors_cached=built.vectors_cached,
        vectors_done=built.vectors_done,
        vectors_total=built.vectors_total,
        skipped=tuple(SkippedFile(one.name, one.reason, one.detail) for one in built.skipped),
        problems=tuple(SourceProblem(*one) for one in built.problems),
        rebuilt=built.rebuilt,
        generation=built.generation,
        warnings=tuple(_warnings(built)),
    )


def _warnings(built: Build) -> Iterator[str]:
    """Yield what was done and perhaps not meant."""
    had = counted(len(built.removed), "source")
    if built.removed and not built.sources:
        yield (
            f"nothing in the paths can be indexed any more: `{built.index}` is empty now, and had "
            f"{had}"
        )
    elif built.removed and built.sources == len(built.added):
        yield (
            f"nothing of what `{built.index}` held is left: it had {had} of other names; another "
            "corpus gets an index of its own with `--out`"
        )


def render(response: IndexResponse, _view: object) -> str:
    """What was done, what was skipped and why, what is wrong in the sources."""
    rows: list[str] = []
    changes = [
        f"{what}: {name}"
        for what, names in (
            ("added", response.added),
            ("changed", response.changed),
            ("removed", response.removed),
        )
        for name in names
    ]
    if response.checked:
        if not response.stale:
            return f"{response.index} is up to date"
        rows.append(f"{response.index} is stale: {counted(len(changes), 'change')}")
        if response.rebuilt:
            rows.append(f"all of it would be built anew: {response.rebuilt}")
        return "\n".join([*rows, *changes])
    work = f"{response.parsed} parsed, {response.parses_cached} parses kept"
    if response.embedding != "none":
        work += f", {counted(response.embedded, 'text')} embedded by {response.embedding}"
        work += f", {response.vectors_cached} vectors kept"
    if response.added or response.changed or response.removed or response.rebuilt:
        done = (
            f"{len(response.added)} added, {len(response.changed)} changed, "
            f"{len(response.removed)} removed"
        )
    else:
        done = "nothing has changed"
    rows.append(
        f"{response.index}: {counted(response.sources, 'source')}, "
        f"{counted(response.entries, 'entry', 'entries')}"
    )
    rows.append(f"{done}; {work}")
    if response.rebuilt not in ("", NO_INDEX):
        rows.append(f"built anew: {response.rebuilt}")
    reasons: dict[str, list[str]] = {}
    for one in response.skipped:
        reasons.setdefault(one.reason, []).append(
            f"{one.name} ({one.detail})" if one.detail else one.name
        )
    for reason, names in sorted(reasons.items()):
        room = NAMES_SHOWN if reason in UNWANTED else 3
        more = f" and {len(names) - room} more" if len(names) > room else ""
        rows.append(f"skipped, {reason}: {len(names)}: {', '.join(names[:room])}{more}")
    for problem in response.problems[:NAMES_SHOWN]:
        place = f"{problem.source}:{problem.line}" if problem.line else problem.source
        rows.append(f"warning: {place}: {problem.message}")
    if len(response.problems) > NAMES_SHOWN:
        rows.append(f"warning: {len(response.problems) - NAMES_SHOWN} more; see `stats`")
    return "\n".join(rows)


def request_class(subject: Subject) -> type:
    """Return the request with what a subject adds: `no_sources`, where it can do without copies
    of its documents, and its own parse options."""
    fields = {}
    if not subject.needs_sources:
        fields["no_sources"] = option(
            False, help="Do not keep a copy of each document in the index.", type=bool
        )
    for attribute in attrs.fields(attrs.resolve_types(subject.options)) if subject.options else ():
        if attribute.name != "tokenizer":
            fields[attribute.name] = attrs.field(
                default=None,
                metadata=attribute.metadata,
                kw_only=True,
                type=attribute.type | None if attribute.type else Any,
            )
    if not fields:
        return IndexRequest
    return attrs.make_class("IndexRequest", fields, bases=(IndexRequest,), frozen=True, slots=True)


def verb(subject: Subject) -> Verb:
    """Return the verb for a subject."""
    return Verb(
        "index",
        "Read the corpus and write a searchable index.",
        request_class(subject),
        IndexResponse,
        index,
        render,
        view=IndexView,
        schema="index/1",
        needs="subject",
        exit_status=lambda response: int(response.stale),
    )
