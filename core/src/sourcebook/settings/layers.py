"""The places that settings come from, each read into one layer of raw values by key."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from sourcebook.errors import BadSetting
from sourcebook.naming import near_miss, nearest, shown
from sourcebook.settings.files import CONFIG_VARIABLE, SettingsFile, user_config_path
from sourcebook.settings.values import BY_KEY, PREFIX, SETTINGS, Setting, variable_of

if TYPE_CHECKING:
    from sourcebook.registry import Registry


class Layer(NamedTuple):
    """One place that settings come from.

    `values` holds the raw values by key, dotted for those of subjects; `origin` gives the place
    of a key as `sourcebook config` shows it, `where` as an error does.
    """

    kind: Literal["bundle", "project", "user", "environment", "flag"]
    values: Mapping[str, object]
    origin: Callable[[str], str]
    where: Callable[[str], str]
    base: Path


def bundle_layer(plugins: "Registry") -> Iterator[Layer]:
    """Yield the defaults of the installed bundle, if there is one."""
    name, values = plugins.bundle()
    if not name:
        return
    where = f"bundle `{name}` of {plugins.claims('bundles')[name][0].distribution.label}"
    layer = Layer(
        "bundle", values, lambda _key: f"bundle {name}", lambda key: f"{where}, {key}", Path()
    )
    refuse_unknown(layer, plugins)
    for key in ("plugins", "plugin_files"):
        if key in values:
            raise BadSetting(
                f"a bundle cannot set `{key}`",
                where=layer.where(key),
                hint="it picks plugins by depending on their distributions",
            )
    yield layer


def file_layer(
    file: SettingsFile, kind: Literal["project", "user"], plugins: "Registry"
) -> Iterator[Layer]:
    """Yield what a settings file says; tables are subjects."""
    values: dict[str, object] = {}
    for key, value in file.values.items():
        if isinstance(value, dict) and key not in BY_KEY:
            refuse_unknown_subject(key, file, plugins)
            values.update({f"{key}.{name}": each for name, each in value.items()})
        else:
            values[key] = value

    def where(key: str) -> str:
        return f"{file.place(*key.split('.'))}, {'.'.join((*file.table, key))}"

    layer = Layer(kind, values, lambda key: file.place(*key.split(".")), where, file.path.parent)
    refuse_unknown(layer, plugins)
    if kind == "project":
        refuse_untrusted(layer)
    yield layer


def environment_layer(environ: Mapping[str, str], cwd: Path, plugins: "Registry") -> Layer:
    """Return what the variables of the environment say.

    Variables of other programs may begin alike, so an unknown one is refused only if it looks like
    a slip of a known one.
    """
    core = {setting.variable: setting.key for setting in SETTINGS}
    strange: list[str] = []
    values: dict[str, object] = {}
    for variable, text in environ.items():
        if not variable.startswith(PREFIX) or not text or variable == CONFIG_VARIABLE:
            continue
        key = core.get(variable) or subject_key(variable, plugins)
        if key:
            values[key] = text
        else:
            strange.append(variable)
    for variable in strange:
        known = [*core, *(variable_of(f"{name}.db") for name in plugins.claims("subjects"))]
        # Compared without the prefix, which would make any two names alike.
        names = {each.removeprefix(PREFIX): each for each in known}
        if close := nearest(variable.removeprefix(PREFIX), names, cutoff=0.8):
            raise BadSetting(
                f"no setting is named `{shown(variable)}`",
                where=f"environment {shown(variable)}",
                hint=f"did you mean `{names[close]}`?",
            )
    return Layer(
        "environment",
        values,
        lambda key: f"environment {variable_of(key)}",
        lambda key: f"environment {variable_of(key)}",
        cwd,
    )


def flag_layer(flags: Mapping[str, object], cwd: Path) -> Layer:
    """Return what the command line says."""

    def origin(key: str) -> str:
        name = "dir" if key.endswith(".db") else key.rpartition(".")[2].replace("_", "-")
        return f"flag --{name}"

    given = {key: value for key, value in flags.items() if value is not None}
    layer = Layer("flag", given, origin, origin, cwd)
    for key in given:
        if key not in BY_KEY and "." not in key:
            raise unknown(key, layer, BY_KEY)
    return layer


def subject_key(variable: str, plugins: "Registry") -> str:
    """Return the key that a variable sets for an installed subject, or ""."""
    for name in plugins.claims("subjects"):
        prefix = variable_of(name) + "_"
        if variable.startswith(prefix):
            return f"{name}.{variable.removeprefix(prefix).lower()}"
    return ""


def refuse_unknown(layer: Layer, plugins: "Registry") -> None:
    """Raise for a key that is neither a setting nor of an installed subject."""
    for key in layer.values:
        subject, dot, _ = key.partition(".")
        if key not in BY_KEY and not (dot and subject in plugins.claims("subjects")):
            raise unknown(key, layer, [*BY_KEY, *plugins.claims("subjects")])


def refuse_unknown_subject(name: str, file: SettingsFile, plugins: "Registry") -> None:
    """Raise for a table that no installed subject has the name of."""
    from sourcebook.registry import FIRST_PARTY

    installed = plugins.claims("subjects")
    if name in installed:
        return
    distribution = FIRST_PARTY["subjects"].get(name)
    raise BadSetting(
        f"no subject named `{shown(name)}` is installed",
        where=f"{file.place(name)}, {'.'.join((*file.table, shown(name)))}",
        hint=f"`pip install {distribution}`"
        if distribution
        else near_miss(name, [*installed, *BY_KEY]),
    )


def refuse_untrusted(layer: Layer) -> None:
    """Raise for what a project file may not set."""
    for key, value in layer.values.items():
        setting = BY_KEY.get(key)
        if setting and setting.trusted:
            raise untrusted(f"a project file cannot set `{key}`", setting, layer)
        if key == "stores" and isinstance(value, list):
            for store in value:
                if isinstance(store, str) and "://" in store:
                    raise untrusted(
                        "a project file cannot name a store on a server", BY_KEY[key], layer
                    )


def untrusted(message: str, setting: Setting, layer: Layer) -> BadSetting:
    """Return the error for what only the user may set."""
    return BadSetting(
        message,
        where=layer.where(setting.key),
        hint=f"a project may come from a stranger: set it as a flag, as {setting.variable} or in "
        f"{user_config_path()}",
    )


def unknown(key: str, layer: Layer, known: Iterable[str]) -> BadSetting:
    """Return the error for a key that nothing is called by."""
    return BadSetting(
        f"no setting is named `{shown(key)}`",
        where=layer.where(key),
        hint=near_miss(key, known) or "`sourcebook config` lists all settings",
    )
