"""Every command that a page shows is run, and prints what the page says it prints."""

from pathlib import Path

import pytest

from tests.docs.console import ROOT, Shell, fences, fits, run_page

PAGES = [
    page
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if any(fence.runs for fence in fences(page.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_a_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    for command, status, printed in run_page(page.read_text(encoding="utf-8"), Shell(tmp_path)):
        place = f"{page.relative_to(ROOT)}:{command.first}: {command.text}\n{printed}"
        assert status == 0, place
        assert fits(command.output, printed), place


def test_there_are_pages_to_run() -> None:
    assert {"tutorial", "how-to"} <= {page.parent.name for page in PAGES}


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ([], "anything"),
        (["one", "two"], "one\ntwo"),
        (["one", "..."], "one"),
        (["one", "...", "four"], "one\ntwo\nthree\nfour"),
        (["took ... s", ""], "took 1.2 s"),
    ],
)
def test_outputs_that_fit(shown: list[str], printed: str) -> None:
    assert fits(shown, printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [(["one"], "one\ntwo"), (["one", "...", "three"], "one\ntwo"), (["a.c"], "abc")],
)
def test_outputs_that_do_not(shown: list[str], printed: str) -> None:
    assert not fits(shown, printed)
