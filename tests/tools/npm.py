"""Tools that tests take from npm: each is pinned by a `package-lock.json` with checksums.

They are installed once, into the user's cache folder. From then on no network is needed.
`python -m tests.tools.npm` installs all of them, and prints where.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from platformdirs import user_cache_dir

TIMEOUT_S = 300


@cache
def ensure_installed(files: Path) -> Path:
    """Return the folder that has the `node_modules` of a tool; install them if they are not there.

    Args:
        files: the folder of its `package.json` and `package-lock.json`.
    """
    lock = (files / "package-lock.json").read_bytes()
    home = Path(user_cache_dir("sourcebook-tests", appauthor=False))
    folder = home / f"{files.name}-{hashlib.sha256(lock).hexdigest()[:16]}"
    if not folder.exists():
        home.mkdir(parents=True, exist_ok=True)
        # Made beside its place and put there by a rename: tests may run in several processes.
        with tempfile.TemporaryDirectory(dir=home) as made:
            _install(files, Path(made) / "new")
            try:
                (Path(made) / "new").rename(folder)
            except OSError:
                assert folder.exists()
    return folder


def _install(files: Path, folder: Path) -> None:
    npm = shutil.which("npm")
    assert npm, f"the tests that use {files.name} need Node.js with npm"
    folder.mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(files / name, folder / name)
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=TIMEOUT_S,
        env=os.environ | {"npm_config_update_notifier": "false"},
    )
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    for lock in sorted(Path(__file__).parent.glob("*/package-lock.json")):
        print(ensure_installed(lock.parent))
