"""show: a source, an entry or a range of lines, verbatim."""

import re
from typing import Any

from attrs import frozen

from sourcebook.errors import Ambiguous, BadRequest, NotFound, SourcebookError
from sourcebook.index.open import Index
from sourcebook.model import Source, Span
from sourcebook.naming import counted
from sourcebook.retrieval.clip import clip
from sourcebook.retrieval.quote import QuotedLine
from sourcebook.subject import Subject
from sourcebook.verb import Tool, Verb, option
from sourcebook.verbs.pattern import nearest
from sourcebook.verbs.together import merge_single

_LINES = re.compile(r"\s*(\d{1,12})\s*(?:-\s*(\d{1,12})?)?\s*")


@frozen
class ShowRequest:
    """What to read."""

    target: str = option(
        help="The name of a source, or the end of it, or the id of an entry.", positional=True
    )
    lines: str = option("", help="Just these lines, as in `40-80`, `40-` or `40`.", metavar="A-B")


@frozen
class ShowView:
    """How it is printed."""

    numbers: bool = option(True, help="Leave the line numbers out.")


@frozen
class Part:
    """A stretch of a source, line by line.

    Args:
        source: the name of the source.
        first_line, last_line: where it lies.
        title: what it is the text of, empty for a plain range of lines.
        lines: its lines.
    """

    source: str
    first_line: int
    last_line: int
    title: str
    lines: tuple[QuotedLine, ...]


@frozen
class ShowResponse:
    """The stretches of a source that were asked for.

    Args:
        source: the name of the source.
        of: how many lines it has.
        parts: the stretches, in order.
    """

    source: str
    of: int
    parts: tuple[Part, ...]


def part_of(source: Source, span: Span, title: str = "") -> Part:
    """Return lines `span` of a source."""
    lines = source.lines[span.first - 1 : span.last]
    quoted = tuple(QuotedLine(span.first + at, text) for at, text in enumerate(lines))
    return Part(source.name, span.first, span.first + len(lines) - 1, title, quoted)


def read_lines(text: str, of: int, *, where: str = "lines") -> Span:
    """Return the span that `--lines` means in a source of `of` lines.

    Args:
        where: the field that errors name.

    Raises:
        BadRequest: it is no range.
        NotFound: it begins after the end.
    """
    found = _LINES.fullmatch(text)
    if not found:
        raise BadRequest(
            f"`{text}` is no range of lines", where=where, hint="write `40-80`, `40-` or `40`"
        )
    first = int(found[1])
    last = int(found[2]) if found[2] else (of if "-" in text else first)
    if last < 1:
        raise BadRequest("there is no line 0", where=where, hint="lines count from 1")
    if last < first:
        raise BadRequest(
            f"`{text.strip()}` ends before it begins",
            where=where,
            hint="write the smaller number first",
        )
    if first > of:
        raise NotFound(
            f"there is no line {first}: the source has {counted(of, 'line')}",
            where=where,
            hint=f"name lines from 1 to {of}" if of else "it is empty",
        )
    return Span(max(first, 1), min(last, of))


def find_source(index: Index, name: str) -> str:
    """Return the one source that `name` means: its name, or the end of it after a `/`.

    Raises:
        NotFound: there is none; the hint names the nearest.
        Ambiguous: several end alike; the message lists them.
    """
    if name in index.sources:
        return name
    tail = "/" + name.removeprefix("./").lstrip("/")
    fits = [one for one in index.sources if ("/" + one).endswith(tail)]
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise Ambiguous(
            f"`{name}` fits {len(fits)} sources: {', '.join(fits[:10])}",
            where=name,
            hint="write more of the name",
        )
    near = nearest(name, list(index.sources))
    raise NotFound(
        f"no {index.subject.source_word} is called `{name}`",
        where=name,
        hint=f"did you mean `{near}`?" if near else f"see `sourcebook {index.subject.name} list`",
    )


def show(index: Index, request: Any) -> ShowResponse:
    """Return a source, or the lines of it asked for, or an entry."""
    if not request.target:
        raise BadRequest("nothing to show", where="target", hint="name a source or an id")
    try:
        name = find_source(index, request.target)
    except (NotFound, Ambiguous) as no_source:
        return _entry(index, request, no_source)
    source = index.source(name)
    of = len(source.lines)
    span = read_lines(request.lines, of) if request.lines else Span(1, of)
    return ShowResponse(name, of, (part_of(source, span),))


def _entry(index: Index, request: Any, no_source: SourcebookError) -> ShowResponse:
    try:
        entry = index.entry(request.target)
    except NotFound:
        raise no_source from None
    source = index.source(entry.source)
    of = len(source.lines)
    span = read_lines(request.lines, of) if request.lines else entry.span
    return ShowResponse(entry.source, of, (part_of(source, span, entry.title),))


def render(response: ShowResponse, view: Any) -> str:
    """The lines, with or without a gutter of numbers; only JSON has very long ones whole."""
    blocks = []
    for part in response.parts:
        width = len(str(part.last_line))
        rows = [
            f"{line.number:>{width}} | {text}" if view.numbers else text
            for line in part.lines
            for text in [clip(line.text)]
        ]
        blocks.append("\n".join(rows))
    return "\n\n".join(blocks)


def verb(subject: Subject) -> Verb:
    """Return the verb for a subject."""
    return Verb(
        "show",
        f"Print a {subject.source_word}, an entry or a range of lines.",
        ShowRequest,
        ShowResponse,
        show,
        render,
        view=ShowView,
        schema="show/1",
        merge=merge_single,
        tools=(Tool("read_{subject}"),),
    )
