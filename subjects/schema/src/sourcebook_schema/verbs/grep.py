"""grep: every text of the descriptions that holds a pattern, with the node it is said of.

What is searched is what the documents mean, not how they are written: names, titles, descriptions
and values as texts, whatever quotes, escapes and folds they stand in.
"""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain

from attrs import frozen
from sourcebook.index.open import Index
from sourcebook.index.rows import Said
from sourcebook.model import Span, split_lines
from sourcebook.naming import counted
from sourcebook.retrieval.clip import clip_around
from sourcebook.verb import Tool, Verb, option
from sourcebook.verbs.pattern import Matcher, line_matcher, required_literal
from sourcebook.verbs.together import merge_listing

from sourcebook_schema.api import Api
from sourcebook_schema.facts import ENTRY_KINDS
from sourcebook_schema.fields import read_text
from sourcebook_schema.names import find_sources, flat
from sourcebook_schema.verbs.items import (
    Narrowing,
    RowsView,
    narrowed,
)

TEXTS_KEPT = 20_000
LENGTH_KEPT = 1000
"""Characters of a text whose lines that fit are remembered."""


@frozen
class GrepRequest(Narrowing):
    """What to find: texts that hold `pattern`."""

    pattern: str = option(help="What to find, as it is said.", positional=True)
    kind: tuple[str, ...] = option((), help="Only nodes of this kind.", choices=ENTRY_KINDS)


@frozen
class Match:
    """One line of a text that fits.

    Args:
        id: of the operation, type, property or service that it is said of.
        kind: of that.
        title: what that is called.
        source: the file it is written in.
        line: where: of the text itself if that is found as it stands, else of what it is said of.
        text: the line of the text; of one of more than 10,000 characters what is around the first
            place that fits.
        documents: short names of the documents that it belongs to.
    """

    id: str
    kind: str
    title: str
    source: str
    line: int
    text: str
    documents: tuple[str, ...]

    @property
    def location(self) -> str:
        """`source:line`, which editors open."""
        return f"{self.source}:{self.line}"


@frozen
class GrepResponse:
    """Lines of texts that fit, by source and in its order.

    Args:
        found: how many there are, however few are shown.
        matches: the lines, up to the limit.
        notes: what of the request nothing fits.
    """

    found: int
    matches: tuple[Match, ...]
    notes: tuple[str, ...] = ()


def grep(index: Index, request: GrepRequest) -> GrepResponse:
    """Return every line of a text that fits."""
    fits = line_matcher(
        [request.pattern], is_regex=request.regex, case_sensitive=request.case_sensitive
    )
    api = Api.of(index)
    sources, notes = find_sources(api, request.source)
    if notes:
        return GrepResponse(0, (), tuple(notes))
    allowed: set[str] | None = None
    if request.name or request.path:
        nodes = narrowed(api, api.of_kinds(request.kind or ENTRY_KINDS), request, sources)
        allowed = set(map(api.id, nodes))
    names = [name for name in index.sources if sources is None or name in sources]
    plain = "" if request.regex else request.pattern
    found = 0
    matches: list[Match] = []
    texts = index.said(
        names,
        holding=plain or required_literal(request.pattern),
        exactly=request.case_sensitive,
        only_ascii=request.regex,
    )
    fitting = _finder(fits, is_regex=request.regex)
    for one in texts:
        if request.kind and one.kind not in request.kind:
            continue
        if allowed is not None and one.id not in allowed:
            continue
        said = (one.title, one.fields.get("route", ""), read_text(one.fields))
        for line in dict.fromkeys(chain.from_iterable(map(fitting, said))):
            found += 1
            if not request.limit or found <= request.limit:
                matches.append(_match(index, api, one, line, fits))
    return GrepResponse(found, tuple(matches))


def _finder(fits: Matcher, *, is_regex: bool) -> Callable[[str], Sequence[str]]:
    """Return a function that returns the lines of a text that fit without the space around them,
    each once. It remembers short texts, which an API says in many places."""

    def find(text: str) -> Sequence[str]:
        # A regular expression may ask for the beginning of a line.
        lines = split_lines(text) if is_regex else fits.lines_of(text)
        return [line for line in dict.fromkeys(map(str.strip, lines)) if fits(line)]

    known = lru_cache(TEXTS_KEPT)(find)
    return lambda text: known(text) if len(text) <= LENGTH_KEPT else find(text)


def _match(index: Index, api: Api, one: Said, line: str, fits: Matcher) -> Match:
    title = one.id.removeprefix(f"{one.source}#").partition(":")[2]
    if one.kind == "method" and (node := api.node(one.id)) >= 0:
        title = api.title(node)
    return Match(
        one.id,
        one.kind,
        title,
        one.source,
        _line_of(index, one, line, fits),
        clip_around(line, fits),
        api.documents_of.get(one.source, ()),
    )


def _line_of(index: Index, one: Said, text: str, fits: Matcher) -> int:
    """Return the line of an entry that a text stands in, whole or in part; its first if none does,
    or the index has no copies to look in.

    In JSON a text has escapes, in YAML it may be folded, and some have a name before them
    (`200: The orders`).
    """
    first = one.first
    if not index.manifest.sources_kept:
        return first
    written = index.cut(one.source, Span(first, one.last))
    tail = text.partition(": ")[2]
    for part in [text, tail] if fits(tail) else [text]:
        for spelt in (part, json.dumps(part, ensure_ascii=False)[1:-1]):
            place = written.find(spelt)
            if place >= 0:
                return first + written.count("\n", 0, place)
    lines = enumerate(written.split("\n"), first)
    return next((number for number, line in lines if fits(line)), first)


def render(response: GrepResponse, view: RowsView) -> str:
    """One `file:line: text  [what it is said of]` a match, then the count."""
    if view.ids_only:
        return "\n".join(dict.fromkeys(one.id for one in response.matches))
    wanted = view.show_source
    rows = []
    for one in response.matches:
        names = f"  [source: {' '.join(one.documents) or 'no document'}]" if wanted else ""
        title = f"{one.kind} {flat(one.title)}"
        rows.append(f"{one.location}: {one.text}  [{title}]{names}")
    rows.extend(response.notes)
    shown = len(response.matches)
    rows.append(
        counted(response.found, "match", "matches")
        + (f", {shown} shown" if shown < response.found else "")
    )
    return "\n".join(rows)


verb = Verb(
    "grep",
    "Find every text that holds a pattern; no ranking.",
    GrepRequest,
    GrepResponse,
    grep,
    render,
    view=RowsView,
    schema="schema.grep/1",
    merge=merge_listing,
    tools=(
        Tool(
            "grep_api",
            "Find every literal occurrence in the names, descriptions and values of the API.",
        ),
    ),
)
