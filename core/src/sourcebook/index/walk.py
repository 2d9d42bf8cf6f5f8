"""Files and folders to documents: what is read, and for everything else why it is not."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from sourcebook.errors import BadPattern, CorpusUnreadable
from sourcebook.index import layout
from sourcebook.index.decode import is_binary
from sourcebook.model import Skipped
from sourcebook.subject import Document, LoadOptions

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SKIPPED_FOLDERS = frozenset({"node_modules"})
MAX_DEPTH = 100


@frozen
class Corpus:
    """What was named on the command line: absolute paths and the root that names are below."""

    root: Path
    paths: tuple[Path, ...]


def resolve_corpus(paths: Sequence[str | Path]) -> Corpus:
    """Return the corpus that `paths` name: files, folders, and globs with `*`, `?` or `**`.

    Raises:
        CorpusUnreadable: a path does not exist, or a glob fits nothing.
    """
    found: list[Path] = []
    bases: list[Path] = []
    for one in paths:
        path = Path(os.path.normpath(Path(one).absolute()))
        if path.exists():
            found.append(path)
            bases.append(path if path.is_dir() else path.parent)
        elif any(mark in str(one) for mark in "*?"):
            base, matches = _expand(path)
            if not matches:
                raise CorpusUnreadable(
                    f"`{one}` fits no file", where=str(base), hint="check the pattern"
                )
            found.extend(matches)
            bases.append(base)
        else:
            raise CorpusUnreadable(
                f"`{one}` does not exist", where=str(one), hint="name a file, a folder or a glob"
            )
    if not found:
        raise CorpusUnreadable("no path was given", hint="name a file, a folder or a glob")
    return Corpus(Path(os.path.commonpath(bases)), tuple(dict.fromkeys(found)))


def _expand(pattern: Path) -> tuple[Path, list[Path]]:
    parts = pattern.parts
    wild = next(i for i, part in enumerate(parts) if "*" in part or "?" in part)
    base = Path(*parts[:wild])
    # `[` is a letter here, as in every other pattern of this project.
    relative = "/".join(parts[wild:]).replace("[", "[[]")
    try:
        return base, sorted(path for path in base.glob(relative) if path.is_file())
    except ValueError as error:
        raise BadPattern(f"`{pattern}` is no glob: {error}", where=str(pattern)) from None


def walk(
    paths: Sequence[str | Path], suffixes: Sequence[str], options: LoadOptions
) -> Iterator[Document | Skipped]:
    """Yield every document below `paths` and every file that was left out, with the reason.

    Names are relative to the common root of all paths. Hidden files and folders, `node_modules`,
    folders that are indexes, and what git ignores are left out unless named themselves. Links are
    not followed: what they lead to inside the corpus is found under its own name.

    Raises:
        CorpusUnreadable: see `resolve_corpus`.
    """
    corpus = resolve_corpus(paths)
    walker = _Walker(corpus, tuple(suffix.lower() for suffix in suffixes), options)
    for path in corpus.paths:
        yield from walker.visit(path)


class _Walker:
    def __init__(self, corpus: Corpus, suffixes: tuple[str, ...], options: LoadOptions) -> None:
        self._root = corpus.root
        self._suffixes = suffixes
        self._options = options
        self._seen: set[str] = set()
        self._exclude = _spec(list(options.exclude)) if options.exclude else None
        self._named = self._real = Path()

    def visit(self, path: Path) -> Iterator[Document | Skipped]:
        """Yield what one named path holds; a link that is named is followed."""
        real = Path(os.path.realpath(path))
        if real.is_dir():
            # Walked by its real path, which the rules of git are about; named by the one given.
            self._named, self._real = path, real
            rules = _outer_rules(real) if self._options.ignore_files else []
            yield from self._folder(real, rules, 0)
        else:
            yield from self._file(path, named=True)

    def _name(self, path: Path) -> str:
        if self._named != self._real and path.is_relative_to(self._real):
            path = self._named / path.relative_to(self._real)
        try:
            return path.relative_to(self._root).as_posix()
        except ValueError:
            return path.name

    def _folder(
        self, folder: Path, rules: "list[tuple[str, GitIgnoreSpec]]", depth: int
    ) -> Iterator[Document | Skipped]:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            yield Skipped(self._name(folder), "unreadable", error.strerror or str(error))
            return
        if self._options.ignore_files:
            rules = [*rules, *_rules_in(folder)]
        for entry in entries:
            path = folder / entry.name
            name = self._name(path)
            if entry.name.startswith("."):
                if entry.name not in {".git", ".gitignore"} and self._wanted(entry.name):
                    yield Skipped(name, "hidden")
                continue
            if entry.is_symlink():
                yield Skipped(name, "link", _link_detail(path))
                continue
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
            except OSError as error:
                yield Skipped(name, "unreadable", error.strerror or str(error))
                continue
            if self._excluded(name, is_folder):
                yield Skipped(name, "excluded")
            elif _ignored(str(path), is_folder, rules):
                yield Skipped(name, "ignored")
            elif not is_folder:
                yield from self._file(path)
            elif entry.name in SKIPPED_FOLDERS:
                yield Skipped(name, "dependencies")
            elif layout.is_index(path):
                yield Skipped(name, "index")
            elif depth >= MAX_DEPTH:
                yield Skipped(name, "too deep")
            else:
                yield from self._folder(path, rules, depth + 1)

    def _wanted(self, name: str) -> bool:
        return not self._suffixes or name.lower().endswith(self._suffixes)

    def _excluded(self, name: str, is_folder: bool) -> bool:
        return self._exclude is not None and bool(
            self._exclude.match_file(name + "/" if is_folder else name)
        )

    def _file(self, path: Path, *, named: bool = False) -> Iterator[Document | Skipped]:
        name = self._name(path)
        if not self._wanted(path.name):
            yield Skipped(name, "suffix", path.suffix or "none")
            return
        if named and self._excluded(name, False):
            yield Skipped(name, "excluded")
            return
        real = os.path.realpath(path)
        if real in self._seen:
            return
        self._seen.add(real)
        try:
            with open(real, "rb", opener=_open_regular) as stream:
                if os.fstat(stream.fileno()).st_size > self._options.limit_bytes:
                    yield Skipped(name, "too large", f"over {self._options.limit_bytes} bytes")
                    return
                data = stream.read(self._options.limit_bytes + 1)
        except OSError as error:
            yield Skipped(name, "unreadable", error.strerror or str(error))
            return
        if is_binary(data):
            yield Skipped(name, "binary")
            return
        yield Document(name, data)


def _open_regular(path: str, flags: int) -> int:
    """Open a regular file; a pipe or a device would block or never end."""
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(0, "not a regular file")
    return handle


def _link_detail(path: Path) -> str:
    try:
        path.stat()
    except OSError:
        return "leads nowhere or in circles"
    return "links are not followed"


def _spec(lines: list[str]) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError as error:
        raise BadPattern(
            f"`{lines[0]}` is no pattern: {error}", where="--exclude", hint="git's syntax applies"
        ) from None


def _rules_in(folder: Path) -> "list[tuple[str, GitIgnoreSpec]]":
    found = []
    for name in (".git/info/exclude", ".gitignore"):
        try:
            with (folder / name).open(encoding="utf-8", errors="replace") as stream:
                lines = stream.read(1 << 20).splitlines()
        except OSError:
            continue
        lines = [line for line in lines if line.strip() and not line.startswith("#")]
        if lines:
            found.append((f"{folder}{os.sep}", _spec_leniently(lines)))
    return found


def _spec_leniently(lines: list[str]) -> "GitIgnoreSpec":
    """Return the rules that can be read; git passes over the others too."""
    from pathspec import GitIgnoreSpec

    good = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        good.append(line)
    return GitIgnoreSpec.from_lines(good)


def _outer_rules(folder: Path) -> "list[tuple[str, GitIgnoreSpec]]":
    """Return the ignore rules of the folders above, up to the work tree's root."""
    above: list[Path] = []
    for parent in folder.parents:
        above.append(parent)
        if (parent / ".git").exists():
            break
    else:
        return []
    if (folder / ".git").exists():
        return []
    return [rule for parent in reversed(above) for rule in _rules_in(parent)]


def _ignored(path: str, is_folder: bool, rules: "list[tuple[str, GitIgnoreSpec]]") -> bool:
    for base, spec in reversed(rules):
        relative = path[len(base) :].replace(os.sep, "/")
        verdict = spec.check_file(relative + "/" if is_folder else relative).include
        if verdict is not None:
            return verdict
    return False
