"""The manifest: what an index is, which files it consists of, and what built it."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attrs import asdict, field, frozen

from sourcebook.errors import IndexDamaged, IndexMissing, IndexOutdated, SourcebookError
from sourcebook.index import layout
from sourcebook.naming import shown

FORMAT = 2
"""The version of everything below an index directory; docs/format/ has its history."""

NO_SOURCES = "no_sources"
"""The feature of an index that holds no copies of its documents."""

BASE_FEATURES = ("segments", "terms")
FEATURES: frozenset[str] = frozenset({*BASE_FEATURES, NO_SOURCES})
"""Features that this code can read; an index may need only these."""

LIMIT_BYTES = layout.MANIFEST_LIMIT_BYTES
DIGEST_LIMIT_BYTES = 256 * 1024 * 1024
"""Files up to this size are digested on first use, larger ones only by `verify`."""


@frozen
class StoreLock:
    """A store as the index was built with it: the part it plays (`lexical` or `vector`), its name
    and the version of its files; `url` is without user and password."""

    role: str
    name: str
    format_version: int
    url: str = ""
    options: Mapping[str, object] = MappingProxyType({})


@frozen
class EmbedderLock:
    """The embedder whose vectors the index holds."""

    ref: str
    fingerprint: str
    dimensions: int
    semantic: bool
    window: int


@frozen
class FileLock:
    """Size and sha256 of one file of the generation."""

    size: int
    sha256: str


@frozen
class Manifest:
    """See docs/format/ for the meaning of each part.

    `parts` of the `entries` are searched as what they are parts of, so that they have neither terms
    nor vectors of their own. `vectors_done` of `vectors_total` entries have vectors, fewer than all
    while a build is still embedding. `tokenizer` sized the entries. `content_digest` is equal for
    equal input on every build, order and machine.
    """

    subject: str
    subject_format: int
    generation: int
    root: str
    options: Mapping[str, object]
    tokenizer: str
    embedder: EmbedderLock | None
    stores: tuple[StoreLock, ...]
    sources: int
    entries: int
    parts: int
    kinds: Mapping[str, int]
    lengths: Mapping[str, int]
    vectors_done: int
    vectors_total: int
    skipped: Mapping[str, int]
    segments: tuple[int, ...]
    plugins: Mapping[str, str]
    content_digest: str
    files: Mapping[str, FileLock] = field(repr=False)
    started: str = ""
    finished: str = ""
    format: int = FORMAT
    features: tuple[str, ...] = BASE_FEATURES

    @property
    def sources_kept(self) -> bool:
        """Whether the index holds a copy of each document."""
        return NO_SOURCES not in self.features


def read_manifest(index: Path) -> Manifest:
    """Return the manifest of the index at `index`.

    Raises:
        IndexMissing: there is no manifest, so there is no index.
        IndexDamaged: it is not the JSON object it should be.
        IndexOutdated: it needs a format or a feature that this code does not know.
    """
    place = index / layout.MANIFEST
    raw = _read(index)
    if raw["format"] != FORMAT:
        raise IndexOutdated(
            f"`{index}` has format {shown(str(raw['format']))}, this version reads {FORMAT}",
            where=f"{place}, format",
            hint=layout.rebuild(index)
            if raw["format"] < FORMAT
            else "it was written by a newer sourcebook: upgrade this one",
        )
    try:
        features = _list(raw["features"], str)
        unknown = sorted({*features} - FEATURES)
        if not unknown:
            return _structure(raw)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise _damaged(place, f"{type(error).__name__}: {error}") from None
    raise IndexOutdated(
        f"`{index}` needs the feature `{shown(unknown[0])}`, which nobody here knows",
        where=f"{place}, features",
        hint="upgrade sourcebook, or index again",
    )


def read_subject(index: Path) -> str | None:
    """Return the subject of the index at `index`, whatever else is the matter with its manifest:
    "" if even that cannot be read, None if there is no manifest."""
    try:
        subject = _read(index).get("subject")
    except IndexMissing:
        return None
    except IndexDamaged:
        return ""
    return subject if isinstance(subject, str) else ""


def _read(index: Path) -> dict[str, Any]:
    """Return the object in the manifest, of which only `format` is known to be right."""
    place = index / layout.MANIFEST
    try:
        with layout.open_file(place) as stream:
            data = stream.read(LIMIT_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # no path can hold a NUL
        raise IndexMissing(
            f"`{index}` is not an index: it has no {layout.MANIFEST}",
            where=str(index),
            hint="build one with the verb `index` of a subject, or name another folder",
        ) from None
    except OSError as error:
        raise _damaged(place, error.strerror or str(error)) from None
    if len(data) > LIMIT_BYTES:
        raise _damaged(place, f"larger than {LIMIT_BYTES} bytes")
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _damaged(place, f"not JSON ({error})") from None
    if not isinstance(raw, dict) or type(raw.get("format")) is not int:
        raise _damaged(place, "no `format`")
    return raw


def _damaged(place: Path, why: str) -> IndexDamaged:
    return IndexDamaged(
        f"the manifest is damaged: {why}", where=str(place), hint=layout.rebuild(place)
    )


def _check(value: object, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError(f"{value!r:.60} is not {kind.__name__}")
    if type(value) is int and not 0 <= value < 1 << 53:
        raise ValueError("a number out of range")
    return value


def _list(value: object, kind: type) -> list[Any]:
    return [_check(one, kind) for one in _check(value, list)]


def _mapping(value: object, kind: type) -> dict[str, Any]:
    return {key: _check(one, kind) for key, one in _check(value, dict).items()}


def _structure(raw: Mapping[str, Any]) -> Manifest:
    embedder = None if raw["embedder"] is None else _check(raw["embedder"], dict)
    return Manifest(
        subject=_check(raw["subject"], str),
        subject_format=_check(raw["subject_format"], int),
        generation=_check(raw["generation"], int),
        root=_check(raw["root"], str),
        options=_check(raw["options"], dict),
        tokenizer=_check(raw["tokenizer"], str),
        embedder=None
        if embedder is None
        else EmbedderLock(
            _check(embedder["ref"], str),
            _check(embedder["fingerprint"], str),
            _check(embedder["dimensions"], int),
            _check(embedder["semantic"], bool),
            _check(embedder["window"], int),
        ),
        stores=tuple(
            StoreLock(
                _check(one["role"], str),
                _check(one["name"], str),
                _check(one["format_version"], int),
                _check(one["url"], str),
                _check(one["options"], dict),
            )
            for one in _list(raw["stores"], dict)
        ),
        sources=_check(raw["sources"], int),
        entries=_check(raw["entries"], int),
        parts=_check(raw["parts"], int),
        kinds=_mapping(raw["kinds"], int),
        lengths=_mapping(raw["lengths"], int),
        vectors_done=_check(raw["vectors_done"], int),
        vectors_total=_check(raw["vectors_total"], int),
        skipped=_mapping(raw["skipped"], int),
        segments=tuple(_list(raw["segments"], int)),
        plugins=_mapping(raw["plugins"], str),
        content_digest=_check(raw["content_digest"], str),
        files={
            name: FileLock(_check(one[0], int), _check(one[1], str))
            for name, one in _mapping(raw["files"], list).items()
        },
        started=_check(raw["started"], str),
        finished=_check(raw["finished"], str),
        format=raw["format"],
        features=tuple(raw["features"]),
    )


def write_manifest(index: Path, manifest: Manifest) -> None:
    """Publish `manifest`, by rename: a reader sees the old index or the new one, whole."""
    raw = asdict(manifest, recurse=True)
    raw["files"] = {name: [one.size, one.sha256] for name, one in manifest.files.items()}
    data = json.dumps(raw, separators=(",", ":"), default=dict).encode() + b"\n"
    if len(data) > LIMIT_BYTES:
        raise SourcebookError(
            f"the manifest would take {len(data)} bytes, more than {LIMIT_BYTES}",
            where=str(index / layout.MANIFEST),
            hint="too many structure files or store files for one index: index fewer sources",
        )
    layout.write_file(index / layout.MANIFEST, data)
    layout.sync_folder(index)


def lock_files(
    folder: Path, base: Path | None, known: Mapping[str, FileLock]
) -> dict[str, FileLock]:
    """Return size and digest of every file below the generation at `folder`.

    Files that are the same (hard-linked) as in the generation at `base` keep the digest `known`
    from there, so that the cost follows what changed.
    """
    locked = {}
    for name in layout.files_below(folder):
        place = folder / name
        state = place.stat()
        before = known.get(name)
        if before is not None and base is not None and before.size == state.st_size:
            try:
                if os.path.samestat(state, (base / name).stat()):
                    locked[name] = before
                    continue
            except OSError:
                pass
        locked[name] = FileLock(state.st_size, digest_file(place))
    return locked


def digest_file(place: Path) -> str:
    """Return the sha256 of a file in hexadecimal."""
    with layout.open_file(place) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_file(folder: Path, name: str, lock: FileLock, *, whole: bool = False) -> Path:
    """Return the place of a file of the generation at `folder` after comparing it with its lock.

    Raises:
        IndexDamaged: it is not there or cannot be read, its size differs, or its digest does
            (beyond 256 MiB only with `whole`).
    """
    place = layout.inside(folder, name)
    try:
        size = place.stat().st_size
        if size != lock.size:
            raise IndexDamaged(
                f"it has {size} bytes, the manifest says {lock.size}",
                where=str(place),
                hint=layout.rebuild(place),
            )
        if (whole or size <= DIGEST_LIMIT_BYTES) and digest_file(place) != lock.sha256:
            raise IndexDamaged(
                "its bytes are not those that were written",
                where=str(place),
                hint=layout.rebuild(place),
            )
    except OSError as error:
        raise unreadable(place, error) from None
    return place


def unreadable(place: Path, error: OSError) -> IndexDamaged:
    """Return the error for a file of the index that is gone or cannot be read."""
    why = "missing" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
    return IndexDamaged(
        f"a file of the index cannot be read: {why}", where=str(place), hint=layout.rebuild(place)
    )
