"""Files and folders to documents: what is read, and for everything else why it is not."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from attrs import frozen

from sourcebook.errors import CorpusUnreadable
from sourcebook.index import layout
from sourcebook.index.decode import is_binary
from sourcebook.index.ignore import Rules, excluding, rules_above
from sourcebook.model import Skipped
from sourcebook.subject import Document, LoadOptions

DEPENDENCIES = frozenset({"node_modules"})
MAX_DEPTH = 100
HEAD_BYTES = 200
"""How much of a file without a known suffix is read to say whether it is taken."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


class Named(NamedTuple):
    """A path that was named: a file, a folder, or with `pattern` what fits it below a folder.

    It is absolute, and only its last part may be a link.
    """

    path: Path
    pattern: str = ""


@frozen
class Reach:
    """Which of the files below a folder a walk looks at; what a subject's `load` may change.

    Args:
        suffixes: lower-case extensions with their dot; empty: all.
        takes: `takes(name, head)` says whether a file without a dot in its name is read as well, by
            its first `HEAD_BYTES`.
        hidden: whether files and folders are looked at whose names begin with a dot.
        dependencies: names of folders that hold what others wrote or tools made.
        repositories: whether repositories of git inside of the corpus are looked at.
    """

    suffixes: tuple[str, ...] = ()
    takes: Callable[[str, bytes], bool] | None = None
    hidden: bool = False
    dependencies: frozenset[str] = DEPENDENCIES
    repositories: bool = True


@frozen
class Corpus:
    """What was named on the command line: absolute paths and the root that names are below."""

    root: Path
    named: tuple[Named, ...]


def resolve_corpus(paths: Sequence[str | Path]) -> Corpus:
    """Return the corpus that `paths` name: files, folders, and globs with `*`, `?` or `**`.

    The order of the paths makes no difference, nor does naming one twice.

    Raises:
        CorpusUnreadable: a path does not exist, or a glob fits nothing.
    """
    found = {_resolve(str(one)) for one in paths}
    if not found:
        raise CorpusUnreadable("no path was given", hint="name a file, a folder or a glob")
    bases = [one.path if one.path.is_dir() else one.path.parent for one in found]
    # Links come last: of a file that is also named by its own name, that one wins.
    order = sorted(found, key=lambda one: (one.path.is_symlink(), one))
    return Corpus(Path(os.path.commonpath(bases)), tuple(order))


def _resolve(one: str) -> Named:
    try:
        Path(one).stat()
    except (OSError, ValueError) as error:
        if any(mark in one for mark in "*?"):
            return _resolve_glob(one)
        what = "does not exist" if isinstance(error, FileNotFoundError) else "cannot be read"
        raise CorpusUnreadable(
            f"`{one}` {what}", where=one, hint="name a file, a folder or a glob"
        ) from None
    path = Path(one).absolute()
    return Named(path.parent.resolve() / path.name if path.name != ".." else path.resolve())


def _resolve_glob(one: str) -> Named:
    parts = Path(one).absolute().parts
    wild = next(place for place, part in enumerate(parts) if "*" in part or "?" in part)
    base = Path(*parts[:wild]).resolve()
    pattern = "/".join(parts[wild:])
    fits = _glob_matcher(pattern)
    for folder, folders, files in os.walk(base):
        below = "" if folder == str(base) else os.path.relpath(folder, base) + os.sep
        if any(fits((below + name).replace(os.sep, "/")) for name in files):
            return Named(base, pattern)
        if "**" not in pattern and below.count(os.sep) >= pattern.count("/"):
            folders.clear()
    raise CorpusUnreadable(f"`{one}` fits no file", where=str(base), hint="check the pattern")


def _glob_matcher(pattern: str) -> Callable[[str], bool]:
    # One reading of patterns for files on disk and sources in an index; imported only here,
    # since most corpora are named by folders.
    from sourcebook.verbs.pattern import name_matcher

    return name_matcher([pattern], case_sensitive=True)


def clean_name(name: str) -> str:
    r"""Return a name as text that can be shown, typed and put on one line.

    Bytes that are no UTF-8 are written out, as in `caf\xe9.md`, and so are control characters,
    as in `two\nlines.md`: a name could otherwise pass for lines of its own in a listing.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        name = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), name)


def walk(
    paths: Sequence[str | Path], reach: Sequence[str] | Reach, options: LoadOptions
) -> Iterator[Document | Skipped]:
    """Yield every document below `paths` and every file that was left out, with the reason.

    Names are relative to the common root of all paths. Hidden files and folders, `node_modules`,
    and what git ignores are left out unless named themselves; folders that are indexes always.
    Links are followed only if named: what they lead to in the corpus is found under its own name.

    Args:
        reach: the suffixes of files that are read, or more than that.

    Raises:
        CorpusUnreadable: see `resolve_corpus`.
        BadPattern: one of `options.exclude` is no pattern.
    """
    corpus = resolve_corpus(paths)
    if not isinstance(reach, Reach):
        reach = Reach(tuple(suffix.lower() for suffix in reach))
    walker = _Walker(corpus.root, reach, options)
    for one in corpus.named:
        yield from walker.visit(one)


class _Walker:
    """Walks the paths of one corpus; paths are texts, since a `Path` for each file costs more
    than all the rest."""

    def __init__(self, root: Path, reach: Reach, options: LoadOptions) -> None:
        self._root = root
        self._name_of_base = ""
        self._base = ""
        self._reach = reach
        self._options = options
        self._seen: set[str] = set()
        self._excluded = excluding(options.exclude)

    def visit(self, named: Named) -> Iterator[Document | Skipped]:
        """Yield what one named path holds."""
        # A link is walked where it leads to, which the rules of git are about; what is found has
        # names below the one that was given.
        real = named.path.resolve()
        self._base = str(real).rstrip(os.sep)
        name = self._name_of_base = named.path.relative_to(self._root).as_posix()
        is_folder = real.is_dir()
        if any(layout.is_index(folder) for folder in (real, *real.parents)):
            yield Skipped(name, "index")
        elif name != "." and self._excluded(name, is_folder):
            yield Skipped(name, "excluded")
        elif not is_folder:
            yield from self._file(str(real))
        else:
            fits = _glob_matcher(named.pattern) if named.pattern else None
            rules = rules_above(self._base) if self._options.ignore_files else Rules()
            yield from self._folder(str(real), rules, fits)

    def _name(self, path: str) -> str:
        below = self._below(path)
        if self._name_of_base == ".":
            return below or "."
        return f"{self._name_of_base}/{below}" if below else self._name_of_base

    def _below(self, path: str) -> str:
        return path[len(self._base) + 1 :].replace(os.sep, "/")

    def _folder(
        self,
        folder: str,
        rules: Rules,
        fits: Callable[[str], bool] | None,
        depth: int = 0,
    ) -> Iterator[Document | Skipped]:
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            yield Skipped(self._name(folder), "unreadable", error.strerror or str(error))
            return
        if self._options.ignore_files:
            rules = rules.within(folder)
        for entry in entries:
            path = entry.path
            is_folder = entry.is_dir(follow_symlinks=False)
            if fits and not is_folder and not fits(self._below(path)):
                continue
            skipped = self._left_out(entry, is_folder, rules)
            if skipped is not None:
                yield skipped
            elif not is_folder:
                yield from self._file(path)
            elif depth >= MAX_DEPTH:
                yield Skipped(self._name(path), "too deep")
            else:
                yield from self._folder(path, rules, fits, depth + 1)

    def _left_out(self, entry: "os.DirEntry[str]", is_folder: bool, rules: Rules) -> Skipped | None:
        """Return why something that nobody named is not looked at, None if it is."""
        name = self._name(entry.path)
        if entry.name.startswith(".") and not (self._reach.hidden and entry.name != ".git"):
            return Skipped(name, "hidden")
        if entry.is_symlink():
            return Skipped(name, "link", _link_detail(entry.path))
        if self._excluded(name, is_folder):
            return Skipped(name, "excluded")
        if rules.ignore(entry.path, is_folder):
            return Skipped(name, "ignored")
        if is_folder and entry.name in self._reach.dependencies:
            return Skipped(name, "dependencies")
        if is_folder and not self._reach.repositories and _is_repository(entry.path):
            return Skipped(name, "repository")
        if is_folder and layout.is_index(Path(entry.path)):
            return Skipped(name, "index")
        return None

    def _file(self, path: str) -> Iterator[Document | Skipped]:
        """Yield one file; `path` has no links."""
        name = self._name(path)
        takes = self._reach.takes
        bare = takes is not None and "." not in os.path.basename(path)  # noqa: PTH119
        if not bare and not name.lower().endswith(self._reach.suffixes or ("",)):
            yield Skipped(name, "suffix", os.path.splitext(name)[1] or "none")  # noqa: PTH122
            return
        if path in self._seen:
            return
        self._seen.add(path)
        limit = self._options.limit_bytes
        try:
            with layout.open_file(path) as stream:
                # The size first, so that nothing of a file that is too large is read.
                size = os.fstat(stream.fileno()).st_size
                head = stream.read(HEAD_BYTES) if bare else b""
                if takes is not None and bare and not takes(name, head):
                    yield Skipped(name, "suffix", "none")
                    return
                data = head + stream.read(limit + 1 - len(head)) if size <= limit else b""
        except OSError as error:
            yield Skipped(name, "unreadable", error.strerror or str(error))
            return
        if size > limit or len(data) > limit:
            yield Skipped(name, "too large", f"over {limit} bytes")
        elif is_binary(data):
            yield Skipped(name, "binary")
        else:
            yield Document(name, data)


def _is_repository(folder: str) -> bool:
    """Whether a folder is a repository of its own: a clone, a submodule or a work tree."""
    return os.path.lexists(f"{folder}/.git")


def _link_detail(path: str) -> str:
    try:
        Path(path).stat()
    except OSError:
        return "leads nowhere or in circles"
    return "links are not followed"
