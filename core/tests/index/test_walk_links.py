"""Corpora that are reached through links: named as the user named them, ignored as git ignores."""

from pathlib import Path

import pytest
from sourcebook.index.walk import walk
from sourcebook.subject import Document, LoadOptions


@pytest.fixture(name="tree")
def _tree(tmp_path: Path) -> Path:
    """A work tree with two files of one name, and a link to it that lies elsewhere."""
    tree = tmp_path / "a-place-with-a-longer-name" / "tree"
    for folder in ("guide", "reference"):
        (tree / "docs" / folder).mkdir(parents=True)
        (tree / "docs" / folder / "README.md").write_text(f"# {folder}\n")
    (tree / ".git").mkdir()
    (tree / ".gitignore").write_text("drafts/\n")
    (tree / "docs/drafts").mkdir()
    (tree / "docs/drafts/idea.md").write_text("# An idea\n")
    return tree


def names(*paths: Path) -> list[str]:
    found = walk(paths, (".md",), LoadOptions())
    return [one.name for one in found if isinstance(one, Document)]


def test_a_link_that_is_named_has_the_names_of_what_it_leads_to(tree: Path) -> None:
    (tree.parent / "link").symlink_to(tree / "docs")
    assert names(tree.parent / "link") == ["guide/README.md", "reference/README.md"]


def test_a_folder_below_a_link_is_ignored_as_its_real_place_is(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "l").symlink_to(tree)
    assert names(tmp_path / "l" / "docs") == ["guide/README.md", "reference/README.md"]


def test_two_paths_keep_their_folders_apart(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "l").symlink_to(tree / "docs/guide")
    (tmp_path / "more").mkdir()
    (tmp_path / "more/README.md").write_text("# More\n")
    found = names(tmp_path / "l", tmp_path / "more")
    assert sorted(found) == ["l/README.md", "more/README.md"]
