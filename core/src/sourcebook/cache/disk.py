"""How diskcache writes and reads values here: bytes as they are, and nothing else.

diskcache pickles what it does not know, both ways (CVE-2025-69872): whoever can write the database
could run code by it. This `Disk` has no way to a pickle, nor to a file that a row names.
"""

import sqlite3
from typing import NoReturn

from diskcache import Disk

RAW = 1
"""diskcache's mode of a value that stands in its row as it is."""


class Refused(ValueError):
    """A key or value that is not what the cache stores."""


class BytesDisk(Disk):  # type: ignore[misc]
    """Text keys and bytes values, all inside the database."""

    def put(self, key: object) -> tuple[str, bool]:
        """Return a key as the database holds it, and that it is one of SQLite's own types."""
        if type(key) is not str:
            raise Refused("keys are texts")
        return key, True

    def get(self, key: object, raw: object) -> str:
        """Return a key read from the database."""
        if type(key) is not str or not raw:
            raise Refused("keys are texts")
        return key

    def store(
        self, value: object, read: bool, key: object = None
    ) -> tuple[int, int, None, memoryview]:
        """Return size, mode, no file, and the value."""
        if type(value) is not bytes or read:
            raise Refused("values are bytes")
        return len(value), RAW, None, sqlite3.Binary(value)

    def fetch(self, mode: object, filename: object, value: object, read: bool) -> bytes:
        """Return a value read from the database."""
        if mode != RAW or filename is not None or type(value) is not bytes or read:
            raise Refused("values are bytes")
        return value

    def filename(self, key: object = None, value: object = None) -> NoReturn:
        """Refuse to name a file."""
        raise Refused("values stay in the database")

    def remove(self, file_path: object) -> None:
        """Remove nothing: no row of ours has a file, and what another one names is not ours."""
