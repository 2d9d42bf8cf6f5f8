"""Values of JSON's own types that know on which lines they are written."""

import gc
from typing import Protocol, TypeAlias

from attrs import frozen
from sourcebook.model import Problem

MAX_DEPTH = 200
"""How deeply mappings and lists may nest; real descriptions stay below 40."""

Value: TypeAlias = "Map | Seq | list[Value] | str | int | float | bool | None"
"""A list of a JSON file is a plain one."""


class ReadError(Exception):
    """A text that cannot be read: `message` says why, `line` where (0: all of it)."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class KeyLines(Protocol):
    """The lines of the keys of many mappings."""

    def line(self, place: int, key: str) -> int:
        """Return the line of a key of the mapping with this number, 0 if it has no such key."""


class Map(dict[str, Value]):
    """A mapping, its keys in the order in which they are written.

    `first` is the line of its key, where it is the value of one, else of its first character;
    `last` is its last line. What several aliases stand for is one object, with the lines at which
    it is written.
    """

    __slots__ = ("first", "keys_at", "last", "place")

    first: int
    last: int
    place: int
    keys_at: KeyLines

    def line(self, key: str) -> int:
        """Return the line of a key; `first` if there is no such key."""
        return self.keys_at.line(self.place, key) or self.first


class Seq(list[Value]):
    """A list; `first` and `last` as of `Map`."""

    __slots__ = ("first", "last")

    first: int
    last: int


class Number(float):
    """A number whose text is not how Python writes it: `text` is `1.10` where it is 1.1."""

    __slots__ = ("text",)

    text: str

    @classmethod
    def of(cls, text: str) -> float:
        """Return the number that `text` writes, a plain `float` if that is all there is to it."""
        value = float(text)
        if repr(value) == text:
            return value
        made = cls(value)
        made.text = text
        return made


def twice(key: str, first: int, second: int) -> Problem:
    """Return what is said of a key that is there twice."""
    return Problem(
        f"the key `{key}` is there twice, first on line {first}; this one counts", second
    )


@frozen
class Tree:
    """What a text holds, and what is wrong with it that did not stop the reading."""

    root: Value
    problems: list[Problem]


def read_tree(text: str, name: str) -> Tree:
    """Return what a text holds, which is JSON or YAML whatever its name ends in.

    Raises:
        ReadError: it is neither, or larger or deeper than is allowed.
    """
    # The many objects that stay would have the collector look at all of them again and again.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _read(text, name)
    finally:
        if collecting:
            gc.enable()


def _read(text: str, name: str) -> Tree:
    from sourcebook_schema.reading.json import read_json

    start = text.lstrip()[:1]
    if not start:
        raise ReadError("the file is empty")
    if start in "{[":
        try:
            return read_json(text)
        except ReadError:
            # A flow mapping of YAML begins like an object.
            if name.lower().endswith(".json"):
                raise
    from sourcebook_schema.reading.yaml import read_yaml

    return read_yaml(text)
