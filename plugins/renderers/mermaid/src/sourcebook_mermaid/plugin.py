"""The renderers `mermaid` and `mermaid-flowchart`."""

from collections.abc import Iterator, Mapping

from sourcebook import hookimpl
from sourcebook.renderer import Renderer
from sourcebook.subgraph import Subgraph


def render_classes(subgraph: Subgraph, options: Mapping[str, object]) -> str:
    """Return a class diagram; without `docs` in `options` it quotes no descriptions."""
    from sourcebook_mermaid.classes import write_classes

    return write_classes(subgraph, docs=options.get("docs", True) is not False)


def render_flowchart(subgraph: Subgraph) -> str:
    """Return a flowchart, which quotes no descriptions."""
    from sourcebook_mermaid.flowchart import write_flowchart

    return write_flowchart(subgraph)


@hookimpl
def sourcebook_renderers() -> Iterator[Renderer]:
    yield Renderer(
        "mermaid",
        render_classes,
        accepts=Subgraph,
        summary="a Mermaid class diagram: what things consist of and refer to",
    )
    yield Renderer(
        "mermaid-flowchart",
        render_flowchart,
        accepts=Subgraph,
        summary="a Mermaid flowchart: what leads to what",
    )
