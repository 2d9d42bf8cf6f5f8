"""The documents of an index: root files with the pieces they reach, and their short names."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from attrs import frozen
from sourcebook.index.columns import all_texts

COUNTED = ("operations", "webhooks", "callbacks", "types", "properties")
"""What is counted of a document."""


@frozen
class Document:
    """A description: a root file with the pieces it reaches.

    Args:
        name: its short name, the only one in the index.
        source: the root file.
        title, version: what it says of itself.
        format: `3.1`, `3.0` or `2.0`.
        operations, webhooks, callbacks, types, properties: how many it has; types are those that
            have a name of their own, and properties include parameters.
        files: every file of it, the root first.
    """

    name: str
    source: str
    title: str
    version: str
    format: str
    operations: int
    webhooks: int
    callbacks: int
    types: int
    properties: int
    files: tuple[str, ...]

    @classmethod
    def of(cls, value: Mapping[str, Any], sources: Collection[str]) -> "Document":
        """Return it from the JSON object that `assemble` wrote.

        Raises:
            ValueError, TypeError, KeyError: it is none.
        """
        keys = ("name", "source", "title", "version", "format")
        name, source, title, version, form = all_texts(value[key] for key in keys)
        operations, webhooks, callbacks, types, properties = (
            int(value["counts"][key]) for key in COUNTED
        )
        covers = tuple(all_texts(value["covers"]))
        if not {source, *covers} <= set(sources):
            raise ValueError("a document is no source")
        return cls(
            name, source, title, version, form, operations, webhooks, callbacks, types,
            properties, (source, *(file for file in covers if file != source)),
        )  # fmt: skip


def name_documents(sources: Sequence[str]) -> dict[str, str]:
    """Return a short name for each root file: its stem, with as many of the folders above it as
    make it the only one; with its suffix where two files differ in nothing else."""
    tails = {source: _tails(source) for source in sources}
    ends = Counter(tail for some in tails.values() for tail in some)
    stems = Counter(some[-1] for some in tails.values())
    names = {}
    for source, some in tails.items():
        alone = next((tail for tail in some if ends[tail] == 1), "")
        # What is the end of a longer path even as a whole is another name than that one's.
        names[source] = alone or (some[-1] if stems[some[-1]] == 1 else source)
    return names


def _tails(source: str) -> list[str]:
    parts = str(PurePosixPath(source).with_suffix("")).split("/")
    return ["/".join(parts[-count:]) for count in range(1, len(parts) + 1)]
