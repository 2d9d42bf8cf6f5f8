"""Every distribution builds a wheel that holds its package, says what it is, and works alone."""

import json
import re
import subprocess
import sys
import textwrap
import tomllib
import zipfile
from collections.abc import Callable
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.packaging.conftest import World

if TYPE_CHECKING:
    pass

ROOT = Path(__file__).resolve().parents[2]
WORKSPACE = tomllib.loads((ROOT / "pyproject.toml").read_text())
MEMBERS = sorted(
    folder.parent.relative_to(ROOT).as_posix()
    for pattern in WORKSPACE["tool"]["uv"]["workspace"]["members"]
    for folder in ROOT.glob(f"{pattern}/pyproject.toml")
)

Build = Callable[[str], Path]


@pytest.fixture(scope="module", name="build")
def _build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    built: dict[str, Path] = {}

    def build(member: str) -> Path:
        if member not in built:
            out = tmp_path_factory.mktemp("built")
            command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
            done = subprocess.run(
                command, cwd=ROOT / member, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            [built[member]] = out.iterdir()
        return built[member]

    return build


def project(member: str) -> dict[str, object]:
    loaded: dict[str, object] = tomllib.loads((ROOT / member / "pyproject.toml").read_text())
    return loaded


def about(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


def package_of(member: str) -> Path:
    [package] = [path for path in (ROOT / member / "src").iterdir() if path.is_dir()]
    return package


def test_the_workspace_has_the_core_and_its_leaves() -> None:
    assert {"core", "subjects/docs", "plugins/stores/faiss"} <= set(MEMBERS)
    leaves = {path.parent.relative_to(ROOT).as_posix() for path in ROOT.glob("*/*/pyproject.toml")}
    leaves |= {
        path.parent.relative_to(ROOT).as_posix() for path in ROOT.glob("*/*/*/pyproject.toml")
    }
    assert {leaf for leaf in leaves if leaf.startswith(("subjects", "plugins"))} < set(MEMBERS)


@pytest.mark.parametrize("member", MEMBERS)
def test_a_wheel_holds_its_typed_package_and_nothing_else(member: str, build: Build) -> None:
    package = package_of(member)
    with zipfile.ZipFile(build(member)) as wheel:
        names = set(wheel.namelist())
    inside = {name for name in names if ".dist-info/" not in name}
    assert {name.split("/")[0] for name in inside} == {package.name}
    assert f"{package.name}/py.typed" in inside
    ours = {
        f"{package.name}/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert inside == ours


@pytest.mark.parametrize("member", MEMBERS)
def test_the_metadata_of_a_wheel_is_complete(member: str, build: Build) -> None:
    found = about(build(member))
    assert found["Name"].startswith("sourcebook-")
    assert found["Version"] == WORKSPACE["project"]["version"]
    assert "MIT" in found["License-Expression"].split()
    assert found["Requires-Python"] == ">=3.11"
    assert found["Summary"].endswith(".")
    assert found["Description-Content-Type"] == "text/markdown"
    assert str(found.get_payload()).startswith(f"# {found['Name']}\n")
    requirements = found.get_all("Requires-Dist") or []
    if member != "core":
        [core] = [each for each in requirements if each.startswith("sourcebook-core")]
        assert "<2" in core
        assert ">=" in core
    assert not [each for each in requirements if "@" in each]


@pytest.mark.parametrize("member", MEMBERS)
def test_a_wheel_carries_the_licence(member: str, build: Build) -> None:
    with zipfile.ZipFile(build(member)) as wheel:
        [name] = [name for name in wheel.namelist() if name.endswith("/licenses/LICENSE")]
        assert wheel.read(name) == (ROOT / "LICENSE").read_bytes()
    assert "LICENSE" in (about(build(member)).get_all("License-File") or [])


@pytest.mark.parametrize("member", MEMBERS)
def test_no_leaf_depends_on_another(member: str, build: Build) -> None:
    requirements = about(build(member)).get_all("Requires-Dist") or []
    siblings = [each for each in requirements if each.startswith("sourcebook")]
    assert len(siblings) == (0 if member == "core" else 1)


@pytest.mark.parametrize("member", MEMBERS)
def test_every_entry_point_names_a_module_of_the_wheel(member: str, build: Build) -> None:
    groups = project(member)["project"].get("entry-points", {})  # type: ignore[attr-defined]
    if member != "core":
        assert groups
    with zipfile.ZipFile(build(member)) as wheel:
        names = set(wheel.namelist())
    for group, points in groups.items():
        assert group.startswith("sourcebook.")
        for module in points.values():
            path = module.replace(".", "/")
            assert {f"{path}.py", f"{path}/__init__.py"} & names


def test_the_wheel_of_the_bundle_holds_no_code_and_picks_every_leaf(build: Build) -> None:
    wheel = build(".")
    with zipfile.ZipFile(wheel) as archive:
        assert all(".dist-info/" in name for name in archive.namelist())
        assert any(name.endswith("/LICENSE") for name in archive.namelist())
    found = about(wheel)
    assert found["Name"] == "sourcebook"
    wanted = {about(build(member))["Name"] for member in MEMBERS}
    asked = [one.partition("[")[0] for one in found.get_all("Requires-Dist") or []]
    assert set(asked) == wanted


LEAVES = [
    (member, group.removeprefix("sourcebook."), name)
    for member in MEMBERS
    for group, points in project(member)["project"].get("entry-points", {}).items()  # type: ignore[attr-defined]
    for name in points
]

ALONE = """
    import json, sys

    # The libraries are taken from where they are installed, but not the links to our own sources.
    sys.path += {libraries!r}
    from sourcebook.registry import registry

    record = registry().load({kind!r}, {name!r})
    ours = sorted(
        [name, str(module.__file__)]
        for name, module in sys.modules.items()
        if name.startswith("sourcebook") and getattr(module, "__file__", None)
    )
    # A renderer is named by its format.
    print(json.dumps([getattr(record, "name", "") or getattr(record, "format", ""), ours]))
"""


@pytest.mark.parametrize(("member", "kind", "name"), LEAVES)
def test_a_plugin_works_from_its_wheel_without_its_siblings(
    member: str, kind: str, name: str, build: Build, world: "World"
) -> None:
    world.install(build("core"), *([] if member == "core" else [build(member)]))
    libraries = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    code = ALONE.format(libraries=libraries, kind=kind, name=name)
    # -S: without `site`, the links of editable installs are not followed.
    done = world.run("-S", "-c", textwrap.dedent(code))
    loaded, ours = json.loads(done.stdout)
    assert loaded == name
    allowed = {"sourcebook", package_of(member).name}
    assert {module.split(".")[0] for module, _ in ours} <= allowed
    assert all(path.startswith(str(world.site)) for _, path in ours)


def test_every_package_that_a_member_names_is_pinned_for_the_tests() -> None:
    named: set[str] = set()
    for member in (".", *MEMBERS):
        loaded: Any = project(member)
        about_it = loaded["project"]
        for group in (
            about_it.get("dependencies", []),
            *about_it.get("optional-dependencies", {}).values(),
            *loaded.get("dependency-groups", {}).values(),
        ):
            named.update(re.split(r"[^\w.-]", one, maxsplit=1)[0].lower() for one in group)
    pinned = [one.split("==")[0] for one in WORKSPACE["tool"]["uv"]["constraint-dependencies"]]
    assert pinned == sorted(pinned)
    assert {name for name in named if not name.startswith("sourcebook")} <= {*pinned}
