"""The frozen records that every part passes on: source, span, entry, parsed, hit."""

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType

from attrs import field, frozen

NOTHING: Mapping[str, str] = MappingProxyType({})


@frozen(order=True)
class Span:
    """Lines `first` to `last` of one source, counted from 1, both included."""

    first: int
    last: int

    def __contains__(self, line: int) -> bool:
        return self.first <= line <= self.last

    def __len__(self) -> int:
        return self.last - self.first + 1


def split_lines(text: str) -> list[str]:
    r"""Return the lines of `text` without their ends.

    A line ends at \n, \r\n or a lone \r and at nothing else (not at form feeds or U+2028, where
    `str.splitlines` would); a last line without an end counts.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


@frozen(slots=False, eq=False)
class Source:
    """One input document: its name in the corpus, its decoded text, its digest.

    `name` is the path below the corpus root with `/`; `text` is without a byte order mark;
    `digest` is the sha256 of the bytes in hexadecimal; `encoding` is what they were read as;
    `context` is what the subject's `load` says of it, and given to `parse` only.
    """

    name: str
    text: str = field(repr=False)
    digest: str = field(default="", repr=False)
    encoding: str = "utf-8"
    context: str = field(default="", repr=False)

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends: line n of the document is `lines[n - 1]`."""
        return split_lines(self.text)

    @property
    def suffix(self) -> str:
        """The last extension of the name, lower-case, with its dot: `.md`."""
        tail = self.name.rpartition("/")[2]
        dot = tail.rfind(".")
        return tail[dot:].lower() if dot > 0 else ""

    def cut(self, first: int, last: int) -> str:
        r"""Return lines `first` to `last` joined by \n, without a final one."""
        return "\n".join(self.lines[first - 1 : last])

    def entry(
        self,
        first: int,
        last: int,
        *,
        kind: str,
        title: str = "",
        key: str = "",
        parent: "Entry | None" = None,
        path: tuple[str, ...] = (),
        context: tuple[Span, ...] = (),
        fields: Mapping[str, str] = NOTHING,
        filters: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
        facts: object | None = None,
        part: bool = False,
        holes: tuple[Span, ...] = (),
    ) -> "Entry":
        """Return an entry cut from this source; see `Entry` for the arguments."""
        return Entry(
            self.name, Span(first, last), kind, title, key, parent, path, context, fields, filters,
            facts, part, holes,
        )  # fmt: skip


@frozen(eq=False)
class Entry:
    """What is indexed and returned: a passage, an API node, a declaration.

    Its text is lines `span` of its source without its `holes`; nothing is retyped.

    Args:
        source: the name of the source.
        span: the lines it stands for.
        kind: one of the subject's kinds.
        title: how a reader would call it.
        key: its own name inside the source; empty: the core makes one from path, kind and a
            digest of the text, so that ids survive edits elsewhere.
        parent: the entry it lies in, yielded before it.
        path: titles or owners from the outermost inwards (a section path, a module path).
        context: lines elsewhere in the source that a quote of it needs (a table's header).
        fields: derived texts by field name. `body` (default: the lines of `context` and `span`)
            and `title` (default: `title`) may be replaced; others must be in the subject's
            `fields`.
        filters: values by declared filter key, each a tuple. `source` and `kind` are the core's.
        facts: an instance of the subject's `facts` class, or None.
        part: it is a part of its `parent`, whose text holds its own: searches find it by way of
            the parent, and name it alone only when its kind is asked for.
        holes: lines of `span` that are no part of its text, since other entries stand for them
            (the methods of a class); in order, not overlapping.
    """

    source: str
    span: Span
    kind: str
    title: str = ""
    key: str = ""
    parent: "Entry | None" = field(default=None, repr=False)
    path: tuple[str, ...] = ()
    context: tuple[Span, ...] = ()
    fields: Mapping[str, str] = field(default=NOTHING, repr=False)
    filters: Mapping[str, tuple[str, ...]] = field(default=MappingProxyType({}), repr=False)
    facts: object | None = None
    part: bool = False
    holes: tuple[Span, ...] = ()


@frozen
class Fact:
    """A small value of JSON types that `parse` hands to `assemble` by way of the index."""

    value: object


@frozen
class Problem:
    """Something wrong in one source that did not stop its indexing; `line` 0 means all of it."""

    message: str
    line: int = 0


@frozen
class Skipped:
    """A file that was found and not indexed.

    `reason` is from a small closed set (`suffix`, `ignored`, `hidden`, `binary`, `too large`,
    `unreadable`, `link`, `index`, `repository`, `content`, `malformed`), so that reasons can be
    counted; `detail` says more.
    """

    name: str
    reason: str
    detail: str = ""


@frozen(slots=False, eq=False)
class IndexedEntry:
    """An entry as an index holds it: what `Entry` is, with its id, read back.

    `id` is `<source>#<key>`; `parent` is the id of the entry it lies in, empty at the top;
    `facts` is the JSON object of the subject's facts.
    """

    id: str
    source: str
    span: Span
    kind: str
    title: str
    parent: str
    path: tuple[str, ...]
    context: tuple[Span, ...]
    fields: Mapping[str, str] = field(repr=False)
    filters: Mapping[str, tuple[str, ...]] = field(repr=False)
    facts: Mapping[str, object] = field(repr=False)
    part: bool = False
    holes: tuple[Span, ...] = ()
