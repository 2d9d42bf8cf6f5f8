"""The suite for subjects passes a good one and notices what it is there to notice."""

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

import pytest
from attrs import evolve, frozen
from sourcebook.model import Entry, Fact, Source
from sourcebook.subject import Filter, Subject
from sourcebook.testing import SubjectConformance
from sourcebook.verb import VerbRef

TURN = count()


@frozen
class StepFacts:
    """What a step adds."""

    words: int = 0


def parse(source: Source) -> Iterator[Entry | Fact]:
    """Yield a procedure and its steps."""
    if not source.lines:
        return
    yield Fact({"lines": len(source.lines)})
    whole = source.entry(1, len(source.lines), kind="procedure", title=source.lines[0])
    yield whole
    for number, line in enumerate(source.lines, start=1):
        if line.strip():
            yield source.entry(
                *(number, number),
                kind="step",
                parent=whole,
                filters={"verb": (line.split()[0],)},
                facts=StepFacts(len(line.split())),
            )


def assemble(facts: Mapping[str, list[Any]]) -> dict[str, bytes]:
    """Return the number of lines of each source."""
    lines = sorted((name, *(one["lines"] for one in found)) for name, found in facts.items())
    return {"lines.json": repr(lines).encode()}


GOOD = Subject(
    "steps",
    parse,
    suffixes=(".steps",),
    kinds=("procedure", "step"),
    filters=(Filter("verb", "What is done."),),
    assemble=assemble,
    facts=StepFacts,
)


def beyond_the_end(source: Source) -> Iterator[Entry]:
    yield source.entry(1, len(source.lines) + 1, kind="step")


def of_unknown_kind(source: Source) -> Iterator[Entry]:
    yield source.entry(1, 1, kind="stage")


def never_the_same(source: Source) -> Iterator[Entry]:
    yield source.entry(1, 1, kind="step", title=str(next(TURN)))


def child_first(source: Source) -> Iterator[Entry]:
    whole = source.entry(1, 1, kind="procedure")
    yield source.entry(1, 1, kind="step", parent=whole)
    yield whole


def counting_characters(source: Source) -> Iterator[Entry]:
    yield source.entry(1, 1, kind="step", title=str(len(source.text)))


def counting_bytes(source: Source) -> Iterator[Entry]:
    yield source.entry(1, 1, kind="step", title=str(len(source.text.encode())))


def undeclared(source: Source) -> Iterator[Entry]:
    yield source.entry(1, 1, kind="step", filters={"colour": ("red",)})


def no_json(source: Source) -> Iterator[Entry | Fact]:
    yield Fact({1, 2})


def silent(source: Source) -> Iterator[Entry]:
    yield from ()


def as_they_come(facts: Mapping[str, list[Any]]) -> dict[str, bytes]:
    return {"names": repr(list(facts)).encode()}


def outside(facts: Mapping[str, list[Any]]) -> dict[str, bytes]:
    return {"../names": b""}


def suite_for(record: Subject) -> SubjectConformance:
    class Suite(SubjectConformance):
        subject = record
        sources = {
            "a.steps": "Deploy\nDrain it\nPush the image\n",
            "b.steps": "Undo\nPull it back\n",
        }

    return Suite()


def collected(suite: SubjectConformance) -> list[str]:
    return [name for name in dir(suite) if name.startswith("test_") and getattr(suite, name)]


def test_a_good_subject_passes() -> None:
    suite = suite_for(GOOD)
    for name in collected(suite):
        if name != "test_no_text_makes_it_fail":
            getattr(suite, name)()
    suite.test_no_text_makes_it_fail("one\rtwo\n\0")


def test_a_record_that_is_not_installed_is_not_asked_of_an_index() -> None:
    assert "test_what_is_asked_is_found" not in collected(suite_for(GOOD))
    assert "test_two_builds_give_the_same_index" not in collected(suite_for(GOOD))
    assert "test_kinds_are_declared" in collected(suite_for(GOOD))


SUITE = SubjectConformance


@pytest.mark.parametrize(
    ("fault", "test"),
    [
        (beyond_the_end, SUITE.test_lines_lie_in_the_source),
        (of_unknown_kind, SUITE.test_kinds_are_declared),
        (never_the_same, SUITE.test_parsing_again_gives_the_same),
        (child_first, SUITE.test_a_parent_comes_before_what_lies_in_it),
        (counting_characters, SUITE.test_windows_line_ends_change_no_number),
        (undeclared, SUITE.test_fields_and_filters_are_declared),
        (no_json, SUITE.test_facts_are_of_the_declared_class_and_of_json_types),
        (silent, SUITE.test_its_sources_have_entries),
    ],
)
def test_a_wrong_parse_is_noticed(
    fault: Callable[[Source], Iterator[Entry]], test: Callable[[SubjectConformance], None]
) -> None:
    with pytest.raises((AssertionError, TypeError)):
        test(suite_for(evolve(GOOD, parse=fault)))


def test_a_parse_that_fails_on_odd_text_is_noticed() -> None:
    with pytest.raises(UnicodeEncodeError):
        suite_for(evolve(GOOD, parse=counting_bytes)).test_no_text_makes_it_fail("\ud83d")


def test_a_parse_that_workers_cannot_import_is_noticed() -> None:
    record = evolve(GOOD, parse=lambda source: parse(source))
    with pytest.raises(AttributeError):
        suite_for(record).test_workers_can_import_its_parse()


@pytest.mark.parametrize("fault", [as_they_come, outside])
def test_wrong_structure_is_noticed(
    fault: Callable[[Mapping[str, list[Any]]], dict[str, bytes]],
) -> None:
    with pytest.raises(AssertionError):
        suite_for(
            evolve(GOOD, assemble=fault)
        ).test_structure_does_not_depend_on_the_order_of_sources()


def test_a_record_that_disagrees_with_itself_is_noticed() -> None:
    with pytest.raises(AssertionError):
        suite_for(evolve(GOOD, name="Steps")).test_its_name_is_one_lower_case_word()
    with pytest.raises(AssertionError):
        suite_for(
            evolve(GOOD, suffixes=(".STEPS",))
        ).test_its_suffixes_are_lower_case_with_their_dot()
    with pytest.raises(AssertionError):
        suite_for(
            evolve(GOOD, verbs=(VerbRef("look", "", "sourcebook.verbs.grep:verb"),))
        ).test_its_verbs_can_be_loaded()
