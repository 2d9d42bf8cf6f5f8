"""What a build says at its end."""

from attrs import evolve
from sourcebook.index.build import NO_INDEX
from sourcebook.verbs.index import IndexResponse, SkippedFile, render

BUILT = IndexResponse(
    index="docs-db", checked=False, stale=False, sources=1, entries=1, added=("a.md",),
    changed=(), removed=(), parsed=1, parses_cached=0, embedding="none", embedded=0,
    vectors_cached=0, vectors_done=0, vectors_total=0, skipped=(), problems=(), rebuilt="",
    generation=1,
)  # fmt: skip


def skipped(reason: str, count: int) -> str:
    files = tuple(SkippedFile(f"f{number}", reason, "") for number in range(count))
    (row,) = (
        row for row in render(evolve(BUILT, skipped=files), None).split("\n") if "skipped" in row
    )
    return row


def test_files_that_were_perhaps_wanted_are_all_named() -> None:
    assert skipped("unreadable", 5) == "skipped, unreadable: 5: f0, f1, f2, f3, f4"
    assert skipped("binary", 22).endswith("f18, f19 and 2 more")


def test_of_files_that_were_meant_to_be_left_out_three_are_named() -> None:
    assert skipped("ignored", 5) == "skipped, ignored: 5: f0, f1, f2 and 2 more"


def test_it_says_why_an_index_was_built_anew() -> None:
    assert "built anew" not in render(BUILT, None)
    assert "built anew" not in render(evolve(BUILT, rebuilt=NO_INDEX), None)
    rows = render(evolve(BUILT, rebuilt="options changed"), None).split("\n")
    assert "built anew: options changed" in rows
