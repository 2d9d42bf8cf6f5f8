"""The agent protocol: one JSON object per line in, one per line out, until the input ends.

A request has `action`, optionally `id` (echoed), `subject` and `index` (which one is asked, where
several are open), and the fields of the verb beside them, or in `arguments` where a field has one
of those names. A reply is the JSON of the response (or `error`), with `id`, `action`, `stale`
(another generation has been published, or files have `changed` since the index was built),
`damaged`, and `clamped` (numbers that were out of range, and what was used). Later versions may
add fields and actions, never take any away.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Protocol

from attrs import define, field, frozen

from sourcebook.errors import Ambiguous, BadRequest, IndexDamaged, IndexMissing, SourcebookError
from sourcebook.surfaces.ask import as_error, schema_name
from sourcebook.surfaces.convert import Clamped, from_json, parse_json, suggest, to_json
from sourcebook.surfaces.jsonschema import request_schema, response_schema
from sourcebook.surfaces.output import dump_json
from sourcebook.surfaces.tools import answer, reading_verbs, tool_name, tools_of
from sourcebook.verb import Tool, Verb, option

if TYPE_CHECKING:
    from sourcebook.settings import Settings

LINE_LIMIT_BYTES = 1 << 20

PROTOCOL = 1
"""Moves only if a client must change; so far nothing has."""

ENVELOPE = ("id", "action", "subject", "index", "arguments")

STATES = ("stale", "changed", "damaged")
"""What every reply says of the indexes it is from."""

ALIASES: Mapping[str, str] = {"open": "show"}
"""Other names of actions, each that of a verb."""


class AnIndex(Protocol):
    """What the protocol needs of an open index; see `sourcebook.index.open`."""

    @property
    def subject(self) -> Any:
        """Its subject."""

    def status(self) -> dict[str, Any]:
        """Return `generation`, `stale`, `changed`, `damaged`."""

    def close(self) -> None:
        """Let go of every file."""


@define
class Served:
    """One index that is served: opened when first asked, and again by `refresh`."""

    subject: Any
    path: Path
    open: Callable[[Path], AnIndex]
    _index: AnIndex | None = None
    verbs: list[Verb] = field(factory=list)

    def index(self) -> AnIndex:
        """Return the open index.

        Raises:
            SourcebookError: it cannot be opened.
        """
        if self._index is None:
            self._index = self.open(self.path)
        return self._index

    def close(self) -> None:
        """Close it; the next use opens it again."""
        index, self._index = self._index, None
        if index is not None:
            index.close()

    def load_verbs(self) -> list[Verb]:
        """Return the verbs that read it."""
        if not self.verbs:
            self.verbs = reading_verbs(self.subject)
        return self.verbs

    def status(self) -> dict[str, bool]:
        """Return whether it is stale or damaged, as far as is known; nothing is raised."""
        try:
            state = self.index().status()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a panic of a compiled library is no Exception
            known = isinstance(error, SourcebookError) and not isinstance(error, IndexDamaged)
            return {"stale": False, "changed": False, "damaged": not known}
        return {key: bool(state[key]) for key in STATES}


class Action(NamedTuple):
    """A verb of a served index, under its own name or a tool's."""

    name: str
    served: Served
    verb: Verb
    tool: Tool | None


@frozen
class NoRequest:
    """What actions without fields take."""


@frozen
class DescribeRequest:
    """What `describe` takes."""

    name: str = option("", help="Only this action; empty: all.")


@frozen
class OpenIndex:
    """An index that is served.

    Args:
        subject: its subject.
        path: its folder; what `index` in a request may say.
        stale: whether another generation has been published since it was opened (`refresh` opens
            it), or files have changed since it was built.
        changed: whether files have, as far as sizes and times tell; index them again.
        damaged: whether it cannot be read.
    """

    subject: str
    path: str
    stale: bool
    changed: bool
    damaged: bool


@frozen
class HelloResponse:
    """What is open, and what can be asked.

    Args:
        protocol: moves only if a client must change; so far nothing has.
        version: the version of sourcebook-core.
        indexes: what is served.
        actions: the names that `action` may have.
    """

    protocol: int
    version: str
    indexes: tuple[OpenIndex, ...]
    actions: tuple[str, ...]


@frozen
class ActionSchema:
    """One action.

    Args:
        name: what `action` says.
        subject: the subject that it asks, empty for the protocol's own actions.
        summary: one line.
        parameters: JSON Schema of the fields it takes.
        returns: JSON Schema of the response in its reply.
    """

    name: str
    subject: str
    summary: str
    parameters: Mapping[str, object]
    returns: Mapping[str, object]


@frozen
class DescribeResponse:
    """The actions with their schemas.

    Args:
        actions: the protocol's own, then those of each index.
    """

    actions: tuple[ActionSchema, ...]


@frozen
class RefreshResponse:
    """What is open now, each in its latest generation.

    Args:
        indexes: what is served.
    """

    indexes: tuple[OpenIndex, ...]


class Session:
    """Answers requests over a set of indexes; no request ends it.

    Args:
        find: returns what is to be served; called at the start and by `refresh`.
        settings: where fields that a request leaves out come from, before their defaults.
    """

    def __init__(self, find: Callable[[], Sequence[Served]], settings: "Settings") -> None:
        self._find = find
        self._settings = settings
        self._served = list(find())

    def reply(self, line: bytes | None) -> bytes:
        """Return the reply to one line (None: it was too long) as UTF-8 with a line end."""
        reply: dict[str, Any] = {"id": None, "action": ""}
        try:
            self._answer(line, reply)
            return dump_json(reply).encode() + b"\n"
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a panic of a compiled library is no Exception
            kept = ("id", "action", *STATES, "clamped")
            failed = {
                **self._status(self._served),
                **{key: reply[key] for key in kept if key in reply},
                **as_error(error).as_json(),
            }
            return dump_json(failed).encode() + b"\n"

    def close(self) -> None:
        """Close every index."""
        for served in self._served:
            served.close()

    def _answer(self, line: bytes | None, reply: dict[str, Any]) -> None:
        if line is None:
            raise BadRequest(f"a request takes at most {LINE_LIMIT_BYTES} bytes", where="$")
        request = parse_json(line, where="$")
        if not isinstance(request, dict):
            raise BadRequest(
                "a request is a JSON object", where="$", hint='for instance {"action": "hello"}'
            )
        reply["id"] = _scalar_id(request.get("id"))
        reply["action"] = name = _text(request, "action")
        subject, index = _text(request, "subject"), _text(request, "index")
        arguments = request.get("arguments")
        if arguments is None:
            arguments = {key: value for key, value in request.items() if key not in ENVELOPE}
        elif extra := [key for key in request if key not in ENVELOPE]:
            raise BadRequest(
                "fields stand beside `action` or in `arguments`, not in both",
                where=f"$.{extra[0]}",
            )
        own = {"hello": self._hello, "describe": self._describe, "refresh": self._refresh}
        if name in own:
            response = own[name](arguments)
            reply.update({"schema": f"{name}/1", "subject": "", **to_json(response)})
            reply.update(self._status(self._served))
            return
        action = self._resolve(name, subject, index)
        clamped: list[Clamped] = []
        try:
            reply.update(self._ask(action, arguments, clamped))
        finally:
            reply.update(self._status([action.served]))
            if clamped:
                reply["clamped"] = [one._asdict() for one in clamped]

    def _ask(self, action: Action, arguments: object, clamped: list[Clamped]) -> dict[str, Any]:
        served = action.served

        def ask() -> dict[str, Any]:
            index = served.index()
            return answer(action.verb, action.tool, index, arguments, self._settings, clamped)

        try:
            return ask()
        except IndexDamaged:
            # A build that went on meanwhile may have cleared away files of the generation that
            # is open here; the new one is whole.
            if not served.status()["stale"]:
                raise
            served.close()
            clamped.clear()
            return ask()

    def _resolve(self, name: str, subject: str, index: str) -> Action:
        if not self._served:
            raise IndexMissing(
                "no index is open here", hint="build one, then send the action `refresh`"
            )
        asked = [
            one
            for one in self._served
            if subject in ("", one.subject.name) and index in ("", str(one.path))
        ]
        if not asked:
            key, value = ("index", index) if index else ("subject", subject)
            known = [str(one.path) if index else one.subject.name for one in self._served]
            raise BadRequest(
                f"no such {key} is open here: `{value[:200]}`",
                where=f"$.{key}",
                hint=suggest(value, known),
            )
        actions = [action for served in asked for action in _actions(served)]
        fits = [one for one in actions if one.name == name]
        fits = fits or [one for one in actions if one.name == ALIASES.get(name)]
        if not fits:
            names = sorted({*OWN, *ALIASES, *(one.name for one in actions)})
            raise BadRequest(
                f"no action is named `{name[:200]}`", where="$.action", hint=suggest(name, names)
            )
        if len(fits) > 1:
            places = ", ".join(f"{one.served.subject.name} at {one.served.path}" for one in fits)
            raise Ambiguous(
                f"`{name}` could ask {places}",
                where="$.action",
                hint="say which in `subject` or `index`",
            )
        return fits[0]

    def _hello(self, arguments: object) -> HelloResponse:
        from sourcebook.registry import registry

        from_json(NoRequest, arguments)
        names = [one.name for served in self._served for one in _actions(served)]
        return HelloResponse(
            PROTOCOL, registry().core_version(), self._indexes(), (*OWN, *dict.fromkeys(names))
        )

    def _describe(self, arguments: object) -> DescribeResponse:
        wanted = from_json(DescribeRequest, arguments).name
        described = [
            ActionSchema(
                name,
                "",
                own.summary,
                request_schema(own.request),
                response_schema(own.response, f"{name}/1"),
            )
            for name, own in OWN.items()
        ]
        described += [_described(one) for served in self._served for one in _actions(served)]
        names = {one.name for one in described}
        if wanted and wanted not in names:
            raise BadRequest(
                f"no action is named `{wanted[:200]}`",
                where="$.name",
                hint=suggest(wanted, sorted(names)),
            )
        return DescribeResponse(tuple(one for one in described if wanted in ("", one.name)))

    def _refresh(self, arguments: object) -> RefreshResponse:
        from_json(NoRequest, arguments)
        found = list(self._find())
        self.close()
        self._served = found
        return RefreshResponse(self._indexes())

    def _indexes(self) -> tuple[OpenIndex, ...]:
        return tuple(
            OpenIndex(one.subject.name, str(one.path), **one.status()) for one in self._served
        )

    @staticmethod
    def _status(served: Sequence[Served]) -> dict[str, bool]:
        states = [one.status() for one in served]
        return {key: any(state[key] for state in states) for key in STATES}


class Own(NamedTuple):
    """An action of the protocol itself."""

    summary: str
    request: type
    response: type


OWN: Mapping[str, Own] = {
    "hello": Own(
        "Say which indexes are open and which actions there are.", NoRequest, HelloResponse
    ),
    "describe": Own("Give the JSON Schemas of the actions.", DescribeRequest, DescribeResponse),
    "refresh": Own(
        "Look for indexes again and open their latest generation.", NoRequest, RefreshResponse
    ),
}


def _described(action: Action) -> ActionSchema:
    verb, tool = action.verb, action.tool
    preset = frozenset(tool.preset) if tool else frozenset()
    return ActionSchema(
        action.name,
        action.served.subject.name,
        (tool.description if tool else "") or verb.summary,
        request_schema(verb.request, without=preset),
        response_schema(verb.response, schema_name(verb)),
    )


def _actions(served: Served) -> Iterator[Action]:
    for verb in served.load_verbs():
        yield Action(verb.name, served, verb, None)
        for tool in tools_of(verb):
            yield Action(tool_name(tool, served.subject), served, verb, tool)


def _text(request: Mapping[str, object], key: str) -> str:
    value = request.get(key)
    if value is None and key != "action":
        return ""
    if not isinstance(value, str):
        raise BadRequest(
            f"`{key}` must be a string", where=f"$.{key}", hint='for instance {"action": "hello"}'
        )
    return value


def _scalar_id(value: object) -> object:
    if value is None or isinstance(value, str | int):
        return value
    raise BadRequest("`id` must be a string or an integer", where="$.id")


def read_lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yield lines without their end, None for one beyond the limit; blank lines are passed over."""
    while line := stream.readline(LINE_LIMIT_BYTES + 1):
        if len(line) > LINE_LIMIT_BYTES and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(LINE_LIMIT_BYTES)
            yield None
        elif line.strip():
            yield line.rstrip(b"\r\n")


def serve(session: Session, requests: BinaryIO, replies: BinaryIO) -> None:
    """Reply to each line of `requests` on a line of `replies`, until the input ends."""
    for line in read_lines(requests):
        replies.write(session.reply(line))
        replies.flush()
