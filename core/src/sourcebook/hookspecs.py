"""The hooks a plugin module may have, and the marker for its implementations."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from sourcebook.embedder import EmbedderPlugin
    from sourcebook.renderer import Renderer
    from sourcebook.store import Store
    from sourcebook.subject import Subject
    from sourcebook.verb import Command

CORE_API = 1
"""The version of these hooks; a plugin module may say which it needs as `SOURCEBOOK_API = 1`."""

hookspec = pluggy.HookspecMarker("sourcebook")
hookimpl = pluggy.HookimplMarker("sourcebook")


@hookspec
def sourcebook_subjects() -> "Iterable[Subject]":
    """Yield subjects: kinds of corpus."""
    return ()


@hookspec
def sourcebook_stores() -> "Iterable[Store]":
    """Yield stores: where rows are found by vector or by words."""
    return ()


@hookspec
def sourcebook_embedders() -> "Iterable[EmbedderPlugin]":
    """Yield embedders: texts to vectors."""
    return ()


@hookspec
def sourcebook_renderers() -> "Iterable[Renderer]":
    """Yield renderers: responses to text."""
    return ()


@hookspec
def sourcebook_commands() -> "Iterable[Command]":
    """Yield extra top-level commands (`mcp`, `serve`)."""
    return ()


@hookspec(firstresult=True)
def sourcebook_defaults() -> "Mapping[str, object] | None":
    """Return a bundle's default settings by dotted key; the first bundle that answers wins."""
    return None
