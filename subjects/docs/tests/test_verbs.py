"""list, grep and show of the docs subject, asked on the command line."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sourcebook.index.open import open_index
from sourcebook.registry import registry
from sourcebook.verbs import grep

Ask = Callable[..., Any]


def test_files_are_listed_with_what_they_hold(ask: Ask) -> None:
    items = ask("list")["items"]
    assert [item["source"] for item in items] == [
        "guide/limits.md",
        "guide/start.md",
        "notes.txt",
        "old/limits.md",
    ]
    limits = items[0]
    assert (limits["kind"], limits["sections"], limits["tables"]) == ("file", 2, 1)
    assert (limits["first_line"], limits["last_line"]) == (1, 18)


def test_sections_are_listed_with_their_lines_and_path(ask: Ask) -> None:
    items = ask("list", "sections", "--file", "start")["items"]
    assert [
        (item["title"], item["level"], item["first_line"], item["last_line"]) for item in items
    ] == [
        ("Start", 1, 1, 15),
        ("Linux", 2, 5, 11),
        ("Notes", 3, 9, 11),
        ("Linux", 2, 13, 15),
    ]
    assert items[2]["path"] == ["Start", "Linux", "Notes"]


def test_depth_stops_at_a_level_of_heading(ask: Ask) -> None:
    found = ask("list", "sections", "--depth", "1")
    assert [item["title"] for item in found["items"]] == ["Limits", "Start", "Old limits"]
    assert found["found"] == 3


def test_tables_are_listed_with_columns_rows_and_caption(ask: Ask) -> None:
    (table,) = ask("list", "tables")["items"]
    assert table["columns"] == ["Route", "Rate"]
    assert (table["rows"], table["first_line"], table["last_line"]) == (2, 7, 10)
    assert table["title"] == "Table 1: allowances"


@pytest.mark.parametrize(
    ("narrowed", "titles"),
    [
        (["--section", "linux"], ["Linux", "Notes", "Linux"]),
        (["--name", "*o*"], ["Notes", "Old limits"]),
        (["--name", "^L", "--regex"], ["Limits", "Linux", "Linux"]),
        (["--name", "limits", "--case-sensitive"], ["Old limits"]),
        (["--exclude-file", "guide/**"], ["Old limits"]),
        (["--section", "Nowhere"], []),
    ],
)
def test_a_listing_can_be_narrowed(ask: Ask, narrowed: list[str], titles: list[str]) -> None:
    items = ask("list", "sections", *narrowed)["items"]
    assert [item["title"] for item in items] == titles


def test_the_count_is_of_all_though_few_are_shown(ask: Ask) -> None:
    found = ask("list", "sections", "--limit", "2")
    assert (found["found"], len(found["items"])) == (7, 2)
    assert "7 found, 2 shown" in ask("list", "sections", "--limit", "2", text=True)


def test_every_kind_of_row_can_be_opened_by_an_editor(ask: Ask) -> None:
    assert "guide/start.md:9-11  ### Start > Linux > Notes" in ask("list", "sections", text=True)
    tables = ask("list", "tables", text=True)
    assert "guide/limits.md:7-10  Table 1: allowances  [Route | Rate]  2 rows" in tables
    assert "18 lines, 2 sections, 1 table," in ask("list", text=True)


def test_grep_names_the_section_of_each_line(ask: Ask) -> None:
    found = ask("grep", "the")
    assert [(one["line"], one["section"]) for one in found["matches"]] == [
        (3, ["Start"]),
        (7, ["Start", "Linux"]),
        (15, ["Start", "Linux"]),
    ]
    assert "guide/start.md:7: Use the tar file.  [Start > Linux]" in ask("grep", "the", text=True)


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (["--section", "Notes", "--", "keep"], [11]),
        (["--section", "Linux", "--", "."], [7, 11, 15]),
        (["--kind", "code", "--", "wait"], [17]),
        (["--kind", "table_row", "--", "| /"], [9, 10]),
        (["--kind", "paragraph", "--", "wait"], []),
        (["--file", "old/*", "--", "limits"], [1]),
        (["--regex", "--", r"^#+ L"], [12, 5, 13]),
        (["--case-sensitive", "--", "limits"], [1]),
    ],
)
def test_grep_can_be_narrowed(ask: Ask, arguments: list[str], lines: list[int]) -> None:
    found = ask("grep", *arguments)
    assert [one["line"] for one in found["matches"]] == lines
    assert found["found"] == len(lines)


def test_a_section_is_shown_wherever_its_title_stands(ask: Ask) -> None:
    shown = ask("show", "start.md", "--section", "LINUX")
    assert [(part["first_line"], part["last_line"]) for part in shown["parts"]] == [
        (5, 11),
        (13, 15),
    ]
    assert shown["parts"][0]["title"] == "Start > Linux"
    assert shown["of"] == 15


def test_a_section_that_is_not_there_is_told_with_the_nearest(ask: Ask) -> None:
    shown = ask("show", "guide/start.md", "--section", "Linus")
    assert shown["status"] == 1
    assert shown["error"]["code"] == "not_found"
    assert "Linux" in shown["error"]["hint"]
    far = ask("show", "guide/start.md", "--section", "Zebra")
    assert "list sections" in far["error"]["hint"]


def test_a_section_and_a_range_are_not_both_taken(ask: Ask) -> None:
    shown = ask("show", "guide/start.md", "--section", "Linux", "--lines", "1-2")
    assert (shown["status"], shown["error"]["code"]) == (2, "bad_request")


def test_a_name_that_fits_two_files_is_told_with_both(ask: Ask) -> None:
    shown = ask("show", "limits.md", "--section", "Retry")
    assert shown["error"]["code"] == "ambiguous"
    assert "guide/limits.md" in shown["error"]["message"]
    assert "old/limits.md" in shown["error"]["message"]


def test_lines_are_shown_without_their_section_too(ask: Ask) -> None:
    assert ask("show", "notes.txt", "--no-numbers", text=True) == "A note.\n\n# no heading\n"


def test_a_hit_on_a_table_tells_its_columns(ask: Ask) -> None:
    (hit, *_) = ask("search", "--text-query", "allowances", "--kind", "table")["hits"]
    assert hit["facts"] == {
        "columns": ["Route", "Rate"],
        "rows": 2,
        "caption": "Table 1: allowances",
    }


def test_a_row_is_quoted_with_the_header_of_its_table(ask: Ask) -> None:
    found = ask("search", "--text-query", "orders", "--kind", "table_row", "--min-evidence", "none")
    assert [line["number"] for line in found["quotes"][0]["lines"]] == [7, 8, 10]


def test_several_indexes_are_asked_together(ask: Ask, index: str, tmp_path: Path) -> None:
    other = tmp_path / "other-db"
    shutil.copytree(index, other)
    both = ("--dir", str(other))
    found = ask("list", "sections", *both, "--limit", "1")
    assert found["found"] == 14
    assert found["items"][0]["source"] == "pages-db/guide/limits.md"
    assert ask("grep", *both, "--", "tar file")["found"] == 2
    shown = ask("show", "other-db/guide/start.md", *both, "--section", "Notes")
    assert [part["source"] for part in shown["parts"]] == ["other-db/guide/start.md"]


@pytest.mark.parametrize("kind", [(), ("code",), ("table", "paragraph"), ("frontmatter",)])
def test_the_grep_of_the_core_names_the_innermost_entry(index: str, kind: tuple[str, ...]) -> None:
    subject = registry().subject("docs")
    verb = grep.verb(subject)
    with open_index(index) as opened:
        found = verb.run(opened, verb.request(pattern="(?s).*", regex=True, kind=kind))
        wanted = []
        for name in opened.sources:
            entries = [one for one in opened.entries([name]) if not kind or one.kind in kind]
            for line in range(1, len(opened.source(name).lines) + 1):
                around = [one for one in entries if line in one.span]
                if around or not kind:
                    owner = min(around, key=lambda one: len(one.span), default=None)
                    wanted.append((name, line, owner.path if owner else ()))
    assert [(one.source, one.line, one.section) for one in found.matches] == wanted
    assert found.found == len(wanted)
