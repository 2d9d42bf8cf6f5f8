"""Entry points read from metadata files, the same as `importlib.metadata` finds them."""

import re
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.registry.installed import read_declared, satisfies


def install(
    folder: Path,
    name: str,
    version: str = "1.0",
    points: str = "",
    *,
    suffix: str = "dist-info",
    headers: str = "",
) -> None:
    info = folder / f"{name.replace('-', '_')}-{version}.{suffix}"
    info.mkdir(parents=True)
    kind = "METADATA" if suffix == "dist-info" else "PKG-INFO"
    (info / kind).write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{headers}\n"
        "Summary: not a header\n"
    )
    (info / "entry_points.txt").write_text(points)


def seen(path: list[Path]) -> set[tuple[str, str, str, str, str]]:
    return {
        (item.group, item.name, item.module, item.distribution.name, item.distribution.version)
        for item in read_declared("acme.", [str(folder) for folder in path])
    }


def by_importlib(
    path: list[Path] | None, prefix: str = "acme."
) -> set[tuple[str, str, str, str, str]]:
    folders = sys.path if path is None else [str(folder) for folder in path]
    found: dict[str, metadata.Distribution] = {}
    for item in metadata.distributions(path=folders):
        found.setdefault(re.sub(r"[-_.]+", "-", item.name).lower(), item)
    return {
        (point.group, point.name, point.value, item.name, item.version)
        for item in found.values()
        for point in item.entry_points
        if point.group.startswith(prefix)
    }


def test_this_environment_is_read_as_importlib_metadata_reads_it() -> None:
    ours = {
        (item.group, item.name, item.module, item.distribution.name, item.distribution.version)
        for item in read_declared("")
    }
    assert ours == {row for row in by_importlib(None, "") if "[" not in row[2]}
    assert any(group == "sourcebook.subjects" for group, *_ in ours)


def test_folders_eggs_comments_and_shadowed_distributions_are_read_alike(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    install(first, "acme-a", "2.0", "[acme.x]\n# a comment\na = acme_a.plugin\n\n[b]\nc=d\n")
    install(second, "Acme.A", "1.0", "[acme.x]\nold = acme_a.old\n")
    install(second, "acme-b", "1.0", "[acme.y]\nb=acme_b", suffix="egg-info")
    install(second, "other", "1.0", "[other]\nb=acme.b")
    path = [tmp_path / "nowhere", first, second]
    assert seen(path) == by_importlib(path)
    assert {name for _, name, *_ in seen(path)} == {"a", "b"}


def test_a_zip_archive_on_the_path_is_read_too(tmp_path: Path) -> None:
    install(tmp_path / "src", "acme-z", "3.0", "[acme.x]\nz = acme_z\n")
    archive = tmp_path / "acme.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for file in sorted((tmp_path / "src").rglob("*")):
            out.write(file, file.relative_to(tmp_path / "src"))
    assert seen([archive]) == {("acme.x", "z", "acme_z", "acme-z", "3.0")}


def test_a_foreign_finder_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(tmp_path, "acme-f", "1.0", "[acme.x]\nf = acme_f\n")

    class Finder:
        def find_distributions(self, context: object) -> object:
            return metadata.MetadataPathFinder.find_distributions(
                metadata.DistributionFinder.Context(path=[str(tmp_path)])
            )

        def find_spec(self, *_: object) -> None:
            return None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert [item.name for item in read_declared("acme.")] == ["f"]


def test_headers_end_at_the_description_and_windows_line_ends_do_not_matter(
    tmp_path: Path,
) -> None:
    install(tmp_path, "acme-h", "1.0", "[acme.x]\nh = acme_h\n", headers="Summary: A line.\n")
    file = tmp_path / "acme_h-1.0.dist-info" / "METADATA"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    [item] = read_declared("acme.", [str(tmp_path)])
    assert item.distribution.summary == "A line."
    assert item.distribution.label == "acme-h 1.0"


def test_damaged_metadata_costs_no_more_than_its_own_name(tmp_path: Path) -> None:
    install(tmp_path, "acme-i", "1.0", "[acme.x]\ni = acme_i\n[[[\n=\nno sign\n")
    info = tmp_path / "acme_i-1.0.dist-info"
    (info / "METADATA").write_bytes(b"\xff\xfe\x00")
    [first, *rest] = read_declared("acme.", [str(tmp_path)])
    assert (first.name, first.distribution.label) == ("i", "acme_i 1.0")
    assert all(item.group != "acme.y" for item in rest)


def test_requirements_of_a_distribution_are_given_without_those_under_a_marker(
    tmp_path: Path,
) -> None:
    install(
        tmp_path,
        "acme-r",
        points="[acme.x]\nr = acme_r\n",
        headers="Requires-Dist: sourcebook_core>=1,<2\n"
        "Requires-Dist: sourcebook-core (>=1.5)\n"
        "Requires-Dist: sourcebook-core[extra]>=1.2\n"
        "Requires-Dist: sourcebook-core>9; extra == 'x'\n"
        "Requires-Dist: other>=7\n",
    )
    [item] = read_declared("acme.", [str(tmp_path)])
    assert item.distribution.requirements("sourcebook-core") == [">=1,<2", ">=1.5", ">=1.2"]


@pytest.mark.parametrize(
    ("version", "specifiers", "fulfilled"),
    [
        ("1.2.3", ">=1,<2", True),
        ("2.0", ">=1,<2", False),
        ("0.9", ">=1,<2", False),
        ("1", "==1.0.0", True),
        ("1.4.9", "==1.4.*", True),
        ("1.5", "==1.4.*", False),
        ("1.5", "!=1.4.*", True),
        ("1.4", "!=1.4", False),
        ("1.4.2", "~=1.4", True),
        ("2.0", "~=1.4", False),
        ("1.4.9", "~=1.4.2", True),
        ("1.5", "~=1.4.2", False),
        ("1.4", "<=1.4", True),
        ("1.4", ">1.4", False),
        ("1.5", ">1.4", True),
        ("2.0.dev3", ">=2", True),
        ("1.10", ">=1.9", True),
        ("1.2", "", True),
        ("1.2", "=== 1.2", True),
        ("1.2", "something new", True),
        ("unknown", ">=5", True),
    ],
)
def test_versions_fulfil_what_their_installer_would_say(
    version: str, specifiers: str, *, fulfilled: bool
) -> None:
    assert satisfies(version, specifiers) is fulfilled


numbers = st.lists(st.integers(0, 12), min_size=1, max_size=4)


@given(numbers, numbers, st.sampled_from(["~=", "==", "!=", "<=", ">=", "<", ">"]))
def test_release_comparison_agrees_with_the_packaging_library(
    have: list[int], want: list[int], operator: str
) -> None:
    from packaging.specifiers import SpecifierSet

    if operator == "~=" and len(want) < 2:
        want = [*want, 0]
    version = ".".join(map(str, have))
    specifier = operator + ".".join(map(str, want))
    assert satisfies(version, specifier) is SpecifierSet(specifier).contains(version)
