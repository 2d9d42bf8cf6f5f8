"""search: what fits several terms, judged, and the connected part of the API around it."""

import builtins
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

import attrs
from attrs import frozen
from sourcebook import events
from sourcebook.errors import Ambiguous, BadRequest
from sourcebook.index.open import Index
from sourcebook.naming import counted, shown, shown_words
from sourcebook.retrieval.evidence import LEVELS, Evidence
from sourcebook.subgraph import Edge, Node, Subgraph
from sourcebook.verb import Tool, Verb, option
from sourcebook.verbs.listing import Located
from sourcebook.verbs.search import MODES, named_embedder
from sourcebook.verbs.together import Answer, common_notes, relabel

from sourcebook_schema import calls
from sourcebook_schema.api import Api
from sourcebook_schema.connect import Piece, Seed, connect
from sourcebook_schema.facts import ENTRY_KINDS
from sourcebook_schema.ranking import Ranking
from sourcebook_schema.render import FORMAT_HELP, TEXT, render_part
from sourcebook_schema.scope import Scope
from sourcebook_schema.terms import terms_of
from sourcebook_schema.verbs.items import PATH_HELP, SOURCE_HELP

SEEDS = 5
MAX_HOPS = 3
MAX_NODES = 200


@frozen
class SearchRequest:
    """What to look for, where, and how much around it to show."""

    query: str = option(
        "", help="What to look for, in words: the same as --all.", positional=True,
        metavar="TEXT...",
    )  # fmt: skip
    all: tuple[str, ...] = option((), help="Look among everything. Repeatable.", metavar="TEXT")
    method: tuple[str, ...] = option((), help="Look for operations. Repeatable.", metavar="TEXT")
    type: tuple[str, ...] = option(
        (), help="Look for types that travel as --direction says. Repeatable.", metavar="TEXT"
    )
    input_type: tuple[str, ...] = option(
        (), help="Look for types that a call accepts. Repeatable.", metavar="TEXT"
    )
    output_type: tuple[str, ...] = option(
        (), help="Look for types that a call returns. Repeatable.", metavar="TEXT"
    )
    property: tuple[str, ...] = option(
        (),
        help="Look for fields and parameters that travel as --direction says. Repeatable.",
        metavar="TEXT",
    )
    input_property: tuple[str, ...] = option(
        (), help="Look for fields and parameters that a call accepts. Repeatable.", metavar="TEXT"
    )
    output_property: tuple[str, ...] = option(
        (), help="Look for fields that a call returns. Repeatable.", metavar="TEXT"
    )
    text_query: str | None = option(
        None, help="Wording for the full-text leg, in the words the API uses."
    )
    vector_query: str | None = option(
        None, help="Wording for the vector leg, the question stated in full."
    )
    mode: str | None = option(None, help="Which legs run; default hybrid.", choices=MODES)
    embedding: str | None = option(
        None, help="The embedder that the index was built with; another is refused.", metavar="REF"
    )
    kind: tuple[str, ...] = option(
        (), help="What TEXT and --all look among; default everything. Repeatable.",
        choices=ENTRY_KINDS,
    )  # fmt: skip
    direction: str = option(
        "any",
        help="What --type and --property may find: what travels this way, seen from the caller.",
        choices=("input", "output", "any"),
    )
    method_type: str = option(
        "any",
        help="Only operations that change nothing (read_only) or may (read_write), and what these "
        "carry.",
        choices=("read_only", "read_write", "any"),
    )
    exclude_id: tuple[str, ...] = option(
        (), help="Leave out a node already seen. Repeatable.", metavar="ID"
    )
    exclude_method: tuple[str, ...] = option(
        (), help="Leave out an operation by its id or route. Repeatable.", metavar="NAME"
    )
    exclude_type: tuple[str, ...] = option(
        (), help="Leave out a type and its fields. Repeatable.", metavar="NAME"
    )
    exclude_property: tuple[str, ...] = option(
        (), help="Leave out fields and parameters by their name. Repeatable.", metavar="NAME"
    )
    source: tuple[str, ...] = option((), help=SOURCE_HELP, metavar="NAME")
    path: tuple[str, ...] = option((), help=PATH_HELP, metavar="PATTERN")
    limit: int = option(SEEDS, help="Hits kept for each term.", minimum=1, maximum=1000)
    max_hops: int = option(
        MAX_HOPS,
        help="How many steps, from one operation or type to the next, two hits may be apart and "
        "still be connected.",
        minimum=0,
        maximum=20,
    )
    max_nodes: int = option(
        MAX_NODES, help="Nodes of the whole; hits come first.", minimum=1, maximum=100_000
    )
    chain: bool = option(
        True, help="Leave out the calls that supply the ids which the others need."
    )
    min_evidence: str = option(
        "weak", help="From which evidence on hits are shown.", choices=LEVELS
    )
    format: str = option(TEXT, help=FORMAT_HELP, flags=("-f",), metavar="NAME")
    docs: bool = option(True, help="Leave the descriptions out.")
    show_source: bool = option(False, help="Name the document that each node comes from.")

    @builtins.property  # a field has the other name
    def asks(self) -> bool:
        """Whether anything is asked."""
        terms = (self.all, self.method, self.type, self.input_type, self.output_type,
                 self.property, self.input_property, self.output_property)  # fmt: skip
        return bool(self.query.strip() or self.text_query or self.vector_query or any(terms))


@frozen
class SearchView:
    """How it is printed."""

    interactive: bool = option(
        False, help="Prompt, search, narrow, search again. Needs a terminal."
    )


@frozen
class Hit(Located):
    """A ranked entry.

    Args:
        id: `<source>#<key>`; what `show`, `trace` and `--exclude-id` take.
        kind: `method`, `type`, `property` or `service`.
        found_by: the terms that found it, by the names of their fields.
        title: what it is called beside others of its kind: `GET /users`, `Invoice.lines`.
        source, first_line, last_line: where it is written.
        score: the fused score; comparable within one term only.
        ranks, scores: its rank, from 1, and its own score in each leg that found it.
        terms: the words of the question that it holds.
        direction: `input`, `output`, `both` or `none`, seen from the caller; empty for operations.
        summary: its first sentence.
        facts: what the index keeps of it beside its texts.
    """

    id: str
    kind: str
    found_by: tuple[str, ...]
    title: str
    source: str
    first_line: int
    last_line: int
    score: float
    ranks: Mapping[str, int]
    scores: Mapping[str, float]
    terms: tuple[str, ...]
    direction: str
    summary: str
    facts: Mapping[str, object]


@frozen
class Call(Located):
    """An operation of the answer, better ones first.

    Args:
        id: of the operation.
        operation: `GET /users/{id}`, `WEBHOOK paid`.
        name: its operation id, or the same again.
        role: `found`; `carries`: it sends or returns a hit; `supplies`: its answer holds what
            another call needs.
        of: the id of that hit, or of that other call; empty if it was found itself.
        parameter: the name of what it supplies.
        source, first_line, last_line: where it is written.
    """

    id: str
    operation: str
    name: str
    role: str
    of: str
    parameter: str
    source: str
    first_line: int
    last_line: int


@frozen
class TermAnswer:
    """What one term found.

    Args:
        term: the field of the request that asked it.
        asked: its wording.
        mode: the legs that ran.
        evidence: whether what it found is an answer.
        hits: how many of the hits are its own.
        left_out: how many more fit less.
    """

    term: str
    asked: str
    mode: str
    evidence: Evidence
    hits: int
    left_out: int


@frozen
class SearchResponse:
    """What was found, and the part of the API around it.

    Args:
        evidence: whether it is an answer: that of the term with the strongest.
        terms: what each term found.
        hits: the best of each term by turns; none of terms whose evidence is below what was
            asked for.
        calls: the operations of the answer: hits, what carries hits, what supplies those.
        nodes: the connected part around the hits, operations first.
        edges: among them.
        left_out: `hits` that had no room in the part, `nodes` around them that had none.
        format: of the text.
        text: the part, rendered; empty without hits.
        vectors: `11650 of 11700` while a build is still embedding, else empty.
        notes: what of the request nothing fits.
    """

    evidence: Evidence
    terms: tuple[TermAnswer, ...]
    hits: tuple[Hit, ...]
    calls: tuple[Call, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    left_out: Mapping[str, int]
    format: str
    text: str
    vectors: str
    notes: tuple[str, ...] = ()


def search(index: Index, request: SearchRequest) -> SearchResponse:
    """Ask each term, judge, connect what they found, and render that."""
    manifest = index.manifest
    terms = terms_of(request, has_vectors=manifest.vectors_done > 0)
    if manifest.embedder is None and (request.embedding or any(one.vector for one in terms)):
        raise BadRequest(
            f"`{index.name}` has no vectors",
            where="embedding" if request.embedding else "mode",
            hint="search with `--mode text`, or index with an embedder",
        )
    if request.embedding:
        named_embedder(index, request.embedding)
    with events.timed("search", terms=len(terms)) as told:
        api = Api.of(index)
        scope = Scope(api, request)
        rankings = [Ranking(index, api, scope, term) for term in terms]
        best = max((one.evidence for one in rankings), key=lambda one: LEVELS.index(one.level))
        chosen = [_choose(api, one, request) for one in rankings]
        hits = [
            calls.Hit(node, by[0], names, calls.carriers(api, scope, by[0], node, request.max_hops))
            for node, by in _by_turns(rankings, chosen).items()
            for names in [tuple(dict.fromkeys(one.term.name for one in by))]
        ]
        called = calls.calls(api, scope, hits, chain=request.chain)
        operations = [call.operation for call in called]
        piece = connect(
            api, [Seed(hit.node, hit.routes) for hit in hits], more=operations, shows=scope.shows,
            max_hops=request.max_hops, max_nodes=request.max_nodes,
        )  # fmt: skip
        told.update(hits=len(hits), evidence=best.level)
    part, text = _rendered(api, piece, operations, hits, request)
    return SearchResponse(
        evidence=best,
        terms=tuple(map(_answer, rankings, chosen)),
        hits=tuple(_hit(index, api, hit) for hit in hits),
        calls=tuple(_call(api, call) for call in called),
        nodes=part.nodes,
        edges=part.edges,
        left_out=piece.left_out,
        format=request.format,
        text=text,
        vectors=""
        if manifest.vectors_done == manifest.vectors_total
        else f"{manifest.vectors_done} of {manifest.vectors_total}",
        notes=tuple(
            dict.fromkeys((*scope.unmet, *scope.notes, *(n for one in rankings for n in one.notes)))
        ),
    )


def _choose(api: Api, ranking: Ranking, request: SearchRequest) -> list[int]:
    """Return the nodes that a term found, if its evidence is as strong as was asked for."""
    if LEVELS.index(ranking.evidence.level) < LEVELS.index(request.min_evidence):
        return []
    best = ranking.found.fused[: request.limit]
    return [node for one in best if (node := api.node(one.id)) >= 0]


def _by_turns(
    rankings: Sequence[Ranking], chosen: Sequence[Sequence[int]]
) -> dict[int, list[Ranking]]:
    """Return the nodes of all terms, the first of each before the second of any, with the rankings
    that chose them, that of the better place first."""
    found: dict[int, list[Ranking]] = {}
    for row in zip_longest(*chosen):
        for node, ranking in zip(row, rankings, strict=True):
            if node is not None:
                found.setdefault(node, []).append(ranking)
    return found


def _rendered(
    api: Api,
    piece: Piece,
    operations: Sequence[int],
    hits: Sequence[calls.Hit],
    request: SearchRequest,
) -> tuple[Subgraph, str]:
    """Return the part of the API as records, better operations first, and as text."""
    matched = [hit.node for hit in hits if hit.node in piece.nodes]
    places = {api.id(node): place for place, node in enumerate(operations)}

    def make(document: bool) -> Subgraph:
        part = api.subgraph(piece.nodes, matched, document=document)
        ranked = sorted(part.nodes, key=lambda node: places.get(node.id, len(places)))
        return attrs.evolve(part, nodes=tuple(ranked))

    plain = make(False)
    if not hits:
        return plain, ""
    return plain, render_part(
        lambda document: make(True) if document else plain,
        request.format,
        docs=request.docs,
        sources=request.show_source,
    )


def _answer(ranking: Ranking, chosen: Sequence[int]) -> TermAnswer:
    term = ranking.term
    more = len(ranking.found.fused) - len(chosen)
    return TermAnswer(term.name, shown(term.asked), term.mode, ranking.evidence, len(chosen), more)


def _hit(index: Index, api: Api, hit: calls.Hit) -> Hit:
    entry = index.entry(api.id(hit.node))
    found = hit.ranking.found
    ranks, scores = {}, {}
    for leg, ranking in found.rankings.items():
        for rank, one in enumerate(ranking, start=1):
            if one.id == entry.id:
                ranks[leg], scores[leg] = rank, one.score
    terms = found.text.held_terms(entry.id) if found.text else ()
    return Hit(
        id=entry.id,
        kind=entry.kind,
        found_by=hit.found_by,
        title=api.title(hit.node),
        source=entry.source,
        first_line=entry.span.first,
        last_line=entry.span.last,
        score=next(one.score for one in found.fused if one.id == entry.id),
        ranks=ranks,
        scores=scores,
        terms=shown_words([one.word for one in terms]),
        direction=api.direction(hit.node),
        summary=api.graph.summaries[hit.node],
        facts=entry.facts,
    )


def _call(api: Api, call: calls.Call) -> Call:
    node, graph = call.operation, api.graph
    return Call(
        id=api.id(node),
        operation=api.title(node),
        name=graph.names[node],
        role=call.role,
        of=api.id(call.of) if call.of >= 0 else "",
        parameter=graph.names[call.parameter] if call.parameter >= 0 else "",
        source=graph.source(node),
        first_line=graph.firsts[node],
        last_line=graph.lasts[node],
    )


def merge(answers: Sequence[Answer], request: SearchRequest) -> SearchResponse:
    """Return what several indexes answer together, one after another: those with the stronger
    evidence first, since scores of different indexes cannot be compared.

    Raises:
        Ambiguous: several have an answer, and the format cannot hold it all.
    """
    order = sorted(answers, key=lambda one: -LEVELS.index(one.response.evidence.level))
    having = [one for one in order if one.response.hits]
    if len(having) > 1 and request.format != TEXT:
        raise Ambiguous(
            f"{len(having)} indexes have an answer: {', '.join(one.label for one in having)}",
            where="format",
            hint="ask one of them, or for `text`",
        )
    responses = [_relabelled(one.response, one.label) for one in order]
    sums = {key: sum(one.left_out.get(key, 0) for one in responses) for key in ("hits", "nodes")}
    return SearchResponse(
        evidence=responses[0].evidence,
        terms=tuple(row for one in responses for row in one.terms),
        hits=tuple(row for one in responses for row in one.hits),
        calls=tuple(row for one in responses for row in one.calls),
        nodes=tuple(row for one in responses for row in one.nodes),
        edges=tuple(row for one in responses for row in one.edges),
        left_out=sums,
        format=request.format,
        text="\n\n".join(one.text for one in responses if one.text),
        vectors=", ".join(
            f"{one.label}: {one.response.vectors}" for one in order if one.response.vectors
        ),
        notes=common_notes(answers),
    )


def _relabelled(response: SearchResponse, label: str) -> SearchResponse:
    under = f"{label}/{{}}".format
    return attrs.evolve(
        response,
        hits=relabel(response.hits, label),
        calls=tuple(
            attrs.evolve(one, of=under(one.of) if one.of else "")
            for one in relabel(response.calls, label)
        ),
        nodes=relabel(response.nodes, label),
        edges=tuple(
            attrs.evolve(edge, start=under(edge.start), end=under(edge.end))
            for edge in response.edges
        ),
    )


def render(response: SearchResponse, _view: object) -> str:
    """What is to be said of the evidence, the text, and of a tree what belongs to it."""
    parts = [*_diagnosis(response), response.text]
    if response.format == TEXT:
        parts += ["\n".join(_chained(response)), _left_out(response)]
    if response.vectors:
        parts.append(f"vectors: {response.vectors}; the index is still being built")
    return "\n\n".join(part for part in parts if part)


def _diagnosis(response: SearchResponse) -> Iterator[str]:
    for one in response.terms:
        if one.evidence.level == "strong":
            continue
        said = "no answer here" if one.evidence.level == "none" else "weak evidence"
        rows = [f"{said}: {one.evidence.reason.replace('_', ' ')}"]
        if len(response.terms) > 1:
            rows[0] = f"{one.term} `{one.asked}`: {rows[0]}"
        if one.evidence.matched:
            rows.append(f"in this API: {', '.join(one.evidence.matched)}")
        if one.evidence.missing:
            rows.append(f"not in this API: {', '.join(one.evidence.missing)}")
        if one.evidence.hint:
            rows.append(f"hint: {one.evidence.hint}")
        yield "\n".join(rows)
    yield "\n".join(response.notes)


def _chained(response: SearchResponse) -> Iterator[str]:
    names = {call.id: call.operation for call in response.calls}
    for call in response.calls:
        if call.role == "supplies":
            yield f"{names[call.of]} takes {call.parameter} from {call.operation}"


def _left_out(response: SearchResponse) -> str:
    left = [counted(count, name[:-1]) for name, count in response.left_out.items() if count]
    return f"… {' and '.join(left)} left out; see --max-nodes" if left else ""


verb = Verb(
    "search",
    "Rank what fits, and show the connected part of the API around it.",
    SearchRequest,
    SearchResponse,
    search,
    render,
    view=SearchView,
    schema="schema.search/1",
    merge=merge,
    tools=(
        Tool(
            "search_api",
            "Search operations, types and properties by meaning and by words, and show the "
            "connected part of the API around them, with how strong the evidence is.",
        ),
    ),
)
