"""Segments: rows, terms and statistics as brute force has them, through deletes and merges."""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sourcebook.errors import SourcebookError
from sourcebook.index import draft, rows, segment_writer
from sourcebook.index.open import Generation, open_index, verify_index
from sourcebook.index.postings import MAX_TF, Wanted, decode_terms, encode_terms
from sourcebook.index.rows import Facts, decode_row, encode_json, encode_row, row_filter
from sourcebook.index.segment import Counted, Segment
from sourcebook.index.segment_writer import MAX_TERMS, SegmentWriter
from sourcebook.model import IndexedEntry, Span
from sourcebook.retrieval.analyse import analyse
from sourcebook.testing.indexes import build

FIELDS = ("title", "body")

Source = list[tuple[str, dict[str, str]]]
"""Key and text by field of each entry."""

words = st.lists(st.sampled_from(["a", "bb", "ccc", "dddd", "é", "😀", "漢字"]), max_size=9)
texts = st.fixed_dictionaries({name: words.map(" ".join) for name in FIELDS})
sources = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
    st.lists(texts, max_size=4).map(
        lambda some: [(f"k{number}", one) for number, one in enumerate(some)]
    ),
    max_size=6,
)


def entry(source: str, key: str) -> IndexedEntry:
    return IndexedEntry(f"{source}#{key}", source, Span(1, 1), "note", "", "", (), (), {}, {}, {})


def write(place: Path, given: Mapping[str, Source]) -> Segment:
    writer = SegmentWriter(place, FIELDS)
    for number, (name, entries) in enumerate(given.items()):
        texts = list(dict.fromkeys(one[field] for _, one in entries for field in FIELDS))
        at = writer.add(
            name,
            [key for key, _ in entries],
            [encode_json(encode_row(key, entry(name, key), -1)) for key, _ in entries],
            [Counted.of(text) for text in texts],
            [[texts.index(one[field]) for field in FIELDS] for _, one in entries],
            encode_json(Facts([name], {}, {"note": len(entries)}, 0)),
        )
        assert at == number
    writer.finish()
    return Segment(place, FIELDS)


@settings(deadline=None)
@given(given=sources)
def test_a_segment_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, given: Mapping[str, Source]
) -> None:
    segment = write(tmp_path_factory.mktemp("segment") / "1.sbk", given)
    everything = [(name, key, one) for name, some in given.items() for key, one in some]
    assert len(segment) == len(everything)
    assert [name for name, _, _ in segment.sources] == list(given)
    terms = segment.terms()
    for row, (name, key, one) in enumerate(everything):
        assert segment.entry(row).id == f"{name}#{key}"
        assert segment.outline(row) == (name, "note", 1, 1, {})
        assert segment.find(rows.id_hash(f"{name}#{key}"), row, 1) == [row]
        assert segment.source(segment.source_of(row))[0] == name
        counts = [Counter(one[field].split()) for field in FIELDS]
        assert segment.counted(row, terms) == [Counted(c, sum(c.values())) for c in counts]
        wanted = Wanted({segment.term_number(term)[0]: at for at, term in enumerate(counts[1])})
        matches = sorted((at, tf) for field, at, tf in segment.matches(row, wanted) if field == 1)
        assert matches == list(enumerate(counts[1].values()))
    for place, name in enumerate(given):
        assert segment.facts(place).facts == [name]
    df = Counter(
        term for _, _, one in everything for term in {*one["title"].split(), *one["body"].split()}
    )
    assert {term: segment.term_number(term)[1] for term in terms.values()} == df
    assert segment.term_number("nowhere") == (-1, 0)
    assert segment.total_lengths() == [
        sum(len(one[field].split()) for _, _, one in everything) for field in FIELDS
    ]
    segment.close()
    segment.close()


def test_counts_beyond_a_byte_stay_the_highest_and_lengths_stay_right(tmp_path: Path) -> None:
    segment = write(tmp_path / "1.sbk", {"a": [("k", {"title": "", "body": "x " * 999 + "y"})]})
    assert segment.counted(0, segment.terms())[1] == Counted({"x": MAX_TF, "y": 1}, 1000)


def test_ids_with_equal_hashes_are_told_apart(
    corpus: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (rows, segment_writer, "sourcebook.index.generation"):
        monkeypatch.setattr(
            f"{getattr(module, '__name__', module)}.id_hash", lambda text: len(text)
        )
    for name in ("a.txt", "b.txt"):
        (corpus / name).write_text("one\n\ntwo\n\nsix\n\nseven\n\n" + name)
    build("notes", corpus, out, embedding="none")
    with open_index(out) as index:
        ids = [one.id for one in index.entries()]
        assert len(set(ids)) == 10
        assert [index.entry(one).id for one in ids] == ids


def test_a_segment_is_closed_before_its_term_numbers_run_out(
    corpus: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment_writer, "MAX_TERMS", 40)
    for number in range(8):
        (corpus / f"{number}.txt").write_text(" ".join(f"word{number}x{n}" for n in range(10)))
    build("notes", corpus, out, embedding="none")
    with open_index(out) as index:
        assert len(index.manifest.segments) > 1
        assert index.generation.statistics(["word7x9"]).df == {"word7x9": 1}


def test_more_distinct_words_than_can_be_numbered_are_an_error(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path / "1.sbk", FIELDS)
    writer._numbers = defaultdict(count(MAX_TERMS).__next__)
    fields = [Counted.of("new"), Counted.of("")]
    with pytest.raises(SourcebookError, match="distinct words") as caught:
        writer.add("a.txt", ["k"], [b'["k"]'], fields, [[0, 1]], b"[[],{},{}]")
    assert caught.value.where == "a.txt"
    writer.close()


def brute_force(built: Generation, live: Mapping[str, str], terms: list[str]) -> None:
    """Compare what a generation counts with those of the texts of its sources."""
    entries = [part for text in live.values() for part in text.split("\n\n")]
    analysed = [analyse(part) for part in entries]
    statistics = built.statistics(terms)
    assert statistics.entries == len(entries)
    assert statistics.df == {
        term: sum(term in {*analysed[at], *analyse(part[:40])} for at, part in enumerate(entries))
        for term in terms
    }
    at = built.fields.index("body")
    assert statistics.mean_lengths[at] * len(entries) == pytest.approx(sum(map(len, analysed)))


@pytest.mark.parametrize("seed", range(4))
def test_statistics_are_those_of_the_texts_after_any_edits(
    corpus: Path, out: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = random.Random(seed)
    vocabulary = [f"w{number}" for number in range(12)]
    live: dict[str, str] = {}

    def paragraph() -> str:
        return " ".join(generator.choices(vocabulary, k=generator.randint(1, 9)))

    for _ in range(25):
        for _ in range(generator.randint(1, 3)):
            name = f"{generator.randrange(14)}.txt"
            if generator.random() < 0.25 and name in live and len(live) > 1:
                (corpus / name).unlink()
                del live[name]
            else:
                live[name] = "\n\n".join(paragraph() for _ in range(generator.randint(1, 4)))
                (corpus / name).write_text(live[name])
        build("notes", corpus, out, embedding="none")
        with open_index(out) as index:
            brute_force(index.generation, live, vocabulary)
            assert len(index.manifest.segments) <= draft.MAX_SEGMENTS
            assert {name: index.source(name).text for name in index.sources} == live
    assert verify_index(out) == []


def test_many_small_segments_become_one_and_large_ones_stay(corpus: Path, out: Path) -> None:
    for number in range(60):
        (corpus / f"big{number}.txt").write_text(f"big {number}\n\n" * 20)
    build("notes", corpus, out, embedding="none")
    first = (out / "generations/1/segments/1.sbk").stat()
    for number in range(20):
        (corpus / f"small{number}.txt").write_text(f"small {number}")
        build("notes", corpus, out, embedding="none")
        with open_index(out) as index:
            assert len(index.manifest.segments) <= draft.MAX_SEGMENTS
            assert 1 in index.manifest.segments
            place = index.generation.folder / "segments/1.sbk"
            assert place.stat().st_ino == first.st_ino


def test_a_segment_that_is_mostly_dead_is_written_anew(corpus: Path, out: Path) -> None:
    for number in range(12):
        (corpus / f"{number}.txt").write_text(f"word {number}\n\n" * 100)
    build("notes", corpus, out, embedding="none")
    with open_index(out) as index:
        before = (index.generation.folder / "segments/1.sbk").stat().st_size
    for number in range(7):
        (corpus / f"{number}.txt").unlink()
    build("notes", corpus, out, embedding="none")
    with open_index(out) as index:
        assert index.manifest.segments == (2,)
        assert index.generation.dead == {}
        assert (index.generation.folder / "segments/2.sbk").stat().st_size < before / 2
        assert index.generation.statistics(["word"]).df == {"word": 500}


numbers = st.dictionaries(
    st.one_of(st.integers(0, 300), st.integers(0, 1 << 17), st.integers(0, (1 << 24) - 1)),
    st.one_of(st.just(1), st.integers(1, 300)),
    max_size=20,
)


@given(st.lists(numbers, min_size=1, max_size=4), st.data())
def test_postings_come_back_as_they_were(fields: list[dict[int, int]], data: st.DataObject) -> None:
    encoded = encode_terms(fields)
    capped = [{number: min(tf, MAX_TF) for number, tf in field.items()} for field in fields]
    assert decode_terms(encoded, len(fields)) == capped
    known = sorted({number for field in fields for number in field})
    wanted = data.draw(st.lists(st.sampled_from([*known, 5, 1 << 20]), unique=True))
    assert sorted(Wanted({n: at for at, n in enumerate(wanted)}).find(encoded, len(fields))) == [
        (place, at, field[number])
        for place, field in enumerate(capped)
        for at, number in enumerate(wanted)
        if number in field
    ]


@given(st.lists(st.lists(numbers, min_size=3, max_size=3), max_size=6), st.data())
def test_postings_of_many_entries_are_found_as_those_of_each(
    entries: list[list[dict[int, int]]], data: st.DataObject
) -> None:
    known = sorted({number for fields in entries for field in fields for number in field})
    chosen = data.draw(st.lists(st.sampled_from([*known, 5, 1 << 20]), unique=True))
    wanted = Wanted({number: at for at, number in enumerate(chosen)})
    encoded = [encode_terms(fields) for fields in entries]
    assert find_all(wanted, encoded) == [sorted(wanted.find(one, 3)) for one in encoded]


def find_all(wanted: Wanted, encoded: list[bytes]) -> list[list[tuple[int, ...]]]:
    """Return, for each entry of three fields, what is found in all at once."""
    sizes = np.array([len(one) for one in encoded], np.int64)
    ends = np.cumsum(sizes)
    begins = ends - sizes
    found = wanted.find_all(np.frombuffer(b"".join(encoded), np.uint8), begins, ends, 3)
    by_entry: list[list[tuple[int, ...]]] = [[] for _ in encoded]
    for entry, *match in sorted(zip(*(part.tolist() for part in found), strict=True)):
        by_entry[entry].append(tuple(match))
    return by_entry


@given(st.binary(max_size=40))
def test_bytes_that_hold_no_postings_are_refused_or_bounded(data: bytes) -> None:
    with suppress(ValueError, IndexError):
        find_all(Wanted({1: 0}), [data, data])


def test_more_terms_than_an_entry_has_bytes_are_refused() -> None:
    claimed = bytes([3]) + b"\xff" * 8 + bytes(30)
    with pytest.raises(ValueError, match="beyond the end"):
        find_all(Wanted({0: 0}), [claimed])


def test_postings_of_many_terms_come_back_as_they_were() -> None:
    fields = [{number: 1 + number % 3 for number in range(0, 90_000, 7)}, {}]
    assert decode_terms(encode_terms(fields), 2) == fields
    wanted, three = Wanted({7 * number: number for number in range(500)}), [*fields, {}]
    assert find_all(wanted, [encode_terms(three)]) == [sorted(wanted.find(encode_terms(three), 3))]


@given(
    st.builds(
        IndexedEntry,
        st.just("s#k"),
        st.just("s"),
        st.builds(lambda a, b: Span(min(a, b), max(a, b)), *[st.integers(1, 99)] * 2),
        st.text(),
        st.text(),
        st.just(""),
        st.lists(st.text()).map(tuple),
        st.lists(st.builds(Span, st.integers(1, 9), st.integers(9, 99))).map(tuple),
        st.dictionaries(st.text(), st.text()),
        st.dictionaries(st.text(), st.lists(st.text(), min_size=1).map(tuple)),
        st.dictionaries(st.text(), st.one_of(st.none(), st.integers(), st.lists(st.text()))),
    )
)
def test_a_row_comes_back_as_it_was(one: IndexedEntry) -> None:
    back = decode_row("s", json.loads(encode_json(encode_row("k", one, -1))), "")
    for name in ("id", "source", "span", "kind", "title", "parent", "path", "context"):
        assert getattr(back, name) == getattr(one, name)
    assert (back.fields, back.filters, back.facts) == (one.fields, one.filters, one.facts)


@given(st.text(), st.text(min_size=1), st.text(), st.booleans())
def test_a_row_that_holds_a_text_passes_its_filter(
    before: str, text: str, after: str, exactly: bool
) -> None:
    fields = {"body": before + (text if exactly else text.swapcase().swapcase()) + after}
    one = IndexedEntry("s#k", "s", Span(1, 1), "note", "", "", (), (), fields, {}, {})
    holds = row_filter(text, exactly=exactly)
    if exactly or text.casefold() in fields["body"].casefold():
        assert holds(encode_json(encode_row("k", one, -1)))


def test_entries_that_hold_a_text_are_found_among_all_blocks(corpus: Path, out: Path) -> None:
    for name in ("a", "b"):
        notes = [f"note {number} {'Zebra' if number % 20 == 3 else 'ox'}" for number in range(50)]
        (corpus / f"{name}.note").write_text("\n\n".join(notes))
    build("notes", corpus, out)
    with open_index(out) as index:
        every = [one.id for one in index.entries() if "Zebra" in one.title]
        assert len(every) == 6
        assert [one.id for one in index.said(holding="zebra")] == every
        assert [one.id for one in index.said(["b.note"], holding="Zebra", exactly=True)] == [
            one for one in every if one.startswith("b.note")
        ]
        assert not list(index.said(holding="ZEBRA", exactly=True))
