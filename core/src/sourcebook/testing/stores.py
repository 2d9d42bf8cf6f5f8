"""The suite that every store passes, ours and yours.

An author's test file is three lines::

    from sourcebook.testing import StoreConformance

    class TestElastic(StoreConformance):
        store = "elastic"

Tests are chosen by the capabilities that the store's record declares. The judge is the store
`memory`: the same rows and questions go to both.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sourcebook.errors import BadRequest
from sourcebook.store import Capability, Row
from sourcebook.testing.generations import GenerationSuite, needs
from sourcebook.testing.made import (
    DIMENSIONS,
    HOSTILE,
    bm25f,
    filtered,
    identity,
    judging,
    made_rows,
    made_words,
    normed,
    seeded,
    unit,
)


class StoreConformance(GenerationSuite):
    """Base of a store's test class; see the module and `GenerationSuite`."""

    # Rows.

    def test_what_was_upserted_is_given_back(self, tmp_path: Path) -> None:
        row = Row(
            "a#1",
            "a",
            text="Whole text.\nTwo lines.",
            filters={"kind": ("table",), "section": ("One", "Two")},
            metadata={"nested": {"list": [1, 2.5, None, True]}, "word": "ß"},
        )
        with self.holding(tmp_path, [row]) as reader:
            (back,) = reader.get(["a#1"])
            assert identity(back) == identity(row)
            assert identity(reader.list_chunks("a")[0]) == identity(row)

    def test_an_empty_store_answers_everything_with_nothing(self, tmp_path: Path) -> None:
        with self.holding(tmp_path, []) as reader:
            assert reader.count() == 0
            assert reader.get(["a"]) == []
            assert reader.list_document_ids() == []
            assert reader.list_chunks("a") == []
            if Capability.VECTOR in self.record.capabilities:
                assert reader.nearest(unit(1), 5) == []
                assert reader.nearest(unit(1), 5, {"kind": ["x"]}) == []
            if Capability.LEXICAL in self.record.capabilities:
                assert reader.candidates(["a"], 5) == []
            if Capability.DOCUMENT_FREQUENCIES in self.record.capabilities:
                assert reader.document_frequencies(["a"]) == {"a": 0}

    def test_upsert_replaces_a_row_of_the_same_id(self, tmp_path: Path) -> None:
        rows = [Row("a", "d", "one"), Row("b", "d", "two"), Row("a", "e", "three")]
        with self.holding(tmp_path, rows) as reader:
            assert reader.count() == 2
            assert [row.text for row in reader.get(["a", "b"])] == ["three", "two"]
            assert reader.list_document_ids() == ["d", "e"]

    def test_upsert_replaces_a_row_of_an_older_generation(self, tmp_path: Path) -> None:
        first, second = self.location(tmp_path, 1), self.location(tmp_path, 2)
        self.publish(first, made_rows(20))
        self.publish(second, [Row("d0#0", "other", "new")], first)
        with self.opened(second) as reader:
            assert reader.count() == 20
            assert [row.text for row in reader.get(["d0#0"])] == ["new"]
            assert "d0#0" not in [row.id for row in reader.list_chunks("d0")]

    def test_remove_drops_the_rows_of_a_document_and_counts_them(self, tmp_path: Path) -> None:
        first, second = self.location(tmp_path, 1), self.location(tmp_path, 2)
        self.publish(first, made_rows(20))
        writer = self.begin(second, first)
        assert writer.remove(["d1", "nowhere"]) == 5
        assert writer.remove(["d1"]) == 0
        writer.publish()
        with self.opened(second) as reader:
            assert reader.count() == 15
            assert reader.list_document_ids() == ["d0", "d2", "d3"]
            assert reader.get(["d1#1"]) == []
            assert reader.list_chunks("d1") == []

    def test_remove_knows_rows_that_are_not_published_yet(self, tmp_path: Path) -> None:
        location = self.location(tmp_path, 1)
        writer = self.begin(location)
        writer.upsert(self.fitting(made_rows(20)))
        assert writer.remove(["d1"]) == 5
        writer.upsert([Row("again", "d1")])
        writer.publish()
        with self.opened(location) as reader:
            assert reader.count() == 16
            assert [row.id for row in reader.list_chunks("d1")] == ["again"]

    def test_everything_can_be_removed(self, tmp_path: Path) -> None:
        first, second = self.location(tmp_path, 1), self.location(tmp_path, 2)
        self.publish(first, made_rows(8))
        self.publish(second, [], first, remove=["d0", "d1", "d2", "d3"])
        with self.opened(second) as reader:
            assert reader.count() == 0
            assert reader.list_document_ids() == []

    def test_get_keeps_the_order_asked_and_leaves_unknown_ids_out(self, tmp_path: Path) -> None:
        with self.holding(tmp_path, made_rows(20)) as reader:
            asked = ["d3#3", "nowhere", "d0#0", "d1#13"]
            assert [row.id for row in reader.get(asked)] == ["d3#3", "d0#0", "d1#13"]
            assert reader.get([]) == []

    def test_chunks_come_in_order_of_upsert_page_by_page(self, tmp_path: Path) -> None:
        first, second = self.location(tmp_path, 1), self.location(tmp_path, 2)
        self.publish(first, [Row(f"{n * 37 % 100:02}", "d") for n in range(50)])
        self.publish(second, [Row("late", "d"), Row("37", "d")], first)
        expected = [f"{n * 37 % 100:02}" for n in range(50) if n != 1] + ["late", "37"]
        with self.opened(second) as reader:
            pages = [reader.list_chunks("d", offset, 20) for offset in (0, 20, 40, 60)]
            assert [len(page) for page in pages] == [20, 20, 11, 0]
            assert [row.id for page in pages for row in page] == expected

    def test_a_row_that_does_not_fit_the_schema_is_refused(self, tmp_path: Path) -> None:
        writer = self.begin(self.location(tmp_path, 1))
        bad = [
            Row("a", "d", filters={"knid": ("x",)}),
            Row("a", "d", filters={"kind": ("x", "y")}),
            Row("a", "d", terms={"bodi": "x"}),
            Row("a", "d", text="half a pair: \ud800"),
            Row("a", "d", metadata={"x": object()}),
        ]
        if Capability.VECTOR in self.record.capabilities:
            bad.append(Row("a", "d", vectors=np.ones((1, DIMENSIONS + 1), np.float32)))
            bad.append(Row("a", "d", vectors=np.ones((1, DIMENSIONS), np.float32)))
            bad.append(Row("a", "d", vectors=np.full((1, DIMENSIONS), np.nan, np.float32)))
        for row in bad:
            with pytest.raises(BadRequest):
                writer.upsert([row])
        writer.discard()

    def test_hostile_names_and_values_are_inert(self, tmp_path: Path) -> None:
        rows = [
            Row(f"{value}#{n}", value, value, filters={"kind": (value,), "section": (value, "s")})
            for n, value in enumerate(HOSTILE)
        ]
        rows.append(Row("plain", "plain", terms={"body": "plain"}, filters={"kind": ("plain",)}))
        first, second = self.location(tmp_path, 1), self.location(tmp_path, 2)
        self.publish(first, rows)
        with self.opened(first) as reader:
            assert reader.list_document_ids() == sorted([*HOSTILE, "plain"])
            for n, value in enumerate(HOSTILE):
                wanted = f"{value}#{n}"
                assert [row.id for row in reader.get([wanted])] == [wanted]
                assert [identity(row) for row in reader.list_chunks(value)] == [identity(rows[n])]
        writer = self.begin(second, first)
        for value in HOSTILE:
            assert writer.remove([value]) == 1
        writer.publish()
        with self.opened(second) as reader:
            assert reader.list_document_ids() == ["plain"]

    # Words.

    @needs(Capability.LEXICAL)
    def test_candidates_are_rows_with_any_term_in_any_field(self, tmp_path: Path) -> None:
        rows = [
            Row("a", "d", terms={"title": "red", "body": "green blue"}),
            Row("b", "d", terms={"body": "green"}),
            Row("c", "d", terms={"body": "yellow"}),
        ]
        with self.holding(tmp_path, rows) as reader:
            assert set(reader.candidates(["red", "green"], 10)) == {"a", "b"}
            assert reader.candidates(["yellow", "absent"], 10) == ["c"]
            assert reader.candidates(["absent"], 10) == []
            assert reader.candidates([], 10) == []
            assert reader.candidates(["green", "green"], 10, {"kind": []}) == []
            assert reader.candidates(["green"], 0) == []

    @needs(Capability.LEXICAL)
    def test_rare_terms_come_first_when_candidates_are_cut(self, tmp_path: Path) -> None:
        rows = [Row(f"{n:03}", "d", terms={"body": "common words"}) for n in range(300)]
        rows[217] = Row("217", "d", terms={"body": "common rare"})
        with self.holding(tmp_path, rows) as reader:
            found = reader.candidates(["common", "rare"], 20)
            assert found[0] == "217"
            assert len(found) == len(set(found)) == 20

    @needs(Capability.LEXICAL)
    def test_hostile_terms_are_inert(self, tmp_path: Path) -> None:
        terms = [value for value in HOSTILE if value and not any(map(str.isspace, value))]
        rows = [Row(f"{n}", "d", terms={"body": f"x{n} {term}"}) for n, term in enumerate(terms)]
        with self.holding(tmp_path, rows) as reader:
            for n, term in enumerate(terms):
                assert reader.candidates([term], 5) == [f"{n}"]
            for value in HOSTILE:
                if value not in terms:
                    assert reader.candidates([value], 5) == []

    @needs(Capability.LEXICAL)
    def test_candidates_hold_what_bm25f_ranks_best(self, tmp_path: Path) -> None:
        rows = made_rows(1500)
        rank = bm25f(rows)
        generator = seeded(5)
        hits = wanted = 0
        with self.holding(tmp_path, rows) as reader:
            for _ in range(40):
                query = made_words(generator, 6)
                best = rank(query)[:10]
                hits += len(set(best) & set(reader.candidates(query, 200)))
                wanted += len(best)
        assert hits >= self.candidate_recall * wanted, f"{hits} of {wanted}"

    @needs(Capability.DOCUMENT_FREQUENCIES)
    def test_a_term_counts_once_for_each_row_that_holds_it(self, tmp_path: Path) -> None:
        rows = [
            Row("a", "d", terms={"title": "red red", "body": "red green"}),
            Row("b", "e", terms={"body": "red"}),
        ]
        first, second = self.location(tmp_path, 1), self.location(tmp_path, 2)
        self.publish(first, rows)
        self.publish(second, [Row("a", "d", terms={"body": "green"})], first, remove=["e"])
        with self.opened(first) as reader:
            counted = reader.document_frequencies(["red", "green", "absent", '"'])
            assert counted == {"red": 2, "green": 1, "absent": 0, '"': 0}
        with self.opened(second) as reader:
            assert reader.document_frequencies(["red", "green"]) == {"red": 0, "green": 1}

    @needs(Capability.PHRASES)
    def test_a_phrase_stands_in_order_within_one_field(self, tmp_path: Path) -> None:
        rows = [
            Row("in order", "d", terms={"body": "the red house stands"}),
            Row("turned round", "d", terms={"body": "house red"}),
            Row("across fields", "d", terms={"title": "a red", "body": "house b"}),
            Row("with a gap", "d", terms={"title": "red green house"}),
            Row("part of a word", "d", terms={"title": "infrared house red houses"}),
        ]
        with self.holding(tmp_path, rows) as reader:
            assert reader.candidates(["red"], 9, phrases=[["red", "house"]]) == ["in order"]
            assert reader.candidates([], 9, phrases=[["red", "house"]]) == ["in order"]
            both = [["red", "house"], ["house", "stands"]]
            assert reader.candidates(["red"], 9, phrases=both) == ["in order"]
            both[1] = ["house", "red"]
            assert reader.candidates(["red"], 9, phrases=both) == []
            assert len(reader.candidates(["house"], 9, phrases=[["red"]])) == 5
            assert len(reader.candidates(["house"], 9, phrases=[[]])) == 5

    # Vectors.

    @needs(Capability.VECTOR)
    def test_nearest_gives_cosines_best_first(self, tmp_path: Path) -> None:
        rows = [Row(name, "d", vectors=unit(n)[None]) for n, name in enumerate("abc")]
        query = np.zeros(DIMENSIONS, np.float32)
        query[:3] = 0.6, 0.0, -0.8
        with self.holding(tmp_path, rows) as reader:
            hits = reader.nearest(query, 3)
            assert [hit.id for hit in hits] == ["a", "b", "c"]
            assert [hit.score for hit in hits] == pytest.approx([0.6, 0.0, -0.8], abs=1e-5)
            assert [hit.id for hit in reader.nearest(query, 1)] == ["a"]
            assert reader.nearest(query, 0) == []

    @needs(Capability.VECTOR)
    def test_the_best_of_several_vectors_counts_more_than_their_mean(self, tmp_path: Path) -> None:
        rows = [
            Row("long", "d", vectors=np.stack([unit(0), unit(1), unit(2)])),
            Row("short", "d", vectors=unit(3)[None]),
            Row("none", "d"),
            Row("empty", "d", vectors=np.zeros((0, DIMENSIONS), np.float32)),
        ]
        with self.holding(tmp_path, rows) as reader:
            assert reader.count() == 4
            for axis, best in enumerate(["long", "long", "long", "short"]):
                hits = reader.nearest(unit(axis), 10)
                assert hits[0].id == best
                assert sorted(hit.id for hit in hits) == ["long", "short"]
            top, mean = 1.0, 1 / 3**0.5
            assert reader.nearest(unit(0), 1)[0].score == pytest.approx(0.6 * top + 0.4 * mean)

    @needs(Capability.VECTOR)
    def test_equal_scores_go_by_id(self, tmp_path: Path) -> None:
        ids = [f"{n * 7 % 40:02}" for n in range(40)]
        with self.holding(tmp_path, [Row(i, "d", vectors=unit(1)[None]) for i in ids]) as reader:
            for limit in (1, 7, 40, 100):
                hits = reader.nearest(unit(1), limit)
                assert [hit.id for hit in hits] == sorted(ids)[:limit]

    @needs(Capability.VECTOR)
    def test_nearest_agrees_with_the_judge(self, tmp_path: Path) -> None:
        rows = made_rows(1200)
        generator = np.random.default_rng(3)
        filters: tuple[dict[str, list[str]], ...] = (
            {},
            {"kind": ["k1"]},
            {"section": ["s1", "s2"], "kind": ["k0", "k1", "k2"]},
        )
        hits = wanted = 0
        with self.holding(tmp_path, rows) as reader, judging(rows, self.schema()) as judge:
            for _, asked in itertools.product(range(20), filters):
                vector = normed(generator.standard_normal(DIMENSIONS))
                best = judge.nearest(vector, 10, asked)
                found = reader.nearest(vector, 10, asked)
                scores = {hit.id: hit.score for hit in judge.nearest(vector, 1200, asked)}
                assert all(abs(hit.score - scores[hit.id]) < 1e-5 for hit in found)
                if self.vector_recall == 1:
                    assert [hit.id for hit in found] == [hit.id for hit in best]
                assert len(found) == len(best)
                hits += len({hit.id for hit in best} & {hit.id for hit in found})
                wanted += len(best)
        assert hits >= self.vector_recall * wanted, f"{hits} of {wanted}"

    @needs(Capability.VECTOR)
    def test_a_query_of_another_width_is_refused(self, tmp_path: Path) -> None:
        with (
            self.holding(tmp_path, made_rows(4)) as reader,
            pytest.raises(BadRequest, match=f"{DIMENSIONS}"),
        ):
            reader.nearest(np.ones(DIMENSIONS + 1, np.float32), 5)

    # Filters, the same on every leg.

    def test_filters_are_equality_with_or_within_and_and_between_keys(self, tmp_path: Path) -> None:
        rows = [
            filtered("a", kind=("x",), section=("s", "t")),
            filtered("b", kind=("y",), section=("t",)),
            filtered("c", kind=("z",)),
            filtered("d"),
        ]
        cases: list[tuple[dict[str, list[str]], set[str]]] = [
            ({}, {"a", "b", "c", "d"}),
            ({"kind": ["x"]}, {"a"}),
            ({"kind": ["x", "y", "nothing"]}, {"a", "b"}),
            ({"section": ["t"]}, {"a", "b"}),
            ({"section": ["s", "t"]}, {"a", "b"}),
            ({"section": ["t"], "kind": ["y", "z"]}, {"b"}),
            ({"kind": ["nothing"]}, set()),
            ({"kind": []}, set()),
            ({"kind": [], "section": ["t"]}, set()),
            ({"kind": ["X"]}, set()),
            ({"kind": ["x "]}, set()),
            ({"kind": ["s"]}, set()),
        ]
        with self.holding(tmp_path, rows) as reader:
            for filters, expected in cases:
                for leg in self.legs(reader):
                    assert leg(filters) == expected, filters

    def test_filter_values_are_inert(self, tmp_path: Path) -> None:
        rows = [
            filtered(f"{n}", kind=(value,), section=(value,)) for n, value in enumerate(HOSTILE)
        ]
        with self.holding(tmp_path, rows) as reader:
            for n, value in enumerate(HOSTILE):
                for leg in self.legs(reader):
                    assert leg({"kind": [value]}) == {f"{n}"}, value
                    assert leg({"section": [value], "kind": [value]}) == {f"{n}"}, value
                    assert leg({"kind": [value + "x"]}) == set(), value

    def test_an_undeclared_filter_is_refused_with_the_nearest_name(self, tmp_path: Path) -> None:
        with self.holding(tmp_path, [filtered("a", kind=("x",))]) as reader:
            for leg in self.legs(reader):
                with pytest.raises(BadRequest) as refusal:
                    leg({"sectoin": ["x"]})
                assert "`section`" in refusal.value.hint
                with pytest.raises(BadRequest):
                    leg({"kind": "x"})

    def test_a_filter_may_list_thousands_of_values(self, tmp_path: Path) -> None:
        values = [f"v{n}" for n in range(5000)]
        rows = [filtered(f"{n}", kind=(value,)) for n, value in enumerate(values[:50])]
        with self.holding(tmp_path, rows) as reader:
            for leg in self.legs(reader):
                assert leg({"kind": values[1:]}) == {f"{n}" for n in range(1, 50)}

    def legs(self, reader: Any) -> Iterator[Callable[[Mapping[str, Sequence[str]]], set[str]]]:
        """Return each way of searching that the store has, as filters to ids."""
        if Capability.LEXICAL in self.record.capabilities:
            yield lambda filters: set(reader.candidates(["word"], 1000, filters))
        if Capability.PHRASES in self.record.capabilities:
            yield lambda filters: set(reader.candidates([], 1000, filters, [["word", "two"]]))
        if Capability.VECTOR in self.record.capabilities:
            yield lambda filters: {hit.id for hit in reader.nearest(unit(0), 1000, filters)}
