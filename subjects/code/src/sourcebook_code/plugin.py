"""The code subject: declarations with exact lines, their graph, and evidence."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen
from sourcebook import Filter, Subject, hookimpl
from sourcebook.model import IndexedEntry, Skipped
from sourcebook.subject import Document, LoadOptions
from sourcebook.verb import VerbRef

from sourcebook_code.languages import SUFFIXES
from sourcebook_code.options import CodeOptions, CodeSettings
from sourcebook_code.parse import parse


def load(
    paths: Sequence[Path], load_options: LoadOptions, options: CodeOptions
) -> Iterator[Document | Skipped]:
    """Yield the files of code below `paths`; see `sourcebook_code.load`."""
    from sourcebook_code.load import load as walk

    return walk(paths, load_options, options)


def assemble(facts_by_source: Mapping[str, Sequence[Any]]) -> dict[str, bytes]:
    """Return the structure files of an index; see `sourcebook_code.assemble`."""
    from sourcebook_code.assemble import assemble as link

    return link(facts_by_source)


KINDS = (
    "file", "function", "method", "constructor", "property", "class", "struct", "union",
    "interface", "trait", "enum", "record", "object", "namespace", "module", "extension", "macro",
    "type", "constant", "impl", "singleton", "anonymous", "concept", "index", "table",
)  # fmt: skip

FIELDS = {"title": 5.0, "description": 5.0, "path": 1.0, "body": 1.0, "owner": 0.0}

WINDOW_TOKENS = 160
"""More than of prose, since half of the tokens of code are punctuation."""

SEARCHED_ONLY = frozenset(("description", "body"))
"""They can be read off an entry's lines."""


EVIDENCE_BARS = {"hybrid": (0.025, 0.2), "vector": (0.035, 0.25), "text": (0.01, 0.25)}
"""Lower than those of documents: code says in names what questions say in words. See
tests/bench/bench_code.py."""


DESCRIBE = tuple(
    VerbRef(f"describe {name}", summary, f"sourcebook_code.verbs.describe:{name}_verb")
    for name, summary in (
        ("status", "Say how far the declarations are described."),
        ("pending", "Hand out declarations to describe, with their source."),
        ("put", "Keep texts about declarations beside the code."),
        ("promote", "Print a diff that puts descriptions into the code."),
        ("export", "Write what is pending as JSON, to be filled in."),
        ("import", "Keep the texts filled into what `describe export` wrote."),
    )
)


@frozen
class CodeFacts:
    """What a hit adds: its dotted name, the line the name stands on, its head on one line, its
    language, what it is in one line, whether its file is of tests, generated, or minified, a digest
    of its code without comments, and whether somebody described it."""

    qualified_name: str = ""
    def_line: int = 0
    signature: str = ""
    language: str = ""
    description: str = ""
    test: bool = False
    generated: bool = False
    minified: bool = False
    code: str = ""
    described: bool = False


def embedding_text(entry: IndexedEntry, body: str) -> tuple[str, str]:
    """Return the text of an entry's vectors; see `sourcebook_code.embedding`."""
    from sourcebook_code.embedding import embedding_text as make

    return make(entry, body)


@hookimpl
def sourcebook_subjects() -> Iterator[Subject]:
    """Yield the subject `code`."""
    yield Subject(
        "code",
        parse,
        suffixes=SUFFIXES,
        kinds=KINDS,
        summary="Source code in twenty languages: declarations, their lines and their graph.",
        fields=FIELDS,
        options=CodeOptions,
        settings=CodeSettings,
        load=load,
        searched_only=SEARCHED_ONLY,
        filters=(
            Filter("language", "Only in this language.", match="choice"),
            Filter(
                "role",
                "Only in such files: written, test, generated, minified.",
                multi=True,
                match="choice",
            ),
        ),
        embedding_text=embedding_text,
        window_tokens=WINDOW_TOKENS,
        assemble=assemble,
        verbs=(
            VerbRef(
                "search",
                "Rank the declarations that fit a question, with evidence and source.",
                "sourcebook_code.verbs.search:verb",
            ),
            VerbRef(
                "list",
                "List every file or declaration; no ranking.",
                "sourcebook_code.verbs.list:verb",
            ),
            VerbRef(
                "grep",
                "Find every matching line, with the declaration it sits in.",
                "sourcebook_code.verbs.grep:verb",
            ),
            VerbRef(
                "show",
                "Print a file, a range of its lines, or a declaration by id or name.",
                "sourcebook_code.verbs.show:verb",
            ),
            VerbRef(
                "neighbors",
                "Show what calls, contains, imports or extends a declaration.",
                "sourcebook_code.verbs.neighbors:verb",
            ),
            VerbRef(
                "research",
                "Search, and look around the hits in the graph unless one leads clearly.",
                "sourcebook_code.verbs.research:verb",
            ),
            VerbRef(
                "stats",
                "Say which languages, declarations and edges an index holds, and what built it.",
                "sourcebook_code.verbs.stats:verb",
            ),
            *DESCRIBE,
            VerbRef(
                "bootstrap",
                "Index, and say what is missing to search well.",
                "sourcebook_code.verbs.bootstrap:verb",
            ),
            VerbRef(
                "annotate",
                "Write a page with every declaration and what it does.",
                "sourcebook_code.verbs.annotate:verb",
            ),
        ),
        facts=CodeFacts,
        evidence_bars=EVIDENCE_BARS,
        source_word="file",
    )
