"""The subject `sayings`: each entry has its text by itself, so that no copies are needed."""

from collections.abc import Iterator

from sourcebook import Entry, Source, Subject, hookimpl


def parse(source: Source) -> Iterator[Entry]:
    """Yield an entry a line; `!` yields one that is cut from its source, which must not be."""
    for number, line in enumerate(source.lines, start=1):
        fields = {} if line.startswith("!") else {"body": f"they say {line}"}
        yield source.entry(number, number, kind="saying", title=line, fields=fields)


@hookimpl
def sourcebook_subjects() -> Iterator[Subject]:
    """Yield `sayings`."""
    yield Subject("sayings", parse, suffixes=(".saying",), kinds=("saying",), needs_sources=False)
