"""Requests from JSON and responses to JSON: the one strict converter behind every surface.

Written by hand rather than on top of cattrs: every rule here (exact scalars, JSON paths, nearest
names, clamping) would be a hook of its own there, and its import costs each command 50 ms.
"""

import enum
import json
import math
import types
import typing
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

import attrs

from sourcebook.errors import BadRequest
from sourcebook.naming import nearest
from sourcebook.verb import OptionInfo

T = TypeVar("T")

SAFE_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader takes in exactly (RFC 8259, section 6)."""

DEPTH_LIMIT = 64
"""How deep a value of a field without a type of its own may nest."""

NO_OPTION = OptionInfo("")


class FieldSpec(NamedTuple):
    """One field of a request or response: its JSON name, type, default and option."""

    name: str
    hint: Any
    default: Any
    info: OptionInfo

    @property
    def required(self) -> bool:
        """Whether a request without it is refused."""
        return self.default is attrs.NOTHING


class Clamped(NamedTuple):
    """A number that was out of range and moved to the nearest bound."""

    field: str
    given: int | float
    used: int | float


@lru_cache(maxsize=512)
def field_specs(cls: type[Any]) -> tuple[FieldSpec, ...]:
    """Return the public fields of an attrs class in order, types resolved, factories called."""
    attrs.resolve_types(cls)
    specs = []
    for attribute in attrs.fields(cls):
        if not attribute.init or attribute.name.startswith("_"):
            continue
        default: Any = attribute.default
        if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
            default = attrs.NOTHING if default.takes_self else default.factory()
        info = attribute.metadata.get("option", NO_OPTION)
        specs.append(FieldSpec(attribute.name, attribute.type, default, info))
    return tuple(specs)


def from_json(
    cls: type[T],
    value: object,
    *,
    path: str = "$",
    clamped: list[Clamped] | None = None,
    fixed: Mapping[str, object] = MappingProxyType({}),
    hidden: Collection[str] = (),
) -> T:
    """Return the attrs record of class `cls` that the JSON object `value` describes.

    Scalars are exact (a bool is no integer, an integer is taken as a number), lists come only
    from lists, null and a missing key mean the field's default.

    Args:
        cls: an attrs class; choices and ranges are in its fields' `OptionInfo`.
        value: what a JSON reader returned.
        path: the JSON path of `value`, for messages.
        clamped: if given, a number out of range moves to the nearest bound and is noted here
            instead of being refused.
        fixed: fields that the surface fills in itself, as JSON; unknown to whoever asks.
        hidden: further fields unknown to whoever asks.

    Raises:
        BadRequest: unknown key, wrong type, out of range; `where` is the JSON path.
    """
    if not isinstance(value, Mapping):
        raise _wrong("an object", value, path)
    described: Any = cls
    specs = {spec.name: spec for spec in field_specs(described)}
    known = [name for name in specs if name not in fixed and name not in hidden]
    for key in value:
        if key not in known:
            raise BadRequest(
                f"no field is named `{_short(key)}`",
                where=f"{path}.{_short(key)}",
                hint=suggest(str(key), known) or "it takes no fields",
            )
    given = {}
    for name, spec in specs.items():
        raw = fixed[name] if name in fixed else value.get(name)
        if raw is not None:
            given[name] = _read(spec.hint, raw, f"{path}.{name}", spec.info, clamped)
        elif spec.required:
            raise BadRequest(f"`{name}` is required", where=f"{path}.{name}", hint=spec.info.help)
    try:
        return cls(**given)
    except (TypeError, ValueError) as error:
        raise BadRequest(f"not accepted: {error}", where=path) from error


def parse_json(text: str | bytes, *, where: str = "") -> Any:
    """Return the value of a JSON text, more strictly than `json.loads`.

    A name twice in one object, NaN, Infinity, numbers of thousands of digits and nesting beyond
    Python's recursion are refused too.

    Raises:
        BadRequest: it is no such JSON; `where` is completed with line and column if known.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise BadRequest(
            f"this is not JSON: {error.msg}", where=f"{where}, {place}" if where else place
        ) from None
    except RecursionError:
        raise BadRequest("this JSON is nested too deeply", where=where) from None
    except UnicodeDecodeError as error:
        raise BadRequest(
            f"this is not UTF-8: {error.reason}", where=f"{where} byte {error.start + 1}".lstrip()
        ) from None
    except ValueError as error:
        raise BadRequest(f"this is not JSON: {error}", where=where) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name `{_short(twice)}` stands twice in one object")
    return made


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def to_json(value: object, path: str = "$") -> Any:
    """Return `value` in JSON types: records and mappings to objects, tuples to lists.

    Nothing is left out, and the order is that of the fields, of the mapping, or for sets that of
    their members, so that equal responses print equally.

    Raises:
        TypeError: something in it is no JSON value; the message has its path.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, enum.Enum):
        return to_json(value.value, path)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise TypeError(f"{path} is {value}, which JSON cannot say")
        return float(value)
    if isinstance(value, PurePath):
        return value.as_posix()
    kind: type[Any] = type(value)
    if attrs.has(kind):
        return {
            spec.name: to_json(getattr(value, spec.name), f"{path}.{spec.name}")
            for spec in field_specs(kind)
        }
    if isinstance(value, Mapping):
        return {str(key): to_json(one, f"{path}.{key}") for key, one in value.items()}
    if isinstance(value, frozenset | set):
        value = sorted(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [to_json(one, f"{path}[{index}]") for index, one in enumerate(value)]
    raise TypeError(f"{path} is {type(value).__name__}, which is no JSON value")


def suggest(word: str, known: Collection[str]) -> str:
    """Return the hint for an unknown word: the nearest known one, else all of them if few."""
    if near := nearest(word.lower(), known, cutoff=0.6):
        return f"did you mean `{near}`?"
    return f"choose one of {', '.join(known)}" if known else ""


def element_type(hint: Any) -> Any:
    """Return X for `tuple[X, ...]`, `list[X]` and `Sequence[X]`, None for other types."""
    if typing.get_origin(hint) in (tuple, list, Sequence):
        return typing.get_args(hint)[0]
    return None


def unwrap_optional(hint: Any) -> tuple[Any, bool]:
    """Return X and True for `X | None`; other types as they are, and False."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        rest = [one for one in typing.get_args(hint) if one is not type(None)]
        if len(rest) < len(typing.get_args(hint)):
            return (rest[0] if len(rest) == 1 else typing.Union[tuple(rest)]), True  # noqa: UP007
    return hint, False


def choices_of(hint: Any, info: OptionInfo) -> tuple[str, ...]:
    """Return the closed set of values of a scalar type, empty if it is open."""
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return tuple(str(one.value) for one in hint)
    if typing.get_origin(hint) is Literal:
        return tuple(str(one) for one in typing.get_args(hint))
    return info.choices


def _read(hint: Any, value: object, path: str, info: OptionInfo, clamped: Any) -> Any:
    hint, optional = unwrap_optional(hint)
    if value is None and optional:
        return None
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return _read_union(typing.get_args(hint), value, path, info, clamped)
    if (inner := element_type(hint)) is not None:
        if not isinstance(value, list):
            raise _wrong("a list", value, path)
        return tuple(
            _read(inner, one, f"{path}[{index}]", info, clamped) for index, one in enumerate(value)
        )
    if typing.get_origin(hint) in (Mapping, dict):
        if not isinstance(value, Mapping):
            raise _wrong("an object", value, path)
        inner = typing.get_args(hint)[1]
        return {
            _string(key, path): _read(inner, one, f"{path}.{key}", info, clamped)
            for key, one in value.items()
        }
    if hint in (Any, object):
        return _any(value, path, DEPTH_LIMIT)
    if isinstance(hint, type) and attrs.has(hint):
        return from_json(hint, value, path=path, clamped=clamped)
    return _scalar(hint, value, path, info, clamped)


def _read_union(
    members: Sequence[Any], value: object, path: str, info: OptionInfo, clamped: Any
) -> Any:
    problems = []
    for member in members:
        try:
            return _read(member, value, path, info, clamped)
        except BadRequest as error:
            problems.append(error)
    raise problems[-1]


def _scalar(hint: Any, value: object, path: str, info: OptionInfo, clamped: Any) -> Any:
    if hint is bool:
        if not isinstance(value, bool):
            raise _wrong("true or false", value, path)
        return value
    if hint is int:
        if type(value) is not int:
            raise _wrong("an integer", value, path)
        return _in_range(value, path, info, clamped)
    if hint is float:
        if type(value) not in (int, float) or (
            isinstance(value, float) and not math.isfinite(value)
        ):
            raise _wrong("a number", value, path)
        return float(_in_range(typing.cast("int | float", value), path, info, clamped))
    text = _string(value, path)
    if choices := choices_of(hint, info):
        if text not in choices:
            raise BadRequest(
                f"`{_short(text)}` is none of {', '.join(choices)}",
                where=path,
                hint=suggest(text, choices),
            )
        return hint(text) if isinstance(hint, type) and issubclass(hint, enum.Enum) else text
    if hint is str:
        return text
    if hint is Path:
        if "\0" in text:
            raise BadRequest("a path cannot contain a NUL character", where=path)
        return Path(text)
    raise TypeError(f"{path}: no surface can read a field of type {hint!r}")


def _in_range(value: int | float, path: str, info: OptionInfo, clamped: Any) -> int | float:
    low = -SAFE_INTEGER if info.minimum is None else info.minimum
    high = SAFE_INTEGER if info.maximum is None else info.maximum
    used = min(max(value, low), high)
    if used == value:
        return value
    used = type(value)(used)
    if clamped is not None:
        clamped.append(Clamped(path.removeprefix("$."), value, used))
        return used
    bound = f"at least {used} is needed" if value < low else f"at most {used} is allowed"
    raise BadRequest(f"{_short(value)} is out of range: {bound}", where=path)


def _string(value: object, path: str) -> str:
    if type(value) is not str:
        raise _wrong("a string", value, path)
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise BadRequest("the text is not valid Unicode (a lone surrogate)", where=path)
    return value


def _any(value: object, path: str, depth: int) -> Any:
    if depth == 0:
        raise BadRequest(f"nested deeper than {DEPTH_LIMIT} levels", where=f"{path[:40]}...")
    if isinstance(value, Mapping):
        return {
            _string(key, path): _any(one, f"{path}.{key}", depth - 1) for key, one in value.items()
        }
    if isinstance(value, list):
        return tuple(_any(one, f"{path}[{index}]", depth - 1) for index, one in enumerate(value))
    if value is None or type(value) in (bool, int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return _string(value, path)


def _wrong(wanted: str, value: object, path: str) -> BadRequest:
    return BadRequest(f"this must be {wanted}, not {_named(value)}", where=path)


def _named(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {_short(value)}"
        case str():
            return f'the string "{_short(value)}"'
        case list():
            return "a list"
        case Mapping():
            return "an object"
        case _:
            return f"a Python {type(value).__name__}"


def _short(value: object) -> str:
    # An integer of thousands of digits cannot even be printed: Python refuses the conversion.
    if type(value) is int and value.bit_length() > 128:
        return f"of {value.bit_length()} bits"
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."
