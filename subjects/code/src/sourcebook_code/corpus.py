"""The declarations of all files under common numbers, and what a name may stand for among them."""

from bisect import bisect_left
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, TypeAlias

from sourcebook_code.families import Family
from sourcebook_code.modules import File, Modules
from sourcebook_code.variables import CLASSES, TYPES


class Type(NamedTuple):
    """A declaration by its qualified name in a group, as an owner of members."""

    group: int
    title: str


class Super(NamedTuple):
    """The base types of a type."""

    group: int
    title: str


class Whole(NamedTuple):
    """A file as an owner of what it declares and imports."""

    place: int


class Group(NamedTuple):
    """All files of a group."""

    group: int


class Dotted(NamedTuple):
    """A package of which only modules below it are files."""

    name: str


class Nowhere(Enum):
    """What leads to no declaration."""

    ELSEWHERE = 0
    """It is not of the corpus."""
    UNKNOWN = 1
    """It hides what has the name further out, and nothing else is known of it."""


ELSEWHERE, UNKNOWN = Nowhere.ELSEWHERE, Nowhere.UNKNOWN

Value: TypeAlias = Type | Super | Whole | Group | Dotted | Nowhere


class Corpus:
    """The nodes of all files: a file, then its declarations, file after file.

    Files of a group share their top names, see `Family.group`.

    Attributes:
        firsts: the node of each file.
        groups: the group of each file.
        file_of, kinds, names, titles, parents: of each node; the title is the qualified name,
            nothing for a file.
        files_of, by_title: of each group its files, and its nodes by title.
        members: of each family the methods and properties of types, by their names.
        owned: the same by name and by the name of the type, both as `plain`.
        tops: of each family the nodes with no owner, by name.
        prototypes: nodes that only announce what is written elsewhere.
    """

    def __init__(self, files: Sequence[File]) -> None:
        self.files = files
        self.modules = Modules(files)
        self.firsts: list[int] = []
        self.groups: list[int] = []
        self.file_of: list[int] = []
        self.kinds: list[str] = []
        self.names: list[str] = []
        self.titles: list[str] = []
        self.parents: list[int] = []
        self.files_of: list[list[int]] = []
        self.by_title: list[dict[str, list[int]]] = []
        self.members: dict[str, dict[str, list[int]]] = {}
        self.owned: dict[str, dict[tuple[str, str], list[int]]] = {}
        self.tops: dict[str, dict[str, list[int]]] = {}
        self.prototypes: set[int] = set()
        self._groups: dict[tuple[str, ...], int] = {}
        for file in files:
            self._add(file)

    def _add(self, file: File) -> None:
        first = len(self.kinds)
        self.firsts.append(first)
        fact, family = file.fact, file.family
        group = self._group(file)
        self.groups.append(group)
        self.files_of[group].append(file.place)
        kinds = fact["kinds"]
        self.file_of += [file.place] * (len(kinds) + 1)
        self.kinds += ["file", *kinds]
        self.names += [file.name, *fact["names"]]
        self.parents += [-1, *(first + 1 + parent for parent in fact["parents"])]
        titles = [""]
        by_title = self.by_title[group]
        members = self.members.setdefault(family.name, {})
        owned = self.owned.setdefault(family.name, {})
        tops = self.tops.setdefault(family.name, {})
        rows = zip(fact["names"], fact["titles"], fact["parents"], kinds, strict=True)
        for node, (name, told, parent, kind) in enumerate(rows, first + 1):
            owner = titles[parent + 1]
            title = told or (f"{owner}.{name}" if owner else name)
            titles.append(title)
            by_title.setdefault(title, []).append(node)
            if title == name:
                tops.setdefault(name, []).append(node)
            # One without a parent is written outside of its type.
            elif kind not in TYPES and (kinds[parent] in CLASSES if parent >= 0 else told):
                members.setdefault(name, []).append(node)
                of = title[: -len(name) - 1].rpartition(".")[2]
                owned.setdefault((name, plain(of)), []).append(node)
        self.titles += titles
        self.prototypes.update(first + 1 + place for place in fact["prototypes"])

    def _group(self, file: File) -> int:
        family = file.family
        key: tuple[str, ...]
        if family.group == "all":
            key = (family.name,)
        elif family.group == "folder" or (family.group == "package" and not file.package):
            key = (family.name, "folder", file.folder)
        elif family.group == "package":
            key = (family.name, "package", file.package)
        else:
            key = (family.name, "file", file.name)
        group = self._groups.setdefault(key, len(self._groups))
        if group == len(self.by_title):
            self.by_title.append({})
            self.files_of.append([])
        return group

    def package(self, family: Family, name: str) -> int | None:
        """Return the group of a package, None if no file says that it is of it."""
        return self._groups.get((family.name, "package", name))

    def within(self, nodes: list[int], place: int) -> list[int]:
        """Return those of some nodes, in their order, that a file has."""
        first = self.firsts[place]
        end = self.firsts[place + 1] if place + 1 < len(self.firsts) else len(self.kinds)
        return nodes[bisect_left(nodes, first) : bisect_left(nodes, end)]

    def type_of(self, nodes: Sequence[int]) -> Type:
        """Return the last of some nodes as an owner of members."""
        node = nodes[-1]
        return Type(self.groups[self.file_of[node]], self.titles[node])

    def nodes(self, value: Value) -> list[int]:
        """Return the nodes that a value stands for by itself."""
        if isinstance(value, Type):
            return self.by_title[value.group].get(value.title, [])
        return [self.firsts[value.place]] if isinstance(value, Whole) else []


def plain(name: str) -> str:
    """Return what a variable and its type may have in common: `http_client` and `HTTPClient`."""
    return name.replace("_", "").lower()
