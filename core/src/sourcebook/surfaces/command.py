"""Verbs as click commands, and subjects as groups of them, made when they are asked for."""

import os
import sys
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import click

from sourcebook.errors import SourcebookError, UsageError
from sourcebook.surfaces import output

if TYPE_CHECKING:
    from sourcebook.subject import Subject
    from sourcebook.verb import Verb, VerbRef

HELP_COLUMNS = 100


def context() -> dict[str, Any]:
    """Return the settings of every command's context.

    The width is found here because click imports `shutil` for it, which costs 7 ms.
    """
    columns = os.environ.get("COLUMNS", "")
    try:
        width = int(columns) if columns.isdecimal() else os.get_terminal_size(1).columns
    except OSError:
        width = HELP_COLUMNS
    return {
        "help_option_names": ["-h", "--help"],
        "terminal_width": min(max(width, 50), HELP_COLUMNS),
    }


COMMON = "surface_"
"""Prefix of the parameters that surfaces add to every verb, which no field can bear by chance."""

Section = Sequence[tuple[str, str]]


class Shown(click.ClickException):
    """An error of ours on its way through click, which any click program prints as we do."""

    def __init__(self, error: SourcebookError, *, as_json: bool | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.as_json = wants_json(sys.argv[1:]) if as_json is None else as_json
        self.exit_code = error.exit_status  # type: ignore[misc]  # per class in click's stubs

    def show(self, file: IO[Any] | None = None) -> None:
        """Print message, place and hint on standard error, or the object under `--json`."""
        output.write_error(self.error, as_json=self.as_json)


def wants_json(arguments: Sequence[str]) -> bool:
    """Return whether `--json` is among the arguments, for errors in the others."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


@contextmanager
def showing(*, as_json: bool | None = None) -> Iterator[None]:
    """Let errors of ours inside leave as `Shown`."""
    try:
        yield
    except SourcebookError as error:
        raise Shown(error, as_json=as_json) from error


class LazyGroup(click.Group):
    """A group whose help needs only the names and summaries of its commands.

    Subclasses give `sections`, and `load` for the one command that is asked for.
    """

    kind = "command"
    no_args_is_help = False  # see `parse_args`

    def sections(self) -> Mapping[str, Section]:
        """Return the commands as (name, summary), by heading."""
        return {}

    def load(self, name: str) -> click.Command | None:
        """Return the command called `name`, None if there is none."""
        return None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; without arguments, show the help as what to type instead."""
        if not args and not ctx.resilient_parsing:
            output.write_text(ctx.get_help(), sys.stderr)
            ctx.exit(UsageError.exit_status)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return every name, in the order of help."""
        with showing():
            return [name for section in self.sections().values() for name, _ in section]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, imported and made now."""
        if cmd_name not in self.commands:
            with showing():
                command = self.load(cmd_name)
            if command is None:
                return None
            self.commands[cmd_name] = command
        return self.commands[cmd_name]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names, or say which one it may mean."""
        name = args[0]
        command = self.get_command(ctx, name)
        if command is None and not ctx.resilient_parsing and not name.startswith("-"):
            raise Shown(self.unknown(name, ctx))
        return super().resolve_command(ctx, args) if command is None else (name, command, args[1:])

    def unknown(self, name: str, ctx: click.Context) -> SourcebookError:
        """Return the error for a name that no command has."""
        from sourcebook.surfaces.convert import suggest

        return UsageError(
            f"no {self.kind} is named `{name}`",
            where=ctx.command_path,
            hint=suggest(name, self.list_commands(ctx)),
        )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands first, then the options."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write names and summaries, without importing the commands."""
        with showing():
            for heading, section in self.sections().items():
                if section:
                    with formatter.section(heading):
                        formatter.write_dl(section)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Offer the names, without importing the commands."""
        from click.shell_completion import CompletionItem

        about = {name: text for section in self.sections().values() for name, text in section}
        found = [
            CompletionItem(name, help=about.get(name))
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)


class SubjectGroup(LazyGroup):
    """`sourcebook SUBJECT`: imports the plugin for its help, a verb for its own help or run."""

    kind = "verb"

    def __init__(self, name: str, summary: str = "") -> None:
        super().__init__(
            name,
            help=summary,
            short_help=summary,
            subcommand_metavar="VERB ...",
            context_settings=context(),
        )

    @property
    def subject(self) -> "Subject":
        """The subject's record."""
        from sourcebook.registry import registry

        return registry().subject(str(self.name))

    def refs(self) -> "Sequence[VerbRef]":
        """Return its verbs by reference."""
        from sourcebook.verb import verb_refs

        return verb_refs(self.subject)

    def sections(self) -> Mapping[str, Section]:
        """Return its verbs."""
        return {"Verbs": [(ref.name, ref.summary) for ref in self.refs()]}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the first word of every verb."""
        return list(dict.fromkeys(name.partition(" ")[0] for name in super().list_commands(ctx)))

    def load(self, name: str) -> click.Command | None:
        """Return the command of a verb, or the group of those that share a first word."""
        for ref in self.refs():
            if ref.name == name:
                return VerbCommand(ref.load(self.subject), self.subject)
            if ref.name.startswith(f"{name} "):
                return SharedGroup(name, self)
        return None

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subject's summary, which nobody has asked for until now."""
        with showing():
            self.help = self.subject.summary or self.help
        super().format_help_text(ctx, formatter)


class SharedGroup(LazyGroup):
    """The verbs of a subject that share their first word."""

    kind = "verb"

    def __init__(self, name: str, subject: SubjectGroup) -> None:
        super().__init__(name, subcommand_metavar="VERB ...", context_settings=context())
        self._subject = subject

    def sections(self) -> Mapping[str, Section]:
        """Return them by their second word."""
        refs = [(ref.name.partition(" "), ref.summary) for ref in self._subject.refs()]
        return {"Verbs": [(last, about) for (first, _, last), about in refs if first == self.name]}

    def load(self, name: str) -> click.Command | None:
        """Return the command of one."""
        return self._subject.load(f"{self.name} {name}") if name else None


class VerbCommand(click.Command):
    """One verb: parameters from its request and view, and those of every verb."""

    def __init__(self, verb: "Verb", subject: "Subject | None" = None) -> None:
        from sourcebook.surfaces.ask import takes_words
        from sourcebook.surfaces.options import parameters

        self.verb = verb
        self.subject = subject
        asked = parameters(verb.request)
        taken = frozenset(flag for one in asked for flag in (*one.opts, *one.secondary_opts))
        shown = parameters(verb.view, taken) if verb.view else []
        taken |= {flag for one in shown for flag in (*one.opts, *one.secondary_opts)}
        common = list(_common(verb, words=takes_words(verb.request), taken=taken))
        super().__init__(
            verb.name.rpartition(" ")[2],
            params=[*asked, *shown, *common],
            help=verb.summary,
            short_help=verb.summary,
            context_settings=context(),
        )
        self.headings = {"Options": asked, "How it is shown": shown, "In every verb": common}

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Parse the command line; what is wrong in it leaves as `Shown`."""
        with showing(as_json=wants_json(args)):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> None:
        """Read the request, run the verb, print its response, exit with its status."""
        with showing(as_json=_common_value(ctx, "json")):
            status = run_verb(self.verb, self.subject, ctx)
        ctx.exit(status)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments and options by where they come from."""
        from sourcebook.surfaces.convert import field_specs
        from sourcebook.surfaces.options import help_of, metavar_of

        arguments = [
            (metavar_of(spec), help_of(spec))
            for spec in field_specs(self.verb.request)
            if spec.info.positional
        ]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        for heading, params in self.headings.items():
            extra = [self.get_help_option(ctx)] if heading == "In every verb" else []
            records = [
                record
                for param in (*params, *extra)
                if isinstance(param, click.Option) and (record := param.get_help_record(ctx))
            ]
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def run_verb(verb: "Verb", subject: "Subject | None", ctx: click.Context) -> int:
    """Run a verb as the command line asks and print its response; return the exit status.

    Raises:
        SourcebookError: anything wrong with the request, the index or the run.
    """
    from sourcebook.surfaces.ask import response_json, settings_fields
    from sourcebook.surfaces.options import read_request, read_view, respell
    from sourcebook.surfaces.progress import talking

    as_json, quiet = _common_value(ctx, "json"), _common_value(ctx, "quiet")
    view = read_view(verb.view, ctx)
    renderer = _renderer(verb, _common_value(ctx, "format"))
    defaults = {}
    if verb.needs == "index":
        from sourcebook.settings import load_settings

        defaults = settings_fields(verb.request, load_settings())
    request = read_request(verb.request, ctx, _common_value(ctx, "query"), defaults)
    try:
        if getattr(view, "interactive", False):
            return _converse(verb, typing.cast("Subject", subject), ctx, request, view)
        if getattr(view, "watch", False):
            with suppress(KeyboardInterrupt):  # which is how it ends
                _keep_current(verb, typing.cast("Subject", subject), ctx, request, view)
            return 0
        with talking(verbose=_common_value(ctx, "verbose"), quiet=quiet):
            response = _answer(verb, subject, ctx, request)
    except SourcebookError as error:
        respell(error, verb.request)
        raise
    for warning in getattr(response, "warnings", ()):
        output.write_text(f"warning: {warning}", sys.stderr)
    if as_json:
        output.write_json(response_json(verb, subject.name if subject else "", response))
    elif renderer is not None:
        output.write_text(renderer(response, view))
    elif verb.verbatim and not output.is_terminal(sys.stdout):
        sys.stdout.write(verb.render(response, view))
        sys.stdout.flush()
    else:
        output.write_text(verb.render(response, view))
    return verb.exit_status(response)


def _converse(
    verb: "Verb", subject: "Subject", ctx: click.Context, request: object, view: object
) -> int:
    from sourcebook.surfaces.interactive import converse
    from sourcebook.verbs.together import ask_together

    if _common_value(ctx, "json"):
        raise UsageError(
            "a prompt speaks no JSON", where="--interactive", hint="`sourcebook agent` does"
        )
    with open_located(subject, ctx) as indexes:
        converse(
            subject.name,
            request,
            lambda asked: ask_together(verb, indexes, asked),
            lambda response: verb.render(response, view),
        )
    return 0


def _keep_current(
    verb: "Verb", subject: "Subject", ctx: click.Context, request: Any, view: object
) -> None:
    """Build, and build again after every change, until interrupted."""
    from sourcebook.index.locate import default_name
    from sourcebook.index.watch import changes
    from sourcebook.surfaces.ask import response_json
    from sourcebook.surfaces.progress import talking

    as_json, quiet = _common_value(ctx, "json"), _common_value(ctx, "quiet")
    for _ in changes(request.paths, request.out or default_name(subject.name)):
        try:
            with talking(verbose=_common_value(ctx, "verbose"), quiet=quiet):
                response = verb.run(subject, request)
        except SourcebookError as error:
            # A file that is being written, a folder that comes back: the next change may mend it.
            output.write_error(error, as_json=as_json)
            continue
        if as_json:
            output.write_json(response_json(verb, subject.name, response))
        else:
            output.write_text(verb.render(response, view))
        sys.stdout.flush()


def _answer(verb: "Verb", subject: "Subject | None", ctx: click.Context, request: object) -> Any:
    if verb.needs == "nothing":
        return verb.run(request)
    if verb.needs == "subject":
        return verb.run(subject, request)
    from sourcebook.verbs.together import ask_together

    with open_located(typing.cast("Subject", subject), ctx) as indexes:
        return ask_together(verb, indexes, request)


@contextmanager
def open_located(subject: "Subject", ctx: click.Context) -> Iterator[list[Any]]:
    """Open the indexes that `--dir`, the environment or the working directory name.

    One that was found rather than named is said on standard error.
    """
    from sourcebook.index.locate import locate_indexes
    from sourcebook.index.open import open_index
    from sourcebook.settings import load_settings

    configured = load_settings().get(f"{subject.name}.db")
    paths, found = locate_indexes(subject.name, _common_value(ctx, "dir"), configured=configured)
    if found and not _common_value(ctx, "quiet"):
        names = ", ".join(os.path.relpath(path) for path in paths)
        output.write_text(f"using the index {names}", sys.stderr)
    with ExitStack() as stack:
        yield [stack.enter_context(open_index(path)) for path in paths]


def _renderer(verb: "Verb", name: str | None) -> Callable[[Any, Any], str] | None:
    if name is None:
        return None
    from sourcebook.adapt import call_declared
    from sourcebook.registry import registry
    from sourcebook.surfaces.convert import to_json

    renderer = registry().renderer(name, where="--format")
    if not issubclass(verb.response, renderer.accepts):
        usable = _formats_of(verb)
        raise UsageError(
            f"`{name}` renders {renderer.accepts.__name__}, not what `{verb.name}` answers",
            where="--format",
            hint=f"choose one of {', '.join(usable)}" if usable else "`--json` prints all of it",
        )
    return lambda response, view: str(
        call_declared(renderer.render, response, {} if view is None else to_json(view))
    )


def _common(verb: "Verb", *, words: bool, taken: frozenset[str]) -> Iterator[click.Parameter]:
    options: list[tuple[str, tuple[str, ...], dict[str, Any]]] = []
    if verb.needs == "index":
        about = "The index to ask; found from here if unset. Repeatable: asked together."
        options.append(
            ("dir", ("-d", "--dir"), {"multiple": True, "metavar": "DIR", "help": about})
        )
    if words:
        about = "The whole request as a JSON object; - reads standard input."
        options.append(("query", ("--query",), {"metavar": "JSON|-", "help": about}))
    if _formats():
        about = "Let a renderer print the response."
        options.append(("format", ("--format",), {"metavar": "NAME", "help": about}))
    flags = {
        "json": (("--json",), "Print the response, or the error, as JSON."),
        "quiet": (("-q", "--quiet"), "No talk on standard error."),
        "verbose": (("-v", "--verbose"), "Log what happens on standard error."),
    }
    options.extend(
        (name, spelt, {"is_flag": True, "help": about}) for name, (spelt, about) in flags.items()
    )
    for name, spelt, more in options:
        if free := [flag for flag in spelt if flag not in taken]:
            make = partial(_FormatOption, verb) if name == "format" else click.Option
            yield make([COMMON + name, *free], **more)


class _FormatOption(click.Option):
    """`--format`, whose help names what renders the answers of its verb, and is left out if
    nothing does. Only help loads renderers."""

    def __init__(self, verb: "Verb", declared: Sequence[str], **more: Any) -> None:
        super().__init__(declared, **more)
        self._verb, self._about = verb, more["help"]

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        usable = _formats_of(self._verb)
        self.help = f"{self._about} One of {', '.join(usable)}."
        return super().get_help_record(ctx) if usable else None


def _formats() -> list[str]:
    from sourcebook.registry import registry

    return registry().names("renderers")


def _formats_of(verb: "Verb") -> list[str]:
    """Return the renderers that can print what a verb answers."""
    from sourcebook.registry import registry

    usable = []
    for name in _formats():
        try:
            if issubclass(verb.response, registry().renderer(name).accepts):
                usable.append(name)
        except SourcebookError:  # a broken plugin offers nothing
            continue
    return usable


def _common_value(ctx: click.Context, name: str) -> Any:
    return ctx.params.get(COMMON + name)
