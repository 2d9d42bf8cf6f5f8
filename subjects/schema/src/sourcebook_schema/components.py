"""`components.sbk`: the values of all components in blocks of some 64 KB, found by URI."""

import json
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sourcebook.index.blocks import pack, unpack
from sourcebook.index.columns import LEVEL, Columns, all_texts, encode_columns, guarded

from sourcebook_schema.facts import ROLES, ComponentRow, split_uri

COMPONENTS = "components.sbk"
VERSION = 1

BLOCK_CHARACTERS = 65536
BLOCKS_KEPT = 16
"""Of components, in memory."""


def encode_components(files: Mapping[str, Any]) -> bytes:
    """Return `components.sbk` from the facts of each file."""
    starts = array("I", [0])
    pointers: list[str] = []
    nodes, roles = array("i"), array("B")
    values: list[str] = []
    first = 0
    for file in files.values():
        for row in (ComponentRow(*one) for one in file["components"]):
            pointers.append(row.pointer)
            roles.append(ROLES.index(row.role))
            nodes.append(first + row.node if row.node >= 0 else -1)
            values.append(row.value)
        starts.append(len(pointers))
        first += len(file["nodes"])
    blocks, at, firsts = bytearray(), array("I", [0]), array("I")
    for number, some in _in_blocks(values):
        blocks += pack("\n".join(some).encode("utf-8", "surrogatepass"), LEVEL)
        firsts.append(number)
        at.append(len(blocks))
    return encode_columns(
        {
            "starts": starts, "pointers": pointers, "nodes": nodes, "roles": roles,
            "blocks": bytes(blocks), "blocks.at": at, "blocks.first": firsts,
        },
        {"version": VERSION, "sources": list(files)},
    )  # fmt: skip


def _in_blocks(values: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield values together, with the number of the first; a line each, which JSON can be."""
    first = 0
    some: list[str] = []
    size = 0
    for value in values:
        some.append(value.replace("\n", " "))
        size += len(value)
        if size >= BLOCK_CHARACTERS:
            yield first, some
            first += len(some)
            some, size = [], 0
    if some:
        yield first, some


class Components(Columns):
    """The values of all components, by URI.

    Args:
        data: the bytes of `components.sbk`.
        count: how many nodes the graph has.
        where: the file, for messages.

    Raises:
        IndexDamaged: from every method, if the file is not what `encode_components` returns.
    """

    def __init__(self, data: bytes, count: int, where: str = COMPONENTS) -> None:
        super().__init__(data, where)
        self._rows: dict[str, dict[str, int]] = {}
        self._kept: dict[int, list[str]] = {}
        self._open(count)

    @guarded
    def _open(self, count: int) -> None:
        if self.values["version"] != VERSION:
            raise ValueError(f"version {self.values['version']!r}")
        self._nodes = self.numbers("nodes", "i", below=count)
        rows = len(self._nodes)
        self._sources = {name: at for at, name in enumerate(all_texts(self.values["sources"]))}
        self._starts = self.begins("starts", len(self._sources), rows)
        self._pointers = self.texts("pointers", rows)
        self._roles = self.numbers("roles", "B", rows, below=len(ROLES))
        self._blocks = self.raw("blocks")
        self._firsts = self.numbers("blocks.first", "I")
        self._at = self.begins("blocks.at", len(self._firsts), len(self._blocks))

    def row(self, uri: str) -> int:
        """Return the row of a component, -1 if there is none at this URI."""
        name, pointer = split_uri(uri)
        place = self._sources.get(name)
        if place is None:
            return -1
        if name not in self._rows:
            first, last = self._starts[place], self._starts[place + 1]
            self._rows[name] = {self._pointers[row]: row for row in range(first, last)}
        return self._rows[name].get(pointer, -1)

    def node(self, row: int) -> int:
        """Return the node of a component, -1 without one."""
        return self._nodes[row]

    def role(self, row: int) -> str:
        """Return what it is, one of `ROLES`."""
        return ROLES[self._roles[row]]

    @guarded
    def value(self, row: int) -> Any:
        """Return its value."""
        block = bisect_right(self._firsts, row) - 1
        if block not in self._kept:
            packed = bytes(self._blocks[self._at[block] : self._at[block + 1]])
            text = unpack(packed).decode("utf-8", "surrogatepass")
            self._kept = {**dict([*self._kept.items()][1 - BLOCKS_KEPT :]), block: text.split("\n")}
        return json.loads(self._kept[block][row - self._firsts[block]])
