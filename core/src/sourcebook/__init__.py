"""Index a corpus once, then search it, verify it, and be told when it holds no answer."""

from sourcebook.errors import SourcebookError
from sourcebook.hookspecs import hookimpl
from sourcebook.model import Entry, Fact, IndexedEntry, Problem, Skipped, Source, Span
from sourcebook.subject import Filter, Subject

__version__ = "0.1.0"

__all__ = [
    "Entry",
    "Fact",
    "Filter",
    "IndexedEntry",
    "Problem",
    "Skipped",
    "Source",
    "SourcebookError",
    "Span",
    "Subject",
    "hookimpl",
]
