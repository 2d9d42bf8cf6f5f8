"""From a command line to a request: flags, words, `--query`, standard input, settings, indexes."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.index.open import open_index
from sourcebook.surfaces import cli
from sourcebook.surfaces.host import mount
from sourcebook.surfaces.tools import tools

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(
    sample: Path,
    indexed: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Call:
    """Return a function that runs a command line where the indexes are."""
    monkeypatch.chdir(indexed)
    monkeypatch.setenv("HOME", str(indexed))

    def call(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["sourcebook", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = cli.run(arguments)
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def request_of(call: Call) -> Callable[..., dict[str, Any]]:
    """Return a function that gives the request that `sample search` makes of its arguments."""

    def request_of(*arguments: str, stdin: bytes = b"") -> dict[str, Any]:
        status, out, err = call("sample", "search", "--json", "-q", *arguments, stdin=stdin)
        assert (status, err) == (0, "")
        request: dict[str, Any] = json.loads(out)["request"]
        return request

    return request_of


RequestOf = Callable[..., dict[str, Any]]

DEFAULTS = {
    "query": "",
    "limit": 8,
    "share": 0.5,
    "kind": [],
    "file": [],
    "mode": "hybrid",
    "exact": False,
    "numbers": True,
    "fold": None,
    "before": None,
    "root": None,
    "weights": None,
    "note": "",
}


def test_without_flags_the_defaults_of_the_request_hold(request_of: RequestOf) -> None:
    assert request_of() == DEFAULTS


def test_every_type_of_field_has_its_flag(request_of: RequestOf) -> None:
    assert request_of(
        *("how", "are", "--limit", "3", "they", "counted", "--share", "1", "--kind", "line"),
        *("--kind", "table_row", "-f", "a*", "--file", "b", "--mode", "text", "--exact"),
        *("--no-numbers", "--no-fold", "-B2", "--root", "x/../y"),
    ) == {
        **DEFAULTS,
        "query": "how are they counted",
        "limit": 3,
        "share": 1.0,
        "kind": ["line", "table_row"],
        "file": ["a*", "b"],
        "mode": "text",
        "exact": True,
        "numbers": False,
        "fold": False,
        "before": 2,
        "root": "x/../y",
    }


def test_settings_are_the_defaults_of_a_search_on_every_surface(
    call: Call, request_of: RequestOf, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCEBOOK_LIMIT", "5")
    assert request_of("q")["limit"] == 5
    assert request_of("q", "--limit", "7")["limit"] == 7
    assert request_of("--query", '{"limit": 9}')["limit"] == 9
    with open_index(indexed / "sample-db") as index:
        search = next(tool for tool in tools(index) if tool.name == "search_sample")
        assert search.call(query="q")["request"]["limit"] == 5
        assert search.call(query="q", limit=None)["request"]["limit"] == 5
        assert search.call(query="q", limit=7)["request"]["limit"] == 7
    monkeypatch.setenv("SOURCEBOOK_LIMIT", "1")
    assert len(call("plain", "list", "-q")[1].splitlines()) == 3


def test_words_after_two_dashes_are_words(request_of: RequestOf) -> None:
    assert request_of("--", "--limit", "is", "-x")["query"] == "--limit is -x"


@pytest.mark.parametrize(
    ("arguments", "where", "message"),
    [
        (["--limit", "0"], "--limit", "0 is out of range: at least 1 is needed"),
        (["--limit", "101"], "--limit", "101 is out of range: at most 100 is allowed"),
        (["--share", "nan"], "--share", "this must be a number"),
        (["--mode", "both"], "--mode", "`both` is none of hybrid, text, vector"),
        (["--before", "-1"], "--before", "-1 is out of range: at least 0 is needed"),
        (["--columns", "5"], "--columns", "5 is out of range: at least 20 is needed"),
        (["\udcff"], "QUERY", "the text is not valid Unicode"),
    ],
)
def test_a_value_that_cannot_be_is_told_by_its_flag(
    call: Call, arguments: list[str], where: str, message: str
) -> None:
    status, out, err = call("sample", "search", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {message}")
    assert f"\n  at {where}\n" in err


def test_query_takes_a_whole_request(request_of: RequestOf) -> None:
    whole = json.dumps({"query": "q", "limit": 2, "weights": {"a": 1}, "kind": ["line"]})
    wanted = {**DEFAULTS, "query": "q", "limit": 2, "weights": {"a": 1.0}, "kind": ["line"]}
    assert request_of("--query", whole) == wanted
    assert request_of("--query", "-", stdin=whole.encode()) == wanted
    assert request_of("--query", "-", stdin=b"\xef\xbb\xbf" + whole.encode()) == wanted


def test_flags_beside_query_add_to_it_and_may_repeat_it(request_of: RequestOf) -> None:
    request = request_of("--query", '{"query": "q", "limit": 2}', "--limit", "2", "--exact")
    assert (request["query"], request["limit"], request["exact"]) == ("q", 2, True)


@pytest.mark.parametrize(
    ("whole", "arguments", "message", "where"),
    [
        ('{"limit": 2}', ["--limit", "3"], "`--limit` and `--query` say", "--query, $.limit"),
        ('{"query": "a"}', ["b"], "`QUERY` and `--query` say", "--query, $.query"),
        ('{"numbers": true}', ["--no-numbers"], "`--no-numbers` and", "--query, $.numbers"),
        ('{"limti": 2}', [], "no field is named `limti`", "--query, $.limti"),
        ('{"limit": "2"}', [], "this must be an integer", "--query, $.limit"),
        ('{"limit": 1000}', [], "1000 is out of range", "--query, $.limit"),
        ('{"limit": 2', [], "this is not JSON", "--query, line 1, column 12"),
        ("[]", [], "a request is a JSON object", "--query"),
        ("{}", ["--limit", "0"], "0 is out of range", "--limit"),
    ],
)
def test_a_wrong_or_contradicted_query_is_a_usage_error(
    call: Call, whole: str, arguments: list[str], message: str, where: str
) -> None:
    status, out, err = call("sample", "search", "--query", whole, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {message}")
    assert f"\n  at {where}\n" in err


def test_a_text_may_come_from_a_file(call: Call, request_of: RequestOf, tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_bytes("Grüße\n".encode())
    assert request_of("--note", str(path))["note"] == "Grüße\n"
    assert request_of("--note", "-", stdin=b"{}")["note"] == "{}"
    assert request_of("--query", '{"note": "as it is"}')["note"] == "as it is"
    path.write_bytes(b"\xff")
    for name, message in ((str(path), "is not UTF-8"), (str(tmp_path), "cannot be read")):
        status, _, err = call("sample", "search", "--note", name)
        assert status == 2
        assert message in err
        assert "--note" in err


def test_a_lone_dash_reads_standard_input(call: Call, request_of: RequestOf) -> None:
    assert request_of("-", stdin=b"Wie viele\n")["query"] == "Wie viele"
    status, out, _ = call("sample", "show", "-", "-q", stdin="a\nb\u2028c\r\n".encode())
    assert (status, out) == (0, "a\nb\\u2028c\n")


def test_standard_input_that_is_no_text_is_told(call: Call) -> None:
    status, _, err = call("sample", "search", "-", stdin=b"a\xff")
    assert status == 2
    assert err == "error: standard input is not UTF-8: invalid start byte\n  at query, byte 2\n"


def test_text_of_a_corpus_reaches_no_terminal_raw(call: Call) -> None:
    _, out, _ = call("sample", "search", "q", "-q")
    assert out == "a.sample:3: q \\u001b]0;title\\u0007東京\n"
    _, out, _ = call("plain", "show", "pumps.plain", "-q")
    assert "A \\u001b[31mred\\u009b word." in out


def test_export_stays_json_whatever_the_corpus_holds(call: Call) -> None:
    _, out, _ = call("plain", "export", "-q")
    texts = [json.loads(line)["text"] for line in out.splitlines()]
    assert "A \x1b[31mred\x9b word." in texts
    assert "\x9b" not in out


def test_a_view_is_for_text_only(call: Call) -> None:
    _, out, _ = call("sample", "search", "a long question", "--hits", "--columns", "20", "-q")
    assert out == "a.sample:3: a long q\n"


def test_a_renderer_prints_what_it_accepts(call: Call) -> None:
    status, out, _ = call("sample", "search", "q", "--format", "shout", "--columns", "30", "-q")
    assert (status, out) == (0, "Q \\u001b]0;TITLE\\u0007東京 30\n")
    status, _, err = call("sample", "show", "a", "--format", "shout")
    assert status == 2
    assert err.startswith("error: `shout` renders SearchResponse, not what `show` answers")
    assert err.endswith("hint: `--json` prints all of it\n")


def test_help_names_the_formats_that_a_verb_has(call: Call) -> None:
    _, out, _ = call("sample", "search", "--help")
    assert "Let a renderer print the response. One of shout." in out
    _, out, _ = call("sample", "show", "--help")
    assert "renderer" not in out


def test_the_index_that_was_found_is_named_on_standard_error(call: Call, indexed: Path) -> None:
    status, out, err = call("sample", "where")
    assert (status, err) == (0, "using the index sample-db\n")
    assert out == f"sample {indexed / 'sample-db'}\n"
    assert call("sample", "where", "--quiet")[2] == ""
    assert call("sample", "where", "-d", "sample-db")[1:] == ("sample sample-db\n", "")


def test_an_index_of_another_subject_is_refused(call: Call) -> None:
    status, _, err = call("plain", "stats", "-d", "sample-db")
    assert status == 1
    assert err.startswith("error: `sample-db` is a sample index, not one of plain")
    assert call("plain", "stats", "-d", "nowhere")[0] == 1


def test_events_are_logged_with_v(call: Call) -> None:
    _, out, err = call("sample", "search", "secret", "-v", "-q")
    assert " event=search.done hits=1\n" in err
    assert "secret" not in err
    assert out.startswith("a.sample:3")


def test_an_error_of_a_verb_names_the_flag(call: Call) -> None:
    status, _, err = call("plain", "show", "pumps.plain", "--lines", "9-3", "-q")
    assert status == 2
    assert "\n  at --lines\n" in err


def test_verify_says_whether_every_byte_is_sound(call: Call, indexed: Path, tmp_path: Path) -> None:
    status, out, _ = call("verify", "plain-db")
    assert (status, out) == (0, "plain-db: every byte is sound (plain, 2 sources)\n")
    assert call("verify")[1].startswith("plain-db: every byte is sound")
    body = json.loads(call("verify", "--json")[1])
    assert [one["subject"] for one in body["indexes"]] == ["plain", "sample"]
    assert body["sound"] is True
    assert call("verify", str(tmp_path))[0] == 1


def test_verify_names_what_is_damaged(call: Call, indexed: Path, tmp_path: Path) -> None:
    import shutil

    broken = Path(shutil.copytree(indexed / "plain-db", tmp_path / "broken"))
    [document, *_] = (broken / "sources").iterdir()
    document.write_bytes(b"other")
    status, out, _ = call("verify", str(broken))
    assert status == 1
    assert "1 damaged file" in out
    assert document.name in out
    assert json.loads(call("verify", str(broken), "--json")[1])["sound"] is False


def test_the_cache_is_listed_pruned_and_cleared(call: Call, tmp_path: Path) -> None:
    folder = str(tmp_path / "cache")
    status, _, err = call(
        *("plain", "index", "corpus", "-o", str(tmp_path / "db"), "--cache-dir", folder),
        *("--embedding", "hash", "--store", "memory"),
    )
    assert (status, err) == (0, "")
    kinds = json.loads(call("cache", "ls", "--cache-dir", folder, "--json")[1])["kinds"]
    assert {one["kind"]: one["entries"] for one in kinds} == {"vectors": 5, "parses": 2}
    assert "5 entries" in call("cache", "ls", "--cache-dir", folder)[1]
    status, out, _ = call("cache", "prune", "--older-than", "30d", "--cache-dir", folder, "--json")
    assert (status, [one["entries"] for one in json.loads(out)["kinds"]]) == (0, [0, 0])
    assert call("cache", "clear", "--cache-dir", folder)[0] == 0
    kinds = json.loads(call("cache", "ls", "--cache-dir", folder, "--json")[1])["kinds"]
    assert [one["entries"] for one in kinds] == [0, 0]


def test_an_age_that_is_none_is_told(call: Call) -> None:
    status, _, err = call("cache", "prune", "--older-than", "soon")
    assert status == 2
    assert "\n  at --older-than\n" in err


def test_subjects_are_mounted_in_another_program_with_one_call(
    sample: Path, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(indexed)
    monkeypatch.setenv("HOME", str(indexed))

    @click.group()
    def host() -> None:
        """Somebody else's program."""

    mount(host, ["sample", "plain"])
    runner = CliRunner()
    assert (
        "sample  Lines of text, and verbs that misbehave." in runner.invoke(host, "--help").output
    )
    done = runner.invoke(host, "plain grep pump -q")
    assert (done.exit_code, done.output.splitlines()[-1]) == (0, "2 matching lines")
    done = runner.invoke(host, "sample fail error")
    assert done.exit_code == 1
    assert done.stderr.startswith("error: no thing is here\n")
    done = runner.invoke(host, "sample search --limit many")
    assert done.exit_code == 2
    assert (
        done.stderr == "error: `many` is not an integer\n  at --limit\nhint: write it in digits\n"
    )
    with pytest.raises(ValueError, match="has a command `plain`"):
        mount(host, ["plain"])


def test_a_host_gets_every_subject_unless_it_chooses(sample: Path) -> None:
    host = click.Group("host")
    mount(host)
    assert {"plain", "sample"} <= set(host.commands)


@given(st.lists(st.text(st.characters(exclude_characters="\0")), max_size=5))
def test_no_command_line_ends_in_a_traceback(arguments: list[str]) -> None:
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
    try:
        status = cli.run(arguments)
        said = sys.stderr.getvalue()
    finally:
        sys.stdout, sys.stderr = streams
    assert status in (0, 1, 2)
    assert "Traceback" not in said
    assert "internal_error" not in said


def test_a_build_that_empties_an_index_warns(call: Call, tmp_path: Path) -> None:
    corpus = tmp_path / "emptied"
    corpus.mkdir()
    (corpus / "a.plain").write_text("words\n")
    build = (
        *("plain", "index", str(corpus), "--out", str(tmp_path / "db"), "--quiet"),
        *("--embedding", "none", "--store", "memory"),
    )
    assert call(*build)[2] == ""
    (corpus / "a.plain").unlink()
    status, out, err = call(*build, "--json")
    (warning,) = json.loads(out)["warnings"]
    assert warning.endswith("is empty now, and had 1 source")
    assert (status, err) == (0, f"warning: {warning}\n")
    assert json.loads(call(*build, "--json")[1])["warnings"] == []


def test_a_build_over_the_index_of_another_corpus_warns(call: Call, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.plain").write_text("words\n")
    build = ("--out", str(tmp_path / "db"), "--quiet", "--embedding", "none", "--store", "memory")
    assert call("plain", "index", str(tmp_path / "one"), *build)[2] == ""
    status, _, err = call("plain", "index", str(tmp_path / "two"), *build)
    assert status == 0
    assert "it had 1 source of other names" in err
    (tmp_path / "two" / "more.plain").write_text("words\n")
    (tmp_path / "two" / "two.plain").rename(tmp_path / "two" / "renamed.plain")
    (tmp_path / "two" / "kept.plain").write_text("words\n")
    assert "other names" in call("plain", "index", str(tmp_path / "two"), *build)[2]
    (tmp_path / "two" / "more.plain").unlink()
    assert call("plain", "index", str(tmp_path / "two"), *build)[2] == ""


def test_a_build_says_why_it_began_anew(call: Call, tmp_path: Path) -> None:
    build = (
        *("plain", "index", "corpus", "--out", str(tmp_path / "db"), "--store", "memory"),
        *("--cache-dir", str(tmp_path / "cache"), "--embedding", "hash"),
    )
    assert "anew" not in call(*build)[1]
    assert "built anew: embedder changed" in call(*build, "--dimensions", "64")[1]
    assert "built anew: asked to" in call(*build, "--dimensions", "64", "--no-cache")[1]
