"""The two commands of the README do what it says, and its transcript is a true one."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.console import ROOT, Shell, commands, fences, fits

README = (ROOT / "README.md").read_text(encoding="utf-8")
SETUP = "pip install uv && "


def readme_commands() -> list[str]:
    """Return the commands that a newcomer types."""
    return [line for fence in fences(README) if fence.info == "sh" for line in fence.lines]


@pytest.fixture(scope="module", name="asked")
def _asked(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A folder with the project's documentation, after the first command."""
    shell = Shell(tmp_path_factory.mktemp("readme"))
    (shell.folder / "docs").symlink_to(ROOT / "docs")
    return shell


def here(command: str) -> str:
    """Return a command as it runs inside the environment that the tests run in."""
    assert command.startswith(SETUP)
    return command.removeprefix(SETUP).replace("uv run sourcebook", "sourcebook")


def test_there_are_two_commands_and_they_set_up_first() -> None:
    first, second = readme_commands()
    assert first.startswith(SETUP)
    assert second == f"{SETUP}uv run pytest"


def test_the_first_command_prints_a_quoted_answer_with_line_numbers(asked: Shell) -> None:
    status, printed = asked.run(here(readme_commands()[0]))
    assert status == 0, printed
    assert re.search(r"^## \S+\.md: \d+ of \d+ lines$", printed, re.MULTILINE), printed
    quoted = re.findall(r"^ *\d+ \| .+", printed, re.MULTILINE)
    assert any("old index goes on answering" in line for line in quoted), printed


def test_the_transcript_is_true(asked: Shell) -> None:
    asked.run(here(readme_commands()[0]))
    [session] = [fence for fence in fences(README) if fence.runs]
    for command in commands(session):
        status, printed = asked.run(command.text)
        assert status == 0, printed
        assert fits(command.output, printed), f"{command.text}\n{printed}"


def test_the_table_names_what_is_built_in(asked: Shell) -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    named = {name.removeprefix("sourcebook-").partition("[")[0] for name in told} - {"core"}
    table = "\n".join(line for line in README.splitlines() if line.startswith("|"))
    assert {name for name in named if f"`{name}`" not in table} == set()


@pytest.mark.parametrize(
    "page",
    sorted(
        path
        for pattern in ("*.md", "docs/**/*.md", "contrib/**/*.md", ".github/*.md", "*/**/README.md")
        for path in ROOT.glob(pattern)
        if not {".venv", "cases"} & {*path.relative_to(ROOT).parts}
    ),
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    links = re.findall(r"\]\(([^)\s#]+)[^)]*\)", text)
    dead = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert dead == []
