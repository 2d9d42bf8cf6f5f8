"""Indexes without copies of their documents, of a subject whose entries have their own texts."""

import shutil
from pathlib import Path

import attrs
import pytest
from sourcebook.errors import PluginBroken, SourcesMissing
from sourcebook.index.open import open_index
from sourcebook.index.verify import verify_index
from sourcebook.registry import registry
from sourcebook.testing.indexes import ask, build, check
from sourcebook.verbs.index import request_class
from sourcebook.verbs.search import merge, render
from sourcebook.verbs.search import verb as search_verb
from sourcebook.verbs.together import Answer


@pytest.fixture
def sayings(corpus: Path) -> Path:
    """Return a corpus of two documents."""
    (corpus / "birds.saying").write_text("The early bird\nA bird in the hand\n")
    (corpus / "stones.saying").write_text("A rolling stone\n")
    return corpus


def copies(out: Path) -> list[str]:
    return sorted(place.name for place in (out / "sources").glob("*"))


def texts(out: Path) -> list[str]:
    with open_index(out) as index:
        return [index.body(entry) for entry in index.entries()]


def test_no_document_is_kept_and_every_text_is_there(sayings: Path, out: Path) -> None:
    build("sayings", sayings, out, keep_sources=False)
    assert copies(out) == []
    assert texts(out) == [
        "they say The early bird", "they say A bird in the hand", "they say A rolling stone",
    ]  # fmt: skip
    assert verify_index(out) == []
    with open_index(out) as index:
        assert index.manifest.features == ("no_sources", "segments", "terms")
        assert [one.title for one in ask(index, "list", what="entries").items] == [
            "The early bird", "A bird in the hand", "A rolling stone",
        ]  # fmt: skip
        assert ask(index, "export").items[2].text == "they say A rolling stone"
        stats = ask(index, "stats")
        assert (stats.sources_kept, stats.corpus_bytes) == (False, 50)
    assert "copies of the sources: none" in (out / "README.md").read_text()


def test_it_answers_like_one_with_copies(sayings: Path, out: Path, tmp_path: Path) -> None:
    build("sayings", sayings, out, keep_sources=False)
    build("sayings", sayings, tmp_path / "with-db")
    with open_index(out) as index, open_index(tmp_path / "with-db") as other:
        for mode in ("text", "vector", "hybrid"):
            asked = {"query": "bird in the hand", "mode": mode, "min_evidence": "none"}
            found, known = (ask(one, "search", **asked) for one in (index, other))
            assert found.hits == known.hits
            assert (found.quotes, bool(known.quotes)) == ((), True)
        assert index.manifest.content_digest == other.manifest.content_digest


def test_hits_are_listed_where_nothing_can_be_quoted(
    sayings: Path, out: Path, tmp_path: Path
) -> None:
    build("sayings", sayings, out, keep_sources=False)
    build("sayings", sayings, tmp_path / "with-db")
    verb = search_verb(registry().subject("sayings"))
    assert verb.view is not None
    with open_index(out) as index, open_index(tmp_path / "with-db") as other:
        request = verb.request(query="rolling", mode="text", min_evidence="none")
        answers = [Answer(one.name, one, verb.run(one, request)) for one in (index, other)]
        printed = render(answers[0].response, verb.view())
        assert "stones.saying:1-1  saying  A rolling stone  stones.saying#" in printed
        together = merge(answers, request)
        assert (len(together.hits), together.quotes) == (2, ())


def test_what_needs_a_document_says_how_to_build_an_index_that_has_it(
    sayings: Path, out: Path
) -> None:
    build("sayings", sayings, out, keep_sources=False)
    with open_index(out) as index:
        for name, asked in (
            ("show", {"target": "birds.saying", "lines": "1-2"}),
            ("grep", {"pattern": "bird"}),
        ):
            with pytest.raises(SourcesMissing, match="holds no copies of its doc") as caught:
                ask(index, name, **asked)
            assert caught.value.code == "sources_missing"
            assert "without `--no-sources`: `sourcebook sayings index" in caught.value.hint


def test_an_unchanged_corpus_costs_nothing(sayings: Path, out: Path) -> None:
    first = build("sayings", sayings, out, keep_sources=False)
    assert check("sayings", sayings, out, keep_sources=False).fresh
    again = build("sayings", sayings, out, keep_sources=False)
    assert (again.fresh, again.parsed, again.embedded) == (True, 0, 0)
    assert again.generation == first.generation


def test_one_changed_document_is_one_parse(sayings: Path, out: Path, cache: Path) -> None:
    build("sayings", sayings, out, cache, keep_sources=False)
    (sayings / "stones.saying").write_text("A rolling stone\nGathers no moss\n")
    assert check("sayings", sayings, out, keep_sources=False).changed == ["stones.saying"]
    built = build("sayings", sayings, out, cache, keep_sources=False)
    assert (built.parsed, built.embedded, built.rebuilt) == (1, 1, "")
    assert texts(out)[-1] == "they say Gathers no moss"
    assert (copies(out), verify_index(out)) == ([], [])


@pytest.mark.parametrize("kept", [True, False])
def test_copies_come_and_go_without_embedding(
    sayings: Path, out: Path, cache: Path, kept: bool
) -> None:
    build("sayings", sayings, out, cache, keep_sources=kept)
    assert check("sayings", sayings, out, keep_sources=not kept).rebuilt == (
        "options changed: no_sources"
    )
    built = build("sayings", sayings, out, cache, keep_sources=not kept)
    assert (built.rebuilt, built.parsed, built.embedded) == ("options changed: no_sources", 0, 0)
    assert (len(copies(out)), verify_index(out)) == (0 if kept else 2, [])


def test_copies_that_a_killed_build_left_are_dropped(sayings: Path, out: Path) -> None:
    build("sayings", sayings, out, keep_sources=False)
    (out / "sources").mkdir(exist_ok=True)
    (out / "sources" / ("0" * 64 + ".z")).write_bytes(b"left")
    build("sayings", sayings, out, keep_sources=False)
    assert copies(out) == []


def test_it_can_be_copied(sayings: Path, out: Path, tmp_path: Path) -> None:
    build("sayings", sayings, out, keep_sources=False)
    known = texts(out)
    shutil.copytree(out, tmp_path / "elsewhere")
    shutil.rmtree(out)
    assert texts(tmp_path / "elsewhere") == known
    assert verify_index(tmp_path / "elsewhere") == []


def test_an_entry_without_a_body_is_a_fault_of_such_a_subject(sayings: Path, out: Path) -> None:
    (sayings / "bare.saying").write_text("Look\n! before you leap\n")
    with pytest.raises(PluginBroken, match="an entry of its has no `body`") as caught:
        build("sayings", sayings, out)
    assert caught.value.where == "bare.saying:2"


def test_only_subjects_that_can_do_without_copies_offer_it(corpus: Path, out: Path) -> None:
    fields = {
        name: {one.name for one in attrs.fields(request_class(registry().subject(name)))}
        for name in ("notes", "linked", "other", "sayings")
    }
    assert {name for name, found in fields.items() if "no_sources" in found} == {"sayings"}
    (corpus / "a.other").write_text("one\n")
    build("other", corpus, out, keep_sources=False)
    assert len(copies(out)) == 1
