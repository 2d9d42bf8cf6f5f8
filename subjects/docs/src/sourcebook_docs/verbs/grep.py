"""grep: every matching line, counted in full, with the section it sits in."""

from typing import Any

from sourcebook.index.open import Index
from sourcebook.model import Span
from sourcebook.naming import counted
from sourcebook.retrieval.clip import clip_around
from sourcebook.subject import Subject
from sourcebook.verb import Verb
from sourcebook.verbs.grep import GrepRequest, GrepResponse, Match, matching_lines
from sourcebook.verbs.listing import told
from sourcebook.verbs.narrow import Narrowed, narrow, narrowed_request
from sourcebook.verbs.pattern import line_matcher
from sourcebook.verbs.together import merge_listing

from sourcebook_docs.verbs.reading import lies_in, read_outline, sources_of


def grep(index: Index, request: Any) -> GrepResponse:
    """Return every line that fits, under the titles it stands below; titles are lines too."""
    fits = line_matcher(
        [request.pattern], is_regex=request.regex, case_sensitive=request.case_sensitive
    )
    narrowed = narrow(index, request)
    if narrowed.unmet:
        return GrepResponse(0, (), narrowed.unmet)
    outline = read_outline(index)
    within = _Kinds(index, narrowed)
    matches: list[Match] = []
    found = 0
    for name, number, line in matching_lines(index, fits, sources_of(index, narrowed)):
        path = outline.path_at(name, number)
        if not lies_in(path, narrowed) or not within.hold(name, number):
            continue
        found += 1
        if not request.limit or found <= request.limit:
            matches.append(Match(name, number, clip_around(line, fits), path))
    return GrepResponse(found, tuple(matches))


class _Kinds:
    """The lines of passages of the kinds asked for; all lines if none are."""

    def __init__(self, index: Index, narrowed: Narrowed) -> None:
        self._index = index
        self._kinds = narrowed.filters.get("kind")
        self._source = ""
        self._spans: list[Span] = []

    def hold(self, source: str, line: int) -> bool:
        if self._kinds is None:
            return True
        if source != self._source:
            entries = self._index.entries([source])
            self._source = source
            self._spans = [entry.span for entry in entries if entry.kind in self._kinds]
        return any(line in span for span in self._spans)


def render(response: GrepResponse, _view: object) -> str:
    """One `file:line: text  [section]` a match, then the count."""
    rows = [
        f"{one.location}: {one.text}" + (f"  [{' > '.join(one.section)}]" if one.section else "")
        for one in response.matches
    ]
    found = counted(response.found, "matching line")
    return told(rows, response, shown=len(response.matches), found=found)


def verb(subject: Subject) -> Verb:
    """Return the verb."""
    return Verb(
        "grep",
        "Find every matching line, with the section it sits in.",
        narrowed_request(GrepRequest, subject),
        GrepResponse,
        grep,
        render,
        schema="grep/1",
        merge=merge_listing,
    )
