"""Files of an embedded store's generation: linked, made durable, taken back."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sourcebook.errors import StoreUnavailable
from sourcebook.index.layout import link_or_copy as link_or_copy  # for stores, too
from sourcebook.index.layout import sync_folder
from sourcebook.store import Location

FILE_MODE: Final = 0o644
"""A published index is read by other users too, and some engines write for their owner only."""


def folder_of(location: Location, store: str) -> Path:
    """Return the folder of an embedded store.

    Raises:
        StoreUnavailable: the location names no folder.
    """
    if location.folder is None:
        raise StoreUnavailable(
            f"`{store}` keeps files and was given no folder",
            hint="choose a store that lives on a server, or index into a directory",
        )
    return location.folder


@contextmanager
def writing(folder: Path, store: str) -> Iterator[None]:
    """Turn what the disk refuses into an error of ours.

    Raises:
        StoreUnavailable: an `OSError` came up.
    """
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(
            f"`{store}` cannot write: {error.strerror}",
            where=str(error.filename or folder),
            hint="is the disk full, or the folder read-only?",
        ) from None


def make_durable(folder: Path) -> None:
    """Force the new files of `folder`, and all names, to the disk; readable by everyone."""
    for path in sorted(folder.iterdir()):
        if path.stat().st_nlink > 1:
            continue  # shared with an older generation, which is never touched
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fchmod(descriptor, FILE_MODE)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    sync_folder(folder)


def clear(folder: Path) -> None:
    """Remove every file of `folder`; one that is gone already is no matter."""
    if folder.is_dir():
        for path in folder.iterdir():
            path.unlink(missing_ok=True)
