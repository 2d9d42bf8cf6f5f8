"""Functions get as many arguments as they declare."""

import pytest
from sourcebook.adapt import call_declared, declared


def one(source: str) -> list[str]:
    return [source]


def two(source: str, options: str) -> list[str]:
    return [source, options]


def rest(*everything: str) -> list[str]:
    return list(everything)


def optional(source: str, options: str = "none", cache: str = "own") -> list[str]:
    return [source, options, cache]


def test_what_is_not_declared_is_left_out() -> None:
    assert call_declared(one, "a", "b") == ["a"]
    assert call_declared(two, "a", "b") == ["a", "b"]
    assert call_declared(two, "a", "b", "c") == ["a", "b"]
    assert call_declared(rest, "a", "b", "c") == ["a", "b", "c"]
    assert call_declared(optional, "a", "b") == ["a", "b", "own"]


def test_methods_classes_and_compiled_functions_count_too() -> None:
    class Reader:
        def __init__(self, model: str) -> None:
            self.model = model

        def read(self, text: str) -> str:
            return self.model + text

    assert call_declared(Reader, "m", "options").model == "m"
    assert call_declared(Reader("m").read, "t", "options") == "mt"
    assert call_declared(max, 1, 2) == 2


def test_a_function_that_needs_more_is_named() -> None:
    with pytest.raises(TypeError, match=r"`two` needs 2 arguments, 1 are offered"):
        call_declared(two, "a")


def test_a_function_that_needs_a_keyword_is_named() -> None:
    def keyed(source: str, *, speed: int) -> None:
        raise AssertionError

    with pytest.raises(TypeError, match=r"keyed` needs `speed=`, which nobody gives"):
        call_declared(keyed, "a")


def test_the_signature_is_read_once() -> None:
    declared.cache_clear()
    for _ in range(3):
        call_declared(one, "a", "b")
    assert declared.cache_info().misses == 1
