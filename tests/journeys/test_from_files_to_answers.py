"""The journey of the tutorial: index, search, narrow, verify, no answer, edit, index again."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.journeys.conftest import User


def test_a_question_is_answered_with_the_documents_own_lines(user: "User") -> None:
    said = user.does("index", "handbook")
    assert "docs-db: 3 sources" in said
    assert "3 added, 0 changed, 0 removed" in said
    found = user.run("docs", "search", "--limit", "1", "how long is the previous image kept")
    assert "deploy.md" in found.out
    assert "12 | Run `ship back SERVICE`. The previous image is kept for 30 days." in found.out
    assert found.err == "using the index docs-db\n"


def test_a_question_needs_no_quotes(indexed: "User") -> None:
    quoted = indexed.does("search", "previous image kept")
    assert indexed.does("search", "previous", "image", "kept") == quoted


def test_a_search_is_narrowed_step_by_step(indexed: "User") -> None:
    everywhere = indexed.run("docs", "search", "--json", "requests a minute").json
    assert {hit["source"] for hit in everywhere["hits"]} >= {"limits.md"}
    rows = indexed.run("docs", "search", "--json", "--kind", "table_row", "upload minute").json
    assert {hit["kind"] for hit in rows["hits"]} == {"table_row"}
    assert rows["quotes"][0]["lines"][0]["text"] == "| endpoint | requests a minute |"
    seen = rows["hits"][0]["id"]
    others = indexed.run("docs", "search", "--json", "--exclude-id", seen, "upload minute").json
    assert seen not in {hit["id"] for hit in others["hits"]}
    below = indexed.run("docs", "search", "--json", "-s", "rolling back", "previous image").json
    assert {hit["path"][-1] for hit in below["hits"]} == {"Rolling back"}


def test_a_file_that_is_not_there_finds_nothing_and_says_so(indexed: "User") -> None:
    found = indexed.run("docs", "search", "--file", "kubernetes", "requests")
    assert found.status == 0
    assert "no file fits `kubernetes`" in found.out
    assert " | " not in found.out


def test_an_answer_is_verified_by_exact_verbs(indexed: "User") -> None:
    assert indexed.does("grep", "429").startswith("limits.md:3: ")
    assert indexed.does("grep", "Friday").startswith("0 ")
    assert indexed.does("show", "deploy.md", "--lines", "10-12") == (
        "10 | ## Rolling back\n11 | \n"
        "12 | Run `ship back SERVICE`. The previous image is kept for 30 days.\n"
    )
    plain = indexed.does("show", "deploy.md", "--no-numbers")
    assert plain == (indexed.folder / "handbook/deploy.md").read_text()
    assert "every byte is sound" in indexed.run("verify", "docs-db").out


def test_a_hit_of_a_search_is_shown_by_its_id(indexed: "User") -> None:
    hit = indexed.run("docs", "search", "--json", "ship back").json["hits"][0]
    assert "ship back SERVICE" in indexed.does("show", hit["id"])


def test_a_question_without_an_answer_says_why(indexed: "User") -> None:
    found = indexed.run("docs", "search", "penguins of Antarctica")
    assert found.status == 0
    assert found.out.startswith("no answer here: ")
    assert "antarctica" in found.out.lower()
    assert "hint: " in found.out
    answered = indexed.run("docs", "search", "--json", "penguins of Antarctica").json
    assert answered["hits"] == []
    assert answered["evidence"]["level"] == "none"


def test_an_edit_is_seen_and_only_it_is_done_again(indexed: "User") -> None:
    assert indexed.run("docs", "index", "handbook", "--embedding", "hash", "--check").status == 0
    deploy = indexed.folder / "handbook/deploy.md"
    deploy.write_text(deploy.read_text().replace("30 days", "60 days"))
    (indexed.folder / "handbook/oncall.txt").unlink()
    indexed.write("handbook/cats.md", "# Cats\n\nThe office has two cats.\n")
    stale = indexed.run("docs", "index", "handbook", "--embedding", "hash", "--check")
    assert stale.status == 1
    for line in ("added: cats.md", "changed: deploy.md", "removed: oncall.txt"):
        assert line in stale.out
    again = indexed.run("docs", "index", "handbook", "--embedding", "hash", "--json").json
    assert (again["parsed"], again["embedded"]) == (2, 2)
    assert "60 days" in indexed.does("search", "how long is the previous image kept")
    assert indexed.does("grep", "on call").startswith("0 ")
    unchanged = indexed.does("index", "handbook", "--embedding", "hash")
    assert "nothing has changed" in unchanged


def test_a_corpus_that_has_become_empty_answers_nothing(indexed: "User") -> None:
    for path in (indexed.folder / "handbook").iterdir():
        path.unlink()
    indexed.does("index", "handbook", "--embedding", "hash")
    assert indexed.does("list").endswith("0 found\n")
    assert indexed.run("docs", "search", "--json", "ship back").json["hits"] == []


def test_an_index_can_be_read_without_the_program(indexed: "User") -> None:
    entries = indexed.shell("sourcebook docs export -q | head -n 1")
    assert entries.startswith('{"id": "deploy.md#')
    assert "3 sources" in (indexed.folder / "docs-db/README.md").read_text()


def test_stats_say_what_an_index_holds(indexed: "User") -> None:
    stats = indexed.run("docs", "stats", "--json").json
    assert (stats["sources"], stats["embedding"]) == (3, "hash")
    assert sum(stats["kinds"].values()) == stats["entries"]
    assert stats["vectors"] == f"{stats['entries']} of {stats['entries']}"
