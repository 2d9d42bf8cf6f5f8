"""Which comments are docs, and their text."""

from collections.abc import Sequence
from textwrap import dedent

import pytest
from sourcebook_code.declaration import Declaration
from sourcebook_code.extract import extract
from sourcebook_code.languages import by_name


def declared(text: str, language: str = "typescript") -> Sequence[Declaration]:
    return extract(dedent(text).lstrip("\n"), by_name(language)).declarations


@pytest.mark.parametrize(
    "comment",
    [
        "// Copyright 2020 The Authors. All rights reserved.",
        "/* Licensed under the MIT licence. */",
        "// SPDX-License-Identifier: MIT",
        "// eslint-disable-next-line no-undef",
        "// @ts-ignore",
        "// ----------",
        "// old(1);",
        "/** Of another. */\n\n\n",
    ],
)
def test_licences_directives_rulers_and_old_code_are_no_docs(comment: str) -> None:
    (found,) = declared(f"let a = 1;\n{comment}\nfunction f() {{}}")
    assert (found.doc, found.doc_first) == ("", 0)


def test_a_doc_may_speak_of_licences() -> None:
    (found,) = declared("// Returns the copyright notice of a book.\nfunction notice() {}")
    assert found.doc == "Returns the copyright notice of a book."


def test_a_doc_stands_above_a_directive_and_below_a_licence() -> None:
    (found,) = declared("""
        /* Copyright (c) 2020 A. */
        /**
         * Adds.
         */
        // eslint-disable-next-line
        function add() {}
        """)
    assert (found.doc, found.doc_first, found.doc_last) == ("Adds.", 2, 4)


def test_only_the_nearest_block_is_the_doc() -> None:
    (found,) = declared("/** The file. */\n/** Adds. */\nfunction add() {}")
    assert found.doc == "Adds."


def test_one_blank_line_does_not_part_a_written_doc_except_at_the_head_of_a_file() -> None:
    first, second = declared("""
        /** The file. */

        function first() {}

        /** Of the second. */

        function second() {}
        """)
    assert (first.doc, second.doc) == ("", "Of the second.")


def test_tags_markup_and_samples_are_taken_off() -> None:
    (found,) = declared("""
        /**
         * <p>Reads {@link Book}s.</p>
         *
         * ```ts
         * read(1);
         * ```
         * @param name of the book
         * @deprecated use `load`
         */
        function read(name) {}
        """)
    text = " ".join(found.doc.split())
    assert text == "Reads {@link Book}s. name of the book @deprecated use `load`"


def test_a_doc_on_the_line_of_its_declaration_counts() -> None:
    found = declared("interface I { /** One. */ one(): void; /** Two. */ two(): void }")
    assert [one.doc for one in found] == ["", "One.", "Two."]


def test_a_doc_is_only_offered_where_a_line_begins() -> None:
    found = declared("class A { b() {}\n  c() {}\n}")
    assert [one.insert for one in found] == [1, 0, 2]


def test_the_digest_is_that_of_the_code_without_comments_and_white_space() -> None:
    texts = ["function f(a) { return a; }", "function f(a) {\n  // why\n  return a;\n}"]
    assert len({declared(text)[0].code for text in texts}) == 1
    assert declared("function f(a) { return b; }")[0].code != declared(texts[0])[0].code
