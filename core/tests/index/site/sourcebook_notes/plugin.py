"""The subject `notes`: paragraphs below titles, in a format that can misbehave when asked to."""

import json
from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen
from sourcebook import Entry, Fact, Filter, Problem, Source, Subject, hookimpl
from sourcebook.verb import option


@frozen
class NotesOptions:
    """How notes are cut."""

    lines: int = option(0, help="Lines of one entry at most; 0 for whole paragraphs.", minimum=0)
    tokenizer: str = option("words", help="Not used.")


@frozen
class NoteFacts:
    """What a hit adds."""

    words: int


def parse(source: Source, options: NotesOptions) -> Iterator[Entry | Fact | Problem]:
    """Yield an entry a paragraph.

    `# title` opens a section, `> ` begins a quote, `key: NAME` names the entry, `body: TEXT`
    replaces its text; `!raise`, `!deep`, `!warn` and `!fact` do what they say.
    """
    title: Entry | None = None
    for first, last in paragraphs(source.lines, options.lines):
        line = source.lines[first - 1]
        if line.startswith("# "):
            title = source.entry(first, last, kind="title", title=line[2:], path=(line[2:],))
            yield Fact({"title": line[2:], "line": first})
            yield title
            continue
        if line.startswith("!"):
            yield from misbehave(line, first)
        path = title.path if title else ()
        yield source.entry(
            first,
            last,
            kind="quote" if line.startswith("> ") else "note",
            title=line[:40],
            key=line[5:] if line.startswith("key: ") else "",
            parent=title,
            path=path,
            fields={"body": line[6:]} if line.startswith("body: ") else {},
            filters={"section": path},
            facts=NoteFacts(len(line.split())),
        )


def paragraphs(lines: Sequence[str], most: int) -> Iterator[tuple[int, int]]:
    """Yield first and last line of each run of lines that are not blank."""
    first = 0
    for number, line in enumerate([*lines, ""], start=1):
        if first and (not line.strip() or (most and number - first == most)):
            yield first, number - 1
            first = 0
        if not first and line.strip():
            first = number


def misbehave(line: str, number: int) -> Iterator[Fact | Problem]:
    """Do what a line says."""
    if line.startswith("!raise"):
        raise ValueError("asked to")
    if line.startswith("!deep"):
        nested(0)
    if line.startswith("!warn"):
        yield Problem("asked to warn", number)
    if line.startswith("!fact"):
        yield Fact({"said": line[6:]})


def nested(level: int) -> int:
    """Go on until the interpreter stops it."""
    return nested(level + 1) + 1


def assemble(facts: Mapping[str, list[object]], options: NotesOptions) -> dict[str, bytes]:
    """Return one file of all facts by source."""
    return {"titles.json": json.dumps({"lines": options.lines, "facts": facts}).encode()}


@hookimpl
def sourcebook_subjects() -> Iterator[Subject]:
    """Yield `notes` and the bare `other`."""
    yield Subject(
        "notes",
        parse,
        suffixes=(".note", ".txt"),
        kinds=("title", "note", "quote"),
        filters=(Filter("section", "Only under this title.", multi=True, match="whole"),),
        options=NotesOptions,
        assemble=assemble,
        facts=NoteFacts,
    )
    yield Subject("other", parse_lines, suffixes=(".other",), kinds=("line",))


def parse_lines(source: Source) -> Iterator[Entry]:
    """Yield an entry a line."""
    for number, line in enumerate(source.lines, start=1):
        yield source.entry(number, number, kind="line", title=line)
