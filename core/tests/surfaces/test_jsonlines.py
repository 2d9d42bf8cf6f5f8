"""The agent protocol: one object in, one object out, and nothing but the end of input ends it."""

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from sourcebook.registry import registry
from sourcebook.settings import load_settings
from sourcebook.surfaces.agent import find_indexes
from sourcebook.surfaces.jsonlines import LINE_LIMIT_BYTES, Served, Session, serve
from sourcebook.surfaces.jsonschema import ERROR_SCHEMA

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def session(sample: Path, indexed: Path) -> Iterator[Session]:
    """A session over both indexes."""
    named = [str(indexed / "plain-db"), str(indexed / "sample-db")]
    made = Session(lambda: find_indexes(named), load_settings())
    yield made
    made.close()


@pytest.fixture
def ask(session: Session) -> Ask:
    """Return a function that sends fields, or a whole line, and returns the reply."""

    def ask(line: str | bytes | None = None, **fields: object) -> dict[str, Any]:
        sent = json.dumps(fields) if line is None else line
        return reply_of(session, sent if isinstance(sent, bytes) else sent.encode())

    return ask


def reply_of(session: Session, line: bytes) -> dict[str, Any]:
    reply = session.reply(line)
    assert reply.endswith(b"\n")
    assert len(reply.decode().splitlines()) == 1
    body: dict[str, Any] = json.loads(reply)
    assert {"id", "action", "stale", "damaged"} <= set(body)
    if "error" in body:
        Draft202012Validator(ERROR_SCHEMA).validate(body)
    return body


def test_hello_says_what_is_open_and_what_can_be_asked(ask: Ask, indexed: Path) -> None:
    hello = ask(action="hello", id=7)
    assert hello["id"] == 7
    assert hello["schema"] == "hello/1"
    assert hello["protocol"] == 1
    assert [(one["subject"], one["path"]) for one in hello["indexes"]] == [
        ("plain", str(indexed / "plain-db")),
        ("sample", str(indexed / "sample-db")),
    ]
    actions = ("hello", "describe", "refresh", "search_plain", "read_plain", "stats", "export")
    assert set(actions) <= set(hello["actions"])


def test_describe_gives_schemas_that_requests_and_replies_fit(ask: Ask) -> None:
    described = {one["name"]: one for one in ask(action="describe")["actions"]}
    assert described["describe"]["parameters"]["properties"]["name"]["type"] == "string"
    for name in ("hello", "describe", "refresh"):
        Draft202012Validator(described[name]["returns"]).validate(ask(action=name))
    search = described["search_plain"]
    Draft202012Validator(search["parameters"]).validate({"query": "pump"})
    reply = ask(action="search_plain", query="pump")
    Draft202012Validator(search["returns"]).validate(reply)
    [alone] = ask(action="describe", name="search_plain")["actions"]
    assert alone == search
    assert ask(action="describe", name="serach_plain")["error"]["hint"] == (
        "did you mean `search_plain`?"
    )


def test_a_verb_is_asked_by_its_name_and_subject_or_as_a_tool(ask: Ask) -> None:
    one = ask(action="search", subject="plain", query="pump drains", id="a")
    two = ask(action="search_plain", query="pump drains", id="a")
    three = ask(action="search", subject="plain", arguments={"query": "pump drains"}, id="a")
    assert one["hits"][0]["source"] == "pumps.plain"
    for other in (two, three):
        assert {**other, "action": ""} == {**one, "action": ""}
    assert (one["schema"], one["subject"], one["id"]) == ("search/1", "plain", "a")
    assert (one["stale"], one["damaged"]) == (False, False)


def test_open_is_another_name_of_show(ask: Ask) -> None:
    reply = ask(action="open", subject="plain", target="pumps.plain", lines="2")
    assert reply["parts"][0]["lines"][0]["text"] == "Valves open at noon."


def test_several_open_indexes_need_to_be_told_apart(ask: Ask, indexed: Path) -> None:
    error = ask(action="search", query="pump")["error"]
    assert error["code"] == "ambiguous"
    assert ask(action="search", query="pump", index=str(indexed / "plain-db"))["hits"]
    assert ask(action="search", query="q", subject="plian")["error"]["hint"] == (
        "did you mean `plain`?"
    )
    assert ask(action="stats", index="elsewhere")["error"]["where"] == "$.index"


def test_numbers_out_of_range_are_clamped_and_that_is_said(ask: Ask) -> None:
    reply = ask(action="search_sample", query="q", limit=10**18, share=-2, before=-1)
    assert reply["request"]["limit"] == 100
    assert reply["clamped"] == [
        {"field": "limit", "given": 10**18, "used": 100},
        {"field": "share", "given": -2, "used": 0},
        {"field": "before", "given": -1, "used": 0},
    ]
    assert "clamped" not in ask(action="search_sample", query="q")


@pytest.mark.parametrize(
    ("line", "code", "where"),
    [
        ("nonsense", "bad_request", "$, line 1, column 1"),
        ("[]", "bad_request", "$"),
        ('"hello"', "bad_request", "$"),
        ("{}", "bad_request", "$.action"),
        ('{"action": 3}', "bad_request", "$.action"),
        ('{"action": null}', "bad_request", "$.action"),
        ('{"action": "helo"}', "bad_request", "$.action"),
        ('{"action": "hello", "more": 1}', "bad_request", "$.more"),
        ('{"action": "hello", "id": {}}', "bad_request", "$.id"),
        ('{"action": "hello", "id": 1.5}', "bad_request", "$.id"),
        ('{"action": "hello", "action": "stats"}', "bad_request", "$"),
        ('{"action": "stats", "subject": []}', "bad_request", "$.subject"),
        ('{"action": "search_plain", "query": NaN}', "bad_request", "$"),
        ('{"action": "search_plain", "query": "q", "limit": "9"}', "bad_request", "$.limit"),
        ('{"action": "search_plain", "query": "q", "limit": 1e999}', "bad_request", "$.limit"),
        ('{"action": "search_plain", "query": "\\ud800"}', "bad_request", "$.query"),
        ('{"action": "search_plain", "query": "q", "arguments": {}}', "bad_request", "$.query"),
        ('{"action": "search_plain", "arguments": []}', "bad_request", "$"),
        ('{"action": "read_plain", "target": "gone"}', "not_found", "gone"),
        ('{"action": "search_sample", "query": "q", "prompt": true}', "bad_request", "$.prompt"),
    ],
)
def test_a_wrong_request_is_answered_with_what_is_wrong(
    ask: Ask, line: str, code: str, where: str
) -> None:
    error = ask(line)["error"]
    assert (error["code"], error["where"]) == (code, where)


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"action": "search_plain", "limit": ' + b"9" * 6000 + b"}",
        b'{"action": "hello", "id": "' + b"\\ud83d" * 1000 + b'"}',
        b'{"action": "\\u0000\\u001b\\u2028"}',
        b"\xef\xbb\xbf{}",
        b"null",
        b"{" + b'"k": 1, ' * 10_000 + b'"k": 1}',
    ],
    ids=lambda line: repr(line[:20]),
)
def test_no_line_is_too_strange_for_a_reply(ask: Ask, line: bytes) -> None:
    assert "error" in ask(line) or line.startswith(b'{"action": "hello"')


@pytest.mark.parametrize("how", ["value", "recursion", "panic", "nan", "exit", "pipe"])
def test_a_fault_inside_of_a_verb_is_a_reply(ask: Ask, how: str) -> None:
    reply = ask(action="crash", how=how, id=3)
    assert reply["error"]["code"] == "internal_error"
    assert reply["id"] == 3
    assert ask(action="hello")["schema"] == "hello/1"


def test_an_unknown_action_names_the_nearest(ask: Ask) -> None:
    assert ask(action="serch_plain")["error"]["hint"] == "did you mean `search_plain`?"


@pytest.fixture
def own(sample: Path, indexed: Path, tmp_path: Path) -> Path:
    """Return a copy of an index that the test may change."""
    return Path(shutil.copytree(indexed / "plain-db", tmp_path / "own-db"))


def test_a_damaged_index_is_said_in_every_reply_and_repaired_by_refresh(own: Path) -> None:
    manifest = (own / "manifest.json").read_bytes()
    session = Session(lambda: find_indexes([str(own)]), load_settings())
    (own / "manifest.json").write_bytes(b"{}")
    reply = reply_of(session, b'{"action": "search", "query": "pump"}')
    assert reply["error"]["code"] == "index_damaged"
    assert reply["damaged"] is True
    hello = reply_of(session, b'{"action": "hello"}')
    assert (hello["damaged"], hello["indexes"][0]["damaged"]) == (True, True)
    (own / "manifest.json").write_bytes(manifest)
    assert reply_of(session, b'{"action": "refresh"}')["damaged"] is False
    assert reply_of(session, b'{"action": "search", "query": "pump"}')["hits"]
    session.close()


@pytest.mark.parametrize("fault", [PermissionError("no"), RecursionError(), BaseException("panic")])
def test_an_index_that_cannot_be_opened_ends_nothing(
    sample: Path, fault: BaseException, tmp_path: Path
) -> None:
    def fail(_path: Path) -> Any:
        raise fault

    served = Served(registry().subject("plain"), tmp_path, fail)
    session = Session(lambda: [served], load_settings())
    for line in (b'{"action": "hello"}', b'{"action": "search", "query": "q"}', b"nonsense"):
        assert reply_of(session, line)["damaged"] is True


def test_a_new_generation_makes_replies_stale_until_refresh(own: Path, sample: Path) -> None:
    session = Session(lambda: find_indexes([str(own)]), load_settings())
    first = reply_of(session, b'{"action": "grep", "pattern": "brand new"}')
    assert (first["found"], first["stale"]) == (0, False)
    corpus = own.parent / "corpus"
    corpus.mkdir()
    (corpus / "new.plain").write_text("A brand new line.\n")
    subprocess.run(
        [sys.executable, "-m", "sourcebook", "plain", "index", "corpus", "-o", str(own)],
        cwd=own.parent,
        env={**os.environ, "SOURCEBOOK_STORES": "memory", "SOURCEBOOK_EMBEDDING": "hash"},
        check=True,
        capture_output=True,
    )
    second = reply_of(session, b'{"action": "grep", "pattern": "brand new"}')
    assert (second["found"], second["stale"]) == (0, True)
    assert reply_of(session, b'{"action": "refresh"}')["stale"] is False
    third = reply_of(session, b'{"action": "grep", "pattern": "brand new"}')
    assert (third["found"], third["stale"]) == (1, False)
    session.close()


def test_without_an_index_it_says_so_until_one_comes(own: Path) -> None:
    here: list[str] = []
    session = Session(lambda: find_indexes(here) if here else [], load_settings())
    reply = reply_of(session, b'{"action": "search", "query": "pump"}')
    assert reply["error"]["code"] == "index_missing"
    assert reply_of(session, b'{"action": "hello"}')["indexes"] == []
    here.append(str(own))
    assert reply_of(session, b'{"action": "refresh"}')["indexes"][0]["path"] == str(own)
    assert reply_of(session, b'{"action": "search", "query": "pump"}')["hits"]
    session.close()


def test_lines_are_bounded_and_blank_ones_passed_over(session: Session) -> None:
    requests = io.BytesIO(
        b'\n{"action": "hello", "id": 1}\r\n  \n'
        + b"x" * (3 * LINE_LIMIT_BYTES)
        + b'\n{"action": "hello", "id": 2}'
    )
    replies = io.BytesIO()
    serve(session, requests, replies)
    first, second, third = (json.loads(line) for line in replies.getvalue().splitlines())
    assert (first["id"], third["id"]) == (1, 2)
    assert str(LINE_LIMIT_BYTES) in second["error"]["message"]


def test_a_line_of_exactly_the_limit_is_read(session: Session) -> None:
    start, end = b'{"action": "hello", "id": "', b'"}'
    line = start + b"i" * (LINE_LIMIT_BYTES - len(start) - len(end)) + end
    for stream in (line, line + b"\n", line + b" \n"):
        replies = io.BytesIO()
        serve(session, io.BytesIO(stream), replies)
        assert ("error" in json.loads(replies.getvalue())) is (stream.endswith(b" \n"))


ACTIONS = ["hello", "describe", "refresh", "search", "search_plain", "list_plain", "grep_plain"]
ACTIONS += ["read_plain", "stats", "open", "crash", "search_sample", "nothing", "show"]
KEYS = ["query", "limit", "mode", "kind", "source", "pattern", "regex", "target", "lines", "what"]
KEYS += ["share", "weights", "how", "name", "before", "after", "id", "subject", "index"]
KEYS += ["arguments", "action", "exclude_id", "text_query", "max_lines"]
values: st.SearchStrategy[object] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.sampled_from(["pump", "plain", "sample", "text", "*", "(", "[a", "pumps.plain", "1-2"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(), inner, max_size=3)
    ),
    max_leaves=5,
)
lines = st.one_of(
    st.fixed_dictionaries(
        {"action": st.sampled_from(ACTIONS) | values},
        optional={key: values for key in KEYS if key != "action"},
    ).map(lambda request: json.dumps(request).encode()),
    values.map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass")),
    st.binary(max_size=50),
    st.text(st.sampled_from('{}[]",:0e-. \\u"actionhello\n'), max_size=40).map(str.encode),
)


@settings(
    max_examples=2000,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(lines)
def test_thousands_of_random_requests_get_one_reply_each(session: Session, line: bytes) -> None:
    body = reply_of(session, line)
    assert ("error" in body) or "schema" in body


def agent(*arguments: str, send: bytes, cwd: Path) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "sourcebook", "agent", *arguments],
        input=send,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "HOME": str(cwd)},  # where looking for indexes ends
        check=False,
    )


def test_the_process_serves_the_nearest_indexes_and_ends_with_its_input(
    sample: Path, indexed: Path
) -> None:
    done = agent(send=b'{"action": "hello"}\n{"action": "crash", "how": "exit"}\n', cwd=indexed)
    assert (done.returncode, done.stderr) == (0, b"")
    hello, crash = (json.loads(line) for line in done.stdout.splitlines())
    assert [one["subject"] for one in hello["indexes"]] == ["plain", "sample"]
    assert crash["error"]["message"] == "SystemExit: 7"


def test_what_a_verb_prints_does_not_get_between_the_replies(sample: Path, indexed: Path) -> None:
    done = agent("-d", "sample-db", send=b'{"action": "crash", "how": "print"}\n', cwd=indexed)
    assert json.loads(done.stdout)["number"] == 3
    assert done.stderr == b"noise\n"


def test_a_folder_that_is_no_index_is_refused_at_the_start(sample: Path, indexed: Path) -> None:
    done = agent("-d", "corpus", send=b'{"action": "hello"}\n', cwd=indexed)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"error: `corpus` is not an index")
