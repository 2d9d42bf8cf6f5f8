"""What lies in `contrib` to be copied is built, installed and run as whoever copies it would."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.packaging.conftest import World

CONTRIB = Path(__file__).resolve().parents[2] / "contrib"
BUILT = ("bundle", "dot", "host", "quickfix", "runbooks")


def install(world: "World", *names: str) -> None:
    """Build folders of contrib as wheels and install them."""
    for name in names:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d"]
        done = subprocess.run(
            [*command, str(world.wheels)],
            cwd=CONTRIB / name,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    world.install(*world.wheels.iterdir())


def sourcebook(world: "World", *arguments: str) -> str:
    """Return what the command prints in a world."""
    return world.run("-m", "sourcebook", *arguments).stdout


@pytest.fixture(name="handbook")
def _handbook(world: "World") -> Path:
    folder = world.home / "handbook"
    folder.mkdir()
    (folder / "rollback.md").write_text(
        "# Rolling back\n\nRun `ship back SERVICE`; the image before is kept for a month.\n"
    )
    return folder


def test_every_folder_is_tested_here() -> None:
    assert {path.parent.name for path in CONTRIB.glob("*/pyproject.toml")} == {*BUILT}
    assert {path.name for path in CONTRIB.iterdir() if path.is_dir()} == {*BUILT, "agent"}


@pytest.mark.parametrize("name", ["dot", "quickfix", "runbooks"])
def test_a_plugin_passes_its_own_tests(world: "World", name: str) -> None:
    install(world, name)
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    done = world.run(
        *command, "-c", os.devnull, "--rootdir", str(CONTRIB / name), str(CONTRIB / name)
    )
    assert " passed" in done.stdout


def test_a_subject_has_every_verb_once_it_is_installed(world: "World") -> None:
    install(world, "runbooks")
    wiki = world.home / "wiki"
    wiki.mkdir()
    (wiki / "deploy.runbook").write_text("# Deploy\n1. Drain traffic\n2. Push the image\n")
    sourcebook(world, "runbooks", "index", "wiki", "--embedding", "none")
    assert "deploy.runbook:2" in sourcebook(world, "runbooks", "grep", "traffic")
    found = json.loads(sourcebook(world, "runbooks", "list", "entries", "--json"))
    assert [one["title"] for one in found["items"]] == [
        "Deploy",
        "Deploy, step 1",
        "Deploy, step 2",
    ]
    help_of_root = sourcebook(world, "--help")
    assert "Runbooks: numbered procedures" in help_of_root


def test_a_renderer_prints_lines_that_an_editor_jumps_to(world: "World", handbook: Path) -> None:
    install(world, "quickfix")
    sourcebook(world, "docs", "index", str(handbook), "--embedding", "none")
    found = sourcebook(world, "docs", "search", "--format", "quickfix", "ship back")
    assert found == "rollback.md:3: Rolling back\n"


def test_a_bundle_sets_defaults_that_flags_overrule(world: "World", handbook: Path) -> None:
    install(world, "bundle", "runbooks", "quickfix")
    rows = {
        row["key"]: row for row in json.loads(sourcebook(world, "config", "--json"))["settings"]
    }
    assert (rows["embedding"]["value"], rows["embedding"]["origin"]) == ("none", "bundle acme")
    assert rows["docs.chunk_tokens"]["value"] == 256
    sourcebook(world, "docs", "index", str(handbook))
    stats = json.loads(sourcebook(world, "docs", "stats", "--json"))
    assert (stats["embedding"], stats["stores"]) == ("none", {"lexical": "memory"})
    sourcebook(world, "docs", "index", str(handbook), "--embedding", "hash")
    assert json.loads(sourcebook(world, "docs", "stats", "--json"))["embedding"] == "hash"


def test_a_host_has_the_subjects_beside_its_own_commands(world: "World", handbook: Path) -> None:
    install(world, "host")
    script = str(world.site / "bin" / "acme")
    assert world.run(script, "greet").stdout == "hello from acme\n"
    assert "docs" in world.run(script, "--help").stdout
    world.run(script, "docs", "index", str(handbook), "--embedding", "none")
    assert "3 | Run `ship back SERVICE`" in world.run(script, "docs", "search", "ship back").stdout


@pytest.mark.parametrize("script", ["ask_process.py", "ask_tools.py"])
def test_an_agent_reads_what_it_found_and_says_when_there_is_nothing(
    world: "World", handbook: Path, script: str
) -> None:
    sourcebook(world, "docs", "index", str(handbook), "--embedding", "none")
    path = str(CONTRIB / "agent" / script)
    found = world.run(path, "docs-db", "where is the image kept").stdout
    assert "rollback.md:3, evidence" in found
    assert "   3 | Run `ship back SERVICE`" in found
    nothing = world.run(path, "docs-db", "penguins of Antarctica").stdout
    assert "   3 | " not in nothing
    assert "no word of the question occurs here" in nothing
