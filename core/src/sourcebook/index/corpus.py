"""The files an index was built from, as they are now: where they lie, and which have changed.

An index knows the name of their folder alone, since both may have been moved. Names in it may say
anything, so none is followed outside the folder.
"""

import re
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.index import layout

if TYPE_CHECKING:
    from sourcebook.index.open import Index

TRIED = 20
"""How many sources are looked for below a folder to say whether it is the root."""

READ_BYTES = 64 << 20
"""How much `Watcher` reads at once to tell touched files from changed ones."""

PAUSE_S = 1.0
"""`Watcher` looks at most so often."""


def find_root(index: "Index") -> Path | None:
    """Return the folder that the sources of an index lie below, None if it is not near.

    The working directory and the folders around the index are tried, the innermost first, and what
    bears the root's name in them. A file of the same name is not enough: one must be as it was, or
    else the folder must bear the name.
    """
    names = list(index.sources)[:TRIED]
    try:
        around = [Path.cwd(), *index.generation.path.parents]
    except OSError:  # the working directory is gone
        around = [*index.generation.path.parents]
    places = [*around, *(one / index.manifest.root for one in around)]
    having = [place for place in places if any(place_of(place, name) for name in names)]
    for place in having:
        if any(_is_same(index, place, name) for name in names):
            return place
    return next((place for place in having if place.name == index.manifest.root), None)


def _is_same(index: "Index", root: Path, name: str) -> bool:
    place, info = place_of(root, name), index.sources[name]
    try:
        return (
            place is not None
            and place.stat().st_size == info.size
            and sha256(place.read_bytes()).hexdigest() == info.digest
        )
    except OSError:
        return False


def place_of(root: Path, name: str) -> Path | None:
    """Return where a source lies below the root, None if nothing is there or it leads elsewhere."""
    for written in _spellings(name):
        try:
            place = (root / written).resolve()
            if place.is_file() and place.is_relative_to(root.resolve()):
                return place
        except (OSError, ValueError):
            pass
    return None


def _spellings(name: str) -> Iterator[str]:
    """Yield the names of files that `walk.clean_name` writes as `name`, as far as they are likely:
    this one, with bytes that are no UTF-8, and with control characters."""
    yield name
    if "\\" in name:
        yield _ESCAPE.sub(lambda found: _unescaped(found, 0xDC00), name)
        yield _ESCAPE.sub(lambda found: _unescaped(found, 0), name)


_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|([nrt]))")


def _unescaped(found: re.Match[str], byte: int) -> str:
    if found[3]:
        return {"n": "\n", "r": "\r", "t": "\t"}[found[3]]
    code = int(found[1] or found[2], 16)
    return chr(code + byte if found[1] and code >= 0x80 else code)


def changed_sources(index: "Index", root: Path) -> Iterator[str]:
    """Return the sources that are not what the index holds: changed, gone, or not readable. Files
    that are new since are not looked for."""
    return (name for name in index.sources if not _is_same(index, root, name))


class Watcher:
    """Says whether sources of an index have changed, cheaply enough for every reply of a session.

    At most once a second sizes and times are compared; a file is read only if it was touched after
    the index was built, and not again until it is touched again.
    """

    def __init__(self, index: "Index") -> None:
        self._index = index
        self._root = find_root(index)
        self._known: dict[str, tuple[int, int]] = {}
        self._looked = -PAUSE_S
        self._changed = False
        try:
            self._built = (index.generation.path / layout.MANIFEST).stat().st_mtime_ns
        except OSError:
            self._built = 0

    def changed(self) -> bool:
        """Return whether a source has changed or is gone; False if nobody can tell."""
        now = time.monotonic()
        if self._root is not None and now - self._looked >= PAUSE_S:
            self._looked = now
            self._changed = self._look(self._root)
        return self._changed

    def _look(self, root: Path) -> bool:
        room = READ_BYTES
        for name, info in self._index.sources.items():
            place = root / name if "\\" not in name else place_of(root, name)
            if place is None:
                return True
            try:
                found = place.stat()
            except (OSError, ValueError):
                return True
            seen = found.st_size, found.st_mtime_ns
            if found.st_size != info.size:
                return True
            if found.st_mtime_ns <= self._built or self._known.get(name) == seen:
                continue
            room -= found.st_size
            if room < 0:
                return False
            if not _is_same(self._index, root, name):
                return True
            self._known[name] = seen
        return False
