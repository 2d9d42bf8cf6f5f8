"""Which files make up a generation: the record in `state.json`, written last."""

import json
import re
from pathlib import Path
from typing import Any, Final

from attrs import frozen
from sourcebook.errors import IndexDamaged, IndexOutdated, StoreMismatch

FORMAT: Final = 2
STATE: Final = "state.json"

# No name read from an index may lead out of it.
_NAME: Final = re.compile(r"[0-9]{6}(\.[0-9]+)?\.(segment|dead|faiss)")


@frozen
class IndexFile:
    """An index over the vectors of one segment; `name` is empty where it needs no file."""

    kind: str
    name: str = ""
    digest: str = ""


@frozen
class SegmentFiles:
    """One immutable segment, the list of its rows that are dead by now, and its index."""

    name: str
    dead: str = ""
    index: IndexFile | None = None

    def names(self) -> list[str]:
        """Return the names of its files."""
        return [name for name in (self.name, self.dead, self.index and self.index.name) if name]


@frozen
class State:
    """A generation: its segments from the oldest, and the numbers to go on from."""

    dimensions: int
    segments: tuple[SegmentFiles, ...] = ()
    next_segment: int = 1
    next_order: int = 0


def write_state(folder: Path, state: State) -> None:
    """Write the record of a generation."""
    data = {
        "format": FORMAT,
        "dimensions": state.dimensions,
        "next_segment": state.next_segment,
        "next_order": state.next_order,
        "segments": [
            {
                "name": segment.name,
                "dead": segment.dead,
                "index": segment.index
                and {
                    "kind": segment.index.kind,
                    "name": segment.index.name,
                    "sha256": segment.index.digest,
                },
            }
            for segment in state.segments
        ],
    }
    (folder / STATE).write_text(json.dumps(data, indent=1))


def read_state(folder: Path, dimensions: int) -> State:
    """Return the record of a published generation.

    Raises:
        IndexDamaged: it is missing or not what `write_state` writes.
        IndexOutdated: another version wrote it.
        StoreMismatch: the vectors are not of `dimensions` numbers.
    """
    path = folder / STATE
    try:
        data = json.loads(path.read_bytes())
        if data["format"] != FORMAT:
            raise IndexOutdated(
                f"written in format {data['format']}, this code reads {FORMAT}",
                where=str(path),
                hint="index again",
            )
        state = State(
            _natural(data["dimensions"]),
            tuple(map(_segment, data["segments"])),
            _natural(data["next_segment"]),
            _natural(data["next_order"]),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise IndexDamaged(f"the record cannot be read: {error}", where=str(path)) from None
    if state.dimensions != dimensions:
        raise StoreMismatch(
            store="faiss",
            field="dimensions",
            expected=str(dimensions),
            actual=str(state.dimensions),
            remedy="index again",
        )
    return state


def _segment(data: dict[str, Any]) -> SegmentFiles:
    index = data["index"]
    return SegmentFiles(
        _name(data["name"]),
        data["dead"] and _name(data["dead"]),
        index
        and IndexFile(
            str(index["kind"]), index["name"] and _name(index["name"]), str(index["sha256"])
        ),
    )


def _name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ValueError(f"{value!r} is no file of this store")
    return value


def _natural(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is no count")
    return value
