"""The types of TypeScript that declarations are made of, and how they are written."""

from collections.abc import Iterable, Iterator, Mapping

from attrs import field, frozen

from sourcebook_typescript.text import quote, write_comment, write_key

WIDTH = 90
"""Columns up to which a type stands on one line."""


@frozen
class Word:
    """A type that TypeScript knows by itself: `string`, `unknown`."""

    text: str


@frozen
class Literal:
    """A type of one value, as written: `"celsius"`, `3`."""

    text: str
    word: str


@frozen
class Ref:
    """A declared type, by its identifier."""

    name: str


@frozen
class List:
    item: "Type"


@frozen
class Tuple:
    """A list with types by place; those from place `optional` on (from 0) may be left out."""

    items: tuple["Type", ...]
    optional: int
    rest: "Type | None" = None


@frozen
class Member:
    """A property of an object. `doc` is what its comment says, by lines."""

    type: "Type"
    required: bool
    readonly: bool = False
    doc: tuple[str, ...] = field(default=(), eq=False)


@frozen
class Object:
    """An object: its members by name, and the type of all its others."""

    members: tuple[tuple[str, Member], ...] = ()
    rest: "Type | None" = None


@frozen
class Union:
    members: tuple["Type", ...]


@frozen
class Intersection:
    members: tuple["Type", ...]


Type = Word | Literal | Ref | List | Tuple | Object | Union | Intersection

UNKNOWN = Word("unknown")
NEVER = Word("never")
NULL = Word("null")
UNDEFINED = Word("undefined")
STRING = Word("string")
NUMBER = Word("number")
BOOLEAN = Word("boolean")


def literal(value: str | int | float | bool | None) -> Type:
    """Return the type of one value of JSON."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return Literal("true" if value else "false", "boolean")
    if isinstance(value, str):
        return Literal(quote(value), "string")
    if value != value or value in (float("inf"), float("-inf")):
        return NUMBER
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return Literal(repr(value), "number")


def unite(types: Iterable[Type]) -> Type:
    """Return the type of what is of any of the types."""
    found: dict[Type, None] = {}
    for each in types:
        found.update(dict.fromkeys(each.members if isinstance(each, Union) else (each,)))
    found.pop(NEVER, None)
    if UNKNOWN in found:
        return UNKNOWN
    if not found:
        return NEVER
    return Union(tuple(found)) if len(found) > 1 else next(iter(found))


def intersect(types: Iterable[Type]) -> Type:
    """Return the type of what is of all the types."""
    found: dict[Type, None] = {}
    for each in types:
        found.update(dict.fromkeys(each.members if isinstance(each, Intersection) else (each,)))
    found.pop(UNKNOWN, None)
    if NEVER in found:
        return NEVER
    for each in list(found):
        if isinstance(each, Word) and any(
            other != each and _narrows(other, each.text) for other in found
        ):
            del found[each]
    if not found:
        return UNKNOWN
    return Intersection(tuple(found)) if len(found) > 1 else next(iter(found))


def _narrows(given: Type, word: str) -> bool:
    """Return whether a type holds only values of the type that a word stands for."""
    if isinstance(given, Union):
        return all(_narrows(member, word) for member in given.members)
    return (isinstance(given, Literal) and given.word == word) or given == Word(word)


def eager_refs(given: Type) -> Iterator[str]:
    """Yield the declared types that TypeScript must know before it can know this one.

    What lies inside lists and objects can wait, so cycles through these are no error.
    """
    if isinstance(given, Ref):
        yield given.name
    elif isinstance(given, Union | Intersection):
        for member in given.members:
            yield from eager_refs(member)


def all_refs(given: Type) -> Iterator[str]:
    """Yield the declared types that a type names anywhere in it."""
    match given:
        case Ref():
            yield given.name
        case List():
            yield from all_refs(given.item)
        case Tuple():
            for item in (*given.items, *([given.rest] if given.rest else [])):
                yield from all_refs(item)
        case Object():
            for _, member in given.members:
                yield from all_refs(member.type)
            if given.rest is not None:
                yield from all_refs(given.rest)
        case Union() | Intersection():
            for each in given.members:
                yield from all_refs(each)


def cut_ref(given: Type, name: str, instead: Type) -> Type:
    """Return a type with another in place of a declared one that it must know at once."""
    if isinstance(given, Ref):
        return instead if given.name == name else given
    if isinstance(given, Union):
        return unite(cut_ref(member, name, instead) for member in given.members)
    if isinstance(given, Intersection):
        return intersect(cut_ref(member, name, instead) for member in given.members)
    return given


def break_cycles(types: Mapping[str, Type]) -> dict[str, Type]:
    """Return declarations without a type that is made of itself and nothing between.

    Such a schema says nothing (JSON Schema leaves it undefined), and TypeScript refuses it.
    """
    done: dict[str, Type] = {}
    for start in types:
        if start in done:
            continue
        # By hand, not by recursion: a chain of names may be as long as a description.
        way: dict[str, Iterator[str]] = {start: iter(tuple(eager_refs(types[start])))}
        now = {start: types[start]}
        while way:
            name = next(reversed(way))
            for after in way[name]:
                if after in way:
                    adds_nothing = after == name and isinstance(now[name], Union)
                    instead = NEVER if adds_nothing else UNKNOWN
                    now[name] = cut_ref(now[name], after, instead)
                elif after in types and after not in done:
                    way[after] = iter(tuple(eager_refs(types[after])))
                    now[after] = types[after]
                    break
            else:
                done[name] = now.pop(name)
                del way[name]
    return {name: done[name] for name in types}


def write_type(given: Type, indent: str = "") -> str:
    """Return a type as text; its first line is not indented."""
    match given:
        case Word() | Literal():
            return given.text
        case Ref():
            return given.name
        case List():
            item = write_type(given.item, indent)
            return f"({item})[]" if isinstance(given.item, Union | Intersection) else f"{item}[]"
        case Tuple():
            return _write_tuple(given, indent)
        case Object():
            return write_object(given, indent, short=True)
        case Union():
            return _write_members(given.members, "|", indent)
        case Intersection():
            return _write_members(given.members, "&", indent)


def write_object(given: Object, indent: str = "", *, short: bool = False) -> str:
    """Return an object's type with a line for each member.

    `short`: on one line if it fits and has no comments.
    """
    inner = f"{indent}  "
    parts = [
        (
            write_comment(member.doc, inner),
            f"{'readonly ' if member.readonly else ''}{write_key(name)}"
            f"{'' if member.required else '?'}: {write_type(member.type, inner)}",
        )
        for name, member in given.members
    ]
    if given.rest is not None:
        parts.append(("", f"[key: string]: {write_type(given.rest, inner)}"))
    if not parts:
        return "{}"
    line = f"{{ {'; '.join(part for _, part in parts)} }}"
    fits = "\n" not in line and len(indent) + len(line) <= WIDTH - 20
    if short and fits and not any(comment for comment, _ in parts):
        return line
    lines = "".join(f"{comment}{inner}{part};\n" for comment, part in parts)
    return f"{{\n{lines}{indent}}}"


def _write_tuple(given: Tuple, indent: str) -> str:
    places = [
        write_type(item, indent)
        if at < given.optional
        else f"{_group(item, write_type(item, indent))}?"
        for at, item in enumerate(given.items)
    ]
    if given.rest is not None:
        places.append(f"...{write_type(List(given.rest), indent)}")
    return f"[{', '.join(places)}]"


def _write_members(members: tuple[Type, ...], sign: str, indent: str) -> str:
    parts = [_group(member, write_type(member, indent)) for member in members]
    line = f" {sign} ".join(parts)
    if "\n" in line or len(line) + len(indent) <= WIDTH:
        return line
    return "".join(f"\n{indent}  {sign} {part}" for part in parts)


def _group(given: Type, text: str) -> str:
    return f"({text})" if isinstance(given, Union | Intersection) else text
