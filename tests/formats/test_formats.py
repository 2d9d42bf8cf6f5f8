"""Indexes of every format that was ever written: today's code opens each, or says what to run."""

import shutil
from pathlib import Path

import pytest
from sourcebook.errors import IndexOutdated
from sourcebook.index.manifest import FORMAT
from sourcebook.index.open import open_index, verify_index
from sourcebook.testing.indexes import ask, build

HERE = Path(__file__).parent
READ = [2]
"""Formats that today's code reads."""


def test_there_is_an_index_of_every_format() -> None:
    kept = sorted(int(path.name.removeprefix("v")) for path in HERE.glob("v*"))
    assert kept == list(range(FORMAT + 1))
    assert READ[-1] == FORMAT


@pytest.mark.parametrize("number", READ)
def test_an_index_of_a_format_that_is_read_is_whole_and_answers(number: int) -> None:
    place = HERE / f"v{number}" / "docs-db"
    assert verify_index(place) == []
    with open_index(place) as index:
        assert index.manifest.format == number
        assert list(index.sources) == ["guide/old.md", "guide/valves.txt", "pumps.md"]
        assert index.manifest.entries == len(list(index.entries())) == 7
        assert (index.manifest.vectors_done, index.manifest.vectors_total) == (7, 7)
        for mode in ("text", "vector", "hybrid"):
            asked = {"mode": mode, "min_evidence": "none"}
            first = ask(index, "search", query="the relief valve opens", **asked).hits[0]
            assert first.source == "guide/valves.txt"
            assert "The relief valve opens at nine bar." in first.text
            first = ask(index, "search", query="requests a minute", **asked).hits[0]
            assert (first.source, first.first_line, first.last_line) == ("pumps.md", 9, 9)
        assert ask(index, "grep", pattern="pump").found == 2
        assert ask(index, "show", target="guide/old.md").parts[0].lines[0].text == "# Größe"
        assert ask(index, "list", what="tables").found == 1
        assert ask(index, "search", query="nothing is known", mode="text").hits == ()


@pytest.mark.parametrize("number", [one for one in range(FORMAT) if one not in READ])
def test_for_a_format_that_is_not_read_the_error_names_the_command(
    number: int, tmp_path: Path
) -> None:
    place = shutil.copytree(HERE / f"v{number}" / "docs-db", tmp_path / "docs-db")
    for attempt in (open_index, verify_index):
        with pytest.raises(IndexOutdated) as caught:
            attempt(place)
        assert f"has format {number}, this version reads {FORMAT}" in caught.value.message
        assert caught.value.hint == f"build it again: `sourcebook docs index PATH... --out {place}`"
    built = build("docs", HERE / "corpus", place)
    assert "has format" in built.rebuilt
    with open_index(place) as index:
        assert len(index.sources) == 3
