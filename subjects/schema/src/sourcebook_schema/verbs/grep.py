"""grep: every text of the descriptions that holds a pattern, with the node it is said of.

What is searched is what the documents mean, not how they are written: names, titles, descriptions
and values as texts, whatever quotes, escapes and folds they stand in.
"""

import json

from attrs import frozen
from sourcebook.index.open import Index
from sourcebook.model import IndexedEntry, split_lines
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
    entries = index.entries(
        names,
        saying=plain or required_literal(request.pattern),
        exactly=request.case_sensitive,
        only_ascii=request.regex,
    )
    for entry in entries:
        if request.kind and entry.kind not in request.kind:
            continue
        if allowed is not None and entry.id not in allowed:
            continue
        for text in _fitting(entry, fits, plain):
            found += 1
            if not request.limit or found <= request.limit:
                matches.append(_match(index, api, entry, text, fits))
    return GrepResponse(found, tuple(matches))


def _fitting(entry: IndexedEntry, fits: Matcher, plain: str) -> list[str]:
    """Return the lines of an entry's texts that fit, each once."""
    texts = (entry.title, entry.fields.get("route", ""), read_text(entry))
    # What is no regular expression fits no line of a text that it does not fit as a whole.
    some = [text for text in texts if text and (not plain or fits(text))]
    lines = dict.fromkeys(line.strip() for text in some for line in split_lines(text))
    return [line for line in lines if fits(line)]


def _match(index: Index, api: Api, entry: IndexedEntry, text: str, fits: Matcher) -> Match:
    title = entry.id.removeprefix(f"{entry.source}#").partition(":")[2]
    if entry.kind == "method" and (node := api.node(entry.id)) >= 0:
        title = api.title(node)
    return Match(
        entry.id,
        entry.kind,
        title,
        entry.source,
        _line_of(index, entry, text, fits),
        clip_around(text, fits),
        api.documents_of.get(entry.source, ()),
    )


def _line_of(index: Index, entry: IndexedEntry, text: str, fits: Matcher) -> int:
    """Return the line of an entry that a text stands in, whole or in part; its first if none does,
    or the index has no copies to look in.

    In JSON a text has escapes, in YAML it may be folded, and some have a name before them
    (`200: The orders`).
    """
    first = entry.span.first
    if not index.manifest.sources_kept:
        return first
    written = index.cut(entry.source, entry.span)
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
