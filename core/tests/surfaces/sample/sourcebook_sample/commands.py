"""A command beside the subjects."""

from collections.abc import Iterator

from sourcebook import hookimpl
from sourcebook.verb import Command


@hookimpl
def sourcebook_commands() -> Iterator[Command]:
    yield Command("greet", "Say hello.", "sourcebook_sample.greeting:greet")
