"""From nodes and edges to what is drawn: boxes with members, and arrows between boxes.

A member is no box: it is told in the box of its owner, and edges that start or end at it are
arrows of that box, labelled with its name. Bodies and responses are no boxes either: what they hold
is an arrow from their operation.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve, frozen
from sourcebook.subgraph import Edge, Node, Subgraph

from sourcebook_mermaid.text import clean, join

_MEMBERS = frozenset({"property"})
"""Kinds that are members of what uses them, even if they have no parent."""

_CARRIERS = frozenset({"body", "response"})
"""Kinds that only stand between an operation and what it takes and gives."""

_OWNING = frozenset({"field", "input", "output", "holds"})
"""Edges to a member that say no more than that it is one."""

_PLAIN_KINDS = frozenset({"type", "class"})
_PLAIN_TYPES = frozenset({"", "object"})

_FLAGS = {
    "required": "required",
    "nullable": "nullable",
    "read_only": "read only",
    "write_only": "write only",
    "deprecated": "deprecated",
}


@frozen
class Member:
    """A member's `name` and `type`, which may be empty; or one of the values that a type has."""

    name: str
    type: str = ""
    is_value: bool = False


@frozen
class Box:
    """A node that is drawn.

    Args:
        label: its name, on one line; with its source where another of its kind has that name.
        heading: what it is, if its name alone does not say that: `GET /invoices`.
        matched: whether it or a member of it was asked for.
        stands_out: matched, while others are not.
    """

    node: Node
    label: str
    heading: str = ""
    members: tuple[Member, ...] = ()
    matched: bool = False
    stands_out: bool = False


@frozen
class Arrow:
    """An arrow between boxes, by their places; `kind` is a value of `KINDS` or `ASSOCIATION`."""

    start: int
    end: int
    kind: str
    label: str


KINDS = {
    "allOf": "inheritance",
    "oneOf": "realization",
    "anyOf": "realization",
    "variant": "realization",
    "not": "dependency",
    "callback": "dependency",
    "link": "dependency",
    "imports": "dependency",
}
"""Kinds of arrows by the edges' labels; all others are associations."""

ASSOCIATION = "association"


@frozen
class _Place:
    """Where a node is drawn: in the box `owner`, at the end of `steps`; none: it is the box."""

    owner: str
    steps: tuple[str, ...] = ()


def fold(subgraph: Subgraph, *, members: bool) -> tuple[list[Box], list[Arrow]]:
    """Return what to draw of a subgraph, in its order.

    Args:
        subgraph: any subject's.
        members: with the members in the boxes; if false only properties are folded, and not those
            that were matched while their owners were not.
    """
    return _Folding(subgraph, members).drawn()


class _Folding:
    def __init__(self, subgraph: Subgraph, members: bool) -> None:
        self._subgraph = subgraph
        self._with_members = members
        self._nodes = {node.id: node for node in subgraph.nodes}
        self._matched = frozenset(subgraph.matched)
        self._holding = {edge.start for edge in subgraph.edges if edge.label == "holds"}
        self._into: Mapping[str, list[Edge]] = defaultdict(list)
        self._labels: dict[tuple[str, str], str] = {}
        for edge in subgraph.edges:
            self._into[edge.end].append(edge)
            self._labels.setdefault((edge.start, edge.end), edge.label)
        self._owners = {node.parent for node in subgraph.nodes}
        self._places = {node.id: self._find(node) for node in subgraph.nodes}

    def drawn(self) -> tuple[list[Box], list[Arrow]]:
        tops = [node for node in self._subgraph.nodes if self._places[node.id][0].owner == node.id]
        numbers = {node.id: number for number, node in enumerate(tops)}
        members: defaultdict[str, list[Member]] = defaultdict(list)
        matched = set()
        for node in self._subgraph.nodes:
            for place in self._places[node.id]:
                if node.id in self._matched:
                    matched.add(place.owner)
                if self._with_members and place.steps and self._is_told(node):
                    path = ".".join(place.steps)
                    if node.kind in _CARRIERS:
                        path = " ".join(self._carried(node, place))
                    members[place.owner].append(Member(path, _describe(node)))
        boxes = []
        for node in tops:
            told = members[node.id] or (_values(node) if self._with_members else ())
            box = _make_box(node, told, matched=node.id in matched)
            boxes.append(evolve(box, stands_out=box.matched and len(matched) < len(tops)))
        return _tell_apart(boxes), list(self._arrows(numbers))

    def _arrows(self, numbers: Mapping[str, int]) -> Iterator[Arrow]:
        """Yield one arrow for all edges of one kind from a box to a box."""
        labels: dict[tuple[int, int, str], dict[tuple[str, str], None]] = {}
        for edge in self._subgraph.edges:
            kind = KINDS.get(edge.label, ASSOCIATION)
            for end in self._places[edge.end]:
                if end.steps and edge.label in _OWNING:
                    continue
                for start in self._places[edge.start]:
                    key = (numbers[start.owner], numbers[end.owner], kind)
                    labels.setdefault(key, {})[self._label(edge, start, end)] = None
        for (first, last, kind), told in labels.items():
            sides = ["", *(side for side, _ in told)]
            texts = [  # `output 400, 401`
                clean(text if text and side == before else f"{side} {text}")
                for before, (side, text) in zip(sides, told, strict=False)
            ]
            yield Arrow(first, last, kind, join(texts))

    def _label(self, edge: Edge, start: _Place, end: _Place) -> tuple[str, str]:
        """Return the label of an arrow: what a body or response is to its operation, and the
        rest."""
        node = self._nodes[edge.start]
        path = ".".join(start.steps)
        if path and edge.label in ("field", "value"):
            return "", path
        if path and node.kind in _CARRIERS and edge.label == "holds":
            return self._carried(node, start)
        return "", " ".join(part for part in (path, edge.label, ".".join(end.steps)) if part)

    def _carried(self, node: Node, place: _Place) -> tuple[str, str]:
        """Return what a body or response is to its operation: `input`, or `output` and `200`."""
        label = self._labels.get((place.owner, node.id), "")
        is_only = node.kind == "body" and node.parent == place.owner
        return label, "" if label and is_only else ".".join(place.steps)

    def _find(self, node: Node) -> list[_Place]:
        """Return where a node is drawn: it may be a member of several boxes."""
        steps: list[str] = []
        seen = {node.id}
        top = node
        while self._is_folded(top) and top.parent in self._nodes:
            if top.parent in seen:  # no owner at all
                return [_Place(node.id)]
            steps.append(_step(top))
            top = self._nodes[top.parent]
            seen.add(top.id)
        steps.reverse()
        users = self._users(top)
        if not users:
            return [_Place(top.id, tuple(steps))]
        return [_Place(owner, (self._called(owner, top), *steps)) for owner in users]

    def _called(self, owner: str, node: Node) -> str:
        """Return what a shared node is called by one that uses it: the statuses of an answer."""
        tags = (edge.tag for edge in self._into[node.id] if edge.start == owner)
        return ", ".join(filter(None, tags)) or _step(node)

    def _is_folded(self, node: Node) -> bool:
        if self._with_members:
            return True
        asked_alone = node.id in self._matched and node.parent not in self._matched
        return node.kind in _MEMBERS | _CARRIERS and not asked_alone

    def _users(self, node: Node) -> list[str]:
        """Return what a parameter, body or response that several share is drawn in; one with
        fields of its own is a box."""
        if (
            node.kind not in _MEMBERS | _CARRIERS
            or node.parent in self._nodes
            or node.id in self._owners
            or not self._is_folded(node)
        ):
            return []
        starts = [self._nodes[edge.start] for edge in self._into[node.id] if edge.label in _OWNING]
        if any(start.kind in _MEMBERS | _CARRIERS or start.parent in self._nodes
               for start in starts):  # fmt: skip
            return []
        return list(dict.fromkeys(start.id for start in starts))

    def _is_told(self, node: Node) -> bool:
        """Return whether a node is a line of its box: bodies and responses are if nothing else
        tells of them."""
        return node.kind not in _CARRIERS or (
            node.id not in self._owners and node.id not in self._holding
        )


def _step(node: Node) -> str:
    """Return the name of a member inside its owner; that of a body is its operation's."""
    if node.parent and node.kind in _CARRIERS:
        return str(node.facts.get("status", node.kind))
    return node.name


def _describe(node: Node) -> str:
    """Return what a member holds and how."""
    told = [node.type, str(node.facts.get("in", ""))]
    told += [word for flag, word in _FLAGS.items() if node.facts.get(flag)]
    return ", ".join(part for part in told if part)


def _values(node: Node) -> list[Member]:
    """Return the values of an enumeration."""
    values = node.facts.get("values")
    return [
        Member(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False), is_value=True)
        for one in (values if isinstance(values, list | tuple) else ())
    ]


def _make_box(node: Node, members: Sequence[Member], *, matched: bool) -> Box:
    heading = node.type if node.type not in _PLAIN_TYPES | {node.name} else ""
    if any(member.is_value for member in members):
        heading = "enumeration"
    if node.kind == "service" or (not heading and node.kind not in _PLAIN_KINDS):
        heading = f"{node.kind} {heading}".strip()  # of a service the type is its version
    if node.facts.get("deprecated"):
        heading = f"{heading}, deprecated" if heading else "deprecated"
    return Box(node, clean(_name(node)), heading, tuple(members), matched)


def _name(node: Node) -> str:
    """Return how a box is called: a member that is one says whose it is."""
    title = node.facts.get("title")
    return title if node.kind in _MEMBERS and isinstance(title, str) else node.name


def _tell_apart(boxes: Sequence[Box]) -> list[Box]:
    """Return boxes so that those of one kind have labels of their own, as far as sources do."""
    told = list(boxes)
    for place in ("source", "location"):
        count = Counter((box.node.kind, box.label) for box in told)
        told = [
            evolve(box, label=f"{clean(_name(box.node))} ({clean(getattr(box.node, place))})")
            if count[box.node.kind, box.label] > 1
            else box
            for box in told
        ]
    return told
