"""The renderers `typescript` and `ts`, which are one."""

from collections.abc import Iterator, Mapping

from sourcebook import hookimpl
from sourcebook.renderer import Renderer
from sourcebook.subgraph import ApiSubgraph

SUMMARY = "TypeScript declarations that compile by themselves"


def render(subgraph: ApiSubgraph, options: Mapping[str, object]) -> str:
    """Return one TypeScript module; without `docs` in `options` it says less in comments."""
    from sourcebook_typescript.module import write_module

    return write_module(subgraph, docs=options.get("docs", True) is not False)


@hookimpl
def sourcebook_renderers() -> Iterator[Renderer]:
    for name in ("typescript", "ts"):
        yield Renderer(name, render, accepts=ApiSubgraph, summary=SUMMARY)
