"""list: every file or declaration of an index, in order."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from attrs import frozen
from sourcebook.index.open import Index
from sourcebook.naming import counted
from sourcebook.subject import Subject
from sourcebook.verb import Verb, option
from sourcebook.verbs.listing import limit_option, told
from sourcebook.verbs.narrow import Narrowed, narrow, narrowed_request
from sourcebook.verbs.pattern import name_matcher
from sourcebook.verbs.together import merge_listing

from sourcebook_code.graph import Graph
from sourcebook_code.verbs.items import CodeItem, covers_file, item_of, row_of

WHAT = ("files", "declarations")


@frozen
class ListRequest:
    """What to list."""

    what: str = option("files", help="What to list.", choices=WHAT, positional=True)
    name: tuple[str, ...] = option(
        (),
        help="Only files or qualified names that fit: a glob, or a part of it. Repeatable.",
        metavar="PATTERN",
    )
    regex: bool = option(False, help="Read every name as a regular expression.")
    case_sensitive: bool = option(False, help="Match the capitals of names too.")
    limit: int = limit_option()


@frozen(kw_only=True)
class Listed(CodeItem):
    """A file or a declaration.

    Args:
        declarations: how many a file has; of a declaration, how many are written in it.
        size: bytes of a file.
    """

    declarations: int
    size: int = 0


@frozen
class ListResponse:
    """Files or declarations, in order.

    Args:
        found: how many fit, however few are shown.
        items: those that fit, up to the limit.
        notes: what of the request nothing fits.
    """

    found: int
    items: tuple[Listed, ...]
    notes: tuple[str, ...] = ()


def list_items(index: Index, request: Any) -> ListResponse:
    """Return the files or declarations that the request is narrowed to."""
    fits = name_matcher(request.name, is_regex=request.regex, case_sensitive=request.case_sensitive)
    narrowed = narrow(index, request)
    if narrowed.unmet:
        return ListResponse(0, (), narrowed.unmet)
    graph = Graph.of(index)
    inner = Counter(graph.parents)
    found = 0
    items: list[Listed] = []
    for node in _nodes(index, graph, narrowed, files=request.what == "files"):
        if request.name and not fits(graph.title(node)):
            continue
        found += 1
        if not request.limit or found <= request.limit:
            items.append(_listed(index, graph, node, inner[node]))
    return ListResponse(found, tuple(items))


def _nodes(index: Index, graph: Graph, narrowed: Narrowed, *, files: bool) -> Iterator[int]:
    kinds = narrowed.filters.get("kind")
    for source in narrowed.filters.get("source", tuple(graph.sources)):
        nodes = graph.nodes_of(source)
        if not nodes or not covers_file(index, graph, narrowed, source):
            continue
        if files:
            # With kinds, the files that hold such declarations.
            if kinds is None or any(graph.kind(node) in kinds for node in nodes):
                yield nodes[0]
        else:
            yield from (node for node in nodes[1:] if kinds is None or graph.kind(node) in kinds)


def _listed(index: Index, graph: Graph, node: int, inner: int) -> Listed:
    item = item_of(index, graph, node)
    whole = graph.parents[node] < 0
    if whole:
        inner = len(graph.nodes_of(item.source)) - 1
    return Listed(
        item.id, item.kind, item.title, item.source, item.first_line, item.last_line,
        item.language, declarations=inner, size=index.sources[item.source].size if whole else 0,
    )  # fmt: skip


def render(response: ListResponse, _view: object) -> str:
    """One row an item, then the count."""
    rows = [_row(one) for one in response.items]
    return told(rows, response, shown=len(response.items), found=f"{response.found} found")


def _row(one: Listed) -> str:
    if one.kind != "file":
        return row_of(one)
    counts = f"{counted(one.last_line, 'line')}, {counted(one.declarations, 'declaration')}"
    return f"{one.source}  {one.language}  {counts}"


def verb(subject: Subject) -> Verb:
    """Return the verb."""
    return Verb(
        "list",
        "List every file or declaration; no ranking.",
        narrowed_request(ListRequest, subject),
        ListResponse,
        list_items,
        render,
        schema="code.list/1",
        merge=merge_listing,
    )
