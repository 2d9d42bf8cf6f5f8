"""The schema subject: API descriptions as a searchable graph."""

from collections.abc import Iterator

from attrs import frozen
from sourcebook import Filter, Subject, hookimpl
from sourcebook.verb import option

from sourcebook_schema.fields import FIELDS, embedding_text
from sourcebook_schema.load import SUFFIXES, load
from sourcebook_schema.parse import parse

KINDS = ("service", "method", "type", "property")


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
    of a property its owner, its type, where a parameter stands (`query`, `form`, ...) and whether
    it must be there; of anything whether it is deprecated."""

    method: str = ""
    path: str = ""
    event: str = ""
    owner: str = ""
    type: str = ""
    place: str = ""
    required: bool = False
    deprecated: bool = False


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
        facts=SchemaFacts,
        source_word="file",
    )
