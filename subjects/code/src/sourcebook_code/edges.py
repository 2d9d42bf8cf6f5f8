"""The edges of the graph: their labels, and how surely each is known."""

from typing import NamedTuple

CONTAINS = "contains"

LABELS = ("calls", "imports", "extends")
CALLS, IMPORTS, EXTENDS = range(3)
"""The labels of edges that are written down; what contains what is known from the owners."""

EDGES = (CONTAINS, *LABELS)
"""The closed set of labels. A declaration or file `contains` what is written in it, `calls` what a
call in it means, `extends` a base type; a file `imports` a file or what it takes of it."""

PROVENANCES = ("resolved", "unique name", "ambiguous")
RESOLVED, UNIQUE, AMBIGUOUS = range(3)
"""How surely an edge is known: the rules of the language lead there; only the name says so, and
nothing else has it; it is one of a few that have the name."""


class Link(NamedTuple):
    """An edge: nodes at its ends, its label and provenance, the line where it is written."""

    start: int
    end: int
    label: int
    provenance: int
    line: int
