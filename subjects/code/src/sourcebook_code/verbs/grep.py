"""grep: every matching line, counted in full, with the declaration it sits in."""

from typing import Any

from attrs import frozen
from sourcebook.index.open import Index
from sourcebook.naming import counted
from sourcebook.retrieval.clip import clip_around
from sourcebook.subject import Subject
from sourcebook.verb import Verb, option
from sourcebook.verbs.grep import GrepRequest, Match, matching_lines
from sourcebook.verbs.listing import told
from sourcebook.verbs.narrow import narrow, narrowed_request
from sourcebook.verbs.pattern import line_matcher, name_matcher
from sourcebook.verbs.together import merge_listing

from sourcebook_code.graph import Graph
from sourcebook_code.verbs.items import Innermost


@frozen
class CodeGrepRequest(GrepRequest):
    """What to find: lines that hold `pattern`."""

    name: tuple[str, ...] = option(
        (),
        help="Only in declarations whose qualified name fits: a glob, or a part of it. Repeatable.",
        metavar="PATTERN",
    )


@frozen(kw_only=True)
class CodeMatch(Match):
    """One matching line.

    Args:
        id: of the innermost declaration it sits in, of the file where it is in none.
        kind: of that.
        title: the qualified name of that, nothing for the file.
    """

    id: str
    kind: str
    title: str


@frozen
class CodeGrepResponse:
    """Matching lines, by file and line.

    Args:
        found: how many there are, however few are shown.
        matches: the lines, up to the limit.
        notes: what of the request nothing fits.
    """

    found: int
    matches: tuple[CodeMatch, ...]
    notes: tuple[str, ...] = ()


def grep(index: Index, request: Any) -> CodeGrepResponse:
    """Return every line that fits, with the innermost declaration it lies in."""
    fits = line_matcher(
        [request.pattern], is_regex=request.regex, case_sensitive=request.case_sensitive
    )
    named = name_matcher(request.name)
    narrowed = narrow(index, request)
    if narrowed.unmet:
        return CodeGrepResponse(0, (), narrowed.unmet)
    graph = Graph.of(index)
    innermost = Innermost(index, graph, narrowed)
    matches: list[CodeMatch] = []
    found = 0
    for name, number, line in matching_lines(index, fits, narrowed.filters.get("source")):
        node = innermost.at(name, number)
        if node < 0 or (request.name and not named(graph.title(node))):
            continue
        found += 1
        if not request.limit or found <= request.limit:
            title = graph.title(node) if graph.parents[node] >= 0 else ""
            text = clip_around(line, fits)
            section = tuple(title.split(".")) if title else ()
            matches.append(
                CodeMatch(
                    name, number, text, section,
                    id=graph.id(node), kind=graph.kind(node), title=title,
                )
            )  # fmt: skip
    return CodeGrepResponse(found, tuple(matches))


def render(response: CodeGrepResponse, _view: object) -> str:
    """One `file:line: text  [kind name]` a match, then the count."""
    rows = [
        f"{one.location}: {one.text}" + (f"  [{one.kind} {one.title}]" if one.title else "")
        for one in response.matches
    ]
    found = counted(response.found, "matching line")
    return told(rows, response, shown=len(response.matches), found=found)


def verb(subject: Subject) -> Verb:
    """Return the verb."""
    return Verb(
        "grep",
        "Find every matching line, with the declaration it sits in.",
        narrowed_request(CodeGrepRequest, subject),
        CodeGrepResponse,
        grep,
        render,
        schema="code.grep/1",
        merge=merge_listing,
    )
