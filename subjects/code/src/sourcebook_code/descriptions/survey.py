"""Every declaration of an index with what the descriptions at its root say of it."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from attrs import evolve
from sourcebook.errors import NotFound
from sourcebook.index.corpus import changed_sources, find_root, place_of
from sourcebook.index.open import Index
from sourcebook.model import IndexedEntry

from sourcebook_code.descriptions.sidecar import (
    Description,
    Match,
    match,
    read_sidecar,
)


class Unit(NamedTuple):
    """A declaration and what is said of it."""

    entry: IndexedEntry
    match: Match
    declined: bool

    @property
    def name(self) -> str:
        """Its qualified name."""
        return str(self.entry.facts["qualified_name"])

    @property
    def code(self) -> str:
        """The digest of its code."""
        return str(self.entry.facts["code"])


class Survey(NamedTuple):
    """The units of an index by source, and the descriptions at its root."""

    root: Path
    units: list[Unit]
    descriptions: tuple[Description, ...]

    @property
    def behind(self) -> bool:
        """Whether the index knows other texts than those that apply now."""
        return any(
            bool(unit.match.text) != bool(unit.entry.facts["described"]) for unit in self.units
        )


def survey(index: Index, root: str | None, skip: Sequence[str] = ()) -> Survey:
    """Return every declaration of an index with its state.

    Args:
        index: an index of code.
        root: the folder its sources lie below; None: it is looked for.
        skip: patterns `path` or `path::name` of what is not to be described; `*` stays within one
            folder, `**` does not.

    Raises:
        NotFound: no root was found.
        SidecarUnreadable: the descriptions there cannot be read.
    """
    place = root_of(index, root)
    descriptions = read_sidecar(place)
    by_path: dict[str, list[Description]] = {}
    for one in descriptions:
        by_path.setdefault(one.path, []).append(one)
    units: list[Unit] = []
    for name in index.sources:
        entries = [one for one in index.entries([name]) if one.facts.get("code")]
        declared = [(str(one.facts["qualified_name"]), str(one.facts["code"])) for one in entries]
        matches = match(by_path.get(name, ()), declared)
        units += [
            Unit(entry, found, _declined(name, entry.title, skip))
            for entry, found in zip(entries, matches, strict=True)
        ]
    return Survey(place, units, descriptions)


def _declined(path: str, name: str, skip: Sequence[str]) -> bool:
    for pattern in skip:
        wanted, sep, member = pattern.partition("::")
        if _path_fits(path.split("/"), wanted.split("/")) and (
            not sep or fnmatchcase(name, member)
        ):
            return True
    return False


def _path_fits(parts: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the parts of a path fit those of a pattern, `**` standing for any number."""
    reached = {0}
    for part in parts:
        reached = _open(wanted, reached)
        reached = {
            at if wanted[at] == "**" else at + 1
            for at in reached
            if at < len(wanted) and (wanted[at] == "**" or fnmatchcase(part, wanted[at]))
        }
    return len(wanted) in _open(wanted, reached)


def _open(wanted: Sequence[str], places: set[int]) -> set[int]:
    for at in sorted(places):
        while at < len(wanted) and wanted[at] == "**":
            at += 1
            places.add(at)
    return places


def root_of(index: Index, given: str | None) -> Path:
    """Return the folder that the sources of an index lie below: the one given, or found.

    Raises:
        NotFound: it is none, or none was found.
    """
    if given is not None:
        place = Path(given)
        if not place.is_dir():
            raise NotFound(f"`{given}` is no folder", where="root")
        return place.resolve()
    found = find_root(index)
    if found is None:
        raise NotFound(
            f"the files that `{index.name}` was built from are not near it",
            where="root",
            hint="name the folder that was indexed: `--root DIR`",
        )
    return found


def carry_over(
    index: Index, found: Survey, accepted: Mapping[tuple[str, str], Description]
) -> tuple[list[Description], int]:
    """Return the descriptions that stay beside those accepted, and how many are dropped: their code
    is gone, which is only known of files that are gone or that the index has as they are. One whose
    file was moved goes along, where just one declaration has its name and code."""
    live = {(unit.entry.source, unit.name, unit.code) for unit in found.units}
    names = {(source, name) for source, name, _ in live}
    codes = {(source, code) for source, _, code in live}
    places: dict[tuple[str, str], set[str]] = {}
    for source, name, code in live:
        places.setdefault((name, code), set()).add(source)
    replaced = {(one.path, one.name) for one in accepted.values()}
    changed = set(changed_sources(index, found.root))
    kept: list[Description] = []
    pruned = 0
    for one in found.descriptions:
        gone = place_of(found.root, one.path) is None
        if gone and len(at := places.get((one.name, one.code), set())) == 1:
            one = evolve(one, path=next(iter(at)))
        exact = (one.path, one.name, one.code) in live
        if (one.path, f"{one.name} {one.code}") in accepted:
            continue
        if (one.path, one.name) in replaced and not exact:
            continue
        known = gone or (one.path in index.sources and one.path not in changed)
        if known and (one.path, one.name) not in names and (one.path, one.code) not in codes:
            pruned += 1
        else:
            kept.append(one)
    return kept, pruned
