"""A part of an API as one TypeScript module."""

from collections.abc import Mapping, Sequence
from typing import Any

from sourcebook.subgraph import ApiSubgraph

from sourcebook_typescript.declare import Declarations
from sourcebook_typescript.families import find_families
from sourcebook_typescript.operations import Operations, Signatures, escape
from sourcebook_typescript.schema import Components, mapping_at
from sourcebook_typescript.text import (
    make_identifier,
    name_all,
    name_apart,
    write_comment,
    write_line,
)
from sourcebook_typescript.types import (
    Object,
    Type,
    break_cycles,
    write_object,
    write_type,
)

HEADER = """\
// Declarations of a part of an API. They need no import and no library but ES2020.
export {};
"""
"""The statement comes first: no comment after it is read as a directive for the compiler."""


def write_module(subgraph: ApiSubgraph, *, docs: bool = True) -> str:
    """Return the text of a module with all types and operations of a description.

    Each is exported. Component schemas keep their names as far as TypeScript allows; comments say
    where each is written (`Source: FILE:LINE`), also without `docs`, which leaves out what the
    description says of them.
    """
    description: Mapping[str, Any] = subgraph.description
    schemas = mapping_at(mapping_at(description, "components"), "schemas")
    components = Components(schemas)
    families = find_families(components)
    names = name_all(schemas)
    bases = _name_bases(names, families.bases)
    declarations = Declarations(components, families, names, bases, docs)
    operations = Operations(description)
    found = operations.find()
    called = _name_operations(
        {pointer: each.name for pointer, each in found.items()}, {*names.values(), *bases.values()}
    )
    signatures = Signatures(operations, declarations, called)

    places = _places(subgraph)
    parts = [HEADER]
    for pointer, operation in found.items():
        comment = [*signatures.doc_of(operation), *_source(places, pointer)]
        parts.append(_declare(called[pointer], signatures.type_of(operation), comment))
    types: dict[str, Type] = {}
    comments: dict[str, list[str]] = {}
    for name, schema in schemas.items():
        types.update(declarations.declare(name))
        source = _source(places, f"/components/schemas/{escape(name)}")
        comment = [*declarations.doc_of(schema), *source]
        if names[name] != name:
            comment.insert(0, f"`{write_line(name)}` of the description.")
        comments[names[name]] = comment
        if name in bases:
            comments[bases[name]] = [f"What every `{names[name]}` holds.", *source]
    types = break_cycles(types)
    parts.extend(_declare(name, made, comments[name]) for name, made in types.items())
    return "\n".join(parts)


def _declare(name: str, made: Type, comment: Sequence[str]) -> str:
    text = write_comment(comment)
    if isinstance(made, Object):
        return f"{text}export interface {name} {write_object(made)}\n"
    return f"{text}export type {name} = {write_type(made)};\n"


def _name_bases(names: Mapping[str, str], bases: set[str]) -> dict[str, str]:
    used = set(names.values())
    found = {}
    for name in sorted(bases):
        found[name] = name_apart(f"{names[name]}Base", used)
        used.add(found[name])
    return found


def _name_operations(operations: Mapping[str, str], taken: set[str]) -> dict[str, str]:
    """Return an identifier for each operation; one that a type has gets `Operation` behind it."""
    used = set(taken)
    found = {}
    for pointer, name in operations.items():
        wanted = make_identifier(name)
        found[pointer] = name_apart(f"{wanted}Operation" if wanted in used else wanted, used)
        used.add(found[pointer])
    return found


def _places(subgraph: ApiSubgraph) -> dict[str, str]:
    """Return where the components and operations are written, by pointer."""
    nodes = {node.id: node for node in subgraph.nodes}
    return {
        pointer: nodes[each].location
        for pointer, each in subgraph.ids.items()
        if each in nodes and nodes[each].source
    }


def _source(places: Mapping[str, str], pointer: str) -> list[str]:
    return [f"Source: {write_line(places[pointer])}"] if pointer in places else []
