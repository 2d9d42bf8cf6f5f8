"""The file of the graph: what is in it is given back, and what is damaged is told."""

import random
from collections.abc import Callable
from contextlib import suppress

import pytest
from sourcebook.errors import IndexDamaged
from sourcebook.index.columns import encode_columns
from sourcebook_code.graph import Graph

FILES = {
    "a.py": "import b\n\n\nclass A(b.B):\n    def f(self):\n        self.g()\n",
    "b.py": "class B:\n    def g(self):\n        pass\n\n    def h(self):\n        self.g()\n",
}


def everything(graph: Graph) -> list[object]:
    return [
        (graph.id(node), graph.kind(node), graph.source(node), graph.language(node), step)
        for node in range(len(graph))
        for step in (*graph.out(node), *graph.into(node))
    ] + [graph.counted()]


def test_edges_are_the_same_from_both_ends(graph_of: Callable[..., Graph]) -> None:
    graph = graph_of(FILES)
    out = {step[:5] for node in range(len(graph)) for step in graph.out(node)}
    into = {step[:5] for node in range(len(graph)) for step in graph.into(node)}
    assert out == into
    assert graph.counted()["contains"]["resolved"] == 5


def test_equal_files_give_equal_bytes_in_any_order(graph_bytes: Callable[..., bytes]) -> None:
    assert graph_bytes(FILES) == graph_bytes(dict(reversed(FILES.items())))


@pytest.mark.parametrize("seed", range(40))
def test_flipped_bytes_are_told_as_damage(graph_bytes: Callable[..., bytes], seed: int) -> None:
    data = bytearray(graph_bytes(FILES))
    chosen = random.Random(seed)
    for _ in range(chosen.randint(1, 4)):
        data[chosen.randrange(len(data))] ^= 1 << chosen.randrange(8)
    with suppress(IndexDamaged):
        everything(Graph(bytes(data)))


@pytest.mark.parametrize("data", [b"", b"SBKCOL01", encode_columns({}, {"version": 2})])
def test_another_file_is_told_as_damage(data: bytes) -> None:
    with pytest.raises(IndexDamaged):
        Graph(data)
