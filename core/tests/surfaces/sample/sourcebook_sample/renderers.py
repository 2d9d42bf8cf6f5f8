"""A renderer of the sample's hits."""

from collections.abc import Iterator, Mapping

from sourcebook import hookimpl
from sourcebook.renderer import Renderer

from .verbs import SearchResponse


def render(response: SearchResponse, options: Mapping[str, object]) -> str:
    return "\n".join(hit.text.upper() for hit in response.hits) + f" {options['columns']}"


@hookimpl
def sourcebook_renderers() -> Iterator[Renderer]:
    yield Renderer("shout", render, accepts=SearchResponse)
