"""Bytes by content hash, kept from one build to the next: vectors and parses.

A cache may lose everything at any time and never stops a build: whatever is wrong with it (damage,
a full disk, a folder that cannot be written, another process holding it) makes a miss, noted once
as the event `cache.fault`. Values are written by diskcache and read over a plain connection to its
database, many in one statement, which is twice as fast as one by one.
"""

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b, sha256
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

from sourcebook import events

if TYPE_CHECKING:
    import sqlite3

T = TypeVar("T")

KINDS = ("vectors", "parses")

DATABASE = "cache.db"

DIGEST_BYTES = 8
"""Length of the digest before each value: SQLite itself notices no flipped bit."""

READ_AT_ONCE = 500
"""Keys in one statement; SQLite takes 999 parameters in every build of it."""

DAY_S = 86_400
"""The time of the last read is written again after this long at the earliest."""

BUSY_TIMEOUT_S = 5.0
"""How long a write waits for another process's."""

FAULTS_ALLOWED = 3
"""After so many faults a kind is left alone for the rest of the process."""

INLINE_BYTES = 1 << 40
"""Values shorter than this stand in the database: all of them."""


def cache_key(*parts: str | bytes | int) -> str:
    """Return the key of what is made from `parts`: a sha256 in hexadecimal.

    Parts go in with their length, so that `("ab", "c")` and `("a", "bc")` differ.
    """
    digest = sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


def open_cache(folder: Path | str | None = None, enabled: bool = True) -> "Cache":
    """Return the cache in a folder, which is made when something is first written.

    Args:
        folder: None or "" for the user's cache folder.
        enabled: False for a cache that never holds anything.
    """
    return Cache(Path(folder) if folder else default_folder()) if enabled else Cache(None)


def default_folder() -> Path | None:
    """Return the user's cache folder, None where there is no home to have one."""
    from platformdirs import user_cache_dir

    folder = Path(user_cache_dir("sourcebook", appauthor=False))
    return folder if folder.is_absolute() else None


class Cache:
    """Values by kind and key. No method raises for a fault of the cache; close it after use.

    Args:
        folder: absolute, or None for a cache that is always empty.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._lock = RLock()
        self._readers: dict[str, sqlite3.Connection] = {}
        self._writers: dict[str, Any] = {}
        self._faults: dict[str, int] = {}

    def __enter__(self) -> "Cache":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get_many(self, kind: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the values that are there, by key; what a value means is the caller's to check."""
        return self._guarded(kind, lambda: self._read(kind, keys), {})

    def put_many(self, kind: str, values: Mapping[str, bytes]) -> None:
        """Keep values, in one transaction, replacing those under the same key."""
        if values:
            self._guarded(kind, lambda: self._write(kind, values), None)

    def close(self) -> None:
        """Close the databases; idempotent."""
        with self._lock:
            for held in (*self._readers.values(), *self._writers.values()):
                with suppress(Exception):
                    held.close()
            self._readers.clear()
            self._writers.clear()

    def _guarded(self, kind: str, work: Callable[[], T], otherwise: T) -> T:
        with self._lock:
            if self.folder is None or self._faults.get(kind, 0) >= FAULTS_ALLOWED:
                return otherwise
            try:
                return work()
            except Exception as error:
                self._note(kind, error)
                return otherwise

    def _note(self, kind: str, error: Exception) -> None:
        count = self._faults[kind] = self._faults.get(kind, 0) + 1
        if count == 1:
            events.emit("cache.fault", kind=kind, error=type(error).__name__)
        self._drop(kind)
        if damaged(error) and self.folder:
            # Nothing else ever repairs it, and a cache that is empty again is as good as new.
            remove_database(self.folder / kind)

    def _drop(self, kind: str) -> None:
        for held in (self._readers.pop(kind, None), self._writers.pop(kind, None)):
            with suppress(Exception):
                if held is not None:
                    held.close()

    def _read(self, kind: str, keys: Sequence[str]) -> dict[str, bytes]:
        reader = self._reader(kind)
        if reader is None:
            return {}
        found: dict[str, bytes] = {}
        aging: list[int] = []
        recent = time.time() - DAY_S
        for some in batches(keys, READ_AT_ONCE):
            marks = ",".join("?" * len(some))
            rows = reader.execute(
                "SELECT rowid, key, value, access_time FROM Cache WHERE raw = 1 AND mode = 1 "  # noqa: S608
                f"AND filename IS NULL AND key IN ({marks})",
                some,
            )
            for row, key, value, read_at in rows:
                if type(value) is bytes and (plain := unsealed(key, value)) is not None:
                    found[key] = plain
                    if not isinstance(read_at, float) or read_at < recent:
                        aging.append(row)
        if aging:
            mark_read(reader, aging)
        return found

    def _write(self, kind: str, values: Mapping[str, bytes]) -> None:
        writer = self._writer(kind)
        with writer.transact():
            for key, value in values.items():
                writer.set(key, sealed(key, value))

    def _reader(self, kind: str) -> "sqlite3.Connection | None":
        """Return a connection for reading, None if nothing was ever written."""
        if kind not in self._readers:
            connection = connect(checked_folder(self.folder, kind))
            if connection is None:
                return None
            self._readers[kind] = connection
        return self._readers[kind]

    def _writer(self, kind: str) -> Any:
        if kind not in self._writers:
            folder = make_folder(self.folder, kind)
            if os.path.expandvars(folder) != str(folder):
                raise OSError("diskcache would put a variable's value into the path")
            probe(folder)
            from diskcache import Cache as DiskCache

            from sourcebook.cache.disk import BytesDisk

            self._writers[kind] = DiskCache(
                str(folder),
                timeout=BUSY_TIMEOUT_S,
                disk=BytesDisk,
                disk_min_file_size=INLINE_BYTES,
                eviction_policy="none",
                cull_limit=0,
            )
        return self._writers[kind]


def sealed(key: str, value: bytes) -> bytes:
    """Return a value behind a digest of itself and its key."""
    return blake2b(key.encode() + value, digest_size=DIGEST_BYTES).digest() + value


def unsealed(key: str, stored: bytes) -> bytes | None:
    """Return the value behind its digest, None if it is not what was stored under the key."""
    value = stored[DIGEST_BYTES:]
    return value if sealed(key, value) == stored else None


def checked_folder(root: Path | None, kind: str) -> Path:
    """Return the folder of a kind.

    Raises:
        OSError: it is a link or another user's: what lies there may be planted.
    """
    if kind not in KINDS or root is None:
        raise OSError(f"no cache of {kind}")
    folder = root / kind
    with suppress(FileNotFoundError):
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode):
            raise OSError("not a folder")
        if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
            raise OSError("another user's folder")
    return folder


def make_folder(root: Path | None, kind: str) -> Path:
    """Make the folder of a kind, and those above it, for the user alone."""
    folder = checked_folder(root, kind)
    for missing in [*reversed(folder.parents), folder]:
        with suppress(FileExistsError):
            missing.mkdir(mode=0o700)
    folder.chmod(0o700)
    return folder


def connect(folder: Path) -> "sqlite3.Connection | None":
    """Return a connection to the database in a folder, None if there is none or it is only
    just being made."""
    import sqlite3

    path = folder / DATABASE
    if not path.is_file():
        return None
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
        uri=True,
    )
    try:
        connection.execute("PRAGMA mmap_size = 67108864")
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'Cache'").fetchone():
            return connection
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None


def probe(folder: Path) -> None:
    """Check that the database can be written within the time limit; raises what SQLite raises.

    diskcache, as it opens, tries every statement for a minute while another process holds the lock.
    """
    connection = connect(folder)
    if connection is not None:
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        finally:
            connection.close()


def mark_read(connection: "sqlite3.Connection", rows: Sequence[int]) -> None:
    """Write down that rows were read now; not worth an error, nor any waiting."""
    import sqlite3

    with suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.executemany(
                "UPDATE Cache SET access_time = ? WHERE rowid = ?",
                ((time.time(), row) for row in rows),
            )
        finally:
            connection.execute("COMMIT")
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_S * 1000:.0f}")


def damaged(error: Exception) -> bool:
    """Return whether SQLite says that the file is no database, a broken one, or laid out by
    another version than the one that writes it here."""
    import sqlite3

    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return isinstance(error, sqlite3.Error) and (
        code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or "no such column" in str(error)
    )


def remove_database(folder: Path) -> None:
    """Remove the database of a folder; what cannot be removed stays."""
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):
            (folder / f"{DATABASE}{suffix}").unlink()


def batches(items: Sequence[T], size: int) -> Iterator[list[T]]:
    """Yield items in lists of up to `size`."""
    for start in range(0, len(items), size):
        yield list(items[start : start + size])
