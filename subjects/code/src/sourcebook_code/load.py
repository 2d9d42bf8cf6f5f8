"""Which files of a repository are read."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import evolve
from sourcebook.index.walk import DEPENDENCIES, Reach, resolve_corpus, walk
from sourcebook.model import Skipped
from sourcebook.subject import Document, LoadOptions

from sourcebook_code.descriptions.sidecar import (
    NAME,
    Description,
    SidecarUnreadable,
    read_sidecar,
    to_context,
)
from sourcebook_code.languages import SUFFIXES, language_of
from sourcebook_code.options import CodeOptions

MADE_BY_TOOLS = frozenset(
    {
        ".bzr", ".eggs", ".gradle", ".hg", ".jj", ".mypy_cache", ".nox", ".pytest_cache",
        ".ruff_cache", ".svn", ".terraform", ".tox", ".venv", "__pycache__", "bower_components",
        "site-packages", "venv",
    }
)  # fmt: skip
"""Names that no project gives to folders of its own code. `build`, `dist`, `vendor` and `target`
are not among them: in most repositories git ignores those that tools fill."""


def load(
    paths: Sequence[Path], load_options: LoadOptions, options: CodeOptions
) -> Iterator[Document | Skipped]:
    """Yield the files of code below `paths`: those with a known suffix, and scripts whose first
    line names an interpreter. Hidden folders are part of a repository (`.github`), other
    repositories in it are not.

    Raises:
        CorpusUnreadable: see `sourcebook.index.walk`.
    """
    reach = Reach(
        SUFFIXES,
        takes=lambda name, head: language_of(name, head) is not None,
        hidden=True,
        dependencies=DEPENDENCIES | MADE_BY_TOOLS,
        repositories=options.nested_repositories,
    )
    limit = min(load_options.limit_bytes, options.max_file_bytes)
    contexts = {}
    try:
        contexts = _contexts(resolve_corpus(paths).root)
    except SidecarUnreadable as error:
        yield Skipped(NAME, "malformed", error.message)
    for found in walk(paths, reach, evolve(load_options, limit_bytes=limit)):
        if isinstance(found, Document) and found.name in contexts:
            yield evolve(found, context=contexts[found.name])
        elif found.name != NAME:
            yield found


def _contexts(root: Path) -> dict[str, str]:
    """Return the descriptions that lie at the root of a corpus, by file."""
    by_path: dict[str, list[Description]] = {}
    for one in read_sidecar(root):
        by_path.setdefault(one.path, []).append(one)
    return {path: to_context(some) for path, some in by_path.items()}
