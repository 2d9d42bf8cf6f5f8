"""A description parsed for a test: its rows by the names that readers use."""

import json
from typing import Any

import pytest
from sourcebook import Entry, Fact, Problem, Source
from sourcebook_schema.facts import EDGES, NODE_KINDS, ROLES, EdgeRow, FileFact, NodeRow
from sourcebook_schema.parse import parse


class Parsed:
    """What `parse` yields for a text."""

    def __init__(self, text: str, name: str = "api.yaml", context: Any = None) -> None:
        self.source = Source(name, text, context=json.dumps(context) if context else "")
        yielded = list(parse(self.source))
        self.entries = {one.key: one for one in yielded if isinstance(one, Entry)}
        self.problems = [one for one in yielded if isinstance(one, Problem)]
        facts = [one.value for one in yielded if isinstance(one, Fact)]
        # By way of JSON, as an index keeps it.
        self.fact = FileFact.from_json(json.loads(json.dumps(facts[0]))) if facts else None

    @property
    def nodes(self) -> dict[str, NodeRow]:
        assert self.fact is not None
        return {row.key: row for row in self.fact.nodes}

    @property
    def edges(self) -> list[EdgeRow]:
        assert self.fact is not None
        return [EdgeRow(*row) for row in self.fact.edges]

    def leads(self, key: str, label: str = "") -> list[str]:
        """Return the keys or URIs that edges lead to from a node."""
        assert self.fact is not None
        keys = list(self.nodes)
        start = keys.index(key)
        return [
            one.end if isinstance(one.end, str) else keys[one.end]
            for one in self.edges
            if one.start == start and label in ("", one.label)
        ]

    def value(self, pointer: str) -> Any:
        """Return the value of the component at a pointer; of an operation the operation."""
        assert self.fact is not None
        row = next(row for row in self.fact.components if row.pointer == pointer)
        value = json.loads(row.value)
        return value["operation"] if row.role == "operation" else value

    def said(self) -> list[str]:
        """Return the problems as `line: message`."""
        return [f"{one.line}: {one.message}" for one in self.problems]

    def texts(self) -> str:
        """Return all texts of all entries."""
        return "\n".join(
            "\n".join((one.title, *one.fields.values())) for one in self.entries.values()
        )

    def check(self) -> None:
        """Assert all that holds for every file: ends exist, keys are unique, spans lie inside."""
        lines = len(self.source.lines)
        for problem in self.problems:
            assert 0 <= problem.line <= lines
        if self.fact is None:
            assert not self.entries
            assert self.problems
            return
        rows = self.fact.nodes
        assert len({row.key for row in rows}) == len(rows)
        assert set(self.entries) == {r.key for r in rows if r.kind not in ("body", "response")}
        for row in rows:
            assert row.kind in NODE_KINDS
            assert 1 <= row.first <= row.last <= lines
            assert -1 <= row.parent < len(rows)
        for entry in self.entries.values():
            assert entry.parent is None or entry.parent.key in self.entries
            assert all(isinstance(text, str) for text in entry.fields.values())
        for start, end, label, _ in self.edges:
            assert 0 <= start < len(rows)
            assert label in EDGES
            assert not isinstance(end, int) or 0 <= end < len(rows)
            assert not isinstance(end, str) or not end.startswith(f"{self.source.name}#")
        pointers = [row.pointer for row in self.fact.components]
        assert len(set(pointers)) == len(pointers)
        for component in self.fact.components:
            assert component.role in ROLES
            assert component.node < len(rows)
            for uri in _references(json.loads(component.value)):
                source, _, pointer = uri.partition("#")
                assert source != self.source.name or pointer in pointers, uri


def _references(value: Any) -> list[str]:
    if isinstance(value, list):
        return [uri for one in value for uri in _references(one)]
    if not isinstance(value, dict):
        return []
    ref = value.get("$ref")
    found = [ref] if isinstance(ref, str) and "#" in ref else []
    mapping = value.get("mapping")
    if isinstance(value.get("propertyName"), str) and isinstance(mapping, dict):
        found += [one for one in mapping.values() if isinstance(one, str)]
    return found + [uri for one in value.values() for uri in _references(one)]


@pytest.fixture
def parsed() -> type[Parsed]:
    """Parse a text: `parsed(text)`, `parsed(text, name, context)`."""
    return Parsed
