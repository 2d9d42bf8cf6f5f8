"""check: does this request, or this response, fit the description of its operation?"""

from collections.abc import Iterable

from attrs import frozen
from sourcebook.errors import BadRequest
from sourcebook.index.open import Index
from sourcebook.naming import counted, shown
from sourcebook.subgraph import ApiSubgraph
from sourcebook.verb import Tool, Verb, option

from sourcebook_schema.api import Api
from sourcebook_schema.checking.check import check
from sourcebook_schema.checking.find import Called, find_called
from sourcebook_schema.checking.messages import Message, Mismatch
from sourcebook_schema.names import find_sources
from sourcebook_schema.verbs.items import SOURCE_HELP

REPEATED = "as `NAME=VALUE`. Repeatable."


@frozen
class CheckRequest:
    """A request or a response, and the operation it belongs to."""

    operation: str = option(
        help="The operation: its method and the path that is called (`GET /users/7?full=1`, also "
        "below a server or as a URL), its route (`GET /users/{id}`), its operationId or its id.",
        positional=True,
        metavar="OPERATION...",
    )
    body: str = option(
        "", help="The body; on the command line a file, or - for standard input.", file=True,
        metavar="FILE",
    )  # fmt: skip
    content_type: str = option(
        "", help="The media type of the body; else JSON, where the operation takes that."
    )
    query: tuple[str, ...] = option(
        (), help=f"A parameter in the query, {REPEATED}", metavar="NAME=VALUE"
    )
    header: tuple[str, ...] = option((), help=f"A header, {REPEATED}", metavar="NAME=VALUE")
    cookie: tuple[str, ...] = option((), help=f"A cookie, {REPEATED}", metavar="NAME=VALUE")
    response: str = option(
        "",
        help="Check the response with this status, its body and headers, not a request.",
        metavar="STATUS",
    )
    source: tuple[str, ...] = option((), help=SOURCE_HELP, metavar="NAME")


@frozen
class CheckResponse:
    """Whether it fits, and all that does not.

    Args:
        fits: nothing was found that the description does not allow, and all was decided.
        complete: whether all parts that were compared were decided about. If not, and there are no
            errors, it cannot be told whether it fits; `notes` say why.
        operation: `POST /users`.
        id: of the operation, what `show` takes.
        response: its status; empty: it was a request.
        checked: the parts that were compared: `path`, `query`, `header`, `cookie`, `body`,
            `status`. Credentials never are.
        errors: each with its place.
        notes: what could not be checked, and why.
    """

    fits: bool
    complete: bool
    operation: str
    id: str
    response: str
    checked: tuple[str, ...]
    errors: tuple[Mismatch, ...]
    notes: tuple[str, ...] = ()


def run(index: Index, request: CheckRequest) -> CheckResponse:
    """Check a message against the description of its operation."""
    api = Api.of(index)
    sources, notes = find_sources(api, request.source)
    if notes:
        raise BadRequest(notes[0], where="source", hint="`list documents` names them")
    if request.response and not (request.response.isdecimal() and len(request.response) == 3):
        raise BadRequest(
            f"`{shown(request.response)}` is no status", where="response", hint="write it as 200"
        )
    called = find_called(api, request.operation.strip(), sources)
    part = api.subgraph([called.node], document=True)
    assert isinstance(part, ApiSubgraph)
    pointer = next(at for at, one in part.described.items() if one.id == api.id(called.node))
    checked = check(part.description, pointer, _message(request, called))
    return CheckResponse(
        checked.complete and not checked.mismatches,
        checked.complete,
        api.title(called.node),
        api.id(called.node),
        request.response,
        tuple(checked.parts),
        tuple(checked.mismatches),
        tuple(checked.notes),
    )


def _message(request: CheckRequest, called: Called) -> Message:
    return Message(
        request.response,
        called.path,
        (*called.query, *_pairs(request.query, "query")),
        tuple(_pairs(request.header, "header")),
        tuple(_pairs(request.cookie, "cookie")),
        request.body.encode(),
        request.content_type.strip(),
    )


def _pairs(texts: Iterable[str], field: str) -> Iterable[tuple[str, str]]:
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise BadRequest(
                f"`{shown(text)}` is not `NAME=VALUE`", where=field, hint="write `limit=10`"
            )
        yield name, value


def render(response: CheckResponse, _view: object) -> str:
    """The verdict, then one row an error."""
    what = f"the {response.response} response to " if response.response else ""
    verdict = "fits" if response.fits else "does not fit" if response.errors else "cannot tell"
    rows = [f"{what}{response.operation}: {verdict}"]
    for one in response.errors:
        place = " ".join(part for part in (one.part, one.name, one.pointer) if part)
        rows.append(f"  {place}: expected {one.expected}, got {one.actual}")
    rows += [f"  ({note})" for note in response.notes]
    if response.errors:
        rows.append(counted(len(response.errors), "error"))
    return "\n".join(rows)


verb = Verb(
    "check",
    "Say whether a request or a response fits the description.",
    CheckRequest,
    CheckResponse,
    run,
    render,
    schema="schema.check/1",
    exit_status=lambda response: 0 if response.fits else 1,
    tools=(
        Tool(
            "check_api",
            "Check a request before it is sent, or a response, against the description: all "
            "errors, each with its place, what was expected and what is there.",
        ),
    ),
)
