"""YAML texts: JSON's own types, true lines, and bounds for what aliases make of them."""

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from sourcebook_schema.reading.tree import MAX_DEPTH, Map, Number, ReadError, Seq, Tree, read_tree

# What YAML 1.1, in which the laws below have texts written, takes for the end of a line.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x85\u2028\u2029"), max_size=12)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    # To YAML 1.1, in which they are written here, `1e5` is a text that needs no quotes.
    | TEXTS.filter(lambda text: not re.fullmatch(r"[-+]?[0-9.]+[eE].*", text))
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=25,
)


def read(text: str) -> Tree:
    return read_tree(text, "a.yaml")


def root(text: str) -> Map:
    found = read(text).root
    assert isinstance(found, Map)
    return found


def part(value: Any, *path: str | int) -> Map:
    for key in path:
        value = value[key]
    assert isinstance(value, Map)
    return value


@given(VALUES, st.sampled_from([None, True, False]), st.sampled_from([20, 80, 1000]))
def test_what_yaml_writes_is_read_as_it_was(value: Any, flow: bool | None, width: int) -> None:
    text = yaml.safe_dump(
        value, default_flow_style=flow, width=width, allow_unicode=True, sort_keys=False
    )
    tree = read(text)
    assert tree.root == value
    assert tree.problems == []


def numbered(value: Any, names: Iterator[int]) -> Any:
    """Return the value with keys that occur nowhere else."""
    if isinstance(value, dict):
        return {f"key{next(names):04}": numbered(each, names) for each in value.values()}
    return [numbered(each, names) for each in value] if isinstance(value, list) else value


PLAIN = st.sampled_from(
    ["", "text", "two words", "several\nlines\nof it", "x" * 60, 12, True, None]
)
MAPS = st.recursive(
    st.dictionaries(st.integers(), PLAIN, min_size=1, max_size=3),
    lambda inner: st.dictionaries(
        st.integers(),
        inner | PLAIN | st.lists(inner, min_size=1, max_size=3),
        min_size=1,
        max_size=3,
    ),
    max_leaves=12,
)  # fmt: skip


@given(MAPS, st.sampled_from(["'", '"', None]))
def test_mappings_lie_from_their_key_to_the_line_before_the_next(value: Any, style: Any) -> None:
    text = yaml.safe_dump(
        numbered(value, iter(range(9999))), default_style=style, default_flow_style=False, width=30
    )
    where = {
        found[0]: number
        for number, line in enumerate(text.split("\n"), start=1)
        for found in re.finditer("key[0-9]{4}", line)
    }
    lines = [*where.values(), text.count("\n") + 1]

    def check(one: Any, first: int) -> None:
        for each in one if isinstance(one, list) else []:
            check(each, 0)
        if isinstance(one, Map):
            mine = [number for key, number in where.items() if key in keys(one)]
            assert one.first == (first or mine[0])
            after = lines[list(where.values()).index(mine[-1]) + 1]
            assert one.last == after - 1
            for key, each in one.items():
                assert one.line(key) == where[key]
                check(each, where[key])

    check(read(text).root, 0)


def keys(value: Any) -> set[str]:
    """Return all keys in a value."""
    if isinstance(value, list):
        return set().union(*map(keys, value))
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set()


def test_a_block_of_text_ends_with_its_last_line() -> None:
    found = root(
        "a:\n  b: |\n    one\n\n    two\n\n\n# a remark\nc:\n  d: >-\n    three\n  # more\ne: {}\n"
        "f:\n- g: |+\n    four\n\n- h:\n"
    )
    assert [(part(found, key).first, part(found, key).last) for key in ("a", "c", "e")] == [
        (1, 5), (9, 11), (13, 13),
    ]  # fmt: skip
    assert (part(found, "f", 0).first, part(found, "f", 0).last) == (15, 16)
    items = found["f"]
    assert isinstance(items, Seq)
    assert (items.first, items.last) == (14, 18)


def test_collections_in_brackets_end_with_their_bracket() -> None:
    found = root("a: {b: 1,\n  c: [2,\n  3]\n  }\nd: 1\n")
    assert (part(found, "a").first, part(found, "a").last, found.last) == (1, 4, 5)
    assert part(found, "a").line("c") == 2


@pytest.mark.parametrize(
    "text", ["no", "on", "off", "y", "Yes", "08:30", "2024-02-30", "0047", "0o17", "0x1F", "1_000",
             ".inf", ".NaN", "nil", "1.2.3", "+", "--1", "1e", "=", "<"],
)  # fmt: skip
def test_a_plain_word_that_json_does_not_have_is_a_text(text: str) -> None:
    assert root(f"a: {text}\n")["a"] == text


@pytest.mark.parametrize(
    ("text", "value"),
    [("", None), ("~", None), ("NULL", None), ("True", True), ("false", False), ("-0", 0),
     ("+12", 12), (".5", 0.5), ("1.", 1.0), ("1e3", 1000.0), ("-1.5E-3", -0.0015),
     ("'12'", "12"), ("!!str 12", "12"), ("!!int '12'", 12), ("!mine 12", 12)],
)  # fmt: skip
def test_a_plain_word_that_json_has_is_what_it_is_there(text: str, value: object) -> None:
    found = root(f"a: {text}\n")["a"]
    assert found == value
    assert isinstance(found, type(value))


def test_keys_are_texts_as_they_are_written() -> None:
    found = root("404: a\ntrue: b\n1.10: c\n~: d\n'': e\n? f\n: g\n")
    assert list(found) == ["404", "true", "1.10", "~", "", "f"]
    tree = read("? [a, b]\n: 1\nc: 2\n")
    assert tree.root == {"c": 2}
    assert [(one.line, one.message) for one in tree.problems] == [
        (1, "a key that is no text is left out")
    ]


@pytest.mark.parametrize("text", ["version: 1.10", '{"version": 1.10}'])
def test_a_version_that_looks_like_a_number_keeps_its_text(text: str) -> None:
    version = root(text)["version"]
    assert version == 1.1
    assert isinstance(version, Number)
    assert version.text == "1.10"


def test_numbers_out_of_range_stay_the_texts_that_they_are() -> None:
    tree = read(f"a: 1e999\nb: {'7' * 5000}\nc: 12345678901234567890123\n")
    assert tree.root == {"a": "1e999", "b": "7" * 5000, "c": 12345678901234567890123}
    assert [one.line for one in tree.problems] == [1, 2]


def test_what_a_mapping_has_itself_wins_over_what_is_merged_in() -> None:
    text = (
        "x: &x {a: 1, b: 1}\ny: &y\n  b: 2\n  c: 2\n"
        "one:\n  c: 3\n  <<: *x\ntwo:\n  <<: [*y, *x]\n  d: 4\nthree: {'<<': 5}\nfour: {<<: 5}\n"
    )
    tree = read(text)
    found = tree.root
    assert part(found, "one") == {"a": 1, "b": 1, "c": 3}
    assert part(found, "two") == {"a": 1, "b": 2, "c": 2, "d": 4}
    assert (part(found, "two").line("c"), part(found, "two").line("d")) == (4, 10)
    assert part(found, "three") == {"<<": 5}
    assert part(found, "four") == {}
    assert [(one.line, one.message) for one in tree.problems] == [
        (12, "`<<` merges mappings and nothing else")
    ]


def test_what_two_aliases_stand_for_is_one_object_with_the_lines_where_it_is_written() -> None:
    found = root("a: &a\n  b: 1\nc: *a\nd: [*a]\n")
    assert found["a"] is found["c"]
    assert (part(found, "c").first, part(found, "c").last, found.line("c")) == (1, 2, 3)
    assert found.last == 4


def test_an_anchor_may_be_set_again() -> None:
    tree = read("a: &x {b: 1}\nc: *x\nd: &x\n  e: 2\nf: *x\n---\ng: &x 1\n")
    assert tree.root == {"a": {"b": 1}, "c": {"b": 1}, "d": {"e": 2}, "f": {"e": 2}}
    assert (part(tree.root, "f").first, part(tree.root, "f").last) == (3, 4)
    assert [one.line for one in tree.problems] == [6]


def test_of_keys_that_are_there_twice_the_last_counts_and_both_are_told() -> None:
    tree = read("a: 1\nb:\n  c: 1\n  'c': 2\na: 3\n")
    assert tree.root == {"a": 3, "b": {"c": 2}}
    assert [(one.line, one.message) for one in tree.problems] == [
        (4, "the key `c` is there twice, first on line 3; this one counts"),
        (5, "the key `a` is there twice, first on line 1; this one counts"),
    ]


def test_of_several_documents_the_first_is_read() -> None:
    tree = read("%YAML 1.2\n---\na: 1\n...\n---\nb: 2\n---\nc: 3\n")
    assert tree.root == {"a": 1}
    assert [(one.line, one.message) for one in tree.problems] == [
        (6, "a second document begins here; only the first is read")
    ]


@pytest.mark.parametrize("sign", ["\x85", "\u2028", "\u2029"])
def test_only_real_line_ends_count(sign: str) -> None:
    found = root(f'a: "x{sign}y \ue000"\nb: {{z{sign}: |-\n}}\n'.replace("|-", "1"))
    assert found["a"] == f"x{sign}y \ue000"
    assert part(found, "b") == {f"z{sign}": 1}
    assert (found.line("b"), found.last) == (2, 3)


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", 0, "empty"),
        (" \n\n", 0, "empty"),
        ("# a remark\n", 0, "nothing"),
        ("a:\n\tb: 1\n", 2, "a tab where only spaces may indent"),
        ("a: 1\nb: @c\n", 2, "a stray `@`"),
        ("a: 1\n b: 2\n", 2, "no YAML: mapping values are not allowed in this context"),
        ("a: [1,\n", 2, "no YAML"),
        ("a: 1\nb: \x00\n", 2, "the character U+0000, which YAML does not allow"),
        ("a: 1\r\nb: \x07\r\n", 2, "the character U+0007, which YAML does not allow"),
        ("a: \ud800\n", 1, "the character U+D800, which YAML does not allow"),
        ("a: *b, c\n", 1, "no anchor is set for the alias `*b`"),
        ("a: &a 1\nb: &a [*a]\n", 2, "an alias stands in what it stands for"),
        ("a: &a 1\nb: &a 2\nc: *d\n", 3, "no YAML: found undefined alias"),
        ("a: &a 1\nb: &a " + "[" * 300 + "]" * 300, 2, "nested more than 200 deep"),
        ("c: 1\na: &a\n  b: *a\n", 2, "an alias stands in what it stands for"),
        ("%YAML 3.0\n---\na: 1\n", 1, "incompatible"),
        ("- " * 100_000 + "x", 1, "nesting depth"),
        ("[" * 100_000 + "]" * 100_000, 1, "nesting depth"),
        ("\n".join(" " * n + "a:" for n in range(500)), MAX_DEPTH + 1, "nested more than 200 deep"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, what: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(text)
    assert what in caught.value.message
    assert caught.value.line == line


BOMBS = {
    "lists": "\n".join(
        ["a0: &a0 [r, r, r, r, r, r, r, r, r, r]"]
        + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    ),
    "merged": "\n".join(
        ["a0: &a0 {" + ", ".join(f"k{n}: 1" for n in range(2000)) + "}"]
        + [f"a{n}: &a{n} {{<<: *a{n - 1}, x{n}: 1}}" for n in range(1, 2000)]
    ),
    "merged lists": "\n".join(
        ["a0: &a0 {" + ", ".join(f"k{n}: 1" for n in range(2000)) + "}"]
        + [f"a{n}: {{<<: [{', '.join(['*a0'] * 2000)}]}}" for n in range(1, 60)]
    ),
    "texts": f"a: &a {'x' * 1_000_000}\nb: [{', '.join(['*a'] * 5000)}]",
    "keys": f"a: &a {'x' * 900}\nb: [{', '.join(['{*a : 1}'] * 50_000)}]",
}


@pytest.mark.parametrize("name", BOMBS)
def test_aliases_that_would_grow_without_bounds_are_refused_at_once(name: str) -> None:
    began = time.process_time()
    with pytest.raises(ReadError, match="aliases expand to more than 1,000,000 nodes"):
        read(BOMBS[name])
    assert time.process_time() - began < 5


def test_aliases_within_bounds_cost_nothing() -> None:
    text = "a: &a {b: [1, 2, 3]}\nc:\n" + "".join(f"  d{n}: *a\n" for n in range(10_000))
    assert len(part(root(text), "c")) == 10_000
