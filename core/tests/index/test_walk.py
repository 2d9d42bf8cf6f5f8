"""Which files are read, and for every other one why it is not."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sourcebook.errors import CorpusUnreadable
from sourcebook.index.build import Build
from sourcebook.index.open import open_index
from sourcebook.index.walk import MAX_DEPTH, clean_name, resolve_corpus, walk
from sourcebook.model import Skipped
from sourcebook.subject import Document, LoadOptions
from sourcebook.testing.indexes import build
from sourcebook.testing.nobody import as_nobody, open_folder


def write(folder: Path, *names: str) -> Path:
    for name in names:
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"words of {name}\n", errors="surrogateescape")
    return folder


def looked_at(*paths: Path | str, **options: object) -> tuple[list[str], dict[str, str]]:
    """Return the names of what is read, and the reasons by name for what is not."""
    read: list[str] = []
    skipped: dict[str, str] = {}
    for one in walk(paths, (".md",), LoadOptions(**options)):  # type: ignore[arg-type]
        if isinstance(one, Skipped):
            skipped[one.name] = f"{one.reason}: {one.detail}" if one.detail else one.reason
        else:
            read.append(one.name)
    return read, skipped


def test_every_file_is_read_or_has_a_reason(tmp_path: Path) -> None:
    write(
        tmp_path, "a.md", "B.MD", "deep/c.md", "deep/er/d.md", "e.rst", "noext", ".hidden.md",
        ".git/config.md", ".venv/lib.md", "node_modules/pkg/a.md", "deep/node_modules/b.md",
        "left/out.md", ".gitignore",
    )  # fmt: skip
    (tmp_path / ".gitignore").write_text("left\n")
    (tmp_path / "nul.md").write_bytes(b"PNG\0\0\0\0 1234")
    (tmp_path / "large.md").write_text("x" * 101)
    os.mkfifo(tmp_path / "pipe.md")
    assert looked_at(tmp_path, limit_bytes=100) == (
        ["B.MD", "a.md", "deep/c.md", "deep/er/d.md"],
        {
            "e.rst": "suffix: .rst",
            "noext": "suffix: none",
            ".hidden.md": "hidden",
            ".git": "hidden",
            ".gitignore": "hidden",
            ".venv": "hidden",
            "node_modules": "dependencies",
            "deep/node_modules": "dependencies",
            "left": "ignored",
            "nul.md": "binary",
            "large.md": "too large: over 100 bytes",
            "pipe.md": "unreadable: not a regular file",
        },
    )


def test_what_is_named_itself_is_read_although_it_is_hidden_or_ignored(tmp_path: Path) -> None:
    write(tmp_path, ".hidden/a.md", ".b.md", "node_modules/c.md", "ignored.md")
    (tmp_path / ".gitignore").write_text("ignored.md\n")
    names = [".hidden", ".b.md", "node_modules", "ignored.md"]
    read, skipped = looked_at(*(tmp_path / name for name in names))
    assert sorted(read) == [".b.md", ".hidden/a.md", "ignored.md", "node_modules/c.md"]
    assert skipped == {}


def test_a_file_of_another_suffix_is_not_read_even_if_it_is_named(tmp_path: Path) -> None:
    write(tmp_path, "a.rst", "b.md")
    assert looked_at(tmp_path / "a.rst", tmp_path / "b.md") == (["b.md"], {"a.rst": "suffix: .rst"})


def test_links_are_not_followed_unless_named(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus", "a.md", "sub/b.md")
    outside = write(tmp_path / "outside", "secret.md")
    (corpus / "loop").symlink_to(".")
    (corpus / "sub" / "up").symlink_to("..")
    (corpus / "self.md").symlink_to("self.md")
    (corpus / "gone.md").symlink_to("nothing.md")
    (corpus / "same.md").symlink_to("a.md")
    (corpus / "out.md").symlink_to(outside / "secret.md")
    (corpus / "out").symlink_to(outside)
    read, skipped = looked_at(corpus)
    assert read == ["a.md", "sub/b.md"]
    assert skipped == {
        "loop": "link: links are not followed",
        "sub/up": "link: links are not followed",
        "self.md": "link: leads nowhere or in circles",
        "gone.md": "link: leads nowhere or in circles",
        "same.md": "link: links are not followed",
        "out.md": "link: links are not followed",
        "out": "link: links are not followed",
    }
    read, _ = looked_at(corpus / "out", corpus / "out.md", corpus / "same.md", corpus / "a.md")
    assert sorted(read) == ["a.md", "out/secret.md"]
    with pytest.raises(CorpusUnreadable, match="cannot be read"):
        resolve_corpus([corpus / "self.md"])
    with pytest.raises(CorpusUnreadable, match="does not exist"):
        resolve_corpus([corpus / "gone.md"])


def test_names_are_below_the_common_root_of_all_paths(tmp_path: Path) -> None:
    write(tmp_path, "x/docs/a.md", "x/src/b.md", "x/src/deep/c.md")
    assert looked_at(tmp_path / "x/docs")[0] == ["a.md"]
    assert looked_at(tmp_path / "x/docs/a.md")[0] == ["a.md"]
    assert looked_at(tmp_path / "x/docs", tmp_path / "x/src/deep")[0] == [
        "docs/a.md",
        "src/deep/c.md",
    ]
    assert looked_at(tmp_path / "x/src/deep/c.md", tmp_path / "x/src")[0] == ["b.md", "deep/c.md"]


def test_a_path_reads_the_same_from_wherever_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "docs/a.md", "docs/sub/b.md")
    monkeypatch.chdir(tmp_path / "docs")
    ways = (".", "../docs", "sub/..", str(tmp_path / "docs"), f"{tmp_path}/docs/", "./sub/../.")
    for way in ways:
        assert looked_at(way) == (["a.md", "sub/b.md"], {})
        assert resolve_corpus([way]).root.name == "docs"


@pytest.fixture(name="tree")
def _tree(tmp_path: Path) -> Path:
    return write(
        tmp_path / "tree", "a.md", "b.md", "x[1].md", "sub/a.md", "sub/deep/a.md", "sub/c.txt",
        "node_modules/p/a.md", ".hidden/a.md", "docs-db/generations/1/a.md",
        "docs-db/manifest.json", "no/a.md", "sub/.h.md",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "read"),
    [
        ("*.md", ["a.md", "b.md", "x[1].md"]),
        ("?.md", ["a.md", "b.md"]),
        ("**/*.md", ["a.md", "b.md", "sub/a.md", "sub/deep/a.md", "x[1].md"]),
        ("**/a.md", ["a.md", "sub/a.md", "sub/deep/a.md"]),
        ("*/a.md", ["sub/a.md"]),
        ("**", ["a.md", "b.md", "sub/a.md", "sub/deep/a.md", "x[1].md"]),
        ("x[1]*", ["x[1].md"]),
        ("s*b/**/a.md", ["sub/a.md", "sub/deep/a.md"]),
    ],
)
def test_a_glob_reads_what_fits_of_what_its_folder_would(
    tree: Path, pattern: str, read: list[str]
) -> None:
    (tree / ".git").mkdir()
    (tree / ".gitignore").write_text("no/\n")
    assert looked_at(tree / pattern)[0] == read


def test_a_glob_below_a_folder_has_names_from_that_folder(tree: Path) -> None:
    assert looked_at(tree / "sub" / "*.md")[0] == ["a.md"]
    assert looked_at(tree / "sub" / "*.md", tree / "b.md")[0] == ["b.md", "sub/a.md"]
    assert looked_at(tree / ".hidden" / "*.md")[0] == ["a.md"]


def test_a_file_called_like_a_glob_is_that_file(tree: Path) -> None:
    write(tree, "what?.md", "whats.md")
    assert looked_at(tree / "what?.md")[0] == ["what?.md"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("gone", "`gone` does not exist"),
        ("gone/a.md", "`gone/a.md` does not exist"),
        ("a.md/b.md", "`a.md/b.md` cannot be read"),
        ("*.nothing", "`*.nothing` fits no file"),
        ("gone/**/*.md", "`gone/**/*.md` fits no file"),
        ("nul\0byte", "`nul\0byte` cannot be read"),
        ("x" * 300, "cannot be read"),
    ],
)
def test_a_path_that_leads_nowhere_is_an_error(
    tree: Path, monkeypatch: pytest.MonkeyPatch, path: str, said: str
) -> None:
    monkeypatch.chdir(tree)
    with pytest.raises(CorpusUnreadable) as caught:
        resolve_corpus([path])
    assert said in caught.value.message


def test_no_path_at_all_is_an_error() -> None:
    with pytest.raises(CorpusUnreadable, match="no path was given"):
        resolve_corpus([])


def test_a_mistyped_path_makes_no_directory(tree: Path, out: Path) -> None:
    with pytest.raises(CorpusUnreadable):
        build("notes", [tree, tree / "gone"], out)
    assert not out.exists()


def test_a_folder_that_is_an_index_is_never_part_of_a_corpus(corpus: Path) -> None:
    write(corpus, "a.txt")
    build("notes", corpus, corpus / "own-db")
    build("notes", corpus, corpus / "more" / "other-db")
    built = build("notes", corpus, corpus / "own-db")
    assert (built.sources, built.fresh) == (1, True)
    assert {one.name: one.reason for one in built.skipped} == {
        "own-db": "index",
        "more/other-db": "index",
    }
    for inside in ("own-db", "own-db/README.md", "own-db/sources", "own-db/generations/*/*"):
        with pytest.raises(CorpusUnreadable, match="1 index"):
            build("notes", corpus / inside, corpus.parent / "another-db")


def test_another_program_s_manifest_makes_no_index(tmp_path: Path) -> None:
    write(tmp_path, "manifest.json", "app/manifest.json", "app/a.md", "app/.lock")
    (tmp_path / "app2/generations").mkdir(parents=True)
    write(tmp_path, "app2/b.md")
    assert looked_at(tmp_path)[0] == ["app/a.md", "app2/b.md"]


def test_the_same_name_twice_is_read_once_and_said(tmp_path: Path, out: Path) -> None:
    """Two files whose names differ in bytes that are no text, and are written out alike."""
    folder = os.fsencode(tmp_path / "corpus")
    os.mkdir(folder)  # noqa: PTH102 - a name in bytes
    for name in (b"caf\xe9.txt", b"caf\\xe9.txt"):
        with open(folder + b"/" + name, "wb") as stream:  # noqa: PTH123
            stream.write(name)
    built = build("notes", tmp_path / "corpus", out)
    assert built.sources == 1
    assert [(one.name, one.reason) for one in built.skipped] == [("caf\\xe9.txt", "same name")]


STRANGE = (
    "line\nbreak.txt", "cr\r.txt", "tab\t.txt", "sep\u2028arator.txt", "next\x85line.txt",
    "form\x0cfeed.txt", "bell\x07.txt", "esc\x1b[31m.txt", "quote'\".txt", "hash#key.txt", "~2.txt",
    "back\\slash.txt", "\u202eltr.txt", "e\u0301.txt", "\u00e9.txt", "\U0001f600.txt",
    " space .txt",
    "-dash.txt", "C:drive.txt", "a:b.txt", "%41.txt", "{x}.txt", "\ufeffbom.txt",
    "x" * 200 + ".txt",
    "\udce9\udcff.txt",
)  # fmt: skip


def test_strange_names_are_names(corpus: Path, out: Path) -> None:
    write(corpus, *STRANGE, "deep\n\u2028/er/a.txt")
    built: Build = build("notes", corpus, out)
    assert built.skipped == []
    names = sorted(map(clean_name, [*STRANGE, "deep\n\u2028/er/a.txt"]))
    with open_index(out) as index:
        assert list(index.sources) == names
        for name in names:
            (entry,) = index.entries([name])
            assert index.entry(entry.id).id == entry.id
            assert index.source(name).text.startswith("words of ")
    assert build("notes", corpus, out).fresh


def test_bytes_that_are_no_text_are_written_out_in_names() -> None:
    assert clean_name("caf\udce9.md") == "caf\\xe9.md"
    assert clean_name("café.md") == "café.md"


def test_a_name_is_one_line_and_moves_no_cursor() -> None:
    name = clean_name("a.md\nb.md:1: forged\x1b[2J\u202e\u2028.md")
    assert name == r"a.md\nb.md:1: forged\x1b[2J\u202e\u2028.md"


@pytest.fixture(name="shared")
def _shared() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder


def test_what_may_not_be_read_is_told_and_everything_else_is_read(shared: Path) -> None:
    write(shared, "a.md", "secret.md", "locked/b.md", "blind/c.md", "z.md")
    (shared / "secret.md").chmod(0)
    (shared / "locked").chmod(0)
    (shared / "blind").chmod(0o444)  # may be listed, and nothing in it opened

    def work() -> None:
        read, skipped = looked_at(shared)
        assert read == ["a.md", "z.md"]
        assert skipped == {
            "secret.md": "unreadable: Permission denied",
            "locked": "unreadable: Permission denied",
            "blind/c.md": "unreadable: Permission denied",
        }
        with pytest.raises(CorpusUnreadable, match="cannot be read"):
            resolve_corpus([shared / "locked" / "b.md"])

    as_nobody(work)


def test_folders_too_deep_to_be_meant_are_told(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "d/" * (MAX_DEPTH + 5) + "deep.md")
    read, skipped = looked_at(tmp_path)
    assert read == ["a.md"]
    assert set(skipped.values()) == {"too deep"}


def test_documents_are_the_bytes_of_their_files(tmp_path: Path) -> None:
    data = "\ufeff# T\r\nx\u2028y\r".encode("utf-16-le")
    (tmp_path / "a.md").write_bytes(data)
    (found,) = walk([tmp_path], (".md",), LoadOptions())
    assert found == Document("a.md", data)
