"""What opens a page and is metadata, and what only looks like it."""

import pytest
from sourcebook_docs.frontmatter import front_matter_end, front_matter_title

METADATA = {
    "yaml": "---\ntitle: A\ntags:\n- one\n- two\n---\n# Page",
    "closed by dots": "---\ntitle: A\n...\ntext",
    "blanks after the fences": "---  \ntitle: A\n---\t\ntext",
    "comments, blanks and folded text": "---\n# note\n\nmore: >\n  two\n  lines\n\nurl: a:b\n---",
    "comments alone": "---\n# note\n---",
    "nothing": "---\n---\ntext",
    "a flow mapping": "---\n{a: 1,\n b: 2}\n---",
    "keys that hold colons": "---\nog:title: A\n---",
    "list closed at the margin": "---\nkeys: [\n  a\n]\n---",
    "toml": "+++\ntitle = 'A'\n[extra]\nx.y = 1\n+++\ntext",
    "toml with text at the margin": '+++\na = """\nno key here\n"""\n+++',
    "json": '{\n  "title": "A",\n  "x": {"y": "}"}\n}\n\ntext',
    "json on one line": '{"title": "A"}\ntext',
    "fenced json": ';;;\n{"title": "A"}\n;;;\ntext',
}
PAGES = {
    "no lines": "",
    "a rule, a title and a rule": "---\n\n# Title\n\ntext\n\n---",
    "prose between two rules": "---\nSome words.\nMore words\n---",
    "prose with a colon between two rules": "---\n\nNote: read this.\n\nThen go on.\n\n---",
    "a list between two rules": "---\n- one\n- two\n---",
    "two rules": "---\n\n---\n",
    "never closed": "---\ntitle: A\ntext",
    "a blank line first": "\n---\ntitle: A\n---",
    "longer fences": "----\ntitle: A\n----",
    "indented fence": " ---\ntitle: A\n---",
    "toml never closed": "+++\ntitle = 'A'\n",
    "pluses around prose": "+++\nwords\n+++",
    "a template tag": "{% include x %}\n",
    "json with words behind": '{"a": 1} words\n',
    "json that is a list": '["a"]\n',
    "json never closed": '{"a": ' * 3000,
    "fenced words": ";;;\nwords\n;;;",
}


@pytest.mark.parametrize("text", METADATA.values(), ids=METADATA)
def test_metadata_at_the_top_is_front_matter(text: str) -> None:
    lines = text.split("\n")
    end = front_matter_end(lines)
    assert end > 0
    assert lines[end - 1].strip()[-1:] in {"-", ".", "+", "}", ";"}


@pytest.mark.parametrize("text", PAGES.values(), ids=PAGES)
def test_what_only_looks_like_metadata_is_the_page(text: str) -> None:
    assert front_matter_end(text.split("\n") if text else []) == 0


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("title: Route planning", "Route planning"),
        ('title: "Quoted"', "Quoted"),
        ("title = 'Toml'", "Toml"),
        ('  "title": "Json",', ""),
        ('"title": "Json",', "Json"),
        ("Title: Capital", "Capital"),
        ("title: >", ""),
        ("subtitle: No", ""),
    ],
)
def test_the_title_of_a_page_is_read(line: str, title: str) -> None:
    assert front_matter_title([line]) == title
