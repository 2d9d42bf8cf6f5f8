"""Parsing many documents on all cores, in processes that are started only for that."""

import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.errors import SourcebookError
from sourcebook.index.parse import EncodedParse, parse_document
from sourcebook.subject import Subject

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

WORKERS_FROM = 32
"""Changed documents below which all runs in-process: starting workers costs about a second."""

UNDER_WAY = 4
"""Documents per worker that are handed out at a time, so that memory stays bounded."""

Task = tuple[str, bytes, str, str]
"""Name, bytes, sha256 and context of a document."""


class Done(NamedTuple):
    """A document that has been parsed; `encoded` is what the cache keeps of it."""

    task: Task
    parse: EncodedParse
    encoded: bytes


class Workers:
    """Parses documents, here or in processes that find the subject by its name.

    They are spawned, not forked, so that nothing of this process's threads and engines comes along.

    Args:
        count: processes at the most.
    """

    def __init__(self, subject: Subject, options: object | None, count: int) -> None:
        self._subject = subject
        self._options = options
        self._count = count
        self._pool: ProcessPoolExecutor | None = None

    def parse(self, tasks: Sequence[Task]) -> Iterator[Done]:
        """Yield each document parsed, in their order."""
        if self._count > 1 and (self._pool is not None or len(tasks) >= WORKERS_FROM):
            yield from self._elsewhere(tasks)
            return
        for task in tasks:
            parse = parse_document(self._subject, *task, self._options)
            yield Done(task, parse, parse.to_bytes())

    def _elsewhere(self, tasks: Sequence[Task]) -> Iterator[Done]:
        from concurrent.futures.process import BrokenProcessPool

        under_way: deque[tuple[Task, Future[bytes]]] = deque()
        try:
            pool = self._pool = self._pool or self._start()
            for task in tasks:
                work = pool.submit(_work, self._subject.name, task, self._options)
                under_way.append((task, work))
                if len(under_way) >= UNDER_WAY * self._count:
                    yield self._done(*under_way.popleft())
            while under_way:
                yield self._done(*under_way.popleft())
        except BrokenProcessPool:
            raise SourcebookError(
                "a process that parses documents was ended from outside",
                where=under_way[0][0][0] if under_way else self._subject.name,
                hint="if memory is short, index fewer or smaller files",
            ) from None

    def _done(self, task: Task, work: "Future[bytes]") -> Done:
        encoded = work.result()
        parse = EncodedParse.from_bytes(encoded, len(self._subject.fields))
        return Done(task, parse, encoded)

    def _start(self) -> "ProcessPoolExecutor":
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # Each finds the subject before the first task reaches it: its options may be of a class in
        # a file of the user's own, which only the registry can import.
        pool = ProcessPoolExecutor(
            self._count,
            get_context("spawn"),
            initializer=_begin,
            initargs=(self._subject.name,),
        )
        # All are started now, by a task each. One that dies while others are being started would
        # have the pool wait for these forever.
        with _starting():
            begun = [pool.submit(_nothing) for _ in range(self._count)]
        for one in begun:
            one.result()
        return pool

    def close(self) -> None:
        """Have the processes end."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


HELD = frozenset({signal.SIGINT, signal.SIGTERM})


@contextmanager
def _starting() -> Iterator[None]:
    """Let processes that are started meanwhile begin with Ctrl-C held back, since each would say
    in a traceback where it was interrupted, and the signal to end, which one must not follow before
    all are there; and without the main module of this one: they need
    nothing of it, and a script that does not ask for its `__name__` would build again in each."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    mask = getattr(signal, "pthread_sigmask", None)
    before = mask(signal.SIG_BLOCK, HELD) if mask else ()
    try:
        yield
    finally:
        if mask:
            mask(signal.SIG_SETMASK, before)
        sys.modules["__main__"] = main


def _begin(subject: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends at once and says nothing
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD)
    _subject(subject)


def _nothing() -> None:
    """Do a task that shows that a process is up."""


def _work(subject: str, task: Task, options: object | None) -> bytes:
    return parse_document(_subject(subject), *task, options).to_bytes()


@cache
def _subject(name: str) -> Subject:
    from sourcebook.registry import registry

    return registry().subject(name)
