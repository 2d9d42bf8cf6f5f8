"""What a subject is: a kind of corpus, described by one record."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from attrs import field, frozen

from sourcebook.model import Entry, Fact, IndexedEntry, Problem, Skipped
from sourcebook.verb import VerbRef

Parsed = Entry | Fact | Problem

DEFAULT_FIELDS: Mapping[str, float] = MappingProxyType({"title": 3.0, "path": 1.0, "body": 1.0})

WINDOW_TOKENS = 110
"""Finer vectors find the sentence that answers: on FastAPI's documentation, MRR@10 by vectors alone
was .48 with windows of 256 tokens, .53 with 200 and .56 with 110."""


@frozen
class Filter:
    """A key that hits can be narrowed by; every surface gets a repeatable option of its name.

    Args:
        name: the key in `Entry.filters` and the option's name (`section` gives `--section`).
        help: one sentence for the option.
        multi: whether one entry may carry several values.
        match: how a pattern given by a user selects among the values that occur: `pattern`
            (a glob if it has `*` or `?`, else a substring), `whole` (equal, blind to case) or
            `choice` (equal; an unknown value is an error that lists the known ones).
        flags: more spellings on the command line (`-s`).
    """

    name: str
    help: str
    multi: bool = False
    match: str = "pattern"
    flags: tuple[str, ...] = ()


@frozen
class Document:
    """One document that `load` found: the name in the corpus and the bytes as they are.

    `context` is what `parse` is to know of other documents: it finds the text in `Source.context`,
    and is asked again when that changes, whether or not the bytes do.
    """

    name: str
    data: bytes = field(repr=False)
    context: str = field(default="", repr=False)


@frozen
class LoadOptions:
    """How a corpus is walked: `exclude` are patterns in git's syntax, `ignore_files` says whether
    `.gitignore` files count, `limit_bytes` is the size above which a file is skipped."""

    exclude: tuple[str, ...] = ()
    ignore_files: bool = True
    limit_bytes: int = 256 * 1024 * 1024


@frozen
class Subject:
    """A kind of corpus. The first four are needed, the rest has defaults.

    Args:
        name: what a user types (`sourcebook NAME search`) and the entry point's name.
        parse: `parse(source)` or `parse(source, options)` yields `Entry`, `Fact` and `Problem`
            records. A pure module-level function: it runs in worker processes and is cached. It is
            not asked for a source without lines.
        suffixes: lower-case extensions with their dot that `index` reads.
        kinds: the closed set of kinds its entries have.
        summary: one line for help.
        format_version: moves when what `parse` yields changes meaning.
        fields: BM25F weight by field name, 0 for one that is kept and not searched. `title`, `path`
            and `body` are filled by the core.
        searched_only: fields whose texts are searched and not kept, since they can be had from
            elsewhere: entries that are read back do not have them.
        filters: declared keys beside `source` and `kind`.
        options: an attrs class of parse options, each field made with `sourcebook.verb.option`;
            they become options of `index` and are locked in the manifest. A field named
            `tokenizer` is filled by the core with the embedder's tokenizer, and one with the name
            of a general setting (`allow_remote`) from that, where the option is not given.
        load: `load(paths, load_options, options)` yields `Document` and `Skipped`; default: files
            with the subject's suffixes below the paths (`sourcebook.index.walk`).
        assemble: `assemble(facts_by_source, options)` returns structure files by name; they are
            read back with `Index.structure`.
        embedding_text: `embedding_text(entry, body)` returns (head, text): the text is cut into
            windows, of which each gets a vector with the head before it; an empty head for none.
            Default: path and title, and the body.
        window_tokens: how much of that text goes into one vector, where the embedder knows
            meanings and takes as much.
        verbs: verbs it adds, or refines by giving a generic verb's name.
        facts: an attrs class of what its hits add, or None.
        settings: an attrs class of further settings, `NAME.field` in files, which no index depends
            on; a field of a request that has one for its default says so (`option(setting=...)`).
        evidence_bars: (weak, strong) by formula (`hybrid`, `vector`, `text`): the figures from
            which on evidence is weak and strong, where those of the core do not fit its entries.
        source_word: what its users call a source (`file`), hence the name of the option.
        needs_sources: whether it cannot do without copies of its documents. If it can, each of its
            entries has a `body` among its fields, and `index` offers `--no-sources`.
    """

    name: str
    parse: Callable[..., Iterable[Parsed]]
    suffixes: tuple[str, ...] = field(kw_only=True)
    kinds: tuple[str, ...] = field(kw_only=True)
    summary: str = field(default="", kw_only=True)
    format_version: int = field(default=1, kw_only=True)
    fields: Mapping[str, float] = field(default=DEFAULT_FIELDS, kw_only=True)
    searched_only: frozenset[str] = field(default=frozenset(), kw_only=True)
    filters: tuple[Filter, ...] = field(default=(), kw_only=True)
    options: type | None = field(default=None, kw_only=True)
    load: Callable[..., Iterator[Document | Skipped]] | None = field(default=None, kw_only=True)
    assemble: Callable[..., Mapping[str, bytes]] | None = field(default=None, kw_only=True)
    embedding_text: Callable[[IndexedEntry, str], tuple[str, str]] | None = field(
        default=None, kw_only=True
    )
    window_tokens: int = field(default=WINDOW_TOKENS, kw_only=True)
    verbs: tuple[VerbRef, ...] = field(default=(), kw_only=True)
    facts: type | None = field(default=None, kw_only=True)
    settings: type | None = field(default=None, kw_only=True)
    evidence_bars: Mapping[str, tuple[float, float]] = field(
        default=MappingProxyType({}), kw_only=True
    )
    source_word: str = field(default="source", kw_only=True)
    needs_sources: bool = field(default=True, kw_only=True)
