"""The text rendering: operations with what they take and give, types with their fields.

Made for a terminal: one thing a line, what belongs to it below and indented, names in a column.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sourcebook.naming import counted
from sourcebook.subgraph import Node, Subgraph

from sourcebook_schema.names import flat

INDENT = "    "

NAME_COLUMNS = 28
TYPE_COLUMNS = 28
"""What names and types are filled up to; longer ones push the rest to the right."""

VALUES_SHOWN = 8


def render_tree(part: Subgraph, *, docs: bool = True, sources: bool = False) -> str:
    """Return a part of an API as text.

    Args:
        part: what to show.
        docs: with the summaries.
        sources: with the documents that operations and types come from.
    """
    return "\n\n".join("\n".join(block) for block in _Tree(part, docs, sources).blocks())


class _Tree:
    def __init__(self, part: Subgraph, docs: bool, sources: bool) -> None:
        self._docs = docs
        self._sources = sources
        self._nodes = {node.id: node for node in part.nodes}
        self._matched = set(part.matched)
        self._out: Mapping[str, list[tuple[str, Node]]] = defaultdict(list)
        self._statuses: dict[tuple[str, str], list[str]] = defaultdict(list)
        for edge in part.edges:
            self._out[edge.start].append((edge.label, self._nodes[edge.end]))
            self._statuses[edge.start, edge.end].append(edge.tag)

    def blocks(self) -> Iterator[list[str]]:
        """Yield a block of lines for each operation and each type: first what was asked for,
        last, by themselves, the members of what is not there."""
        ranks = {"service": 0, "method": 1, "type": 2}
        tops = [node for node in self._nodes.values() if node.kind in ranks]
        tops.sort(key=lambda node: (node.id not in self._matched, ranks[node.kind]))
        make = {"service": self._service, "method": self._operation, "type": self._type}
        shown: set[str] = set()
        for node in tops:
            block = list(make[node.kind](node))
            shown.update(self._under(node))
            yield block
        alone = [
            node
            for node in self._nodes.values()
            if node.kind == "property" and node.id not in shown
        ]
        if alone:
            yield list(self._rows(alone, "", titles=True))

    def _under(self, node: Node) -> Iterator[str]:
        seen: set[str] = set()
        todo = [node]
        while todo:
            one = todo.pop()
            if one.id not in seen:
                seen.add(one.id)
                yield one.id
                todo.extend(
                    end for _, end in self._out[one.id] if end.kind not in ("method", "type")
                )

    def _service(self, node: Node) -> Iterator[str]:
        yield self._head(f"API {node.name}", "", node)
        yield from self._summary(node, INDENT)

    def _operation(self, node: Node) -> Iterator[str]:
        title = str(node.facts.get("title", node.name))
        name = node.name if node.name != title else ""
        yield self._head(title, name, node)
        yield from self._summary(node, INDENT)
        for side in ("input", "output"):
            ends = [end for label, end in self._out[node.id] if label == side]
            if ends:
                yield f"{INDENT}{side}"
                yield from self._sides(node, ends)
        for label in ("callback", "link"):
            for end in (end for found, end in self._out[node.id] if found == label):
                yield f"{INDENT}{label}  {end.facts.get('title', end.name)}"

    def _sides(self, node: Node, ends: Sequence[Node]) -> Iterator[str]:
        deeper = INDENT * 2
        parameters = [end for end in ends if end.kind == "property"]
        yield from self._rows(parameters, deeper)
        others = {end.id: end for end in ends if end.kind != "property"}
        for end in others.values():
            # A response that operations share has no status of its own, but for each of them.
            told = ", ".join(filter(None, self._statuses[node.id, end.id]))
            name = str(told or end.facts.get("status", "")) if end.kind == "response" else "body"
            yield from self._row(end, name, deeper)
            fields = [one for _, one in self._out[end.id] if one.kind == "property"]
            yield from self._rows(fields, deeper + INDENT)

    def _type(self, node: Node) -> Iterator[str]:
        yield self._head(f"type {node.name}", self._is(node), node)
        yield from self._summary(node, INDENT)
        if values := self._values(node):
            yield f"{INDENT}{values}"
        told = self._is(node).split()  # `Card | Transfer` says it, and in a part says it in full
        for label in ("allOf", "oneOf", "anyOf", "not"):
            names = [end.name for found, end in self._out[node.id] if found == label]
            if not set(names) <= set(told):
                yield f"{INDENT}{_COMPOSED[label]} {', '.join(dict.fromkeys(names))}"
        fields = [end for label, end in self._out[node.id] if label == "field"]
        yield from self._rows(fields, INDENT)
        members = node.facts.get("members", 0)
        if isinstance(members, int) and members > len(fields):
            yield f"{INDENT}… {counted(members - len(fields), 'more field')}"

    def _is(self, node: Node) -> str:
        """Return what a type is, where it is more than an object."""
        return node.type if node.type not in ("object", node.name) else ""

    def _head(self, title: str, more: str, node: Node) -> str:
        marks = [str(node.facts[name]) for name in ("direction",) if node.facts.get(name)]
        marks += ["deprecated"] if node.facts.get("deprecated") else []
        place = node.location
        if self._sources and (names := node.facts.get("documents")):
            place = f"{place} [source: {', '.join(map(str, _listed(names)))}]"
        return "  ".join(flat(part) for part in (title, more, *marks, place) if part)

    def _summary(self, node: Node, indent: str) -> Iterator[str]:
        if self._docs and node.summary:
            yield f"{indent}{flat(node.summary)}"

    def _rows(self, nodes: Iterable[Node], indent: str, *, titles: bool = False) -> Iterator[str]:
        shown: set[tuple[str, ...]] = set()
        for node in nodes:
            name = str(node.facts.get("title", node.name)) if titles else node.name
            inner = [end for label, end in self._out[node.id] if label == "field"]
            rows = (*self._row(node, name, indent), *self._rows(inner, indent + INDENT))
            if rows not in shown:  # one for each media type may say the same
                shown.add(rows)
                yield from rows

    def _row(self, node: Node, name: str, indent: str) -> Iterator[str]:
        columns = max(NAME_COLUMNS - len(indent), 0)
        told = [f"{flat(name):<{columns}}", f"{node.type:<{TYPE_COLUMNS}}"]
        told.append(", ".join(self._marks(node)))
        if self._docs:
            told.append(flat(node.summary))
        yield (indent + "  ".join(told)).rstrip()

    def _marks(self, node: Node) -> Iterator[str]:
        if place := node.facts.get("in"):
            yield str(place)
        for name in ("required", "nullable", "deprecated"):
            if node.facts.get(name):
                yield name
        owner = self._nodes.get(node.parent)
        direction = node.facts.get("direction")
        if owner is not None and owner.kind == "type" and direction != owner.facts["direction"]:
            yield f"{direction} only" if direction in ("input", "output") else str(direction)
        if values := self._values(node):
            yield values

    def _values(self, node: Node) -> str:
        values = _listed(node.facts.get("values"))
        shown = [one if isinstance(one, str) else _json(one) for one in values[:VALUES_SHOWN]]
        more = [f"… {len(values) - VALUES_SHOWN} more"] if len(values) > VALUES_SHOWN else []
        return " | ".join([*shown, *more])


_COMPOSED = {"allOf": "all of", "oneOf": "one of", "anyOf": "any of", "not": "not"}


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def _json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
