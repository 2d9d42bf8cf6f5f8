"""What the code has, the reference names: hooks, records, flags, settings, error codes, kinds."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import click
import pytest
from sourcebook import embedder, errors, hookspecs, model, renderer, store, subgraph, subject, verb
from sourcebook.registry import registry
from sourcebook.retrieval.evidence import HINTS
from sourcebook.settings import subject_settings
from sourcebook.surfaces.cli import BUILT_IN, Root
from sourcebook.surfaces.command import LazyGroup
from sourcebook_code.languages import LANGUAGES

from tests.docs.console import ROOT

REFERENCE = ROOT / "docs" / "reference"
PACKAGES = sorted(
    {*ROOT.glob("core/src/*"), *ROOT.glob("subjects/*/src/*"), *ROOT.glob("plugins/*/*/src/*")}
)


def page(name: str) -> str:
    return (REFERENCE / f"{name}.md").read_text(encoding="utf-8")


def code(name: str) -> str:
    """Return a name as a page writes it."""
    return f"`{name}`"


def modules() -> Iterator[Path]:
    for package in PACKAGES:
        yield from package.rglob("*.py")


def test_every_hook_is_documented_with_its_entry_point_group() -> None:
    hooks = [name for name in vars(hookspecs) if name.startswith("sourcebook_")]
    assert len(hooks) >= 6
    assert [name for name in hooks if code(name) not in page("hooks")] == []


RECORDS = (
    subject.Subject, subject.Filter, subject.Document, subject.LoadOptions, model.Source,
    model.Span, model.Entry, model.Fact, model.Problem, model.Skipped, model.IndexedEntry,
    store.Store, store.StoreSchema, store.Location, store.Row, store.Scored,
    embedder.EmbedderPlugin, embedder.EmbedderOptions, renderer.Renderer, verb.Command,
    verb.Verb, verb.VerbRef, verb.Tool, verb.OptionInfo, subgraph.Subgraph, subgraph.ApiSubgraph,
    subgraph.Node, subgraph.Edge,
)  # fmt: skip


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_every_field_of_a_record_is_documented(record: Any) -> None:
    told = page("hooks")
    assert re.search(rf"(^## .*\b{record.__name__}\b|`{record.__name__}`)", told, re.MULTILINE)
    names = [field.name for field in attrs.fields(record)]
    assert [name for name in names if not re.search(rf"`[^`\n]*\b{name}\b[^`\n]*`", told)] == []


CONTRACTS = (
    store.Reader, store.VectorReader, store.LexicalReader, store.Writer, embedder.Embedder,
)  # fmt: skip


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
def test_every_method_of_a_contract_is_documented(contract: Any) -> None:
    names = [name for name in vars(contract) if not name.startswith("_")]
    assert [name for name in names if code(name) not in page("hooks")] == []


def test_every_capability_is_documented() -> None:
    assert [one for one in store.Capability if code(one.value) not in page("hooks")] == []


def test_every_setting_of_a_subject_is_documented() -> None:
    told = page("environment")
    for setting in subject_settings("docs", registry()):
        assert code(setting.variable) in told


def test_every_variable_of_the_environment_is_documented() -> None:
    found = {
        name
        for module in modules()
        for name in re.findall(r"\b_?SOURCEBOOK_[A-Z_]*[A-Z]\b", module.read_text())
    } - {"SOURCEBOOK_API"}
    told = page("settings") + page("environment")
    assert {name for name in found if code(name) not in told} == set()


def subclasses(cls: type) -> Iterator[Any]:
    one: type
    for one in cls.__subclasses__():
        if one.__module__ == errors.__name__:
            yield one
        yield from subclasses(one)


@pytest.mark.parametrize("error", [*subclasses(errors.SourcebookError)], ids=lambda one: one.code)
def test_every_error_code_is_documented(error: Any) -> None:
    assert code(error.code) in page("errors")


SUBJECTS = ("docs", "schema", "code")

SHARED = ("export", "index", "search")
"""Verbs of which the page of a subject tells only what is its own."""


def groups(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(command, LazyGroup):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            if not path and name not in {*BUILT_IN, *SUBJECTS}:
                continue
            inner = command.get_command(ctx, name)
            assert inner is not None
            yield from groups(inner, (*path, name))
    else:
        yield path


def flags_of(path: tuple[str, ...]) -> set[str]:
    command: click.Command | None = Root()
    for name in path:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name)
    assert command is not None
    return {
        flag
        for param in command.params
        if isinstance(param, click.Option)
        for flag in (*param.opts, *param.secondary_opts)
    }


COMMANDS = list(groups(Root()))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_and_flag_is_documented(path: tuple[str, ...]) -> None:
    if path[0] in SUBJECTS:
        told = page(f"{path[0]}-subject")
        if path[1] in SHARED:
            told += page("docs-subject")
        assert re.search(rf"^## .*\b{path[1]}\b|`{path[1]}`", told, re.MULTILINE)
    else:
        told = page("commands")
        assert code(f"sourcebook {' '.join(path)}") in told
    missing = {flag for flag in flags_of(path) if not re.search(rf"`{flag}(?![\w-])", told)}
    assert missing == set()


def test_the_page_of_the_docs_subject_has_no_flag_that_is_gone() -> None:
    known = {flag for path in COMMANDS if path[0] == "docs" for flag in flags_of(path)}
    told = set(re.findall(r"`(--[a-z][a-z-]*)", page("docs-subject")))
    assert told - known - {"--format"} == set()


def test_every_kind_and_suffix_of_the_docs_subject_is_documented() -> None:
    docs = registry().subject("docs")
    told = page("docs-subject")
    assert [kind for kind in docs.kinds if f"| {code(kind)} |" not in told] == []
    assert [suffix for suffix in docs.suffixes if code(suffix) not in told] == []


def test_every_reason_to_skip_a_file_is_documented() -> None:
    reasons = {
        str(call.args[1].value)
        for module in modules()
        for call in ast.walk(ast.parse(module.read_text()))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "Skipped"
        and len(call.args) > 1
        and isinstance(call.args[1], ast.Constant)
    }
    assert len(reasons) > 5
    told = page("skipped-files")
    assert [reason for reason in sorted(reasons) if f"| {code(reason)} |" not in told] == []


def test_every_reason_for_weak_evidence_is_documented() -> None:
    told = (ROOT / "docs/explanation/evidence.md").read_text(encoding="utf-8")
    assert [reason for reason in HINTS if reason and f"| {code(reason)} |" not in told] == []


def test_every_page_is_reached_from_the_index_of_its_folder() -> None:
    for index in (ROOT / "docs").glob("*/README.md"):
        told = index.read_text(encoding="utf-8")
        pages = {page.name for page in index.parent.glob("*.md")} - {"README.md"}
        assert {name for name in pages if f"({name})" not in told} == set()


def test_every_kind_and_language_of_the_code_subject_is_documented() -> None:
    told = page("code-subject")
    assert [kind for kind in registry().subject("code").kinds if code(kind) not in told] == []
    for language in LANGUAGES:
        assert [one for one in language.suffixes if code(one) not in told] == []
        assert f"| {code(language.name)} |" in told
