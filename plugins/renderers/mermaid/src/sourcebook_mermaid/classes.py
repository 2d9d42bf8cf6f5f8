"""Class diagrams: boxes are classes with their members, arrows are relations."""

from sourcebook.subgraph import Subgraph

from sourcebook_mermaid.fit import INDENT, STYLE, Shape, Sheet, write
from sourcebook_mermaid.fold import Box, Member, fold
from sourcebook_mermaid.text import clean, escape

SUMMARY_LENGTH = 160
MAX_NOTES = 12
"""Where more was asked for, no summary is quoted: Mermaid puts notes far from their classes."""

_RELATIONS = {
    "association": "-->",
    "inheritance": "--|>",
    "realization": "<|..",
    "dependency": "..>",
}
"""The line from start to end; what is one of several is drawn as realizing the whole, at the
start."""


def write_classes(subgraph: Subgraph, *, docs: bool) -> str:
    """Return a class diagram; with `docs`, notes quote the summaries of what was asked for."""
    boxes, arrows = fold(subgraph, members=True)
    docs = docs and sum(box.matched for box in boxes) <= MAX_NOTES
    shapes = [_shape(f"n{number}", box, docs) for number, box in enumerate(boxes)]
    lines = [
        f"n{arrow.start} {_RELATIONS[arrow.kind]} n{arrow.end} : {escape(arrow.label)}"
        for arrow in arrows
    ]
    return write(Sheet("classDiagram", shapes, lines, _remark), boxes, arrows)


def _shape(name: str, box: Box, docs: bool) -> Shape:
    opening = f'class {name}["{escape(box.label)}"]'
    heading = f"<<{escape(clean(box.heading))}>>" if box.heading else ""
    summary = box.node.summary.strip() if docs and box.matched else ""
    note = f'note for {name} "{escape(clean(summary, SUMMARY_LENGTH))}"' if summary else ""
    # A class with `classDef` would be shorter, but Mermaid 10 has none in class diagrams.
    style = f"style {name} {STYLE}" if box.stands_out else ""
    if not heading and not box.members:
        return Shape([opening], note=note, style=style)
    head = [f"{opening} {{", *([INDENT + heading] if heading else [])]
    return Shape(head, [_member(one) for one in box.members], ["}"], note, style)


def _member(member: Member) -> str:
    if member.is_value:
        return escape(clean(member.name))
    of = f" : {escape(clean(member.type))}" if member.type else ""
    return f"+{escape(clean(member.name))}{of}"


def _remark(text: str) -> str:
    return f'note "{escape(text)}"'
