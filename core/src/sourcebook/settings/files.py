"""The files that settings come from: where they lie, what they hold, on which line a key stands."""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sourcebook.errors import BadSetting
from sourcebook.naming import described

LIMIT_BYTES = 1 << 20
"""A settings file beyond this is refused: a project file may be a stranger's."""

PROJECT_FILE = "sourcebook.toml"
PYPROJECT = "pyproject.toml"
CONFIG_VARIABLE = "SOURCEBOOK_CONFIG"


class SettingsFile(NamedTuple):
    """One file that was read.

    Args:
        path: absolute.
        table: where the settings stand in it: () or ("tool", "sourcebook").
        values: that table as TOML gave it.
        text: the file, to find the lines of its keys.
    """

    path: Path
    table: tuple[str, ...]
    values: Mapping[str, object]
    text: str

    def place(self, *key: str) -> str:
        """Return where a key stands: `sourcebook.toml:3`, without the line if it is not found."""
        line = line_of(self.text, (*self.table, *key))
        return f"{self.path}:{line}" if line else str(self.path)


def user_file(environ: Mapping[str, str]) -> SettingsFile | None:
    """Return the user's own settings: the file that `SOURCEBOOK_CONFIG` names, else `config.toml`
    in the user's configuration folder; None if there is none.

    Raises:
        BadSetting: the file named does not exist, or it cannot be read.
    """
    if named := environ.get(CONFIG_VARIABLE, ""):
        path = Path(named).expanduser().absolute()
        if named != os.devnull and not _is_file(path):
            raise BadSetting(f"there is no file `{path}`", where=f"environment {CONFIG_VARIABLE}")
    else:
        path = user_config_path()
    try:
        return read_file(path) if path.is_file() else None
    except PermissionError:
        raise BadSetting(
            f"whether there are settings of yours cannot be seen: `{path.parent}` is closed to you",
            where=str(path),
            hint=f"check HOME, or set {CONFIG_VARIABLE}={os.devnull} to go without",
        ) from None


def user_config_path() -> Path:
    """Return where the user's own settings lie when `SOURCEBOOK_CONFIG` names no other file."""
    if sys.platform.startswith("linux"):
        # What platformdirs answers here, without its 5 ms: every command reads this file.
        base = os.environ.get("XDG_CONFIG_HOME", "")
        folder = base if base.startswith("/") else os.path.expanduser("~/.config")  # noqa: PTH111
        return Path(folder, "sourcebook", "config.toml")
    from platformdirs import user_config_dir

    return Path(user_config_dir("sourcebook", appauthor=False), "config.toml")


def project_file(cwd: Path) -> SettingsFile | None:
    """Return the nearest `sourcebook.toml`, or `pyproject.toml` with a `[tool.sourcebook]`, of
    `cwd` and the folders above it, up to the user's home or the root.

    Raises:
        BadSetting: one cannot be read, or a folder has both.
    """
    for folder in upwards(cwd):
        own, shared = folder / PROJECT_FILE, folder / PYPROJECT
        found = read_file(own) if _is_file(own) else None
        tool = read_pyproject(shared) if _is_file(shared) else None
        if found and tool:
            raise BadSetting(
                f"`{folder}` has settings in two files, {PROJECT_FILE} and {PYPROJECT}",
                where=tool.place(),
                hint=f"keep one of them: move `[tool.sourcebook]` into {PROJECT_FILE}",
            )
        if found or tool:
            return found or tool
    return None


def _is_file(path: Path) -> bool:
    """Whether there is a file; in a folder that may not be looked into there is none."""
    return os.path.isfile(path)  # noqa: PTH113  Path.is_file() raises there


def upwards(cwd: Path) -> Iterator[Path]:
    """Yield `cwd` and the folders above it, ending with the user's home or the root."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111  Path.home() raises where there is none
    for folder in (cwd, *cwd.parents):
        yield folder
        if folder == home:
            return


def read_file(path: Path) -> SettingsFile:
    """Return a file whose top level is settings; raises `BadSetting` if it cannot be read."""
    text = read_text(path)
    return SettingsFile(path, (), parse(path, text), text)


def read_pyproject(path: Path) -> SettingsFile | None:
    """Return the `[tool.sourcebook]` of a file, None if it has none; raises as `read_file`."""
    text = read_text(path)
    if "sourcebook" not in text:
        return None  # spares most projects the parsing, and a broken file of theirs an error
    tool = parse(path, text).get("tool")
    table = tool.get("sourcebook") if isinstance(tool, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        raise BadSetting("`tool.sourcebook` must be a table", where=str(path))
    return SettingsFile(path, ("tool", "sourcebook"), table, text)


def read_text(path: Path) -> str:
    """Return a settings file as text; raises `BadSetting` if it is unreadable or too large."""
    try:
        with path.open("rb") as stream:
            data = stream.read(LIMIT_BYTES + 1)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(
            "the settings cannot be read", where=str(path), hint=described(error)
        ) from error
    if len(data) > LIMIT_BYTES:
        raise BadSetting(f"a settings file has at most {LIMIT_BYTES >> 20} MiB", where=str(path))
    return text


def parse(path: Path, text: str) -> dict[str, object]:
    """Return TOML as a dict; raises `BadSetting` with the line where it is malformed."""
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"\(at line (\d+), column \d+\)", str(error))
        raise BadSetting(
            f"not valid TOML: {str(error).partition(' (at')[0]}",
            where=f"{path}:{line[1]}" if line else str(path),
        ) from error
    except RecursionError as error:
        raise BadSetting("not valid TOML: nested too deeply", where=str(path)) from error


HEADER = re.compile(r"\s*\[+([^\]]+)\]+\s*(?:#.*)?$")
ASSIGNMENT = re.compile(r"""\s*((?:[\w.\s-]|"[^"]*"|'[^']*')+?)\s*=""")


def line_of(text: str, key: tuple[str, ...]) -> int:
    """Return the first line, from 1, that sets `key` or opens its table; 0 if none is found.

    `tomllib` keeps no positions, so this looks at lines as a reader would. A text value of many
    lines may mislead it, which costs no more than a wrong line in a message.
    """
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if header := HEADER.match(line):
            table = parts(header[1])
            if table == key:
                return number
        elif (match := ASSIGNMENT.match(line)) and (*table, *parts(match[1])) == key:
            return number
    return 0


def parts(dotted: str) -> tuple[str, ...]:
    """Return the parts of a dotted TOML key, without their quotes."""
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
