"""Calling what plugins declare: with as many arguments as they ask for, decided once."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any


def call_declared(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return `function(*arguments)`, leaving out the last arguments that it does not declare.

    So `parse(source)` and `parse(source, options)` are both right, and the core may offer more
    one day without breaking anybody.

    Raises:
        TypeError: it needs more than is offered.
    """
    return function(*arguments[: declared(function, len(arguments))])


@lru_cache(maxsize=1024)
def declared(function: Callable[..., Any], offered: int) -> int:
    """Return how many of `offered` positional arguments `function` takes.

    A function whose signature cannot be read (some are compiled) takes them all.

    Raises:
        TypeError: it needs more, or an argument by name.
    """
    from inspect import Parameter, signature

    try:
        parameters = signature(function).parameters.values()
    except ValueError:
        return offered
    taken = needed = 0
    for parameter in parameters:
        required = parameter.default is Parameter.empty
        if parameter.kind is Parameter.VAR_POSITIONAL:
            taken = offered
        elif parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD):
            taken += 1
            needed += required
        elif parameter.kind is Parameter.KEYWORD_ONLY and required:
            raise TypeError(f"`{name_of(function)}` needs `{parameter.name}=`, which nobody gives")
    if needed > offered:
        raise TypeError(f"`{name_of(function)}` needs {needed} arguments, {offered} are offered")
    return min(taken, offered)


def name_of(function: Callable[..., Any]) -> str:
    """Return what a message calls a function."""
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__)
