"""One document to its encoded parse: what workers return and the cache keeps."""

import gc
import json
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from attrs import asdict, frozen

from sourcebook.adapt import call_declared
from sourcebook.errors import PluginBroken
from sourcebook.index.blocks import unpack
from sourcebook.index.decode import decode
from sourcebook.index.rows import decode_row, encode_json, encode_row, entry_body
from sourcebook.model import Entry, Fact, IndexedEntry, Problem, Source
from sourcebook.retrieval.analyse import ANALYSER_VERSION, analyse
from sourcebook.subject import Subject

PARSE_FORMAT = 2


@frozen
class EncodedParse:
    """A parse as it is kept: rows and terms as a segment takes them, see `SegmentWriter.add`."""

    lines: int
    encoding: str
    rows: list[list[Any]]
    terms: list[list[str]]
    facts: list[Any]
    problems: list[tuple[str, int]]

    def to_bytes(self) -> bytes:
        """Return the compressed JSON that the cache keeps."""
        return zlib.compress(encode_json(asdict(self, recurse=False)), 1)

    @classmethod
    def from_worker(cls, data: bytes) -> "EncodedParse":
        """Return what `to_bytes` wrote in a process of ours."""
        return cls(**json.loads(unpack(data).decode("utf-8", "surrogatepass")))

    @classmethod
    def from_cache(cls, data: bytes, fields: int) -> "EncodedParse":
        """Return what `to_bytes` wrote, for a subject with so many fields.

        Raises:
            ValueError: `data` is something else; a cache may hold anything.
        """
        raw = json.loads(unpack(data).decode("utf-8", "surrogatepass"))
        try:
            parse: EncodedParse = _converter().structure(raw, cls)
            for row in parse.rows:
                decode_row("", row, "")
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise ValueError(str(error)) from None
        if [*map(len, parse.terms)] != [fields] * len(parse.rows):
            raise ValueError("rows and terms disagree")
        return parse


@cache
def _converter() -> Any:
    """Return the converter of parses. Only builds read these back, so searching does not pay for
    the import; making one costs as much as reading ten parses."""
    from cattrs import Converter

    return Converter(detailed_validation=False)


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
        len(source.lines), decoded.encoding, encoder.rows, encoder.terms, encoder.facts, problems
    )


class _Encoder:
    """Turns the entries of one source into rows and terms."""

    def __init__(self, subject: Subject, source: Source) -> None:
        self._subject = subject
        self._source = source
        self._keys: dict[str, int] = {}
        self._places: dict[int, int] = {}
        self._analysed: dict[str, str] = {}
        self._kept: list[Entry] = []  # so that ids of dead entries are not taken for live ones
        self.rows: list[list[Any]] = []
        self.terms: list[list[str]] = []
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
        indexed = IndexedEntry(
            "",
            source.name,
            entry.span,
            entry.kind,
            entry.title,
            "",
            entry.path,
            entry.context,
            kept_fields(subject, entry),
            entry.filters,
            {} if entry.facts is None else asdict(cast(Any, entry.facts)),
            entry.part,
            entry.holes,
        )
        parent = -1 if entry.parent is None else self._places.get(id(entry.parent), -1)
        if entry.part and parent < 0:
            raise PluginBroken(
                f"a part of `{subject.name}` has no parent that was yielded before it",
                where=f"{source.name}:{entry.span.first}",
            )
        self._places[id(entry)] = len(self.rows)
        self._kept.append(entry)
        self.rows.append(encode_row(key, indexed, parent))
        # The words of a part are counted once, with the entry that it is a part of.
        texts = [] if entry.part else field_texts(subject, entry, body)
        terms = [self._terms(text) for text in texts]
        self.terms.append(terms or [""] * len(subject.fields))

    def _terms(self, text: str) -> str:
        """Return the terms of a field, joined; of titles and empty fields there are many alike."""
        terms = self._analysed.get(text)
        if terms is None:
            terms = self._analysed[text] = " ".join(analyse(text))
        return terms

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
