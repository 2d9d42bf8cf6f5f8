"""The subject `linked`: its `load` tells each document which others there are."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen
from sourcebook import Entry, Problem, Source, Subject, hookimpl
from sourcebook.index.walk import walk
from sourcebook.model import Skipped
from sourcebook.subject import Document, LoadOptions
from sourcebook.verb import option


@frozen
class LinkedOptions:
    """What is told."""

    mark: str = option("", help="Put before what is told.")
    allow_outside: bool = option(False, help="Not used.")


def load(
    paths: Sequence[Path], load_options: LoadOptions, options: LinkedOptions
) -> Iterator[Document | Skipped]:
    """Yield every document with the names of all in its context; `?` makes one malformed."""
    found = [*walk(paths, (".linked",), load_options)]
    good = [one for one in found if not isinstance(one, Skipped) and not one.data.startswith(b"?")]
    names = ",".join(one.name for one in good)
    for one in found:
        if isinstance(one, Skipped):
            yield one
        elif one in good:
            yield Document(one.name, one.data, options.mark + names)
        else:
            yield Skipped(one.name, "malformed", "line 1: a question mark")


def parse(source: Source) -> Iterator[Entry | Problem]:
    """Yield an entry with the context as its title, or a problem for each line with `!`."""
    if source.text.startswith("!"):
        yield Problem("an exclamation mark", 1)
    else:
        yield source.entry(1, 1, kind="line", title=source.context)


@hookimpl
def sourcebook_subjects() -> Iterator[Subject]:
    """Yield `linked`."""
    yield Subject(
        "linked", parse, suffixes=(".linked",), kinds=("line",), load=load, options=LinkedOptions
    )
