"""Flowcharts: boxes are nodes with a shape for each kind, arrows are edges."""

from sourcebook.subgraph import Subgraph

from sourcebook_mermaid.fit import STYLE, Shape, Sheet, write
from sourcebook_mermaid.fold import fold
from sourcebook_mermaid.text import escape

_RECTANGLE = ("[", "]")
_ROUND = ("(", ")")
_STADIUM = ("([", "])")
_SUBROUTINE = ("[[", "]]")
_SLANTED = ("[/", "/]")

_SHAPES = {
    "method": _STADIUM,
    "function": _STADIUM,
    "property": _ROUND,
    "service": _SUBROUTINE,
    "module": _SUBROUTINE,
    "body": _SLANTED,
    "response": _SLANTED,
}
"""Shapes of nodes by kind; all others are rectangles."""

_EDGES = {
    "association": "-->",
    "inheritance": "==>",
    "realization": "-.->",
    "dependency": "-.->",
}


def write_flowchart(subgraph: Subgraph) -> str:
    """Return a flowchart of what leads to what."""
    boxes, arrows = fold(subgraph, members=False)
    shapes = []
    for number, box in enumerate(boxes):
        left, right = _SHAPES.get(box.node.kind, _RECTANGLE)
        mark = ":::matched" if box.stands_out else ""
        text = f'n{number}{left}"{escape(box.label)}"{right}{mark}'
        shapes.append(Shape([text]))
    lines = [
        f'n{arrow.start} {_EDGES[arrow.kind]}|"{escape(arrow.label)}"| n{arrow.end}'
        for arrow in arrows
    ]
    tail = [f"classDef matched {STYLE}"] if any(box.stands_out for box in boxes) else []
    return write(Sheet("flowchart LR", shapes, lines, _remark, tail), boxes, arrows)


def _remark(text: str) -> str:
    return f'remark{_RECTANGLE[0]}"{escape(text)}"{_RECTANGLE[1]}'
