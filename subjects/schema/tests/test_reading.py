"""What YAML and JSON texts say, and on which lines."""

import pytest
from sourcebook_schema.reading.tree import Map, Number, ReadError, read_tree


def tree_of(text: str, name: str = "a.yaml") -> Map:
    root = read_tree(text, name).root
    assert isinstance(root, Map)
    return root


def test_plain_words_of_yaml_are_texts_unless_json_has_them() -> None:
    root = tree_of("a: [no, on, 08:30, 2024-02-30, 0047, 0x1F, .inf, 1_000]\nb: [true, ~, 3, .5]\n")
    assert root["a"] == ["no", "on", "08:30", "2024-02-30", "0047", "0x1F", ".inf", "1_000"]
    assert root["b"] == [True, None, 3, 0.5]


def test_keys_are_texts_as_they_are_written() -> None:
    assert list(tree_of("404: a\ntrue: b\n1.10: c\n~: d\n")) == ["404", "true", "1.10", "~"]


def test_a_version_that_looks_like_a_number_keeps_its_text() -> None:
    for text in ("version: 1.10", '{"version": 1.10}'):
        version = tree_of(text)["version"]
        assert version == 1.1
        assert isinstance(version, Number)
        assert version.text == "1.10"


@pytest.mark.parametrize("name", ["a.json", "a.yaml"])
def test_a_mapping_spans_the_lines_from_its_key_to_its_end(name: str) -> None:
    root = tree_of('{\n "a":\n  {"x": 1,\n   "y": [\n    {}]\n  },\n "b": {"z": ""}}\n', name)
    a, b = root["a"], root["b"]
    assert isinstance(a, Map)
    assert isinstance(b, Map)
    assert (root.first, root.last, a.first, a.last, b.first, b.last) == (1, 7, 2, 6, 7, 7)
    assert (root.line("a"), root.line("b"), a.line("y"), a.line("nowhere")) == (2, 7, 4, 2)


def test_what_is_no_text_of_either_kind_is_refused_with_its_line() -> None:
    with pytest.raises(ReadError) as caught:
        read_tree("a: 1\nb:\n\tc: 2\n", "a.yaml")
    assert caught.value.line == 3
