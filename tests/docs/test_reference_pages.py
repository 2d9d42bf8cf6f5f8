"""The reference pages say what the code does."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sourcebook import hookspecs
from sourcebook.registry import Registry
from sourcebook.registry.installed import Declared, Distribution
from sourcebook.registry.loading import KINDS
from sourcebook.registry.report import PluginStatus
from sourcebook.settings import load_settings
from sourcebook.settings.values import SETTINGS

PAGES = Path(__file__).resolve().parents[2] / "docs" / "reference"


def rows(page: str) -> dict[str, list[str]]:
    """Return the rows of a page's tables by their first cell."""
    lines = (PAGES / page).read_text().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]
    return {row[0]: row for row in cells}


def blocks(page: str, language: str) -> list[str]:
    """Return the code blocks of a page in a language."""
    text = (PAGES / page).read_text()
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_a_setting_is_documented_as_it_is(setting: object) -> None:
    [found] = [each for each in SETTINGS if each is setting]
    row = rows("settings.md")[f"`{found.key}`{' *' if found.trusted else ''}"]
    _, variable, kind, default, about = row
    assert variable == f"`{found.variable}`"
    assert about == found.help
    shown = ", ".join(found.default) if isinstance(found.default, tuple) else found.default
    shown = str(shown).lower() if isinstance(shown, bool) else str(shown)
    assert default == (f"`{shown}`" if shown else "")
    words = {str: "text", bool: "true or false", int: "whole number", tuple: "list of texts"}
    if found.path:
        assert kind == ("list of paths" if found.type is tuple else "path")
    elif found.choices:
        assert all(f"`{choice}`" in kind for choice in found.choices)
    else:
        assert kind == words[found.type]


def test_the_settings_page_names_no_setting_that_is_not_there() -> None:
    named = set(re.findall(r"SOURCEBOOK_[A-Z_]+[A-Z]\b", (PAGES / "settings.md").read_text()))
    assert named == {setting.variable for setting in SETTINGS} | {"SOURCEBOOK_CONFIG"}


def test_the_example_of_a_settings_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [example] = blocks("settings.md", "toml")
    (tmp_path / "sourcebook.toml").write_text(example)
    monkeypatch.setenv("SOURCEBOOK_CONFIG", os.devnull)
    settings = load_settings(cwd=tmp_path, environ={})
    assert settings.get("min_evidence") == "strong"
    assert settings.get("docs.db") == str(tmp_path / "handbook-db")
    assert settings.get("docs.chunk_tokens") == 256
    assert settings.origin("docs.chunk_tokens") == f"{tmp_path}/sourcebook.toml:6"


def test_every_kind_of_plugin_and_its_hook_is_documented() -> None:
    table = rows("plugins.md")
    for kind, about in KINDS.items():
        _, hook, record = table[f"`sourcebook.{kind}`"]
        assert hook == f"`{about.hook}`"
        assert not about.record or record == f"`{about.record.partition(':')[2]}`"
    hooks = {name for name in vars(hookspecs) if name.startswith("sourcebook_")}
    assert hooks == {about.hook for about in KINDS.values()}


def test_every_status_of_a_plugin_is_documented() -> None:
    statuses = re.findall(r"`(ok|broken|duplicate|left out|missing)`", str(PluginStatus.__doc__))
    assert {f"`{status}`" for status in statuses} <= set(rows("plugins.md"))
    assert len(set(statuses)) == 5


def test_the_plugin_in_one_file_works_as_shown(tmp_path: Path) -> None:
    [code] = blocks("plugins.md", "python")
    (tmp_path / "runbooks.py").write_text(code)
    (tmp_path / "deploy.runbook").write_text("# Deploy\n1. Drain traffic\n2. Push the image\n")

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "sourcebook", "runbooks", *arguments],
            cwd=tmp_path,
            env=os.environ
            | {"SOURCEBOOK_PLUGIN_FILES": "runbooks.py", "SOURCEBOOK_CONFIG": os.devnull}
            | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("index", "deploy.runbook", "--embedding", "none", "--store", "tantivy")
    found = json.loads(run("search", "drain the traffic", "--json"))
    assert found["hits"][0]["first_line"] == 2
    for verb in ("list", "stats", "export"):
        assert run(verb)
    assert "Push the image" in run("grep", "image")
    assert "Drain traffic" in run("show", "deploy.runbook")


def test_the_entry_point_shown_is_one_that_the_registry_reads() -> None:
    [example] = blocks("plugins.md", "toml")
    group = re.findall(r'entry-points\."(.*)"', example)[0]
    name, module = re.findall(r'(\w+) = "(.*)"', example)[0]
    distribution = Distribution(("acme", "1"), lambda _name: "")
    plugins = Registry(lambda: [Declared(group, name, module, distribution)])
    assert plugins.names("subjects") == ["runbooks"]
