"""`sourcebook agent`: the protocol of `jsonlines` on this process's own streams."""

import inspect
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import click

from sourcebook.errors import SourcebookError
from sourcebook.surfaces.command import Shown, context, showing
from sourcebook.surfaces.jsonlines import Served, Session, serve
from sourcebook.surfaces.output import write_error


@contextmanager
def claimed_stdout() -> Iterator[BinaryIO]:
    """Keep standard output for the protocol: whatever else is printed goes to standard error."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with os.fdopen(kept, "wb") as stream:
            yield stream
    finally:
        with suppress(OSError):
            sys.stdout.flush()


def find_indexes(named: Sequence[str]) -> list[Served]:
    """Return what there is to serve: the named indexes, else the nearest of every subject.

    Raises:
        IndexMissing: a named one is no index.
        PluginMissing: its subject is not installed.
    """
    from sourcebook.index.manifest import read_manifest
    from sourcebook.index.open import open_index
    from sourcebook.registry import registry
    from sourcebook.surfaces.locate import nearest_indexes

    if named:
        paths = [Path(one) for one in named]
        found = [(read_manifest(path).subject, path) for path in paths]
    else:
        try:
            found = nearest_indexes()
        except SourcebookError as error:  # one may come; `refresh` looks again
            write_error(error)
            found = []
    return [
        Served(registry().subject(name, where=str(path)), path, open_index) for name, path in found
    ]


def agent_command() -> click.Command:
    """Return `sourcebook agent`."""

    def run(dirs: tuple[str, ...]) -> None:
        from sourcebook.settings import load_settings

        if sys.stdin is None or sys.stdout is None:
            raise Shown(
                SourcebookError(
                    "standard input or output is closed",
                    hint="requests come in by the one, replies go out by the other",
                )
            )
        with showing(), claimed_stdout() as replies:
            session = Session(lambda: find_indexes(dirs), load_settings())
            try:
                serve(session, sys.stdin.buffer, replies)
            finally:
                session.close()

    about = "An index to serve, of any subject; the nearest of each if unset. Repeatable."
    return click.Command(
        "agent",
        callback=run,
        params=[click.Option(["dirs", "-d", "--dir"], multiple=True, metavar="DIR", help=about)],
        help=inspect.cleandoc(
            """Answer requests, one JSON object per line, until the input ends.

            Send {"action": "hello"} to learn what is open, {"action": "describe"} for the fields
            of every action.
            """
        ),
        context_settings=context(),
    )
