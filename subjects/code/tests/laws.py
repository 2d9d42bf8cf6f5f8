"""What holds of every file of code, however broken its text is."""

from collections.abc import Iterator

from sourcebook_code.declaration import FileParse
from sourcebook_code.extract import SIGNATURE_CHARS, extract
from sourcebook_code.languages import Language


def broken_laws(text: str, language: Language) -> list[str]:
    """Return what does not hold of the declarations found in `text`, nothing if all is well."""
    found = extract(text, language)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    return [*_of_declarations(found, lines), *_of_places(found, lines)]


def _of_declarations(found: FileParse, lines: int) -> Iterator[str]:
    seen = set()
    for one in found.declarations:
        what = f"{one.kind} {one.qualified_name} {one.first}-{one.def_line}-{one.last}"
        if not one.name:
            yield f"{what}: has no name"
        if not 1 <= one.first <= one.def_line <= one.last <= lines:
            yield f"{what}: is not within the {lines} lines of the file"
        if "\n" in one.signature or len(one.signature) > SIGNATURE_CHARS:
            yield f"{what}: its signature is no line of at most {SIGNATURE_CHARS} characters"
        if not 0 <= one.doc_first <= one.doc_last <= lines or bool(one.doc) > bool(one.doc_first):
            yield f"{what}: its doc is at lines {one.doc_first}-{one.doc_last}"
        if not 0 <= one.insert <= lines:
            yield f"{what}: a doc would be put at line {one.insert}"
        if any(not one.first <= call.line <= one.last for call in one.calls):
            yield f"{what}: has calls outside of it"
        if one.parent is not None:
            if id(one.parent) not in seen:
                yield f"{what}: comes before the declaration it stands in"
            if not one.parent.first <= one.first <= one.last <= one.parent.last:
                yield f"{what}: is not within its parent {one.parent.first}-{one.parent.last}"
        seen.add(id(one))


def _of_places(found: FileParse, lines: int) -> Iterator[str]:
    places: list[tuple[object, int]] = [(one, one.line) for one in found.calls]
    places += [(one, one.line) for one in found.imports]
    for place, line in [*places, *((one, one.line) for one in found.faults)]:
        if not 1 <= line <= lines:
            yield f"{place}: is not within the {lines} lines of the file"
    for call in (*found.calls, *(call for one in found.declarations for call in one.calls)):
        if not call.simple or any(sign.isspace() for sign in call.name):
            yield f"{call}: is no name"
