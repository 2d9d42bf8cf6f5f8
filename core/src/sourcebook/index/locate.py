"""Which index is meant: the one named, the one in the environment, or the nearest."""

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from sourcebook.errors import Ambiguous, BadRequest, IndexMissing
from sourcebook.index import layout
from sourcebook.index.manifest import read_manifest, read_subject

DEPTH = 3
"""Levels below a folder in which an index is looked for."""

FOLDERS_LOOKED_AT = 5000
ENTRIES_LOOKED_AT = 20_000
"""Folders altogether, and entries of one folder, after which the search ends."""


def default_name(subject: str) -> str:
    """Return the folder a new index of a subject gets: `docs-db`."""
    return f"{subject}-db"


def variable(subject: str) -> str:
    """Return the environment variable that names a subject's index: `SOURCEBOOK_DOCS_DB`."""
    return f"SOURCEBOOK_{subject.upper().replace('-', '_')}_DB"


def locate_indexes(
    subject: str,
    named: Sequence[str | Path] = (),
    *,
    configured: str = "",
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> tuple[list[Path], bool]:
    """Return the indexes that are meant, and whether one had to be looked for.

    Args:
        subject: only manifests of this subject count.
        named: what `--dir` said; all of them are meant, one that is named twice once.
        configured: the setting `<subject>.db`.
        cwd: where to look from, by default the working directory.
        environ: the environment.

    Raises:
        IndexMissing: a named one does not exist or is of another subject, or none was found.
        Ambiguous: two are equally near; the wrong index would answer with confidence.
    """
    environ = os.environ if environ is None else environ
    if any(not str(one) for one in named):
        raise BadRequest("the name of the index is empty", where="--dir", hint="name its folder")
    if named:
        distinct: dict[Path, Path] = {}
        for one in named:
            path = _checked(Path(one), subject, "--dir")
            distinct.setdefault(path.resolve(), path)
        return [*distinct.values()], False
    if from_environment := environ.get(variable(subject)):
        return [_checked(Path(from_environment), subject, variable(subject))], False
    if configured:
        return [_checked(Path(configured), subject, f"{subject}.db")], False
    try:
        here = (cwd or Path.cwd()).resolve()
    except OSError as error:
        raise IndexMissing(
            f"the working directory cannot be read: {error.strerror}",
            hint="change into another one, or name an index with `--dir`",
        ) from None
    home = Path(environ.get("HOME") or os.path.expanduser("~")).resolve()  # noqa: PTH111
    looked: set[Path] = set()
    folder = here
    for folder in _upwards(here, home):
        found = _nearest(folder, subject, looked)
        if len(found) > 1:
            names = ", ".join(os.path.relpath(path, here) for path in found)
            raise Ambiguous(
                f"{len(found)} {subject} indexes are equally near: {names}",
                where=str(folder),
                hint=f"name one with `--dir`, or set {variable(subject)}",
            )
        if found:
            return found, True
    raise IndexMissing(
        f"there is no {subject} index here, below, or above up to {folder}",
        where=str(here),
        hint=f"build one with `sourcebook {subject} index PATH...`, or name one with `--dir`",
    )


def _upwards(here: Path, home: Path) -> Iterator[Path]:
    """Yield `here` and the folders above, up to home or to where another owner's begin: what
    lies beside them there, as in a folder for everybody's temporary files, is nobody's to trust."""
    owner = _owner(here)
    for folder in (here, *here.parents):
        if _owner(folder) != owner:
            return
        yield folder
        if folder == home:
            return


def _owner(folder: Path) -> int:
    try:
        return folder.stat().st_uid
    except OSError:
        return -1


def _checked(path: Path, subject: str, said_by: str) -> Path:
    manifest = read_manifest(path)
    if manifest.subject != subject:
        raise IndexMissing(
            f"`{path}` is a {manifest.subject} index, not one of {subject}",
            where=said_by,
            hint=f"ask it with `sourcebook {manifest.subject}`",
        )
    return path


def _nearest(folder: Path, subject: str, looked: set[Path]) -> list[Path]:
    """Return the indexes in the shallowest level below `folder` that has any."""
    level = [folder]
    for _ in range(DEPTH + 1):
        found = [path for path in level if _is_of(path, subject)]
        if found:
            return sorted(found)
        looked.update(level)
        room = max(0, FOLDERS_LOOKED_AT - len(looked))
        below = (child for path in level for child in _folders(path) if child not in looked)
        level = list(islice(below, room))
    return []


def _is_of(path: Path, subject: str) -> bool:
    # One that cannot be read is still the nearest: opening it says what is wrong, where passing it
    # over would lead to another one's answers.
    return layout.is_index(path) and read_subject(path) in (subject, "")


def _folders(path: Path) -> Iterator[Path]:
    if layout.is_index(path):
        return
    try:
        with os.scandir(path) as entries:
            for entry in islice(entries, ENTRIES_LOOKED_AT):
                if (
                    entry.is_dir(follow_symlinks=False)
                    and not entry.name.startswith(".")
                    and entry.name != "node_modules"
                ):
                    yield Path(entry.path)
    except OSError:
        return
