"""Which way each node travels, seen from the caller: spread from operations along the edges."""

from collections.abc import Iterable, Sequence

from sourcebook_schema.facts import EDGES, NODE_KINDS, Direction, Mark

INPUT, OUTPUT = EDGES.index("input"), EDGES.index("output")
ALL_OF, REF, VARIANT = EDGES.index("allOf"), EDGES.index("ref"), EDGES.index("variant")

CLOSED = frozenset(map(EDGES.index, ("input", "output", "not", "callback", "link")))
"""Labels that no value travels along once it is on its way."""

# Plain numbers: operations on flags take twenty times as long, and there is one for each node.
SIDES = (
    (Direction.INPUT, INPUT, int(Mark.READ_ONLY)),
    (Direction.OUTPUT, OUTPUT, int(Mark.WRITE_ONLY)),
)
"""Each direction with the label that it starts with, and the mark of what it does not enter."""

_MADE = int(Mark.MADE)
_TYPE = NODE_KINDS.index("type")

VALUE, PART = 2, 1
"""How a node is entered: as a value, or as the base of the type that extends it. Of a base, no
other child is a value there, so its `variant` edges are closed; `VALUE` goes wherever `PART` does.
"""


def extends(kind: int, marks: int) -> bool:
    """Whether `allOf` from such a node is inheritance: it has a name that a tag may bear.

    Elsewhere (a property, a body) `allOf` around one type is only a way to say more of it, and its
    children are values there as well.
    """
    return kind == _TYPE and not marks & _MADE


def directions(
    kinds: Sequence[int],
    marks: Sequence[int],
    at: Sequence[int],
    ends: Sequence[int],
    labels: Sequence[int],
    among: Iterable[int] | None = None,
) -> bytearray:
    """Return the `Direction` of each node.

    Args:
        kinds, marks: of each node, the place in `NODE_KINDS` and the `Mark` bits.
        at: where the edges of each node begin in `ends` and `labels`, and where the last end.
        ends, labels: of each edge, the node that it leads to and the place in `EDGES`.
        among: the only operations that count; None: all.
    """
    found = bytearray(len(kinds))
    inherits = [extends(*one) for one in zip(kinds, marks, strict=True)]
    edges: Sequence[int] = range(at[-1])
    if among is not None:
        edges = [edge for node in among for edge in range(at[node], at[node + 1])]
    for direction, first, mark in SIDES:
        starts = [ends[edge] for edge in edges if labels[edge] == first]
        blocked = [bool(one & mark) for one in marks]
        reached = _spread(starts, blocked, inherits, at, ends, labels)
        for node, how in enumerate(reached):
            if how:
                found[node] |= int(direction)
    return found


def _spread(
    starts: Sequence[int],
    blocked: Sequence[bool],
    inherits: Sequence[bool],
    at: Sequence[int],
    ends: Sequence[int],
    labels: Sequence[int],
) -> bytearray:
    """Return how each node is entered at best from `starts`, 0 where it is not."""
    seen = bytearray(len(blocked))
    todo = []
    for node in starts:
        if not blocked[node] and seen[node] < VALUE:
            seen[node] = VALUE
            todo.append((node, VALUE))
    while todo:
        node, how = todo.pop()
        if how < seen[node]:
            continue
        for edge in range(at[node], at[node + 1]):
            label = labels[edge]
            if label in CLOSED:
                continue
            if label == VARIANT and how == PART:
                continue
            end = ends[edge]
            entered = how if label == REF else VALUE
            if label == ALL_OF and inherits[node]:
                entered = PART
            if entered > seen[end] and not blocked[end]:
                seen[end] = entered
                todo.append((end, entered))
    return seen
