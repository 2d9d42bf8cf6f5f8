"""show: a file, a range of its lines, or a declaration by id or name, verbatim."""

import re

from attrs import frozen
from sourcebook.errors import Ambiguous, BadRequest, NotFound
from sourcebook.index.open import Index
from sourcebook.model import Span
from sourcebook.naming import shown
from sourcebook.verb import Tool, Verb, option
from sourcebook.verbs.show import (
    Part,
    ShowResponse,
    ShowView,
    find_source,
    part_of,
    read_lines,
    render,
)
from sourcebook.verbs.together import merge_single

from sourcebook_code.graph import Graph
from sourcebook_code.verbs.items import find_nodes

_RANGE = re.compile(r"(.+):(\d{1,9}(?:-\d{0,9})?)")


@frozen
class CodeShowRequest:
    """What to read."""

    target: str = option(
        help="A file or the end of its name, FILE:10-40, or a declaration: its id, its name or the "
        "end of it.",
        positional=True,
    )
    lines: str = option(
        "", help="Just these lines of the file, as in `40-80`, `40-` or `40`.", metavar="A-B"
    )


def show(index: Index, request: CodeShowRequest) -> ShowResponse:
    """Return a file, lines of it, or every declaration of one file that is called so."""
    target = request.target.strip()
    if not target:
        raise BadRequest("nothing to show", where="target", hint="name a file or a declaration")
    lines, where = request.lines, "lines"
    ranged = _RANGE.fullmatch(target)
    if ranged and not index.sources.get(target) and "#" not in target:
        if lines:
            raise BadRequest(
                "two ranges of lines were given", where="lines", hint="name one of the two"
            )
        target, lines, where = ranged[1], ranged[2], "target"
    try:
        name = find_source(index, target)
    except NotFound:
        if ranged:
            raise
        return _declarations(index, target, lines)
    source = index.source(name)
    of = len(source.lines)
    span = read_lines(lines, of, where=where) if lines else Span(1, of)
    return ShowResponse(name, of, (part_of(source, span),))


def _declarations(index: Index, target: str, lines: str) -> ShowResponse:
    graph = Graph.of(index)
    nodes = find_nodes(index, graph, target)
    names = {graph.source(node) for node in nodes}
    if len(names) > 1:
        raise Ambiguous(
            f"`{shown(target)}` is in {len(names)} files: "
            f"{', '.join(graph.id(node) for node in nodes[:10])}",
            where="target",
            hint="write one of these ids",
        )
    source = index.source(names.pop())
    of = len(source.lines)
    if lines:
        return ShowResponse(source.name, of, (part_of(source, read_lines(lines, of)),))
    parts: list[Part] = []
    for node in nodes:
        entry = index.entry(graph.id(node))
        # With the comment above that says what it is.
        first = min(span.first for span in (*entry.context, entry.span))
        parts.append(part_of(source, Span(first, entry.span.last), entry.title))
    return ShowResponse(source.name, of, tuple(parts))


verb = Verb(
    "show",
    "Print a file, a range of its lines, or a declaration by id or name.",
    CodeShowRequest,
    ShowResponse,
    show,
    render,
    view=ShowView,
    schema="show/1",
    merge=merge_single,
    tools=(Tool("read_{subject}"),),
)
