"""Every embedder of ours passes the suite that authors get."""

from sourcebook.embedder import EmbedderOptions
from sourcebook.testing import EmbedderConformance


class TestHash(EmbedderConformance):
    embedder = "hash"


class TestMiniLM(EmbedderConformance):
    embedder = "minilm"


class TestNarrowMiniLM(EmbedderConformance):
    embedder = "minilm"
    options = EmbedderOptions(dimensions=128, batch=3)
