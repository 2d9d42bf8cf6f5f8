"""Made rows, words and questions for the tests of stores, and their judge."""

import itertools
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import log
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sourcebook.registry import registry
from sourcebook.store import Location, Row, Store, StoreSchema

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSIONS: Final = 12
FIELDS: Final = ("title", "body")
FILTERS: Final = MappingProxyType({"kind": False, "section": True})

HOSTILE: Final = (
    "",
    " ",
    "'",
    '"',
    "\\",
    "a' OR '1'='1",
    '") OR (kind:"',
    "kind:table",
    "*",
    "?",
    "[a TO z]",
    "{!func}x",
    "{$gt: 0}",
    "@section:{x}",
    "a-b|c & d",
    "x\ny\r\nz",
    "tab\there",
    "nul\x00byte",
    "-drop",
    "AND",
    "~2",
    "^9",
    "../../etc/passwd",
    "%s %d",
    "${HOME}",
    "\u202eright to left",
    "e\u0301 and \u00e9",
    "漢字とカナ",
    "👩‍👩‍👧",
    "\ufeffmark",
    "x" * 70_000,
)
"""Values that mean something to some engine, or that some engine cannot hold."""


def find_store(name: str) -> Store:
    """Return the installed store of this name; raises what the registry raises."""
    return registry().store(name)


@contextmanager
def judging(rows: Iterable[Row], schema: StoreSchema) -> Iterator[Any]:
    """Open a `memory` store with these rows."""
    judge = find_store("memory")
    with tempfile.TemporaryDirectory(prefix="sourcebook-") as name:
        location = Location(folder=Path(name))
        writer = judge.begin(location, schema, None)
        writer.upsert(row if schema.dimensions else without_vectors(row) for row in rows)
        writer.publish()
        yield judge.open(location, schema)


def without_vectors(row: Row) -> Row:
    """Return the row as a store without vectors takes it."""
    return Row(row.id, row.document, row.text, row.terms, None, row.filters, row.metadata)


def identity(row: Row) -> tuple[object, ...]:
    """Return what a store must give back of a row, comparable."""
    filters = {key: tuple(values) for key, values in row.filters.items() if values}
    return row.id, row.document, row.text, filters, dict(row.metadata)


def unit(axis: int) -> "NDArray[np.float32]":
    """Return the unit vector along one axis."""
    return np.eye(1, DIMENSIONS, axis, dtype=np.float32).ravel()


def normed(vector: "NDArray[np.float64]") -> "NDArray[np.float32]":
    """Return the vector at unit length."""
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def filtered(row_id: str, **filters: tuple[str, ...]) -> Row:
    """Return a row that every leg finds, with these filter values."""
    return Row(
        row_id, "d", terms={"body": "word two"}, vectors=unit(0)[None], filters=dict(filters)
    )


VOCABULARY: Final = tuple(
    "".join(letters) for letters in itertools.product("bdfgklmnprst", "aeiou", "lnrst", "aeiou")
)


def seeded(seed: int) -> random.Random:
    """Return a generator that makes the same rows everywhere."""
    return random.Random(seed)  # noqa: S311 - made text, no secret


def made_words(generator: random.Random, count: int) -> list[str]:
    """Return words of a made language whose frequencies fall as those of real ones do."""
    ranks = (int(len(VOCABULARY) ** generator.random()) - 1 for _ in range(count))
    return [VOCABULARY[rank] for rank in ranks]


def made_row(generator: random.Random, row_id: str, document: str) -> Row:
    """Return a made row with words, filters and up to three vectors."""
    center = generator.randrange(8)
    vectors = [
        normed(
            np.array([generator.gauss(float(axis == center), 0.3) for axis in range(DIMENSIONS)])
        )
        for _ in range(generator.choice((1, 1, 1, 0, 2, 3)))
    ]
    return Row(
        row_id,
        document,
        terms={
            "title": " ".join(made_words(generator, generator.randint(0, 4))),
            "body": " ".join(made_words(generator, generator.randint(0, 60))),
        },
        vectors=np.stack(vectors) if vectors else None,
        filters={
            "kind": (f"k{generator.randint(0, 4)}",),
            "section": tuple({f"s{generator.randint(0, 6)}" for _ in range(2)}),
        },
        metadata={"made": generator.randint(0, 9)},
    )


def made_rows(count: int) -> list[Row]:
    """Return rows in four documents `d0` to `d3`, always the same ones."""
    generator = seeded(count)
    return [made_row(generator, f"d{n % 4}#{n}", f"d{n % 4}") for n in range(count)]


def changed_rows(generator: random.Random) -> list[Row]:
    """Return rows of some of twelve documents, whose ids come again from call to call."""
    rows = []
    for _ in range(generator.randint(0, 40)):
        number = generator.randrange(120)
        rows.append(made_row(generator, f"#{number}", f"d{number % 12}"))
    return rows


def bm25f(rows: Sequence[Row], k1: float = 1.2, b: float = 0.75) -> Callable[..., list[str]]:
    """Return a function from a query's terms to all ids with one of them, best first.

    Source:
        Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, section 3.6.
    """
    weights = {"title": 3.0, "body": 1.0}
    counts = [{f: Counter(text.split()) for f, text in row.terms.items()} for row in rows]
    means = {f: sum(count[f].total() for count in counts) / len(rows) for f in weights}
    postings: dict[str, list[tuple[int, float]]] = {}
    for number, count in enumerate(counts):
        norms = {f: 1 - b + b * count[f].total() / means[f] for f in weights}
        for term in set().union(*count.values()):
            tf = sum(weights[f] * count[f][term] / norms[f] for f in weights)
            postings.setdefault(term, []).append((number, tf))

    def rank(query: Sequence[str]) -> list[str]:
        scores: defaultdict[str, float] = defaultdict(float)
        for term in sorted(postings.keys() & set(query)):
            df = len(postings[term])
            idf = log(1 + (len(rows) - df + 0.5) / (df + 0.5))
            for number, tf in postings[term]:
                scores[rows[number].id] += idf * tf / (k1 + tf)
        return sorted(scores, key=lambda row_id: (-scores[row_id], row_id))

    return rank
