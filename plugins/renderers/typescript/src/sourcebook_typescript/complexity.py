"""Types that combine so much that the compiler would refuse them, made less.

An intersection of unions is a union of all their combinations to the compiler, which gives up at a
hundred thousand, and takes its time before.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod

from attrs import evolve

from sourcebook_typescript.types import (
    Intersection,
    List,
    Object,
    Ref,
    Tuple,
    Type,
    Union,
    eager_refs,
    intersect,
    unite,
)

MAX_COMBINATIONS = 10000
"""Of one type. With that many the compiler takes no longer than it takes to start."""

LEFT_OUT = "Not all that it combines is told: the compiler would find it too complex."


class Bounds:
    """Bounds the combinations of types.

    Args:
        types: all that are declared, none of which is made of itself and nothing between.
    """

    def __init__(self, types: Mapping[str, Type]) -> None:
        self._sizes: dict[str, int] = {}
        self._types = types
        for start in types:
            todo = [start]
            # By hand, not by recursion: a chain of names may be as long as a description.
            while todo:
                name = todo[-1]
                waiting = [one for one in eager_refs(types[name]) if self._is_open(one)]
                if waiting:
                    todo += waiting
                    continue
                todo.pop()
                if name not in self._sizes:
                    self._sizes[name] = self._size(self._combined(types[name], MAX_COMBINATIONS))

    def _is_open(self, name: str) -> bool:
        return name in self._types and name not in self._sizes

    def bounded(self, given: Type) -> Type:
        """Return a type that combines no more than the compiler takes: it allows all that the given
        one does, and perhaps more."""
        made = self._combined(given, MAX_COMBINATIONS)
        return _inside(made, self.bounded)

    def told(self, given: Type, doc: Sequence[str]) -> tuple[Type, Sequence[str]]:
        """Return a bounded type, and what its comment says, which tells if something was lost."""
        made = self.bounded(given)
        return made, doc if made == given else (*doc, LEFT_OUT)

    def _size(self, given: Type) -> int:
        match given:
            case Ref():
                return self._sizes.get(given.name, 1)
            case Union():
                return sum(map(self._size, given.members))
            case Intersection():
                return prod(map(self._size, given.members))
        return 1

    def _combined(self, given: Type, limit: int) -> Type:
        if self._size(given) <= limit:
            return given
        match given:
            case Union():
                several = sum(self._size(member) > 1 for member in given.members)
                share = limit // several if several else limit
                return unite(self._combined(member, share) for member in given.members)
            case Intersection():
                kept = [self._combined(member, limit) for member in given.members]
                while (size := prod(map(self._size, kept))) > limit:
                    wide = sorted((one for one in kept if self._size(one) > 1), key=self._size)
                    enough = [one for one in wide if size // self._size(one) <= limit]
                    kept.remove([*enough, wide[-1]][0])
                return intersect(kept)
        return given


def _inside(given: Type, change: Callable[[Type], Type]) -> Type:
    """Return a type with what is inside of its lists and objects changed."""
    match given:
        case List():
            return List(change(given.item))
        case Tuple():
            rest = None if given.rest is None else change(given.rest)
            return Tuple(tuple(map(change, given.items)), given.optional, rest)
        case Object():
            members = ((name, evolve(one, type=change(one.type))) for name, one in given.members)
            rest = None if given.rest is None else change(given.rest)
            return Object(tuple(members), rest)
        case Union():
            return unite(_inside(member, change) for member in given.members)
        case Intersection():
            return intersect(_inside(member, change) for member in given.members)
    return given
