"""What the installed distributions declare, read from their metadata files.

`importlib.metadata` would answer the same, at 22 ms for its import alone (it brings `email` and
`zipfile`), which every command would pay; the files themselves are read in less than one. It still
serves where distributions are not plain folders on `sys.path`: zip archives and foreign finders.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

METADATA_LIMIT_BYTES = 1 << 20
"""Metadata beyond this is cut: headers stand at the start, and entry points are a few lines."""

CORE = "sourcebook-core"


class Distribution:
    """One installed distribution; its headers are read when first asked for.

    Args:
        stem: the name and version that its metadata folder bears, `acme_runbooks`, `1.0`.
        read: returns the text of one of its metadata files, or "" if there is none.
    """

    def __init__(self, stem: tuple[str, str], read: Callable[[str], str]) -> None:
        self._stem = stem
        self._read = read

    @cached_property
    def _headers(self) -> Mapping[str, list[str]]:
        text = self._read("METADATA") or self._read("PKG-INFO")
        headers: dict[str, list[str]] = {}
        for line in text.split("\n"):
            if not line.strip():
                break  # the description follows
            key, colon, value = line.partition(":")
            if colon and not line[0].isspace():
                headers.setdefault(key.lower(), []).append(value.strip())
        return headers

    def _header(self, key: str, default: str) -> str:
        return next(iter(self._headers.get(key, ())), default)

    @property
    def name(self) -> str:
        """The name as its author spells it: `acme-runbooks`."""
        return self._header("name", self._stem[0])

    @property
    def version(self) -> str:
        """The version, or "" if it has none."""
        return self._header("version", self._stem[1])

    @property
    def summary(self) -> str:
        """The one-line summary, or ""."""
        return self._header("summary", "")

    def requirements(self, name: str) -> list[str]:
        """Return the version specifiers it asks of the distribution `name`, such as `>=1,<2`.

        Requirements that hold only under a marker (an extra, a platform) are left out.
        """
        found = []
        for line in self._headers.get("requires-dist", ()):
            requirement, marker, _ = line.partition(";")
            match = REQUIREMENT.fullmatch(requirement.strip())
            if match and not marker and normalised(match["name"]) == normalised(name):
                found.append(match["versions"].strip("() "))
        return found

    @property
    def label(self) -> str:
        """Name and version as messages give them: `acme-runbooks 1.0`."""
        return f"{self.name} {self.version}".rstrip()


class Declared(NamedTuple):
    """One entry point. A plain tuple: an attrs class would add a millisecond to every start."""

    group: str
    name: str
    module: str
    distribution: Distribution


REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(?P<versions>.*)"
)
SPECIFIER = re.compile(
    r"(?P<operator>~=|==|!=|<=|>=|<|>)\s*(?P<release>\d{1,9}(?:\.\d{1,9})*)(?P<any>\.\*)?"
)
RELEASE = re.compile(r"v?\d{1,9}(?:\.\d{1,9})*")


def normalised(name: str) -> str:
    """Return a distribution's name as comparisons see it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_declared(prefix: str, path: Sequence[str] | None = None) -> list[Declared]:
    """Return every entry point whose group begins with `prefix`, in the order of the path.

    Of a distribution that is installed twice only the first on the path counts: it is the one
    whose modules Python would import.

    Args:
        prefix: `sourcebook.`
        path: folders to look in, default `sys.path`.
    """
    found = None if path is None and foreign_finders() else list_folders(path or sys.path)
    distributions = from_importlib(path) if found is None else found
    return [
        Declared(group, name, module, distribution)
        for distribution, text in distributions
        if prefix in text
        for group, name, module in parse_entry_points(text)
        if group.startswith(prefix)
    ]


def foreign_finders() -> bool:
    """Return whether some import finder beside Python's own can find distributions."""
    return any(
        hasattr(finder, "find_distributions") and getattr(finder, "__name__", "") != "PathFinder"
        for finder in sys.meta_path
    )


def list_folders(path: Sequence[str]) -> list[tuple[Distribution, str]] | None:
    """Return distributions with the text of their entry points, those without any left out;
    None if something on the path is no folder.

    Plain calls of `os`: a `Path` for each of some hundred names costs more than reading them.
    """
    found: list[tuple[Distribution, str]] = []
    seen: set[str] = set()
    for folder in path:
        try:
            names = sorted(os.listdir(folder or "."))  # noqa: PTH208
        except NotADirectoryError:
            return None
        except OSError:
            continue
        for entry in names:
            if not entry.endswith((".dist-info", ".egg-info")):
                continue
            name, _, version = entry.rpartition(".")[0].partition("-")
            if (key := normalised(name)) in seen:
                continue
            seen.add(key)
            read = metadata_reader(f"{folder or '.'}/{entry}")
            if text := read("entry_points.txt"):
                found.append((Distribution((name, version), read), text))
    return found


def metadata_reader(folder: str) -> Callable[[str], str]:
    """Return a function that reads the metadata files of one folder; unreadable ones are ""."""

    def read(name: str) -> str:
        try:
            with open(f"{folder}/{name}", "rb") as stream:  # noqa: PTH123
                data = stream.read(METADATA_LIMIT_BYTES)
        except OSError:
            return ""
        return data.decode("utf-8", "replace").replace("\r\n", "\n")

    return read


def from_importlib(path: Sequence[str] | None) -> Iterator[tuple[Distribution, str]]:
    """Yield the same as `list_folders`, found by `importlib.metadata`."""
    from importlib import metadata

    seen: set[str] = set()
    for item in metadata.distributions() if path is None else metadata.distributions(path=[*path]):

        def read(name: str, item: metadata.Distribution = item) -> str:
            return item.read_text(name) or ""

        name = item.metadata["Name"] or ""
        if (key := normalised(name)) in seen:
            continue
        seen.add(key)
        if text := read("entry_points.txt"):
            yield Distribution((name, item.version or ""), read), text


def parse_entry_points(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield group, name and module of each line of an `entry_points.txt`."""
    group = ""
    for line in text.split("\n"):
        line = line.strip()
        if not line or line.startswith(("#", ";")):
            continue
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
            continue
        name, equals, value = line.partition("=")
        if equals:
            yield group, name.strip(), value.partition("[")[0].strip()


def satisfies(version: str, specifiers: str) -> bool:
    """Return whether `version` fulfils `specifiers` (`>=1.2,<2`), compared by release number.

    A pre-release counts as its release, so that plugins load in a development build of the next
    version. What cannot be read counts as fulfilled: refusing is the installer's business, this
    only spares the reader an import error's riddle.
    """
    have = release(version)
    return have is None or all(
        holds(have, specifier) for specifier in specifiers.split(",") if specifier.strip()
    )


def release(version: str) -> tuple[int, ...] | None:
    """Return the release numbers of a version, without trailing zeros; None if there are none."""
    match = RELEASE.match(version.strip())
    return trimmed(match[0].lstrip("v")) if match else None


def trimmed(dotted: str) -> tuple[int, ...]:
    """Return the numbers of a dotted release without trailing zeros: 1.0 and 1 are one version."""
    numbers = [int(part) for part in dotted.split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def holds(have: tuple[int, ...], specifier: str) -> bool:
    """Return whether a release fulfils one specifier."""
    match = SPECIFIER.match(specifier.strip())
    if not match:
        return True
    wanted, parts = trimmed(match["release"]), [int(n) for n in match["release"].split(".")]
    match match["operator"]:
        case "==" | "!=" as operator:
            same = starts(have, parts) if match["any"] else have == wanted
            return same is (operator == "==")
        case "~=":
            return have >= wanted and starts(have, parts[:-1])
        case ">=":
            return have >= wanted
        case "<=":
            return have <= wanted
        case ">":
            return have > wanted
        case _:
            return have < wanted


def starts(have: tuple[int, ...], parts: Sequence[int]) -> bool:
    """Return whether a release begins with `parts`, missing numbers being zero."""
    padded = have + (0,) * max(0, len(parts) - len(have))
    return padded[: len(parts)] == tuple(parts)
