"""Rules of .gitignore, compared with git itself."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sourcebook.errors import BadPattern
from sourcebook.index.ignore import excluding, read_rule
from sourcebook.index.walk import walk
from sourcebook.subject import Document, LoadOptions

MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None

FILES = (
    "a.md", "b.md", "ab.md", "build.md", "#x.md", "!x.md", "a b.md", "x [1].md", "x-1.md",
    "keep/a.md", "build/a.md", "build/keep/b.md", "docs/a.md", "docs/build/a.md",
    "docs/deep/er/ab.md", "docs/deep/b.md", "end .md", "back\\slash.md", "caf\u00e9.md",
)  # fmt: skip

parts = st.sampled_from(
    ["a", "b", "a.md", "*.md", "*", "**", "?.md", "a?.md", "build", "docs", "deep", "keep", "er",
     "[ab].md", "[!a].md", "[^a]*", "[a-b].*", "x \\[1\\].md", "*[[:digit:]].md", "*b*", "*.*",
     "\\#x.md", "\\!x.md", "#x.md", "!x.md", "a b.md", "end .md", "back\\\\slash.md",
     "[]a].md", "[z-a].md", "caf\u00e9.md", "x\\", "a*b*", "x-[0-9].md", "[[:nonsense:]].md",
     "[\\a].md", "***"]
)  # fmt: skip
signs = st.sampled_from(["", "", "!"])
ends = st.sampled_from(["", "", " ", "\r"])
# Two stars beside other characters mean one star; git takes them for more behind a plain beginning
# of a path (`a**/b`), by accident of how it compares that first, and a class may take in a slash
# (`[/[ab]`); so git is not asked there.
alone = st.builds(
    "{}{}{}".format, signs, st.sampled_from(["**.md", "a**", "**a**", "[", "a["]), ends
)
rules = st.builds(
    "{}{}{}{}{}".format,
    signs,
    st.sampled_from(["", "", "/"]),
    st.lists(parts, min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", "", "/", "/**"]),
    ends,
)
lines = st.one_of(
    rules, rules, rules, alone, st.sampled_from(["", "# a.md", "/", "!", "**/", "/**"])
)
ignore_files = st.dictionaries(
    st.sampled_from([".gitignore", "docs/.gitignore", "docs/deep/.gitignore", ".git/info/exclude"]),
    st.lists(lines, max_size=6).map("\n".join),
    max_size=4,
)


@pytest.fixture(name="tree", scope="module")
def _tree() -> Iterator[Path]:
    """A work tree whose files lie in no commit."""
    with tempfile.TemporaryDirectory(prefix="sourcebook-", dir=MEMORY) as folder:
        tree = Path(folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        for name in FILES:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text("words\n")
        yield tree


def seen_by_git(tree: Path) -> set[str]:
    found = subprocess.run(
        ["git", "-c", "core.excludesFile=/dev/null", "ls-files", "-z", "--others",
         "--exclude-standard"],
        cwd=tree, capture_output=True, check=True,
    )  # fmt: skip
    names = found.stdout.decode().split("\0")
    return {name for name in names if name.endswith(".md")}


def read(*paths: Path, exclude: tuple[str, ...] = ()) -> set[str]:
    found = walk(paths, (".md",), LoadOptions(exclude))
    return {one.name for one in found if isinstance(one, Document)}


@settings(max_examples=150, deadline=None)
@given(ignore_files)
@example({".gitignore": "*\n!*/\n!*.md\na.md"})
@example({".gitignore": "build/\n!build/keep/"})
@example({".gitignore": "docs/**/ab.md\n**/build"})
@example({".gitignore": "*.md", "docs/.gitignore": "!b.md"})
@example({".gitignore": "\ufeffa.md\r\nb.md\r\n"})
@example({".git/info/exclude": "!a.md\nb.md", ".gitignore": "a.md\n!b.md"})
def test_what_git_ignores_is_not_read(tree: Path, files: dict[str, str]) -> None:
    for old in tree.rglob(".gitignore"):
        old.unlink()
    (tree / ".git/info/exclude").unlink(missing_ok=True)
    for name, text in files.items():
        (tree / name).write_bytes(text.encode())
    assert read(tree) == seen_by_git(tree)


def test_rules_above_the_corpus_hold_up_to_the_root_of_the_work_tree(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    docs = tree / "sub" / "docs"
    docs.mkdir(parents=True)
    for name in ("a.md", "b.md", "c.md", "d.md"):
        (docs / name).write_text("words\n")
    (tmp_path / ".gitignore").write_text("a.md\n")
    (tree / ".gitignore").write_text("/sub/docs/b.md\n")
    (tree / "sub" / ".gitignore").write_text("docs/c.md\n")
    assert read(docs) == {"a.md", "b.md", "c.md", "d.md"}, "no work tree, no rules from above"
    (tree / ".git").write_text("gitdir: elsewhere\n")
    assert read(docs) == {"a.md", "d.md"}
    (docs / ".git").mkdir()
    assert read(docs) == {"a.md", "b.md", "c.md", "d.md"}, "a work tree of its own"


def test_a_folder_that_is_named_is_read_although_git_ignores_it(tmp_path: Path) -> None:
    build = tmp_path / "out" / "build"
    build.mkdir(parents=True)
    (build / "a.md").write_text("words\n")
    (build / "b.tmp.md").write_text("words\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("out/\nbuild\n*.tmp.md\n")
    assert read(tmp_path) == set()
    assert read(build) == {"a.md"}
    assert read(tmp_path / "out") == set(), "`build` is not what was named"
    assert read(build / "b.tmp.md") == {"b.tmp.md"}


def test_a_stranger_s_rules_cannot_hold_a_build_up(tmp_path: Path) -> None:
    (tmp_path / ("a" * 200 + ".md")).write_text("words\n")
    (tmp_path / ("x/" * 40)).mkdir(parents=True)
    (tmp_path / ("x/" * 40) / "a.md").write_text("words\n")
    hard = ["*a" * 100 + "b.md", "**/x/" * 20 + "y", "[" + "a-b" * 1000 + "]" * 3, "?" * 5000]
    (tmp_path / ".gitignore").write_text("\n".join(hard * 20))
    started = time.process_time()
    assert len(read(tmp_path)) == 2
    assert time.process_time() - started < 5


def test_only_the_start_of_an_endless_file_of_rules_counts(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("words\n")
    (tmp_path / ".gitignore").write_text("nothing\n" * 20_000 + "a.md\n")
    assert read(tmp_path) == {"a.md"}


def test_a_pipe_in_place_of_a_file_of_rules_blocks_nobody(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("words\n")
    os.mkfifo(tmp_path / ".gitignore")
    assert read(tmp_path) == {"a.md"}


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        (("docs/",), {"a.md", "src/docs.md", "src/b.md"}),
        (("/src",), {"a.md", "docs/a.md", "docs/b.md"}),
        (("b.md",), {"a.md", "docs/a.md", "src/docs.md"}),
        (("*.md", "!b.md"), {"docs/b.md", "src/b.md"}),
        (("docs/", "!docs/a.md"), {"a.md", "src/docs.md", "src/b.md"}),
        (("src/**",), {"a.md", "docs/a.md", "docs/b.md"}),
        (("", "# a.md"), {"a.md", "docs/a.md", "docs/b.md", "src/docs.md", "src/b.md"}),
    ],
)
def test_exclude_takes_patterns_in_git_s_syntax(
    tmp_path: Path, patterns: tuple[str, ...], left: set[str]
) -> None:
    for name in ("a.md", "docs/a.md", "docs/b.md", "src/docs.md", "src/b.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("words\n")
    assert read(tmp_path, exclude=patterns) == left
    assert read(*(tmp_path / name for name in ("docs", "src", "a.md")), exclude=patterns) == left
    named = [tmp_path / name for name in ("docs/a.md", "docs/b.md", "src/docs.md", "src/b.md")]
    assert read(*named, tmp_path / "a.md", exclude=patterns) == left


@pytest.mark.parametrize("pattern", ["a[", "docs/[", "end\\", "[[:nonsense:]]"])
def test_a_pattern_that_is_none_is_an_error(pattern: str) -> None:
    with pytest.raises(BadPattern, match="is no pattern") as caught:
        excluding([pattern])
    assert caught.value.where == "--exclude"


@given(st.text(max_size=12), st.text(max_size=12).filter(bool))
def test_any_text_is_a_rule_or_a_value_error(line: str, name: str) -> None:
    try:
        rule = read_rule(line)
    except ValueError:
        return
    if rule is not None:
        rule.fits(name.split("/"), False)
