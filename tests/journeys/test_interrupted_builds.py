"""Ctrl-C and SIGTERM end a command with all its processes, and nothing but the status tells."""

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.journeys.conftest import User


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "term"]
)
def test_a_build_that_is_interrupted_leaves_nothing_behind(
    user: "User", number: signal.Signals, status: int
) -> None:
    for one in range(60):
        text = "".join(f"# Part {part}\n\nword {one} {part}\n\n" for part in range(400))
        user.write(f"many/{one}.md", text)
    temporary = user.folder / "tmp"
    temporary.mkdir()
    build = ["docs", "index", "many", "--embedding", "none", "--no-cache"]
    process = subprocess.Popen(
        ["sourcebook", *build],
        cwd=user.folder,
        env=user.environ | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while not (user.folder / "docs-db" / ".lock").exists():
        time.sleep(0.01)
    time.sleep(0.4)  # the workers are starting or at work
    os.killpg(process.pid, number)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (status, b"")
    assert list(temporary.iterdir()) == []
    deadline = time.monotonic() + 5
    while _is_alive(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert "60 sources" in user.does(*build[1:])


def test_ctrl_c_while_the_program_is_still_being_imported_ends_it_quietly(user: "User") -> None:
    user.write("slow/click.py", "import time\nprint('importing', flush=True)\ntime.sleep(60)\n")
    process = subprocess.Popen(
        ["sourcebook", "--help"],
        cwd=user.folder,
        env=user.environ | {"PYTHONPATH": "slow"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"importing\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, b"")


def _is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_empty_names_are_no_names(user: "User") -> None:
    for arguments in (["index", ""], ["index", "handbook", "-o", ""], ["search", "-d", "", "x"]):
        ran = user.run("docs", *arguments)
        assert ran.status == 2, arguments
        assert "empty" in ran.err
    assert not Path(user.folder, "docs-db").exists()


def test_an_agent_without_input_says_so(user: "User") -> None:
    assert "standard input or output is closed" in user.shell("sourcebook agent <&- 2>&1 || true")


def test_what_the_system_refuses_is_no_fault_of_the_program(indexed: "User") -> None:
    said = indexed.shell("sourcebook docs list -q >/dev/full 2>said || cat said")
    assert said.startswith("error: the system refuses: No space left on device\nhint: make room")
