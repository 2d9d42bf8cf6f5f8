"""When the files of a corpus change: what keeps an index current."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from sourcebook.errors import SourcebookError
from sourcebook.index import layout
from sourcebook.index.walk import DEPENDENCIES

DEBOUNCE_MS = 400
"""Changes within this time after the last one count as one: a checkout touches many files."""

POLL_MS = 200
"""How often the watch looks whether it was interrupted."""

PASSED_OVER = frozenset({".git", ".hg", ".svn", "__pycache__", *DEPENDENCIES})
"""Folders that change all the time and hold nothing that is indexed."""


def changes(paths: Sequence[str], out: str) -> Iterator[None]:
    """Yield once at the start, and again after every change below `paths`, until interrupted.

    What changes in an index, in repositories' own folders and in those of dependencies does not
    count. Files are watched by the folder they lie in, so that one that is replaced is still seen.

    Args:
        paths: files, folders and globs.
        out: the index that is kept current.

    Raises:
        SourcebookError: the system watches no more folders.
    """
    from watchfiles import watch

    indexes = {os.path.abspath(out): True}  # noqa: PTH100

    def counts(_: object, path: str) -> bool:
        folders = Path(path).parts[:-1]
        if not PASSED_OVER.isdisjoint((*folders, Path(path).name)):
            return False
        # Another index may begin while the watch goes on.
        return not any(_is_index(folder, indexes) for folder in (Path(path), *Path(path).parents))

    started = False
    try:
        # It speaks up without a change as well: the first time it does, it watches, so that
        # nothing is missed between the first build and the next.
        for found in watch(
            *_watched(paths),
            watch_filter=counts,
            debounce=DEBOUNCE_MS,
            step=100,
            rust_timeout=POLL_MS,
            yield_on_timeout=True,
        ):
            if found or not started:
                started = True
                yield None
    except OSError as error:
        raise SourcebookError(
            f"the folders cannot be watched: {error}",
            where=", ".join(map(str, paths)),
            hint="allow more watches (`fs.inotify.max_user_watches`), or name fewer folders",
        ) from None


def _is_index(folder: Path, known: dict[str, bool]) -> bool:
    name = str(folder)
    if not known.get(name):
        known[name] = layout.is_index(folder)
    return known[name]


def _watched(paths: Sequence[str]) -> list[str]:
    """Return the folders to watch: those named, the folder of a file, that before a wildcard."""
    found = set()
    for one in paths:
        path = Path(os.path.abspath(one))  # noqa: PTH100  # links stay what they are
        while not path.is_dir():
            path = path.parent
        found.add(str(path))
    return sorted(found)
