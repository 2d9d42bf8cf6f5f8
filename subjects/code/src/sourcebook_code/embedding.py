"""The text that vectors of code are made of."""

from typing import Final

from sourcebook.model import IndexedEntry

from sourcebook_code.describe import humanised

OWNER: Final = "owner"
"""The field that says what the owner of a declaration is for."""


def embedding_text(entry: IndexedEntry, body: str) -> tuple[str, str]:
    """Return what stands before each window of an entry's lines, and these.

    Before them stand its names as words, and what it is for if somebody described it, else what
    its owner is for: methods are seldom documented, and their classes often.
    """
    name = " ".join(map(humanised, entry.title.split(".")))
    about = entry.fields.get(OWNER, "")
    if entry.facts.get("described"):
        about = str(entry.facts["description"])
    return f"{name}. {about}" if about else name, body
