"""Runbooks: numbered procedures from the ops wiki."""

import re
from collections.abc import Iterator

from sourcebook import Entry, Source, Subject, hookimpl

STEP = re.compile(r"(\d+)\. (.+)")


def parse(source: Source) -> Iterator[Entry]:
    """Yield the whole procedure, then one entry for each step."""
    title = source.lines[0].removeprefix("# ")
    procedure = source.entry(1, len(source.lines), kind="procedure", title=title)
    yield procedure
    for number, line in enumerate(source.lines, start=1):
        if step := STEP.match(line):
            yield source.entry(
                number, number, kind="step", title=f"{title}, step {step[1]}", parent=procedure
            )


@hookimpl
def sourcebook_subjects() -> Iterator[Subject]:
    """Yield the subject `runbooks`."""
    yield Subject("runbooks", parse, suffixes=(".runbook",), kinds=("procedure", "step"))
