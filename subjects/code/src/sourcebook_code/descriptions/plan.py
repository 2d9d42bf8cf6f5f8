"""Which descriptions would go into the code, file by file, and which cannot."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from attrs import frozen
from sourcebook.index.corpus import place_of
from sourcebook.index.open import Index
from sourcebook.verbs.pattern import name_matcher

from sourcebook_code.descriptions.promote import Insertion, diff, promotable
from sourcebook_code.descriptions.survey import Survey, Unit
from sourcebook_code.extract import extract
from sourcebook_code.languages import by_name, language_of_source


@frozen
class NotPromoted:
    """A description that stays where it is.

    Args:
        id: the declaration.
        reason: why its text cannot be put into the code.
    """

    id: str
    reason: str


class Planned(NamedTuple):
    """What `promote` would do: a diff by file, how many comments, and what is left out."""

    diffs: list[str]
    added: int
    left_out: list[NotPromoted]


def plan(index: Index, found: Survey, files: Sequence[str]) -> Planned:
    fits = name_matcher(files) if files else lambda _name: True
    by_source: dict[str, list[Unit]] = {}
    for unit in found.units:
        if unit.match.text and fits(unit.entry.source):
            by_source.setdefault(unit.entry.source, []).append(unit)
    planned = Planned([], 0, [])
    for name, units in by_source.items():
        planned = _of_file(index, found.root, name, units, planned)
    return planned


def _of_file(
    index: Index, root: Path, name: str, units: Sequence[Unit], planned: Planned
) -> Planned:

    language = str(units[0].entry.facts["language"])
    source = index.source(name)
    spoken = language_of_source(name, source.text) or by_name(language)
    place = place_of(root, name)
    data = place.read_bytes() if place is not None else b""
    insertions: list[Insertion] = []
    # A comment within its declaration and one above another may go before the same line.
    taken: set[tuple[int, bool]] = set()

    def leave(unit: Unit, reason: str) -> None:
        planned.left_out.append(NotPromoted(unit.entry.id, reason))

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    declared = {
        (one.qualified_name, one.def_line): one for one in extract(source.text, spoken).declarations
    }
    for unit in units:
        one = declared.get((unit.name, int(str(unit.entry.facts["def_line"]))))
        if one is None or one.doc_first:
            continue
        if not text or text != source.text:
            leave(unit, "its file has changed since, or is not UTF-8")
        elif not one.insert or (language == "python" and one.insert <= one.def_line):
            leave(unit, "its body stands on the line of its head")
        elif not (words := promotable(unit.match.text)):
            leave(unit, "nothing of the text stands before a Han character")
        elif (at := (one.insert, one.insert == one.first)) in taken:
            leave(unit, "another declaration begins on the same line")
        else:
            taken.add(at)
            insertions.append(Insertion(one.insert, words, one.signature))
    if not insertions:
        return planned
    lead = "\ufeff" if data.startswith(b"\xef\xbb\xbf") else ""
    planned.diffs.append(diff(name, lead + text, language, insertions))
    return planned._replace(added=planned.added + len(insertions))
