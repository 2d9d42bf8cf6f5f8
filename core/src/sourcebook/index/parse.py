"""One document to its encoded parse: what workers return and the cache keeps."""

import gc
import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

from attrs import frozen

from sourcebook.adapt import call_declared
from sourcebook.errors import PluginBroken
from sourcebook.index.blocks import pack, unpack
from sourcebook.index.decode import decode
from sourcebook.index.rows import Head, decode_row, encode_json, encode_row, entry_body
from sourcebook.model import Entry, Fact, IndexedEntry, Problem, Source
from sourcebook.retrieval.analyse import ANALYSER_VERSION, analyse
from sourcebook.subject import Subject

PARSE_FORMAT = 2


@frozen
class EncodedParse:
    """A parse as it is kept: its rows are encoded once, for the cache and for a segment.

    Args:
        rows: the JSON of each entry, see `encode_row`.
        heads: what else is read of each.
        texts: the distinct fields of all entries, terms joined by single spaces.
        terms: per entry and field the place in `texts`.
        facts: the JSON of the list of facts.
        problems: (message, line).
    """

    lines: int
    encoding: str
    rows: list[bytes]
    heads: list[Head]
    texts: list[str]
    terms: list[list[int]]
    facts: bytes
    problems: list[tuple[str, int]]

    def to_bytes(self) -> bytes:
        """Return the block that the cache keeps: a line of JSON each for what is no row, for the
        facts, and for each row."""
        head = encode_json([self.lines, self.encoding, self.texts, self.terms, self.problems])
        return pack(b"\n".join([head, self.facts, *self.rows]), 1)

    @classmethod
    def from_bytes(cls, data: bytes, fields: int) -> "EncodedParse":
        """Return what `to_bytes` wrote, for a subject with so many fields.

        Raises:
            ValueError: `data` is something else; a cache may hold anything.
        """
        head, facts, *rows = unpack(data).split(b"\n")
        try:
            lines, encoding, texts, terms, problems = _decode(head)
            heads = [_head(row) for row in rows]
            parse = cls(
                lines, encoding, rows, heads, [*texts], [[*places] for places in terms], facts,
                [(message, line) for message, line in problems],
            )  # fmt: skip
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise ValueError(str(error)) from None
        if not (
            {int} == {type(lines), *(type(line) for _, line in parse.problems)}
            and {str} >= {type(encoding), *map(type, texts)}
            and {str} >= {type(message) for message, _ in parse.problems}
            and type(_decode(facts)) is list
        ):
            raise ValueError("no parse")
        if [*map(len, parse.terms)] != [fields] * len(rows) or not all(
            type(place) is int and 0 <= place < len(texts)
            for place in set(chain.from_iterable(parse.terms))
        ):
            raise ValueError("rows and terms disagree")
        return parse


def _decode(data: bytes) -> Any:
    return json.loads(data.decode("utf-8", "surrogatepass"))


def _head(data: bytes) -> Head:
    """Return what is read of an encoded row; raises what `decode_row` does."""
    row = _decode(data)
    decode_row("", row, "")
    return Head.of(row)


class ParseKeys:
    """Makes the cache keys of parses: digests of everything that could change what they yield.

    Args:
        code: see `code_digest`.
    """

    def __init__(self, subject: Subject, options: Mapping[str, object], code: str) -> None:
        parts = [PARSE_FORMAT, ANALYSER_VERSION, subject.name, code, options]
        self._head = sha256(encode_json(parts))

    def of(self, name: str, digest: str, context: str) -> str:
        """Return the key for the document of this name and context whose bytes have this sha256."""
        made = self._head.copy()
        # A name holds no control characters.
        told = f"\0{context}" if context else ""
        made.update(f"{digest} {name}{told}".encode("utf-8", "surrogatepass"))
        return made.hexdigest()[:32]


def code_digest(subject: Subject) -> str:
    """Return a digest of the subject's own code: all modules beside the one of its `parse`."""
    from importlib.util import find_spec

    module = subject.parse.__module__
    package = module.rpartition(".")[0] or module
    digest = sha256(f"{subject.format_version} {package}".encode())
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return digest.hexdigest()
    origin = Path(spec.origin)
    files = sorted(origin.parent.rglob("*.py")) if origin.name == "__init__.py" else [origin]
    for file in files[:1000]:
        digest.update(sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def parse_document(
    subject: Subject, name: str, data: bytes, digest: str, context: str, options: object | None
) -> EncodedParse:
    """Parse one document. What goes wrong in it is told in `problems`, never raised.

    One without lines holds no entries, so the subject is not asked: `source.lines[0]` is safe.
    """
    decoded = decode(data)
    source = Source(name, decoded.text, digest, decoded.encoding, context)
    problems = [(decoded.problem, 0)] if decoded.problem else []
    encoder = _Encoder(subject, source)
    # Rows and terms stay, and the collector would look at all of them again and again.
    collecting = gc.isenabled()
    gc.disable()
    try:
        for one in call_declared(subject.parse, source, options) if source.lines else ():
            if isinstance(one, Entry):
                encoder.add(one)
            elif isinstance(one, Fact):
                encoder.facts.append(one.value)
            elif isinstance(one, Problem):
                problems.append((one.message, one.line))
            else:
                raise PluginBroken(
                    f"`parse` of the subject `{subject.name}` yielded {type(one).__name__}",
                    where=name,
                    hint="it may yield Entry, Fact and Problem",
                )
    except PluginBroken:
        raise
    except RecursionError:
        problems.append(("nested too deeply; what comes after is in no entry", 0))
    except Exception as error:  # a parser of strange input: the rest of the corpus must not suffer
        problems.append((f"the parser failed: {type(error).__name__}: {error}"[:300], 0))
    finally:
        if collecting:
            gc.enable()
    return EncodedParse(
        len(source.lines), decoded.encoding, encoder.rows, encoder.heads, [*encoder.texts],
        encoder.terms, encode_json(encoder.facts), problems,
    )  # fmt: skip


class _Encoder:
    """Turns the entries of one source into rows and terms."""

    def __init__(self, subject: Subject, source: Source) -> None:
        self._subject = subject
        self._source = source
        self._keys: dict[str, int] = {}
        self._places: dict[int, int] = {}
        self._analysed: dict[str, int] = {}
        self._kept: list[Entry] = []  # so that ids of dead entries are not taken for live ones
        self.rows: list[bytes] = []
        self.heads: list[Head] = []
        self.texts: dict[str, int] = {}
        self.terms: list[list[int]] = []
        self.facts: list[Any] = []

    def add(self, entry: Entry) -> None:
        subject, source = self._subject, self._source
        if entry.kind not in subject.kinds:
            raise PluginBroken(
                f"the subject `{subject.name}` has no kind `{entry.kind}`",
                where=f"{source.name}:{entry.span.first}",
                hint=f"declared: {', '.join(subject.kinds)}",
            )
        if not 1 <= entry.span.first <= entry.span.last <= len(source.lines):
            raise PluginBroken(
                f"an entry of `{subject.name}` spans lines {entry.span.first} to "
                f"{entry.span.last} of {len(source.lines)}",
                where=source.name,
            )
        if not subject.needs_sources and "body" not in entry.fields:
            raise PluginBroken(
                f"the subject `{subject.name}` needs no copies of documents, and an entry of its "
                "has no `body`",
                where=f"{source.name}:{entry.span.first}",
            )
        body = entry_body(source, entry)
        key = self._unique(entry.key or default_key(entry, body))
        parent = -1 if entry.parent is None else self._places.get(id(entry.parent), -1)
        if entry.part and parent < 0:
            raise PluginBroken(
                f"a part of `{subject.name}` has no parent that was yielded before it",
                where=f"{source.name}:{entry.span.first}",
            )
        self._places[id(entry)] = len(self.rows)
        self._kept.append(entry)
        row = encode_row(key, entry, parent, kept_fields(subject, entry))
        self.rows.append(encode_json(row))
        self.heads.append(Head.of(row))
        # The words of a part are counted once, with the entry that it is a part of.
        texts = [""] * len(subject.fields) if entry.part else field_texts(subject, entry, body)
        self.terms.append([self._place(text) for text in texts])

    def _place(self, text: str) -> int:
        """Return the place of the terms of a field; titles and empty fields are many times the
        same."""
        place = self._analysed.get(text)
        if place is None:
            terms = " ".join(analyse(text))
            place = self._analysed[text] = self.texts.setdefault(terms, len(self.texts))
        return place

    def _unique(self, key: str) -> str:
        count = self._keys[key] = self._keys.get(key, 0) + 1
        if count == 1:
            return key
        return self._unique(f"{key}~{count}")


def kept_fields(subject: Subject, entry: Entry) -> Mapping[str, str]:
    """Return the derived fields of an entry that are kept to be read back."""
    searched = subject.searched_only
    if not searched:
        return entry.fields
    return {name: text for name, text in entry.fields.items() if name not in searched}


def field_texts(subject: Subject, entry: Entry | IndexedEntry, body: str) -> Iterator[str]:
    """Yield the text of each field in the order of the subject's fields, nothing of one that is
    not searched."""
    for name, weight in subject.fields.items():
        if not weight:
            yield ""
        elif name == "body":
            yield body
        elif name in entry.fields:
            yield entry.fields[name]
        elif name == "title":
            yield entry.title
        elif name == "path":
            yield " ".join((entry.source, *entry.path))
        else:
            yield ""


def default_key(entry: Entry, body: str) -> str:
    """Return a key that survives edits elsewhere: last title, kind and a digest of the text."""
    where = entry.path[-1] if entry.path else entry.title
    slug = "-".join("".join(c if c.isalnum() else " " for c in where.casefold()[:80]).split())[
        :40
    ].rstrip("-")
    digest = sha256("\0".join((*entry.path, body)).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{slug}/{entry.kind}-{digest[:8]}" if slug else f"{entry.kind}-{digest[:8]}"
