"""Where everything lies inside an index directory: the only module that knows file names.

::

    docs-db/
      README.md               what it holds, or how far a build has come
      manifest.json           written last, by rename; without it there is no index
      .lock                   who is building
      generations/N/
        sources.jsonl         one line a source
        segments/M.sbk        entries, facts and terms of some sources
        structure/NAME        what the subject's `assemble` returned
        stores/NAME/          a store's own files
        dead.json             what of its segments belongs to sources that are gone
        background.f32        vectors that similarities are measured against
      sources/SHA256          each document once, byte for byte
"""

import os
import re
from pathlib import Path

from sourcebook.errors import IndexDamaged

MANIFEST = "manifest.json"
README = "README.md"
LOCK = ".lock"
GENERATIONS = "generations"
SOURCES = "sources"

SOURCES_TABLE = "sources.jsonl"
SEGMENTS = "segments"
STRUCTURE = "structure"
STORES = "stores"
BACKGROUND = "background.f32"
DEAD = "dead.json"

_SAFE = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.\-]{0,99}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


def is_index(folder: Path) -> bool:
    """Whether `folder` is an index, or one in the making; such a folder is never a corpus."""
    try:
        return (folder / MANIFEST).is_file() or (
            (folder / GENERATIONS).is_dir() and (folder / LOCK).exists()
        )
    except OSError:  # a folder that may not be looked into
        return False


def generation(index: Path, number: int) -> Path:
    """Return the folder of generation `number`."""
    return index / GENERATIONS / str(number)


def segment(folder: Path, number: int) -> Path:
    """Return the file of segment `number` in the generation at `folder`."""
    return folder / SEGMENTS / f"{number}.sbk"


def document(index: Path, digest: str) -> Path:
    """Return the copy of the document with this sha256.

    Raises:
        IndexDamaged: `digest` is no sha256, so that nothing read from an index leads elsewhere.
    """
    if not _DIGEST.fullmatch(digest):
        raise IndexDamaged(
            f"`{digest[:80]}` is not the digest of a document", where=str(index), hint=REBUILD
        )
    return index / SOURCES / digest


def inside(folder: Path, name: str) -> Path:
    """Return `folder / name` for a name read from an index.

    Raises:
        IndexDamaged: a part of `name` is not a plain file name, so it could lead elsewhere.
    """
    parts = name.split("/")
    if not all(_SAFE.fullmatch(part) and part.strip(".") for part in parts):
        raise IndexDamaged(
            f"`{name[:80]}` is not the name of a file in an index", where=str(folder), hint=REBUILD
        )
    return folder.joinpath(*parts)


def files_below(folder: Path) -> list[str]:
    """Return the names of all files below `folder`, with `/`, sorted."""
    found: list[str] = []
    for base, _, names in os.walk(folder):
        relative = Path(base).relative_to(folder)
        found.extend((relative / name).as_posix() for name in names)
    return sorted(found)


def link_or_copy(source: Path, target: Path) -> None:
    """Make `target` the same file as `source`, or a copy where links do not work."""
    try:
        os.link(source, target)
    except OSError:
        # A file system without links, or two file systems. Copied by reading, so that a failure
        # half way leaves no file that looks whole.
        partial = target.with_name(target.name + ".partial")
        with source.open("rb") as read, partial.open("wb") as write:
            while block := read.read(1 << 20):
                write.write(block)
        partial.replace(target)


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` durable (a no-op where folders cannot be opened)."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


REBUILD = "build it again with `sourcebook <subject> index`"
