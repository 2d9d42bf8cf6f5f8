"""The text of an entry: without its holes, kept or only searched, in windows for its vectors."""

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from sourcebook.index.embed import embedding_texts
from sourcebook.index.parse import parse_document
from sourcebook.index.rows import decode_row, entry_body, kept_lines
from sourcebook.model import Entry, IndexedEntry, Source, Span
from sourcebook.subject import Subject

TEXT = b"one\ntwo\nthree\nfour\nfive\n"


def _parse(source: Source) -> Iterator[Entry]:
    yield source.entry(
        1,
        5,
        kind="block",
        title="Numbers",
        key="numbers",
        context=(Span(5, 5),),
        fields={"about": "told elsewhere", "body": "searched alone", "owner": "kept"},
        holes=(Span(2, 3),),
    )


SUBJECT = Subject(
    "blocks",
    _parse,
    suffixes=(".block",),
    kinds=("block",),
    fields={"title": 1.0, "about": 2.0, "body": 1.0, "owner": 0.0},
    searched_only=frozenset(("about", "body")),
    embedding_text=lambda entry, body: (entry.title, body),
    window_tokens=20,
)


def _indexed() -> tuple[IndexedEntry, dict[str, str]]:
    parse = parse_document(SUBJECT, "a.block", TEXT, "", "", None)
    assert not parse.problems
    row = json.loads(parse.rows[0])
    entry = decode_row("a.block", row, "")
    return entry, dict(entry.fields)


def test_the_text_of_an_entry_is_its_lines_without_its_holes() -> None:
    entry, _ = _indexed()
    assert entry.holes == (Span(2, 3),)
    assert entry_body(Source("a.block", TEXT.decode()), entry) == "five\none\nfour\nfive"


@pytest.mark.parametrize(
    ("holes", "kept"),
    [
        ((), [Span(1, 5)]),
        ((Span(1, 2),), [Span(3, 5)]),
        ((Span(4, 5),), [Span(1, 3)]),
        ((Span(2, 2), Span(4, 4)), [Span(1, 1), Span(3, 3), Span(5, 5)]),
        ((Span(1, 5),), []),
    ],
)
def test_what_is_left_between_holes_is_kept(holes: tuple[Span, ...], kept: list[Span]) -> None:
    entry = Source("a.block", TEXT.decode()).entry(1, 5, kind="block", holes=holes)
    assert list(kept_lines(entry)) == kept


def test_fields_that_are_only_searched_are_not_kept() -> None:
    _, fields = _indexed()
    assert fields == {"owner": "kept"}


def test_each_window_has_the_head_before_it_and_the_size_that_the_subject_wants() -> None:
    entry, _ = _indexed()
    embedder: Any = SimpleNamespace(window=256, semantic=True, tokenizer="words")
    texts = embedding_texts(SUBJECT, embedder, entry, "word " * 50)
    assert len(texts) == 3
    assert all(text.startswith("Numbers\nword") for text in texts)
