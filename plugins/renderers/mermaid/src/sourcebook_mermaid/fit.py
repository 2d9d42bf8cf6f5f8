"""Diagrams that Mermaid still draws: it refuses long texts and many edges.

What is left out is told in a comment and in the diagram: first the quoted descriptions, then
members, then boxes with their arrows, each time those farthest from what was asked for.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate

from attrs import frozen
from sourcebook.naming import counted

from sourcebook_mermaid.fold import Arrow, Box

MAX_LENGTH = 50_000
"""Mermaid's `maxTextSize`, in UTF-16 units, where its host sets no other."""

MAX_ARROWS = 500
"""Mermaid's `maxEdges`, likewise."""

INDENT = "    "
STYLE = "stroke:orange,stroke-width:3px"
"""Of what was asked for, among others; it shows on light and dark."""


@frozen
class Shape:
    """One box: the lines around its members, a line for each of them, and below all boxes and
    arrows a line for its note and one for its style."""

    head: Sequence[str]
    members: Sequence[str] = ()
    tail: Sequence[str] = ()
    note: str = ""
    style: str = ""

    def lines(self, members: int) -> Iterator[str]:
        """Yield its lines with the first of its members."""
        yield from self.head
        for member in self.members[:members]:
            yield INDENT + member
        if members < len(self.members):
            yield f"{INDENT}… {len(self.members) - members} more"
        yield from self.tail


@frozen
class Sheet:
    """A diagram in parts.

    Args:
        head: its first line.
        shapes, arrows: one for each box and each arrow, in their order.
        remark: `remark(text)` returns the line that shows a text in the diagram.
        tail: its last lines.
    """

    head: str
    shapes: Sequence[Shape]
    arrows: Sequence[str]
    remark: Callable[[str], str]
    tail: Sequence[str] = ()


def write(sheet: Sheet, boxes: Sequence[Box], arrows: Sequence[Arrow]) -> str:
    """Return the text of a diagram of boxes and arrows, as much of it as Mermaid draws."""
    return _Fit(sheet, boxes, arrows).text()


class _Fit:
    def __init__(self, sheet: Sheet, boxes: Sequence[Box], arrows: Sequence[Arrow]) -> None:
        self._sheet = sheet
        self._arrows = arrows
        self._nearest = _nearest_first(boxes, arrows)
        self._members = sum(len(shape.members) for shape in sheet.shapes)

    def text(self) -> str:
        boxes, members = len(self._nearest), self._members
        full = self._write(boxes, members, notes=True)
        if full:
            return full
        boxes = _most(boxes, lambda number: self._write(number, 0) != "")
        members = _most(members, lambda number: self._write(boxes, number) != "")
        return self._write(boxes, members)

    def _write(self, boxes: int, members: int, *, notes: bool = False) -> str:
        """Return the text with so many of the nearest boxes and members; none: it is too much."""
        kept = self._nearest[:boxes]
        shapes = self._sheet.shapes
        before = accumulate((len(shapes[place].members) for place in kept), initial=0)
        room = {place: max(0, members - used) for place, used in zip(kept, before, strict=False)}
        arrows = [
            line
            for arrow, line in zip(self._arrows, self._sheet.arrows, strict=True)
            if arrow.start in room and arrow.end in room
        ]
        quoted = [shape.note for shape in shapes if shape.note]
        left_out = self._left_out(boxes, members, 0 if notes else len(quoted))
        lines = [f"%% left out: {left_out}"] if left_out else []
        if not kept:  # a class diagram of nothing is an error to Mermaid
            lines.append(self._sheet.remark("Nothing to draw"))
        for place in sorted(room):
            lines += shapes[place].lines(room[place])
        lines += arrows
        if notes:
            lines += quoted
        if left_out:
            lines.append(self._sheet.remark(f"Left out: {left_out}"))
        lines += [shapes[place].style for place in sorted(room) if shapes[place].style]
        lines += self._sheet.tail
        text = "\n".join([self._sheet.head, *(INDENT + line for line in lines)])
        fits = len(arrows) <= MAX_ARROWS and len(text.encode("utf-16-le")) <= 2 * MAX_LENGTH
        return text if fits else ""

    def _left_out(self, boxes: int, members: int, notes: int) -> str:
        told = [counted(notes, "description")] if notes else []
        if members < self._members:
            told.append(counted(self._members - members, "member"))
        if boxes < len(self._nearest):
            told.append(f"{counted(len(self._nearest) - boxes, 'node')} with their edges")
        return ", ".join(told)


def _nearest_first(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> list[int]:
    """Return the places of boxes by how many arrows lead from or to what was asked for; the
    order of the boxes decides among equals, and alone if nothing was asked for."""
    beside: Mapping[int, list[int]] = defaultdict(list)
    for arrow in arrows:
        beside[arrow.start].append(arrow.end)
        beside[arrow.end].append(arrow.start)
    found = {place: 0 for place, box in enumerate(boxes) if box.matched}
    todo = deque(found)
    while todo:
        place = todo.popleft()
        for other in beside[place]:
            if other not in found:
                found[other] = found[place] + 1
                todo.append(other)
    return sorted(range(len(boxes)), key=lambda place: (found.get(place, len(boxes)), place))


def _most(limit: int, fits: Callable[[int], bool]) -> int:
    """Return the greatest number up to `limit` that fits; where more does not, less may."""
    low = 0
    while low < limit:
        middle = (low + limit + 1) // 2
        if fits(middle):
            low = middle
        else:
            limit = middle - 1
    return low
