"""Where an index lies, which one is meant, and what becomes of it when it is moved or damaged."""

import shutil
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.journeys.conftest import User


def test_the_nearest_index_is_found_from_a_folder_below(indexed: "User") -> None:
    inner = indexed.folder / "handbook/drafts/2024"
    inner.mkdir(parents=True)
    printed = indexed.shell(f"cd {inner} && sourcebook docs grep 429")
    assert "using the index ../../../docs-db" in printed
    assert "limits.md:3" in printed


def test_two_indexes_that_are_equally_near_are_refused(user: "User") -> None:
    for name in ("one-db", "two-db"):
        user.does("index", "handbook", "--embedding", "none", "-o", name)
    refused = user.run("docs", "grep", "429", "--json")
    assert refused.status == 1
    error = refused.json["error"]
    assert error["code"] == "ambiguous"
    assert "one-db, two-db" in error["message"]
    assert user.does("grep", "429", "-d", "two-db").startswith("limits.md:3")
    assert user.does("grep", "429", SOURCEBOOK_DOCS_DB="one-db").startswith("limits.md:3")


def test_a_projects_settings_name_its_index(user: "User") -> None:
    user.write("sourcebook.toml", 'embedding = "none"\n\n[docs]\ndb = "build/handbook-db"\n')
    user.does("index", "handbook")
    assert (user.folder / "build/handbook-db/manifest.json").is_file()
    assert user.does("grep", "429").startswith("limits.md:3")
    rows = {row["key"]: row for row in user.run("config", "--json").json["settings"]}
    assert rows["embedding"]["origin"].endswith("sourcebook.toml:1")
    assert rows["docs.db"]["origin"].endswith("sourcebook.toml:4")


def test_a_strangers_project_cannot_reach_out(user: "User") -> None:
    user.write("sourcebook.toml", 'embedding_endpoint = "https://collector.example"\n')
    refused = user.run("docs", "index", "handbook")
    assert refused.status == 2
    assert "a project file cannot set `embedding_endpoint`" in refused.err
    assert not (user.folder / "docs-db").exists()


def test_an_index_is_moved_and_its_corpus_deleted(indexed: "User") -> None:
    shutil.move(indexed.folder / "docs-db", indexed.folder / "elsewhere")
    shutil.rmtree(indexed.folder / "handbook")
    assert "ship back" in indexed.does("search", "-d", "elsewhere", "ship back the previous image")
    assert "every byte is sound" in indexed.run("verify", "elsewhere").out


def test_a_damaged_byte_is_found(indexed: "User") -> None:
    digest = sha256((indexed.folder / "handbook/deploy.md").read_bytes()).hexdigest()
    document = indexed.folder / f"docs-db/sources/{digest}.z"
    document.chmod(0o644)
    data = bytearray(document.read_bytes())
    data[len(data) // 2] ^= 1
    document.write_bytes(data)
    verified = indexed.run("verify", "docs-db")
    assert verified.status == 1
    assert document.name in verified.out
    shown = indexed.run("docs", "show", "deploy.md", "--json")
    assert (shown.status, shown.json["error"]["code"]) == (1, "index_damaged")


def test_several_indexes_are_asked_together(user: "User") -> None:
    user.write("office/cats.md", "# Cats\n\nThe office has two cats, Ada and Grace.\n")
    for folder in ("handbook", "office"):
        user.does("index", folder, "--embedding", "hash", "-o", f"{folder}-db")
    both = ("-d", "handbook-db", "-d", "office-db")
    assert "Ada and Grace" in user.does("search", *both, "cats of the office")
    assert "ship back SERVICE" in user.does("search", *both, "ship back the previous image")


def test_a_folder_that_is_an_index_is_no_corpus(indexed: "User") -> None:
    again = indexed.run("docs", "index", ".", "--embedding", "hash", "-o", "all-db", "--json").json
    assert again["sources"] == 3
    assert {"docs-db"} <= {one["name"] for one in again["skipped"] if one["reason"] == "index"}


def test_what_is_kept_of_builds_is_listed_and_dropped(indexed: "User") -> None:
    kinds = {one["kind"]: one for one in indexed.run("cache", "ls", "--json").json["kinds"]}
    assert kinds["parses"]["entries"] == 3
    assert kinds["vectors"]["entries"] > 3
    again = indexed.run(
        "docs", "index", "handbook", "--embedding", "hash", "-o", "second-db", "--json"
    ).json
    assert (again["parsed"], again["embedded"]) == (0, 0)
    assert indexed.run("cache", "clear").status == 0
    assert indexed.run("cache", "ls", "--json").json["kinds"][0]["entries"] == 0


def test_files_that_are_skipped_are_told_with_the_reason(user: "User") -> None:
    user.write("handbook/.gitignore", "drafts/\n")
    user.write("handbook/drafts/idea.md", "# An idea\n")
    user.write("handbook/logo.svg", "<svg/>\n")
    user.write("handbook/.secret.md", "# Hidden\n")
    said = user.does("index", "handbook", "--embedding", "none")
    assert "skipped, ignored: 1: drafts" in said
    assert "skipped, suffix: 1: logo.svg" in said
    assert "skipped, hidden: 2: .gitignore, .secret.md" in said
    more = user.does("index", "handbook", "--embedding", "none", "--no-ignore")
    assert "1 added" in more
