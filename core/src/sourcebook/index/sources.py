"""The table of a generation's sources: what each is, and where its entries lie."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from sourcebook.errors import IndexDamaged
from sourcebook.index import layout
from sourcebook.index.manifest import unreadable
from sourcebook.index.rows import encode_json

_TYPES = (str, str, int, int, str, int, int, int, int, str, list)


@frozen
class SourceInfo:
    """One source of an index.

    `digest` is the sha256 of its bytes, `size` their number, `lines` how many it has; `segment`
    and `place` say where its entries lie; `vectors` whether they have theirs; `parse` is the key
    of its parse; `problems` are (message, line).
    """

    name: str
    digest: str
    size: int
    lines: int
    encoding: str
    segment: int
    place: int
    entries: int
    vectors: bool
    parse: str
    problems: tuple[tuple[str, int], ...] = ()


class Sources(Mapping[str, SourceInfo]):
    """The sources of a generation by name, sorted; rows become records when looked at.

    Args:
        rows: what the lines of `sources.jsonl` hold.
        where: that file, for messages.

    Raises:
        IndexDamaged: a row is something else; also later, when it is looked at.
    """

    def __init__(self, rows: Sequence[Sequence[Any]], where: Path) -> None:
        self._where = where
        try:
            self._rows = {row[0]: row for row in rows}
            if not all(type(name) is str for name in self._rows):
                raise TypeError("the name of a source is no string")
        except (TypeError, IndexError, KeyError) as error:
            raise _damaged(where, error) from None

    def __getitem__(self, name: str) -> SourceInfo:
        row = self._rows[name]
        try:
            if tuple(map(type, row)) != _TYPES:
                raise TypeError(f"no row of a source: {row!r:.80}")
            told = tuple((str(message), int(line)) for message, line in row[10])
            name, digest, size, lines, encoding, segment, place, entries, vectors, parse = row[:10]
        except (TypeError, ValueError) as error:
            raise _damaged(self._where, error) from None
        return SourceInfo(
            name, digest, size, lines, encoding, segment, place, entries, bool(vectors), parse, told
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def place(self, name: str) -> tuple[int, int] | None:
        """Return the segment and place of a source, None if it is not live."""
        row = self._rows.get(name)
        if row is None:
            return None
        try:
            return int(row[5]), int(row[6])
        except (TypeError, ValueError, IndexError) as error:
            raise _damaged(self._where, error) from None


def encode_sources(infos: Iterable[SourceInfo]) -> bytes:
    """Return the lines of `sources.jsonl`, one a source."""
    return b"".join(
        encode_json([
            one.name, one.digest, one.size, one.lines, one.encoding, one.segment, one.place,
            one.entries, int(one.vectors), one.parse, one.problems,
        ]) + b"\n"
        for one in infos
    )  # fmt: skip


def read_sources(place: Path) -> Sources:
    """Return the sources that the file at `place` holds.

    Raises:
        IndexDamaged: it is not there, or not what `encode_sources` returns.
    """
    try:
        with layout.open_file(place) as stream:
            data = stream.read()
    except OSError as error:
        raise unreadable(place, error) from None
    # All lines at once: one call of the parser for each would take three times as long. They end
    # at \n only, since names may hold characters at which `splitlines` breaks.
    lines = data.removesuffix(b"\n").replace(b"\n", b",")
    try:
        rows = json.loads((b"[" + lines + b"]").decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise _damaged(place, error) from None
    return Sources(rows, place)


def _damaged(where: Path, error: Exception) -> IndexDamaged:
    return IndexDamaged(
        f"the table of sources cannot be read: {error}"[:200],
        where=str(where),
        hint=layout.rebuild(where),
    )
