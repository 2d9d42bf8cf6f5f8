"""What reader and writer share: the engine's schema, its keys, its private folder, its failures.

All fields of a row go into one engine field, each as a value of its own: BM25 over it finds
99.9 % of what BM25F ranks in the first ten among 200 candidates, BM25 added up over separate
fields 70 %. The engine leaves a gap between values, so no phrase crosses from one to the next.
"""

import json
import shutil
import struct
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

import tantivy
from sourcebook.errors import IndexDamaged, IndexOutdated, SourcebookError, StoreUnavailable

ID: Final = "id"
DOCUMENT: Final = "document"
FILTERS: Final = "filters"
TERMS: Final = "terms"
ORDER: Final = "order"
ROW: Final = "row"

META: Final = "meta.json"

KEY_LIMIT: Final = 16_000
"""Characters; Tantivy drops what is longer than 65,530 bytes, without a word."""

_KEY_HEAD: Final = 64

_FOOTER_MAGIC: Final = 1337


def make_schema() -> tantivy.Schema:
    """Return the engine's schema, the same for every index: filters are values, not fields."""
    builder = tantivy.SchemaBuilder()
    for name in (ID, DOCUMENT, FILTERS):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    # Splits at ASCII spaces only, and core's terms are joined by these.
    builder.add_text_field(TERMS, tokenizer_name="whitespace", index_option="position")
    builder.add_unsigned_field(ORDER, fast=True)
    builder.add_bytes_field(ROW, stored=True)
    return builder.build()


def key(text: str) -> str:
    """Return what stands for `text` in the engine: itself, or a digest where it is too long."""
    if len(text) <= KEY_LIMIT:
        return text
    return f"{text[:_KEY_HEAD]}\0{sha256(text.encode()).hexdigest()}"


def is_digest(found: str) -> bool:
    """Return whether `key` shortened the text that `found` stands for."""
    return len(found) == _KEY_HEAD + 65 and found[_KEY_HEAD] == "\0"


def filter_key(name: str, value: str) -> str:
    """Return what stands for one value of one filter."""
    return key(f"{name}\0{value}")


def open_for_reading(folder: Path) -> tantivy.Index:
    """Return an index whose files are mapped already, so that nothing is ever opened again.

    Tantivy takes a lock, by a file of its own, even to read. It gets it in a private folder of
    links, which is gone when this returns.
    """
    if not (folder / META).is_file():
        raise IndexDamaged(f"`{META}` is missing", where=str(folder / META))
    try:
        private = Path(tempfile.mkdtemp(prefix="sourcebook-"))
    except OSError as error:
        raise StoreUnavailable(
            f"no temporary folder can be made: {error.strerror}",
            where=tempfile.gettempdir(),
            hint="set TMPDIR to a folder that you may write in",
        ) from None
    try:
        with guard(folder):
            for path in folder.resolve().iterdir():
                (private / path.name).symlink_to(path)
            index = tantivy.Index.open(str(private))
            index.config_reader("manual")
            return index
    finally:
        # A thread of the engine may be making its lock just now, which it does once.
        for _ in range(3):
            shutil.rmtree(private, ignore_errors=True)


@contextmanager
def guard(folder: Path, *, writing: bool = False) -> Iterator[None]:
    """Turn whatever the engine raises, panics of its Rust code included, into our errors.

    Raises:
        IndexDamaged: a file's bytes are not what the engine wrote; names it where that is known.
        IndexOutdated: another version of the engine wrote the files.
        StoreUnavailable: `writing`, and the files there are sound: a full disk, most likely.
    """
    try:
        yield
    except SourcebookError:
        raise
    except BaseException as error:
        # pyo3 makes panics a BaseException of a class that cannot be imported.
        panicked = type(error).__name__ == "PanicException"
        if not panicked and not isinstance(error, ValueError | OSError):
            raise
        said = f"{error}".partition("\n")[0]
        if "ncompatible" in said:
            raise IndexOutdated(
                f"another version of Tantivy wrote this: {said}",
                where=str(folder),
                hint="index again",
            ) from None
        damaged = find_damage(folder)
        if writing and damaged is None:
            raise StoreUnavailable(
                f"Tantivy cannot write: {said}", where=str(folder), hint="is the disk full?"
            ) from None
        raise IndexDamaged(
            f"Tantivy cannot read its files: {said}",
            where=str(damaged or folder),
            hint="index again",
        ) from None


def find_damage(folder: Path) -> Path | None:
    """Return the first engine file that is missing or whose checksum is wrong.

    Each ends with a JSON footer that has the CRC-32 of all before it, the footer's length and a
    magic number. Reads every file, so it is asked only after a failure.
    """
    try:
        managed = json.loads((folder / ".managed.json").read_bytes())
        names = [name for name in map(str, managed) if "/" not in name and name != META]
    except (OSError, ValueError, TypeError):
        return folder / ".managed.json"
    return next((folder / name for name in sorted(names) if not is_sound(folder / name)), None)


def is_sound(path: Path) -> bool:
    """Return whether an engine file has the checksum that its footer says."""
    try:
        data = path.read_bytes()
        length, magic = struct.unpack("<II", data[-8:])
        end = len(data) - 8 - length
        footer = json.loads(data[end:-8]) if end >= 0 else {}
        return bool(magic == _FOOTER_MAGIC and footer["crc"] == zlib.crc32(data[:end]))
    except (OSError, ValueError, KeyError, TypeError, struct.error):
        return False
