"""search: declarations that fit a question, the evidence, what is around them, and their source."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen
from sourcebook import events
from sourcebook.errors import BadRequest
from sourcebook.index.open import Index
from sourcebook.model import IndexedEntry
from sourcebook.naming import counted
from sourcebook.retrieval.evidence import LEVELS, Evidence
from sourcebook.retrieval.quote import Quote, render_quotes
from sourcebook.subject import Subject
from sourcebook.verb import Tool, Verb, option
from sourcebook.verbs.listing import Located
from sourcebook.verbs.narrow import narrow, narrowed_request
from sourcebook.verbs.search import (
    MODES,
    SearchView,
    choose,
    diagnosis,
    judge,
    named_embedder,
    wording,
)
from sourcebook.verbs.together import Answer, common_notes, relabel

from sourcebook_code.expand import MAX_HOPS, Expansion, GraphEdge, expand
from sourcebook_code.quoting import quoted
from sourcebook_code.ranking import rank


@frozen
class SearchRequest:
    """What to look for, where, and how much of it to show."""

    query: str = option(
        "", help="The question, as one sentence.", positional=True, metavar="TEXT..."
    )
    text_query: str | None = option(
        None, help="Wording for the full-text leg, in the words the code uses."
    )
    vector_query: str | None = option(
        None, help="Wording for the vector leg, the question stated in full."
    )
    mode: str | None = option(None, help="Which legs run; default hybrid.", choices=MODES)
    embedding: str | None = option(
        None, help="The embedder that the index was built with; another is refused.", metavar="REF"
    )
    exclude_id: tuple[str, ...] = option(
        (), help="Leave out a declaration already seen. Repeatable.", metavar="ID"
    )
    limit: int = option(8, help="Hits kept.", minimum=1, maximum=100)
    graph: bool = option(False, help="Show what the hits call, and what calls them, too.")
    hops: int = option(
        1, help="Edges from a hit to what `--graph` shows.", minimum=1, maximum=MAX_HOPS
    )
    before: int = option(
        0, help="Lines quoted before each hit, too.", flags=("-B",), minimum=0, maximum=10_000
    )
    after: int = option(
        0, help="Lines quoted after each hit, too.", flags=("-A",), minimum=0, maximum=10_000
    )
    max_chars: int = option(
        12_000, help="Characters of source altogether.", minimum=0, maximum=1_000_000
    )
    min_evidence: str = option(
        "weak", help="From which evidence on hits are shown.", choices=LEVELS
    )

    @property
    def asks(self) -> bool:
        """Whether anything is asked."""
        return bool(self.query.strip() or self.text_query or self.vector_query)


@frozen
class Hit(Located):
    """A ranked declaration, or what a file holds beside its declarations.

    Args:
        id: `<file>#<qualified name>`; what `show`, `neighbors` and `--exclude-id` take.
        kind: what it is.
        source: the name of its file.
        first_line, last_line: its lines there, with decorators, without a doc comment above.
        title: its qualified name.
        path: the names of what it belongs to, from the outermost inwards.
        score: the fused score; comparable within one response only.
        ranks, scores: its rank, from 1, and its own score in each leg that found it.
        terms: the terms of the query that it holds, some hundred characters of them.
        facts: signature, language, description and more.
    """

    id: str
    kind: str
    source: str
    first_line: int
    last_line: int
    title: str
    path: tuple[str, ...]
    score: float
    ranks: Mapping[str, int]
    scores: Mapping[str, float]
    terms: tuple[str, ...]
    facts: Mapping[str, object]


@frozen
class Neighbor(Located):
    """A declaration that the graph reaches from a hit.

    Args:
        id, kind, source, first_line, last_line, title, facts: as of a hit.
        score: that of the hit it was reached from, less with each edge.
        way: the edges from that hit to it.
    """

    id: str
    kind: str
    source: str
    first_line: int
    last_line: int
    title: str
    score: float
    way: tuple[GraphEdge, ...]
    facts: Mapping[str, object]


@frozen
class SearchResponse:
    """What was found.

    Args:
        mode: the legs that ran.
        evidence: whether it is an answer.
        hits: best first; none when the evidence is below what was asked for.
        neighbors: with `graph`, what is around them, best first.
        left_out: `hits` there was no room for, `duplicates` of shown hits, and `sources`: shown
            hits and neighbors whose lines had no room.
        quotes: the lines of hits and neighbors, merged by file; of a class those that are no
            method's.
        vectors: `11650 of 11700` while a build is still embedding, else empty.
        notes: what of the request nothing fits.
    """

    mode: str
    evidence: Evidence
    hits: tuple[Hit, ...]
    neighbors: tuple[Neighbor, ...]
    left_out: Mapping[str, int]
    quotes: tuple[Quote, ...]
    vectors: str
    notes: tuple[str, ...]


def search(index: Index, request: Any) -> SearchResponse:
    """Ask, narrow, run the legs, fuse, judge, put in order, walk on, quote."""
    manifest = index.manifest
    asked = wording(request, has_vectors=manifest.vectors_done > 0)
    if manifest.embedder is None and (asked.vector or request.embedding):
        raise BadRequest(
            f"`{index.name}` has no vectors",
            where="mode" if asked.vector else "embedding",
            hint="search with `--mode text`, or index with an embedder",
        )
    if request.embedding:
        named_embedder(index, request.embedding)
    with events.timed("search", mode=asked.mode) as told:
        narrowed = narrow(index, request)
        found = rank(index, asked, narrowed)
        evidence = judge(index, found, narrowed)
        chosen, left_out = choose(index, request, narrowed, found, evidence)
        hits = [_hit(entry, one) for entry, one in chosen]
        neighbors = list(_neighbors(index, request, hits))
        quotes, unquoted = _quotes(index, request, [*hits, *neighbors])
        told.update(hits=len(hits), evidence=evidence.level)
    return SearchResponse(
        mode=asked.mode,
        evidence=evidence,
        hits=tuple(hits),
        neighbors=tuple(neighbors),
        left_out={**left_out, "sources": unquoted},
        quotes=quotes,
        vectors=""
        if manifest.vectors_done == manifest.vectors_total
        else f"{manifest.vectors_done} of {manifest.vectors_total}",
        notes=narrowed.unmet,
    )


def _hit(entry: IndexedEntry, one: Any) -> Hit:
    return Hit(
        id=entry.id,
        kind=entry.kind,
        source=entry.source,
        first_line=entry.span.first,
        last_line=entry.span.last,
        title=entry.title,
        path=entry.path,
        score=one.score,
        ranks=one.ranks,
        scores=one.scores,
        terms=one.terms,
        facts=entry.facts,
    )


def _neighbors(index: Index, request: Any, hits: Sequence[Hit]) -> Iterator[Neighbor]:
    """Yield what the graph reaches from the hits, where that is asked for: as many as hits."""
    if not (request.graph and hits):
        return
    seeds = [(one.id, one.score) for one in hits]
    for one in expand(index, seeds, hops=request.hops, limit=request.limit):
        yield _neighbor(index.entry(one.id), one)


def _neighbor(entry: IndexedEntry, one: Expansion) -> Neighbor:
    return Neighbor(
        id=entry.id,
        kind=entry.kind,
        source=entry.source,
        first_line=entry.span.first,
        last_line=entry.span.last,
        title=entry.title,
        score=one.score,
        way=one.way,
        facts=entry.facts,
    )


def _quotes(
    index: Index, request: Any, shown: Sequence[Hit | Neighbor]
) -> tuple[tuple[Quote, ...], int]:
    if not request.max_chars:
        return (), len(shown)
    entries = [index.entry(one.id) for one in shown]
    sources = {one.source: index.source(one.source) for one in entries}
    return quoted(entries, sources, request.max_chars, before=request.before, after=request.after)


def merge(answers: Sequence[Answer], request: Any) -> SearchResponse:
    """Return what several indexes answer together: hits of one with stronger evidence first, since
    scores of different indexes cannot be compared; then the better score."""

    def level(one: Answer) -> int:
        return LEVELS.index(one.response.evidence.level)

    best = max(answers, key=level)
    owners = {one.label: one for one in answers}

    def ranked(rows: str) -> list[tuple[str, Any]]:
        found = [(one, row) for one in answers for row in getattr(one.response, rows)]
        found.sort(key=lambda pair: (-level(pair[0]), -pair[1].score))
        return [(one.label, row) for one, row in found]

    every, around = ranked("hits"), ranked("neighbors")[: request.limit]
    kept = every[: request.limit]
    entries, sources = [], {}
    for label, row in (*kept, *around):
        entry = owners[label].index.entry(row.id)
        name = f"{label}/{entry.source}"
        sources[name] = evolve(owners[label].index.source(entry.source), name=name)
        entries.append(evolve(entry, source=name))
    quotes, unquoted = (
        quoted(entries, sources, request.max_chars, before=request.before, after=request.after)
        if request.max_chars
        else ((), len(entries))
    )
    modes = {one.response.mode for one in answers}
    left = {
        key: sum(one.response.left_out.get(key, 0) for one in answers)
        for key in ("hits", "duplicates")
    }
    return SearchResponse(
        mode=modes.pop() if len(modes) == 1 else "hybrid",
        evidence=best.response.evidence,
        hits=tuple(relabel(row, label) for label, row in kept),
        neighbors=tuple(_relabelled(row, label) for label, row in around),
        left_out={
            "hits": left["hits"] + len(every) - len(kept),
            "duplicates": left["duplicates"],
            "sources": unquoted,
        },
        quotes=quotes,
        vectors=", ".join(
            f"{one.label}: {one.response.vectors}" for one in answers if one.response.vectors
        ),
        notes=common_notes(answers),
    )


def _relabelled(one: Neighbor, label: str) -> Neighbor:
    way = tuple(
        evolve(edge, start=f"{label}/{edge.start}", end=f"{label}/{edge.end}") for edge in one.way
    )
    moved: Neighbor = relabel(evolve(one, way=()), label)
    return evolve(moved, way=way)


def render(response: SearchResponse, view: Any) -> str:
    """What is to be said of the evidence, a few lines a hit, and the source of the best."""
    parts = []
    if response.evidence.level != "strong":
        parts.append(diagnosis(response))
    parts.append("\n".join(_line(one) if view.hits else _told(one) for one in response.hits))
    if response.neighbors:
        parts.append("\n".join(["around them:", *map(_reached, response.neighbors)]))
    if not view.hits:
        parts.append(render_quotes(response.quotes, numbers=view.numbers))
    parts.append(_left_out(response, quoted=not view.hits))
    if response.vectors:
        parts.append(f"vectors: {response.vectors}; the index is still being built")
    return "\n\n".join(part for part in parts if part)


def _line(one: Hit) -> str:
    return f"{one.location}-{one.last_line}  {one.kind}  {one.id}"


def _told(one: Hit | Neighbor) -> str:
    return f"{one.location}-{one.last_line}  {one.kind} {one.title}\n    {_about(one)}"


def _about(one: Hit | Neighbor) -> str:
    return str(one.facts.get("description") or one.facts.get("signature") or one.kind)


def _reached(one: Neighbor) -> str:
    steps = []
    for edge in one.way:
        doubt = "" if edge.provenance == "resolved" else f" ({edge.provenance})"
        names = (_name(edge.start), edge.label, _name(edge.end))
        steps.append(" ".join(names) + doubt)
    return f"{_told(one)}\n    {', '.join(steps)}"


def _name(entry_id: str) -> str:
    return entry_id.rpartition("#")[2]


def _left_out(response: SearchResponse, *, quoted: bool) -> str:
    left = response.left_out
    rows = []
    if left.get("hits"):
        rows.append(f"{left['hits']:,} more; see --limit")
    if quoted and left.get("sources"):
        rows.append(
            f"{counted(left['sources'], 'declaration')} had no room; see --max-chars, or `show`"
        )
    return "\n".join(rows)


def verb(subject: Subject) -> Verb:
    """Return the verb for a subject."""
    return Verb(
        "search",
        "Rank the declarations that fit a question, with evidence and source.",
        narrowed_request(SearchRequest, subject),
        SearchResponse,
        search,
        render,
        view=SearchView,
        schema="code.search/1",
        merge=merge,
        tools=(
            Tool(
                "search_code",
                "Search declarations by meaning and by words, with how strong the evidence is, "
                "their lines and their source.",
            ),
        ),
    )
