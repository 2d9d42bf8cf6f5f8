"""An outline that was tampered with is damage, whatever it holds."""

import json
from typing import Any

import pytest
from sourcebook_docs.outline import Outline, assemble

SECTION = {"title": "T", "level": 1, "first": 1, "last": 2}
TABLE = {"first": 1, "last": 3, "columns": ["a"], "rows": 1, "caption": ""}


def outline(**changes: Any) -> bytes:
    fact = {"lines": 3, "sections": [SECTION], "tables": [TABLE], **changes}
    return assemble({"a.md": [fact]})["outline.json"]


def test_what_assemble_returned_is_read() -> None:
    (section,) = Outline(outline()).sections("a.md")
    assert section.path == ("T",)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\xff", b"null", b"[]", b"{}", b'{"sources": 3}', b'{"sources": {"a.md": 1}}',
        b"[" * 100_000,
        outline(sections=None),
        outline(sections=["x"]),
        outline(sections=[{**SECTION, "first": "1"}]),
        outline(sections=[{**SECTION, "title": None}]),
        outline(tables=[{**TABLE, "columns": "abc"}]),
        outline(tables=[{**TABLE, "columns": [1]}]),
        outline(tables=[{}]),
        json.dumps({"sources": {"a.md": {"sections": []}}}).encode(),
    ],
)  # fmt: skip
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        Outline(data)
