"""What all surfaces do alike: name a verb's response, and turn any exception into an error."""

from typing import Any

from sourcebook.errors import InternalError, SourcebookError
from sourcebook.surfaces.convert import to_json
from sourcebook.verb import Verb

MESSAGE_CHARACTERS = 500


def response_json(verb: Verb, subject: str, response: object) -> dict[str, Any]:
    """Return the JSON object of a response: `schema`, `subject`, and every field."""
    return {"schema": schema_name(verb), "subject": subject, **to_json(response)}


def schema_name(verb: Verb) -> str:
    """Return the name and version of a verb's response: `search/1`."""
    return verb.schema or f"{verb.name}/1"


def as_error(error: BaseException) -> SourcebookError:
    """Return `error` as one that every surface can say; foreign ones become `InternalError`."""
    if isinstance(error, SourcebookError):
        return error
    text = " ".join(str(error).split())[:MESSAGE_CHARACTERS]
    name = type(error).__name__
    return InternalError(
        f"{name}: {text}" if text else name,
        hint="set SOURCEBOOK_TRACEBACK=1 to see where it happened",
    )
