"""Where everything lies inside an index directory: the only module that knows file names.

::

    docs-db/
      README.md               what it holds, or how far a build has come
      manifest.json           written last, by rename; without it there is no index
      .lock                   who is building
      .gitattributes          keeps git from changing line ends in a committed index
      generations/N/
        sources.jsonl         one line a source
        segments/M.sbk        entries, facts and terms of some sources
        structure/NAME        what the subject's `assemble` returned
        stores/NAME/          a store's own files
        dead.json             what of its segments belongs to sources that are gone
        background.f32        vectors that similarities are measured against
      sources/SHA256.z        each document once, compressed; none where `--no-sources` was given
"""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path

from sourcebook.errors import IndexDamaged, OutsideCorpus

MANIFEST = "manifest.json"
README = "README.md"
LOCK = ".lock"
GENERATIONS = "generations"
SOURCES = "sources"

ATTRIBUTES = ".gitattributes"
NAMES = frozenset({MANIFEST, README, LOCK, ATTRIBUTES, GENERATIONS, SOURCES})

SOURCES_TABLE = "sources.jsonl"
SEGMENTS = "segments"
STRUCTURE = "structure"
STORES = "stores"
BACKGROUND = "background.f32"
DEAD = "dead.json"

PARTIAL = ".partial"
"""The end of a file's name while it is written."""

COPY = ".z"
"""The end of the name of a document's copy."""

MANIFEST_LIMIT_BYTES = 64 * 1024

SYNC_ALL_FROM = 64

_SAFE = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.\-]{0,99}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SUBJECT = re.compile(r"[a-z][a-z0-9_\-]{0,39}")


def is_index(folder: Path) -> bool:
    """Whether `folder` is an index, or one in the making; such a folder is never a corpus.

    A `manifest.json` alone says nothing: other programs have one too.
    """
    # These answer False, where methods of Path raise, for a folder that may not be looked into.
    return os.path.isdir(folder / GENERATIONS) and any(  # noqa: PTH112
        os.path.lexists(folder / name) for name in (MANIFEST, LOCK)
    )


def refuse_links(index: Path) -> None:
    """Refuse to build where a part of the index is a link: files would be changed elsewhere.

    Raises:
        OutsideCorpus: one is.
    """
    for name in (GENERATIONS, SOURCES, LOCK):
        if (index / name).is_symlink():
            raise OutsideCorpus(
                f"`{name}` in `{index}` is a link",
                where=str(index / name),
                hint="remove it, or choose another folder with `--out`",
            )


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
            f"`{digest[:80]}` is not the digest of a document",
            where=str(index),
            hint=rebuild(index),
        )
    return index / SOURCES / (digest + COPY)


def documents(index: Path) -> Iterator[Path]:
    """Yield every copy of a document, whole or partial, and nothing that is no such copy."""
    folder = index / SOURCES
    for place in folder.iterdir() if folder.is_dir() else ():
        # Without its end it is of an index of format 1.
        if _DIGEST.fullmatch(place.name.removesuffix(PARTIAL).removesuffix(COPY)):
            yield place


def inside(folder: Path, name: str) -> Path:
    """Return `folder / name` for a name read from an index.

    Raises:
        IndexDamaged: a part of `name` is not a plain file name, so it could lead elsewhere.
    """
    parts = name.split("/")
    if not all(_SAFE.fullmatch(part) and part.strip(".") for part in parts):
        raise IndexDamaged(
            f"`{name[:80]}` is not the name of a file in an index",
            where=str(folder),
            hint=rebuild(folder),
        )
    return folder.joinpath(*parts)


def files_below(folder: Path) -> list[str]:
    """Return the names of all files below `folder`, with `/`, sorted."""
    found: list[str] = []
    for base, _, names in os.walk(folder):
        relative = Path(base).relative_to(folder)
        found.extend((relative / name).as_posix() for name in names)
    return sorted(found)


def open_file(place: Path | str) -> BufferedReader:
    """Open a regular file for reading; a pipe or a device would block or never end.

    Raises:
        OSError: it is not there, not readable, or something else.
    """
    return open(place, "rb", opener=_regular)


def _regular(path: str, flags: int) -> int:
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(0, "not a regular file", path)
    return handle


def iter_blocks(place: Path) -> Iterator[bytes]:
    """Yield the bytes of a regular file in blocks."""
    with open_file(place) as stream:
        while block := stream.read(1 << 20):
            yield block


def write_file(place: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file whole or not at all, by rename; `durable` forces its bytes to the disk.

    The partial file is made anew: what lies under its name could be a link to elsewhere.
    """
    partial = place.with_name(place.name + PARTIAL)
    partial.unlink(missing_ok=True)
    with partial.open("xb") as stream:
        stream.write(data)
        if durable:
            stream.flush()
            os.fsync(stream.fileno())
    partial.replace(place)


def link_or_copy(source: Path, target: Path) -> None:
    """Make `target` the same file as `source`, or a durable copy where links do not work."""
    if not source.is_symlink():
        try:
            os.link(source, target)
        except OSError:
            pass  # a file system without links, or two file systems
        else:
            return
    partial = target.with_name(target.name + PARTIAL)
    with partial.open("xb") as stream:
        for block in iter_blocks(source):
            stream.write(block)
        stream.flush()
        os.fsync(stream.fileno())
    partial.replace(target)


def sync_files(places: Sequence[Path]) -> None:
    """Force files to the disk: one by one, or all that the system holds where they are many.

    1,500 documents took 7.6 s one by one and 0.1 s all at once.
    """
    if len(places) >= SYNC_ALL_FROM and hasattr(os, "sync"):
        os.sync()
        return
    for place in places:
        handle = os.open(place, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


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


def rebuild(place: Path) -> str:
    """Return the hint for damage at `place`, an index or a part of one: how to build it again."""
    import json

    for index in (place, *list(place.parents)[:6]):
        try:
            with open_file(index / MANIFEST) as stream:
                subject = json.loads(stream.read(MANIFEST_LIMIT_BYTES))["subject"]
        except (OSError, ValueError, RecursionError, LookupError, TypeError):
            continue
        if isinstance(subject, str) and _SUBJECT.fullmatch(subject):
            return f"build it again: `sourcebook {subject} index PATH... --out {index}`"
    return "build it again, with the verb `index` of its subject"
