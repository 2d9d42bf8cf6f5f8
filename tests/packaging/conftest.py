"""Wheels, really installed in a folder of their own, and processes that find them there."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest


def write_wheel(
    folder: Path,
    distribution: str,
    version: str,
    files: Mapping[str, str],
    points: str,
    requires: Iterable[str] = (),
) -> Path:
    """Write a pure wheel and return its path."""
    stem = f"{distribution.replace('-', '_')}-{version}"
    needs = "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
    every = {name: textwrap.dedent(text) for name, text in files.items()} | {
        f"{stem}.dist-info/METADATA": (
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
            f"Summary: About {distribution}.\n{needs}"
        ),
        f"{stem}.dist-info/WHEEL": (
            "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        ),
        f"{stem}.dist-info/entry_points.txt": textwrap.dedent(points),
    }
    record = "".join(
        f"{name},sha256={digest(text)},{len(text.encode())}\n" for name, text in every.items()
    )
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in every.items():
            wheel.writestr(name, text)
        wheel.writestr(f"{stem}.dist-info/RECORD", f"{record}{stem}.dist-info/RECORD,,\n")
    return path


def digest(text: str) -> str:
    """Return a digest as RECORD files give it."""
    return urlsafe_b64encode(sha256(text.encode()).digest()).rstrip(b"=").decode()


class World:
    """A folder that wheels are installed into, and Python processes that have it on their path.

    Args:
        folder: for the wheels, the installed files and a home.
    """

    def __init__(self, folder: Path) -> None:
        self.site = folder / "site"
        self.wheels = folder / "wheels"
        self.home = folder / "home"
        for each in (self.site, self.wheels, self.home):
            each.mkdir()

    def install(self, *wheels: Path) -> None:
        """Install wheels as a user would, without an index to ask."""
        if uv := shutil.which("uv"):
            command = [uv, "pip", "install", "--offline", "--quiet", "--python", sys.executable]
        else:
            command = [sys.executable, "-m", "pip", "install", "--no-index", "--quiet"]
        command += ["--no-deps", "--target", str(self.site), *map(str, wheels)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def plugin(
        self,
        distribution: str,
        code: str,
        points: str,
        *,
        version: str = "1.0",
        requires: Iterable[str] = (),
    ) -> None:
        """Install a distribution with one module, named like it, that holds `code`."""
        module = distribution.replace("-", "_")
        self.install(
            write_wheel(
                self.wheels, distribution, version, {f"{module}.py": code}, points, requires
            )
        )

    def run(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Return what a Python process with the folder on its path says, which must end well."""
        done = self.start(*arguments, **environ)
        assert done.returncode == 0, done.stderr
        return done

    def fails(self, *arguments: str, **environ: str) -> str:
        """Return what such a process says on standard error, which must end badly."""
        done = self.start(*arguments, **environ)
        assert done.returncode in (1, 2), done.stderr
        return done.stderr or done.stdout

    def start(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Return what such a process says, however it ends."""
        return subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.home,
            env=os.environ
            | {
                "PYTHONPATH": str(self.site),
                "HOME": str(self.home),
                "XDG_CONFIG_HOME": str(self.home / ".config"),
                "SOURCEBOOK_CONFIG": os.devnull,
                "SOURCEBOOK_PLUGINS": "",
            }
            | environ,
        )

    def ask(self, code: str, **environ: str) -> Any:
        """Return the JSON value that a Python program prints."""
        return json.loads(self.run("-c", textwrap.dedent(code), **environ).stdout)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """An empty world."""
    return World(tmp_path)
