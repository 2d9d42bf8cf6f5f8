"""One document to its passages: the function that the subject's record names.

What is heavy (the Markdown reader) is imported by the first call, because `plugin.py` imports this
module for every command of the subject.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook import Entry, Fact, Source, Span

from sourcebook_docs.outline import fact_of

if TYPE_CHECKING:
    from sourcebook_docs.blocks import Block, Document, Heading
    from sourcebook_docs.chunk import Chunker
    from sourcebook_docs.plugin import DocsOptions

PLAIN_TEXT = frozenset({".txt", ".text"})


def parse(source: Source, options: "DocsOptions") -> Iterator[Entry | Fact]:
    """Yield the outline of the document, then its passages in the order of their lines.

    Every line that is not blank lies in the span or the context of some passage, rules apart.
    """
    from sourcebook.tokens import counter

    from sourcebook_docs.blocks import read_markdown, read_plain
    from sourcebook_docs.chunk import Chunker

    read = read_plain if source.suffix in PLAIN_TEXT else read_markdown
    document = read(source.lines)
    yield Fact(fact_of(document))
    chunker = Chunker(source.lines, counter(options.tokenizer), options.chunk_tokens)
    yield from _passages(source, document, chunker)


def _passages(source: Source, document: "Document", chunker: "Chunker") -> Iterator[Entry]:
    waiting: list[Heading] = []  # headings that no passage shows yet, each deeper than the last
    path: list[Heading] = []
    for heading, blocks in document.sections:
        if heading is not None:
            if waiting and heading.level <= waiting[-1].level:
                yield _bare(source, waiting, path)
                waiting = []
            while path and path[-1].level >= heading.level:
                path.pop()
            path.append(heading)
            waiting.append(heading)
        if blocks:
            yield from _section(source, document, chunker, blocks, path, waiting)
            waiting = []
    if waiting:
        yield _bare(source, waiting, path)


def _bare(source: Source, waiting: "list[Heading]", path: "list[Heading]") -> Entry:
    """Return the passage of a heading with nothing under it: the title lines are its text."""
    titles = tuple(heading.title for heading in path)
    return source.entry(
        waiting[0].first,
        waiting[-1].last,
        kind="paragraph",
        title=titles[-1],
        path=titles,
        filters=_filters(titles),
    )


def _section(
    source: Source,
    document: "Document",
    chunker: "Chunker",
    blocks: "list[Block]",
    path: "list[Heading]",
    waiting: "list[Heading]",
) -> Iterator[Entry]:
    from sourcebook_docs.plugin import DocsFacts

    titles = tuple(heading.title for heading in path)
    title = titles[-1] if titles else document.title
    filters = _filters(titles)
    headings = tuple(Span(heading.first, heading.last) for heading in waiting)
    descriptor: Entry | None = None
    for chunk in chunker.chunks(blocks):
        facts = None
        if chunk.table is not None:
            table = chunk.table
            facts = DocsFacts(columns=table.columns, rows=len(table.rows), caption=table.caption)
        entry = source.entry(
            chunk.first,
            chunk.last,
            kind=chunk.kind,
            title=title,
            parent=descriptor if chunk.kind == "table_row" else None,
            path=titles,
            context=(*headings, *chunk.context),
            fields={} if chunk.body is None else {"body": chunk.body},
            filters=filters,
            facts=facts,
        )
        if chunk.kind == "table":
            descriptor = entry
        headings = ()
        yield entry
        for part in chunk.parts:
            yield source.entry(
                part.first,
                part.last,
                kind=part.kind,
                title=title,
                parent=entry,
                path=titles,
                filters=filters,
                part=True,
            )


def _filters(titles: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    sections = tuple(dict.fromkeys(title for title in titles if title))
    return {"section": sections} if sections else {}
