"""What holds for every language: faults, and what is read around them."""

from textwrap import dedent

import pytest
from sourcebook_code.declaration import FileParse
from sourcebook_code.extract import extract
from sourcebook_code.languages import by_name


def read(language: str, text: str) -> FileParse:
    return extract(dedent(text).lstrip("\n"), by_name(language))


def test_of_a_merge_that_was_not_resolved_the_first_side_is_read() -> None:
    found = read(
        "python",
        """
        def before():
            pass

        <<<<<<< HEAD
        def ours(a):
        ||||||| base
        def base():
        =======
        def theirs(a, b):
        >>>>>>> feature/x
            return a

        def after():
            pass
        """,
    )
    assert [(one.name, one.first, one.last) for one in found.declarations] == [
        ("before", 1, 2),
        ("ours", 5, 11),
        ("after", 13, 14),
    ]
    assert [(one.line, "merge" in one.message) for one in found.faults] == [(4, True)]


def test_marks_of_a_merge_in_a_text_are_no_fault() -> None:
    found = read("python", 'TEXT = """\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"""\n')
    assert not found.faults


FUNCTIONS = {
    "javascript": "function {}() {{\n  {}\n}}\n\n",
    "typescript": "function {}(): number {{\n  {}\n}}\n\n",
    "go": "func {}() int {{\n  {}\n}}\n\n",
    "java": "class {} {{\n  {}\n}}\n\n",
    "php": "function {}() {{\n  {}\n}}\n\n",
    "rust": "fn {}() {{\n  {}\n}}\n\n",
    "kotlin": "fun {}() {{\n  {}\n}}\n\n",
    "dart": "void {}() {{\n  {}\n}}\n\n",
}
HEADS = {"go": "package p\n", "php": "<?php\n"}


@pytest.mark.parametrize("broken", ["foo(1, (2;", "x = = 3;", 'x = "abc', "let = + * ;"])
@pytest.mark.parametrize("language", FUNCTIONS)
def test_a_fault_costs_no_other_declaration(language: str, broken: str) -> None:
    head = HEADS.get(language, "")
    text = "".join(
        FUNCTIONS[language].format(name, broken if name == "Broken" else "")
        for name in ("Before", "Broken", "After", "Last")
    )
    found = extract(head + text, by_name(language))
    lines = {one.qualified_name: (one.first, one.last) for one in found.declarations}
    above = head.count("\n")
    assert lines["Before"] == (above + 1, above + 3)
    assert lines["After"] == (above + 9, above + 11)
    assert lines["Last"] == (above + 13, above + 15)
    assert abs(found.faults[0].line - (above + 6)) <= 1


@pytest.mark.parametrize("language", ["javascript", "typescript", "c"])
def test_a_bracket_that_is_missing_does_not_swallow_what_follows(language: str) -> None:
    head = HEADS.get(language, "")
    function = {**FUNCTIONS, "c": "int {}() {{\n  {}\n}}\n\n"}[language]
    text = function.format("Open", "if (a) {") + "// Of the next.\n" + function.format("Next", "")
    found = extract(head + text, by_name(language))
    above = head.count("\n")
    assert [(one.qualified_name, one.first, one.last) for one in found.declarations] == [
        ("Open", above + 1, above + 3),
        ("Next", above + 6, above + 8),
    ]
    assert found.declarations[1].doc == "Of the next."
    assert abs(found.faults[0].line - (above + 2)) <= 1


def test_an_end_of_line_of_any_kind_ends_a_line() -> None:
    for end in ("\n", "\r\n", "\r"):
        found = read("go", end.join(["package p", "// F does.", "func F(", ") {", "}"]))
        (one,) = found.declarations
        assert (one.first, one.last, one.doc, one.signature) == (3, 5, "F does.", "func F( )")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("csharp", "class A { void M() { this = x => x; } }"),
        ("java", "class { void () {} }"),
        ("javascript", "class A { = () => 1; get () {} } function () {}"),
        ("go", "package p\nfunc () {}\ntype struct {}\n"),
        ("php", "<?php class { function () {} } $this = fn() => 1;"),
    ],
)
def test_what_has_no_name_is_not_declared(language: str, text: str) -> None:
    assert all(one.name for one in extract(text, by_name(language)).declarations)
