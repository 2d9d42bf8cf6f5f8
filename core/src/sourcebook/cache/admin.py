"""What `sourcebook cache` does: say what is kept, drop what nobody has read for long, drop all."""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attrs import frozen

from sourcebook.cache import (
    DATABASE,
    KINDS,
    checked_folder,
    connect,
    damaged,
    remove_database,
)
from sourcebook.errors import BadRequest
from sourcebook.naming import described, shown

if TYPE_CHECKING:
    import sqlite3

UNITS = {"h": "hours", "d": "days", "w": "weeks"}

LONGEST = timedelta(days=36_500)


@frozen
class CacheUse:
    """What one kind of cache holds.

    Args:
        kind: `vectors` or `parses`.
        entries: how many values.
        bytes: their sizes added up; the file is somewhat larger.
        oldest_read: when the value that nobody has asked for the longest was last read, to the
            day or so, as an ISO 8601 time in UTC; "" if it is empty.
        path: its database.
        problem: what keeps it from being used, "" if nothing does.
    """

    kind: str
    entries: int
    bytes: int
    oldest_read: str
    path: str
    problem: str = ""


@frozen
class CacheDropped:
    """What was taken out of one kind of cache.

    Args:
        kind: `vectors` or `parses`.
        entries: how many values.
        bytes: their sizes added up.
        problem: what kept them from being dropped, "" if nothing did.
    """

    kind: str
    entries: int
    bytes: int
    problem: str = ""


class Totals(NamedTuple):
    """Number and size of rows, and the oldest time of a last read."""

    entries: int
    bytes: int
    oldest: float | None


def parse_age(text: str) -> timedelta:
    """Return the time that `30d` stands for; units are h, d and w.

    Raises:
        BadRequest: it is written otherwise, or longer than a century.
    """
    match = re.fullmatch(r"(\d{1,6})([hdw])", text.strip().lower())
    age = timedelta(**{UNITS[match[2]]: int(match[1])}) if match else None
    if age is None or age > LONGEST:
        raise BadRequest(
            f"`{shown(text)}` is no age", hint="a number and a unit: `12h`, `30d` or `8w`"
        )
    return age


def list_cache(folder: Path) -> list[CacheUse]:
    """Return what the caches in a folder hold, one row for each kind."""
    rows = []
    for kind in KINDS:
        found, fault = attempt(folder, kind, totals)
        oldest = ""
        if found.oldest is not None:
            oldest = datetime.fromtimestamp(found.oldest, UTC).isoformat(timespec="seconds")
        path = str(folder / kind / DATABASE)
        problem = described(fault) if fault else ""
        rows.append(CacheUse(kind, found.entries, found.bytes, oldest, path, problem))
    return rows


def prune_cache(folder: Path, older_than: timedelta) -> list[CacheDropped]:
    """Drop the values that were last read longer ago, and return what that was."""
    before = time.time() - older_than.total_seconds()

    def drop(connection: "sqlite3.Connection") -> Totals:
        connection.execute("BEGIN IMMEDIATE")
        try:
            dropped = totals(connection, before)
            connection.execute("DELETE FROM Cache WHERE access_time < ?", (before,))
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return dropped

    return [dropped(kind, *attempt(folder, kind, drop)) for kind in KINDS]


def clear_cache(folder: Path) -> list[CacheDropped]:
    """Drop every value, and the whole database where it is damaged; return what that was.

    A sound database is emptied rather than removed: another process may have it open.
    """
    rows = []
    for row in prune_cache(folder, timedelta(days=-1)):
        fault = attempt(folder, row.kind, totals)[1] if row.problem else None
        if fault and damaged(fault):
            remove_database(checked_folder(folder, row.kind))
            row = CacheDropped(row.kind, 0, 0, f"{row.problem}: removed")
        rows.append(row)
    return rows


def dropped(kind: str, found: Totals, fault: Exception | None) -> CacheDropped:
    """Return what was taken out of one kind, as it is reported."""
    return CacheDropped(kind, found.entries, found.bytes, described(fault) if fault else "")


def totals(connection: "sqlite3.Connection", before: float | None = None) -> Totals:
    """Return the totals of the rows last read before a time, of all rows for None."""
    where, values = ("", []) if before is None else (" WHERE access_time < ?", [before])
    entries, size, oldest = connection.execute(
        f"SELECT COUNT(*), TOTAL(LENGTH(value)), MIN(access_time) FROM Cache{where}",  # noqa: S608
        values,
    ).fetchone()
    return Totals(entries, int(size), oldest if isinstance(oldest, float) else None)


def attempt(
    folder: Path, kind: str, work: "Callable[[sqlite3.Connection], Totals]"
) -> tuple[Totals, Exception | None]:
    """Return what `work` finds in one kind, or nothing and what kept it from it."""
    import sqlite3

    nothing = Totals(0, 0, None)
    try:
        connection = connect(checked_folder(folder, kind))
        if connection is None:
            return nothing, None
        try:
            return work(connection), None
        finally:
            connection.close()
    except (OSError, sqlite3.Error) as error:
        return nothing, error
