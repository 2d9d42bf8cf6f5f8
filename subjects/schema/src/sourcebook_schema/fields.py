"""The texts of an entry by field, and all of them together."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from sourcebook import IndexedEntry

if TYPE_CHECKING:
    from sourcebook_schema.draft import Text
    from sourcebook_schema.facts import NodeRow

FIELDS: Mapping[str, float] = MappingProxyType(
    {
        "title": 1.0,
        "route": 2.0,
        "owner": 0.5,
        "summary": 2.0,
        "description": 0.5,
        "members": 0.5,
        "body": 0.3,
        "examples": 0.0,
    }
)
"""BM25F weights. `title` is the name, `route` method and path of an operation, `owner` what a
property belongs to, `members` the names of parameters, properties and types that belong to it or
that it uses; `body` is all else: values, formats, answers, extensions. `examples` are kept for
exact verbs and not searched: what they say is no statement of the API."""

EMBEDDED_CHARACTERS = 600
"""Of the description in the text of a vector; one window of the default model holds no more."""

EMBEDDED_MEMBERS = 10


def fields_of(row: "NodeRow", text: "Text") -> dict[str, str]:
    """Return the texts of an entry by field. Each text of the file is in one field of one entry,
    but for names, which are in `members` too."""
    found = {"body": "\n".join(text.lines)}
    if row.kind == "method":
        found["route"] = row.type
        if text.summary:
            found["summary"] = text.summary
    elif row.kind == "property":
        # Parts are words that others have, too; the whole would be a term that nobody asks for.
        found["owner"] = text.owner[0].replace(".", " ")
    elif text.summary:
        found["summary"] = text.summary
    if text.description:
        found["description"] = "\n".join(text.description)
    if text.examples:
        found["examples"] = "\n".join(text.examples)
    if text.members:
        found["members"] = " ".join(dict.fromkeys(text.members))
    return found


def read_text(fields: Mapping[str, str]) -> str:
    """Return all that an entry with these fields says, a fact a line, names left out."""
    parts = (fields.get(name, "") for name in ("summary", "description", "body", "examples"))
    return "\n".join(part for part in parts if part)


def embedding_text(entry: IndexedEntry, _body: str) -> tuple[str, str]:
    """Return the text that an entry's vector is made of, and no head before it.

    Of a property it is name and description alone, or the last name of its owner where it has no
    description, so that what stands on many owners alike has one vector: of the 41,286 properties
    of GitHub's description, a third. The id of an operation is told only where there is no summary.
    """
    fields = entry.fields
    said = " ".join(fields.get("description", "")[:EMBEDDED_CHARACTERS].split())
    if entry.kind == "property":
        return "", f"{entry.title}: {said}" if said else f"{_last_name(entry)} {entry.title}"
    summary = fields.get("summary", "").strip()
    title = "" if summary and entry.kind == "method" else entry.title
    members = " ".join(fields.get("members", "").split()[:EMBEDDED_MEMBERS])
    parts = (fields.get("route", ""), title, summary, said, members)
    return "", "\n".join(part for part in parts if part)


def _last_name(entry: IndexedEntry) -> str:
    """Return what a property's owner is called, without where that lies."""
    names = entry.path[0].split(".") if entry.path else [""]
    while len(names) > 1 and (names[-1] == "body" or names[-1][:1].isdecimal()):
        names.pop()
    return names[-1]
