"""An outline that was tampered with is damage, whatever it holds."""

import json
from typing import Any

import pytest
from sourcebook_docs.outline import Outline, assemble

SECTION = ["T", 1, 1, 2]
TABLE = [1, 3, ["a"], 1, ""]


def outline(sections: Any = (SECTION,), tables: Any = (TABLE,)) -> bytes:
    return assemble({"a.md": [[sections, tables]]})["outline.json"]


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
        outline(sections=[["T", 1, "1", 2]]),
        outline(sections=[[None, 1, 1, 2]]),
        outline(sections=[["T", 1, 1]]),
        outline(tables=[[1, 3, "abc", 1, ""]]),
        outline(tables=[[1, 3, [1], 1, ""]]),
        outline(tables=[[]]),
        json.dumps({"sources": {"a.md": [[]]}}).encode(),
    ],
)  # fmt: skip
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        Outline(data)
