"""The verbs of the sample: a request of every type, and failures on demand."""

import sys
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen
from sourcebook.errors import NotFound
from sourcebook.events import emit
from sourcebook.verb import Tool, Verb, option


@frozen
class SearchRequest:
    """What to look for."""

    query: str = option("", help="The question.", positional=True)
    limit: int = option(8, help="How many hits.", minimum=1, maximum=100)
    share: float = option(0.5, help="A share.", minimum=0, maximum=1)
    kind: tuple[str, ...] = option((), help="Only these kinds.", choices=("line", "table_row"))
    file: tuple[str, ...] = option((), help="Only these files.", flags=("-f",), metavar="PATTERN")
    mode: str = option("hybrid", help="Which leg.", choices=("hybrid", "text", "vector"))
    exact: bool = option(False, help="To the letter.")
    numbers: bool = option(True, help="Leave the numbers out.")
    fold: bool | None = option(None, help="Fold case.")
    before: int | None = option(None, help="Lines before.", flags=("-B",), minimum=0)
    root: Path | None = option(None, help="A folder.")
    weights: Mapping[str, float] | None = option(None, help="Weights; in `--query` only.")
    note: str = option("", help="A note.", file=True, metavar="FILE")
    prompt: bool = option(False, help="Prompt for more.", cli_only=True)


@frozen
class SearchView:
    """How hits are shown."""

    hits: bool = option(False, help="One line a hit.")
    columns: int = option(80, help="How wide.", minimum=20)


@frozen
class Hit:
    """One hit."""

    source: str
    line: int
    text: str


@frozen
class SearchResponse:
    """What was asked, and hits that try the terminal."""

    request: Mapping[str, object]
    hits: tuple[Hit, ...]


def search(index: object, request: SearchRequest) -> SearchResponse:
    """Return the request and one hit."""
    emit("search.done", hits=1)
    asked = {
        "query": request.query,
        "limit": request.limit,
        "share": request.share,
        "kind": request.kind,
        "file": request.file,
        "mode": request.mode,
        "exact": request.exact,
        "numbers": request.numbers,
        "fold": request.fold,
        "before": request.before,
        "root": str(request.root) if request.root else None,
        "weights": request.weights,
        "note": request.note,
    }
    return SearchResponse(asked, (Hit("a.sample", 3, f"{request.query} \x1b]0;title\x07東京"),))


def render_search(response: SearchResponse, view: SearchView) -> str:
    """Return one line a hit."""
    width = view.columns if view.hits else 1000
    return "\n".join(f"{hit.source}:{hit.line}: {hit.text}"[:width] for hit in response.hits)


SEARCH = Verb(
    "search",
    "Echo a request.",
    SearchRequest,
    SearchResponse,
    search,
    render_search,
    view=SearchView,
    schema="sample.search/1",
    tools=(
        Tool("search_{subject}", "Look for lines."),
        Tool("search_{subject}_tables", "Look for rows.", {"kind": ["table_row"]}),
    ),
)


@frozen
class ShowRequest:
    """What to show."""

    name: tuple[str, ...] = option(help="Names of things.", positional=True)


@frozen
class ShowResponse:
    """The names."""

    names: tuple[str, ...]


SHOW = Verb(
    "show",
    "Show things by name.",
    ShowRequest,
    ShowResponse,
    lambda _index, request: ShowResponse(request.name),
    lambda response, _view: "\n".join(response.names),
)


class Panic(BaseException):
    """What a compiled library throws at us."""


@frozen
class FailRequest:
    """How to fail."""

    how: str = option(
        help="Which failure.",
        positional=True,
        choices=(
            "error",
            "value",
            "recursion",
            "exit",
            "panic",
            "print",
            "nan",
            "status",
            "interrupt",
            "pipe",
            "long",
        ),
    )


@frozen
class FailResponse:
    """A number that need not be one."""

    number: float
    text: str = ""


def fail(_index: object, request: FailRequest) -> FailResponse:
    """Fail."""
    match request.how:
        case "error":
            raise NotFound("no thing is here", where="a.sample:3\x1b[2J", hint="look elsewhere")
        case "value":
            raise ValueError("a bad\nvalue")
        case "recursion":
            return fail(_index, request)
        case "exit":
            sys.exit(7)
        case "panic":
            raise Panic("index out of bounds")
        case "print":
            print("noise")
        case "nan":
            return FailResponse(float("nan"))
        case "interrupt":
            raise KeyboardInterrupt
        case "pipe":
            raise BrokenPipeError
        case "long":
            return FailResponse(0, "line\n" * 200_000)
    return FailResponse(3)


FAIL = Verb(
    "fail",
    "Fail in some way.",
    FailRequest,
    FailResponse,
    fail,
    lambda response, _view: f"{response.number}\n{response.text}",
    needs="subject",
    exit_status=lambda response: int(response.number),
)

CRASH = Verb("crash", FAIL.summary, FailRequest, FailResponse, fail, FAIL.render)


@frozen
class WhereRequest:
    """Nothing to say."""


@frozen
class WhereResponse:
    """Folder and subject of an index."""

    path: Path
    of: str


WHERE = Verb(
    "where",
    "Say which index is open.",
    WhereRequest,
    WhereResponse,
    lambda index, _request: WhereResponse(index.path, index.subject.name),
    lambda response, _view: f"{response.of} {response.path}",
)

NOTHING = Verb(
    "nothing",
    "Do nothing.",
    WhereRequest,
    FailResponse,
    lambda _index, _request: FailResponse(0),
    lambda _response, _view: "",
)
