"""What one small source declares, as lines that are easy to compare."""

from collections.abc import Callable, Sequence
from textwrap import dedent
from typing import TypeAlias

import pytest
from sourcebook_code.declaration import Declaration, FileParse
from sourcebook_code.extract import extract
from sourcebook_code.languages import LANGUAGES

Outline: TypeAlias = Callable[[str, str], Sequence[str]]
Read: TypeAlias = Callable[[str, str], FileParse]


def _read(language: str, text: str) -> FileParse:
    """Read a source in a language, by its name or that of its dialect's tables."""
    spoken = next(one for one in LANGUAGES if language in (one.name, one.module))
    return extract(dedent(text).lstrip("\n"), spoken)


def _line(one: Declaration) -> str:
    lines = f"{one.first}" if one.first == one.last else f"{one.first}-{one.last}"
    at = "" if one.def_line == one.first else f" @{one.def_line}"
    return f"{one.kind} {one.qualified_name} {lines}{at}"


@pytest.fixture(name="read", scope="session")
def _read_fixture() -> Read:
    """Return a function from a language and an indented source to what it holds."""
    return _read


@pytest.fixture(name="outline", scope="session")
def _outline_fixture() -> Outline:
    """Return a function from a language and an indented source to its declarations: kind,
    qualified name and lines, and the line of the name where that is not the first."""
    return lambda language, text: [_line(one) for one in _read(language, text).declarations]
