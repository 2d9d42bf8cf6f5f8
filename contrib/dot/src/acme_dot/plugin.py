"""Dot: operations and types as boxes, and an arrow for each way from one to another."""

import json
from collections.abc import Iterator

from sourcebook import Renderer, Subgraph, hookimpl


def render(graph: Subgraph) -> str:
    """Return a graph in the language of Graphviz; what is member of a box is no box."""
    nodes = {node.id: node for node in graph.nodes}
    box = dict.fromkeys(nodes, "")
    for node in graph.nodes:
        top = node
        while top.parent in nodes:
            top = nodes[top.parent]
        box[node.id] = json.dumps(top.id)
    rows = ["digraph {", "  node [shape=box]"]
    rows += [
        f"  {box[node.id]} [label={json.dumps(node.name)}]"
        for node in graph.nodes
        if node.parent not in nodes
    ]
    arrows = ((box[edge.start], box[edge.end]) for edge in graph.edges)
    rows += [f"  {start} -> {end}" for start, end in dict.fromkeys(arrows) if start != end]
    return "\n".join([*rows, "}"])


@hookimpl
def sourcebook_renderers() -> Iterator[Renderer]:
    """Yield the renderer `dot`."""
    yield Renderer("dot", render, accepts=Subgraph)
