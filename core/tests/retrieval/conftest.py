"""Indexes of a few notes, by the plugin that the tests of the index install."""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sourcebook.index.open import Index, open_index
from sourcebook.registry import registry
from sourcebook.testing.indexes import build

SITE = Path(__file__).parents[1] / "index" / "site"

Indexed = Callable[..., Index]


@pytest.fixture(scope="module", autouse=True)
def _notes() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(SITE), *sys.path])
        importlib.invalidate_caches()
        registry.cache_clear()
        yield
    registry.cache_clear()


@pytest.fixture
def indexed(tmp_path: Path) -> Iterator[Indexed]:
    """Return a function from texts, a document each, to an open index."""
    with ExitStack() as stack:

        def make(*texts: str, embedding: str = "none", store: str = "memory") -> Index:
            corpus = tmp_path / "corpus"
            corpus.mkdir()
            for number, text in enumerate(texts):
                (corpus / f"{number}.note").write_text(text, "utf-8")
            build("notes", corpus, tmp_path / "db", embedding=embedding, stores=[store])
            return stack.enter_context(open_index(tmp_path / "db"))

        yield make
