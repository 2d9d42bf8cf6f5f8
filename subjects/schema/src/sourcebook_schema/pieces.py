"""Which files of a corpus are descriptions, and which are pieces that these refer to."""

import json
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from attrs import define, field
from sourcebook.index import layout
from sourcebook.index.decode import decode, is_binary
from sourcebook.index.ignore import excluding
from sourcebook.index.walk import Corpus, clean_name
from sourcebook.model import Skipped
from sourcebook.naming import nearest
from sourcebook.subject import Document, LoadOptions

from sourcebook_schema.describe import name_of_uri
from sourcebook_schema.facts import GIVEN, make_uri, split_uri
from sourcebook_schema.fetch import Fetcher, FetchError
from sourcebook_schema.reading.grammar import (
    NO_DESCRIPTION,
    Place,
    References,
    Way,
    format_of,
    is_description,
    may_be_referred_to,
    unfold,
)
from sourcebook_schema.reading.hints import is_surely_description, may_lead_out, mentions_version
from sourcebook_schema.reading.pointer import NAMES_COMPARED, NothingThere, pointer_of, resolve
from sourcebook_schema.reading.tree import Map, ReadError, Value, read_tree

if TYPE_CHECKING:
    from sourcebook_schema.load import Allowed

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


MAX_CHAIN = 20
"""So many references, one leading to the next, are followed."""

MAX_MEMBERS = 500_000
"""So many things a corpus may have by references in place of mappings, each reference counted."""


class Lost(Exception):
    """A reference leads nowhere; the text is a clause about it."""


@define
class File:
    """A file of the corpus.

    Args:
        name: its name as a source.
        place: its path without links, or its URL.
        is_root: whether it is a description.
        leads_out: whether something in it looks like a reference to another file.
        format: `3.1`, `3.0` or `2.0`; of a piece, that of the root that reached it first.
        roles: ways by (pointer, role) of what other files refer to.
        refs: what becomes of its references to other files: `uri` or `error`; `by`, the file that
            leads on to where `uri` is; of those that lead to what the standards let none lead to,
            `instead` is what stands for them.
        lost: what is said of those that lead nowhere, with their places.
        fault: why it is not read.
    """

    name: str
    place: str
    is_root: bool = False
    leads_out: bool = False
    format: str = ""
    roles: dict[tuple[str, str], set[Way]] = field(factory=dict)
    refs: dict[str, dict[str, Any]] = field(factory=dict)
    lost: dict[str, str] = field(factory=dict)
    fault: str = ""
    root: Value = None
    references: References | None = None

    def context(self) -> str:
        """Return what `parse` is told."""
        if self.is_root and not self.roles and not self.refs:
            return ""
        roles: list[list[object]] = []
        for (pointer, role), ways in sorted(self.roles.items()):
            told = [way[0] if role == "pathItem" else way for way in sorted(ways)]
            roles.append([pointer, role, told] if told else [pointer, role])
        return json.dumps(
            {
                "root": self.is_root,
                "format": self.format,
                "roles": roles,
                "refs": dict(sorted(self.refs.items())),
            },
            ensure_ascii=False,
        )


class _Base(NamedTuple):
    """A folder that may be read: its path without links, and its name in the corpus."""

    place: str
    name: PurePosixPath


class Loader:
    """Reads as much of a corpus as it takes to know its descriptions and their pieces: `look` at
    every file, `follow`, then ask for `left_out` and `documents`."""

    def __init__(self, corpus: Corpus, load_options: LoadOptions, options: "Allowed") -> None:
        self._corpus = corpus
        self._load = load_options
        self._options = options
        self._excluded = excluding(load_options.exclude)
        self._fetcher = Fetcher()
        self._files: dict[str, File] = {}
        self._by_place: dict[str, File] = {}
        self._found: list[File] = []
        self._members = 0
        self._given: set[str] = set()
        self._bases: list[_Base] = []
        for named in corpus.named:
            real = named.path.resolve()
            name = PurePosixPath(named.path.relative_to(corpus.root).as_posix())
            if real.is_dir():
                self._bases.append(_Base(str(real), name))
            else:
                self._bases.append(_Base(str(real.parent), name.parent))
                self._given.add(str(real))

    # ---- which files are descriptions

    def look(self, document: Document) -> None:
        """Note a file that was found, and whether it is a description."""
        file = File(document.name, os.path.realpath(self._corpus.root / document.name))
        self._note(file)
        self._found.append(file)
        text = decode(document.data).text
        if is_surely_description(text):
            file.is_root = True
        elif mentions_version(text) or file.place in self._given:
            try:
                file.is_root = is_description(read_tree(text, file.name).root)
            except ReadError as error:
                file.fault = _told(error)
        file.leads_out = file.is_root and may_lead_out(text)

    def _note(self, file: File) -> None:
        self._files[file.name] = file
        self._by_place[file.place] = file

    def left_out(self) -> Iterator[Skipped]:
        """Yield the files that are neither descriptions nor pieces of one."""
        for file in self._found:
            if file.is_root or file.roles:
                continue
            if file.fault or file.place in self._given:
                yield Skipped(file.name, "malformed", file.fault or NO_DESCRIPTION)
            else:
                yield Skipped(file.name, "content", "no API description, and no piece of one")

    def documents(self) -> Iterator[Document | Skipped]:
        """Yield descriptions and pieces in the order of their names."""
        for file in sorted(self._files.values(), key=lambda file: file.name):
            if file.is_root or file.roles:
                try:
                    yield Document(file.name, self._bytes(file), file.context())
                except Lost as error:  # it was there a moment ago
                    yield Skipped(file.name, "unreadable", str(error))

    # ---- what they refer to

    def follow(self) -> None:
        """Find all pieces."""
        for file in self._found:
            if file.leads_out:
                try:
                    self._read(file)
                except Lost:
                    continue  # `parse` tells of it
                self._follow(file)

    def _follow(self, root: File) -> None:
        todo = [(root, Place("", "root"))]
        while todo:
            file, place = todo.pop()
            if file.references is None:
                continue
            for text, role, way, line in file.references.reached([place]):
                try:
                    target, pointer = self._target(file, text, role)
                    place = Place(pointer, role, way)
                    known = file.refs.get(text, {})
                    if "instead" not in known:
                        known = {**known, **self._known(file, target, place)}
                except Lost as error:
                    if not text.startswith("#"):  # of others, `parse` tells
                        file.refs[text] = {"error": str(error)}
                        file.lost[text] = f"{file.name}:{line()}: `{text}`: {error}"
                    continue
                first = self._first(file, text)
                if first is not target:
                    known["by"] = clean_name(first.name)
                file.refs[text] = known
                if target is not file:
                    _refer(target, place)
                    for uri in way[3:] if role == "operation" else ():
                        source, parameter = split_uri(uri)
                        if source == clean_name(file.name):
                            _refer(file, Place(parameter, "parameter"))
                target.format = target.format or root.format
                todo.append((target, place))

    def _known(self, file: File, target: File, place: Place, count: int = 1) -> dict[str, Any]:
        """Return what a file is told of a reference; the parts of what no references may lead to
        are referred to.

        Raises:
            Lost: there are too many parts.
        """
        known: dict[str, Any] = {"uri": make_uri(clean_name(target.name), place.pointer)}
        if may_be_referred_to(place.role):
            return known

        def refer(part: Place, role: str) -> str:
            self._members += 1
            if self._members > MAX_MEMBERS:
                raise Lost(f"more than {MAX_MEMBERS:,} things come by references like this")
            home, pointer = target, part.pointer
            if part.role == "schema":
                home, pointer = self._behind(target, pointer, named=role.startswith("section"))
            if home is not file:
                _refer(home, part._replace(pointer=pointer))
            return GIVEN + make_uri(clean_name(home.name), pointer)

        def follow(ref: str, part: Place) -> str:
            try:
                if count == MAX_CHAIN:
                    raise Lost(f"more than {MAX_CHAIN} references lead from one to the next")
                further, pointer = self._target(target, ref, part.role)
            except Lost as error:
                file.refs.setdefault(ref, {"error": str(error)})
                return ref
            text = GIVEN + make_uri(clean_name(further.name), pointer)
            if text not in file.refs:
                file.refs[text] = {}
                there = part._replace(pointer=pointer)
                file.refs[text] = self._known(file, further, there, count + 1)
            return text

        known["instead"] = unfold(resolve(target.root, place.pointer), place, refer, follow)
        return known

    def _target(self, file: File, ref: str, role: str) -> tuple[File, str]:
        """Return the file and the pointer that a reference leads to, by way of references on which
        its pointer runs.

        Raises:
            Lost: it leads nowhere, or where it may not be followed.
        """
        target, fragment = self._first(file, ref), ref.partition("#")[2]
        for _ in range(MAX_CHAIN):
            self._read(target)
            try:
                pointer = pointer_of(target.root, fragment)
                break
            except NothingThere as error:
                lost = error
            if not lost.on:
                hint = f", did you mean `#{lost.nearest}`?" if lost.nearest else ""
                raise Lost(f"there is no `{fragment}` in `{target.name}`{hint}")
            target, fragment = self._first(target, lost.on), lost.on.partition("#")[2] + lost.rest
        else:
            raise Lost(f"more than {MAX_CHAIN} references lead from one to the next")
        value = resolve(target.root, pointer)
        if role.startswith("list of "):
            if not isinstance(value, list):
                raise Lost(f"`{target.name}#{pointer}` is no list, so it is no {role}")
        elif not isinstance(value, Map) and not (role == "schema" and isinstance(value, bool)):
            raise Lost(f"`{target.name}#{pointer}` is no mapping, so it is no {role}")
        if role == "schema":
            return self._behind(target, pointer, named=True)
        return target, pointer

    def _behind(self, file: File, pointer: str, *, named: bool) -> tuple[File, str]:
        """Return where the schema is that a place in a piece is nothing but a reference to; if
        names matter, only one of the same name, as in an index of files."""
        for _ in range(MAX_CHAIN):
            value = resolve(file.root, pointer)
            if file.is_root or not isinstance(value, Map) or [*value] != ["$ref"]:
                break
            ref = str(value["$ref"])
            try:
                target = self._first(file, ref)
                self._read(target)
                there = pointer_of(target.root, ref.partition("#")[2])
            except (Lost, NothingThere):
                break
            if named and _name(target, there) != _name(file, pointer):
                break
            _refer(file, Place("", "index"))
            file, pointer = target, there
        return file, pointer

    def _first(self, file: File, ref: str) -> File:
        """Return the file that a reference names."""
        base = ref.partition("#")[0]
        return self._locate(file, base) if base else file

    def _locate(self, file: File, ref: str) -> File:
        if "://" in file.place:
            return self._remote(_joined(file.place, ref))
        try:
            parts = urlsplit(ref)
        except ValueError:
            raise Lost("it is no reference that could be followed") from None
        if parts.scheme in ("http", "https") or (parts.netloc and parts.scheme != "file"):
            return self._remote(ref)
        if parts.scheme == "file" and parts.netloc in ("", "localhost"):
            ref = parts.path
        elif parts.scheme and not _DRIVE.match(ref) and len(parts.scheme) > 1:
            raise Lost(f"what begins with `{parts.scheme}:` is not followed")
        try:
            return self._local(file, ref)
        except (OSError, ValueError) as error:  # a name that is too long, or holds a NUL character
            raise Lost(f"it cannot be opened: {getattr(error, 'strerror', error)}") from None

    def _remote(self, url: str) -> File:
        if not url.lower().startswith("https://"):
            raise Lost(
                "it is on another machine; only https is fetched, and only with `--allow-remote`"
            )
        if not self._options.allow_remote:
            raise Lost("it is on another machine; `--allow-remote` lets it be fetched")
        if "@" in urlsplit(url).netloc:
            raise Lost("a reference with a password is not followed")
        if url not in self._by_place:
            self._note(File(url, url))
        return self._by_place[url]

    def _local(self, file: File, ref: str) -> File:
        folder = Path(file.place).parent
        # A name may hold a `%` that nobody escaped.
        place = next(
            (one for one in self._places(folder, ref) if Path(one).exists()),
            os.path.realpath(folder / unquote(ref)),
        )
        base = next((one for one in self._bases if _is_below(place, one.place)), None)
        if (base is None or _DRIVE.match(ref)) and not self._options.allow_outside:
            raise Lost(
                "it leads outside the folders that were given; `--allow-outside` lets it be read"
            )
        if place in self._by_place:
            return self._by_place[place]
        if base is None:
            name = PurePosixPath(Path(os.path.relpath(place, self._corpus.root)).as_posix())
        else:
            name = base.name / PurePosixPath(Path(place).relative_to(base.place).as_posix())
            if any(
                self._excluded(str(one), one != name) for one in (name, *name.parents) if one.name
            ):
                raise Lost(f"`--exclude` leaves out `{name}`")
        if not Path(place).is_file():
            raise Lost(self._missing(folder, place, name))
        made = File(str(name), place)
        self._note(made)
        return made

    def _places(self, folder: Path, ref: str) -> Iterator[str]:
        for one in dict.fromkeys((ref, unquote(ref))):
            place = os.path.realpath(folder / one)
            # Nothing is asked of the disk about what lies elsewhere.
            if self._options.allow_outside or any(
                _is_below(place, base.place) for base in self._bases
            ):
                yield place

    def _missing(self, folder: Path, place: str, name: PurePosixPath) -> str:
        if Path(place).exists():
            return f"`{name}` is a folder" if Path(place).is_dir() else f"`{name}` is no file"
        told = f"there is no file `{name}`"
        try:
            beside = [one.name for one in islice(Path(place).parent.iterdir(), NAMES_COMPARED)]
        except OSError:
            beside = []
        close = nearest(name.name, beside)
        known = [str(Path(place).with_name(close))] if close else []
        known += [one for one in self._by_place if Path(one).name == name.name]
        if known:
            told += f", did you mean `{Path(os.path.relpath(known[0], folder)).as_posix()}`?"
        return told

    # ---- the standard

    def validate(self) -> None:
        """Hold all descriptions to their standard.

        Raises:
            InvalidDescription: some break it.
        """
        from sourcebook_schema.strict import InvalidDescription, errors_of

        files = sorted(self._files.values(), key=lambda file: file.name)
        lost = {ref: told for file in files for ref, told in file.lost.items()}
        found = [*lost.values()]
        for file in files:
            if not file.is_root:
                continue
            try:
                self._read(file)
            except Lost as error:
                found.append(f"{file.name}: {file.fault or error}")
                continue
            if isinstance(file.root, Map):
                version = file.root.get("openapi", file.root.get("swagger"))
                for told in errors_of(file.name, file.place, file.root, str(version), self._held):
                    if not any(f"`{ref}`" in told for ref in lost):
                        found.append(told)
        if found:
            raise InvalidDescription(
                "\n".join(["not valid, as `--strict` asks", *found]),
                where=found[0].partition(": ")[0],
                hint="without `--strict` it is indexed as far as it makes sense",
            )

    def _held(self, place: str) -> Value:
        """Return what a file holds that has been read; raises LookupError for others."""
        return self._by_place[place].root

    # ---- reading

    def _read(self, file: File) -> None:
        """Read what a file holds, once.

        Raises:
            Lost: it cannot be read.
        """
        if file.references is None and not file.fault:
            text = decode(self._bytes(file)).text
            try:
                file.root = read_tree(text, file.name).root
                if file.is_root:
                    file.format = format_of(file.root)
                file.references = References(file.root, text, clean_name(file.name))
            except ReadError as error:
                file.fault = _told(error)
        if file.references is None:
            raise Lost(f"`{file.name}` cannot be read: {file.fault}")

    def _bytes(self, file: File) -> bytes:
        if "://" in file.place:
            try:
                return self._fetcher.fetch(file.place)
            except FetchError as error:
                raise Lost(f"it cannot be fetched: {error}") from None
        limit = self._load.limit_bytes
        try:
            with layout.open_file(file.place) as stream:
                data = stream.read(limit + 1)
        except OSError as error:
            raise Lost(f"`{file.name}` cannot be read: {error.strerror or error}") from None
        if len(data) > limit:
            raise Lost(f"`{file.name}` has more than {limit} bytes")
        if is_binary(data):
            raise Lost(f"`{file.name}` is no text")
        return data


def _name(file: File, pointer: str) -> str:
    """Return what the schema at a place is called."""
    return name_of_uri(make_uri(file.name, pointer))


def _refer(file: File, place: Place) -> None:
    """Note that another file refers to a place."""
    ways = file.roles.setdefault((place.pointer, place.role), set())
    ways.update({place.way} - {()})


def _is_below(place: str, folder: str) -> bool:
    return place.startswith(folder.rstrip(os.sep) + os.sep)


def _joined(url: str, ref: str) -> str:
    try:
        return urljoin(url, ref)
    except ValueError:
        raise Lost("it is no reference that could be followed") from None


def _told(error: ReadError) -> str:
    return f"line {error.line}: {error.message}" if error.line else error.message
