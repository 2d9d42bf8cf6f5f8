"""From the facts of all files to the structure of an index: one graph of declarations.

Nodes are numbered by file name, then as their file has them, so that equal facts give equal bytes
in whatever order they come.
"""

import gc
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from sourcebook_code.corpus import Corpus
from sourcebook_code.graph import GRAPH, encode_graph
from sourcebook_code.modules import File
from sourcebook_code.resolve import Resolver


def assemble(facts_by_source: Mapping[str, Sequence[Any]]) -> dict[str, bytes]:
    """Return `graph.sbk` from the one fact of each file."""
    collecting = gc.isenabled()
    gc.disable()  # what is made stays to the end, and would be looked at again and again
    try:
        return {GRAPH: _linked(facts_by_source)}
    finally:
        if collecting:
            gc.enable()


def _linked(facts_by_source: Mapping[str, Sequence[Any]]) -> bytes:
    known = [(name, facts[0]) for name, facts in sorted(facts_by_source.items()) if facts]
    files = [File.of(place, name, fact) for place, (name, fact) in enumerate(known)]
    corpus = Corpus(files)
    columns = [array("I"), array("I"), array("B"), array("B"), array("I")]
    starts, ends, labels, provenances, lines = columns
    for link in sorted(Resolver(corpus).links()):
        starts.append(link.start)
        ends.append(link.end)
        labels.append(link.label)
        provenances.append(link.provenance)
        lines.append(link.line)
    return encode_graph(corpus, starts, ends, labels, provenances, lines)
