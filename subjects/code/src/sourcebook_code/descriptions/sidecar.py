"""`sourcebook.descriptions.json`: texts by path, qualified name and digest of code.

It lies at the root of the corpus and is meant to be committed. A text applies to a declaration as
long as the code stays what it was, comments and white space aside.
"""

import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from attrs import asdict, frozen
from sourcebook.errors import SourcebookError
from sourcebook.index.corpus import place_of

if TYPE_CHECKING:
    from cattrs import Converter

NAME = "sourcebook.descriptions.json"
SCHEMA = 1
LIMIT_BYTES = 64 * 1024 * 1024

State = Literal["described", "moved", "superseded", "missing"]


class SidecarUnreadable(SourcebookError):
    """The file of descriptions is not what this program writes."""


@frozen(order=True)
class Description:
    """A text about a declaration.

    Args:
        path: the file, relative to the root, with `/`.
        name: the qualified name.
        code: the digest of the code, see `Declaration.code`.
        text: what was written.
    """

    path: str
    name: str
    code: str
    text: str


class Match(NamedTuple):
    """What the descriptions say of one declaration: its state, and the text if one applies."""

    state: State
    text: str = ""


def read_sidecar(root: Path) -> tuple[Description, ...]:
    """Return the descriptions at `root`, none if there is no such file.

    Raises:
        SidecarUnreadable: the file cannot be read or is something else.
    """
    place = root / NAME
    found = place_of(root, NAME)
    if found is None:
        if not os.path.lexists(place):
            return ()
        raise SidecarUnreadable(
            f"`{NAME}` is no file, or a link out of the folder",
            where=str(place),
            hint="remove it to begin anew",
        )
    try:
        with found.open("rb") as stream:
            data = stream.read(LIMIT_BYTES + 1)
    except OSError as error:
        raise SidecarUnreadable(
            f"`{NAME}` cannot be read: {error.strerror}", where=str(place)
        ) from None
    try:
        if len(data) > LIMIT_BYTES:
            raise ValueError(f"it has more than {LIMIT_BYTES} bytes")
        raw = json.loads(data)
        if not isinstance(raw, dict) or not isinstance(raw.get("descriptions"), list):
            raise TypeError("it is no object with `schema` and `descriptions`")
        if raw.get("schema") != SCHEMA:
            raise ValueError(f"its schema is {str(raw.get('schema'))[:20]}, not {SCHEMA}")
        return _converter().structure(raw["descriptions"], tuple[Description, ...])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        said = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise SidecarUnreadable(
            f"`{NAME}` is not a file of descriptions: {said}",
            where=str(place),
            hint="restore it from version control, or delete it to begin anew",
        ) from None


@cache
def _converter() -> "Converter":
    """Return what reads descriptions; most corpora have none, and do not pay for its import."""
    from cattrs import Converter

    converter = Converter(detailed_validation=False)
    converter.register_structure_hook(str, _text)
    return converter


def _text(value: object, _: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{str(value)[:40]} is no text")
    return value


def write_sidecar(root: Path, descriptions: Iterable[Description]) -> None:
    """Write the descriptions at `root`, sorted, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    found = sorted(set(descriptions))
    text = json.dumps(
        {"schema": SCHEMA, "descriptions": [asdict(one) for one in found]},
        ensure_ascii=False,
        indent=1,
    )
    handle, name = tempfile.mkstemp(prefix=f".{NAME}.", dir=root)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        place = root / NAME
        Path(name).chmod(place.stat().st_mode & 0o777 if place.exists() else 0o644)
        Path(name).replace(place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def match(descriptions: Sequence[Description], declared: Sequence[tuple[str, str]]) -> list[Match]:
    """Return what the descriptions of one file say of each declaration in it.

    A text applies where name and code are those it was written for; else where the code is, which
    has then moved to another name, unless different texts claim it. Where only the name is, the
    code has changed since: the text is superseded and does not apply.

    Args:
        descriptions: those of the file.
        declared: qualified name and digest of each declaration.
    """
    exact = {(one.name, one.code): one.text for one in descriptions}
    names = {one.name for one in descriptions}
    taken = exact.keys() & set(declared)
    moved: dict[str, set[str]] = {}
    for one in descriptions:
        if (one.name, one.code) not in taken:
            moved.setdefault(one.code, set()).add(one.text)
    found = []
    for name, code in declared:
        if (name, code) in exact:
            found.append(Match("described", exact[name, code]))
        elif len(texts := moved.get(code, ())) == 1:
            found.append(Match("moved", next(iter(texts))))
        else:
            found.append(Match("superseded" if name in names else "missing"))
    return found


def to_context(descriptions: Sequence[Description]) -> str:
    """Return the descriptions of one file as `Document.context`: a text, equal for equal ones."""
    if not descriptions:
        return ""
    return json.dumps([[one.name, one.code, one.text] for one in sorted(descriptions)])


def from_context(path: str, context: str) -> list[Description]:
    """Return what `to_context` was given for the file at `path`."""
    return [Description(path, *one) for one in json.loads(context)] if context else []
