"""The code subject: declarations with exact lines, their graph, and evidence."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen
from sourcebook import Filter, Subject, hookimpl
from sourcebook.model import Skipped
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


KINDS = (
    "file", "function", "method", "constructor", "property", "class", "struct", "union",
    "interface", "trait", "enum", "record", "object", "namespace", "module", "extension", "macro",
    "type", "constant", "impl", "singleton", "anonymous", "concept", "index", "table",
)  # fmt: skip

FIELDS = {
    "title": 8.0,
    "signature": 4.0,
    "description": 3.0,
    "relations": 2.0,
    "path": 1.0,
    "body": 1.0,
}


@frozen
class CodeFacts:
    """What a hit adds: its dotted name, the line the name stands on, its head on one line, its
    language, and whether its file is of tests, generated, or minified."""

    qualified_name: str = ""
    def_line: int = 0
    signature: str = ""
    language: str = ""
    test: bool = False
    generated: bool = False
    minified: bool = False


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
        filters=(Filter("language", "Only in this language.", match="choice"),),
        facts=CodeFacts,
        source_word="file",
    )
