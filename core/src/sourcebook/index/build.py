"""Building an index: what has changed is parsed, embedded and published; the rest is linked."""

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import asdict, define, evolve, field, frozen

from sourcebook import __version__, events
from sourcebook.adapt import call_declared
from sourcebook.cache import Cache, open_cache
from sourcebook.embedder import Embedder
from sourcebook.errors import (
    CorpusUnreadable,
    IndexDamaged,
    IndexMissing,
    SourcebookError,
)
from sourcebook.index import layout
from sourcebook.index.claim import claim
from sourcebook.index.documents import drop_documents
from sourcebook.index.draft import Draft
from sourcebook.index.embed import Embedding
from sourcebook.index.generation import Generation
from sourcebook.index.lock import build_lock
from sourcebook.index.manifest import (
    BASE_FEATURES,
    NO_SOURCES,
    EmbedderLock,
    Manifest,
    StoreLock,
    read_manifest,
)
from sourcebook.index.parse import EncodedParse, ParseKeys, code_digest
from sourcebook.index.report import Progress, write_report
from sourcebook.index.sample import Sample
from sourcebook.index.sweep import sweep
from sourcebook.index.walk import clean_name, resolve_corpus, walk
from sourcebook.index.workers import Task, Workers
from sourcebook.model import Skipped
from sourcebook.store import Store
from sourcebook.subject import LoadOptions, Subject

TWO_GENERATIONS_S = 10.0
"""Embedding that would take longer than this is preceded by a generation that has all text."""

NO_INDEX = "there was no index"
EMBEDDER_CHANGED = "embedder changed"

DOCUMENTS_AT_ONCE = 512
BYTES_AT_ONCE = 64 << 20
FAULTS_SHOWN = 20
"""Of what is wrong with files, when nothing is left."""


@frozen
class BuildOptions:
    """How to build.

    Args:
        out: the index directory.
        embedder: None builds an index of words only.
        stores: by role (`lexical`, `vector`) a store and its options.
        options: an instance of the subject's options class, or None.
        tokenizer: the name of the one that sizes entries.
        keep_sources: whether the index is to hold a copy of each document; a subject that needs
            them has them all the same.
        load: how the corpus is walked.
        anew: parse and embed everything again, whatever is there.
        workers: processes for parsing; 0 means one per core.
    """

    out: Path
    embedder: Embedder | None
    stores: Mapping[str, tuple[Store, Mapping[str, object]]]
    options: Any = None
    tokenizer: str = ""
    keep_sources: bool = True
    load: LoadOptions = field(factory=LoadOptions)
    anew: bool = False
    workers: int = 0


@define
class Build:
    """What a build did, or what one would have to do.

    `rebuilt` says why nothing of an index that was there could be used, or none of its vectors,
    empty otherwise; `problems` are (source, line, message).
    """

    index: Path
    generation: int = 0
    sources: int = 0
    entries: int = 0
    added: list[str] = field(factory=list)
    changed: list[str] = field(factory=list)
    removed: list[str] = field(factory=list)
    parsed: int = 0
    parses_cached: int = 0
    embedded: int = 0
    vectors_cached: int = 0
    vectors_done: int = 0
    vectors_total: int = 0
    skipped: list[Skipped] = field(factory=list)
    problems: list[tuple[str, int, str]] = field(factory=list)
    rebuilt: str = ""

    @property
    def fresh(self) -> bool:
        """Whether nothing has to be done for the text."""
        return not (self.added or self.changed or self.removed or self.rebuilt)


def build_index(
    subject: Subject,
    paths: Sequence[str | Path],
    options: BuildOptions,
    cache: Cache,
) -> Build:
    """Bring the index at `options.out` up to date with the corpus at `paths`.

    Raises:
        CorpusUnreadable: a path does not exist, or nothing in them can be read: there is no
            document and no index yet, or something is wrong and no entry comes of any document.
        BadRequest: `options.out` holds something else than an index of this subject.
        IndexBusy: another process is building.
    """
    builder = _Builder(subject, paths, options, cache)  # a mistyped path makes no directory
    is_new = not options.out.exists()
    claim(options.out, subject)
    began = time.perf_counter()
    with build_lock(options.out):
        try:
            result = builder.run()
        except IndexDamaged as error:
            if options.anew:
                raise
            # Not all that is wrong with an old index shows when it is opened; a new one mends it.
            builder = _Builder(subject, paths, evolve(options, anew=True), cache)
            result = builder.run()
            result.rebuilt = error.message
        except CorpusUnreadable:
            if is_new:
                shutil.rmtree(options.out, ignore_errors=True)
            raise
    events.emit(
        "build",
        subject=subject.name,
        sources=result.sources,
        entries=result.entries,
        parsed=result.parsed,
        embedded=result.embedded,
        seconds=time.perf_counter() - began,
    )
    return result


def check_index(subject: Subject, paths: Sequence[str | Path], options: BuildOptions) -> Build:
    """Return what a build would have to do, without doing it.

    Raises:
        IndexMissing: there is no index to compare with.
    """
    read_manifest(options.out)
    return _Builder(subject, paths, options, open_cache(None, enabled=False)).compare()


class _Builder:
    def __init__(
        self,
        subject: Subject,
        paths: Sequence[str | Path],
        options: BuildOptions,
        cache: Cache,
    ) -> None:
        self.subject = subject
        self.paths = paths
        self.options = options
        self.embedder = options.embedder
        self.cache = cache
        self.out = options.out
        self.root = clean_name(resolve_corpus(paths).root.name) or "/"
        self.parse_options = asdict(options.options) if options.options is not None else {}
        self.keep_sources = options.keep_sources or subject.needs_sources
        self.keys = ParseKeys(subject, self.parse_options, code_digest(subject))
        self.report = Progress(self.out, self.root, self.embedder.ref if self.embedder else "none")
        self.result = Build(self.out)
        self.started = _now()
        self.opened = ExitStack()
        self.workers = Workers(subject, options.options, options.workers or os.cpu_count() or 1)
        self.opened.callback(self.workers.close)

    def run(self) -> Build:
        """Load, parse, assemble, publish the words, embed, publish."""
        with self.opened:
            base = self.base()
            sweep(self.out)
            # Every byte counts, and git may be set to change line ends of what looks like text.
            layout.write_file(self.out / layout.ATTRIBUTES, b"* -text\n", durable=False)
            draft = self.draft(base)
            self.load(draft)
            faults = _faults(draft)
            empty = not any(one.entries for one in draft.live.values())
            if (base is None and not draft.live) or (faults and empty):
                raise _nothing_read(self.paths, self.result.skipped, faults, self.subject)
            draft.complete_text(self.options.options)
            if base is not None and self.unchanged(base, draft):
                return self.finish(base.manifest, draft)
            if self.embedder is not None and draft.vectors_change:
                draft = self.embed(draft, self.embedder)
            return self.finish(draft.publish(self.manifest()), draft)

    def draft(self, base: Generation | None) -> Draft:
        """Return a draft of the next generation."""
        same = base is not None and base.manifest.embedder == _embedder_lock(self.embedder)
        if base is not None and not same:
            self.result.rebuilt = EMBEDDER_CHANGED
        draft = Draft(
            self.out,
            self.subject,
            base,
            self.options.stores,
            dimensions=self.embedder.dimensions if self.embedder else 0,
            keep_vectors=same,
            keep_sources=self.keep_sources,
        )
        self.opened.callback(draft.close)
        return draft

    def unchanged(self, base: Generation, draft: Draft) -> bool:
        """Whether the draft would say nothing that the published generation does not."""
        before, now = base.manifest, self.manifest()
        return (
            self.result.fresh
            and not draft.without_vectors()
            and (before.embedder, before.root, before.skipped)
            == (now.embedder, now.root, now.skipped)
        )

    def base(self) -> Generation | None:
        """Return the published generation if this build can start from it."""
        try:
            manifest = read_manifest(self.out)
            reason = "asked to" if self.options.anew else self._differs(manifest)
            if not reason:
                base = Generation(self.out, manifest, self.subject)
                self.opened.callback(base.close)
                base.check_all()
                return base
            self.result.rebuilt = reason
        except IndexMissing:
            self.result.rebuilt = NO_INDEX
        except (SourcebookError, OSError) as error:
            # Whatever is wrong with the old one, a new one mends it.
            self.result.rebuilt = str(error)
        return None

    def _differs(self, manifest: Manifest) -> str:
        """Return what the published index was built with that is otherwise now, or nothing."""
        wanted = self.manifest()
        for name in ("subject", "subject_format", "options", "tokenizer", "stores", "plugins"):
            before, now = getattr(manifest, name), getattr(wanted, name)
            if name == "options" and before != now:
                keys = sorted(key for key in {**before, **now} if before.get(key) != now.get(key))
                return f"options changed: {', '.join(keys)}"
            if before != now:
                return f"{name.replace('_', ' ')} changed"
        if manifest.sources_kept != wanted.sources_kept:
            return "options changed: no_sources"
        return ""

    def manifest(self) -> Manifest:
        """Return a manifest of what this build locks; a draft fills in the rest."""
        stores = self.options.stores
        return Manifest(
            subject=self.subject.name,
            subject_format=self.subject.format_version,
            generation=0,
            root=self.root,
            options=self.parse_options,
            tokenizer=self.options.tokenizer,
            embedder=_embedder_lock(self.embedder),
            stores=tuple(
                StoreLock(role, store.name, store.format_version, "", dict(options))
                for role, (store, options) in sorted(stores.items())
            ),
            sources=0,
            entries=0,
            parts=0,
            kinds={},
            lengths={},
            vectors_done=0,
            vectors_total=0,
            skipped=_count(self.result.skipped),
            segments=(),
            plugins=_plugins(self.subject, stores),
            content_digest="",
            files={},
            features=BASE_FEATURES if self.keep_sources else (NO_SOURCES, *BASE_FEATURES),
            started=self.started,
            finished=_now(),
        )

    def compare(self) -> Build:
        """Note what has been added, changed and removed, reading only bytes."""
        base = self.base()
        known = dict(base.sources) if base else {}
        for name, _, digest, context in self.documents():
            info = known.pop(name, None)
            if info is None:
                self.result.added.append(name)
            elif info.parse != self.keys.of(name, digest, context):
                self.result.changed.append(name)
        self.result.removed = sorted(known)
        if base is not None:
            before = base.manifest
            if before.embedder != _embedder_lock(self.embedder):
                self.result.rebuilt = EMBEDDER_CHANGED
            self.result.generation = before.generation
            self.result.sources = before.sources
            self.result.entries = before.entries
            self.result.vectors_done = before.vectors_done
            self.result.vectors_total = before.vectors_total
        self.opened.close()
        return self.result

    def documents(self) -> Iterator[Task]:
        """Yield the documents of the corpus, noting what was skipped."""
        load = self.subject.load
        found = (
            call_declared(
                load, [Path(path) for path in self.paths], self.options.load, self.options.options
            )
            if load
            else walk(self.paths, self.subject.suffixes, self.options.load)
        )
        names: set[str] = set()
        skipped: list[Skipped] = []
        for one in found:
            name = clean_name(one.name)
            if isinstance(one, Skipped):
                skipped.append(evolve(one, name=name))
            elif name in names:
                skipped.append(Skipped(name, "same name"))
            else:
                names.add(name)
                yield name, one.data, sha256(one.data).hexdigest(), one.context
        # What one path left out another one may have named.
        self.result.skipped = sorted(
            {one for one in skipped if one.name not in names or one.reason == "same name"},
            key=lambda one: (one.name, one.reason, one.detail),
        )

    def load(self, draft: Draft) -> None:
        """Bring every document into the draft: unchanged ones as they are, others parsed."""
        result = self.result
        before = draft.base.sources if draft.base else {}
        keys: dict[str, str] = {}
        gone = set(before)

        def changed() -> Iterator[Task]:
            for seen, task in enumerate(self.documents(), start=1):
                name, _, digest, context = task
                self.say("reading", seen)
                gone.discard(name)
                key = self.keys.of(name, digest, context)
                info = before.get(name)
                if info is not None and info.parse == key:
                    draft.keep(info, task[1])
                    continue
                (result.changed if info else result.added).append(name)
                keys[name] = key
                yield task

        for task, parse in self.parses(changed(), keys):
            draft.add(task, keys[task[0]], parse)
        result.removed = sorted(gone)

    def parses(
        self, tasks: Iterator[Task], keys: Mapping[str, str]
    ) -> Iterator[tuple[Task, EncodedParse]]:
        """Yield the parse of each task, from the cache where it has a whole one."""
        batch: list[Task] = []
        size = 0
        for task in tasks:
            batch.append(task)
            size += len(task[1])
            if len(batch) >= DOCUMENTS_AT_ONCE or size > BYTES_AT_ONCE:
                yield from self._parse_batch(batch, keys)
                batch, size = [], 0
        yield from self._parse_batch(batch, keys)

    def _parse_batch(
        self, batch: Sequence[Task], keys: Mapping[str, str]
    ) -> Iterator[tuple[Task, EncodedParse]]:
        kept = self.cache.get_many("parses", [keys[name] for name, *_ in batch])
        missing = []
        for task in batch:
            parse = _decoded(kept.get(keys[task[0]]), len(self.subject.fields))
            if parse is None:
                missing.append(task)
            else:
                self.result.parses_cached += 1
                yield task, parse
        made: dict[str, bytes] = {}
        for done in self.workers.parse(missing):
            self.result.parsed += 1
            self.say("parsing", self.result.parsed)
            made[keys[done.task[0]]] = done.encoded
            yield done.task, done.parse
        self.cache.put_many("parses", made)

    def embed(self, draft: Draft, embedder: Embedder) -> Draft:
        """Make the missing vectors; return the draft to publish, which may be a second one."""
        embedding = Embedding(embedder, self.cache)
        names = draft.without_vectors()
        total = draft.searched(names)
        sample = Sample(draft, embedder.dimensions)
        made = 0

        def said(texts: int) -> None:
            self.say("embedding", max(texts, made), max(total, texts))

        writer = draft.writer("vector")
        writer.remove(draft.replaced())
        begun, first = 0.0, 0
        for part in embedding.rows(draft.pending(names, embedder), said):
            made += len(part)
            if not first:
                # The first few take longer, for a model is loaded meanwhile.
                begun, first = time.monotonic(), made
            elif embedding.embedded and draft.text_changed:
                left = (total - made) * (time.monotonic() - begun) / (made - first)
                if left > TWO_GENERATIONS_S:
                    sample.write(draft)
                    draft = self.published(draft)
                    writer = draft.writer("vector")
            writer.upsert(part)
            sample.note(part)
        draft.vectors_made(names)
        # The few that moved up into the sample come by way of the cache.
        for part in embedding.rows(sample.missing(draft, embedder)):
            sample.note(part)
        sample.write(draft)
        self.result.embedded = embedding.embedded
        self.result.vectors_cached = embedding.cached
        return draft

    def published(self, first: Draft) -> Draft:
        """Publish a draft that has all text, and return the next one on top of it."""
        manifest = first.publish(self.manifest())
        base = Generation(self.out, manifest, self.subject)
        self.opened.callback(base.close)
        draft = Draft.after(first, base)
        self.opened.callback(draft.close)
        return draft

    def finish(self, manifest: Manifest, draft: Draft) -> Build:
        """Describe the index in its README, drop copies that it is not to hold, and complete the
        result."""
        if not self.keep_sources:
            drop_documents(self.out)
        write_report(self.out, manifest)
        result = self.result
        result.generation = manifest.generation
        result.sources = manifest.sources
        result.entries = manifest.entries
        result.vectors_done = manifest.vectors_done
        result.vectors_total = manifest.vectors_total
        result.problems = _faults(draft)
        return result

    def say(self, step: str, done: int = 0, total: int = 0) -> None:
        """Tell both readers of the progress: whoever listens and the README in the index."""
        events.emit(events.PROGRESS, step=step, done=done, total=total)
        self.report.say(step, done, total)


def _decoded(data: bytes | None, fields: int) -> EncodedParse | None:
    """Return a parse from the cache, None if it is not there or none of ours."""
    if data is None:
        return None
    try:
        return EncodedParse.from_bytes(data, fields)
    except (ValueError, RecursionError):
        return None


def _embedder_lock(embedder: Embedder | None) -> EmbedderLock | None:
    if embedder is None:
        return None
    return EmbedderLock(
        embedder.ref,
        embedder.fingerprint,
        embedder.dimensions,
        embedder.semantic,
        embedder.window,
    )


def _plugins(
    subject: Subject, stores: Mapping[str, tuple[Store, Mapping[str, object]]]
) -> dict[str, str]:
    """Return the format versions of all that wrote to the index, and the core's version."""
    found = {f"store {store.name}": str(store.format_version) for store, _ in stores.values()}
    return {**found, f"subject {subject.name}": str(subject.format_version), "core": __version__}


def _count(skipped: Sequence[Skipped]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for one in sorted(skipped, key=lambda one: one.reason):
        counted[one.reason] = counted.get(one.reason, 0) + 1
    return counted


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _faults(draft: Draft) -> list[tuple[str, int, str]]:
    """Return what is wrong in the sources: (source, line, message)."""
    return [
        (name, line, message)
        for name, info in draft.live.items()
        for message, line in info.problems
    ]


def _nothing_read(
    paths: Sequence[str | Path],
    skipped: Sequence[Skipped],
    faults: Sequence[tuple[str, int, str]],
    subject: Subject,
) -> CorpusUnreadable:
    told = [f"{one.name}: {one.detail}" for one in skipped if one.reason == "malformed"]
    told += [f"{name}:{line}: {what}" if line else f"{name}: {what}" for name, line, what in faults]
    reasons = ", ".join(f"{count} {reason}" for reason, count in _count(skipped).items())
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return CorpusUnreadable(
        f"nothing in {', '.join(map(str, paths[:3]))}{more} can be indexed"
        + (f"; skipped: {reasons}" if reasons else "")
        + "".join(f"\n{one}" for one in sorted(told)[:FAULTS_SHOWN]),
        where=str(paths[0]),
        hint=f"`{subject.name}` reads {' '.join(subject.suffixes)}",
    )
