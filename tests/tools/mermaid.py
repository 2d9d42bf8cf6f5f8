"""Mermaid, as tests ask it: does it draw this text, and what does a reader see then?

The pinned version runs in a real browser, Chromium without a window, on a page of local files.
`python -m tests.tools.mermaid FILE PICTURE` draws a diagram to a PNG, to look at.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.tools.npm import ensure_installed

FILES = Path(__file__).parent / "mermaid"
TIMEOUT_S = 600
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

DEFAULTS: Mapping[str, object] = {"startOnLoad": False, "deterministicIds": True}


class Read(NamedTuple):
    """What Mermaid makes of a text.

    Args:
        error: why it does not parse or cannot be drawn; empty if it is drawn.
        edges: from label to label, as Mermaid's own parser has them.
        svg: the picture.
        shown: the texts in the picture: names, members, labels of edges.
        unsafe: elements and attributes in the picture that run, link or load anything.
    """

    error: str
    edges: set[tuple[str, str]]
    svg: str
    shown: set[str]
    unsafe: list[str]


def read(text: str) -> Read:
    """Return what Mermaid makes of a text."""
    return read_all([text])[0]


def read_all(texts: Sequence[str], **options: object) -> list[Read]:
    """Return what Mermaid makes of each text; all are drawn by one browser.

    Args:
        texts: diagrams.
        options: of `mermaid.initialize`, such as `securityLevel`.
    """
    with tempfile.TemporaryDirectory() as made:
        page = Path(made) / "page.html"
        page.write_text(_page(texts, options), encoding="utf-8")
        # The page's clock stands still while it works, so this budget is no limit to it.
        dom = _browse(made, "--virtual-time-budget=600000", "--dump-dom", page.as_uri())
    result = re.search(r'<pre id="result">(.+?)</pre>', dom, re.DOTALL)
    assert result, f"the page did not finish: {dom[-500:]}"
    return [
        Read(
            one["error"],
            {(start, end) for start, end in one["edges"]},
            one["svg"],
            set(one["shown"]),
            one["unsafe"],
        )
        for one in json.loads(html.unescape(result[1]))
    ]


def draw(text: str, picture: Path) -> None:
    """Draw a diagram to a PNG file."""
    with tempfile.TemporaryDirectory() as made:
        page = Path(made) / "page.html"
        page.write_text(f"<meta charset=utf-8><body>{read(text).svg}", encoding="utf-8")
        _browse(made, f"--screenshot={picture.resolve()}", "--window-size=1800,1200", page.as_uri())


def _page(texts: Sequence[str], options: Mapping[str, object]) -> str:
    script = ensure_installed(FILES) / "node_modules" / "mermaid" / "dist" / "mermaid.min.js"
    data = json.dumps({"texts": list(texts), "options": {**DEFAULTS, **options}})
    return (
        '<!doctype html><meta charset="utf-8"><body><pre id="result"></pre>'
        f'<script src="{script.as_uri()}"></script>'
        f'<script type="application/json" id="data">{data.replace("<", chr(92) + "u003c")}</script>'
        f"<script>{(FILES / 'read.js').read_text(encoding='utf-8')}</script>"
    )


def _browse(home: str, *arguments: str) -> str:
    done = subprocess.run(
        [
            _browser(),
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={home}/profile",
            # The browser refuses to run as root inside its sandbox, as it would on a build machine.
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
            *arguments,
        ],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def _browser() -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert found, "the tests of diagrams need Chromium: `apt-get install chromium`"
    return found


if __name__ == "__main__":
    draw(Path(sys.argv[1]).read_text(encoding="utf-8"), Path(sys.argv[2]))
