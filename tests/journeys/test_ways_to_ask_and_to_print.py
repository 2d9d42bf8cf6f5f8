"""Questions from files and pipes, answers for people, pipes and programs."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.journeys.conftest import User


def test_a_whole_request_comes_as_json_or_from_standard_input(indexed: "User") -> None:
    request = json.dumps({"query": "ship back", "limit": 1, "kind": ["paragraph"]})
    typed = indexed.does("search", "--query", request)
    assert "ship back SERVICE" in typed
    assert indexed.does("search", "--query", "-", stdin=request) == typed


def test_a_slip_in_a_request_is_told_with_its_place(indexed: "User") -> None:
    refused = indexed.run("docs", "search", "--json", "--query", '{"query": "x", "limti": 1}')
    assert refused.status == 2
    error = refused.json["error"]
    assert error["code"] == "bad_request"
    assert "limti" in error["where"] + error["message"]
    assert "limit" in error["hint"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("search",),
        ("search", "   "),
        ("search", "--limit", "many", "ship"),
        ("search", "--mode", "text", "--vector-query", "ship"),
        ("search", "ship", "--text-query", "back"),
        ("search", "--text-query", ""),
        ("grep", "(", "--regex"),
        ("show", "deploy.md", "--lines", "9-3"),
        ("serch", "ship"),
    ],
)
def test_a_wrong_request_is_a_sentence_and_a_next_move(
    indexed: "User", arguments: tuple[str, ...]
) -> None:
    ran = indexed.run("docs", *arguments)
    assert ran.status == 2
    assert "error: " in ran.err
    assert "hint: " in ran.err
    assert ran.out == ""


def test_a_pattern_is_found_as_it_is_written(indexed: "User") -> None:
    assert indexed.does("grep", "`#deploys`").startswith("deploy.md:7: ")
    assert indexed.does("grep", "[").startswith("0 ")


def test_each_leg_has_its_wording(indexed: "User") -> None:
    legs = {
        ("--text-query", "previous image"): "text",
        ("--vector-query", "previous image"): "vector",
        ("--text-query", "image", "--vector-query", "previous image"): "hybrid",
        ("--mode", "text", "previous image"): "text",
    }
    for arguments, mode in legs.items():
        found = indexed.run("docs", "search", "--json", "--min-evidence", "none", *arguments).json
        assert found["mode"] == mode
        assert found["hits"]


def test_what_is_piped_is_plain_and_talk_stays_out_of_it(indexed: "User") -> None:
    ran = indexed.run("docs", "search", "ship back")
    assert "\x1b" not in ran.out + ran.err
    assert "using the index" not in ran.out
    assert indexed.run("docs", "search", "--quiet", "ship back").err == ""


def test_a_terminal_gets_colours_unless_it_wants_none(
    indexed: "User", colours: Callable[[str], list[str]]
) -> None:
    assert colours(indexed.at_a_terminal("docs", "search", "ship back"))
    assert not colours(indexed.at_a_terminal("docs", "search", "ship back", NO_COLOR="1"))


def test_escape_sequences_of_a_document_do_not_reach_the_reader(user: "User") -> None:
    user.write("handbook/evil.md", "# Evil\n\nA title \x1b]0;owned\x07 and \x1b[31mred text.\n")
    user.does("index", "handbook", "--embedding", "none")
    printed = user.does("grep", "red text")
    assert "\x1b" not in printed
    assert "\\u001b[31mred text" in printed
    matches = user.run("docs", "grep", "red text", "--json").json["matches"]
    assert "\x1b[31mred text" in matches[0]["text"]


def test_a_reader_that_goes_away_ends_the_command_quietly(indexed: "User") -> None:
    printed = indexed.shell("sourcebook docs export -q | head -c 10; true")
    assert len(printed) == 10


@pytest.mark.parametrize(
    "arguments",
    [
        ("docs", "search", "ship back"),
        ("docs", "list"),
        ("docs", "list", "sections"),
        ("docs", "list", "tables"),
        ("docs", "grep", "429"),
        ("docs", "show", "deploy.md"),
        ("docs", "stats"),
        ("docs", "export"),
        ("plugins",),
        ("embedders",),
        ("config",),
        ("cache", "ls"),
        ("verify",),
    ],
    ids=" ".join,
)
def test_every_command_speaks_json(indexed: "User", arguments: tuple[str, ...]) -> None:
    ran = indexed.run(*arguments, "--json")
    assert ran.status == 0, ran.err
    assert ran.json["schema"].partition("/")[2] == "1"
    assert len(ran.out.splitlines()) == 1


def test_no_command_asks_for_a_plugin_it_does_not_need(indexed: "User") -> None:
    broken = {"SOURCEBOOK_PLUGINS": "docs"}
    assert indexed.does("grep", "429", **broken).startswith("limits.md:3")
    assert "deploy.md" in indexed.does("list", **broken)


def test_plugins_and_their_versions_are_listed(user: "User") -> None:
    listed = {
        (one["kind"], one["name"]): one for one in user.run("plugins", "--json").json["plugins"]
    }
    assert {("subject", "docs"), ("store", "tantivy"), ("embedder", "minilm")} <= set(listed)
    assert {one["status"] for one in listed.values()} == {"ok"}


def test_what_happens_is_logged_without_what_was_asked(indexed: "User") -> None:
    ran = indexed.run("docs", "search", "-v", "ship back")
    assert "event=search" in ran.err
    assert "ship back" not in ran.err
