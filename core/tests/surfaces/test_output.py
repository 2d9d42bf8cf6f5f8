"""What reaches a stream is UTF-8, coloured only on a terminal, and moves no cursor."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.errors import NotFound
from sourcebook.surfaces import output
from sourcebook.surfaces.output import align, dump_json, error_text, paint, sanitise
from sourcebook.surfaces.progress import ProgressLine, progress_text

HARMFUL = [
    "\x00",
    "\x07",
    "\x08",
    "\x0b",
    "\x0c",
    "\r",
    "\x1b",
    "\x7f",
    "\x85",
    "\x9b",
    "\u2028",
    "\u2029",
    "\u202e",
    "\u2066",
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("character", HARMFUL, ids=ascii)
def test_control_characters_are_printed_as_their_escapes(character: str) -> None:
    shown = sanitise(f"a{character}b")
    assert shown.isascii()
    assert shown.isprintable()
    assert shown == f"a\\u{ord(character):04x}b"
    assert json.loads(f'"{shown}"') == f"a{character}b"


def test_tabs_line_ends_and_letters_of_every_script_stay() -> None:
    text = "a\tb\nnaïve 東京 שלום \u200f 👍🏽"
    assert sanitise(text) == text


@given(st.text(), st.text())
def test_printed_text_has_no_control_character_and_the_same_lines(one: str, two: str) -> None:
    shown = sanitise(f"{one}\n{two}")
    assert not any(character in shown for character in HARMFUL)
    assert shown.count("\n") == one.count("\n") + two.count("\n") + 1


@given(st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.lists(inner)))
def test_json_is_one_line_that_moves_no_cursor_and_reads_back(value: object) -> None:
    line = dump_json(value)
    assert json.loads(line) == value
    assert len(line.splitlines()) == 1
    assert not any(character in line for character in HARMFUL)


def test_json_keeps_letters_and_survives_lone_surrogates() -> None:
    assert dump_json("東京\x9b\udc80\u202e") == '"東京\\u009b\\udc80\\u202e"'
    assert dump_json({"a": 1}, indent=2) == '{\n  "a": 1\n}'


def test_json_refuses_what_it_cannot_say() -> None:
    with pytest.raises(ValueError):
        dump_json(float("nan"))


def test_an_error_says_what_where_and_what_next() -> None:
    error = NotFound("no source is called `a.md`", where="a.md", hint="did you mean `b.md`?")
    assert error_text(error) == (
        "error: no source is called `a.md`\n  at a.md\nhint: did you mean `b.md`?"
    )
    assert error_text(NotFound("gone")) == "error: gone"


def test_columns_are_aligned_and_the_last_is_free() -> None:
    assert align([("a", "bb", "x"), ("ccc", "d", "a longer one")]) == (
        "a    bb  x\nccc  d   a longer one"
    )
    assert align([]) == ""
    assert align([("a", ""), ("b", "c")]) == "a\nb  c"


def test_colours_belong_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    plain, terminal = io.StringIO(), Terminal()
    output.write_text("## a.md\n  3 | text\na.md:3: text", plain)
    output.write_text("## a.md\n  3 | text\na.md:3: text", terminal)
    assert plain.getvalue() == "## a.md\n  3 | text\na.md:3: text\n"
    assert terminal.getvalue() == (
        "\x1b[1m## a.md\x1b[0m\n\x1b[2m  3 | \x1b[0mtext\n\x1b[36ma.md:3\x1b[0m: text\n"
    )


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colours_can_be_declined(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(variable, value)
    terminal = Terminal()
    output.write_text("## a.md", terminal)
    assert terminal.getvalue() == "## a.md\n"


def test_an_empty_no_color_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "")
    assert output.has_colour(Terminal())


def test_a_corpus_cannot_bring_its_own_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    output.write_text("\x1b[8mhidden", terminal)
    assert terminal.getvalue() == "\\u001b[8mhidden\n"


@given(st.text())
def test_painting_only_adds(text: str) -> None:
    painted = paint(sanitise(text))
    for code in (output.BOLD, output.DIM, output.RED, output.CYAN, output.RESET):
        painted = painted.replace(code, "")
    assert painted == sanitise(text)


def test_progress_is_one_line_that_goes_away() -> None:
    terminal = Terminal()
    line = ProgressLine(terminal)
    line("build.parsed", {"sources": 1})
    assert terminal.getvalue() == ""
    for done in range(1001):
        line("progress", {"step": "embed\x1bding", "done": done, "total": 1000})
    line.close()
    drawn = terminal.getvalue().split("\r")
    assert len(drawn) < 20
    assert "\n" not in terminal.getvalue()
    assert drawn[-2] == "\x1b[Kembed\\u001bding: 1000 of 1000, 100 %"
    assert drawn[-1] == "\x1b[K"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("reading", 0, 0, 0.0), "reading"),
        (("reading", 7, 0, 9.0), "reading: 7"),
        (("embedding", 0, 80, 9.0), "embedding: 0 of 80, 0 %"),
        (("embedding", 20, 80, 1.0), "embedding: 20 of 80, 25 %"),
        (("embedding", 20, 80, 10.0), "embedding: 20 of 80, 25 %, 30 s left"),
        (("embedding", 1, 80, 10.0), "embedding: 1 of 80, 1 %, 13 min left"),
        (("embedding", 80, 80, 90.0), "embedding: 80 of 80, 100 %"),
    ],
)
def test_progress_says_how_far_and_how_long(
    arguments: tuple[str, int, int, float], text: str
) -> None:
    assert progress_text(*arguments) == text
