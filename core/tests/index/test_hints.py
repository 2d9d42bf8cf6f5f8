"""Hints about a damaged index name a command that can be typed."""

import json
from pathlib import Path

import pytest
from sourcebook.errors import IndexDamaged, IndexMissing
from sourcebook.index import layout
from sourcebook.index.manifest import FORMAT, read_manifest


def test_the_hint_names_the_subject_and_the_folder_of_the_manifest(tmp_path: Path) -> None:
    (tmp_path / layout.MANIFEST).write_text(json.dumps({"format": FORMAT, "subject": "docs"}))
    with pytest.raises(IndexDamaged) as caught:
        read_manifest(tmp_path)
    command = f"sourcebook docs index PATH... --out {tmp_path}"
    assert caught.value.hint == f"build it again: `{command}`"
    assert layout.rebuild(layout.generation(tmp_path, 3) / "stores" / "x.bin") == caught.value.hint


@pytest.mark.parametrize("content", ["", "[]", '{"subject": 3}', '{"subject": "x; rm -rf ~"}'])
def test_the_hint_repeats_nothing_that_is_no_subject(tmp_path: Path, content: str) -> None:
    (tmp_path / layout.MANIFEST).write_text(content)
    assert layout.rebuild(tmp_path) == "build it again, with the verb `index` of its subject"


def test_no_hint_holds_a_placeholder_for_a_subject(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing) as caught:
        read_manifest(tmp_path)
    assert "<" not in caught.value.hint
