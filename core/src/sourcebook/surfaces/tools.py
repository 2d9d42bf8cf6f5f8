"""An index as a set of tools: name, description, JSON Schema, and a function that never raises."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import frozen

from sourcebook.errors import SourcebookError
from sourcebook.surfaces.ask import as_error, response_json, schema_name, settings_fields
from sourcebook.surfaces.convert import Clamped, field_specs, from_json
from sourcebook.surfaces.jsonschema import request_schema, response_schema
from sourcebook.verb import Tool, Verb, verb_refs

if TYPE_CHECKING:
    from sourcebook.settings import Settings

BUILDS = "index"
"""The verb that makes what the others read: a matter for people, not for tools."""


@frozen
class ToolDef:
    """A tool as agent frameworks want it.

    Args:
        name: `search_docs`.
        description: one line, for the model that chooses.
        parameters: JSON Schema of the arguments, an object.
        call: `call(arguments)` or `call(**arguments)` returns the response as JSON types. What
            goes wrong is returned too, as `{"error": {"code", "message", "where", "hint"}}`, so
            that the model can read it and ask again.
        returns: JSON Schema of the response.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    call: Callable[..., dict[str, Any]]
    returns: Mapping[str, Any]


def tools(index: Any) -> list[ToolDef]:
    """Return the tools of an open index, in the order of its subject's verbs.

    Raises:
        BadSetting: a file or variable sets something unknown or wrong.
    """
    from sourcebook.settings import load_settings

    settings = load_settings()
    return [
        define_tool(verb, tool, index, settings)
        for verb in reading_verbs(index.subject)
        for tool in tools_of(verb)
    ]


def reading_verbs(subject: Any) -> list[Verb]:
    """Return the verbs of a subject that read an index."""
    loaded = [ref.load(subject) for ref in verb_refs(subject) if ref.name != BUILDS]
    return [verb for verb in loaded if verb.needs == "index"]


def tools_of(verb: Verb) -> tuple[Tool, ...]:
    """Return the names a verb has as a tool, `{subject}` not yet replaced."""
    if verb.tools is None:
        return ()
    words = verb.name.split()
    own = f"{words[0]}_{{subject}}" if len(words) == 1 else "_".join(words)
    return verb.tools or (Tool(own),)


def tool_name(tool: Tool, subject: Any) -> str:
    """Return the name of a tool for one subject."""
    return tool.name.replace("{subject}", subject.name)


def define_tool(verb: Verb, tool: Tool, index: Any, settings: "Settings") -> ToolDef:
    """Return a verb under one of its names, bound to an open index."""
    return ToolDef(
        tool_name(tool, index.subject),
        tool.description or verb.summary,
        request_schema(verb.request, without=frozenset(tool.preset)),
        partial(call_tool, verb, tool, index, settings),
        response_schema(verb.response, schema_name(verb)),
    )


def call_tool(
    verb: Verb,
    tool: Tool,
    index: Any,
    settings: "Settings",
    arguments: Mapping[str, object] | None = None,
    /,
    **more: object,
) -> dict[str, Any]:
    """Return the response of a tool, or the error, as a JSON object."""
    try:
        return answer(verb, tool, index, {**(arguments or {}), **more}, settings)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of a compiled library is no Exception
        return as_error(error).as_json()


def answer(
    verb: Verb,
    tool: Tool | None,
    index: Any,
    arguments: object,
    settings: "Settings",
    clamped: list[Clamped] | None = None,
) -> dict[str, Any]:
    """Return the response of a verb to JSON arguments as a JSON object.

    Args:
        verb: what is asked.
        tool: the name it is asked by, whose preset holds; None for the verb itself.
        index: an open index.
        arguments: a JSON object.
        settings: where fields that are not given come from, before their defaults.
        clamped: see `from_json`.

    Raises:
        BadRequest: the arguments are not those of the verb.
        Exception: whatever the verb raises.
    """
    hidden = {spec.name for spec in field_specs(verb.request) if spec.info.cli_only}
    fixed = tool.preset if tool else {}
    if isinstance(arguments, Mapping):
        said = {key for key, value in arguments.items() if value is not None}
        given = settings_fields(verb.request, settings)
        unsaid = {key: value for key, value in given.items() if key not in {*said, *fixed}}
        arguments = {**arguments, **unsaid}
    request: Any = from_json(
        verb.request,
        arguments,
        clamped=clamped,
        fixed=fixed,
        hidden=hidden,
    )
    try:
        return response_json(verb, index.subject.name, verb.run(index, request))
    except SourcebookError as error:
        if any(spec.name == error.where for spec in field_specs(verb.request)):
            error.where = f"$.{error.where}"
        raise
