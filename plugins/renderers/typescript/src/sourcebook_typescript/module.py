"""A part of an API as one TypeScript module."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen
from sourcebook.subgraph import ApiSubgraph

from sourcebook_typescript.complexity import Bounds
from sourcebook_typescript.declare import Declarations
from sourcebook_typescript.families import find_families
from sourcebook_typescript.operations import Operation, Operations, Signatures, escape
from sourcebook_typescript.schema import Components, mapping_at
from sourcebook_typescript.sent import Sent
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


@frozen
class Part:
    """One operation or component.

    Args:
        pointer: where it stands in the description.
        named: how the description calls it; empty: it gives it no name.
        name: its identifier.
        types: what is declared for it, by identifier, with what the comment of each says.
    """

    pointer: str
    named: str
    name: str
    types: Mapping[str, tuple[Type, Sequence[str]]]


def write_module(subgraph: ApiSubgraph, *, docs: bool = True) -> str:
    """Return the text of a module with all types and operations of a description.

    Each is exported; what was asked for comes first, operations before types. Component schemas
    keep their names as far as TypeScript allows; comments say where each is written (`Source:
    FILE:LINE`), also without `docs`, which leaves out what the description says of them.
    """
    matched = set(subgraph.matched)
    described = subgraph.described
    parts = _make_parts(subgraph.description, docs)

    def is_less(part: Part) -> bool:
        node = described.get(part.pointer)
        return node is None or node.id not in matched

    texts = []
    for part in sorted(parts, key=is_less):
        node = described.get(part.pointer)
        place = node.location if node and node.source else ""
        # A node has the name that its file gives it; the description may have needed another.
        named = node.name if part.named and node and node.name else part.named
        texts.append(_write_part(part, named, place))
    return "\n".join([HEADER, *texts])


def _make_parts(description: Mapping[str, Any], docs: bool) -> list[Part]:
    schemas = mapping_at(mapping_at(description, "components"), "schemas")
    components = Components(schemas)
    families = find_families(components)
    names = name_all(schemas)
    bases = _name_bases(names, families.bases)
    declarations = Declarations(components, families, names, bases, docs)
    declared = {name: declarations.declare(name) for name in schemas}
    types = break_cycles({each: made for one in declared.values() for each, made in one.items()})

    sent = Sent(declarations, types)
    operations = Operations(description)
    found = operations.find()
    called = _name_operations(found, {*types, *sent.identifiers})
    signatures = Signatures(operations, declarations, sent.declarations, called)
    signed = {pointer: signatures.type_of(operation) for pointer, operation in found.items()}
    inputs = sent.declare(signed.values())
    types |= break_cycles({each: made for one in inputs.values() for each, made in one.items()})
    bounds = Bounds(types)
    parts = []
    for pointer, operation in found.items():
        name = called[pointer]
        made = {name: bounds.told(signed[pointer], signatures.doc_of(operation))}
        parts.append(Part(pointer, operation.id, name, made))
    for name, schema in schemas.items():
        told = {names[name]: declarations.doc_of(schema)}
        if name in bases:
            told[bases[name]] = (_base_of(names[name]),)
        for each in inputs.get(name, ()):
            own = sent.names[name]
            told[each] = (f"`{names[name]}` as it is sent." if each == own else _base_of(own),)
        pointer = f"/components/schemas/{escape(name)}"
        of_it = (*declared[name], *inputs.get(name, ()))
        made = {each: bounds.told(types[each], told[each]) for each in of_it}
        parts.append(Part(pointer, name, names[name], made))
    return parts


def _base_of(name: str) -> str:
    return f"What every `{name}` holds."


def _write_part(part: Part, named: str, place: str) -> str:
    source = [f"Source: {write_line(place)}"] if place else []
    texts = []
    for name, (made, told) in part.types.items():
        is_renamed = named and name == part.name != named
        lines = [f"`{write_line(named)}` of the description."] if is_renamed else []
        comment = write_comment([*lines, *told, *source])
        if isinstance(made, Object):
            texts.append(f"{comment}export interface {name} {write_object(made)}\n")
        else:
            texts.append(f"{comment}export type {name} = {write_type(made)};\n")
    return "\n".join(texts)


def _name_bases(names: Mapping[str, str], bases: set[str]) -> dict[str, str]:
    used = set(names.values())
    found = {}
    for name in sorted(bases):
        found[name] = name_apart(f"{names[name]}Base", used)
        used.add(found[name])
    return found


def _name_operations(operations: Mapping[str, Operation], taken: Iterable[str]) -> dict[str, str]:
    """Return an identifier for each operation; one that a type has gets `Operation` behind it."""
    used = set(taken)
    found = {}
    for pointer, operation in operations.items():
        wanted = make_identifier(operation.name)
        found[pointer] = name_apart(f"{wanted}Operation" if wanted in used else wanted, used)
        used.add(found[pointer])
    return found
