"""Laws: what an index answers follows from its corpus alone, and unchanged input costs nothing."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from sourcebook.errors import CorpusUnreadable
from sourcebook.index.open import open_index, verify_index
from sourcebook.registry import registry
from sourcebook.subject import LoadOptions
from sourcebook.testing.indexes import answers, ask, build, check

WORDS = ("alpha", "beta", "gamma", "CORS", "server", "router", "token", "yak", "zebra")
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where builds need not wait for a disk, of which hundreds do wait."""

QUESTIONS = ("zebra token", "yak", "router alpha server", "nothing")

names = st.sampled_from(["a.note", "b.note", "c.txt", "deep/a.note", "deep/er/d.note", "x#y.note"])
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
blocks = st.one_of(
    words,
    words.map("# {}".format),
    words.map("> {}".format),
    words.map("!fact {}".format),
    st.sampled_from(
        ["key: one", "key: one", "body: unseen words", "!warn", "!raise", "two\nlines"]
    ),
)
notes = st.lists(blocks, max_size=8).map("\n\n".join)


class Histories(RuleBasedStateMachine):
    """Edits and builds in any order; the index is compared with one built afresh."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="sourcebook-", dir=MEMORY))
        self.corpus = self.folder / "corpus"
        self.corpus.mkdir()
        (self.corpus / "first.note").write_text("# Zebra\n\nfirst words")
        self.stale = True

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def files(self) -> list[Path]:
        return sorted(path for path in self.corpus.rglob("*") if path.is_file())

    @rule(name=names, text=notes)
    def write(self, name: str, text: str) -> None:
        place = self.corpus / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        self.stale = True

    @precondition(lambda self: self.files())
    @rule(data=st.data(), text=notes)
    def append(self, data: Any, text: str) -> None:
        place = data.draw(st.sampled_from(self.files()))
        place.write_text(f"{place.read_text()}\n\n{text}")
        self.stale = True

    @precondition(lambda self: self.files())
    @rule(data=st.data())
    def delete(self, data: Any) -> None:
        data.draw(st.sampled_from(self.files())).unlink()
        self.stale = True

    @precondition(lambda self: self.files())
    @rule(data=st.data(), name=names)
    def move(self, data: Any, name: str) -> None:
        place = self.corpus / name
        place.parent.mkdir(parents=True, exist_ok=True)
        data.draw(st.sampled_from(self.files())).replace(place)
        self.stale = True

    @precondition(lambda self: self.files() or (self.folder / "a-db").exists())
    @rule(cached=st.booleans())
    def build(self, cached: bool) -> None:
        cache = self.folder / "cache" if cached else None
        if self.nothing_is_read():
            self.is_refused(self.folder / "a-db", cache)
            return
        built = build("notes", self.corpus, self.folder / "a-db", cache)
        again = build("notes", self.corpus, self.folder / "a-db", cache)
        assert (again.generation, again.parsed, again.embedded) == (built.generation, 0, 0)
        assert again.fresh
        self.stale = False

    def nothing_is_read(self) -> bool:
        """Whether some parse fails and no document has an entry: one that a parse yields before it
        fails is kept, so a document has none if it is blank or fails at once."""
        texts = [path.read_text().lstrip() for path in self.files()]
        failing = [text for text in texts if text.startswith("!raise")]
        return bool(failing) and not any(text for text in texts if text not in failing)

    def is_refused(self, place: Path, cache: Path | None) -> None:
        """Assert that a build changes nothing at `place`, and says that nothing can be read."""
        before = answers(place, QUESTIONS) if place.exists() else None
        with pytest.raises(CorpusUnreadable, match="asked to"):
            build("notes", self.corpus, place, cache)
        assert place.exists() == (before is not None)
        if before is not None:
            assert answers(place, QUESTIONS) == before
            assert verify_index(place) == []

    @invariant()
    def answers_as_if_built_afresh(self) -> None:
        shutil.rmtree(self.folder / "b-db", ignore_errors=True)
        if self.nothing_is_read():
            self.is_refused(self.folder / "b-db", None)
            return
        if self.stale or not self.files():
            return
        build("notes", self.corpus, self.folder / "b-db")
        a, b = (answers(self.folder / name, QUESTIONS) for name in ("a-db", "b-db"))
        assert a == b
        assert verify_index(self.folder / "a-db") == []
        self.stale = True


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=15,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(name="written")
def _written(corpus: Path) -> Path:
    """Write four documents."""
    for name in ("a.note", "b.note", "deep/c.note", "deep/d.txt"):
        place = corpus / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"# Title of {name}\n\nzebra token {name}\n\n> yak\n\n!fact {name}\n")
    return corpus


def test_the_order_of_paths_and_naming_one_twice_change_nothing(
    written: Path, tmp_path: Path
) -> None:
    paths = [written / "deep", written / "b.note", written / "a.note", written / "deep/c.note"]
    build("notes", paths, tmp_path / "one-db")
    build("notes", [*reversed(paths), written / "a.note"], tmp_path / "two-db")
    one, two = (answers(tmp_path / name, QUESTIONS) for name in ("one-db", "two-db"))
    assert one == two
    assert list(one["sources"]) == ["a.note", "b.note", "deep/c.note", "deep/d.txt"]


def test_building_twice_gives_equal_digests_of_content(written: Path, tmp_path: Path) -> None:
    digests = set()
    for name in ("one-db", "two-db"):
        build("notes", written, tmp_path / name)
        with open_index(tmp_path / name) as index:
            digests.add(index.manifest.content_digest)
    assert len(digests) == 1


def test_work_in_other_processes_gives_the_same_index(written: Path, tmp_path: Path) -> None:
    for number in range(40):
        (written / f"many{number}.note").write_text(f"# Many\n\nalpha {number}\n")
    build("notes", written, tmp_path / "one-db", workers=1)
    made = build("notes", written, tmp_path / "two-db", workers=2)
    assert made.parsed == 44
    assert answers(tmp_path / "one-db", QUESTIONS) == answers(tmp_path / "two-db", QUESTIONS)


def test_an_unchanged_corpus_costs_nothing(written: Path, out: Path) -> None:
    first = build("notes", written, out)
    before = {path: path.stat().st_mtime_ns for path in (out / "generations").rglob("*")}
    again = build("notes", written, out)
    assert (first.parsed, first.embedded) == (4, 16)
    assert (again.parsed, again.embedded, again.parses_cached, again.vectors_cached) == (0, 0, 0, 0)
    assert (again.added, again.changed, again.removed, again.rebuilt) == ([], [], [], "")
    assert (again.generation, again.sources, again.entries) == (1, 4, 16)
    assert before == {path: path.stat().st_mtime_ns for path in (out / "generations").rglob("*")}


def test_a_touched_file_is_unchanged(written: Path, out: Path) -> None:
    build("notes", written, out)
    (written / "a.note").touch()
    assert build("notes", written, out).fresh


def test_a_change_costs_what_it_changes(written: Path, out: Path, cache: Path) -> None:
    build("notes", written, out, cache)
    (written / "a.note").write_text("# Title of a.note\n\nzebra token a.note\n\nnew\n")
    again = build("notes", written, out, cache)
    assert again.changed == ["a.note"]
    assert (again.parsed, again.embedded, again.vectors_cached) == (1, 1, 2)


def test_an_option_back_to_what_it_was_costs_nothing_but_reading_the_cache(
    written: Path, out: Path, cache: Path
) -> None:
    chosen = registry().subject("notes").options
    assert chosen is not None
    build("notes", written, out, cache)
    build("notes", written, out, cache, options=chosen(lines=1))
    back = build("notes", written, out, cache)
    assert back.rebuilt == "options changed: lines"
    assert (back.parsed, back.parses_cached, back.embedded) == (0, 4, 0)


def test_deleted_documents_disappear(written: Path, out: Path) -> None:
    build("notes", written, out)
    (written / "b.note").unlink()
    shutil.rmtree(written / "deep")
    built = build("notes", written, out)
    assert (built.removed, built.sources) == (["b.note", "deep/c.note", "deep/d.txt"], 1)
    with open_index(out) as index:
        assert list(index.sources) == ["a.note"]
        for mode in ("text", "vector", "hybrid"):
            hits = ask(
                index, "search", query="zebra token yak", mode=mode, min_evidence="none"
            ).hits
            assert {hit.source for hit in hits} == {"a.note"}


def test_the_last_document_disappears_too_and_others_may_come(written: Path, out: Path) -> None:
    build("notes", written, out)
    for path in [path for path in written.rglob("*") if path.is_file()]:
        path.unlink()
    built = build("notes", written, out)
    assert (len(built.removed), built.sources, built.entries) == (4, 0, 0)
    with open_index(out) as index:
        assert list(index.entries()) == []
        assert ask(index, "search", query="zebra", mode="text", min_evidence="none").hits == ()
        assert ask(index, "search", query="zebra", mode="vector", min_evidence="none").hits == ()
    assert build("notes", written, out).fresh
    (written / "new.note").write_text("zebra\n")
    assert build("notes", written, out).added == ["new.note"]
    with open_index(out) as index:
        assert len(ask(index, "search", query="zebra", min_evidence="none").hits) == 1
    assert verify_index(out) == []


def test_a_moved_file_keeps_its_text_under_its_new_name(
    written: Path, out: Path, cache: Path
) -> None:
    build("notes", written, out, cache)
    (written / "a.note").rename(written / "deep" / "moved.note")
    built = build("notes", written, out, cache)
    assert (built.added, built.removed) == (["deep/moved.note"], ["a.note"])
    assert built.embedded == 0
    with open_index(out) as index:
        assert index.source("deep/moved.note").lines[2] == "zebra token a.note"
        assert len(list((out / "sources").iterdir())) == 4


def test_ids_survive_edits_elsewhere_in_the_file(written: Path, out: Path) -> None:
    place = written / "a.note"
    build("notes", written, out)
    with open_index(out) as index:
        before = {index.body(one): one.id for one in index.entries(["a.note"])}
    place.write_text("opening\nwords\n\n" + place.read_text() + "\nclosing words\n")
    build("notes", written, out)
    with open_index(out) as index:
        after = {index.body(one): one.id for one in index.entries(["a.note"])}
    assert before.items() < after.items()


def test_equal_entries_get_numbered_ids_in_the_order_of_the_source(corpus: Path, out: Path) -> None:
    (corpus / "a.note").write_text("same\n\nsame\n\nkey: k\n\nkey: k\n\nkey: k~2\n\nkey: k\n")
    build("notes", corpus, out)
    with open_index(out) as index:
        ids = [(one.id.removeprefix("a.note#"), one.span.first) for one in index.entries()]
        assert len({one for one, _ in ids}) == len(ids) == 6
        first, second, *keyed = ids
        assert second[0] == f"{first[0]}~2"
        assert keyed == [("k", 5), ("k~2", 7), ("k~2~2", 9), ("k~3", 11)]
        for one, line in ids:
            assert index.entry(one).span.first == index.entry(f"a.note#{one}").span.first == line


def test_a_parent_is_the_entry_that_was_yielded_before(written: Path, out: Path) -> None:
    build("notes", written, out)
    with open_index(out) as index:
        title, *children = index.entries(["a.note"])
        assert title.parent == ""
        assert {one.parent for one in children} == {title.id}


def test_what_fails_in_one_source_is_told_and_the_rest_is_indexed(corpus: Path, out: Path) -> None:
    (corpus / "a.note").write_text("before\n\n!raise\n\nafter\n")
    (corpus / "b.note").write_text("!deep\n")
    (corpus / "c.note").write_text("!warn\n\nfine\n")
    built = build("notes", corpus, out)
    assert built.problems == [
        ("a.note", 0, "the parser failed: ValueError: asked to"),
        ("b.note", 0, "nested too deeply; what comes after is in no entry"),
        ("c.note", 1, "asked to warn"),
    ]
    assert built.entries == 3
    assert build("notes", corpus, out).problems == built.problems


def test_a_file_that_is_skipped_is_counted_in_the_next_generation(written: Path, out: Path) -> None:
    build("notes", written, out)
    (written / "image.note").write_bytes(bytes(100))
    (written / ".hidden.note").write_text("zebra")
    built = build("notes", written, out)
    assert built.fresh
    with open_index(out) as index:
        assert index.manifest.skipped == {"binary": 1, "hidden": 1}
    assert build("notes", written, out).generation == built.generation


def test_a_corpus_that_is_not_told_to_be_ignored_is_asked_again(written: Path, out: Path) -> None:
    build("notes", written, out)
    (written / ".gitignore").write_text("b.note\n")
    assert build("notes", written, out).removed == ["b.note"]
    assert build("notes", written, out, load=LoadOptions(ignore_files=False)).added == ["b.note"]
    assert build("notes", written, out, load=LoadOptions(exclude=("deep/",))).removed == [
        "b.note",
        "deep/c.note",
        "deep/d.txt",
    ]


def test_a_check_names_what_has_changed_and_touches_nothing(written: Path, out: Path) -> None:
    build("notes", written, out)
    before = sorted(out.rglob("*"))
    assert check("notes", written, out).fresh
    (written / "a.note").write_text("other\n")
    (written / "b.note").unlink()
    (written / "n.note").write_text("new\n")
    told = check("notes", written, out)
    assert not told.fresh
    assert (told.added, told.changed, told.removed) == (["n.note"], ["a.note"], ["b.note"])
    assert sorted(out.rglob("*")) == before
    build("notes", written, out)
    assert check("notes", written, out).fresh
    assert check("notes", written, out, embedding="paced").rebuilt == "embedder changed"
