"""The command line of one request: click parameters from its fields, and the request from them."""

import re
import sys
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Literal

import attrs
import click
from click.core import ParameterSource

from sourcebook.errors import BadRequest, SourcebookError, UsageError
from sourcebook.model import split_lines
from sourcebook.surfaces.ask import WORDS
from sourcebook.surfaces.convert import (
    FieldSpec,
    choices_of,
    element_type,
    field_specs,
    from_json,
    parse_json,
    suggest,
    unwrap_optional,
)

STDIN_LIMIT_BYTES = 16 << 20

METAVAR_COLUMNS = 24
"""Choices that take more room than this are listed in the help text."""

METAVARS: Mapping[Any, str] = {int: "N", float: "X", Path: "PATH"}

INTEGER = re.compile(r"[+-]?[0-9]{1,30}", re.ASCII)


if typing.TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType  # generic only since click 8.4


class Text(ParamType):
    """A text, taken as typed unless it must be one of `choices`."""

    name = "text"

    def __init__(self, choices: Sequence[str] = ()) -> None:
        self.choices = tuple(choices)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the text.

        Raises:
            BadRequest: it is none of the choices.
        """
        if self.choices and value not in self.choices:
            raise BadRequest(
                f"`{value}` is none of {', '.join(self.choices)}",
                where=_name_of(param),
                hint=suggest(value, self.choices),
            )
        return value

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[Any]:
        """Offer the choices."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(one) for one in self.choices if one.startswith(incomplete)]


class Number(ParamType):
    """An integer or a number in plain digits; its range is judged with the whole request."""

    name = "number"

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the number.

        Raises:
            BadRequest: it is none.
        """
        try:
            if self.kind is int and not INTEGER.fullmatch(value):
                raise ValueError
            return self.kind(value)
        except ValueError:
            wanted = "an integer" if self.kind is int else "a number"
            raise BadRequest(
                f"`{value}` is not {wanted}", where=_name_of(param), hint="write it in digits"
            ) from None


def flag_of(name: str) -> str:
    """Return the option that a field's name gives: `exclude_file` gives `--exclude-file`."""
    return "--" + name.replace("_", "-")


def parameters(cls: type, taken: frozenset[str] = frozenset()) -> list[click.Parameter]:
    """Return the click parameters of an attrs class of options.

    Fields that flags cannot say (records and mappings) have none; `--query` can.

    Args:
        cls: a request, or a view.
        taken: spellings that are in use already; they are not used again.
    """
    return [
        _argument(spec) if spec.info.positional else _option(spec, taken)
        for spec in field_specs(cls)
        if _sayable(spec)
    ]


def given_fields(cls: type, ctx: click.Context) -> dict[str, Any]:
    """Return as a JSON object the fields that the command line gives, no others.

    A lone `-` stands for standard input: its whole text for `query` and for a text that is taken
    from a file, its lines for a list.

    Raises:
        UsageError: a file, or standard input, cannot be read.
    """
    given: dict[str, Any] = {}
    for spec in field_specs(cls):
        if spec.name not in ctx.params:
            continue
        if ctx.get_parameter_source(spec.name) is not ParameterSource.COMMANDLINE:
            continue
        value = ctx.params[spec.name]
        hint, many = _shape(spec)
        if hint is bool:
            given[spec.name] = not value if spec.default is True else value
        elif many and not spec.info.file:
            stdin = spec.info.positional and value == ("-",)
            given[spec.name] = split_lines(read_stdin(spec.name)) if stdin else [*value]
        elif isinstance(value, tuple):
            if value:
                text = read_stdin(spec.name) if value == ("-",) else " ".join(value)
                given[spec.name] = text.strip()
        elif spec.info.file:
            text = read_file(value, spelling(cls, spec.name))
            given[spec.name] = text if hint is str else parse_json(text, where=value)
        else:
            given[spec.name] = value
    return given


def read_request(
    cls: type, ctx: click.Context, whole: str | None, defaults: Mapping[str, Any]
) -> Any:
    """Return the request that settings, `--query` and flags make together.

    Args:
        cls: the request's class.
        ctx: the context of the parsed command line.
        whole: what `--query` gave: a JSON object, `-` for standard input, or None.
        defaults: fields that settings give, beneath both.

    Raises:
        BadRequest: what the converter refuses; `where` is the flag or the place in `--query`.
        UsageError: a flag that contradicts `--query`.
    """
    given = given_fields(cls, ctx)
    asked: Any = {}
    if whole is not None:
        asked = parse_json(read_stdin("--query") if whole == "-" else whole, where="--query")
        if not isinstance(asked, dict):
            raise BadRequest("a request is a JSON object", where="--query")
    for name, value in given.items():
        if asked.get(name) not in (None, value):
            raise UsageError(
                f"`{spelling(cls, name)}` and `--query` say different things",
                where=f"--query, $.{name}",
                hint="say it in one place",
            )
    try:
        return from_json(cls, {**defaults, **asked, **given})
    except BadRequest as error:
        name = re.split(r"[.\[]", error.where.removeprefix("$."), maxsplit=1)[0]
        if whole is not None and (name in asked or name not in given):
            error.where = f"--query, {error.where}"
        else:
            respell(error, cls)
        raise


def read_view(cls: type | None, ctx: click.Context) -> Any:
    """Return the view that the command line gives, None for a verb without one.

    Raises:
        BadRequest: a value is out of range; `where` is the flag.
    """
    if cls is None:
        return None
    try:
        return from_json(cls, given_fields(cls, ctx))
    except BadRequest as error:
        respell(error, cls)
        raise


def respell(error: SourcebookError, cls: type) -> None:
    """Let an error that names a field of a request name its flag instead."""
    place = error.where.removeprefix("$.")
    name = re.split(r"[.\[]", place, maxsplit=1)[0]
    if (place != error.where or place == name) and any(
        spec.name == name for spec in field_specs(cls)
    ):
        error.where = spelling(cls, name)


def spelling(cls: type, name: str) -> str:
    """Return how the command line spells a field: its flag, or the name of an argument."""
    spec = next(one for one in field_specs(cls) if one.name == name)
    if spec.info.positional:
        return metavar_of(spec)
    return _flags(spec)[0].partition("/")[0]


def read_stdin(what: str) -> str:
    """Return the text of standard input.

    Raises:
        UsageError: it is closed, too long or not UTF-8.
    """
    if sys.stdin is None:
        raise UsageError("standard input is closed", where=what)
    return _read_text(sys.stdin.buffer, "standard input", what)


def read_file(path: str, what: str) -> str:
    """Return the text of a file, of standard input for `-`.

    Raises:
        UsageError: it cannot be opened, is too long or not UTF-8.
    """
    if path == "-":
        return read_stdin(what)
    try:
        with Path(path).open("rb") as file:
            return _read_text(file, f"`{path}`", what)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"`{path}` cannot be read: {reason}", where=what) from None


def _read_text(file: BinaryIO, name: str, what: str) -> str:
    data = file.read(STDIN_LIMIT_BYTES + 1)
    if len(data) > STDIN_LIMIT_BYTES:
        raise UsageError(f"{name} is longer than {STDIN_LIMIT_BYTES} bytes", where=what)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name} is not UTF-8: {error.reason}", where=f"{what}, byte {error.start + 1}"
        ) from None


def help_of(spec: FieldSpec) -> str:
    """Return a field's help with its choices, range, default and whether it repeats."""
    hint, many = _shape(spec)
    choices = choices_of(hint, spec.info)
    parts = [spec.info.help]
    if len("|".join(choices)) > METAVAR_COLUMNS:
        parts.append(f"One of {', '.join(choices)}.")
    low, high = spec.info.minimum, spec.info.maximum
    if low is not None and high is not None:
        parts.append(f"From {low:g} to {high:g}.")
    elif low is not None and low not in (0, 1):
        parts.append(f"At least {low:g}.")
    elif high is not None:
        parts.append(f"At most {high:g}.")
    said = spec.info.help.lower()
    settled = spec.required or hint is bool or spec.default in (None, "", ())
    if not settled and "default" not in said:
        default = spec.default if many else [spec.default]
        parts.append(f"Default {', '.join(str(one) for one in default)}.")
    if many and not spec.info.positional and "repeatable" not in said:
        parts.append("Repeatable.")
    return " ".join(part for part in parts if part)


def metavar_of(spec: FieldSpec) -> str:
    """Return the placeholder of a field in help."""
    hint, _ = _shape(spec)
    if spec.info.metavar:
        return spec.info.metavar.removesuffix("...")
    if spec.info.positional:
        return spec.name.upper()
    choices = choices_of(hint, spec.info)
    if choices:
        joined = "|".join(choices)
        return joined if len(joined) <= METAVAR_COLUMNS else spec.name.upper()
    return METAVARS.get(hint, "TEXT")


def _shape(spec: FieldSpec) -> tuple[Any, bool]:
    """Return the type of one value of a field, and whether it takes many."""
    hint, _ = unwrap_optional(spec.hint)
    inner = element_type(hint)
    return (hint, False) if inner is None else (unwrap_optional(inner)[0], True)


def _sayable(spec: FieldSpec) -> bool:
    hint, many = _shape(spec)
    if spec.info.file:
        return True
    if hint in (Any, object, bytes) or typing.get_origin(hint) not in (None, Literal):
        return False
    return not attrs.has(hint) and not (many and hint is bool)


def _type_of(spec: FieldSpec) -> Any:
    hint, _ = _shape(spec)
    if spec.info.file:
        return Text()
    return Number(hint) if hint in (int, float) else Text(choices_of(hint, spec.info))


def _flags(spec: FieldSpec) -> list[str]:
    flag = flag_of(spec.name)
    if _shape(spec)[0] is bool:
        if spec.default is None:
            flag = f"{flag}/--no-{flag[2:]}"
        elif spec.default is True:
            flag = f"--no-{flag[2:]}"
    return [flag, *spec.info.flags]


def _option(spec: FieldSpec, taken: frozenset[str]) -> click.Option:
    hint, many = _shape(spec)
    flags = [flag for flag in _flags(spec) if flag not in taken]
    if hint is bool:
        return click.Option([spec.name, *flags], is_flag=True, help=help_of(spec))
    return click.Option(
        [spec.name, *flags],
        type=_type_of(spec),
        multiple=many and not spec.info.file,
        metavar=metavar_of(spec),
        help=help_of(spec),
    )


def _argument(spec: FieldSpec) -> click.Argument:
    several_words = spec.name == WORDS or spec.info.metavar.endswith("...")
    many = several_words or (_shape(spec)[1] and not spec.info.file)
    name = metavar_of(spec) + ("..." if many else "")
    return click.Argument(
        [spec.name],
        type=_type_of(spec),
        nargs=-1 if many else 1,
        required=False,
        metavar=name if spec.required else f"[{name}]",
    )


def _name_of(param: Any) -> str:
    if param is None:
        return ""
    long = [one for one in param.opts if one.startswith("--")]
    return str(long[0] if long else param.human_readable_name.strip("[]").removesuffix("..."))
