"""What `parse` says of one file beside its entries, and `assemble` links across files.

A file yields one `sourcebook.Fact`, what `file_fact` returns. Declarations are numbered from 0 in
the order of their entries; -1 is the file itself.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sourcebook.model import split_lines

from sourcebook_code.declaration import FileParse
from sourcebook_code.families import family_of
from sourcebook_code.variables import TYPES, bases_of, result_of, variables_of

MAX_IMPORTS = 5000
"""Of one file; more are made by a program."""


class CallRow(NamedTuple):
    """What one declaration calls by one name: where it stands among `words`, and the first line."""

    declaration: int
    word: int
    line: int


class ImportRow(NamedTuple):
    """See `sourcebook_code.declaration.Import`."""

    module: str
    name: str
    alias: str
    line: int


class VariableRow(NamedTuple):
    """A variable, parameter or field that something is called on or by.

    Args:
        declaration: where it is known: the function it is local to, the class it is a field of.
        name: without `self.`.
        type: `:Client` if it is declared to be one, `=make.client` if it is what a call returns,
            empty if nothing is known but that it hides what is outside.
    """

    declaration: int
    name: str
    type: str


def file_fact(found: FileParse, text: str) -> dict[str, Any]:
    """Return the fact of a file, as JSON values.

    Its keys: `language`, `package`; columns with a value for each declaration, `kinds`, `names`,
    `titles` (the qualified name where owner and name do not make it, else empty), `parents`,
    `firsts`, `lasts`; `words` (dotted names that are called) and `calls`, rows of `CallRow` one
    after another; `imports`; `bases` and `returns`, pairs of a declaration and the name of a type;
    `prototypes`, declarations of C and C++ that only announce; `variables`.
    """
    places = {id(one): place for place, one in enumerate(found.declarations)}
    parents = [-1 if one.parent is None else places[id(one.parent)] for one in found.declarations]
    words: dict[str, int] = {}
    calls: dict[tuple[int, int], int] = {}
    for place, some in _calls(found):
        for call in some:
            word = words.setdefault(call.name.replace("::", "."), len(words))
            calls.setdefault((place, word), call.line)
    family = family_of(found.language)
    return {
        "language": found.language,
        "package": found.package.replace("::", "."),
        "kinds": [one.kind for one in found.declarations],
        "names": [one.name for one in found.declarations],
        "titles": list(_titles(found, parents)),
        "parents": parents,
        "firsts": [one.first for one in found.declarations],
        "lasts": [one.last for one in found.declarations],
        "words": list(words),
        "calls": [
            number for (place, word), line in calls.items() for number in CallRow(place, word, line)
        ],
        "imports": [
            ImportRow(one.module, one.name, one.alias, one.line)
            for one in found.imports[:MAX_IMPORTS]
        ],
        "bases": [
            (place, base)
            for place, one in enumerate(found.declarations)
            for base in bases_of(one, family)
        ],
        "returns": [
            (place, result)
            for place, one in enumerate(found.declarations)
            if (result := result_of(one, family))
        ],
        "prototypes": list(_prototypes(found, text)) if family.name == "c" else [],
        "variables": [
            VariableRow(*row) for row in variables_of(found, text, parents, words, family)
        ],
    }


def _calls(found: FileParse) -> Iterator[tuple[int, Any]]:
    yield -1, found.calls
    for place, one in enumerate(found.declarations):
        yield place, one.calls


def _prototypes(found: FileParse, text: str) -> Iterator[int]:
    lines = split_lines(text)
    for place, one in enumerate(found.declarations):
        if one.kind not in TYPES and lines[one.last - 1].rstrip().endswith(";"):
            yield place


def _titles(found: FileParse, parents: list[int]) -> Iterator[str]:
    for one, parent in zip(found.declarations, parents, strict=True):
        owner = found.declarations[parent].qualified_name if parent >= 0 else ""
        derived = f"{owner}.{one.name}" if owner else one.name
        yield "" if one.qualified_name == derived else one.qualified_name
