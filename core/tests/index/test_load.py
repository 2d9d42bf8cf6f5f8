"""Subjects with a `load` of their own: what it tells `parse`, and what it leaves out."""

from pathlib import Path

import pytest
from sourcebook.errors import BadSetting, CorpusUnreadable
from sourcebook.index.open import open_index
from sourcebook.registry import registry
from sourcebook.settings import load_settings
from sourcebook.testing.indexes import build, check
from sourcebook.verbs.index import request_class, subject_options


def titles(out: Path) -> list[str]:
    with open_index(out) as index:
        return [entry.title for entry in index.entries()]


def chosen(**given: object) -> object:
    options = registry().subject("linked").options
    assert options is not None
    return options(**given)


def test_parse_is_told_what_load_knows(corpus: Path, out: Path, cache: Path) -> None:
    (corpus / "a.linked").write_text("a\n")
    (corpus / "b.linked").write_text("b\n")
    build("linked", corpus, out, cache)
    assert titles(out) == ["a.linked,b.linked"] * 2
    assert check("linked", corpus, out).fresh
    again = build("linked", corpus, out, cache)
    assert (again.fresh, again.parsed, again.embedded) == (True, 0, 0)


def test_a_source_is_parsed_again_when_its_context_changes(
    corpus: Path, out: Path, cache: Path
) -> None:
    (corpus / "a.linked").write_text("a\n")
    build("linked", corpus, out, cache)
    (corpus / "b.linked").write_text("b\n")
    assert check("linked", corpus, out).changed == ["a.linked"]
    built = build("linked", corpus, out, cache)
    assert (built.added, built.changed, built.parsed) == (["b.linked"], ["a.linked"], 2)
    assert titles(out) == ["a.linked,b.linked"] * 2


def test_load_is_given_the_options_of_the_subject(corpus: Path, out: Path) -> None:
    (corpus / "a.linked").write_text("a\n")
    build("linked", corpus, out, options=chosen(mark="!"))
    assert titles(out) == ["!a.linked"]


def test_a_build_of_nothing_but_broken_files_says_what_is_wrong_with_each(
    corpus: Path, out: Path
) -> None:
    (corpus / "a.linked").write_text("?\n")
    (corpus / "b.linked").write_text("!\n")
    with pytest.raises(CorpusUnreadable) as caught:
        build("linked", corpus, out)
    assert caught.value.message.splitlines()[1:] == [
        "a.linked: line 1: a question mark",
        "b.linked:1: an exclamation mark",
    ]
    assert not out.exists()


def test_an_index_stays_as_it_was_when_every_file_has_broken(corpus: Path, out: Path) -> None:
    (corpus / "a.linked").write_text("a\n")
    build("linked", corpus, out)
    (corpus / "a.linked").write_text("!\n")
    with pytest.raises(CorpusUnreadable, match=r"a\.linked:1: an exclamation mark"):
        build("linked", corpus, out)
    assert titles(out) == ["a.linked"]


def test_broken_files_beside_good_ones_are_told(corpus: Path, out: Path) -> None:
    (corpus / "a.linked").write_text("a\n")
    (corpus / "b.linked").write_text("!\n")
    built = build("linked", corpus, out)
    assert built.problems == [("b.linked", 1, "an exclamation mark")]


def test_an_option_with_the_name_of_a_general_setting_is_that_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = registry().subject("linked")
    request = request_class(subject)

    def allowed(**given: bool) -> object:
        settings = load_settings(cwd=tmp_path)
        return subject_options(subject, settings, request(paths=("x",), **given), None)

    assert allowed() == chosen()
    assert allowed(allow_outside=True) == chosen(allow_outside=True)
    monkeypatch.setenv("SOURCEBOOK_ALLOW_OUTSIDE", "true")
    assert allowed() == chosen(allow_outside=True)
    # A project file may come from a stranger: no way round the rule for the general setting.
    (tmp_path / "sourcebook.toml").write_text("[linked]\nallow_outside = true\n")
    with pytest.raises(BadSetting, match=r"no setting is named `linked\.allow_outside`"):
        allowed()
