"""The commands of the core beside the subjects, each a verb that needs no index."""

import os
from collections.abc import Mapping
from pathlib import Path

import click
from attrs import frozen

from sourcebook.naming import counted
from sourcebook.registry.report import PluginStatus
from sourcebook.settings.report import ConfigRow, config_rows
from sourcebook.surfaces.command import VerbCommand
from sourcebook.surfaces.output import align
from sourcebook.verb import Verb, option

COMPLETION_HOW: Mapping[str, str] = {
    "bash": 'eval "$(sourcebook completion bash)" in ~/.bashrc',
    "zsh": 'eval "$(sourcebook completion zsh)" in ~/.zshrc',
    "fish": "sourcebook completion fish | source in ~/.config/fish/config.fish",
}
"""Where the line that switches completion on belongs, by shell."""


@frozen
class NoRequest:
    """Nothing to say."""


@frozen
class PluginsResponse:
    """Every plugin that is installed or was asked for.

    Args:
        plugins: by kind and name.
    """

    plugins: tuple[PluginStatus, ...]


def list_plugins(_request: NoRequest) -> PluginsResponse:
    """Return the state of every plugin; each is loaded to find out."""
    from sourcebook.registry import registry

    return PluginsResponse(tuple(registry().report()))


def render_plugins(response: PluginsResponse, _view: object) -> str:
    """Return a line for each plugin."""
    rows = [
        (
            one.kind,
            one.name,
            f"{one.distribution} {one.version}".rstrip(),
            f"{one.status}: {one.reason}" if one.reason else one.status,
        )
        for one in response.plugins
    ]
    return align(rows)


@frozen
class EmbedderRow:
    """An embedder.

    Args:
        name: what `--embedding` takes, before a colon and a model.
        summary: one line.
        hosted: whether texts leave this machine.
        status, reason: `ok`, or what is wrong with the plugin and why.
    """

    name: str
    summary: str
    hosted: bool
    status: str
    reason: str


@frozen
class EmbeddersResponse:
    """Every embedder that is installed.

    Args:
        default: the ref that is used if none is named.
        embedders: by name.
    """

    default: str
    embedders: tuple[EmbedderRow, ...]


def list_embedders(_request: NoRequest) -> EmbeddersResponse:
    """Return every installed embedder and the default one."""
    from sourcebook.registry import registry
    from sourcebook.settings import load_settings

    rows = []
    for one in registry().report():
        if one.kind == "embedder":
            plugin = registry().load("embedders", one.name) if one.status == "ok" else None
            rows.append(
                EmbedderRow(
                    one.name,
                    plugin.summary if plugin else "",
                    plugin.hosted if plugin else False,
                    one.status,
                    one.reason,
                )
            )
    return EmbeddersResponse(load_settings().get("embedding"), tuple(rows))


def render_embedders(response: EmbeddersResponse, _view: object) -> str:
    """Return a line for each embedder; the default one is marked."""
    rows = []
    for one in response.embedders:
        name = one.name + (" (default)" if response.default.partition(":")[0] == one.name else "")
        place = "hosted" if one.hosted else "local"
        if one.status == "ok":
            rows.append((name, place, one.summary))
        else:
            rows.append((name, one.status, one.reason))
    return align(rows)


@frozen
class ConfigResponse:
    """Every setting that holds here.

    Args:
        settings: the general ones, then those of each subject.
    """

    settings: tuple[ConfigRow, ...]


def show_config(_request: NoRequest) -> ConfigResponse:
    """Return every setting with its origin.

    Raises:
        BadSetting: a file or variable sets something unknown or wrong.
    """
    from sourcebook.registry import registry
    from sourcebook.settings import load_settings

    return ConfigResponse(tuple(config_rows(load_settings(), registry())))


def render_config(response: ConfigResponse, _view: object) -> str:
    """Return key, value and origin, a line for each setting."""
    return align((one.key, _shown(one.value), one.origin) for one in response.settings)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(one) for one in value) or "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if value not in ("", None) else "-"


@frozen
class VerifyRequest:
    """Which index to check."""

    dir: str | None = option(
        None,
        help="The index; the nearest of every subject if unset.",
        positional=True,
        metavar="DIR",
    )


@frozen
class Fault:
    """A file of an index that is not what the manifest promises.

    Args:
        path: where it is.
        message: what is wrong.
    """

    path: str
    message: str


@frozen
class VerifiedIndex:
    """One index, sound if it has no faults.

    Args:
        subject: the subject it belongs to.
        path: its folder.
        generation: the number of its published state.
        sources: how many it has.
        faults: every file that is not as it was written.
    """

    subject: str
    path: str
    generation: int
    sources: int
    faults: tuple[Fault, ...]


@frozen
class VerifyResponse:
    """What was checked.

    Args:
        sound: whether every byte is as it was written.
        indexes: each that was checked.
    """

    sound: bool
    indexes: tuple[VerifiedIndex, ...]


def verify(request: VerifyRequest) -> VerifyResponse:
    """Check every byte of an index, or of the nearest of each subject.

    Raises:
        IndexMissing: there is none.
    """
    from sourcebook.index.manifest import read_manifest
    from sourcebook.index.open import verify_index
    from sourcebook.surfaces.locate import nearest_indexes

    paths = [Path(request.dir)] if request.dir else [_near(path) for _, path in nearest_indexes()]
    checked = []
    for path in paths:
        manifest = read_manifest(path)
        faults = tuple(Fault(one.where, one.message) for one in verify_index(path))
        checked.append(
            VerifiedIndex(
                manifest.subject, str(path), manifest.generation, manifest.sources, faults
            )
        )
    return VerifyResponse(not any(one.faults for one in checked), tuple(checked))


def _near(path: Path) -> Path:
    """Return a path as one would type it here."""
    try:
        return Path(os.path.relpath(path))
    except (OSError, ValueError):  # this folder is gone, or another drive
        return path


def render_verify(response: VerifyResponse, _view: object) -> str:
    """Return a line for each index and each fault."""
    lines = []
    for one in response.indexes:
        said = (
            f"{counted(len(one.faults), 'damaged file')}" if one.faults else "every byte is sound"
        )
        lines.append(f"{one.path}: {said} ({one.subject}, {counted(one.sources, 'source')})")
        lines += [f"  {fault.path}: {fault.message}" for fault in one.faults]
    return "\n".join(lines)


@frozen
class CompletionRequest:
    """For which shell."""

    shell: str = option(
        help="Which shell.", positional=True, choices=tuple(COMPLETION_HOW), metavar="SHELL"
    )


@frozen
class CompletionResponse:
    """A completion script.

    Args:
        shell: whose it is.
        script: what the shell is to read.
        usage: where the line that makes it do so belongs.
    """

    shell: str
    script: str
    usage: str


def completion(request: CompletionRequest) -> CompletionResponse:
    """Return the completion script of a shell."""
    from click.shell_completion import get_completion_class

    from sourcebook.surfaces.cli import COMPLETE_VARIABLE, PROGRAM

    made = get_completion_class(request.shell)
    assert made is not None, "click knows the three"
    shell = made(click.Command(PROGRAM), {}, PROGRAM, COMPLETE_VARIABLE)
    # Not `shell.source()`: that starts bash to learn its version, which may not be on the path.
    script = shell.source_template % shell.source_vars()
    return CompletionResponse(request.shell, script, COMPLETION_HOW[request.shell])


PLUGINS = Verb(
    "plugins",
    "List the plugins and what is wrong with them.",
    NoRequest,
    PluginsResponse,
    list_plugins,
    render_plugins,
    schema="plugins/1",
    needs="nothing",
)

EMBEDDERS = Verb(
    "embedders",
    "List the embedders that can be named here.",
    NoRequest,
    EmbeddersResponse,
    list_embedders,
    render_embedders,
    schema="embedders/1",
    needs="nothing",
)

CONFIG = Verb(
    "config",
    "Show every setting and where it comes from.",
    NoRequest,
    ConfigResponse,
    show_config,
    render_config,
    schema="config/1",
    needs="nothing",
)

VERIFY = Verb(
    "verify",
    "Check every byte of an index.",
    VerifyRequest,
    VerifyResponse,
    verify,
    render_verify,
    schema="verify/1",
    needs="nothing",
    exit_status=lambda response: 0 if response.sound else 1,
)

COMPLETION = Verb(
    "completion",
    "Print the completion script of a shell.",
    CompletionRequest,
    CompletionResponse,
    completion,
    lambda response, _view: response.script,
    schema="completion/1",
    needs="nothing",
)

VERBS = {one.name: one for one in (PLUGINS, EMBEDDERS, CONFIG, VERIFY, COMPLETION)}


def command(name: str) -> click.Command:
    """Return the click command of one of these verbs."""
    return VerbCommand(VERBS[name])
