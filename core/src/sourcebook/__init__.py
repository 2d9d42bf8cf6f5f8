"""Index a corpus once, then search it, verify it, and be told when it holds no answer.

The public names are imported when first used: the root help needs none of them, and defining their
classes takes a third of the time that it has.
"""

TYPE_CHECKING = False  # `typing` takes 10 ms, in which Ctrl-C is not yet seen to
if TYPE_CHECKING:
    from sourcebook.embedder import EmbedderOptions, EmbedderPlugin
    from sourcebook.errors import SourcebookError
    from sourcebook.hookspecs import hookimpl
    from sourcebook.index.open import open_index
    from sourcebook.model import Entry, Fact, IndexedEntry, Problem, Skipped, Source, Span
    from sourcebook.renderer import Renderer
    from sourcebook.store import Capability, Store
    from sourcebook.subgraph import ApiSubgraph, Edge, Node, Subgraph
    from sourcebook.subject import Filter, Subject
    from sourcebook.surfaces.tools import tools
    from sourcebook.verb import Command, Verb, VerbRef, option
    from sourcebook.verbs.search import SearchResponse

__version__ = "0.1.0"

__all__ = [
    "ApiSubgraph",
    "Capability",
    "Command",
    "Edge",
    "EmbedderOptions",
    "EmbedderPlugin",
    "Entry",
    "Fact",
    "Filter",
    "IndexedEntry",
    "Node",
    "Problem",
    "Renderer",
    "SearchResponse",
    "Skipped",
    "Source",
    "SourcebookError",
    "Span",
    "Store",
    "Subgraph",
    "Subject",
    "Verb",
    "VerbRef",
    "hookimpl",
    "open_index",
    "option",
    "tools",
]

_NAMES = {
    "embedder": ("EmbedderOptions", "EmbedderPlugin"),
    "errors": ("SourcebookError",),
    "hookspecs": ("hookimpl",),
    "index.open": ("open_index",),
    "model": ("Entry", "Fact", "IndexedEntry", "Problem", "Skipped", "Source", "Span"),
    "renderer": ("Renderer",),
    "store": ("Capability", "Store"),
    "subgraph": ("ApiSubgraph", "Edge", "Node", "Subgraph"),
    "subject": ("Filter", "Subject"),
    "surfaces.tools": ("tools",),
    "verb": ("Command", "Verb", "VerbRef", "option"),
    "verbs.search": ("SearchResponse",),
}


def __getattr__(name: str) -> object:
    """Import a public name where it is defined."""
    for module, names in _NAMES.items():
        if name in names:
            from importlib import import_module

            value: object = getattr(import_module(f"{__name__}.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
