"""What a verb is: a request, a response and a function, from which every surface is made."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any

import attrs
from attrs import frozen


@frozen
class OptionInfo:
    """What a surface needs to know of a request's field beyond its type and default.

    Args:
        help: one sentence; the text of `--help` and of the JSON Schema. A flag that is on unless
            `--no-name` is given says what that does.
        flags: more spellings on the command line (`-f`); `--name` is made from the field.
        choices: the values allowed, if they are a closed set.
        minimum, maximum: bounds of a number, both included.
        positional: an argument of the command line rather than an option.
        metavar: the placeholder in help; a positional text whose placeholder ends in `...` takes
            every word that is left, so it needs no quotes.
        cli_only: not a parameter on other surfaces.
        file: what the command line takes from the file it names, `-` being standard input: a text,
            or for a list of records the JSON of it.
        setting: the key of the setting that gives the value where none is given.
    """

    help: str
    flags: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    positional: bool = False
    metavar: str = ""
    cli_only: bool = False
    file: bool = False
    setting: str = ""


def option(
    default: Any = attrs.NOTHING,
    /,
    *,
    help: str,  # noqa: A002
    type: Any = None,  # noqa: A002
    **info: Any,
) -> Any:
    """Return an attrs field with its `OptionInfo`; no default makes it required.

    `type` is for fields of classes that are made rather than written, which have no annotations.
    """
    if isinstance(default, list):
        default = tuple(default)
    return attrs.field(
        default=default, metadata={"option": OptionInfo(help, **info)}, kw_only=True, type=type
    )


@frozen
class Tool:
    """A verb under another name on the agent surfaces.

    `name` may hold `{subject}`; `preset` fixes fields of the request, which then are no
    parameters; `description` replaces the verb's summary.
    """

    name: str
    description: str = ""
    preset: Mapping[str, object] = MappingProxyType({})


@frozen
class Verb:
    """One thing a user can ask.

    Args:
        name: what a user types, one word, or two where several verbs share the first (`describe
            put`).
        summary: one line for help.
        request, response: attrs classes; the fields of the request are made with `option`.
        run: `run(index, request)` returns the response. With `needs = "subject"` the first
            argument is the `Subject` instead (`index` builds what the others read).
        render: `render(response, view)` returns what a terminal shows.
        view: an attrs class of options on how it is shown; they exist on the command line only.
        schema: name of the response's JSON Schema, `search/1`.
        tools: names on other surfaces; default `{name}_{subject}` (of two words `{name}` with `_`
            between them), None: it is no tool.
        needs: `index`, `subject`, or `nothing`: then it is `run(request)`.
        exit_status: the process's exit status for a response.
        merge: `merge(answers, request)` makes one response of those of several indexes, see
            `sourcebook.verbs.together`; None: the verb asks one index at a time.
        verbatim: what `render` returns is for a program, which gets every character as it is; a
            terminal is spared control characters all the same.
    """

    name: str
    summary: str
    request: type
    response: type
    run: Callable[..., Any]
    render: Callable[..., str]
    view: type | None = None
    schema: str = ""
    tools: tuple[Tool, ...] | None = ()
    needs: str = "index"
    exit_status: Callable[[Any], int] = lambda _response: 0
    merge: Callable[[Sequence[Any], Any], Any] | None = None
    verbatim: bool = False


@frozen
class VerbRef:
    """A verb by name, summary and import path: help lists it without importing its module."""

    name: str
    summary: str
    target: str
    """`package.module:ATTRIBUTE`, the `Verb`, or a function of the subject that returns it."""

    def load(self, subject: Any) -> Verb:
        """Import and return the verb, made for `subject` where it depends on one."""
        found = import_target(self.target)
        return found if isinstance(found, Verb) else found(subject)


@frozen
class Command:
    """An extra top-level command: `target` is the import path of a click command."""

    name: str
    summary: str
    target: str


GENERIC_VERBS: Sequence[VerbRef] = (
    VerbRef(
        "index", "Read the corpus and write a searchable index.", "sourcebook.verbs.index:verb"
    ),
    VerbRef("search", "Rank what fits a question, with evidence.", "sourcebook.verbs.search:verb"),
    VerbRef("list", "List every source or entry; no ranking.", "sourcebook.verbs.list:verb"),
    VerbRef("grep", "Find every matching line, counted in full.", "sourcebook.verbs.grep:verb"),
    VerbRef("show", "Print a source, an entry or a range of lines.", "sourcebook.verbs.show:verb"),
    VerbRef("stats", "Say what an index holds and what built it.", "sourcebook.verbs.stats:verb"),
    VerbRef("export", "Write every entry as a line of JSON.", "sourcebook.verbs.export:verb"),
)


def verb_refs(subject: Any) -> list[VerbRef]:
    """Return the verbs of a subject: the generic ones, its own in place of or after them."""
    own = {ref.name: ref for ref in subject.verbs}
    merged = [own.pop(ref.name, ref) for ref in GENERIC_VERBS]
    return [*merged, *own.values()]


def import_target(target: str) -> Any:
    """Return the attribute that `package.module:attribute` names."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)
