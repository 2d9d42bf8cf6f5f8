"""A plugin that is really installed, for this process and for those it starts."""

import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sourcebook.registry import registry

SAMPLE = Path(__file__).parent / "sample"


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put the sample plugin on the path, which is all that installing it would do."""
    before = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(SAMPLE), before])))
    monkeypatch.syspath_prepend(str(SAMPLE))
    importlib.invalidate_caches()
    registry.cache_clear()
    yield SAMPLE
    registry.cache_clear()


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a corpus and its indexes of two subjects, `plain-db` and `sample-db`."""
    folder = tmp_path_factory.mktemp("indexed")
    corpus = folder / "corpus"
    (corpus / "deep").mkdir(parents=True)
    (corpus / "pumps.plain").write_text(
        "The pump drains the tank.\nValves open at noon.\n\nA \x1b[31mred\x9b word.\n"
    )
    (corpus / "deep" / "city.plain").write_text("Another pump is spare.\n東京 is a city.\n")
    (corpus / "one.sample").write_text("A line of its own.\n")
    for subject in ("plain", "sample"):
        done = subprocess.run(
            [sys.executable, "-m", "sourcebook", subject, "index", "corpus", "--no-cache"],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": str(SAMPLE),
                "SOURCEBOOK_STORES": "memory",
                "SOURCEBOOK_EMBEDDING": "hash",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(autouse=True, scope="session")
def ctrl_c_arrives() -> None:
    """A shell starts what runs in its background with Ctrl-C ignored, and children inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
