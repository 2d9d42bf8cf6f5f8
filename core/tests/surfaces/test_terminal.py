"""What a terminal gets: colours, progress, a prompt over several indexes."""

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sourcebook.surfaces import cli

COMMAND = [sys.executable, "-m", "sourcebook"]


class Talk:
    """A process on a pseudo-terminal: what is typed, what is shown."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self.controller, terminal = pty.openpty()
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            cwd=folder,
            env={**os.environ, "HOME": str(folder), "TERM": "xterm", **environment},
            start_new_session=True,
        )
        os.close(terminal)

    def read(self, until: str, seconds: float = 60) -> str:
        """Return what is shown up to and with `until`."""
        shown, end = b"", time.monotonic() + seconds
        while until.encode() not in shown:
            ready, _, _ = select.select([self.controller], [], [], end - time.monotonic())
            assert ready, f"waited for {until!r}, saw {shown!r}"
            try:
                shown += os.read(self.controller, 65536)
            except OSError:  # the other side has gone
                break
        return shown.decode().replace("\r\n", "\n")

    def say(self, line: str, until: str = "plain> ") -> str:
        """Type a line and return what is shown up to the next prompt."""
        os.write(self.controller, line.encode() + b"\n")
        return self.read(until)

    def end(self) -> int:
        """Close the terminal and return the exit status."""
        status = self.process.wait(60)
        os.close(self.controller)
        return status


def test_a_terminal_gets_colours_and_no_control_characters_of_the_corpus(
    sample: Path, indexed: Path
) -> None:
    talk = Talk(indexed, "plain", "show", "pumps.plain", "-q", NO_COLOR="")
    shown = talk.read("word.")
    assert talk.end() == 0
    assert "\x1b[2m4 | \x1b[0mA \\u001b[31mred\\u009b word." in shown


def test_progress_is_shown_on_a_terminal_and_taken_away(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "a.plain").write_text("A line.\n")
    chosen = ("--embedding", "hash", "--store", "memory", "--no-cache")
    talk = Talk(tmp_path, "plain", "index", "a.plain", *chosen, NO_COLOR="1")
    shown = talk.read("embedded by hash")
    assert talk.end() == 0
    assert "\r\x1b[K" in shown
    assert shown.rpartition("\r\x1b[K")[2].startswith("plain-db: 1 source")


def test_json_is_indented_on_a_terminal(sample: Path, indexed: Path) -> None:
    talk = Talk(indexed, "plain", "grep", "pump", "--json", "-q")
    assert talk.read('\n  "found": 2').startswith('{\n  "schema": "grep/1"')
    talk.read("\n}")
    assert talk.end() == 0


def test_a_prompt_asks_several_indexes_together(
    sample: Path, indexed: Path, tmp_path: Path
) -> None:
    named: list[str] = []
    for name in ("one", "two"):
        shutil.copytree(indexed / "plain-db", tmp_path / name)
        named += ["-d", name]
    talk = Talk(tmp_path, "plain", "search", "--interactive", "--hits", *named, NO_COLOR="1")
    talk.read("plain> ")
    shown = talk.say("drains")
    assert "one/pumps.plain:1" in shown
    assert "two/pumps.plain:1" in shown
    assert "two/pumps.plain:1" not in talk.say(":source one/pumps")
    os.write(talk.controller, b"\x04")
    assert talk.end() == 0


def test_an_interrupt_at_the_prompt_ends_with_130(sample: Path, indexed: Path) -> None:
    talk = Talk(indexed, "plain", "search", "--interactive", "-d", "plain-db", NO_COLOR="1")
    talk.read("plain> ")
    time.sleep(0.2)
    talk.process.send_signal(signal.SIGINT)
    assert talk.end() == 130


def test_a_prompt_speaks_no_json(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["plain", "search", "--interactive", "--json"]) == 2
    assert "a prompt speaks no JSON" in capsys.readouterr().out
