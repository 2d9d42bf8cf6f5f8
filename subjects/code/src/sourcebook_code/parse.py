"""One file of code to entries: the file itself, then each declaration."""

from collections.abc import Iterator

from sourcebook.model import Entry, Fact, Problem, Source

from sourcebook_code.declaration import Declaration
from sourcebook_code.extract import extract
from sourcebook_code.grammar import GrammarMissing
from sourcebook_code.languages import Language, language_of


def parse(source: Source) -> Iterator[Entry | Fact | Problem]:
    """Yield an entry for the file and one for each declaration, outer ones first."""
    from sourcebook_code.plugin import CodeFacts

    language = language_of(source.name, source.text[:200].encode())
    if language is None:
        yield Problem("not a file of code")
        return
    try:
        found = extract(source.text, language)
    except GrammarMissing as error:
        yield Problem(str(error))
        return
    for fault in found.faults:
        yield Problem(fault.message, fault.line)
    whole = source.entry(
        1,
        len(source.lines),
        kind="file",
        title=source.name.rpartition("/")[2],
        key="file",
        facts=CodeFacts(language=language.name),
        filters={"language": (language.name,)},
    )
    yield whole
    made: dict[int, Entry] = {}
    for one in found.declarations:
        parent = made[id(one.parent)] if one.parent is not None else whole
        entry = made[id(one)] = _entry(source, one, language, parent)
        yield entry


def _entry(source: Source, one: Declaration, language: Language, parent: Entry) -> Entry:
    from sourcebook_code.plugin import CodeFacts

    return source.entry(
        one.first,
        one.last,
        kind=one.kind,
        title=one.qualified_name,
        key=one.qualified_name,
        parent=parent,
        path=one.owners,
        fields={"signature": one.signature, "description": one.doc},
        filters={"language": (language.name,)},
        facts=CodeFacts(one.qualified_name, one.def_line, one.signature, language.name),
    )
