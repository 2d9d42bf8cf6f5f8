"""The subject's `load`; what is heavy is imported by the first call."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from sourcebook.model import Skipped
from sourcebook.subject import Document, LoadOptions

SUFFIXES = (".json", ".yaml", ".yml")


class Allowed(Protocol):
    """What the subject's options say of loading."""

    @property
    def allow_outside(self) -> bool: ...
    @property
    def allow_remote(self) -> bool: ...
    @property
    def strict(self) -> bool: ...


def load(
    paths: Sequence[Path], load_options: LoadOptions, options: Allowed
) -> Iterator[Document | Skipped]:
    """Yield the descriptions below `paths`, and the pieces that references lead to, which may lie
    in the folders given (of a file, in its own) and nowhere else unless `options` allow it.

    Raises:
        InvalidDescription: one is invalid, and `options` are strict.
        CorpusUnreadable: see `resolve_corpus`.
    """
    from sourcebook.index.walk import resolve_corpus, walk

    from sourcebook_schema.pieces import Loader

    loader = Loader(resolve_corpus(paths), load_options, options)
    for found in walk(paths, SUFFIXES, load_options):
        if isinstance(found, Skipped):
            yield found
        else:
            loader.look(found)
    loader.follow()
    if options.strict:
        loader.validate()
    yield from loader.left_out()
    yield from loader.documents()
