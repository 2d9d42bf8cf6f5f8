"""What all surfaces do alike: settings into requests, responses and exceptions into JSON."""

import errno
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sourcebook.errors import InternalError, SourcebookError
from sourcebook.surfaces.convert import field_specs, to_json
from sourcebook.verb import Verb

if TYPE_CHECKING:
    from sourcebook.settings import Settings

MESSAGE_CHARACTERS = 500

WORDS = "query"
"""A positional text of this name makes a verb one that searches: on the command line it takes
every word that is left, so that a question needs no quotes, and `--query` takes the whole request
as one JSON object."""

REFUSALS: Mapping[int, str] = {
    errno.ENOSPC: "make room on the disk, or write elsewhere",
    errno.EDQUOT: "make room on the disk, or write elsewhere",
    errno.EROFS: "write elsewhere",
    errno.EACCES: "ask whoever owns it, or use another place",
    errno.EPERM: "ask whoever owns it, or use another place",
    errno.EIO: "check the disk",
    errno.EMFILE: "allow this process more open files (`ulimit -n`)",
    errno.ENFILE: "end other programs that hold many files open",
    errno.ENOMEM: "free memory, or index less at once",
}
"""What the operating system may refuse any program, and what helps: no fault of ours."""

SEARCH_SETTINGS = ("limit", "min_evidence")
"""Settings that are defaults of the fields of that name in verbs that search."""


def takes_words(cls: type) -> bool:
    """Return whether a request is that of a verb that searches (see `WORDS`)."""
    return any(spec.name == WORDS and spec.info.positional for spec in field_specs(cls))


def settings_fields(cls: type, settings: "Settings") -> dict[str, Any]:
    """Return the fields of a request that settings give, as JSON; 0 leaves it to the verb."""
    searches = takes_words(cls)
    keys = {
        spec.name: spec.info.setting
        or (spec.name if searches and spec.name in SEARCH_SETTINGS else "")
        for spec in field_specs(cls)
    }
    return {
        name: [*value] if isinstance(value, tuple) else value
        for name, key in sorted(keys.items())
        if key and (value := settings.get(key))
    }


def response_json(verb: Verb, subject: str, response: object) -> dict[str, Any]:
    """Return the JSON object of a response: `schema`, `subject`, and every field."""
    return {"schema": schema_name(verb), "subject": subject, **to_json(response)}


def schema_name(verb: Verb) -> str:
    """Return the name and version of a verb's response: `search/1`."""
    return verb.schema or f"{verb.name.replace(' ', '_')}/1"


def as_error(error: BaseException) -> SourcebookError:
    """Return `error` as one that every surface can say; foreign ones become `InternalError`."""
    if isinstance(error, SourcebookError):
        return error
    text = " ".join(str(error).split())[:MESSAGE_CHARACTERS]
    name = type(error).__name__
    if isinstance(error, OSError) and error.errno is not None and error.errno in REFUSALS:
        return SourcebookError(
            f"the system refuses: {error.strerror or text}",
            where=os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else "",
            hint=REFUSALS[error.errno],
        )
    return InternalError(
        f"{name}: {text}" if text else name,
        hint="set SOURCEBOOK_TRACEBACK=1 to see where it happened",
    )
