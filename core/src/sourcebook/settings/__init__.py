"""Settings: flags, environment, the user's and the project's file as one record, each value with
its origin.

flag > environment > user file > project file > bundle > built in. A project file may lie in a
stranger's repository: what could run code, reach out or leave its folder is not taken from it.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from sourcebook.errors import BadSetting
from sourcebook.naming import near_miss, shown
from sourcebook.settings.files import project_file, user_file
from sourcebook.settings.layers import (
    Layer,
    bundle_layer,
    environment_layer,
    file_layer,
    flag_layer,
    unknown,
    untrusted,
)
from sourcebook.settings.values import (
    BY_KEY,
    SETTINGS,
    Setting,
    checked,
    from_text,
    split_list,
)

if TYPE_CHECKING:
    from sourcebook.registry import Registry


class Value(NamedTuple):
    """A value and where it comes from."""

    value: Any
    origin: str


class Settings:
    """Every setting with its origin; made by `load_settings`.

    The options of a subject are known, and checked, when the first of them is asked for: reading
    settings loads no plugin.
    """

    def __init__(self, layers: Sequence[Layer], plugins: "Registry") -> None:
        self._layers = layers
        self._plugins = plugins
        self._values = {setting.key: resolved(setting, layers) for setting in SETTINGS}
        self._subjects: dict[str, Mapping[str, Value]] = {}

    @overload
    def get(
        self,
        key: Literal[
            "embedding",
            "embedding_endpoint",
            "embedding_key_variable",
            "min_evidence",
            "cache_dir",
        ],
    ) -> str: ...
    @overload
    def get(self, key: Literal["dimensions", "batch", "limit"]) -> int: ...
    @overload
    def get(self, key: Literal["cache", "allow_remote", "allow_outside"]) -> bool: ...
    @overload
    def get(self, key: Literal["stores", "plugins", "plugin_files"]) -> tuple[str, ...]: ...
    @overload
    def get(self, key: str) -> Any: ...
    def get(self, key: str) -> Any:
        """Return the value of a setting: one of `SETTINGS`, `<subject>.db` (an absolute path, ""
        if not set), or an option or setting of an installed subject, `docs.chunk_tokens`.

        Raises:
            BadSetting: nothing is called so, or a value given for the subject is wrong.
            PluginMissing, PluginBroken: an option of a subject that cannot be loaded.
        """
        return self._value(key).value

    def origin(self, key: str) -> str:
        """Return where a value comes from: `flag --limit`, `environment SOURCEBOOK_LIMIT`, a file
        and line, `bundle acme` or `built in`; arguments and errors as for `get`."""
        return self._value(key).origin

    def options(self, subject: str) -> dict[str, Any]:
        """Return the options of a subject that somebody has set, by name; errors as for `get`."""
        chosen = self._plugins.subject(subject).options
        options = {one.key for one in declared_settings(subject, chosen, self._plugins)}
        return {
            key.partition(".")[2]: found.value
            for key, found in self._of_subject(subject).items()
            if found.origin != "built in" and key in options
        }

    def items(self, subject: str = "") -> Iterator[tuple[str, Any, str]]:
        """Yield key, value and origin of the general settings, or of one subject's."""
        values = self._of_subject(subject) if subject else self._values
        for key, found in values.items():
            yield key, found.value, found.origin

    def _value(self, key: str) -> Value:
        if key in self._values:
            return self._values[key]
        subject, dot, name = key.partition(".")
        if dot and name == "db":
            # Wanted whenever an index is looked for, so it must not load the subject.
            return resolved(database(subject), self._layers)
        if dot and key in (values := self._of_subject(subject)):
            return values[key]
        raise BadSetting(
            f"no setting is named `{shown(key)}`", hint=near_miss(key, values if dot else BY_KEY)
        )

    def _of_subject(self, name: str) -> Mapping[str, Value]:
        if name not in self._subjects:
            known = {setting.key: setting for setting in subject_settings(name, self._plugins)}
            for layer in self._layers:
                for key in layer.values:
                    if key.startswith(f"{name}.") and key not in known:
                        raise unknown(key, layer, known)
            self._subjects[name] = {
                key: resolved(setting, self._layers) for key, setting in known.items()
            }
        return self._subjects[name]


def load_settings(
    flags: Mapping[str, object] = {},
    *,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    plugins: "Registry | None" = None,
) -> Settings:
    """Return the settings that hold here.

    Args:
        flags: values given on the command line by key; None stands for a flag not given.
        cwd: where to look for a project file from, default the working directory.
        environ: default the process's environment.
        plugins: default the process's registry.

    Raises:
        BadSetting: an unknown key, a value of the wrong type or out of range, something a project
            file may not set, or a file that cannot be read.
    """
    from sourcebook.registry import registry

    cwd = cwd or working_directory()
    environ = os.environ if environ is None else environ
    plugins = plugins or registry()
    own, project = user_file(environ), project_file(cwd)
    if project and own and project.path == own.path:
        project = None
    layers = [
        *bundle_layer(plugins),
        *(file_layer(project, "project", plugins) if project else ()),
        *(file_layer(own, "user", plugins) if own else ()),
        environment_layer(environ, cwd, plugins),
        flag_layer(flags, cwd),
    ]
    return Settings(layers, plugins)


def working_directory() -> Path:
    """Return the working directory; raises `BadSetting` if it was deleted meanwhile."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise BadSetting(
            "the working directory no longer exists", hint="change to another folder"
        ) from error


class PluginsWanted(NamedTuple):
    """What the user says of plugins: names to which loading is limited (None: no limit), what
    limits it, and files of the user's own."""

    only: tuple[str, ...] | None
    limited_by: str
    files: tuple[Path, ...]


def plugins_wanted(environ: Mapping[str, str] | None = None) -> PluginsWanted:
    """Return what the environment and the user's own file say of plugins.

    It is settled before there is a registry, and nothing else has a say in it.

    Raises:
        BadSetting: a value is wrong, or the file cannot be read.
    """
    environ = os.environ if environ is None else environ
    own = user_file(environ)
    found: dict[str, tuple[tuple[str, ...], str, Path]] = {}
    for key in ("plugins", "plugin_files"):
        setting = BY_KEY[key]
        if text := environ.get(setting.variable, ""):
            found[key] = tuple(split_list(text)), setting.variable, Path()
        elif own is not None and key in own.values:
            place = own.place(key)
            values = checked(setting, own.values[key], f"{place}, {key}")
            found[key] = values, f"`{key}` in {place}", own.path.parent
    names, limited_by, _ = found.get("plugins", ((), "", Path()))
    files, _, base = found.get("plugin_files", ((), "", Path()))
    return PluginsWanted(
        names or None, limited_by, tuple(Path(absolute(base, each)) for each in files)
    )


def database(subject: str) -> Setting:
    """Return the setting of a subject's index folder."""
    return Setting(f"{subject}.db", str, "", f"The index of `{subject}` to use.", path=True)


def subject_settings(name: str, plugins: "Registry") -> Iterator[Setting]:
    """Yield the settings of a subject, made from the classes of its options and of its further
    settings; loads the subject."""
    subject = plugins.subject(name)
    yield database(name)
    yield from declared_settings(name, subject.options, plugins)
    yield from declared_settings(name, subject.settings, plugins)


def declared_settings(name: str, cls: Any, plugins: "Registry") -> Iterator[Setting]:
    """Yield a setting for each field of an attrs class of a subject that a file can say."""
    import typing

    import attrs

    if cls is None:
        return
    with plugins.blaming("subjects", name):
        hints = typing.get_type_hints(cls)
        fields = attrs.fields(cls)
    for field in fields:
        kind = setting_type(hints.get(field.name, str))
        if field.name == "tokenizer" or field.name in BY_KEY or kind is None:
            continue  # the core fills these in; what no file can say is no setting
        about = field.metadata.get("option")
        default = field.default
        if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
            default = default.factory()
        yield Setting(
            f"{name}.{field.name}",
            kind,
            "" if default is attrs.NOTHING else default,
            about.help if about else "",
            choices=about.choices if about else (),
            minimum=about.minimum if about else None,
            maximum=about.maximum if about else None,
        )


def setting_type(hint: Any) -> type | None:
    """Return what a setting of an option with this type holds, None if it cannot be one."""
    import typing
    from types import NoneType

    choices = [each for each in typing.get_args(hint) if each is not NoneType]
    if NoneType in typing.get_args(hint) and len(choices) == 1:
        hint = choices[0]
    if hint in (str, bool, int, float):
        return hint  # type: ignore[no-any-return]
    if typing.get_origin(hint) in (tuple, list, Sequence) and str in typing.get_args(hint):
        return tuple
    return None


def resolved(setting: Setting, layers: Sequence[Layer]) -> Value:
    """Return the value of the last layer that has one, every layer's checked."""
    found = Value(setting.default, "built in")
    for layer in layers:
        if setting.key in layer.values:
            raw = layer.values[setting.key]
            where = layer.where(setting.key)
            if layer.kind == "environment" and isinstance(raw, str):
                raw = from_text(setting, raw, where)
            value = checked(setting, raw, where)
            if setting.path and isinstance(value, tuple):
                value = tuple(placed(setting, each, layer) for each in value)
            elif setting.path and value:
                value = placed(setting, value, layer)
            found = Value(value, layer.origin(setting.key))
    return found


def absolute(base: Path, path: str) -> str:
    """Return a path, which may begin with `~`, as seen from a folder, without following links."""
    return os.path.abspath(base / Path(path).expanduser())  # noqa: PTH100


def placed(setting: Setting, value: str, layer: Layer) -> str:
    """Return a path made absolute; a project's must stay in the project's folder."""
    if layer.kind != "project":
        return absolute(layer.base, value)
    path = (layer.base / value).resolve()
    if Path(value).is_absolute() or not path.is_relative_to(layer.base.resolve()):
        raise untrusted(
            f"a project file cannot point `{setting.key}` outside its own folder", setting, layer
        )
    return str(path)
