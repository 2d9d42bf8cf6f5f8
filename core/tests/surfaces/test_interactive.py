"""The prompt: questions, narrowing, more, and mistakes that end nothing."""

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from sourcebook.surfaces.interactive import Conversation
from sourcebook.verb import option


@frozen
class Request:
    query: str = option("", help="q", positional=True)
    file: tuple[str, ...] = option((), help="Only these files.")
    kind: tuple[str, ...] = option((), help="Only this kind.", choices=("list", "code"))
    mode: str = option("both", help="How.", choices=("both", "text"))
    exclude_id: tuple[str, ...] = option((), help="x")

    @property
    def asks(self) -> bool:
        return bool(self.query)


@frozen
class Hit:
    id: str


@frozen
class Response:
    asked: Request
    hits: tuple[Hit, ...]


def conversation() -> tuple[Conversation, list[Request]]:
    asked: list[Request] = []

    def run(request: Any) -> Response:
        asked.append(request)
        return Response(request, (Hit(f"hit{len(asked)}"),))

    return Conversation(Request(), run, lambda response: response.hits[0].id), asked


def test_a_line_is_a_question_and_narrowing_asks_it_again() -> None:
    talk, asked = conversation()
    assert talk.answer("how are limits counted") == "hit1"
    assert talk.answer(":file api") == "hit2"
    assert asked[-1] == Request(query="how are limits counted", file=("api",))
    talk.answer(":clear")
    assert not asked[-1].file


def test_more_leaves_out_what_was_seen() -> None:
    talk, asked = conversation()
    talk.answer("limits")
    talk.answer(":more")
    talk.answer(":more")
    assert asked[-1].exclude_id == ("hit1", "hit2")
    talk.answer("another question")
    assert not asked[-1].exclude_id


def test_narrowing_before_the_first_question_is_kept_for_it() -> None:
    talk, asked = conversation()
    assert talk.answer(":kind list") == ":kind list"
    talk.answer("limits")
    assert asked == [Request(query="limits", kind=("list",))]


def test_a_choice_is_narrowed_by_its_last_value_and_cleared() -> None:
    talk, asked = conversation()
    assert talk.answer(":mode text") == ":mode text"
    talk.answer("limits")
    assert asked[-1].mode == "text"
    talk.answer(":mode")
    assert asked[-1].mode == "both"
    talk.answer(":mode text")
    talk.answer(":clear")
    assert asked[-1] == Request(query="limits")


@pytest.mark.parametrize(
    ("line", "says"),
    [(":kind chapter", "chapter"), (":fiel x", ":file"), (":more", "nothing has been shown")],
)
def test_a_mistake_is_said_and_changes_nothing(line: str, says: str) -> None:
    talk, asked = conversation()
    assert says.strip(":") in talk.answer(line)
    assert asked == []
    assert talk.answer(":narrowed") == "nothing is narrowed"


def test_help_names_every_field_that_narrows() -> None:
    talk, _ = conversation()
    said = talk.answer(":help")
    assert ":file" in said
    assert "Only these files." in said


def test_quit_ends_it() -> None:
    talk, _ = conversation()
    with pytest.raises(EOFError):
        talk.answer(":quit")


def test_without_a_terminal_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Tides\n\nThe harbour floods at noon.\n")
    command = [sys.executable, "-m", "sourcebook", "docs"]
    subprocess.run([*command, "index", "a.md", "--embedding", "none"], cwd=tmp_path, check=True)
    done = subprocess.run(
        [*command, "search", "--interactive"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr


def test_on_a_terminal_it_prompts_narrows_and_leaves(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Tides\n\nThe harbour floods at noon.\n")
    (tmp_path / "b.md").write_text("# Boats\n\nThe harbour holds nine boats.\n")
    command = [sys.executable, "-m", "sourcebook", "docs"]
    subprocess.run([*command, "index", ".", "--embedding", "none"], cwd=tmp_path, check=True)
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*command, "search", "--interactive"],
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "dumb"},
    ) as process:
        os.close(theirs)
        said = _until(ours, "docs> ")
        os.write(ours, b"harbour\n")
        said = _until(ours, "docs> ")
        assert "noon" in said
        assert "nine boats" in said
        os.write(ours, b":file b.md\n")
        said = _until(ours, "docs> ")
        assert "noon" not in said
        assert "nine boats" in said
        os.write(ours, b":quit\n")
        assert process.wait(timeout=30) == 0
    os.close(ours)


def _until(handle: int, mark: str) -> str:
    said = ""
    end = time.monotonic() + 30
    while not said.endswith(mark):
        assert time.monotonic() < end, said
        if select.select([handle], [], [], 1)[0]:
            said += os.read(handle, 65536).decode()
    return said
