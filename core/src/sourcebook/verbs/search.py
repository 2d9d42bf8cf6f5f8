"""search: rank what fits a question, say whether it is an answer, and quote it."""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from sourcebook import events
from sourcebook.embedder import Embedder, EmbedderOptions
from sourcebook.errors import BadRequest
from sourcebook.index.embed import checked_embedder
from sourcebook.index.open import Index
from sourcebook.model import IndexedEntry
from sourcebook.naming import shown_words
from sourcebook.registry import registry
from sourcebook.retrieval.duplicates import Text
from sourcebook.retrieval.evidence import LEVELS, Evidence, assess
from sourcebook.retrieval.find import Found, find
from sourcebook.retrieval.parts import named
from sourcebook.retrieval.quote import Passage, Quote, quote, render_quotes
from sourcebook.store import Scored
from sourcebook.subject import Subject
from sourcebook.verb import Verb, option
from sourcebook.verbs.listing import Located
from sourcebook.verbs.narrow import Narrowed, narrow, narrowed_request
from sourcebook.verbs.together import Answer, common_notes, relabel

QUERY_LIMIT = 100_000
"""Characters of a wording. Its cost grows with its words, and no question is as long."""

MODES = ("hybrid", "vector", "text")


@frozen
class SearchRequest:
    """What to look for, where, and how much of it to show."""

    query: str = option(
        "", help="The question, as one sentence.", positional=True, metavar="TEXT..."
    )
    text_query: str | None = option(
        None, help="Wording for the full-text leg, in the words the corpus uses."
    )
    vector_query: str | None = option(
        None, help="Wording for the vector leg, the question stated in full."
    )
    mode: str | None = option(None, help="Which legs run; default hybrid.", choices=MODES)
    embedding: str | None = option(
        None, help="The embedder that the index was built with; another is refused.", metavar="REF"
    )
    exclude_id: tuple[str, ...] = option(
        (), help="Leave out an entry already seen. Repeatable.", metavar="ID"
    )
    limit: int = option(8, help="Hits kept.", minimum=1, maximum=1000)
    before: int = option(
        0, help="Lines quoted before each hit, too.", flags=("-B",), minimum=0, maximum=10_000
    )
    after: int = option(
        0, help="Lines quoted after each hit, too.", flags=("-A",), minimum=0, maximum=10_000
    )
    max_lines: int = option(400, help="Lines quoted altogether.", minimum=1, maximum=100_000)
    min_evidence: str = option(
        "weak", help="From which evidence on hits are shown.", choices=LEVELS
    )

    @property
    def asks(self) -> bool:
        """Whether anything is asked."""
        return bool(self.query.strip() or self.text_query or self.vector_query)


@frozen
class SearchView:
    """How it is printed."""

    numbers: bool = option(True, help="Leave the line numbers out.")
    hits: bool = option(False, help="One line a hit instead of its text.")
    interactive: bool = option(
        False, help="Prompt, search, narrow, search again. Needs a terminal."
    )


@frozen
class Hit(Located):
    """A ranked entry.

    Args:
        id: `<source>#<key>`; what `show` and `--exclude-id` take.
        kind: one of the subject's kinds.
        source: the name of its source.
        first_line, last_line: its lines there.
        title: how a reader would call it.
        path: titles or owners from the outermost inwards.
        score: the fused score; comparable within one response only.
        ranks, scores: its rank, from 1, and its own score in each leg that found it.
        terms: the terms of the query that it holds, some hundred characters of them.
        text: the lines it stands for, with the lines they need (a table's header) before them.
        facts: what its subject adds.
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
    text: str
    facts: Mapping[str, object]


@frozen
class SearchResponse:
    """What was found.

    Args:
        mode: the legs that ran.
        evidence: whether it is an answer.
        hits: best first; none when the evidence is below what was asked for.
        left_out: hits and lines there was no room for, and near-duplicates of shown hits.
        quotes: the hits' lines, merged by source; none where an index has no copies of its
            documents.
        vectors: `11650 of 11700` while a build is still embedding, else empty.
        notes: what of the request nothing fits.
    """

    mode: str
    evidence: Evidence
    hits: tuple[Hit, ...]
    left_out: Mapping[str, int]
    quotes: tuple[Quote, ...]
    vectors: str
    notes: tuple[str, ...]


@frozen
class Wording:
    """What each leg is asked; an empty text leaves the leg out."""

    text: str
    vector: str
    mode: str


def wording(request: Any, *, has_vectors: bool) -> Wording:
    """Return what each leg is asked.

    A plain query asks both legs, or the one that `mode` names. A wording for one leg alone runs
    that leg alone; with both, each gets its own.

    Raises:
        BadRequest: nothing is asked, or what is asked contradicts itself.
    """
    plain = request.query.strip()
    own = {"text": request.text_query, "vector": request.vector_query}
    given = {leg: text.strip() for leg, text in own.items() if text is not None}
    for name, text in {"query": plain, **{f"{leg}_query": given[leg] for leg in given}}.items():
        if len(text) > QUERY_LIMIT:
            raise BadRequest(
                f"a query takes at most {QUERY_LIMIT:,} characters, and this has {len(text):,}",
                where=name,
                hint="ask what you want to know in a few sentences",
            )
    for leg, text in given.items():
        if not text:
            raise BadRequest(
                f"`{leg}_query` is empty",
                where=f"{leg}_query",
                hint="write a wording or leave it out",
            )
    if not given:
        if not plain:
            raise BadRequest(
                "nothing to search for", where="query", hint="ask a question in one sentence"
            )
        mode = request.mode or ("hybrid" if has_vectors else "text")
        return Wording(plain if mode != "vector" else "", plain if mode != "text" else "", mode)
    if plain:
        raise BadRequest(
            "a wording for a leg replaces the plain query; both were given",
            where=f"{next(iter(given))}_query",
            hint="leave the plain query out, or ask it alone",
        )
    mode = "hybrid" if len(given) == 2 else next(iter(given))
    if request.mode not in (None, mode) or (request.mode and mode != "hybrid"):
        raise BadRequest(
            f"mode `{request.mode}` beside a wording for {' and '.join(given)} "
            f"{'contradicts it' if request.mode != mode else 'says nothing'}",
            where="mode",
            hint="leave the mode out: the wordings say which legs run",
        )
    return Wording(given.get("text", ""), given.get("vector", ""), mode)


def search(index: Index, request: Any) -> SearchResponse:
    """Ask, narrow, run the legs, fuse, judge, quote."""
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
        found = Found(None, (), ()) if narrowed.unmet else run_legs(index, asked, narrowed)
        evidence = judge(index, found, narrowed)
        chosen, left_out = choose(index, request, narrowed, found, evidence)
        quotes, lines_left = quoted(index, request, chosen)
        told.update(hits=len(chosen), evidence=evidence.level)
    return SearchResponse(
        mode=asked.mode,
        evidence=evidence,
        hits=tuple(hit for _, hit in chosen),
        left_out={**left_out, "lines": lines_left},
        quotes=tuple(quotes),
        vectors=""
        if manifest.vectors_done == manifest.vectors_total
        else f"{manifest.vectors_done} of {manifest.vectors_total}",
        notes=narrowed.unmet,
    )


def named_embedder(index: Index, ref: str) -> Embedder:
    """Return the embedder that a request names.

    Raises:
        EmbedderMismatch: the index was built with another.
        PluginMissing: it is not installed.
    """
    lock = index.manifest.embedder
    options = EmbedderOptions(dimensions=lock.dimensions if lock else 0)
    embedder = registry().embedder(ref, options, where="embedding")
    return checked_embedder(index.path, index.manifest, embedder)


def run_legs(index: Index, asked: Wording, narrowed: Narrowed) -> Found:
    """Run the legs that are asked and fuse their rankings."""
    vector = index.embedder.embed_query(asked.vector) if asked.vector else None
    return find(index.generation, text=asked.text, vector=vector, filters=narrowed.filters)


def judge(index: Index, found: Found, narrowed: Narrowed) -> Evidence:
    """Return what the evidence of what was found is."""
    generation = index.generation
    return assess(
        found,
        entries=generation.manifest.entries - generation.manifest.parts,
        narrowed=bool(narrowed.filters),
        unmet=bool(narrowed.unmet),
        background=generation.background if found.vector is not None else None,
        bars=index.subject.evidence_bars,
    )


def choose(
    index: Index, request: Any, narrowed: Narrowed, found: Found, evidence: Evidence
) -> tuple[list[tuple[IndexedEntry, Hit]], dict[str, int]]:
    """Return the hits to show with their entries, and how many were left out for want of room or
    as duplicates."""
    if LEVELS.index(evidence.level) < LEVELS.index(request.min_evidence):
        return [], {"hits": 0, "duplicates": 0}
    excluded = {index.entry(one).id for one in request.exclude_id}
    ranks = {
        leg: {one.id: (rank, one.score) for rank, one in enumerate(ranking, start=1)}
        for leg, ranking in found.rankings.items()
    }
    chosen: list[tuple[IndexedEntry, Hit]] = []
    shown: dict[str, Text] = {}
    duplicates = left = 0
    kinds = narrowed.filters.get("kind", ())
    for one in found.fused:
        if one.id in excluded:
            continue
        if len(chosen) == request.limit:
            left += 1
            continue
        place = index.generation.find(one.id)
        if place is None:
            continue
        legs = {leg: places[one.id] for leg, places in ranks.items() if one.id in places}
        for entry in named(index.generation, place, kinds):
            if entry.id in excluded:
                continue
            text = Text(index.body(entry), None if entry.part else place)
            if text.text in shown or any(map(text.is_near_duplicate_of, shown.values())):
                duplicates += 1
            elif len(chosen) == request.limit:
                left += 1
            else:
                shown[text.text] = text
                chosen.append((entry, _hit(entry, text, one, legs, found)))
    return chosen, {"hits": left, "duplicates": duplicates}


def _hit(
    entry: IndexedEntry,
    text: Text,
    ranked: Scored,
    legs: Mapping[str, tuple[int, float]],
    found: Found,
) -> Hit:
    terms = found.text.held_terms(ranked.id) if found.text else ()
    return Hit(
        id=entry.id,
        kind=entry.kind,
        source=entry.source,
        first_line=entry.span.first,
        last_line=entry.span.last,
        title=entry.title,
        path=entry.path,
        score=ranked.score,
        ranks={leg: rank for leg, (rank, _) in legs.items()},
        scores={leg: one for leg, (_, one) in legs.items()},
        terms=shown_words([one.word for one in terms if not entry.part or one.term in text.terms]),
        text=text.text,
        facts=entry.facts,
    )


def quoted(
    index: Index, request: Any, chosen: Sequence[tuple[IndexedEntry, Hit]]
) -> tuple[list[Quote], int]:
    """Return the hits' lines by source, and how many lines had no room; none of an index without
    copies of its documents."""
    if not index.manifest.sources_kept:
        return [], 0
    passages = [Passage(entry.source, entry.span, entry.context, hit.text) for entry, hit in chosen]
    sources = {entry.source: index.source(entry.source) for entry, _ in chosen}
    return quote(
        passages, sources, before=request.before, after=request.after, max_lines=request.max_lines
    )


def merge(answers: Sequence[Answer], request: Any) -> SearchResponse:
    """Return what several indexes answer together.

    Hits of an index with stronger evidence come first, since scores of different legs or
    embedders cannot be compared; then the better score.
    """
    best = max(answers, key=lambda one: LEVELS.index(one.response.evidence.level))
    ranked = sorted(
        ((one, hit) for one in answers for hit in one.response.hits),
        key=lambda pair: (-LEVELS.index(pair[0].response.evidence.level), -pair[1].score),
    )
    kept = ranked[: request.limit]
    passages, sources = [], {}
    can_quote = all(one.index.manifest.sources_kept for one in answers)
    for one, hit in kept if can_quote else ():
        entry = one.index.entry(hit.id)
        name = f"{one.label}/{entry.source}"
        sources[name] = evolve(one.index.source(entry.source), name=name)
        passages.append(Passage(name, entry.span, entry.context, hit.text))
    quotes, lines_left = quote(
        passages, sources, before=request.before, after=request.after, max_lines=request.max_lines
    )
    modes = {one.response.mode for one in answers}
    left_out = {
        key: sum(one.response.left_out.get(key, 0) for one in answers)
        for key in ("hits", "duplicates")
    }
    return SearchResponse(
        mode=modes.pop() if len(modes) == 1 else "hybrid",
        evidence=best.response.evidence,
        hits=tuple(relabel(hit, one.label) for one, hit in kept),
        left_out={
            "hits": left_out["hits"] + len(ranked) - len(kept),
            "duplicates": left_out["duplicates"],
            "lines": lines_left,
        },
        quotes=tuple(quotes),
        vectors=", ".join(
            f"{one.label}: {one.response.vectors}" for one in answers if one.response.vectors
        ),
        notes=common_notes(answers),
    )


def render(response: SearchResponse, view: Any) -> str:
    """The quotes, or one line a hit; what the evidence is where it is not strong."""
    parts = []
    evidence = response.evidence
    if evidence.level != "strong":
        parts.append(diagnosis(response))
    if view.hits or not response.quotes:
        parts.append(
            "\n".join(
                f"{hit.location}-{hit.last_line}  {hit.kind}  "
                f"{' > '.join(hit.path) or hit.title}  {hit.id}"
                for hit in response.hits
            )
        )
    else:
        parts.append(render_quotes(response.quotes, numbers=view.numbers))
    if response.left_out.get("lines"):
        parts.append(f"{response.left_out['lines']} lines had no room; see --max-lines")
    if response.vectors:
        parts.append(f"vectors: {response.vectors}; the index is still being built")
    return "\n\n".join(part for part in parts if part)


def diagnosis(response: Any) -> str:
    """Return what is to be said of evidence that is not strong."""
    evidence = response.evidence
    said = "no answer here" if evidence.level == "none" else "weak evidence"
    rows = [f"{said}: {evidence.reason.replace('_', ' ')}"]
    rows.extend(response.notes)
    if evidence.distinctive:
        if evidence.matched:
            rows.append(f"in this corpus: {', '.join(evidence.matched)}")
        if evidence.missing:
            rows.append(f"not in this corpus: {', '.join(evidence.missing)}")
    if evidence.hint:
        rows.append(f"hint: {evidence.hint}")
    return "\n".join(rows)


def verb(subject: Subject) -> Verb:
    """Return the verb for a subject."""
    return Verb(
        "search",
        "Rank what fits a question, with evidence.",
        narrowed_request(SearchRequest, subject),
        SearchResponse,
        search,
        render,
        view=SearchView,
        schema="search/1",
        merge=merge,
    )
