"""A part of an API in the format that was asked for: the text tree, or what a renderer makes."""

from collections.abc import Callable

from sourcebook.adapt import call_declared
from sourcebook.errors import BadRequest, SourcebookError
from sourcebook.registry import registry
from sourcebook.subgraph import ApiSubgraph, Subgraph

TEXT = "text"

FORMAT_HELP = (
    "What the text is: `text` (a tree), or what an installed renderer makes of a part of an API, "
    "such as typescript, openapi or mermaid."
)


def render_part(
    make: Callable[[bool], Subgraph], form: str, *, docs: bool = True, sources: bool = False
) -> str:
    """Return a part of an API in a format.

    Args:
        make: `make(document)` returns the part, an `ApiSubgraph` if `document` is true.
        form: `text`, or the name of a renderer.
        docs: with what the descriptions say.
        sources: with the documents that nodes come from; the tree alone heeds it.

    Raises:
        BadRequest: the renderer is for something else than parts of an API.
        PluginMissing, PluginBroken: see `sourcebook.registry`.
    """
    if form == TEXT:
        from sourcebook_schema.tree import render_tree

        return render_tree(make(False), docs=docs, sources=sources)
    renderer = registry().renderer(form, where="format")
    if not issubclass(renderer.accepts, Subgraph):
        raise BadRequest(
            f"`{form}` renders {renderer.accepts.__name__}, not a part of an API",
            where="format",
            hint=f"choose one of {', '.join(formats())}",
        )
    part = make(issubclass(renderer.accepts, ApiSubgraph))
    with registry().blaming("renderers", form):
        return str(call_declared(renderer.render, part, {"docs": docs}))


def formats() -> list[str]:
    """Return the formats that can be asked for."""
    plugins = registry()
    usable = []
    for name in plugins.names("renderers"):
        try:
            if issubclass(plugins.renderer(name).accepts, Subgraph):
                usable.append(name)
        except SourcebookError:  # a broken plugin offers nothing
            continue
    return [TEXT, *usable]
