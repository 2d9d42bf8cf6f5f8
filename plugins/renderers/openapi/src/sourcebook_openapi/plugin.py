"""The renderers `openapi` and `openapi-3.0`: a part of an API as a document that stands alone."""

from collections.abc import Iterator, Mapping

from sourcebook import hookimpl
from sourcebook.renderer import Renderer
from sourcebook.subgraph import ApiSubgraph


def render(subgraph: ApiSubgraph, options: Mapping[str, object]) -> str:
    """Return an OpenAPI 3.1 document as JSON; without `docs` in `options` it explains nothing."""
    from sourcebook_openapi.text import write

    return write(subgraph.description, docs=options.get("docs", True) is not False)


def render_3_0(subgraph: ApiSubgraph, options: Mapping[str, object]) -> str:
    """Return an OpenAPI 3.0 document, which says the same as far as 3.0 can."""
    from sourcebook_openapi.lower import lower
    from sourcebook_openapi.text import write

    docs = options.get("docs", True) is not False
    return write(lower(subgraph.description), docs=docs)


@hookimpl
def sourcebook_renderers() -> Iterator[Renderer]:
    yield Renderer(
        "openapi", render, ApiSubgraph, "An OpenAPI 3.1 document that stands alone, as JSON"
    )
    yield Renderer(
        "openapi-3.0", render_3_0, ApiSubgraph, "An OpenAPI 3.0 document that stands alone, as JSON"
    )
