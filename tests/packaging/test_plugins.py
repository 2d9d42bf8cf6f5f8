"""Plugins as their authors ship them: wheels, installed by an installer, found by a new process."""

import json
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.packaging.conftest import World

REPORT = """
    import json
    from attrs import asdict
    from sourcebook.registry import registry

    print(json.dumps([asdict(row) for row in registry().report()]))
"""

NEED = """
    import json, sys
    from sourcebook.errors import SourcebookError
    from sourcebook.registry import registry

    def need(kind, name):
        try:
            return getattr(registry(), kind)(name).name
        except SourcebookError as error:
            return error.as_json()["error"]
"""

RUNBOOKS = '''
    """Runbooks: numbered procedures from the ops wiki."""

    import re
    from collections.abc import Iterator

    from sourcebook import Entry, Source, Subject, hookimpl

    STEP = re.compile(r"(\\d+)\\. (.+)")


    def parse(source: Source) -> Iterator[Entry]:
        title = source.lines[0].removeprefix("# ")
        procedure = source.entry(1, len(source.lines), kind="procedure", title=title)
        yield procedure
        for number, line in enumerate(source.lines, start=1):
            if step := STEP.match(line):
                yield source.entry(
                    number, number, kind="step", title=f"step {step[1]}", parent=procedure
                )


    @hookimpl
    def sourcebook_subjects() -> Iterator[Subject]:
        yield Subject("runbooks", parse, suffixes=(".runbook",), kinds=("procedure", "step"))
'''


def point(name: str, distribution: str) -> str:
    return f"[sourcebook.subjects]\n{name} = {distribution.replace('-', '_')}\n"


def rows(world: "World", **environ: str) -> dict[str, dict[str, Any]]:
    """Return the report by distribution, of the distributions that a test has installed."""
    return {
        row["distribution"] or row["name"]: row
        for row in world.ask(REPORT, **environ)
        if not row["distribution"].startswith("sourcebook")
    }


def test_everything_that_comes_with_sourcebook_is_ok(world: "World") -> None:
    report = world.ask(REPORT)
    assert {row["status"] for row in report} == {"ok"}
    assert {(row["kind"], row["name"]) for row in report} >= {
        ("subject", "docs"),
        ("subject", "schema"),
        ("store", "memory"),
        ("store", "faiss"),
        ("store", "tantivy"),
        ("embedder", "hash"),
        ("embedder", "minilm"),
        ("renderer", "mermaid"),
        ("renderer", "mermaid-flowchart"),
        ("renderer", "openapi"),
        ("renderer", "openapi-3.0"),
        ("renderer", "ts"),
        ("renderer", "typescript"),
    }


def test_a_plugin_of_ones_own_is_found_once_it_is_installed(world: "World") -> None:
    missing = world.ask(NEED + "    print(json.dumps(need('subject', 'runbooks')))")
    assert missing["code"] == "plugin_missing"
    world.plugin("acme-runbooks", RUNBOOKS, point("runbooks", "acme-runbooks"), version="0.4")
    assert rows(world)["acme-runbooks"] == {
        "kind": "subject",
        "name": "runbooks",
        "distribution": "acme-runbooks",
        "version": "0.4",
        "status": "ok",
        "reason": "",
    }
    found = world.ask("""
        import json
        from sourcebook import Source
        from sourcebook.registry import registry

        subject = registry().subject("runbooks")
        source = Source("deploy.runbook", "# Deploy\\n1. Drain traffic\\n2. Push the image\\n")
        print(json.dumps([[entry.kind, entry.span.first] for entry in subject.parse(source)]))
    """)
    assert found == [["procedure", 1], ["step", 2], ["step", 3]]


def test_a_plugin_is_not_imported_for_the_sake_of_another(world: "World") -> None:
    world.plugin("acme-runbooks", RUNBOOKS, point("runbooks", "acme-runbooks"))
    assert world.ask("""
        import json, sys
        from sourcebook.registry import registry

        plugins = registry()
        named = plugins.names("subjects"), plugins.summary("subjects", "runbooks")
        plugins.store("memory")
        print(json.dumps([named, "acme_runbooks" in sys.modules]))
    """) == [[["code", "docs", "runbooks", "schema"], "About acme-runbooks."], False]


HOOK = "from sourcebook import Subject, hookimpl\n@hookimpl\ndef sourcebook_subjects():\n"

BROKEN = {
    "import error": (
        "import acme_is_not_installed\n",
        (),
        "ModuleNotFoundError: No module named 'acme_is_not_installed'",
    ),
    "any exception": ("1 / 0\n", (), "ZeroDivisionError: division by zero"),
    "raising hook": (
        HOOK + "    raise RuntimeError('the moon is wrong')\n",
        (),
        "RuntimeError: the moon is wrong",
    ),
    "wrong type": (
        HOOK + "    yield 'runbooks'\n",
        (),
        "`sourcebook_subjects` yields a `str`, not a `Subject`",
    ),
    "other name": (
        HOOK + "    yield Subject('handbooks', lambda source: [], suffixes=(), kinds=())\n",
        (),
        "its entry point is named `bad`, its record `handbooks`: they must be equal",
    ),
    "other API version": (
        "SOURCEBOOK_API = 2\n",
        (),
        "it is made for version 2 of the plugin API, this core has 1",
    ),
    "other core version": (
        RUNBOOKS,
        ("sourcebook-core>=99",),
        "it needs sourcebook-core>=99, installed is ",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_plugin_is_left_out_and_the_others_work(fault: str, world: "World") -> None:
    code, requires, reason = BROKEN[fault]
    world.plugin("acme-bad", code, point("bad", "acme-bad"), version="2.1", requires=requires)
    world.plugin("acme-runbooks", RUNBOOKS, point("runbooks", "acme-runbooks"))
    report = rows(world)
    assert report["acme-runbooks"]["status"] == "ok"
    assert (report["acme-bad"]["status"], report["acme-bad"]["version"]) == ("broken", "2.1")
    assert report["acme-bad"]["reason"].startswith(reason)
    names = [("subject", "runbooks"), ("subject", "bad"), ("store", "memory")]
    good, bad, memory = world.ask(
        NEED + f"    print(json.dumps([need(*each) for each in {names}]))"
    )
    assert (good, memory) == ("runbooks", "memory")
    assert bad["code"] == "plugin_broken"
    assert bad["message"].startswith(f"subject `bad` of acme-bad 2.1 cannot be used: {reason}")
    assert "acme-bad" in bad["hint"] or "versions of it" in bad["hint"]


def test_two_distributions_that_claim_one_name_are_named_and_neither_is_used(
    world: "World",
) -> None:
    world.plugin("acme-runbooks", RUNBOOKS, point("runbooks", "acme-runbooks"), version="1.5")
    world.plugin("other-books", RUNBOOKS, point("runbooks", "other-books"), version="0.2")
    report = rows(world)
    assert [report[name]["status"] for name in ("acme-runbooks", "other-books")] == [
        "duplicate"
    ] * 2
    twice = world.ask(NEED + "    print(json.dumps(need('subject', 'runbooks')))")
    assert twice == {
        "code": "plugin_broken",
        "message": "subject `runbooks` is claimed by acme-runbooks 1.5 and by other-books 0.2; "
        "neither is used",
        "where": "",
        "hint": "uninstall `acme-runbooks` or `other-books`",
    }
    chosen = world.ask(
        NEED + "    print(json.dumps(need('subject', 'runbooks')))",
        SOURCEBOOK_PLUGINS="other-books",
    )
    assert chosen == "runbooks"


def test_a_name_of_the_core_cannot_be_taken_over(world: "World") -> None:
    world.plugin(
        "acme-hash", "raise SystemExit", "[sourcebook.embedders]\nhash = acme_hash\n", version="6"
    )
    stolen = world.ask(
        """
        import json
        from sourcebook.errors import PluginBroken
        from sourcebook.registry import registry

        try:
            registry().embedder("hash")
        except PluginBroken as error:
            print(json.dumps([error.message, error.hint]))
        """
    )
    assert "acme-hash 6" in stolen[0]
    assert "sourcebook-core " in stolen[0]
    assert stolen[1] == "uninstall `acme-hash`"


def test_a_missing_name_says_which_distribution_has_it(world: "World") -> None:
    code = NEED + "    print(json.dumps([need('store', 'whoosh'), need('subject', 'dosc')]))"
    whoosh, slip = world.ask(code)
    assert whoosh["message"] == "no store named `whoosh`; installed: faiss, memory, tantivy"
    assert whoosh["hint"] == "`pip install sourcebook-whoosh`"
    assert slip["message"] == "no subject named `dosc`; installed: code, docs, schema"
    assert slip["hint"] == "did you mean `docs`?"


def test_loading_is_limited_by_the_environment_and_by_the_users_file(world: "World") -> None:
    world.plugin("acme-runbooks", RUNBOOKS, point("runbooks", "acme-runbooks"))
    own = world.home / "own.toml"
    own.write_text("plugins = ['docs', 'nothing']\n")
    limited = [
        rows(world, SOURCEBOOK_PLUGINS="docs,nothing"),
        rows(world, SOURCEBOOK_CONFIG=str(own)),
    ]
    for report in limited:
        assert report["acme-runbooks"]["status"] == "left out"
        assert report["nothing"]["status"] == "missing"
    assert limited[0]["acme-runbooks"]["reason"] == "not named in SOURCEBOOK_PLUGINS"
    assert limited[1]["acme-runbooks"]["reason"] == f"not named in `plugins` in {own}:1"
    assert rows(world, SOURCEBOOK_PLUGINS="runbooks")["acme-runbooks"]["status"] == "ok"


def test_a_project_file_cannot_bring_or_limit_plugins(world: "World") -> None:
    (world.home / "sourcebook.toml").write_text("plugins = ['runbooks']\n")
    refused = world.ask("""
        import json
        from sourcebook.errors import BadSetting
        from sourcebook.registry import registry
        from sourcebook.settings import load_settings

        try:
            load_settings()
        except BadSetting as error:
            print(json.dumps([error.message, error.where, registry().names("subjects")]))
    """)
    assert refused[0] == "a project file cannot set `plugins`"
    assert refused[1].endswith("sourcebook.toml:1, plugins")
    assert refused[2] == ["code", "docs", "schema"]


def test_a_bundle_brings_its_defaults(world: "World") -> None:
    world.plugin(
        "acme-bundle",
        "from sourcebook import hookimpl\n@hookimpl\ndef sourcebook_defaults():\n"
        "    return {'embedding': 'hash', 'stores': ['memory']}\n",
        "[sourcebook.bundles]\nacme = acme_bundle\n",
    )
    assert world.ask("""
        import json
        from sourcebook.settings import load_settings

        settings = load_settings()
        keys = ("embedding", "stores")
        print(json.dumps([[settings.get(key), settings.origin(key)] for key in keys]))
    """) == [["hash", "bundle acme"], [["memory"], "bundle acme"]]


def test_the_command_line_shows_plugins_and_their_faults(world: "World") -> None:
    world.plugin("acme-runbooks", RUNBOOKS, point("runbooks", "acme-runbooks"))
    world.plugin("acme-bad", "1 / 0\n", point("bad", "acme-bad"), version="2.1")
    world.plugin("acme-one", RUNBOOKS, point("twice", "acme-one"))
    world.plugin("acme-two", RUNBOOKS, point("twice", "acme-two"))
    report = json.loads(world.run("-m", "sourcebook", "plugins", "--json").stdout)
    assert report["schema"] == "plugins/1"
    found = {row["distribution"]: row for row in report["plugins"]}
    assert found["acme-runbooks"]["status"] == "ok"
    assert found["acme-bad"] == {
        "kind": "subject",
        "name": "bad",
        "distribution": "acme-bad",
        "version": "2.1",
        "status": "broken",
        "reason": "ZeroDivisionError: division by zero",
    }
    assert found["acme-one"]["status"] == found["acme-two"]["status"] == "duplicate"
    lines = world.run("-m", "sourcebook", "plugins").stdout.splitlines()
    [line] = [line for line in lines if "acme-bad" in line]
    assert line.split() == [
        "subject", "bad", "acme-bad", "2.1",
        "broken:", "ZeroDivisionError:", "division", "by", "zero",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "error"),
    [
        (
            "bad",
            "error: subject `bad` of acme-bad 2.1 cannot be used: ZeroDivisionError: division by "
            "zero\n  at acme_bad\nhint: repair or uninstall `acme-bad`\n",
        ),
        (
            "mcp",
            "error: no command named `mcp`; installed: none\nhint: `pip install sourcebook-mcp`\n",
        ),
        (
            "dosc",
            "error: no subject or command is named `dosc`\n  at sourcebook\n"
            "hint: did you mean `docs`?\n",
        ),
    ],
)
def test_the_command_line_says_what_is_missing_or_broken(
    name: str, error: str, world: "World"
) -> None:
    world.plugin("acme-bad", "1 / 0\n", point("bad", "acme-bad"), version="2.1")
    assert world.fails("-m", "sourcebook", name, "search", "x") == error
    assert "Traceback" not in world.fails("-m", "sourcebook", name, "--json", "search", "x")


def test_help_shows_a_broken_plugin_by_name_and_works(world: "World") -> None:
    world.plugin("acme-bad", "raise SystemExit(7)\n", point("bad", "acme-bad"))
    shown = world.run("-m", "sourcebook", "--help").stdout
    assert "bad     About acme-bad." in shown


def test_a_subject_left_out_by_the_user_is_said_to_be(world: "World") -> None:
    error = world.fails("-m", "sourcebook", "docs", "stats", SOURCEBOOK_PLUGINS="other")
    assert error == (
        "error: subject `docs` is installed, but left out by SOURCEBOOK_PLUGINS\n"
        "hint: add `docs` to SOURCEBOOK_PLUGINS\n"
    )


def test_a_file_of_ones_own_indexes_with_all_workers(world: "World") -> None:
    options = (
        "from attrs import frozen\nfrom sourcebook import option\n\n"
        "@frozen\nclass Options:\n    loud: bool = option(False, help='Loud titles.')\n\n"
    )
    code = textwrap.dedent(RUNBOOKS).replace(
        "def parse(source: Source)", "def parse(source, options)"
    )
    code = code.replace("STEP = ", f"{options}\nSTEP = ").replace(
        '"step"))', '"step"), options=Options)'
    )
    file = world.home / "runbooks.py"
    file.write_text(code)
    corpus = world.home / "corpus"
    corpus.mkdir()
    for number in range(100):
        (corpus / f"{number}.runbook").write_text(f"# Deploy\n1. Drain traffic\n2. Push {number}\n")
    say = ("-m", "sourcebook", "runbooks", "index", "corpus", "--embedding", "none", "--json")
    built = world.run(*say, "--store", "memory", "--loud", SOURCEBOOK_PLUGIN_FILES=str(file))
    assert json.loads(built.stdout)["entries"] == 300
