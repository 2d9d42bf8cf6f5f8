"""Quickfix: `file:line: title`, one line a hit, for editors that jump to it."""

from collections.abc import Iterator

from sourcebook import Renderer, SearchResponse, hookimpl


def render(response: SearchResponse) -> str:
    """Return a line for each hit."""
    return "\n".join(f"{hit.location}: {hit.title}" for hit in response.hits)


@hookimpl
def sourcebook_renderers() -> Iterator[Renderer]:
    """Yield the renderer `quickfix`."""
    yield Renderer("quickfix", render, accepts=SearchResponse)
