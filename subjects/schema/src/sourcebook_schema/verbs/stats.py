"""stats: the documents of an index, what they hold, and what built it."""

import attrs
from attrs import frozen
from sourcebook.index.open import Index
from sourcebook.verb import Verb
from sourcebook.verbs.stats import StatsRequest, StatsResponse
from sourcebook.verbs.stats import render as render_core
from sourcebook.verbs.stats import stats as core_stats

from sourcebook_schema.api import Api
from sourcebook_schema.documents import Document
from sourcebook_schema.verbs.list import document_row


@frozen(kw_only=True)
class SchemaStatsResponse(StatsResponse):
    """What an index holds and what built it.

    Args:
        documents: each description with its short name, title, version and counts.
    """

    documents: tuple[Document, ...]


def stats(index: Index, request: StatsRequest) -> SchemaStatsResponse:
    """Return the documents of an index, and its figures."""
    told = core_stats(index, request)
    known = {field.name: getattr(told, field.name) for field in attrs.fields(StatsResponse)}
    documents = tuple(Api.of(index).documents)
    return SchemaStatsResponse(**known, documents=documents)


def render(response: SchemaStatsResponse, view: object) -> str:
    """A row for each document, then the figures, one a row."""
    return "\n".join([*map(document_row, response.documents), "", render_core(response, view)])


verb = Verb(
    "stats",
    "Say which documents an index holds and what built it.",
    StatsRequest,
    SchemaStatsResponse,
    stats,
    render,
    schema="schema.stats/1",
    tools=None,
)
