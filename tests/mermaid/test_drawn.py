"""Mermaid draws what the renderers write, whatever the names, and shows the edges that were given.

Graphs are collected first, then all are drawn by one browser.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sourcebook.subgraph import Edge, Node, Subgraph
from sourcebook_mermaid.plugin import render_classes, render_flowchart
from sourcebook_mermaid.text import clean

from tests.tools import mermaid

COLLECTING = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))

ODD = (
    "class", "end", "2024", "a.b", "a-b", "a_b", "__init__", "_x_", "*x*", "**x**", "~x~", "`x`",
    '"', '"]', "'", "\\", "\\n", "a\nb", "n0", "n0 --> n1", "x; y", "x: y", ":::matched", "#quot;",
    "#35;", "&lt;b&gt;", "&#60;", "%%{init: {'theme': 'dark'}}%%", "%% no", "---", "- x", "1. x",
    "# x", "> x", "x()", "x$", "x*", "+x", "{}", "}", "[x]", "[x](y)", "(x)", "<<x>>", "<|--",
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</p><b>x</b>", "<br/>",
    'click n0 href "javascript:alert(1)"', "javascript:alert(1)", "https://a.b/c", "www.a.b",
    "a@b.c", "fa:fa-car", ":smile:", "$$x^2$$", "direction TB", "x direction  LR y", "direction",
    "style:#35;", "style n0 fill:red;", "classDef x fill:#fff;", "accTitle: x", "accDescr {",
    "call x()", "note x", "namespace x {", "subgraph x", "graph", "default", "o", "x", "|x|",
    "@{shape: x}", "e1@", "🙂👩‍👩‍👧", "שלום", "مرحبا", "日本語", "été", "ﬂ", "\u200f", "\x00",
    "\ud800", "\u202e", "\ufeff", " ", "", "very long " * 40, "w" * 300,
)  # fmt: skip

KINDS = ("type", "method", "class", "function", "service", "end")
LABELS = ("allOf", "oneOf", "not", "items", "callback", "calls", "imports", "end", "a: b;")

names = st.sampled_from(ODD) | st.text(max_size=8) | st.text('<>&#;:"`[](){}|%-=.~*_\\ a1\n')


class Drawn(NamedTuple):
    """A graph with what a reader of its diagrams must see."""

    part: Subgraph
    edges: set[tuple[str, str]]
    members: set[str]


@st.composite
def graphs(draw: st.DrawFn) -> Drawn:
    """Return types and operations of any names that lead to each other in every way."""
    tops = draw(st.lists(names, min_size=1, max_size=4, unique_by=clean))
    kinds = draw(st.lists(st.sampled_from(KINDS),
                          min_size=len(tops), max_size=len(tops)))  # fmt: skip
    nodes = [
        Node(f"#{number}", kind, name, "", draw(names), "s", 1, 2, draw(names))
        for number, (kind, name) in enumerate(zip(kinds, tops, strict=True))
    ]
    edges: list[Edge] = []
    seen: set[tuple[str, str]] = set()
    members: set[str] = set()
    place = st.integers(0, len(tops) - 1)
    for number in range(draw(st.integers(0, 6))):
        start, end = draw(place), draw(place)
        way = draw(st.sampled_from(["edge", "property", "nested", "body", "shared"]))
        name, inner, holds = draw(names), draw(names), draw(names)
        by, deep = f"#{number}.by", f"#{number}.deep"
        if way == "edge":
            edges.append(Edge(f"#{start}", f"#{end}", draw(st.sampled_from(LABELS))))
        elif way in ("property", "nested"):
            nodes.append(Node(by, "property", name, f"#{start}", holds))
            edges.append(Edge(f"#{start}", by, "field"))
            path = name
            if way == "nested":
                nodes.append(Node(deep, "property", inner, by, holds))
                edges.append(Edge(by, deep, "field"))
                path = f"{name}.{inner}"
            edges.append(Edge(deep if way == "nested" else by, f"#{end}", "value"))
            members.add(member(path, holds))
        else:
            owner = f"#{start}" if way == "body" else ""
            nodes.append(Node(by, "body", name, owner, holds))
            edges += [Edge(f"#{start}", by, "input"), Edge(by, f"#{end}", "holds")]
        seen.add((clean(tops[start]), clean(tops[end])))
    matched = tuple(f"#{number}" for number in draw(st.sets(place)))
    return Drawn(Subgraph(tuple(nodes), tuple(dict.fromkeys(edges)), matched), seen, members)


def member(path: str, holds: str) -> str:
    """Return the line of a member as a reader sees it."""
    return f"+{clean(path)} : {clean(holds)}" if holds else f"+{clean(path)}"


def test_any_graph_is_drawn_with_its_edges() -> None:
    made: list[Drawn] = []

    @COLLECTING
    @given(graphs())
    def collect(graph: Drawn) -> None:
        made.append(graph)

    collect()
    classes = [render_classes(graph.part, {}) for graph in made]
    charts = [render_flowchart(graph.part) for graph in made]
    read = mermaid.read_all([*classes, *charts])
    for graph, text, one in zip([*made, *made], [*classes, *charts], read, strict=True):
        check(text, one)
        assert one.edges == graph.edges, text
    for graph, text, one in zip(made, classes, read, strict=False):
        assert graph.members <= one.shown, text


def check(text: str, read: mermaid.Read) -> None:
    """Hold a picture to be one, and to do nothing."""
    assert not read.error, f"{read.error}\n{text}"
    assert not read.unsafe, f"{read.unsafe}\n{text}"


def ring(names: Sequence[str]) -> Drawn:
    """Return types of these names, each with a member that leads to the next."""
    nodes, edges = [], []
    following = [*names[1:], names[0]]
    for number, (name, after) in enumerate(zip(names, following, strict=True)):
        nodes.append(Node(f"#{number}", "type", name, "", after, name, 1, 1, name))
        nodes.append(Node(f"#{number}.m", "property", after, f"#{number}", name))
        edges.append(Edge(f"#{number}.m", f"#{(number + 1) % len(names)}", "value"))
    pairs = set(zip(map(clean, names), map(clean, following), strict=True))
    members = {member(after, name) for name, after in zip(names, following, strict=True)}
    return Drawn(Subgraph(tuple(nodes), tuple(edges), ("#0",)), pairs, members)


@pytest.mark.parametrize(
    "options", [{}, {"securityLevel": "loose"}, {"htmlLabels": False}], ids=str
)
def test_odd_names_are_drawn_as_they_are_and_inject_nothing(options: dict[str, object]) -> None:
    """Hosts differ in what they let a diagram do, and in how they draw labels."""
    odd = list({clean(name): name for name in ODD}.values())
    rings = [ring(odd[start : start + 10]) for start in range(0, len(odd), 10)]
    classes = [render_classes(one.part, {}) for one in rings]
    charts = [render_flowchart(one.part) for one in rings]
    read = mermaid.read_all([*classes, *charts], **options)
    for graph, text, one in zip([*rings, *rings], [*classes, *charts], read, strict=True):
        check(text, one)
        assert one.edges == graph.edges, text
        if not options:
            assert {label for edge in graph.edges for label in edge} <= one.shown, text
    if not options:
        assert set.union(*(one.members for one in rings)) <= set.union(*(one.shown for one in read))


def test_diagrams_at_the_limits_are_drawn() -> None:
    """Mermaid refuses longer texts and more edges than it is told; these are what it takes."""
    types = [Node(f"#{number}", "type", f"T{number}") for number in range(502)]
    edges = [Edge("#0", node.id, "ref") for node in types]
    chart = render_flowchart(Subgraph(tuple(types), tuple(edges), ("#0",)))
    fields = [
        Node(f"#{number}.m", "property", f"field {number} " * 9, f"#{number % 9}", "string")
        for number in range(2000)
    ]
    classes = render_classes(Subgraph((*types[:9], *fields), ()), {})
    read = mermaid.read_all([chart, classes])
    check(chart, read[0])
    check(classes, read[1])
    assert len(read[0].edges) == 500
    assert "Left out: 2 nodes with their edges" in read[0].shown
    [remark] = [text for text in read[1].shown if text.startswith("Left out: ")]
    assert f"%% left out: {remark.removeprefix('Left out: ')}\n" in classes
