"""A node as one row of an answer, and what narrows a request to some of them."""

from collections.abc import Callable, Iterable

from attrs import frozen
from sourcebook.verb import option
from sourcebook.verbs.pattern import Matcher, name_matcher

from sourcebook_schema.api import METHOD, PROPERTY, Api
from sourcebook_schema.facts import Mark
from sourcebook_schema.graph import PLACES
from sourcebook_schema.names import fitting

_REQUIRED, _DEPRECATED = int(Mark.REQUIRED), int(Mark.DEPRECATED)

SOURCE_HELP = (
    "Only these documents: a short name as `stats` lists them, else a pattern on the path of the "
    "file. The pieces that a document refers to belong to it. Repeatable."
)
NAME_HELP = (
    "Only names that fit: a glob with `*` or `?` over the whole name, else a part of it. "
    "Repeatable."
)
PATH_HELP = (
    "Only operations on routes that fit, and the parameters and fields written in them; a type is "
    "on no route. Repeatable."
)
REGEX_HELP = "Read every pattern as a regular expression."
CASE_HELP = "Match the capitals too."
LIMIT_HELP = "Show at most this many; the count is still of all. 0 shows all."


@frozen
class Item:
    """An operation, a type or a property.

    Args:
        id: what `show` and `trace` take.
        kind: `service`, `method`, `type` or `property`.
        name: an operation's id, a type's or a property's name.
        title: what it is called beside others of its kind: `GET /users`, `Invoice.lines`.
        source: the file it is written in.
        first_line, last_line: where.
        documents: short names of the documents that it belongs to.
        parent: the id of what owns a property, or of the operation that a callback belongs to.
        type: what a property or type holds, in words.
        place: where a parameter is sent, `query`, `path`, `header`, `cookie` or `form`.
        direction: `input`, `output`, `both` or `none`, seen from the caller; empty for operations.
        required, deprecated: whether it says so.
        summary: its first sentence.
    """

    id: str
    kind: str
    name: str
    title: str
    source: str
    first_line: int
    last_line: int
    documents: tuple[str, ...]
    parent: str = ""
    type: str = ""
    place: str = ""
    direction: str = ""
    required: bool = False
    deprecated: bool = False
    summary: str = ""

    @property
    def location(self) -> str:
        """`source:line`, which editors open."""
        return f"{self.source}:{self.first_line}"


def item_of(api: Api, node: int) -> Item:
    """Return a node as a row."""
    graph = api.graph
    source, parent, marks = graph.source(node), graph.parents[node], graph.marks[node]
    if node in graph.operations:
        parent = graph.operations[node].of
    return Item(
        id=api.id(node),
        kind=api.kind(node),
        name=graph.names[node],
        title=api.title(node),
        source=source,
        first_line=graph.firsts[node],
        last_line=graph.lasts[node],
        documents=api.documents_of.get(source, ()),
        parent=api.id(parent) if parent >= 0 else "",
        type=graph.types[node],
        place=PLACES[graph.places[node]],
        direction=api.direction(node),
        required=bool(marks & _REQUIRED),
        deprecated=bool(marks & _DEPRECATED),
        summary=graph.summaries[node],
    )


def on_routes(api: Api, fits: Matcher) -> Callable[[int], bool]:
    """Return whether a node is an operation on a route that fits, or is written in one."""
    operations = api.graph.operations
    chosen = {node for node, operation in operations.items() if fits(operation.path)}

    def holds(node: int) -> bool:
        if api.graph.kinds[node] == METHOD:
            return node in chosen
        return api.graph.kinds[node] == PROPERTY and not chosen.isdisjoint(api.operations_of(node))

    return holds


@frozen
class Narrowing:
    """What narrows a request to some nodes, and how many are shown."""

    name: tuple[str, ...] = option((), help=NAME_HELP, metavar="PATTERN")
    path: tuple[str, ...] = option((), help=PATH_HELP, metavar="PATTERN")
    regex: bool = option(False, help=REGEX_HELP)
    case_sensitive: bool = option(False, help=CASE_HELP)
    source: tuple[str, ...] = option((), help=SOURCE_HELP, metavar="NAME")
    limit: int = option(0, help=LIMIT_HELP, minimum=0)


def narrowed(
    api: Api, nodes: Iterable[int], asked: Narrowing, sources: frozenset[str] | None
) -> list[int]:
    """Return the nodes with a name, on a route and in a file that fit, where these are asked for.

    Raises:
        BadPattern: a pattern cannot be read.
    """
    found = nodes
    is_regex, case_sensitive = asked.regex, asked.case_sensitive
    if asked.name:
        fits = fitting(
            api.graph.names, asked.name, is_regex=is_regex, case_sensitive=case_sensitive
        )
        found = [node for node in found if node in fits]
    if asked.path:
        routes = name_matcher(asked.path, is_regex=is_regex, case_sensitive=case_sensitive)
        holds = on_routes(api, routes)
        found = [node for node in found if holds(node)]
    if sources is not None:
        found = [node for node in found if api.graph.source(node) in sources]
    return list(found)


@frozen
class RowsView:
    """How rows are printed."""

    show_source: bool = option(False, help="Name the document that each row comes from.")
    ids_only: bool = option(False, help="Print ids alone, one a line, for `show -`.")


def origin(item: Item, *, wanted: bool) -> str:
    """Return what names the document of a row, as ` [source: v1, v1.yaml:12]`, if it is wanted."""
    if not wanted:
        return ""
    names = " ".join(item.documents) or "no document"
    return f"  [source: {names}, {item.location}]"


def several(sources: Iterable[str]) -> bool:
    """Whether rows come from more than one file, and so must say from which."""
    return len(set(sources)) > 1
