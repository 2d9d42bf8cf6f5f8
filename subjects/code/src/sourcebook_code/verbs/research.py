"""research: a search, and where no hit leads clearly a second one around the hits in the graph."""

from collections.abc import Sequence
from typing import Any

import attrs
from attrs import frozen
from sourcebook.index.open import Index
from sourcebook.retrieval.evidence import LEVELS
from sourcebook.subject import Subject
from sourcebook.verb import Tool, Verb, option
from sourcebook.verbs.narrow import narrowed_request
from sourcebook.verbs.search import MODES

from sourcebook_code.expand import MAX_HOPS
from sourcebook_code.verbs import search as searching
from sourcebook_code.verbs.search import Hit, SearchResponse

MAX_STEPS = 2


@frozen
class ResearchRequest:
    """What to look for, and when to stop."""

    query: str = option(
        "", help="The question, as one sentence.", positional=True, metavar="TEXT..."
    )
    mode: str | None = option(None, help="Which legs run; default hybrid.", choices=MODES)
    embedding: str | None = option(
        None, help="The embedder that the index was built with; another is refused.", metavar="REF"
    )
    exclude_id: tuple[str, ...] = option(
        (), help="Leave out a declaration already seen. Repeatable.", metavar="ID"
    )
    limit: int = option(8, help="Hits kept, and as many around them.", minimum=1, maximum=100)
    hops: int = option(
        1, help="Edges from a hit to what is around it.", minimum=1, maximum=MAX_HOPS
    )
    max_steps: int = option(
        MAX_STEPS, help="1 never looks around the hits.", minimum=1, maximum=MAX_STEPS
    )
    dominance: float = option(
        0.3,
        help="By which share of its own score the best hit must lead the next to be the answer.",
        minimum=0,
        maximum=1,
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
        return bool(self.query.strip())


@frozen
class ResearchView:
    """How it is printed."""

    numbers: bool = option(True, help="Leave the line numbers out.")
    hits: bool = option(False, help="Leave the sources out.")


@frozen
class Found:
    """What a step found.

    Args:
        id: of a declaration.
        score: in this step.
        terms: the terms of the question that it holds; none of what only the graph leads to.
    """

    id: str
    score: float
    terms: tuple[str, ...]


@frozen
class Step:
    """One step.

    Args:
        action: `search`, or `graph`: what is around the hits of the search.
        found: the best first.
    """

    action: str
    found: tuple[Found, ...]


@frozen(kw_only=True)
class ResearchResponse(SearchResponse):
    """What was found, and by which steps.

    Args:
        steps: what each step found, once more and in short.
        ended: why it ended: `no_results`; `high_confidence`: the best hit leads by `dominance`;
            `new_graph_evidence` or `no_new_evidence`: what the graph has around the hits; or
            `max_steps`.
    """

    steps: tuple[Step, ...]
    ended: str


def research(index: Index, request: Any) -> ResearchResponse:
    """Search, and look around the hits if none of them leads clearly."""
    first = _search(index, request, graph=False)
    steps = [Step("search", tuple(map(_found, first.hits)))]
    if not first.hits:
        return _response(first, steps, "no_results")
    if _leads(first.hits, request.dominance):
        return _response(first, steps, "high_confidence")
    if request.max_steps < MAX_STEPS:
        return _response(first, steps, "max_steps")
    second = _search(index, request, graph=True)
    around = tuple(Found(one.id, one.score, ()) for one in second.neighbors)
    steps.append(Step("graph", around))
    return _response(second, steps, "new_graph_evidence" if around else "no_new_evidence")


def _search(index: Index, request: Any, *, graph: bool) -> SearchResponse:
    wanted = searching.verb(index.subject).request
    known = {field.name for field in attrs.fields(type(request))}
    given = {
        field.name: getattr(request, field.name)
        for field in attrs.fields(wanted)
        if field.name in known
    }
    return searching.search(index, wanted(**given, graph=graph))


def _leads(hits: Sequence[Hit], dominance: float) -> bool:
    return len(hits) == 1 or hits[0].score - hits[1].score >= dominance * hits[0].score


def _found(hit: Hit) -> Found:
    return Found(hit.id, hit.score, hit.terms)


def _response(found: SearchResponse, steps: Sequence[Step], ended: str) -> ResearchResponse:
    known = {field.name: getattr(found, field.name) for field in attrs.fields(SearchResponse)}
    return ResearchResponse(**known, steps=tuple(steps), ended=ended)


_ENDED = {
    "no_results": "nothing was found",
    "high_confidence": "one step: the best hit leads clearly",
    "new_graph_evidence": "two steps: no hit leads clearly, so what is around them is here too",
    "no_new_evidence": "two steps: no hit leads clearly, and nothing is around them",
    "max_steps": "one step: no hit leads clearly; without `--max-steps 1` what is around them "
    "is shown",
}


def render(response: ResearchResponse, view: Any) -> str:
    """What `search` shows, then how it ended."""
    return f"{searching.render(response, view)}\n\n{_ENDED[response.ended]}".lstrip()


def verb(subject: Subject) -> Verb:
    """Return the verb."""
    return Verb(
        "research",
        "Search, and look around the hits in the graph unless one leads clearly.",
        narrowed_request(ResearchRequest, subject),
        ResearchResponse,
        research,
        render,
        view=ResearchView,
        schema="code.research/1",
        tools=(
            Tool(
                "research_code",
                "Search the code in at most two steps: by words and meaning, and where no hit "
                "leads clearly, along calls and imports around the hits.",
            ),
        ),
    )
