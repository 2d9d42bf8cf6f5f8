"""Types of what is sent, where they differ from those of what comes back.

Nobody can send a property that is only read, so a type that must have one is declared twice: as it
comes back, and as it is sent, which bodies name.
"""

from collections.abc import Iterable, Mapping

from sourcebook_typescript.declare import Declarations
from sourcebook_typescript.text import name_apart
from sourcebook_typescript.types import Type, all_refs


class Sent:
    """The components of a description as they are sent.

    Attributes:
        declarations: makes types of schemas as they are sent.
        names: the identifiers of the components that differ, `PetInput`.
    """

    def __init__(self, received: Declarations, types: Mapping[str, Type]) -> None:
        """Take the declarations of all components as they come back, and their types."""
        differing = _differing(received)
        used = {*types}
        self.names = _name_all(differing, received.names, "Input", used)
        bases = {name: one for name, one in received.base_names.items() if name in differing}
        self._bases = _name_all(bases, self.names, "Base", used)
        self.declarations = Declarations(
            received.components,
            received.families,
            {**received.names, **self.names},
            {**received.base_names, **self._bases},
            received.docs,
            sent=True,
        )

    @property
    def identifiers(self) -> set[str]:
        """All identifiers that are taken."""
        return {*self.names.values(), *self._bases.values()}

    def declare(self, types: Iterable[Type]) -> dict[str, dict[str, Type]]:
        """Return the types that stand for the components which some types name as they are sent,
        directly or not, each by its identifier."""
        owners = {one: name for named in (self.names, self._bases) for name, one in named.items()}
        found: dict[str, dict[str, Type]] = {}
        waiting = [*types]
        while waiting:
            for ref in all_refs(waiting.pop()):
                name = owners.get(ref)
                if name is not None and name not in found:
                    found[name] = self.declarations.declare(name)
                    waiting.extend(found[name].values())
        return found


def _differing(received: Declarations) -> dict[str, None]:
    """Return the components that have something which must be there and is only read, or that lead
    to one."""
    named = {identifier: name for name, identifier in received.names.items()}
    named |= {identifier: name for name, identifier in received.base_names.items()}
    sent = Declarations(
        received.components, received.families, received.names, received.base_names, sent=True
    )
    users: dict[str, list[str]] = {}
    found: dict[str, None] = {}
    for name in received.names:
        sent.left_out = False
        for made in sent.declare(name).values():
            for ref in all_refs(made):
                users.setdefault(named[ref], []).append(name)
        if sent.left_out:
            found[name] = None
    waiting = [*found]
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user not in found:
                found[user] = None
                waiting.append(user)
    return {name: None for name in received.names if name in found}


def _name_all(
    names: Iterable[str], known: Mapping[str, str], ending: str, used: set[str]
) -> dict[str, str]:
    found = {}
    for name in names:
        found[name] = name_apart(f"{known[name]}{ending}", used)
        used.add(found[name])
    return found
