"""The plugin `notes`, really installed for this process and for those it starts."""

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sourcebook.registry import registry

SITE = Path(__file__).parent / "site"


@pytest.fixture(scope="module", autouse=True)
def _notes() -> Iterator[None]:
    """Put the plugin on the path, which is all that installing it would do."""
    with pytest.MonkeyPatch.context() as patch:
        before = os.environ.get("PYTHONPATH")
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(SITE), before])))
        patch.setattr(sys, "path", [str(SITE), *sys.path])
        importlib.invalidate_caches()
        registry.cache_clear()
        yield
    registry.cache_clear()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return an empty folder for documents."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Return where an index goes."""
    return tmp_path / "notes-db"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Return where the cache goes."""
    return tmp_path / "cache"
