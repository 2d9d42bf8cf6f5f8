"""The hook of this plugin. Nothing heavy is imported before the first text is embedded."""

from collections.abc import Iterator

from sourcebook.embedder import Embedder, EmbedderOptions, EmbedderPlugin
from sourcebook.hookspecs import hookimpl


def load(model: str, options: EmbedderOptions) -> Embedder:
    """Return the embedder; see `sourcebook_minilm.embedder.MiniLM` for what the options do."""
    from sourcebook_minilm.embedder import MiniLM

    return MiniLM.choose(model, options)


@hookimpl
def sourcebook_embedders() -> Iterator[EmbedderPlugin]:
    """Yield `minilm`."""
    yield EmbedderPlugin(
        "minilm",
        load,
        summary="all-MiniLM-L6-v2 on this machine: 384 dimensions, no key, no network.",
        tokenizers=(("bert-uncased", "sourcebook_minilm.tokenizer:spans"),),
    )
