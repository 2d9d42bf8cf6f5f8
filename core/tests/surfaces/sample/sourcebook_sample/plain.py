"""A subject with the verbs of the core and nothing else."""

from collections.abc import Iterator

from sourcebook import Filter, Subject, hookimpl

from .plugin import parse


@hookimpl
def sourcebook_subjects() -> Iterator[Subject]:
    yield Subject(
        "plain",
        parse,
        suffixes=(".plain",),
        kinds=("line",),
        summary="Lines of text, as they are.",
        filters=(Filter("mood", "Only lines of this mood."),),
    )
