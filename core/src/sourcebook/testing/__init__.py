"""Suites for plugin authors: one for each contract, chosen by what a plugin declares."""

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from sourcebook.testing.embedders import EmbedderConformance as EmbedderConformance
    from sourcebook.testing.stores import StoreConformance as StoreConformance
    from sourcebook.testing.subjects import SubjectConformance as SubjectConformance

pytest.register_assert_rewrite(*(f"{__name__}.{module.name}" for module in iter_modules(__path__)))

_SUITES: Final = {
    "EmbedderConformance": "embedders",
    "StoreConformance": "stores",
    "SubjectConformance": "subjects",
}


def __getattr__(name: str) -> object:
    """Return a suite; each is imported only when named, with what it needs."""
    if name not in _SUITES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_SUITES[name]}"), name)
