"""The code subject: declarations with exact lines, their graph, and evidence."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen
from sourcebook import Filter, Subject, hookimpl
from sourcebook.model import IndexedEntry, Skipped
from sourcebook.subject import Document, LoadOptions

from sourcebook_code.languages import SUFFIXES
from sourcebook_code.options import CodeOptions
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

FIELDS = {"title": 8.0, "signature": 4.0, "description": 3.0, "path": 1.0, "body": 1.0}

SEARCHED_ONLY = frozenset(("signature", "description", "body"))
"""The head of a declaration is among its facts, the rest in its lines."""


@frozen
class CodeFacts:
    """What a hit adds: its dotted name, the line the name stands on, its head on one line, its
    language, what it is in one line, and whether its file is of tests, generated, or minified."""

    qualified_name: str = ""
    def_line: int = 0
    signature: str = ""
    language: str = ""
    description: str = ""
    test: bool = False
    generated: bool = False
    minified: bool = False


def embedding_text(entry: IndexedEntry, body: str) -> tuple[str, str]:
    """Return the text of an entry's vectors: names and head before each window of its lines."""
    return entry.title, body


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
        assemble=assemble,
        facts=CodeFacts,
        source_word="file",
    )
