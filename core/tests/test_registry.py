"""One plugin is loaded when named; what is wrong with another stays its own affair."""

import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sourcebook.errors import PluginBroken, PluginMissing
from sourcebook.registry import FIRST_PARTY, Registry, registry
from sourcebook.registry.installed import read_declared
from sourcebook.registry.report import PluginStatus

Install = Callable[..., None]

SUBJECT = """
    from sourcebook import Subject, hookimpl

    def parse(source):
        return []

    @hookimpl
    def sourcebook_subjects():
        yield Subject({name!r}, parse, suffixes=(".x",), kinds=("x",), summary="All of {name}.")
"""


@pytest.fixture(name="site")
def an_empty_folder_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture(name="install")
def _install(site: Path) -> Install:
    def install(
        distribution: str, code: str, points: str, *, version: str = "1.0", requires: str = ""
    ) -> None:
        module = distribution.replace("-", "_")
        (site / f"{module}.py").write_text(textwrap.dedent(code))
        info = site / f"{module}-{version}.dist-info"
        info.mkdir()
        needs = f"Requires-Dist: {requires}\n" if requires else ""
        (info / "METADATA").write_text(
            f"Name: {distribution}\nVersion: {version}\nSummary: About {distribution}.\n{needs}\n"
        )
        (info / "entry_points.txt").write_text(textwrap.dedent(points))

    return install


@pytest.fixture(name="make")
def _make(site: Path) -> Callable[..., Registry]:
    def make(*, core: str = "", **limits: object) -> Registry:
        if core:
            info = site / f"sourcebook_core-{core}.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Name: sourcebook-core\nVersion: {core}\n")
            (info / "entry_points.txt").write_text(
                "[sourcebook.embedders]\nown = sourcebook_core_own\n"
            )
            (site / "sourcebook_core_own.py").write_text("")
        return Registry(
            lambda: read_declared("sourcebook.", [str(site)]),
            **limits,  # type: ignore[arg-type]
        )

    return make


def subject(install: Install, name: str, distribution: str = "", **about: str) -> None:
    distribution = distribution or f"acme-{name}"
    module = distribution.replace("-", "_")
    install(
        distribution,
        SUBJECT.format(name=name),
        f"[sourcebook.subjects]\n{name} = {module}\n",
        **about,
    )


def test_a_plugin_is_imported_when_it_is_named_and_not_before(
    install: Install, make: Callable[..., Registry]
) -> None:
    subject(install, "runbooks")
    subject(install, "minutes")
    plugins = make()
    assert plugins.names("subjects") == ["minutes", "runbooks"]
    assert plugins.summary("subjects", "runbooks") == "About acme-runbooks."
    assert not {"acme_runbooks", "acme_minutes"} & set(sys.modules)
    assert plugins.subject("runbooks").name == "runbooks"
    assert plugins.summary("subjects", "runbooks") == "All of runbooks."
    assert "acme_minutes" not in sys.modules
    assert plugins.subject("runbooks") is plugins.subject("runbooks")


def test_a_distribution_with_two_plugins_is_described_by_their_records(
    install: Install, make: Callable[..., Registry]
) -> None:
    install(
        "acme-two",
        SUBJECT.format(name="a") + "        yield Subject('b', parse, suffixes=(), kinds=())\n",
        "[sourcebook.subjects]\na = acme_two\nb = acme_two\n",
    )
    plugins = make()
    assert plugins.summary("subjects", "a") == "All of a."
    assert plugins.summary("subjects", "b") == ""
    assert plugins.summary("subjects", "c") == ""


def test_one_module_may_hold_plugins_of_several_kinds(
    install: Install, make: Callable[..., Registry]
) -> None:
    install(
        "acme-both",
        SUBJECT.format(name="both")
        + """
    from sourcebook.verb import Command

    @hookimpl
    def sourcebook_commands():
        yield Command("both", "Does both.", "acme_both:main")
""",
        "[sourcebook.subjects]\nboth = acme_both\n[sourcebook.commands]\nboth = acme_both\n",
    )
    plugins = make()
    assert plugins.subject("both").suffixes == (".x",)
    assert plugins.command("both").target == "acme_both:main"
    assert {row.status for row in plugins.report()} == {"ok"}


BROKEN = {
    "raises at import": ("raise ValueError('no\\n luck')", "ValueError: no luck"),
    "needs a module": (
        "import acme_nowhere",
        "ModuleNotFoundError: No module named 'acme_nowhere'",
    ),
    "ends the process": ("raise SystemExit(3)", "SystemExit: 3"),
    "is no Python": ("def (", "SyntaxError"),
    "panics": (
        "class Panic(BaseException): ...\nraise Panic('in compiled code')",
        "Panic: in compiled code",
    ),
    "has no hook": ("", "`acme_bad` has no `sourcebook_subjects`"),
    "forgot the marker": (
        "def sourcebook_subjects(): return ()",
        "`sourcebook_subjects` lacks `@hookimpl`",
    ),
    "misspells a hook": (
        "from sourcebook import hookimpl\n@hookimpl\ndef sourcebook_subject(): return ()",
        "`sourcebook_subject` is no hook of Sourcebook",
    ),
    "asks for arguments": (
        "from sourcebook import hookimpl\n@hookimpl\ndef sourcebook_subjects(config): return ()",
        "PluginValidationError",
    ),
    "yields nothing": (
        "from sourcebook import hookimpl\n@hookimpl\ndef sourcebook_subjects(): return ()",
        "`sourcebook_subjects` yields nothing",
    ),
    "returns nothing": (
        "from sourcebook import hookimpl\n@hookimpl\ndef sourcebook_subjects(): return None",
        "TypeError",
    ),
    "hook raises": (
        "from sourcebook import hookimpl\n@hookimpl\ndef sourcebook_subjects():\n    yield 1 / 0",
        "ZeroDivisionError: division by zero",
    ),
    "wrong type": (
        "from sourcebook import hookimpl\n@hookimpl\ndef sourcebook_subjects(): yield {}",
        "`sourcebook_subjects` yields a `dict`, not a `Subject`",
    ),
    "other name": (
        SUBJECT.format(name="good"),
        "its entry point is named `bad`, its record `good`: they must be equal",
    ),
    "same name twice": (
        SUBJECT.format(name="bad").rstrip() + "\n        yield from [next(sourcebook_subjects())]",
        "`sourcebook_subjects` yields two records named `bad`",
    ),
    "other version": (
        "SOURCEBOOK_API = 99\n" + textwrap.dedent(SUBJECT.format(name="bad")),
        "it is made for version 99 of the plugin API, this core has 1",
    ),
    "parse is no function": (
        SUBJECT.format(name="bad").replace("'bad', parse", "'bad', 'parse'"),
        "`parse` is a `str`, not a function",
    ),
    "parse needs too much": (
        SUBJECT.format(name="bad").replace("parse(source)", "parse(source, options, index)"),
        "`parse` needs 3 arguments, 2 are offered",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_plugin_is_left_out_with_its_reason(
    fault: str, install: Install, make: Callable[..., Registry]
) -> None:
    code, reason = BROKEN[fault]
    install("acme-bad", code, "[sourcebook.subjects]\nbad = acme_bad\n", version="0.3")
    subject(install, "good")
    plugins = make()
    assert plugins.subject("good").name == "good"
    with pytest.raises(PluginBroken) as caught:
        plugins.subject("bad")
    assert "subject `bad` of acme-bad 0.3 cannot be used: " in caught.value.message
    assert reason in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint
    assert caught.value.where == "acme_bad"
    bad, good = plugins.report()
    assert (bad.name, bad.distribution, bad.version, bad.status) == (
        "bad", "acme-bad", "0.3", "broken",
    )  # fmt: skip
    assert reason in bad.reason
    assert good == PluginStatus("subject", "good", "acme-good", "1.0", "ok")
    assert plugins.summary("subjects", "bad") in ("", "About acme-bad.")


def test_a_broken_module_is_tried_once_for_all_its_names(
    install: Install, make: Callable[..., Registry], site: Path
) -> None:
    install(
        "acme-count",
        f"""
        with open({str(site / "log")!r}, "a") as log:
            log.write("imported ")
        raise ValueError
        """,
        "[sourcebook.subjects]\na = acme_count\nb = acme_count\n"
        "[sourcebook.stores]\na = acme_count\n",
    )
    plugins = make()
    assert [row.status for row in plugins.report() * 2] == ["broken"] * 6
    assert (site / "log").read_text() == "imported "


def test_an_interrupt_is_the_users_and_no_fault_of_the_plugin(
    install: Install, make: Callable[..., Registry]
) -> None:
    install("acme-slow", "raise KeyboardInterrupt", "[sourcebook.subjects]\nslow = acme_slow\n")
    with pytest.raises(KeyboardInterrupt):
        make().subject("slow")


def test_two_distributions_with_one_name_are_both_named_and_neither_is_used(
    install: Install, make: Callable[..., Registry]
) -> None:
    subject(install, "docs", "acme-docs", version="1.5")
    subject(install, "docs", "other-docs", version="0.2")
    plugins = make()
    with pytest.raises(PluginBroken) as caught:
        plugins.subject("docs", where="--subject")
    assert caught.value.message == (
        "subject `docs` is claimed by acme-docs 1.5 and by other-docs 0.2; neither is used"
    )
    assert caught.value.hint == "uninstall `acme-docs` or `other-docs`"
    assert caught.value.where == "--subject"
    assert not {"acme_docs", "other_docs"} & set(sys.modules)
    assert [(row.distribution, row.status) for row in plugins.report()] == [
        ("acme-docs", "duplicate"),
        ("other-docs", "duplicate"),
    ]
    assert plugins.summary("subjects", "docs") == ""


def test_naming_one_distribution_settles_whose_plugin_is_used(
    install: Install, make: Callable[..., Registry]
) -> None:
    subject(install, "docs", "acme-docs")
    subject(install, "docs", "other-docs")
    plugins = make(only=["other-docs"])
    assert plugins.subject("docs").parse.__module__ == "other_docs"
    assert [(row.distribution, row.status) for row in plugins.report()] == [
        ("acme-docs", "left out"),
        ("other-docs", "ok"),
    ]


def test_a_plugin_that_needs_another_core_is_not_even_imported(
    install: Install, make: Callable[..., Registry]
) -> None:
    subject(install, "newer", requires="sourcebook-core>=3,<4")
    subject(install, "fits", requires="sourcebook-core>=2,<3")
    plugins = make(core="2.4.1")
    assert plugins.core_version() == "2.4.1"
    assert plugins.subject("fits").name == "fits"
    with pytest.raises(PluginBroken) as caught:
        plugins.subject("newer")
    assert caught.value.message == (
        "subject `newer` of acme-newer 1.0 cannot be used: "
        "it needs sourcebook-core>=3,<4, installed is 2.4.1"
    )
    assert "acme_newer" not in sys.modules


def test_a_missing_name_lists_what_is_installed_and_who_has_it(
    install: Install, make: Callable[..., Registry]
) -> None:
    subject(install, "runbooks")
    plugins = make()
    with pytest.raises(PluginMissing) as caught:
        plugins.store("faiss", where="handbook-db/manifest.json, stores[0]")
    assert caught.value.as_json()["error"] == {
        "code": "plugin_missing",
        "message": "no store named `faiss`; installed: none",
        "where": "handbook-db/manifest.json, stores[0]",
        "hint": "`pip install sourcebook-faiss`",
    }


@pytest.mark.parametrize(
    ("kind", "name", "hint"),
    [
        ("subjects", "runbook", "did you mean `runbooks`?"),
        ("subjects", "shema", "did you mean `schema`? `pip install sourcebook-schema`"),
        ("stores", "runbooks", "`runbooks` is the name of a subject"),
        ("subjects", "zzz", "`sourcebook plugins` lists what is installed"),
        ("commands", "mcp", "`pip install sourcebook-mcp`"),
        ("embedders", "sentence-transformers", "`pip install sourcebook-sentence-transformers`"),
    ],
)
def test_a_missing_name_gets_the_next_move(
    kind: str, name: str, hint: str, install: Install, make: Callable[..., Registry]
) -> None:
    subject(install, "runbooks")
    with pytest.raises(PluginMissing) as caught:
        make().load(kind, name)
    assert caught.value.hint == hint


def test_a_hint_never_tells_to_install_a_name_from_outside(make: Callable[..., Registry]) -> None:
    plugins = make()
    known = {name for names in FIRST_PARTY.values() for name in names.values()}
    for name in ["evil", "faiss; rm -rf", "\x1b[31mfaiss", "x" * 100_000, "docs\n"]:
        with pytest.raises(PluginMissing) as caught:
            plugins.store(name)
        assert caught.value.message.isprintable()
        assert len(caught.value.message) < 200
        told = caught.value.hint.partition("pip install ")[2].rstrip("`")
        assert told in known | {""}


def test_loading_can_be_limited_to_names_and_distributions(
    install: Install, make: Callable[..., Registry]
) -> None:
    for name in ["runbooks", "minutes", "letters"]:
        subject(install, name)
    plugins = make(only=["runbooks", "acme-letters", "nobody"], limited_by="SOURCEBOOK_PLUGINS")
    assert plugins.names("subjects") == ["letters", "runbooks"]
    assert plugins.subject("letters").name == "letters"
    with pytest.raises(PluginMissing) as caught:
        plugins.subject("minutes")
    assert caught.value.message == (
        "subject `minutes` is installed, but left out by SOURCEBOOK_PLUGINS"
    )
    assert caught.value.hint == "add `minutes` to SOURCEBOOK_PLUGINS"
    assert "acme_minutes" not in sys.modules
    assert [(row.name, row.status) for row in plugins.report()] == [
        ("letters", "ok"),
        ("minutes", "left out"),
        ("runbooks", "ok"),
        ("nobody", "missing"),
    ]
    assert "acme_minutes" not in sys.modules


def test_what_the_core_brings_is_there_under_every_limit() -> None:
    plugins = Registry(only=["docs"])
    assert plugins.store("memory").name == "memory"
    assert plugins.names("subjects") == ["docs"]


STORE = """
    from sourcebook import hookimpl
    from sourcebook.store import Store

    def open(location, schema):
        raise RuntimeError("no server")

    @hookimpl
    def sourcebook_stores():
        yield Store({name!r}, frozenset(), open, lambda location, schema, base: None,
                    schemes={schemes!r})
"""


def store(install: Install, name: str, *schemes: str) -> None:
    install(
        f"acme-{name}",
        STORE.format(name=name, schemes=schemes),
        f"[sourcebook.stores]\n{name} = acme_{name}\n",
    )


def test_a_url_finds_the_store_by_its_scheme(
    install: Install, make: Callable[..., Registry]
) -> None:
    store(install, "pg", "postgres", "postgresql")
    store(install, "local")
    plugins = make()
    assert plugins.store("postgresql://user:secret@host/db").name == "pg"
    assert plugins.store("POSTGRES://host/db").name == "pg"
    assert plugins.store("pg").name == "pg"
    assert plugins.store("pg").remote
    assert not plugins.store("local").remote


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("redis://user:secret@host/0", "`pip install sourcebook-redis`"),
        ("odd://user:secret@host/0", "`sourcebook plugins` lists the installed stores"),
    ],
)
def test_a_url_without_a_store_is_refused_without_repeating_its_password(
    url: str, hint: str, install: Install, make: Callable[..., Registry]
) -> None:
    store(install, "pg", "postgres")
    with pytest.raises(PluginMissing) as caught:
        make().store(url)
    assert caught.value.message == f"no store for `{url.partition(':')[0]}://`"
    assert caught.value.hint == hint


def test_a_url_whose_store_is_broken_says_so(
    install: Install, make: Callable[..., Registry]
) -> None:
    install("acme-redis", "raise ValueError", "[sourcebook.stores]\nredis = acme_redis\n")
    install("acme-odd", "raise ValueError", "[sourcebook.stores]\nodd = acme_odd\n")
    with pytest.raises(PluginBroken, match=r"store `redis` of acme-redis 1\.0 cannot be used"):
        make().store("rediss://host")
    with pytest.raises(PluginMissing) as caught:
        make().store("strange://host")
    assert caught.value.hint == "odd, redis cannot be used: `sourcebook plugins` says why"


def test_two_stores_with_one_scheme_are_both_named(
    install: Install, make: Callable[..., Registry]
) -> None:
    store(install, "pg", "postgres")
    store(install, "pq", "postgres")
    with pytest.raises(PluginBroken) as caught:
        make().store("postgres://host/db")
    assert caught.value.message == (
        "`postgres://` is claimed by `pg` of acme-pg 1.0 and by `pq` of acme-pq 1.0; "
        "neither is used"
    )


EMBEDDER = """
    from sourcebook import hookimpl
    from sourcebook.embedder import EmbedderPlugin

    class Chosen:
        def __init__(self, model, options):
            if model == "bad":
                raise KeyError("weights")
            if model == "offline":
                raise ConnectionError("refused")
            self.ref, self.options = model, options

    def spans(text):
        return [(0, len(text))]

    def load(model):
        return Chosen(model, None)

    @hookimpl
    def sourcebook_embedders():
        yield EmbedderPlugin({name!r}, {load}, tokenizers=(({tokenizer!r}, "acme_{name}:spans"),))
"""


def embedder(install: Install, name: str, load: str = "Chosen", tokenizer: str = "letters") -> None:
    install(
        f"acme-{name}",
        EMBEDDER.format(name=name, load=load, tokenizer=tokenizer),
        f"[sourcebook.embedders]\n{name} = acme_{name}\n",
    )


def test_an_embedder_is_made_from_a_ref_with_the_arguments_it_declares(
    install: Install, make: Callable[..., Registry]
) -> None:
    from sourcebook.embedder import EmbedderOptions

    embedder(install, "tiny")
    embedder(install, "plain", "load")
    plugins = make()
    options = EmbedderOptions(dimensions=8)
    assert plugins.embedder("tiny:model:v2", options).ref == "model:v2"
    assert plugins.embedder("tiny", options).options is options  # type: ignore[attr-defined]
    assert plugins.embedder("plain").ref == ""


def test_a_fault_in_use_names_plugin_distribution_and_version(
    install: Install, make: Callable[..., Registry]
) -> None:
    embedder(install, "tiny")
    plugins = make()
    with pytest.raises(PluginBroken) as caught:
        plugins.embedder("tiny:bad")
    assert caught.value.message == ("embedder `tiny` of acme-tiny 1.0 failed: KeyError: 'weights'")
    assert caught.value.hint == "this is a fault in the plugin: report it to its author"
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(PluginBroken) as caught:
        plugins.embedder("tiny:offline")
    assert caught.value.hint == ""
    with pytest.raises(PluginMissing), plugins.blaming("embedders", "tiny"):
        plugins.subject("absent")
    with (
        pytest.raises(PluginBroken, match="store `gone` failed"),
        plugins.blaming("stores", "gone"),
    ):
        raise ValueError


def test_a_tokenizer_is_found_by_name_wherever_it_comes_from(
    install: Install, make: Callable[..., Registry]
) -> None:
    embedder(install, "tiny")
    install("acme-bad", "raise ValueError", "[sourcebook.embedders]\nbad = acme_bad\n")
    plugins = make()
    assert plugins.tokenizer("letters")("abc") == [(0, 3)]
    assert plugins.tokenizer("words")("ab c") == [(0, 2), (3, 4)]
    with pytest.raises(PluginMissing) as caught:
        plugins.tokenizer("leters")
    assert caught.value.message == "no tokenizer named `leters`; installed: letters, words"
    assert caught.value.hint == "did you mean `letters`?"


def test_a_tokenizer_of_two_embedders_is_refused(
    install: Install, make: Callable[..., Registry]
) -> None:
    embedder(install, "tiny")
    embedder(install, "small")
    with pytest.raises(PluginBroken, match="the tokenizer `letters` is claimed by `small`"):
        make().tokenizer("letters")


def test_a_tokenizer_whose_module_fails_blames_the_embedder(
    install: Install, make: Callable[..., Registry]
) -> None:
    install(
        "acme-gone",
        EMBEDDER.format(name="gone", load="Chosen", tokenizer="t").replace(":spans", "_x:spans"),
        "[sourcebook.embedders]\ngone = acme_gone\n",
    )
    with pytest.raises(PluginBroken, match=r"embedder `gone` of acme-gone 1\.0 failed"):
        make().tokenizer("t")


BUNDLE = """
    from sourcebook import hookimpl

    @hookimpl
    def sourcebook_defaults():
        return {answer!r}
"""


def bundle(install: Install, name: str, answer: object) -> None:
    install(
        f"acme-{name}",
        BUNDLE.format(answer=answer),
        f"[sourcebook.bundles]\n{name} = acme_{name}\n",
    )


def test_the_first_bundle_that_answers_wins(
    install: Install, make: Callable[..., Registry]
) -> None:
    assert make().bundle() == ("", {})
    bundle(install, "a", None)
    bundle(install, "b", {"limit": 4})
    bundle(install, "c", {"limit": 5})
    plugins = make()
    assert plugins.bundle() == ("b", {"limit": 4})
    assert plugins.defaults() == {"limit": 4}


def test_a_bundle_whose_answer_is_no_mapping_is_broken(
    install: Install, make: Callable[..., Registry]
) -> None:
    bundle(install, "a", ["limit"])
    bundle(install, "b", {1: 2})
    plugins = make()
    assert plugins.defaults() == {}
    assert [row.reason for row in plugins.report()] == [
        "`sourcebook_defaults` must return settings by dotted key"
    ] * 2


def test_renderers_are_found_by_their_format(
    install: Install, make: Callable[..., Registry]
) -> None:
    install(
        "acme-quick",
        """
        from sourcebook import hookimpl
        from sourcebook.renderer import Renderer

        @hookimpl
        def sourcebook_renderers():
            yield Renderer("quick", lambda response: "done", object)
        """,
        "[sourcebook.renderers]\nquick = acme_quick\n",
    )
    assert make().renderer("quick").render(None) == "done"


def file_with(site: Path, name: str, code: str) -> Path:
    file = site / name
    file.write_text(textwrap.dedent(code))
    return file


def test_a_file_of_ones_own_brings_plugins_too(
    site: Path, install: Install, make: Callable[..., Registry]
) -> None:
    subject(install, "minutes")
    file = file_with(site, "my run-books.py", SUBJECT.format(name="runbooks"))
    plugins = make(files=[file])
    assert plugins.names("subjects") == ["minutes", "runbooks"]
    assert plugins.subject("runbooks").parse.__module__ in sys.modules
    assert plugins.report()[1] == PluginStatus("subject", "runbooks", str(file), "", "ok")
    assert make(files=[file]).subject("runbooks") == plugins.subject("runbooks")


def test_a_file_cannot_take_over_an_installed_name(
    site: Path, install: Install, make: Callable[..., Registry]
) -> None:
    subject(install, "runbooks")
    file = file_with(site, "own.py", SUBJECT.format(name="runbooks"))
    with pytest.raises(PluginBroken) as caught:
        make(files=[file]).subject("runbooks")
    assert "acme-runbooks 1.0" in caught.value.message
    assert str(file) in caught.value.message


@pytest.mark.parametrize(
    ("name", "code", "reason"),
    [
        ("broken.py", "1 / 0", "ZeroDivisionError: division by zero"),
        ("quits.py", "raise SystemExit", "SystemExit"),
        ("empty.py", "", "it yields no plugin"),
        (
            "bundle.py",
            "from sourcebook import hookimpl\n@hookimpl\ndef sourcebook_defaults(): return {}",
            "it yields no plugin",
        ),
        ("text.txt", "", "ImportError: it is no Python file: its name must end with `.py`"),
        (
            "old.py",
            "SOURCEBOOK_API = 99",
            "it is made for version 99 of the plugin API, this core has 1",
        ),
    ],
)
def test_a_file_that_brings_nothing_is_reported(
    name: str, code: str, reason: str, site: Path, make: Callable[..., Registry]
) -> None:
    file = file_with(site, name, code)
    plugins = make(files=[file, site / "nowhere.py"])
    first, second = plugins.report()
    assert first == PluginStatus("file", file.stem, str(file), "", "broken", reason)
    assert second.reason.startswith("FileNotFoundError")
    with pytest.raises(PluginMissing) as caught:
        plugins.subject("runbooks")
    assert caught.value.hint.endswith("cannot be loaded: `sourcebook plugins` says why")


def test_the_process_has_one_registry_that_finds_what_is_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SOURCEBOOK_CONFIG", "/dev/null")
    monkeypatch.setenv("SOURCEBOOK_PLUGINS", "docs, hash")
    registry.cache_clear()
    try:
        assert registry() is registry()
        assert registry().names("subjects") == ["docs"]
        assert registry().limited_by == "SOURCEBOOK_PLUGINS"
    finally:
        registry.cache_clear()
