"""A user's shell, with a handbook to ask."""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from tests.docs.console import Shell

DEPLOY = """\
# Deploying

Every service is deployed by its own team, on weekdays before 15:00.

## Before a deploy

1. Tell the channel `#deploys` which service it is.
2. Drain the traffic of one zone and wait until its queue is empty.

## Rolling back

Run `ship back SERVICE`. The previous image is kept for 30 days.
"""

LIMITS = """\
# Limits

Requests beyond a limit are answered with status 429 until the minute is over.

| endpoint | requests a minute |
| --- | --- |
| /search | 60 |
| /upload | 5 |
"""

ONCALL = """\
The person on call answers a page within ten minutes.

If nobody answers, the page goes to the second person.
"""


@frozen
class Ran:
    """What a command did: its status, and what it wrote to standard output and error."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


class User:
    """Someone at a shell in an empty folder, who has no settings and no caches yet."""

    def __init__(self, home: Path) -> None:
        self._shell = Shell(home)
        self.folder = self._shell.folder
        self.environ = self._shell.environ

    def write(self, name: str, text: str) -> Path:
        """Write a file, with the folders above it."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *arguments: str, stdin: str = "", **environ: str) -> Ran:
        """Run `sourcebook`, whatever its status."""
        done = subprocess.run(
            ["sourcebook", *arguments],
            cwd=self.folder,
            env=self.environ | environ,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Ran(done.returncode, done.stdout, done.stderr)

    def does(self, *arguments: str, stdin: str = "", **environ: str) -> str:
        """Run `sourcebook docs`, which must succeed, and return its standard output."""
        ran = self.run("docs", *arguments, stdin=stdin, **environ)
        assert ran.status == 0, ran.err + ran.out
        return ran.out

    def shell(self, command: str) -> str:
        """Run a line of shell, which must succeed, and return all that it printed."""
        status, printed = self._shell.run(command)
        assert status == 0, printed
        return printed

    def at_a_terminal(self, *arguments: str, **environ: str) -> str:
        """Run `sourcebook` with a terminal for its input and outputs; return what it showed."""
        master, slave = pty.openpty()
        process = subprocess.Popen(
            ["sourcebook", *arguments],
            cwd=self.folder,
            env=self.environ | {"TERM": "xterm"} | environ,
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        shown = b""
        while select.select([master], [], [], 120)[0]:
            try:
                block = os.read(master, 65536)
            except OSError:  # how Linux says that the other end has closed
                break
            if not block:
                break
            shown += block
        os.close(master)
        assert process.wait(timeout=60) == 0, shown
        return shown.decode()


def at_work(home: Path) -> User:
    """Return a user who has written a handbook."""
    user = User(home)
    user.write("handbook/deploy.md", DEPLOY)
    user.write("handbook/limits.md", LIMITS)
    user.write("handbook/oncall.txt", ONCALL)
    return user


@pytest.fixture(name="user")
def _user(tmp_path: Path) -> User:
    return at_work(tmp_path)


@pytest.fixture(scope="session", name="built")
def _built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a user whose handbook is indexed with vectors that need no model."""
    home = tmp_path_factory.mktemp("built")
    at_work(home).does("index", "handbook", "--embedding", "hash")
    return home


@pytest.fixture(name="indexed")
def _indexed(built: Path, tmp_path: Path) -> User:
    """A user with a copy of the handbook, its index, and the caches of its build."""
    home = tmp_path / "home"
    home.mkdir()
    user = User(home)
    shutil.copytree(built, home, dirs_exist_ok=True)
    return user


@pytest.fixture(name="colours")
def _colours() -> Callable[[str], list[str]]:
    """Find the colour sequences in what a terminal showed."""
    return re.compile(r"\x1b\[\d*m").findall


@pytest.fixture(autouse=True, scope="session")
def ctrl_c_arrives() -> None:
    """A shell starts what runs in its background with Ctrl-C ignored, and children inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
