"""Who listens to events on the command line: a progress line on a terminal, a log with `-v`."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TextIO

from sourcebook.events import PROGRESS, Listener, listening
from sourcebook.surfaces.output import has_colour, is_terminal, sanitise

EVERY_S = 0.1

CLEAR_LINE = "\r\x1b[K"


class ProgressLine:
    """Shows the latest progress event on one line of a terminal, and takes the line away at last.

    Written by hand: twenty lines do what is needed here, and importing a library for it would
    cost 70 ms.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._step = ""
        self._since = self._drawn = 0.0
        self._shown = False

    def __call__(self, event: str, facts: dict[str, object]) -> None:
        if event != PROGRESS:
            return
        now = time.monotonic()
        step, done, total = str(facts["step"]), facts.get("done", 0), facts.get("total", 0)
        if step != self._step:
            self._step, self._since, self._drawn = step, now, 0.0
        if now - self._drawn < EVERY_S and done != total:
            return
        self._drawn = now
        self._shown = True
        line = progress_text(step, int(str(done)), int(str(total)), now - self._since)
        self._stream.write(CLEAR_LINE + sanitise(line)[: max(self._columns() - 1, 10)])
        self._stream.flush()

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns
        except OSError:
            return 80

    def close(self) -> None:
        """Take the line away."""
        if self._shown:
            self._stream.write(CLEAR_LINE)
            self._stream.flush()


def progress_text(step: str, done: int, total: int, seconds: float) -> str:
    """Return `embedding: 512 of 2048, 25 %, 30 s left`; the rest is guessed from the pace."""
    if not total:
        return f"{step}: {done}" if done else step
    text = f"{step}: {done} of {total}, {100 * done // total} %"
    if 0 < done < total and seconds >= 2:
        left = seconds * (total - done) / done
        text += f", {left:.0f} s left" if left < 120 else f", {left / 60:.0f} min left"
    return text


def log_to(stream: TextIO) -> Listener:
    """Return a listener that logs every event but progress through structlog."""
    import structlog

    logger = structlog.wrap_logger(
        structlog.PrintLogger(stream),
        processors=[
            structlog.processors.TimeStamper(fmt="iso", utc=False),
            structlog.dev.ConsoleRenderer(colors=True)
            if has_colour(stream)
            else structlog.processors.LogfmtRenderer(key_order=["timestamp", "event"]),
        ],
    )

    def listener(event: str, facts: dict[str, object]) -> None:
        if event != PROGRESS:
            logger.info(event, **facts)

    return listener


@contextmanager
def talking(*, verbose: bool = False, quiet: bool = False) -> Iterator[None]:
    """Let the command line talk about its work on standard error for the time of the block.

    Args:
        verbose: log events; then no progress line, which they would tear apart.
        quiet: no progress line.
    """
    with ExitStack() as stack:
        if verbose and sys.stderr is not None:
            stack.enter_context(listening(log_to(sys.stderr)))
        elif not quiet and is_terminal(sys.stderr):
            line = ProgressLine(sys.stderr)
            stack.callback(line.close)
            stack.enter_context(listening(line))
        yield
