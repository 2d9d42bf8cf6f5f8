"""The command line: `sourcebook SUBJECT VERB`, and the commands beside the subjects.

Importing this module and printing the root help imports no plugin; see `command` for the rest.
Data goes to standard output, talk and errors to standard error. Exit status: 0 done (also when
nothing was found), 1 an error, 2 a request that is itself wrong, 130 interrupted, 141 the reader
of the output has gone, 143 terminated.
"""

import os
import signal
import sys
from collections.abc import Mapping, Sequence

import click

from sourcebook.__main__ import INTERRUPTED
from sourcebook.errors import PluginBroken, SourcebookError, UsageError
from sourcebook.surfaces import output
from sourcebook.surfaces.command import LazyGroup, Section, Shown, SubjectGroup, context, wants_json

PROGRAM = "sourcebook"

COMPLETE_VARIABLE = "_SOURCEBOOK_COMPLETE"

TRACEBACK_VARIABLE = "SOURCEBOOK_TRACEBACK"

READER_GONE, TERMINATED = 141, 143
"""Exit statuses, as `INTERRUPTED`, by the convention of shells."""

BUILT_IN: Mapping[str, str] = {
    "agent": "Answer requests, one JSON object per line, until the input ends.",
    "cache": "List, prune or clear what is kept of earlier builds.",
    "completion": "Print the completion script of a shell.",
    "config": "Show every setting and where it comes from.",
    "embedders": "List the embedders that can be named here.",
    "plugins": "List the plugins and what is wrong with them.",
    "verify": "Check every byte of an index.",
}
"""Summaries of the commands that core brings, by name; their modules are imported when used."""


class Root(LazyGroup):
    """`sourcebook`: subjects, commands of the core, commands of plugins."""

    kind = "subject or command"

    def __init__(self) -> None:
        super().__init__(
            PROGRAM,
            help="Index a corpus once, then search it, verify it, and be told when it holds no "
            "answer.",
            epilog="Begin with `sourcebook docs index PATH` and `sourcebook docs search QUESTION`.",
            subcommand_metavar="SUBJECT VERB ... | COMMAND ...",
            context_settings=context(),
            params=[
                click.Option(
                    ["--version"],
                    is_flag=True,
                    is_eager=True,
                    expose_value=False,
                    callback=print_version,
                    help="Print the version.",
                )
            ],
        )

    def sections(self) -> Mapping[str, Section]:
        """Return subjects and commands; nothing is imported for it."""
        from sourcebook.registry import registry

        plugins = registry()
        commands = dict(BUILT_IN)
        for name in plugins.names("commands"):
            commands.setdefault(name, plugins.summary("commands", name))
        return {
            "Subjects": [
                (name, plugins.summary("subjects", name))
                for name in plugins.names("subjects")
                if name not in commands
            ],
            "Commands": sorted(commands.items()),
        }

    def load(self, name: str) -> click.Command | None:
        """Return a subject's group, or the command that a name stands for."""
        from sourcebook.registry import registry
        from sourcebook.verb import import_target

        if name == "agent":
            from sourcebook.surfaces.agent import agent_command

            return agent_command()
        if name == "cache":
            from sourcebook.surfaces.cachecommand import cache_command

            return cache_command()
        if name in BUILT_IN:
            from sourcebook.surfaces.builtin import command

            return command(name)
        plugins = registry()
        if name in plugins.names("subjects"):
            return SubjectGroup(name)
        if name not in plugins.names("commands"):
            return None
        record = plugins.command(name)
        with plugins.blaming("commands", name):
            command = import_target(record.target)
        if not isinstance(command, click.Command):
            raise PluginBroken(f"the command `{name}` is no click command", where=record.target)
        return command

    def unknown(self, name: str, ctx: click.Context) -> SourcebookError:
        """Return the error for a name that nothing has; what could be installed, or is left out by
        the user's own settings, is said to be."""
        from sourcebook.registry import FIRST_PARTY, registry

        plugins = registry()
        for kind in ("subjects", "commands"):
            if name in FIRST_PARTY[kind] or name in plugins.claims(kind):
                try:
                    plugins.load(kind, name)
                except SourcebookError as error:
                    return error
        return super().unknown(name, ctx)


def print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print name and version, and end."""
    if value and not ctx.resilient_parsing:
        from sourcebook.registry import registry

        output.write_text(f"{PROGRAM} {registry().core_version()}".rstrip())
        ctx.exit()


def main() -> None:
    """Run the command line of this process and end it with its status."""
    import gc

    # Nearly all that a command makes lives to its end: defining classes and reading rows would set
    # off the collector some twenty times for nothing, 10 ms of 200.
    gc.set_threshold(50_000, 20, 20)
    # Importing numpy starts a thread of OpenBLAS for each core, which cost 60 ms of CPU; all
    # products here are of one row at a time and made without it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    output.configure_streams()
    signal.signal(signal.SIGTERM, _terminated)
    sys.exit(run(sys.argv[1:]))


class Terminated(KeyboardInterrupt):
    """Ends as Ctrl-C does, so that worker processes and temporary files go too."""


def _terminated(_number: int, _frame: object) -> None:
    raise Terminated


def run(arguments: Sequence[str]) -> int:
    """Do what a command line asks, say what goes wrong, and return the exit status."""
    try:
        try:
            return obey(arguments)
        except (KeyboardInterrupt, SystemExit, BrokenPipeError, click.Abort):
            raise
        except BaseException as error:  # a panic of a compiled library is no Exception
            shown = explain(error)
            as_json = error.as_json if isinstance(error, Shown) else wants_json(arguments)
            output.settle(sys.stdout)
            output.write_error(shown, as_json=as_json)
            return shown.exit_status
    except Terminated:
        return TERMINATED
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        output.silence(sys.stdout)
        return READER_GONE
    except OSError:  # nowhere is left to say it
        output.silence(sys.stdout)
        return 1


def obey(arguments: Sequence[str]) -> int:
    """Parse and run a command line, or complete one for a shell; return the exit status."""
    root = Root()
    if instruction := os.environ.get(COMPLETE_VARIABLE):
        from click.shell_completion import shell_complete

        return shell_complete(root, {}, PROGRAM, COMPLETE_VARIABLE, instruction)
    try:
        with root.make_context(PROGRAM, [*arguments]) as ctx:
            root.invoke(ctx)
    except click.exceptions.Exit as end:
        return end.exit_code
    return 0


def explain(error: BaseException) -> SourcebookError:
    """Return what to say of an exception; foreign ones come with a traceback if it is wanted."""
    if isinstance(error, Shown):
        return error.error
    if isinstance(error, click.ClickException):
        return from_click(error)
    from sourcebook.surfaces.ask import as_error

    if not isinstance(error, SourcebookError) and os.environ.get(TRACEBACK_VARIABLE):
        import traceback

        traceback.print_exception(error)
    return as_error(error)


def from_click(error: click.ClickException) -> SourcebookError:
    """Return click's complaint about a command line in our form."""
    ctx = getattr(error, "ctx", None)
    hint = f"`{ctx.command_path} --help` shows how" if ctx else ""
    if isinstance(error, click.NoSuchOption):
        from sourcebook.naming import nearest

        message = f"no option is named `{error.option_name}`"
        known = [flag for param in ctx.command.params for flag in param.opts] if ctx else []
        if near := nearest(error.option_name, known):
            hint = f"did you mean `{near}`?"
    else:
        text = error.format_message().rstrip(".")
        message = text[:1].lower() + text[1:]
    return UsageError(message, where=ctx.command_path if ctx else "", hint=hint)
