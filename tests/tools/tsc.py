"""The compiler of TypeScript, as tests ask it: which lines of these files are wrong?

The pinned version is installed once, by npm, into the user's cache folder, with the checksum that
stands in `typescript/package-lock.json`. From then on no network is needed. `python
tests/tools/tsc.py` installs it and prints where; with names of files, it checks these.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_cache_dir

FILES = Path(__file__).parent / "typescript"
INSTALL_TIMEOUT_S = 300
CHECK_TIMEOUT_S = 600

STRICT: Mapping[str, object] = {
    "strict": True,
    "noEmit": True,
    "target": "es2020",
    "lib": ["es2020"],
    "module": "es2020",
    "moduleResolution": "bundler",
    "types": [],
}
"""`tsc --strict`, without the names that a browser has."""


class Wrong(NamedTuple):
    """One error: `line` from 1, `code` as in TS2322."""

    file: str
    line: int
    code: int
    message: str


def check(files: Mapping[str, str], **options: object) -> list[Wrong]:
    """Return all that is wrong with files, which may import each other by their names.

    All are checked by one process: a hundred modules cost little more than one.

    Args:
        files: texts by relative name.
        options: compiler options beside `--strict`.
    """
    done = subprocess.run(
        ["node", "--max-old-space-size=4096", str(FILES / "check.mjs")],
        input=json.dumps({"files": dict(files), "options": {**STRICT, **options}}),
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=ensure_typescript(),
        timeout=CHECK_TIMEOUT_S,
    )
    assert done.returncode == 0, done.stderr
    return [Wrong(**each) for each in json.loads(done.stdout)]


@cache
def ensure_typescript() -> Path:
    """Return the folder that TypeScript is installed in; install it if it is not there."""
    lock = (FILES / "package-lock.json").read_bytes()
    home = Path(user_cache_dir("sourcebook-tests", appauthor=False))
    folder = home / f"typescript-{hashlib.sha256(lock).hexdigest()[:16]}"
    if not folder.exists():
        home.mkdir(parents=True, exist_ok=True)
        # Made beside its place and put there by a rename: tests may run in several processes.
        with tempfile.TemporaryDirectory(dir=home) as made:
            _install(Path(made) / "new")
            try:
                (Path(made) / "new").rename(folder)
            except OSError:
                assert folder.exists()
    return folder


def _install(folder: Path) -> None:
    npm = shutil.which("npm")
    assert npm, "the tests of the renderer `typescript` need Node.js with npm"
    folder.mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(FILES / name, folder / name)
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=INSTALL_TIMEOUT_S,
        env=os.environ | {"npm_config_update_notifier": "false"},
    )
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    if names := sys.argv[1:]:
        for wrong in check({name: Path(name).read_text(encoding="utf-8") for name in names}):
            print(f"{wrong.file}:{wrong.line}: TS{wrong.code}: {wrong.message}")
    else:
        print(ensure_typescript())
