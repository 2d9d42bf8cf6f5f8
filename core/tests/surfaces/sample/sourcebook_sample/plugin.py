"""A subject whose verbs try every type of option and every way to fail."""

from collections.abc import Iterator

from sourcebook import Entry, Source, Subject, hookimpl
from sourcebook.verb import GENERIC_VERBS, VerbRef


def parse(source: Source) -> Iterator[Entry]:
    """Yield every line that is not blank."""
    for number, line in enumerate(source.lines, start=1):
        if line.strip():
            yield source.entry(number, number, kind="line", title=line)


OWN = (
    VerbRef("search", "Echo a request.", "sourcebook_sample.verbs:SEARCH"),
    VerbRef("show", "Show things by name.", "sourcebook_sample.verbs:SHOW"),
    VerbRef("fail", "Fail in some way.", "sourcebook_sample.verbs:FAIL"),
    VerbRef("crash", "Fail while reading an index.", "sourcebook_sample.verbs:CRASH"),
    VerbRef("where", "Say which index is open.", "sourcebook_sample.verbs:WHERE"),
)
NAMES = {ref.name for ref in OWN}


@hookimpl
def sourcebook_subjects() -> Iterator[Subject]:
    yield Subject(
        "sample",
        parse,
        suffixes=(".sample",),
        kinds=("line",),
        summary="Lines of text, and verbs that misbehave.",
        # The core's own verbs have tests of their own: here they stand for themselves by name.
        verbs=(
            *OWN,
            *(
                VerbRef(ref.name, ref.summary, "sourcebook_sample.verbs:NOTHING")
                for ref in GENERIC_VERBS
                if ref.name not in NAMES and ref.name != "index"
            ),
        ),
    )
