"""Settings: who wins, where a value comes from, and what a project file cannot do."""

import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.errors import BadSetting
from sourcebook.registry import Registry
from sourcebook.registry.installed import Declared, Distribution
from sourcebook.settings import Settings, load_settings, plugins_wanted
from sourcebook.settings.files import line_of, upwards, user_config_path, user_file
from sourcebook.settings.report import config_rows, masked
from sourcebook.settings.values import SETTINGS, variable_of
from sourcebook.subject import Subject
from sourcebook.testing.nobody import as_nobody, open_folder
from sourcebook.verb import option

Load = Callable[..., Settings]


@frozen
class Options:
    """What the subject of these tests can be told."""

    chunk_tokens: int = option(384, help="Tokens of a chunk.", minimum=16, maximum=8192)
    depth: int | None = option(None, help="How deep.")
    ratio: float = option(0.5, help="How much.", maximum=1)
    style: str = option("plain", help="Which way.", choices=("plain", "rich"))
    include: tuple[str, ...] = option((), help="Which ones.")
    strict: bool = option(False, help="Whether all must be right.")
    hook: object = option(None, help="Nothing that a file could say.")
    tokenizer: str = option("words", help="Filled in by the core.")


class Plugins(Registry):
    """A registry that knows two subjects, and counts what is loaded."""

    def __init__(self, defaults: dict[str, object] | None = None) -> None:
        distribution = Distribution(("acme", "1.0"), lambda _name: "")
        super().__init__(
            lambda: [
                Declared("sourcebook.subjects", "docs", "acme_docs", distribution),
                Declared("sourcebook.subjects", "in-house", "acme_house", distribution),
                Declared("sourcebook.bundles", "acme", "acme_bundle", distribution),
            ]
        )
        self.loaded: list[str] = []
        self.answer = defaults

    def subject(self, name: str, *, where: str = "") -> Subject:
        self.loaded.append(name)
        options = Options if name == "docs" else None
        return Subject(name, lambda source: [], suffixes=(), kinds=(), options=options)

    def bundle(self) -> tuple[str, Any]:
        return ("acme", self.answer) if self.answer else ("", {})

    def fault(self, kind: str, name: str) -> None:
        return None


@pytest.fixture(name="home", autouse=True)
def a_home_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    (home / "project").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.chdir(home / "project")
    return home


@pytest.fixture(name="user_says")
def _user_says(home: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        file = home / ".config" / "sourcebook" / "config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
        return file

    return write


@pytest.fixture(name="project_says")
def _project_says(home: Path) -> Callable[[str], Path]:
    def write(text: str, name: str = "sourcebook.toml") -> Path:
        file = home / "project" / name
        file.write_text(textwrap.dedent(text))
        return file

    return write


Says = Callable[[str], Path]


def load(**given: Any) -> Settings:
    given.setdefault("environ", {})
    given.setdefault("plugins", Plugins())
    return load_settings(given.pop("flags", {}), **given)


def test_without_any_file_everything_is_built_in() -> None:
    settings = load()
    assert {key: value for key, value, _ in settings.items()} == {
        setting.key: setting.default for setting in SETTINGS
    }
    assert {origin for _, _, origin in settings.items()} == {"built in"}


def test_flag_beats_environment_beats_user_beats_project_beats_bundle(
    user_says: Says, project_says: Says
) -> None:
    layers: list[tuple[str, dict[str, Any]]] = [
        ("built in", {}),
        ("bundle acme", {"plugins": Plugins({"limit": 1})}),
    ]
    settings = load(**layers[0][1])
    assert (settings.get("limit"), settings.origin("limit")) == (0, "built in")
    bundle = {"plugins": Plugins({"limit": 1})}
    settings = load(**bundle)
    assert (settings.get("limit"), settings.origin("limit")) == (1, "bundle acme")
    project = project_says("# first\nlimit = 2\n")
    settings = load(**bundle)
    assert (settings.get("limit"), settings.origin("limit")) == (2, f"{project}:2")
    user = user_says("limit = 3\n")
    settings = load(**bundle)
    assert (settings.get("limit"), settings.origin("limit")) == (3, f"{user}:1")
    environ = {"SOURCEBOOK_LIMIT": "4"}
    settings = load(environ=environ, **bundle)
    assert (settings.get("limit"), settings.origin("limit")) == (4, "environment SOURCEBOOK_LIMIT")
    settings = load(environ=environ, flags={"limit": 5}, **bundle)
    assert (settings.get("limit"), settings.origin("limit")) == (5, "flag --limit")
    settings = load(environ=environ, flags={"limit": None}, **bundle)
    assert settings.get("limit") == 4


def test_the_nearest_project_file_counts_and_home_is_the_end(home: Path) -> None:
    deep = home / "project" / "a" / "b"
    deep.mkdir(parents=True)
    (home / "sourcebook.toml").write_text("limit = 1\n")
    (home.parent / "sourcebook.toml").write_text("limit = 9\n")
    assert load(cwd=deep).get("limit") == 1
    (home / "project" / "pyproject.toml").write_text("[tool.sourcebook]\nlimit = 2\n")
    (home / "project" / "a" / "pyproject.toml").write_text("[tool.other]\nsourcebook = 1\n")
    settings = load(cwd=deep)
    assert settings.get("limit") == 2
    assert settings.origin("limit") == f"{home}/project/pyproject.toml:2"
    (home / "sourcebook.toml").unlink()
    assert load(cwd=home).get("limit") == 0
    assert list(upwards(home.parent))[-1] == Path("/")


def test_two_files_in_one_folder_are_refused(project_says: Callable[..., Path]) -> None:
    project_says("limit = 1\n")
    project_says("[tool.sourcebook]\nlimit = 2\n", "pyproject.toml")
    with pytest.raises(BadSetting, match="has settings in two files"):
        load()


def test_config_variable_names_another_user_file(home: Path, user_says: Says) -> None:
    user_says("limit = 3\n")
    other = home / "other.toml"
    other.write_text("limit = 7\nplugins = ['docs']\n")
    assert load(environ={"SOURCEBOOK_CONFIG": "~/other.toml"}).get("limit") == 7
    assert load(environ={"SOURCEBOOK_CONFIG": os.devnull}).get("limit") == 0
    with pytest.raises(BadSetting, match=r"there is no file `.*nowhere\.toml`"):
        load(environ={"SOURCEBOOK_CONFIG": "~/nowhere.toml"})


def test_a_project_file_that_is_the_users_own_is_the_users(home: Path) -> None:
    file = home / "project" / "sourcebook.toml"
    file.write_text("plugins = ['docs']\n")
    settings = load(environ={"SOURCEBOOK_CONFIG": str(file)})
    assert settings.get("plugins") == ("docs",)


UNTRUSTED = {
    "plugins": 'plugins = ["evil"]',
    "embedding_endpoint": 'embedding_endpoint = "https://evil.example"',
    "embedding_key_variable": 'embedding_key_variable = "AWS_SECRET_ACCESS_KEY"',
    "stores": 'stores = ["faiss", "redis://evil.example"]',
    "cache_dir": 'cache_dir = "cache"',
    "plugin_files": "plugin_files = ['evil.py']",
    "allow_remote": "allow_remote = true",
    "allow_outside": "allow_outside = false",
}


def test_every_trusted_setting_is_tried_below() -> None:
    assert {setting.key for setting in SETTINGS if setting.trusted} == set(UNTRUSTED) - {"stores"}


@pytest.mark.parametrize("key", UNTRUSTED)
@pytest.mark.parametrize("name", ["sourcebook.toml", "pyproject.toml"])
def test_a_project_file_cannot_set_what_could_reach_out(
    key: str, name: str, project_says: Callable[..., Path], user_says: Says
) -> None:
    table = "tool.sourcebook." if name == "pyproject.toml" else ""
    header = "[tool.sourcebook]\n" if table else "\n"
    file = project_says(f"{header}limit = 2\n{UNTRUSTED[key]}\n", name)
    with pytest.raises(BadSetting) as caught:
        load()
    assert caught.value.where == f"{file}:3, {table}{key}"
    assert "a project file cannot" in caught.value.message
    assert "evil" not in caught.value.message
    assert f"SOURCEBOOK_{key.upper()}" in caught.value.hint
    assert "config.toml" in caught.value.hint
    file.unlink()
    user_says(UNTRUSTED[key])
    assert load().origin(key).startswith(str(file.parent.parent))


@pytest.mark.parametrize("path", ["../x", "/etc", "a/../../x", "~/x/../../..", "link/x"])
def test_a_project_file_cannot_point_an_index_outside_its_folder(
    path: str, home: Path, project_says: Says
) -> None:
    (home / "project" / "link").symlink_to("/tmp")
    file = project_says(f"[docs]\ndb = {path!r}\n")
    with pytest.raises(BadSetting, match=r"cannot point `docs\.db` outside") as caught:
        load().get("docs.db")
    assert caught.value.where == f"{file}:2, docs.db"


def test_paths_start_at_the_file_that_names_them(
    home: Path, user_says: Says, project_says: Says
) -> None:
    (home / "project" / "deep").mkdir()
    project_says("[docs]\ndb = 'handbook-db'\n")
    assert load(cwd=home / "project" / "deep").get("docs.db") == f"{home}/project/handbook-db"
    file = user_says("cache_dir = 'cache'\n")
    assert load().get("cache_dir") == f"{file.parent}/cache"
    user_says("cache_dir = '~/cache'\n")
    assert load().get("cache_dir") == f"{home}/cache"
    assert (
        load(cwd=home / "project", environ={"SOURCEBOOK_CACHE_DIR": "../c"}).get("cache_dir")
        == f"{home}/c"
    )
    assert load(cwd=home, flags={"docs.db": "/abs"}).get("docs.db") == "/abs"
    assert load(cwd=home, flags={"docs.db": "/abs"}).origin("docs.db") == "flag --dir"


WRONG = {
    "limit = 'many'": "`limit` must be a whole number, not `many`",
    "limit = true": "`limit` must be a whole number, not `True`",
    "limit = 2.5": "`limit` must be a whole number, not `2.5`",
    "limit = -1": "`limit` is -1, at least 0 is needed",
    "limit = 5000": "`limit` is 5000, at most 1000 is allowed",
    "cache = 1": "`cache` must be true or false, not `1`",
    "cache = {}": "`cache` must be true or false, not `{}`",
    "stores = 'faiss'": "`stores` must be a list of texts, not `faiss`",
    "stores = ['faiss', 1]": "`stores` must be a list of texts, not `['faiss', 1]`",
    "embedding = 1979-05-27": "`embedding` must be a text, not `1979-05-27`",
    "min_evidence = 'high'": "`min_evidence` is `high`",
    'embedding = "a\\u0000b"': "`embedding` holds a NUL character",
    "embeding = 'minilm'": "no setting is named `embeding`",
    '"embedding\\u001b[31m" = 1': "no setting is named `embedding\N{REPLACEMENT CHARACTER}[31m`",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_value_is_an_error_with_file_and_line(text: str, project_says: Says) -> None:
    file = project_says(f"# settings\n\n{text}\n")
    with pytest.raises(BadSetting) as caught:
        load()
    assert caught.value.message == WRONG[text]
    assert caught.value.where.startswith(f"{file}")
    assert "\\u" in text or caught.value.where == f"{file}:3, {text.partition(' ')[0]}"
    assert caught.value.exit_status == 2


def test_an_unknown_key_gets_the_nearest_known_one(project_says: Says) -> None:
    project_says("embeding = 'minilm'\n")
    with pytest.raises(BadSetting) as caught:
        load()
    assert caught.value.hint == "did you mean `embedding`?"
    project_says("colour = 'red'\n")
    with pytest.raises(BadSetting) as caught:
        load()
    assert caught.value.hint == "`sourcebook config` lists all settings"


def test_choices_are_listed(project_says: Says) -> None:
    project_says("min_evidence = 'high'\n")
    with pytest.raises(BadSetting) as caught:
        load()
    assert caught.value.hint == "choose one of none, weak, strong"


def test_a_key_given_instead_of_the_name_of_its_variable_is_not_repeated(user_says: Says) -> None:
    user_says("embedding_key_variable = 'sk-very-secret'\n")
    with pytest.raises(BadSetting) as caught:
        load()
    assert "secret" not in str(caught.value.as_json())
    assert caught.value.message == (
        "`embedding_key_variable` must be the name of an environment variable, never a key itself"
    )


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("limit = \n", "not valid TOML: Invalid value", ":1"),
        ("a = 1\nlimit == 2\n", "not valid TOML: Invalid value", ":2"),
        ("limit = 1\nlimit = 2\n", "not valid TOML: Cannot overwrite a value", ":2"),
        ("x = " + "[" * 5000 + "\n", "not valid TOML", ""),
        ("limit = 1 #" + "x" * (1 << 20), "a settings file has at most 1 MiB", ""),
    ],
)
def test_a_malformed_file_is_an_error_with_its_line(
    text: str, message: str, line: str, project_says: Says
) -> None:
    file = project_says(text)
    with pytest.raises(BadSetting) as caught:
        load()
    assert caught.value.message.startswith(message)
    assert caught.value.where.startswith(f"{file}{line}")


def test_bytes_that_are_no_text_are_an_error_and_a_byte_order_mark_is_none(
    project_says: Says,
) -> None:
    file = project_says("")
    file.write_bytes(b"limit = 1 # \xff")
    with pytest.raises(BadSetting, match="the settings cannot be read"):
        load()
    file.write_bytes(b"\xef\xbb\xbflimit = 1\r\n")
    assert load().get("limit") == 1


def test_a_broken_pyproject_of_somebody_else_is_none_of_our_business(
    project_says: Callable[..., Path],
) -> None:
    project_says("[tool.other\n", "pyproject.toml")
    assert load().get("limit") == 0
    project_says("[tool]\nsourcebook = 3\n", "pyproject.toml")
    with pytest.raises(BadSetting, match=r"`tool\.sourcebook` must be a table"):
        load()


def test_neither_a_folder_nor_a_pipe_is_a_settings_file(home: Path) -> None:
    (home / "project" / "sourcebook.toml").mkdir()
    os.mkfifo(home / "project" / "pyproject.toml")
    assert load().get("limit") == 0


@pytest.mark.parametrize(
    ("variable", "text", "key", "value"),
    [
        ("SOURCEBOOK_CACHE", "off", "cache", False),
        ("SOURCEBOOK_CACHE", "YES", "cache", True),
        ("SOURCEBOOK_STORES", "faiss, redis://host,", "stores", ("faiss", "redis://host")),
        ("SOURCEBOOK_DIMENSIONS", "256", "dimensions", 256),
        ("SOURCEBOOK_EMBEDDING", "openai:x", "embedding", "openai:x"),
        ("SOURCEBOOK_EMBEDDING", "", "embedding", "minilm"),
        ("SOURCEBOOK_DOCS_CHUNK_TOKENS", "64", "docs.chunk_tokens", 64),
        ("SOURCEBOOK_DOCS_RATIO", "1", "docs.ratio", 1.0),
        ("SOURCEBOOK_IN_HOUSE_DB", "/db", "in-house.db", "/db"),
    ],
)
def test_variables_are_read_as_the_type_they_set(
    variable: str, text: str, key: str, value: object
) -> None:
    settings = load(environ={variable: text})
    assert settings.get(key) == value
    assert settings.origin(key) == (f"environment {variable}" if text else "built in")


@pytest.mark.parametrize("text", ["many", "1.5", "0x10", "nan"])
def test_a_variable_of_the_wrong_type_is_named(text: str) -> None:
    with pytest.raises(BadSetting) as caught:
        load(environ={"SOURCEBOOK_LIMIT": text})
    assert caught.value.where == "environment SOURCEBOOK_LIMIT"
    with pytest.raises(BadSetting, match="must be true or false, not `maybe`"):
        load(environ={"SOURCEBOOK_CACHE": "maybe"})


def test_a_slip_in_a_variable_is_refused_and_a_strangers_variable_is_not() -> None:
    with pytest.raises(BadSetting) as caught:
        load(environ={"SOURCEBOOK_EMBEDING": "minilm"})
    assert caught.value.hint == "did you mean `SOURCEBOOK_EMBEDDING`?"
    with pytest.raises(BadSetting) as caught:
        load(environ={"SOURCEBOOK_DOC_DB": "x"})
    assert caught.value.hint == "did you mean `SOURCEBOOK_DOCS_DB`?"
    load(environ={"SOURCEBOOK_SERVICE_PORT": "80", "SOURCEBOOK_CODE_DB": "x", "SOURCE": "y"})


def test_a_flag_nobody_knows_is_refused() -> None:
    with pytest.raises(BadSetting) as caught:
        load(flags={"limits": 3})
    assert (caught.value.where, caught.value.hint) == ("flag --limits", "did you mean `limit`?")


def test_reading_settings_loads_no_subject_until_one_of_its_options_is_asked_for(
    project_says: Says,
) -> None:
    project_says("[docs]\nchunk_tokens = 64\ndb = 'x'\n[in-house]\nwhatever = 1\n")
    plugins = Plugins()
    settings = load(plugins=plugins)
    assert settings.get("docs.db").endswith("/project/x")
    assert plugins.loaded == []
    assert settings.get("docs.chunk_tokens") == 64
    assert settings.get("docs.depth") is None
    assert plugins.loaded == ["docs"]
    assert settings.options("docs") == {"chunk_tokens": 64}


def test_options_of_a_subject_come_with_their_origin(project_says: Says) -> None:
    file = project_says("docs.style = 'rich'\n")
    settings = load(flags={"docs.chunk_tokens": 128})
    rows = {key: (value, origin) for key, value, origin in settings.items("docs")}
    assert rows == {
        "docs.db": ("", "built in"),
        "docs.chunk_tokens": (128, "flag --chunk-tokens"),
        "docs.depth": (None, "built in"),
        "docs.ratio": (0.5, "built in"),
        "docs.style": ("rich", f"{file}:1"),
        "docs.include": ((), "built in"),
        "docs.strict": (False, "built in"),
    }


WRONG_OPTIONS = {
    "chunk_tokens = 'x'": "`docs.chunk_tokens` must be a whole number, not `x`",
    "chunk_tokens = 8": "`docs.chunk_tokens` is 8, at least 16 is needed",
    "ratio = nan": "`docs.ratio` is nan, at most 1 is allowed",
    "style = 'odd'": "`docs.style` is `odd`",
    "include = 'a'": "`docs.include` must be a list of texts, not `a`",
    "chunk_token = 64": "no setting is named `docs.chunk_token`",
    "tokenizer = 'words'": "no setting is named `docs.tokenizer`",
    "hook = 'words'": "no setting is named `docs.hook`",
}


@pytest.mark.parametrize("text", WRONG_OPTIONS)
def test_a_wrong_option_is_an_error_once_its_subject_is_used(text: str, project_says: Says) -> None:
    file = project_says(f"[docs]\n\n{text}\n")
    settings = load()
    with pytest.raises(BadSetting) as caught:
        settings.get("docs.chunk_tokens")
    assert caught.value.message == WRONG_OPTIONS[text]
    assert caught.value.where == f"{file}:3, docs.{text.partition(' ')[0]}"


def test_a_table_is_an_error_only_if_no_installed_subject_has_its_name(project_says: Says) -> None:
    file = project_says("[in-house]\nx = 1\n")
    load()
    project_says("[schema]\nx = 1\n")
    with pytest.raises(BadSetting) as caught:
        load()
    assert caught.value.message == "no subject named `schema` is installed"
    assert caught.value.where == f"{file}:1, schema"
    assert caught.value.hint == "`pip install sourcebook-schema`"
    project_says("[dcos]\nx = 1\n")
    with pytest.raises(BadSetting) as caught:
        load()
    assert caught.value.hint == "did you mean `docs`?"


def test_an_unknown_key_asked_for_in_code_is_an_error_too() -> None:
    for key, hint in [
        ("limits", "did you mean `limit`?"),
        ("docs.styl", "did you mean `docs.style`?"),
    ]:
        with pytest.raises(BadSetting) as caught:
            load().get(key)
        assert caught.value.hint == hint


def test_a_bundle_gives_defaults_and_its_mistakes_are_named() -> None:
    settings = load(plugins=Plugins({"limit": 4, "docs.chunk_tokens": 99, "allow_remote": True}))
    assert settings.get("docs.chunk_tokens") == 99
    assert settings.origin("docs.chunk_tokens") == "bundle acme"
    with pytest.raises(BadSetting) as caught:
        load(plugins=Plugins({"limit": "x"}))
    assert caught.value.where == "bundle `acme` of acme 1.0, limit"
    with pytest.raises(BadSetting, match="no setting is named `limits`"):
        load(plugins=Plugins({"limits": 1}))
    for key in ("plugins", "plugin_files"):
        with pytest.raises(BadSetting, match=f"a bundle cannot set `{key}`"):
            load(plugins=Plugins({key: ["docs"]}))


def test_only_environment_and_user_file_limit_what_is_loaded(
    user_says: Says, project_says: Says
) -> None:
    project_says("plugins = ['evil']\n")
    assert plugins_wanted({}) == (None, "", ())
    file = user_says("\nplugins = ['docs', 'faiss']\n")
    assert plugins_wanted({}) == (("docs", "faiss"), f"`plugins` in {file}:2", ())
    environ = {"SOURCEBOOK_PLUGINS": "a, b"}
    assert plugins_wanted(environ) == (("a", "b"), "SOURCEBOOK_PLUGINS", ())
    user_says("plugins = 'docs'\n")
    with pytest.raises(BadSetting, match="`plugins` must be a list of texts"):
        plugins_wanted({})
    user_says("plugins = []\n")
    assert plugins_wanted({}).only is None


def test_files_with_plugins_are_named_by_environment_and_user_file(
    user_says: Says, project_says: Says, home: Path
) -> None:
    project_says("plugin_files = ['evil.py']\n")
    assert plugins_wanted({}).files == ()
    file = user_says("plugin_files = ['own.py', '~/other.py']\n")
    assert plugins_wanted({}).files == (file.parent / "own.py", home / "other.py")
    environ = {"SOURCEBOOK_PLUGIN_FILES": "here.py,/abs/there.py"}
    assert plugins_wanted(environ).files == (home / "project" / "here.py", Path("/abs/there.py"))
    project_says("")
    assert load().get("plugin_files") == (f"{file.parent}/own.py", f"{home}/other.py")


def test_config_shows_every_setting_without_passwords() -> None:
    environ = {"SOURCEBOOK_STORES": "redis://me:secret@host/0?ssl_password=secret&db=1,faiss"}
    rows = config_rows(load(environ=environ), Plugins())
    shown = {row.key: row for row in rows}
    assert len(shown) == len(rows) == len(SETTINGS) + 7 + 1
    assert shown["stores"].value == ("redis://me:***@host/0?ssl_password=***&db=1", "faiss")
    assert shown["stores"].origin == "environment SOURCEBOOK_STORES"
    assert shown["docs.depth"].value == ""
    assert all(row.help for row in rows)
    assert "secret" not in str(rows)


@pytest.mark.parametrize(
    "text",
    [
        "redis://:secret@host",
        "x://u:secret@h:1/a:b@c",
        "https://h/?api_key=secret",
        "t?token=secret",
    ],
)
def test_a_secret_in_a_url_is_masked(text: str) -> None:
    assert "secret" not in str(masked(text))
    assert masked("https://host:80/path?query=1") == "https://host:80/path?query=1"


def test_a_deleted_working_directory_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(BadSetting, match="the working directory no longer exists"):
        load()


@pytest.mark.parametrize("base", [None, "", "/abs"])
def test_the_users_file_lies_where_platformdirs_says(
    base: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from platformdirs import user_config_path as expected

    if base is None:
        monkeypatch.delenv("XDG_CONFIG_HOME")
    else:
        monkeypatch.setenv("XDG_CONFIG_HOME", base)
    assert user_config_path() == expected("sourcebook", appauthor=False) / "config.toml"


def test_variables_have_the_names_of_their_keys() -> None:
    assert variable_of("docs.chunk_tokens") == "SOURCEBOOK_DOCS_CHUNK_TOKENS"
    assert variable_of("in-house.db") == "SOURCEBOOK_IN_HOUSE_DB"
    assert len({setting.variable for setting in SETTINGS}) == len(SETTINGS)


@given(st.text(max_size=200), st.lists(st.text(max_size=8), min_size=1, max_size=3))
def test_looking_for_a_line_never_fails(text: str, key: list[str]) -> None:
    assert 0 <= line_of(text, tuple(key)) <= text.count("\n") + 1


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("a = 1\nb = 2", ("b",), 2),
        ("[t]\n b=1", ("t", "b"), 2),
        ("[t]\n[u]\nb=1", ("t", "b"), 0),
        ("[ t . 'u v' ] # note\nb=1", ("t", "u v", "b"), 2),
        ("t.b = 1", ("t", "b"), 1),
        ("[t]\nx = 1", ("t",), 1),
        ('"b" = 1', ("b",), 1),
    ],
)
def test_a_key_is_found_on_its_line(text: str, key: tuple[str, ...], line: int) -> None:
    assert line_of(text, key) == line


def test_a_folder_of_settings_that_is_closed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_folder() as folder:
        (folder / "config").mkdir(mode=0)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))

        def work() -> None:
            with pytest.raises(BadSetting, match="is closed to you") as caught:
                user_file({})
            assert "SOURCEBOOK_CONFIG=" in caught.value.hint
            assert user_file({"SOURCEBOOK_CONFIG": os.devnull}) is None

        as_nobody(work)
