"""The schema subject: API descriptions as a searchable graph."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen
from sourcebook import Filter, Subject, hookimpl
from sourcebook.verb import VerbRef, option

from sourcebook_schema.fields import FIELDS, embedding_text
from sourcebook_schema.load import SUFFIXES, load
from sourcebook_schema.parse import parse

KINDS = ("service", "method", "type", "property")

EVIDENCE_BARS = {"hybrid": (0.03, 0.2), "text": (0.001, 0.02), "vector": (0.1, 0.7)}
"""Lower than those of documents: what is particular in a question about an API are names of things,
which its description does not hold. See tests/bench/bench_schema_search.py."""


def assemble(facts_by_source: Mapping[str, Sequence[Any]]) -> dict[str, bytes]:
    """Return the structure files of an index; see `sourcebook_schema.assemble`."""
    from sourcebook_schema.assemble import assemble as link

    return link(facts_by_source)


@frozen
class SchemaOptions:
    """How descriptions are read."""

    strict: bool = option(
        False, help="Refuse descriptions that break the rules of OpenAPI or Swagger."
    )
    allow_outside: bool = option(
        False, help="Read files that references lead to outside the folders given."
    )
    allow_remote: bool = option(
        False, help="Fetch documents that references lead to on other machines, by https only."
    )


@frozen
class SchemaFacts:
    """What a hit adds: of an operation its method, path and event (`webhook`, `callback` or none);
    of a property its owner, its type, where a parameter stands (`query`, `form`, ...), whether it
    must be there, whether it may be null, and `values` where these are a closed list; of anything
    whether it is deprecated."""

    method: str = ""
    path: str = ""
    event: str = ""
    owner: str = ""
    type: str = ""
    place: str = ""
    required: bool = False
    deprecated: bool = False
    nullable: bool = False
    values: tuple[object, ...] = ()


@hookimpl
def sourcebook_subjects() -> Iterator[Subject]:
    """Yield the subject `schema`."""
    yield Subject(
        "schema",
        parse,
        suffixes=SUFFIXES,
        kinds=KINDS,
        summary="OpenAPI and Swagger descriptions: operations, types and properties as a graph.",
        fields=FIELDS,
        filters=(
            Filter("path", "Only operations on this path, and their parameters.", multi=True),
            Filter(
                "method_type",
                "Only operations that change nothing (read_only) or may (read_write).",
                match="choice",
            ),
            Filter("event", "Only webhooks (webhook) or callbacks (callback).", match="choice"),
        ),
        options=SchemaOptions,
        load=load,
        embedding_text=embedding_text,
        assemble=assemble,
        verbs=(
            VerbRef(
                "search",
                "Rank what fits, and show the connected part of the API around it.",
                "sourcebook_schema.verbs.search:verb",
            ),
            VerbRef(
                "list",
                "List every operation, type or property; no ranking.",
                "sourcebook_schema.verbs.list:verb",
            ),
            VerbRef(
                "grep",
                "Find every text that holds a pattern; no ranking.",
                "sourcebook_schema.verbs.grep:verb",
            ),
            VerbRef(
                "trace",
                "Find the operations that carry a field or type, and how.",
                "sourcebook_schema.verbs.trace:verb",
            ),
            VerbRef(
                "show",
                "Print operations, types and properties by name.",
                "sourcebook_schema.verbs.show:verb",
            ),
            VerbRef(
                "check",
                "Say whether a request or a response fits the description.",
                "sourcebook_schema.verbs.check:verb",
            ),
            VerbRef(
                "stats",
                "Say which documents an index holds and what built it.",
                "sourcebook_schema.verbs.stats:verb",
            ),
        ),
        facts=SchemaFacts,
        evidence_bars=EVIDENCE_BARS,
        source_word="file",
        needs_sources=False,
    )
