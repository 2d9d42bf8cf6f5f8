"""JSON texts: what they say, on which lines, and what is refused."""

import json
import random
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sourcebook_schema.reading.tree import MAX_DEPTH, Map, ReadError, Tree, Value, read_tree

TEXTS = st.text(max_size=8) | st.sampled_from(
    ['{"', "}\n", "\\", '\\"', "]:", "é{", "\u2028", "#/"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=30,
)  # fmt: skip


def read(text: str) -> Tree:
    return read_tree(text, "a.json")


class Writer:
    """Writes JSON with blanks and line ends anywhere, and notes where its objects lie."""

    def __init__(self, seed: int, line_end: str) -> None:
        self._random = random.Random(seed)
        self._end = line_end
        self._parts: list[str] = []
        self._line = 1
        self.spans: list[tuple[int, int]] = []
        self.keys: list[dict[str, int]] = []

    def blank(self) -> None:
        count = self._random.choice((0, 0, 0, 1, 1, 2))
        self._parts.append(" " * self._random.randrange(2) + self._end * count + "\t" * (count > 1))
        self._line += count

    def sign(self, text: str) -> None:
        self._parts.append(text)
        self.blank()

    def value(self, value: Any, first: int = 0) -> None:
        if isinstance(value, dict):
            first = first or self._line
            keys: dict[str, int] = {}
            self._parts.append("{")
            self.blank()
            for place, (key, each) in enumerate(value.items()):
                if place:
                    self.sign(",")
                keys[key] = self._line
                self._parts.append(json.dumps(key, ensure_ascii=self._random.random() < 0.5))
                self.sign(":")
                self.value(each, keys[key])
            self._parts.append("}")
            self.spans.append((first, self._line))
            self.keys.append(keys)
            self.blank()
        elif isinstance(value, list):
            self.sign("[")
            for place, each in enumerate(value):
                if place:
                    self.sign(",")
                self.value(each)
            self.sign("]")
        else:
            self.sign(json.dumps(value, ensure_ascii=self._random.random() < 0.5))

    def text(self) -> str:
        return "".join(self._parts)


def iter_maps(value: Value) -> Iterator[Map]:
    """Yield mappings in the order in which they end."""
    if isinstance(value, Map):
        for part in value.values():
            yield from iter_maps(part)
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from iter_maps(part)


@given(VALUES, st.integers(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_text_says_what_json_says_and_every_line_is_true(
    value: Any, seed: int, line_end: str
) -> None:
    writer = Writer(seed, line_end)
    writer.blank()
    writer.value(value)
    text = writer.text()
    assume(text.lstrip()[:1] in ("{", "["))
    tree = read(text)
    assert tree.root == json.loads(text)
    assert tree.problems == []
    maps = [*iter_maps(tree.root)]
    assert [(one.first, one.last) for one in maps] == writer.spans
    assert [{key: one.line(key) for key in one} for one in maps] == writer.keys


@given(st.text('{}[]":,\\ \n1eNnaI', max_size=12))
def test_what_json_refuses_is_refused_with_a_line_of_the_text(text: str) -> None:
    text = "{" + text
    try:
        wanted = json.loads(text, parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError):
        with pytest.raises(ReadError) as caught:
            read(text)
        assert 0 < caught.value.line <= text.count("\n") + 1
    else:
        assert read(text).root == wanted


def test_of_keys_that_are_there_twice_the_last_counts_and_both_are_told() -> None:
    tree = read('{"a": 1,\n"b": {"c": 1,\n\n"c": 2},\n"\\u0061": 3}')
    assert tree.root == {"a": 3, "b": {"c": 2}}
    assert [(one.line, one.message) for one in tree.problems] == [
        (4, "the key `c` is there twice, first on line 2; this one counts"),
        (5, "the key `a` is there twice, first on line 1; this one counts"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ('{"a": 1,\n "b": [1,\n 2,\n ]}', 3, "a comma before the closing ]"),
        ('{"a": 1,\n}', 1, "a comma before the closing }"),
        ('{"a": 1\n "b": 2}', 2, "no JSON: expecting ',' delimiter, column 2"),
        ('{"a": 1}\n{"b": 2}', 2, "more text after the end"),
        ('{"a": "NaN",\n"b": NaN}', 2, "NaN is no number"),
        ('{"a": [1,\n-Infinity]}', 2, "-Infinity is no number"),
        ('{"a": "x\ny"}', 1, "no JSON: invalid control character"),
        ('{"a":\n' + "7" * 5000 + "}", 2, "more digits than can be read"),
        ('{"a":\x00 1}', 1, "no JSON"),
        ("[" * 100_000 + "]" * 100_000, 0, f"nested more than {MAX_DEPTH} deep"),
        ('{"a":\n' * 300 + "1" + "}" * 300, MAX_DEPTH, f"nested more than {MAX_DEPTH} deep"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, what: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(text)
    assert caught.value.line == line
    assert what in caught.value.message


def test_numbers_out_of_range_stay_the_texts_that_they_are() -> None:
    tree = read('{"a": "1e999",\n "b": [1e999, -1e999], "c": 12345678901234567890123}')
    assert tree.root == {"a": "1e999", "b": ["1e999", "-1e999"], "c": 12345678901234567890123}
    assert [one.line for one in tree.problems] == [2, 2]


def test_half_a_surrogate_pair_becomes_the_mark_for_what_cannot_be_read() -> None:
    tree = read(r'{"a\ud83d": "\ud83d\ude00 \\ud800 \uDC00x"}')
    assert tree.root == {"a\ufffd": "\N{GRINNING FACE} \\ud800 \ufffdx"}


def test_a_text_with_a_mark_of_its_byte_order_or_in_yaml_is_read_too() -> None:
    assert read('\ufeff{"a": 1}').root == {"a": 1}
    assert read("a: 1\n").root == {"a": 1}
    assert read_tree("{a: 1,}", "a.yaml").root == {"a": 1}
    assert read_tree('{"a": 1}', "a.yaml").root == {"a": 1}


def test_reading_takes_a_small_multiple_of_the_memory_of_plain_values() -> None:
    leaf = {"type": "string", "description": "x" * 20}
    text = json.dumps({f"k{n}": {"properties": {"a": leaf, "b": leaf}} for n in range(2000)})
    peaks = []
    for load in (json.loads, read):
        tracemalloc.start()
        kept = load(text)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        del kept
    assert peaks[1] < 2.5 * peaks[0]
