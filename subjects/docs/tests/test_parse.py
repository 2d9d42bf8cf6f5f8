"""Documents to passages: which lines make one, of which kind, under which titles."""

import pytest
from sourcebook import Entry, Source, Span
from sourcebook.tokens import counter
from sourcebook_docs.blocks import read_markdown
from sourcebook_docs.chunk import Chunker
from sourcebook_docs.parse import parse
from sourcebook_docs.plugin import DocsFacts, DocsOptions


def entries(text: str, *, tokens: int = 384, name: str = "page.md") -> list[Entry]:
    found = parse(Source(name, text), DocsOptions(chunk_tokens=tokens))
    return [one for one in found if isinstance(one, Entry)]


def chunks(text: str, *, tokens: int = 384) -> list[str]:
    """Return `kind first-last` of each passage."""
    return [f"{one.kind} {one.span.first}-{one.span.last}" for one in entries(text, tokens=tokens)]


def passages(text: str) -> list[str]:
    """Return the same before neighbouring paragraphs grow together."""
    lines = text.split("\n")[:-1]
    chunker = Chunker(lines, counter("words"), 384)
    return [
        f"{one.kind} {one.first}-{one.last}"
        for _, blocks in read_markdown(lines).sections
        for one in chunker.passages(blocks)
    ]


CALL_OUTS = {
    "mkdocs": (
        '!!! note "T"\n\n    Body.\n\n    - a\n\n    ```py\n    # x\n    ```\n\nAfter.\n',
        ["paragraph 1-9", "paragraph 11-11"],
    ),
    "mkdocs, folded": ("??? tip\n    Body.\n\nAfter.\n", ["paragraph 1-2", "paragraph 4-4"]),
    "tabs": ('=== "A"\n\n    a\n\n=== "B"\n\n    b\n', ["paragraph 1-3", "paragraph 5-7"]),
    "docusaurus": (":::note[T]\n\nBody.\n\n:::\n\nAfter.\n", ["paragraph 1-5", "paragraph 7-7"]),
    "docusaurus, nested": ("::::a\n\n:::b\nx\n:::\n\n::::\n", ["paragraph 1-7"]),
    "around a list": (":::tip\n\n- a\n- b\n\n:::\n", ["list 1-6"]),
    "around code": (":::tip\n```py\nx\n```\n:::\n", ["code 1-5"]),
    "python-markdown blocks": ("/// tip | T\n\nBody.\n\n///\n", ["paragraph 1-5"]),
    "github": ("> [!NOTE]\n> Body.\n>\n> More.\n\nAfter.\n", ["paragraph 1-4", "paragraph 6-6"]),
    "myst fence": ("```{note} T\nBody.\n```\n", ["code 1-3"]),
    "jsx": ("<Note>\n\nBody.\n\n</Note>\n", ["paragraph 1-5"]),
    "indented text that is no body": ("Text.\n\n    code\n", ["paragraph 1-1", "code 3-3"]),
}


@pytest.mark.parametrize(("text", "wanted"), CALL_OUTS.values(), ids=CALL_OUTS)
def test_a_call_out_is_one_passage(text: str, wanted: list[str]) -> None:
    assert passages(text) == wanted


REFERENCES = {
    "link definitions": ("Text [a].\n\n[a]: /x\n[b]: /y 'T'\n", ["paragraph 1-1", "paragraph 3-4"]),
    "a definition after text": ("[a]: /x\ntext\n", ["paragraph 1-1", "paragraph 2-2"]),
    "footnote with parts": (
        "[^1]: One.\n\n    Two.\n\n    ```\n    x\n    ```\n\nText.\n",
        ["paragraph 1-7", "paragraph 9-9"],
    ),
    "footnote that is a link": ("[^l]: https://example.org\n", ["paragraph 1-1"]),
    "definition list": (
        "Term\n\n: One\n\n    more\n\n: Two\n\nText.\n",
        ["paragraph 1-7", "paragraph 9-9"],
    ),
    "definition list without blanks": ("Term\n: One\n: Two\n", ["paragraph 1-3"]),
    "abbreviation": ("*[HW]: High water\n", ["paragraph 1-1"]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), REFERENCES.values(), ids=REFERENCES)
def test_definitions_and_notes_stay_with_what_they_belong_to(text: str, wanted: list[str]) -> None:
    assert passages(text) == wanted


HTML = {
    "comment with blank lines": ("<!-- a\n\n# b\n\n-->\n\nText.\n", ["html 1-5", "paragraph 7-7"]),
    "block to the blank line": ("<div>\na\n</div>\nb\n\nc\n", ["html 1-4", "paragraph 6-6"]),
    "raw text with blank lines": ("<pre>\na\n\n## b\n</pre>\n", ["html 1-5"]),
    "script": ("<script>\nx\n\n# y\n</script>\n", ["html 1-5"]),
    "processing instruction": ("<?php\n\n# x\n?>\n", ["html 1-4"]),
    "closing tag": ("Text.\n\n</details>\n", ["paragraph 1-3"]),
    "details": (
        "<details>\n<summary>S</summary>\n\nBody.\n\n</details>\n",
        ["html 1-2", "paragraph 4-6"],
    ),
    "inline": ("<b>bold</b> text\n", ["paragraph 1-1"]),
    "unclosed comment": ("<!-- a\n\n# b\n", ["html 1-3"]),
}


@pytest.mark.parametrize(("text", "wanted"), HTML.values(), ids=HTML)
def test_html_is_a_passage_of_its_own(text: str, wanted: list[str]) -> None:
    assert passages(text) == wanted


CODE = {
    "fence in a longer fence": ("````\n```\n# x\n```\n````\n", ["code 1-5"]),
    "tildes hold ticks": ("~~~\n```\n~~~\n\nText.\n", ["code 1-3", "paragraph 5-5"]),
    "never closed": ("```\n# a\n\n# b\n", ["code 1-4"]),
    "indented": ("Text.\n\n\tcode\n\n\tmore\n", ["paragraph 1-1", "code 3-5"]),
    "indented fence": ("   ```\n   x\n   ```\n", ["code 1-3"]),
    "in a list": ("- a\n\n  ```\n  # x\n  ```\n", ["list 1-5"]),
    "ticks in one line": ("``` a `b` c ```\n", ["paragraph 1-1"]),
}


@pytest.mark.parametrize(("text", "wanted"), CODE.values(), ids=CODE)
def test_code_ends_where_its_fence_does(text: str, wanted: list[str]) -> None:
    assert passages(text) == wanted


MATH = {
    "with marks of headings": ("$$\na\n===\n# b\n$$\n", ["paragraph 1-5"]),
    "with pipes": ("$$\n| a |\n|---|\n| b |\n$$\n", ["paragraph 1-5"]),
    "with text behind": ("Text\n$$\na\n$$\n", ["paragraph 1-1", "paragraph 2-4"]),
    "in a list": ("- a\n\n  $$\n  # b\n  $$\n", ["list 1-5"]),
    "closed behind text": ("$$\n# a\nb $$\n", ["paragraph 1-3"]),
}


@pytest.mark.parametrize(("text", "wanted"), MATH.values(), ids=MATH)
def test_display_math_is_taken_whole(text: str, wanted: list[str]) -> None:
    assert passages(text) == wanted
    assert all(one.path == () for one in entries(text))


def test_a_lone_mark_of_math_swallows_nothing() -> None:
    found = entries("$$\nnever closed\n\n# Title\n\nText.\n")
    assert found[-1].path == ("Title",)


def test_tables_in_lists_and_quotes_are_tables_and_the_rest_stays() -> None:
    text = (
        "1. Count:\n\n   | A | B |\n   | - | - |\n   | 1 | 2 |\n\n   Sign.\n2. Go.\n\n"
        "> | C |\n> |---|\n> | 3 |\n> \n> Said.\n"
    )
    assert passages(text) == [
        *("list 1-1", "table 3-4", "table_row 5-5", "list 7-8"),
        *("table 10-11", "table_row 12-12", "paragraph 13-14"),
    ]


def test_a_row_carries_its_header_and_its_table() -> None:
    table, one, two = entries("| A | B |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |\n")
    assert one.context == two.context == (Span(1, 2),)
    assert one.parent is two.parent is table
    assert table.context == (Span(3, 4),)
    assert table.fields["body"] == "A, B"


def test_a_row_with_escaped_pipes_is_read() -> None:
    _, row = entries("| A | B |\n| - | - |\n| x \\| y | `a\\|b` |\n")
    assert row.fields["body"] == "A: x | y\nB: `a|b`"


def test_columns_are_named_as_a_reader_sees_them() -> None:
    table, row = entries("| **A&amp;B** | `c` |\n| - | - |\n| 1 | 2 |\n")
    assert isinstance(table.facts, DocsFacts)
    assert table.facts.columns == ("A&B", "c")
    assert row.fields["body"] == "A&B: 1\nc: 2"


def test_a_wide_row_becomes_groups_of_columns_that_each_name_the_key() -> None:
    columns = [f"Column{number}" for number in range(40)]
    cells = [f"value{number}" for number in range(40)]
    text = f"| Key | {' | '.join(columns)} |\n{'|---' * 41}|\n| K-7 | {' | '.join(cells)} |\n"
    _, *rows = entries(text, tokens=60)
    assert len(rows) > 2
    assert {row.span for row in rows} == {Span(3, 3)}
    assert all(row.fields["body"].startswith("Key: K-7\nColumn") for row in rows)
    pairs = [pair for row in rows for pair in row.fields["body"].split("\n")[1:]]
    assert pairs == [f"Column{number}: value{number}" for number in range(40)]


def test_a_cell_too_long_for_one_chunk_names_its_column_each_time() -> None:
    sentences = "A sentence of some words. " * 30
    _, *rows = entries(f"| Key | Text |\n|---|---|\n| K-7 | {sentences} |\n", tokens=60)
    assert len(rows) > 2
    assert all(row.fields["body"].startswith("Key: K-7\nText: A sentence") for row in rows)


def test_cells_left_out_of_a_wide_table_make_no_text() -> None:
    head = "|".join(f"Column{number}" for number in range(500))
    _, *rows = entries(f"|{head}|\n|{'-|' * 500}\n|x|\n|y|\n", tokens=60)
    assert [row.fields["body"] for row in rows] == ["Column0: x", "Column0: y"]


CAPTIONS = {
    "numbered above": ("Table 2: rates\n\n", "", "Table 2: rates"),
    "a colon above": ("The rates are:\n\n", "", "The rates are"),
    "emphasis above": ("**Rates**\n\n", "", "Rates"),
    "numbered below": ("", "\nTable 2. Rates\n", "Table 2. Rates"),
    "pandoc's": ("", "\n: Rates of all\n", "Rates of all"),
    "other languages": ("Таблица 1. Тарифы\n\n", "", "Таблица 1. Тарифы"),
    "chinese": ("表1 速率\n\n", "", "表1 速率"),
    "prose above": ("Tables are nice.\n\n", "", ""),
    "prose below": ("", "\nMore follows:\n", ""),
    "far above": ("Table 2: rates\n\n\n\n", "", ""),
    "of another section": ("Table 2: rates\n\n# T\n\n", "", ""),
}


@pytest.mark.parametrize(("above", "below", "caption"), CAPTIONS.values(), ids=CAPTIONS)
def test_the_caption_of_a_table_stands_beside_it(above: str, below: str, caption: str) -> None:
    found = entries(f"{above}| A | B |\n| - | - |\n| 1 | 2 |\n{below}")
    (table,) = [one for one in found if one.kind == "table"]
    assert isinstance(table.facts, DocsFacts)
    assert table.facts.caption == caption


def test_a_list_is_cut_between_its_items() -> None:
    items = [f"- Item {number}\n\n  {'word ' * 12}\n" for number in range(8)]
    found = chunks("".join(items), tokens=40)
    assert found == [f"list {first}-{first + 5}" for first in range(1, 24, 6)]


def test_an_item_too_long_is_cut_inside() -> None:
    text = "- Item\n\n" + "".join(f"  {'word ' * 12}\n\n" for _ in range(6)) + "- Next\n"
    found = entries(text, tokens=40)
    assert {one.kind for one in found} == {"list"}
    assert [one.span for one in found] == [Span(1, 7), Span(9, 15)]


def test_code_too_long_is_cut_between_lines() -> None:
    text = "```py\n" + "value = one + two\n" * 20 + "```\n"
    found = entries(text, tokens=40)
    assert [one.span.first for one in found[1:]] == [one.span.last + 1 for one in found[:-1]]
    assert all("body" not in one.fields for one in found)


def test_a_line_too_long_is_cut_after_sentences() -> None:
    text = "This is a sentence of eight words, indeed. " * 20
    found = entries(text, tokens=40)
    assert {one.span for one in found} == {Span(1, 1)}
    assert all(one.fields["body"].endswith("indeed.") for one in found)


def test_no_chunk_is_unbounded_for_want_of_words() -> None:
    found = entries("x" * 100_000, tokens=100)
    assert max(len(one.fields["body"]) for one in found) <= 100 * 16


def test_a_title_is_context_of_the_first_passage_under_it() -> None:
    found = entries("# A\n\n## B\n\nOne.\n\n- Two.\n\n## C\n")
    assert [one.context for one in found] == [(Span(1, 1), Span(3, 3)), (), ()]
    assert [one.path for one in found] == [("A", "B"), ("A", "B"), ("A", "C")]
    assert [one.title for one in found] == ["B", "B", "C"]


def test_titles_with_nothing_under_them_can_be_found() -> None:
    assert chunks("# A\n## B\n## C\n\n# D\n") == [
        *("paragraph 1-2", "paragraph 3-3", "paragraph 5-5"),
    ]


def test_all_titles_above_a_passage_are_values_of_its_filter() -> None:
    (one,) = entries("# A\n## \n### A\n\nText.\n")
    assert one.path == ("A", "", "A")
    assert one.filters == {"section": ("A",)}


def test_a_page_without_titles_takes_that_of_its_front_matter() -> None:
    matter, text = entries("---\ntitle: The page\n---\n\nText.\n")
    assert (matter.kind, matter.span) == ("frontmatter", Span(1, 3))
    assert (text.title, text.path) == ("The page", ())


TITLES = {
    "# Title with `code` and **bold _nested_**": "Title with code and bold nested",
    "# ![alt](x.png) Title": "alt Title",
    '# Title <a name="x"></a>': "Title",
    "# Title <!-- omit -->": "Title",
    "# a<br>b": "a b",
    "# [link][ref] here": "link here",
    "# [unknown][nope]": "[unknown][nope]",
    "# &lt;T&gt; &amp; &#35;": "<T> & #",
    "# \\*not em\\* \\#": "*not em* #",
    "# foo #bar ##": "foo #bar",
    "#\tTab": "Tab",
    "# <https://example.org/a>": "https://example.org/a",
    "# a_b_c": "a_b_c",
    "# H~~del~~": "Hdel",
    "# Title {#id .class}": "Title",
    "# Title { #id }": "Title",
    "# Title {: key=value }": "Title",
    "# Title {#id} ##": "Title",
    "# Generics {T}": "Generics {T}",
    "# f() { return }": "f() { return }",
    "# \\{#escaped}": "{#escaped}",
    "# Title[^1]": "Title",
    "# [x] task": "[x] task",
    "# C#": "C#",
    "#": "",
    "Two\nlines\n---": "Two lines",
    "  *Em*  \n=====": "Em",
}


@pytest.mark.parametrize(("text", "title"), TITLES.items(), ids=TITLES)
def test_a_title_reads_as_it_is_seen(text: str, title: str) -> None:
    (one,) = entries(f"{text}\n\n[ref]: /x\n")
    assert one.path == (title,)


@pytest.mark.parametrize("text", ["#No", "####### Seven", "    # Four in", "\\# No", "#\u00a0No"])
def test_what_only_looks_like_a_title_is_none(text: str) -> None:
    (one,) = entries(f"{text}\n")
    assert one.path == ()


def test_depth_beyond_the_bound_ends_no_page_early() -> None:
    text = "- " * 400 + "deep\n\n" + "> " * 400 + "deep\n\n# Title\n\nText.\n"
    assert entries(text)[-1].path == ("Title",)


def test_plain_text_is_paragraphs_whatever_its_marks() -> None:
    text = "# No\n\nUnder\n=====\n\n| a |\n| - |\n\n```\n\n---\ntitle: x\n---\n"
    found = entries(text, name="page.text")
    assert {one.kind for one in found} == {"paragraph"}
    assert all(one.path == () for one in found)


def test_a_short_paragraph_before_others_is_the_title_of_a_plain_text() -> None:
    found = entries("A title\nin two lines\n\nText.\n", name="page.txt")
    assert {one.title for one in found} == {"A title in two lines"}
    assert [one.title for one in entries("Alone.\n", name="page.txt")] == [""]
    assert [one.title for one in entries("x " * 200 + "\n\nText.\n", name="page.txt")] == [""]


def test_paragraphs_grow_together_up_to_the_budget_and_no_further() -> None:
    text = "".join(f"{'word ' * 15}\n\n" for _ in range(6))
    assert chunks(text, tokens=50) == ["paragraph 1-5", "paragraph 7-11"]
    assert chunks(text) == ["paragraph 1-11"]


def test_blocks_of_a_section_are_one_passage_and_what_is_no_prose_a_part_of_it() -> None:
    text = "One.\n\n- two\n\nThree.\n\n# Four\n\nFive.\n\n---\n\nSix.\n"
    assert chunks(text) == ["paragraph 1-5", "list 3-3", "paragraph 9-13"]
    whole, part, _ = entries(text)
    assert part.part
    assert part.parent is whole


@pytest.mark.parametrize("mark", ["\f", "\v", "\u2028", "\u2029", "\x85", "\x1c", "\x00"])
def test_marks_that_end_no_line_move_no_number(mark: str) -> None:
    found = entries(f"# A{mark}b\n\none{mark}two\n\n## C\n\nthree\n")
    assert [one.span for one in found] == [Span(3, 3), Span(7, 7)]


def test_a_line_without_tokens_is_not_joined_to_a_stretch_of_the_long_line_before_it() -> None:
    found = entries("long words " * 18 + "\n\x0c\n", tokens=16)
    assert [(one.span.first, one.span.last) for one in found] == [(1, 1), (1, 1), (1, 1), (2, 2)]
