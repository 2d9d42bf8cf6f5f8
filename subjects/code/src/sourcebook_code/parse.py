"""One file of code to entries: the file itself, then each declaration."""

from collections.abc import Iterator, Sequence

from sourcebook.model import Entry, Fact, Problem, Source, Span

from sourcebook_code import describe
from sourcebook_code.declaration import FILE_KEY, Declaration, FileParse
from sourcebook_code.descriptions.sidecar import from_context, match
from sourcebook_code.embedding import OWNER
from sourcebook_code.extract import extract
from sourcebook_code.grammar import GrammarMissing
from sourcebook_code.languages import Language, language_of_source
from sourcebook_code.marks import GENERATED, MINIFIED, TEST, roles

WHOLE_KINDS = frozenset(("function", "method", "constructor", "property", "macro"))
"""What holds its local declarations as part of its own text: it is not understood without them."""

SMALL_LINES = 3
"""Constants of so few lines stay in the text of what they stand in: they are what it is made of."""


def parse(source: Source) -> Iterator[Entry | Fact | Problem]:
    """Yield an entry for the file and one for each declaration, outer ones first."""
    from sourcebook_code.facts import file_fact

    language = language_of_source(source.name, source.text)
    if language is None:
        yield Problem("not a file of code")
        return
    marks = roles(source.name, source.text)
    if MINIFIED in marks:
        nothing = FileParse(language.name, (), (), (), ())
        yield _file(source, language, marks, nothing)
        yield Fact(file_fact(nothing, ""))
        return
    try:
        found = extract(source.text, language)
    except GrammarMissing as error:
        yield Problem(str(error))
        return
    for fault in found.faults:
        yield Problem(fault.message, fault.line)
    whole = _file(source, language, marks, found)
    yield whole
    inner: dict[int, list[Declaration]] = {}
    for one in found.declarations:
        inner.setdefault(id(one.parent), []).append(one)
    purposes = _purposes(found.declarations)
    made: dict[int, Entry] = {}
    for one, text in zip(found.declarations, _texts(source, found), strict=True):
        parent = made[id(one.parent)] if one.parent is not None else whole
        within = inner.get(id(one), ())
        owner = purposes.get(".".join(one.owners), "")
        entry = _declaration(source, one, language, marks, parent, within, text, owner)
        made[id(one)] = entry
        yield entry
    yield Fact(file_fact(found, source.text))


def _purposes(declarations: Sequence[Declaration]) -> dict[str, str]:
    """Return by qualified name what classes and the like are for, in the words of their docs."""
    found: dict[str, str] = {}
    for one in declarations:
        if one.doc and one.kind not in WHOLE_KINDS and one.qualified_name not in found:
            found[one.qualified_name] = describe.first_sentence(one.doc)
    return found


def _texts(source: Source, found: FileParse) -> list[str]:
    """Return what was written of each declaration and still applies, from `Source.context`."""
    if not source.context:
        return [""] * len(found.declarations)
    known = from_context(source.name, source.context)
    declared = [(one.qualified_name, one.code) for one in found.declarations]
    return [one.text for one in match(known, declared)]


def _file(source: Source, language: Language, marks: tuple[str, ...], found: FileParse) -> Entry:
    from sourcebook_code.plugin import CodeFacts

    title = source.name.rpartition("/")[2]
    last = len(source.lines)
    top = [one for one in found.declarations if one.parent is None]
    holes = (Span(1, last),) if MINIFIED in marks else _holes(top, 1, last)
    modules = [one.module for one in found.imports]
    doc = describe.docstring(source.text) if language.name == "python" else ""
    described = describe.first_sentence(doc) or describe.generated(
        "file", title, (), "", (one.name for one in found.calls), modules
    )
    return source.entry(
        1,
        len(source.lines),
        kind="file",
        title=title,
        key=FILE_KEY,
        facts=CodeFacts(
            language=language.name,
            description=described,
            test=TEST in marks,
            generated=GENERATED in marks,
            minified=MINIFIED in marks,
        ),
        fields={"description": doc, "body": _text(source, 1, len(source.lines), holes)},
        filters={"language": (language.name,), "role": marks},
        holes=holes,
    )


def _declaration(
    source: Source,
    one: Declaration,
    language: Language,
    marks: tuple[str, ...],
    parent: Entry,
    within: Sequence[Declaration],
    text: str,
    owner: str,
) -> Entry:
    from sourcebook_code.plugin import CodeFacts

    holes: tuple[Span, ...] = ()
    if within and one.kind not in WHOLE_KINDS:
        holes = _holes(within, one.def_line + 1, one.last)
    doc = Span(one.doc_first, one.doc_last) if one.doc_first else None
    above = (doc,) if doc is not None and doc.last < one.first else ()
    described = (
        " ".join(text.split())
        or describe.first_sentence(one.doc)
        or describe.generated(
            one.kind, one.name, one.owners, one.signature, (call.simple for call in one.calls)
        )
    )
    return source.entry(
        one.first,
        one.last,
        kind=one.kind,
        title=one.qualified_name,
        key=one.qualified_name,
        parent=parent,
        path=one.owners,
        context=above,
        fields={
            "description": _joined(text, one.doc),
            **({OWNER: owner} if owner else {}),
            "body": _text(source, one.first, one.last, _with(holes, doc, one)),
        },
        filters={"language": (language.name,), "role": marks},
        facts=CodeFacts(
            one.qualified_name,
            one.def_line,
            one.signature,
            language.name,
            described,
            test=TEST in marks,
            generated=GENERATED in marks,
            code=one.code,
            described=bool(text),
        ),
        holes=holes,
    )


def _joined(text: str, doc: str) -> str:
    """Return a description and a doc comment as one text; what stands in both, once."""
    if " ".join(text.split()) in " ".join(doc.split()):
        return doc
    return f"{text}\n\n{doc}" if doc else text


def _holes(inner: Sequence[Declaration], first: int, last: int) -> tuple[Span, ...]:
    """Return the lines from `first` to `last` that stand for declarations of their own, with what
    is written above these of them."""
    found: list[Span] = []
    for one in inner:
        if one.kind == "constant" and one.last - one.first < SMALL_LINES:
            continue
        begin = min(one.first, one.doc_first or one.first)
        begin, end = max(begin, first), min(one.last, last)
        if found:
            begin = max(begin, found[-1].last + 1)
        if begin > end:
            continue
        if found and found[-1].last == begin - 1:
            begin = found.pop().first
        found.append(Span(begin, end))
    return tuple(found)


def _with(holes: tuple[Span, ...], doc: Span | None, one: Declaration) -> tuple[Span, ...]:
    """Return holes with the lines of a docstring that stand between them."""
    if doc is None or not one.def_line < doc.first <= doc.last <= one.last:
        return holes
    if any(hole.first <= doc.last and doc.first <= hole.last for hole in holes):
        return holes
    return tuple(sorted((*holes, doc)))


def _text(source: Source, first: int, last: int, holes: Sequence[Span]) -> str:
    lines: list[str] = []
    for hole in holes:
        lines += source.lines[first - 1 : hole.first - 1]
        first = hole.last + 1
    return "\n".join([*lines, *source.lines[first - 1 : last]])
