"""What happens inside, told to whoever listens: names, counts, durations and kinds.

Nobody listens unless a surface does (`-v` prints events, a terminal shows progress), so that the
libraries for it are imported only then. An event never carries the text of a query or a passage:
what is neither a number nor a short name reaches no listener.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Listener = Callable[[str, dict[str, object]], None]

PROGRESS = "progress"
"""The event that says how far something long has come: `step`, `done`, `total` (0: unknown)."""

_listeners: list[Listener] = []


def emit(event: str, /, **facts: object) -> None:
    """Tell every listener that `event` (dotted, `build.parsed`) happened."""
    if _listeners:
        told = {name: without_text(value) for name, value in facts.items()}
        for listener in tuple(_listeners):
            listener(event, told)


def without_text(value: object) -> object:
    """Return a number or a short name as it is, and only the type of anything else.

    A name is a kind, a mode, a plugin: one word. Queries and passages that a careless call hands
    in are not, save for queries of one word, which is why calls are to be careful all the same.
    """
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str) and re.fullmatch(r"[\w.:/@+-]{0,64}", value):
        return value
    return f"({type(value).__name__})"


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
