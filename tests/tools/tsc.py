"""The compiler of TypeScript, as tests ask it: which lines of these files are wrong?

The pinned version is installed once, see `npm.py`. `python -m tests.tools.tsc FILE...` checks some.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.tools.npm import ensure_installed

FILES = Path(__file__).parent / "typescript"
TIMEOUT_S = 600

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
        cwd=ensure_installed(FILES),
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, done.stderr
    return [Wrong(**each) for each in json.loads(done.stdout)]


if __name__ == "__main__":
    for wrong in check({name: Path(name).read_text(encoding="utf-8") for name in sys.argv[1:]}):
        print(f"{wrong.file}:{wrong.line}: TS{wrong.code}: {wrong.message}")
