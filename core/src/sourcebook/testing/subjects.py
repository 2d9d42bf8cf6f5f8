"""The suite that every subject passes, ours and yours.

An author's test file is a few lines::

    from sourcebook.testing import SubjectConformance

    class TestRunbooks(SubjectConformance):
        subject = "runbooks"
        sources = {"deploy.runbook": "# Deploy\\n1. Drain traffic\\n2. Push the image\\n"}
        asks = {"stop the traffic": "deploy.runbook:2"}

Every source is parsed, indexed and asked; so is text that no author thinks of.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar, cast

import attrs
import pytest

from sourcebook.adapt import call_declared
from sourcebook.cache import open_cache
from sourcebook.index.build import Build, BuildOptions, build_index
from sourcebook.index.open import open_index
from sourcebook.model import Entry, Fact, Problem, Source
from sourcebook.registry import registry
from sourcebook.subject import Parsed, Subject
from sourcebook.verb import verb_refs
from sourcebook.verbs.index import choose_stores

_Test = TypeVar("_Test", bound=Callable[..., None])

ODD: Final[Mapping[str, str]] = {
    "a blank": " ",
    "line ends alone": "\n\r\n\r\n\n",
    "no line end at the end": "text",
    "every line end": "one\rtwo\nthree\r\nfour",
    "no line ends to us": "one\ftwo\vthree\u2028four\x85five\u2029six",
    "NUL": "one\0two\n\0\n",
    "a mark inside": "one\n\ufefftwo\n",
    "a long line": "word " * 40_000,
    "a long word": "x" * 200_000,
    "many lines": "a line\n" * 5_000,
    "deep brackets": "([{<" * 3_000,
    "deep indents": "".join(" " * depth + "- x\n" for depth in range(400)),
    "open marks": "```\n<!--\n'''\n\"\"\"\n/*\n",
    "half a pair": "one\ud83dtwo\n",
    "other scripts": "速率限制\nدليل\nשער\n👩‍🚀\ne\u0301\n",
    "braces": "{\n",
    "a list": "- [ ]\n-\n",
}
"""Texts that every `parse` must survive: it may tell a `Problem`, and it never raises."""

HEAVY: Final = frozenset(
    {
        "faiss", "libcst", "markdown_it", "mdit_py_plugins", "numpy", "onnxruntime",
        "openapi_core", "pandas", "pydantic", "rich", "structlog", "tantivy", "tokenizers",
        "torch", "tree_sitter", "yaml",
    }
)  # fmt: skip
"""What a subject imports in the function that needs it, never when its help is asked for."""

ASKED_HITS: Final = 3


def installed(test: _Test) -> _Test:
    """Mark a test as one for subjects that an index finds again by name."""
    test.__dict__["needs_name"] = True
    return test


def asking(test: _Test) -> _Test:
    """Mark a test as one for suites that ask something."""
    test.__dict__["needs_asks"] = True
    return test


class SubjectConformance:
    """Base of a subject's test class; see the module.

    Attributes:
        subject: its name, or its record.
        sources: texts, or bytes, by name in the corpus.
        asks: by question in the words of the sources, a line of the answer: `source:line`. One of
            the first three hits of the text leg must hold it.
        options: values of its parse options that differ from their defaults.
    """

    subject: ClassVar[Subject | str]
    sources: ClassVar[Mapping[str, str | bytes]]
    asks: ClassVar[Mapping[str, str]] = {}
    options: ClassVar[Mapping[str, object]] = {}
    record: ClassVar[Subject]

    def __init_subclass__(cls) -> None:
        named = getattr(cls, "subject", None)
        if named is None:
            return  # a base class of the author's own
        cls.record = named if isinstance(named, Subject) else registry().subject(named)
        lacking = {"needs_name": not isinstance(named, str), "needs_asks": not cls.asks}
        for name in dir(cls):
            if any(lacking.get(need) for need in getattr(getattr(cls, name), "__dict__", ())):
                setattr(cls, name, None)  # pytest collects functions only

    # What the record says.

    def test_its_name_is_one_lower_case_word(self) -> None:
        name = self.record.name
        assert name == name.lower()
        assert name.replace("-", "_").isidentifier()

    def test_its_suffixes_are_lower_case_with_their_dot(self) -> None:
        assert all(one.startswith(".") and one == one.lower() for one in self.record.suffixes)
        if self.record.load is None:
            assert all(Source(name, "").suffix in self.record.suffixes for name in self.sources)

    def test_workers_can_import_its_parse(self) -> None:
        parse = self.record.parse
        assert attrgetter(parse.__qualname__)(import_module(parse.__module__)) is parse

    def test_its_options_all_have_defaults(self) -> None:
        assert self.record.options is None or self.record.options()

    def test_its_verbs_can_be_loaded(self) -> None:
        for ref in verb_refs(self.record):
            verb = ref.load(self.record)
            assert verb.name == ref.name
            assert verb.summary

    # What `parse` yields.

    def test_its_sources_have_entries(self) -> None:
        for source in self.documents():
            assert list(self.entries(source)), source.name

    def test_kinds_are_declared(self) -> None:
        for entry in self.all_entries():
            assert entry.kind in self.record.kinds

    def test_lines_lie_in_the_source(self) -> None:
        for source in self.documents():
            for entry in self.entries(source):
                assert entry.source == source.name
                for span in (entry.span, *entry.context, *entry.holes):
                    assert 1 <= span.first <= span.last <= len(source.lines)
                ends = [entry.span.first - 1, *(one.last for one in entry.holes)]
                assert ends[-1] <= entry.span.last
                assert all(end < one.first for end, one in zip(ends, entry.holes, strict=False))

    def test_fields_and_filters_are_declared(self) -> None:
        declared = {one.name: one for one in self.record.filters}
        for entry in self.all_entries():
            assert set(entry.fields) <= {*self.record.fields, "body", "title"}
            assert set(entry.filters) <= set(declared)
            for key, values in entry.filters.items():
                assert all(values), "an empty value can never be asked for"
                assert declared[key].multi or len(values) <= 1

    def test_a_parent_comes_before_what_lies_in_it(self) -> None:
        for source in self.documents():
            seen: list[Entry] = []
            for entry in self.entries(source):
                assert entry.parent is None or any(entry.parent is one for one in seen)
                seen.append(entry)

    def test_facts_are_of_the_declared_class_and_of_json_types(self) -> None:
        for source in self.documents():
            for one in self.parsed(source):
                if isinstance(one, Fact):
                    assert_json(one.value)
                elif isinstance(one, Entry) and one.facts is not None:
                    assert self.record.facts is not None
                    assert isinstance(one.facts, self.record.facts)
                    assert_json(attrs.asdict(cast(Any, one.facts)))

    def test_parsing_again_gives_the_same(self) -> None:
        for source in self.documents():
            fresh = Source(source.name, source.text, source.digest, source.encoding)
            assert self.told(source) == self.told(fresh)

    def test_windows_line_ends_change_no_number(self) -> None:
        for source in self.documents():
            other = Source(source.name, "\r\n".join([*source.lines, ""]))
            found = [(one.span, one.kind, one.title) for one in self.entries(other)]
            assert found == [(one.span, one.kind, one.title) for one in self.entries(source)]

    @pytest.mark.parametrize("text", ODD.values(), ids=ODD)
    def test_no_text_makes_it_fail(self, text: str) -> None:
        suffix = next(iter(self.record.suffixes), "")
        source = Source(f"odd{suffix}", text)
        for entry in self.entries(source):
            assert entry.kind in self.record.kinds
            assert 1 <= entry.span.first <= entry.span.last <= len(source.lines)

    # What is made of it.

    def test_structure_does_not_depend_on_the_order_of_sources(self) -> None:
        if self.record.assemble is None:
            return
        facts = {source.name: self.facts(source) for source in self.documents()}
        made = call_declared(self.record.assemble, facts, self.chosen_options())
        turned = dict(reversed(facts.items()))
        assert call_declared(self.record.assemble, turned, self.chosen_options()) == made
        for name, data in made.items():
            assert isinstance(data, bytes)
            assert name == Path(name).name, "a structure file lies beside the others"

    @installed
    def test_every_entry_is_in_the_index_with_its_lines(self, tmp_path: Path) -> None:
        self.build(tmp_path)
        with open_index(tmp_path / "index") as index:
            for source in self.documents():
                entries = list(self.entries(source))
                indexed = list(index.entries([source.name]))
                assert [one.span for one in indexed] == [one.span for one in entries]
                assert len({one.id for one in indexed}) == len(entries)
                assert index.source(source.name).lines == source.lines

    @installed
    def test_an_index_without_copies_has_every_text(self, tmp_path: Path) -> None:
        if self.record.needs_sources:
            return
        self.build(tmp_path)
        with open_index(tmp_path / "index") as index:
            texts = {one.id: index.body(one) for one in index.entries()}
        self.build(tmp_path, keep_sources=False)
        with open_index(tmp_path / "index") as index:
            assert not index.manifest.sources_kept
            assert {one.id: index.body(one) for one in index.entries()} == texts

    @installed
    def test_every_entry_has_a_text_to_embed(self, tmp_path: Path) -> None:
        self.build(tmp_path)
        make = self.record.embedding_text
        with open_index(tmp_path / "index") as index:
            for entry in index.entries():
                body = index.body(entry)
                head, text = make(entry, body) if make else ("", body)
                assert isinstance(head, str)
                assert isinstance(text, str)

    @installed
    def test_two_builds_give_the_same_index(self, tmp_path: Path) -> None:
        one, other = tmp_path / "one", tmp_path / "other"
        self.build(one)
        self.build(other)
        digests = [
            index.manifest.content_digest
            for folder in (one, other)
            for index in [open_index(folder / "index")]
        ]
        assert digests[0] == digests[1]

    @installed
    @asking
    def test_what_is_asked_is_found(self, tmp_path: Path) -> None:
        self.build(tmp_path)
        search = next(one for one in verb_refs(self.record) if one.name == "search")
        verb = search.load(self.record)
        with open_index(tmp_path / "index") as index:
            for question, place in self.asks.items():
                request = verb.request(query=question, mode="text", min_evidence="none")
                hits = verb.run(index, request).hits[:ASKED_HITS]
                source, _, line = place.rpartition(":")
                assert any(
                    hit.source == source and hit.first_line <= int(line) <= hit.last_line
                    for hit in hits
                ), f"{question}: {[hit.location for hit in hits]}"

    @installed
    def test_its_help_loads_nothing_heavy(self) -> None:
        program = (
            "import sys; from sourcebook.registry import registry; "
            f"registry().subject({self.record.name!r}); "
            "print(' '.join({name.partition('.')[0] for name in sys.modules}))"
        )
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert set(done.stdout.split()) & HEAVY == set()

    # What the tests share.

    def documents(self) -> Iterator[Source]:
        """Yield the sources as the core would hand them to `parse`."""
        from sourcebook.index.decode import decode

        for name, text in self.sources.items():
            data = text.encode() if isinstance(text, str) else text
            yield Source(name, decode(data).text)

    def chosen_options(self) -> Any:
        """Return the options that the sources are parsed with."""
        return None if self.record.options is None else self.record.options(**self.options)

    def parsed(self, source: Source) -> list[Parsed]:
        """Return everything that `parse` yields for a source."""
        found: Iterable[Parsed] = call_declared(self.record.parse, source, self.chosen_options())
        made = list(found)
        assert all(isinstance(one, Entry | Fact | Problem) for one in made)
        return made

    def entries(self, source: Source) -> Iterator[Entry]:
        """Yield the entries of a source."""
        return (one for one in self.parsed(source) if isinstance(one, Entry))

    def all_entries(self) -> Iterator[Entry]:
        """Yield the entries of every source."""
        return (entry for source in self.documents() for entry in self.entries(source))

    def facts(self, source: Source) -> list[Any]:
        """Return the facts of a source as `assemble` gets them."""
        found = [one.value for one in self.parsed(source) if isinstance(one, Fact)]
        return list(json.loads(json.dumps(found)))

    def told(self, source: Source) -> list[object]:
        """Return all that `parse` says of a source in a form that can be compared."""
        made = self.parsed(source)
        places = {id(one): place for place, one in enumerate(made)}
        return [
            [
                places.get(id(value)) if name == "parent" else value
                for name, value in zip(_ENTRY, attrgetter(*_ENTRY)(one), strict=True)
            ]
            if isinstance(one, Entry)
            else one
            for one in made
        ]

    def build(self, folder: Path, *, keep_sources: bool = True) -> Build:
        """Index the sources by words, below `folder`."""
        for name, text in self.sources.items():
            path = folder / "corpus" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)
        options = BuildOptions(
            out=folder / "index",
            embedder=None,
            stores=choose_stores(["memory"], words_only=True),
            options=self.chosen_options(),
            tokenizer="words",
            keep_sources=keep_sources,
        )
        with open_cache(None, enabled=False) as cache:
            return build_index(self.record, [folder / "corpus"], options, cache)


_ENTRY: Sequence[str] = tuple(field.name for field in attrs.fields(Entry))


def assert_json(value: object) -> None:
    """Assert that a value comes back from JSON as it was, tuples as lists apart."""
    text = json.dumps(value, allow_nan=False)
    assert json.dumps(json.loads(text)) == text
