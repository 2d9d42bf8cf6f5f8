"""What happens inside, told to whoever listens: names, counts, durations and kinds.

Nobody listens unless a surface does (`-v` prints events, a terminal shows progress), so that the
libraries for it are imported only then. An event never carries the text of a query or a passage.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Listener = Callable[[str, dict[str, object]], None]

PROGRESS = "progress"
"""The event that says how far something long has come: `step`, `done`, `total` (0: unknown)."""

_listeners: list[Listener] = []


def emit(event: str, /, **facts: object) -> None:
    """Tell every listener that `event` (dotted, `build.parsed`) happened."""
    for listener in _listeners:
        listener(event, facts)


@contextmanager
def timed(event: str, /, **facts: object) -> Iterator[dict[str, object]]:
    """Emit `event` at the end of the block with `ms`; the block may add facts to what it gets."""
    started = time.perf_counter()
    yield facts
    emit(event, **facts, ms=round((time.perf_counter() - started) * 1000, 1))


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have `listener` called as `listener(event, facts)` for the time of the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
