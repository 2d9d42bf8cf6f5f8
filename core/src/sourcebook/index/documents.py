"""The copies of documents: each once in an index, compressed, under the sha256 of its bytes.

A copy is a zlib stream and four bytes more: the CRC-32 of the stream and of the file's name, by
which a build sees that a copy is whole, and of which document, without unpacking it.
"""

import hashlib
import os
import zlib
from collections.abc import Iterable
from pathlib import Path

from sourcebook.errors import IndexDamaged
from sourcebook.index import layout
from sourcebook.index.blocks import pack, unpack
from sourcebook.index.manifest import unreadable
from sourcebook.index.sources import SourceInfo

MARK_BYTES = 4


def write_document(index: Path, digest: str, data: bytes) -> Path | None:
    """Keep a document, and mend a copy that is not what it was.

    Returns:
        The new file, whose bytes are not forced to the disk; None where nothing was to do.
    """
    place = layout.document(index, digest)
    try:
        block, mark = _parts(place, len(data))
        if mark == _mark(block, place):
            return None
    except OSError:
        pass
    place.parent.mkdir(exist_ok=True)
    block = pack(data)
    layout.write_file(place, block + _mark(block, place), durable=False)
    return place


def read_document(index: Path, info: SourceInfo) -> bytes:
    """Return the bytes of a source.

    Raises:
        IndexDamaged: the copy is missing, or not what was indexed.
    """
    place = layout.document(index, info.digest)
    try:
        block, mark = _parts(place, info.size)
        sound = mark == _mark(block, place)
        data = unpack(block, info.size + 1) if sound else b""
    except OSError as error:
        raise unreadable(place, error) from None
    except ValueError:
        sound, data = False, b""
    if not sound or hashlib.sha256(data).hexdigest() != info.digest:
        raise IndexDamaged(
            f"the copy of `{info.name}` is not what was indexed",
            where=str(place),
            hint=layout.rebuild(place),
        )
    return data


def drop_documents(index: Path) -> None:
    """Delete every copy of a document."""
    for place in layout.documents(index):
        place.unlink(missing_ok=True)


def copies_size(index: Path, infos: Iterable[SourceInfo]) -> int:
    """Return how many bytes the copies of these sources take, each counted once."""
    needed = {layout.document(index, info.digest).name for info in infos}
    with os.scandir(index / layout.SOURCES) as found:
        return sum(one.stat().st_size for one in found if one.name in needed)


def _parts(place: Path, size: int) -> tuple[bytes, bytes]:
    """Return the stream and the mark of the copy of a document of so many bytes; of a file that is
    larger than such a copy can be, no more than that is read."""
    with layout.open_file(place) as stream:
        # What cannot be compressed grows a little.
        data = stream.read(size + (size >> 8) + 64)
    return data[:-MARK_BYTES], data[-MARK_BYTES:]


def _mark(block: bytes, place: Path) -> bytes:
    return zlib.crc32(place.name.encode(), zlib.crc32(block)).to_bytes(MARK_BYTES, "little")
