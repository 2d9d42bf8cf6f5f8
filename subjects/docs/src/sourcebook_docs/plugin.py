"""The docs subject: Markdown and plain text as passages that can be quoted by line."""

from collections.abc import Iterator

from attrs import frozen
from sourcebook import Filter, Subject, hookimpl
from sourcebook.verb import VerbRef, option

from sourcebook_docs.outline import assemble
from sourcebook_docs.parse import parse

KINDS = ("paragraph", "list", "table", "table_row", "code", "frontmatter", "html")


@frozen
class DocsOptions:
    """How documents are cut into passages."""

    chunk_tokens: int = option(
        384,
        help="Size up to which a passage grows, in tokens of the embedder.",
        minimum=16,
        maximum=65536,
        metavar="N",
    )
    tokenizer: str = option("words", help="What counts the tokens; the embedder says which.")


@frozen
class DocsFacts:
    """What a hit on a table adds: its columns, its body rows, and its caption if it has one."""

    columns: tuple[str, ...] = ()
    rows: int = 0
    caption: str = ""


@hookimpl
def sourcebook_subjects() -> Iterator[Subject]:
    """Yield the subject `docs`."""
    yield Subject(
        "docs",
        parse,
        suffixes=(".md", ".markdown", ".txt", ".text"),
        format_version=2,
        kinds=KINDS,
        summary="Markdown and plain text: passages, quoted with their line numbers.",
        filters=(
            Filter(
                "section",
                "Only under this heading, and what nests in it.",
                multi=True,
                match="whole",
                flags=("-s",),
            ),
        ),
        options=DocsOptions,
        assemble=assemble,
        verbs=(
            VerbRef(
                "list",
                "List every file, section or table; no ranking.",
                "sourcebook_docs.verbs.list:verb",
            ),
            VerbRef(
                "grep",
                "Find every matching line, with the section it sits in.",
                "sourcebook_docs.verbs.grep:verb",
            ),
            VerbRef(
                "show",
                "Print a file, a section of one, or a range of lines.",
                "sourcebook_docs.verbs.show:verb",
            ),
        ),
        facts=DocsFacts,
        source_word="file",
    )
