"""A document without lines holds nothing, and no subject need think of it."""

from collections.abc import Iterator

from sourcebook.index.parse import parse_document
from sourcebook.model import Entry, Source
from sourcebook.subject import Subject


def parse(source: Source) -> Iterator[Entry]:
    yield source.entry(1, len(source.lines), kind="all", title=source.lines[0])


def test_a_subject_is_not_asked_for_a_document_without_lines() -> None:
    subject = Subject("first-lines", parse, suffixes=(".txt",), kinds=("all",))
    for data in (b"", b"\xef\xbb\xbf"):
        parsed = parse_document(subject, "empty.txt", data, "", "", None)
        assert (parsed.lines, parsed.rows, parsed.problems) == (0, [], [])
    assert len(parse_document(subject, "one.txt", b"\n", "", "", None).rows) == 1
