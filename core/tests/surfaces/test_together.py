"""Several indexes asked together on the command line."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sourcebook.surfaces import cli

Call = Callable[..., tuple[int, str, str]]

CORPORA = {
    "one": {
        "pumps.plain": "The pump drains the tank.\nValves open at noon.\n",
        "same.plain": "Shared words.\n",
    },
    "two": {
        "city.plain": "Another pump is spare.\nThe tank is red.\n",
        "same.plain": "Shared words, too.\n",
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the indexes `one` and `two`."""
    folder = tmp_path_factory.mktemp("together")
    for name, files in CORPORA.items():
        corpus = folder / f"corpus-{name}"
        corpus.mkdir()
        for file, text in files.items():
            (corpus / file).write_text(text)
        subprocess.run(
            [
                *(sys.executable, "-m", "sourcebook", "plain", "index", corpus.name, "-o", name),
                *("--embedding", "hash", "--store", "memory", "--no-cache"),
            ],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent / "sample")},
            check=True,
            capture_output=True,
        )
    return folder


@pytest.fixture
def call(
    sample: Path,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Call:
    """Return a function that asks both indexes."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "stdin", io.StringIO())

    def call(verb: str, *arguments: str) -> tuple[int, str, str]:
        status = cli.run(["plain", verb, "-d", "one", "-d", "two", *arguments])
        return status, *capsys.readouterr()

    return call


def body(done: tuple[int, str, str]) -> dict[str, Any]:
    assert done[0] == 0, done[2]
    read: dict[str, Any] = json.loads(done[1])
    return read


def test_a_search_ranks_the_hits_of_both_and_says_whose_they_are(call: Call) -> None:
    found = body(call("search", "pump drains the tank", "--json", "--min-evidence", "none"))
    sources = [one["source"] for one in found["hits"]]
    assert sources[0] == "one/pumps.plain"
    assert "two/city.plain" in sources
    assert all(one["id"].startswith(one["source"]) for one in found["hits"])
    assert [one["source"] for one in found["quotes"]] == list(dict.fromkeys(sources))


def test_stronger_evidence_goes_before_higher_rank(call: Call) -> None:
    found = body(call("search", "noon", "--json", "--min-evidence", "none"))
    assert found["evidence"]["level"] == "strong"
    assert found["hits"][0]["source"] == "one/pumps.plain"


def test_the_limit_holds_for_all_of_them(call: Call) -> None:
    found = body(call("search", "pump tank", "--json", "--limit", "1"))
    assert len(found["hits"]) == 1
    assert found["left_out"]["hits"] >= 1
    listed = body(call("list", "--json", "--limit", "3"))
    assert (listed["found"], len(listed["items"])) == (4, 3)


def test_lines_are_bounded_altogether(call: Call) -> None:
    found = body(call("search", "pump tank shared", "--json", "--max-lines", "2"))
    assert sum(len(one["lines"]) for one in found["quotes"]) == 2
    assert found["left_out"]["lines"] > 0


def test_grep_list_and_export_count_all(call: Call) -> None:
    matches = body(call("grep", "shared", "--json"))
    assert matches["found"] == 2
    assert [one["source"] for one in matches["matches"]] == ["one/same.plain", "two/same.plain"]
    assert body(call("list", "entries", "--json"))["found"] == 6
    ids = [json.loads(line)["id"] for line in call("export")[1].splitlines()]
    assert len(set(ids)) == 6


def test_what_was_printed_can_be_asked_again(call: Call) -> None:
    first = body(call("search", "pump tank", "--json"))["hits"][0]
    again = body(call("search", "pump tank", "--json", "--exclude-id", first["id"]))
    assert first["id"] not in [one["id"] for one in again["hits"]]
    assert len(again["hits"]) >= 2
    shown = body(call("show", first["source"], "--json"))
    assert shown["source"] == first["source"]
    narrowed = body(call("search", "pump tank", "--json", "--source", "two/c*"))
    assert {one["source"] for one in narrowed["hits"]} == {"two/city.plain"}


def test_a_name_that_only_one_has_is_shown(call: Call) -> None:
    assert body(call("show", "city.plain", "--json"))["source"] == "two/city.plain"


def test_a_name_that_several_have_is_ambiguous(call: Call) -> None:
    status, _, err = call("show", "same.plain")
    assert status == 1
    assert err.startswith("error: 2 indexes have it: one, two")
    assert "one/NAME" in err


def test_a_name_that_none_has_is_not_found(call: Call) -> None:
    status, _, err = call("show", "nothing.plain")
    assert status == 1
    assert err.startswith("error: no source is called `nothing.plain`")


def test_a_filter_that_fits_nowhere_is_noted_once(call: Call) -> None:
    found = body(call("search", "pump", "--json", "--source", "nowhere*"))
    assert found["hits"] == []
    assert found["notes"] == ["no source fits `nowhere*`"]
    assert body(call("search", "pump", "--json", "--source", "city*"))["notes"] == []


def test_a_verb_that_cannot_says_so(call: Call) -> None:
    status, _, err = call("stats")
    assert status == 2
    assert err.startswith("error: `stats` asks one index at a time")


def test_indexes_of_one_name_are_called_by_their_paths(
    call: Call, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import shutil

    (folder / "deep").mkdir(exist_ok=True)
    shutil.copytree(folder / "one", folder / "deep" / "one", dirs_exist_ok=True)
    assert cli.run(["plain", "list", "--json", "-d", "one", "-d", "deep/one"]) == 0
    sources = [one["source"] for one in json.loads(capsys.readouterr().out)["items"]]
    assert "deep/one/same.plain" in sources
    assert "one/same.plain" in sources
