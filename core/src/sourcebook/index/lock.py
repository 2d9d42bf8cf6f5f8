"""One builder at a time, and a message that names the other one."""

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sourcebook.errors import IndexBusy, SourcebookError
from sourcebook.index import layout


@contextmanager
def build_lock(index: Path) -> Iterator[None]:
    """Hold the index for building; released by the operating system if the process dies.

    Raises:
        IndexBusy: another process holds it.
        SourcebookError: the directory cannot be written to.
    """
    # 75 ms to import, and only a build needs it.
    from filelock import FileLock, Timeout

    place = index / layout.LOCK
    holder = _holder(place)
    lock = FileLock(place, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise IndexBusy(
            f"{holder} is building `{index}`",
            where=str(place),
            hint="wait for it, or end that process; an index that already exists answers meanwhile",
        ) from None
    except OSError as error:
        raise SourcebookError(
            f"cannot write to `{index}`: {error.strerror or error}", where=str(place)
        ) from None
    try:
        place.write_text(
            json.dumps(
                {"pid": os.getpid(), "host": socket.gethostname(), "start": time.time()},
            ),
            encoding="utf-8",
        )
        yield
    finally:
        lock.release()


def _holder(place: Path) -> str:
    try:
        with layout.open_file(place) as stream:
            raw = json.loads(stream.read(1000))
        since = max(0, int(time.time() - float(raw["start"])))
        return f"process {int(raw['pid'])} on {str(raw['host'])[:100]!r} (since {since} s)"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "another process"
