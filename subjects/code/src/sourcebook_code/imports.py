"""What the names mean that a file imports."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from sourcebook_code.corpus import (
    ELSEWHERE,
    UNKNOWN,
    Corpus,
    Dotted,
    Group,
    Nowhere,
    Type,
    Value,
    Whole,
)
from sourcebook_code.families import Family
from sourcebook_code.modules import File

_WHOLE = frozenset({"c", "shell", "dart", "csharp", "elixir", "ruby"})
"""Families whose plain imports bring in all names."""


MAX_REACH = 1000
"""Files that one includes by way of others, as far as they are looked at."""


MAX_HANDED_ON = 20
"""Files that hand a name on, one to the next, as far as they are followed."""


class Members(Protocol):
    """What imports ask of the values they lead to."""

    def members(self, value: Value, name: str) -> list[int]:
        """Return the declarations with a name that a value has."""

    def step(self, value: Value, name: str) -> Value:
        """Return what a member of a value is itself."""


class Imports:
    """What imports lead to, each followed once."""

    def __init__(self, corpus: Corpus, members: Members) -> None:
        self._corpus = corpus
        self._modules = corpus.modules
        self._members = members
        self._bound: dict[int, dict[str, list[int]]] = {}
        self._stars: dict[int, list[Value]] = {}
        self._deep = 0
        self._reached: dict[int, dict[int, None]] = {}
        self._known: dict[tuple[int, int], Value] = {}

    def bindings(self, file: File) -> dict[str, list[int]]:
        """Return the places of a file's imports by the names that they bind."""
        known = self._bound.get(file.place)
        if known is None:
            known = self._bound[file.place] = {}
            for at, (module, name, alias, _) in enumerate(file.fact["imports"]):
                if name == "*" and not alias:
                    continue
                bound = alias or name or _bound_name(module, file.family)
                if bound:
                    known.setdefault(bound, []).append(at)
        return known

    def value(self, file: File, name: str) -> Value | None:
        """Return what a name that a file imports means, the first that leads into the corpus; None
        if it imports no such name."""
        places = self.bindings(file).get(name)
        if places is None:
            return None
        if len(places) == 1:
            return self.at(file, places[0])
        values = [self.at(file, at) for at in places]
        return next((one for one in values if not isinstance(one, Nowhere)), values[0])

    def stars(self, file: File) -> list[Value]:
        """Return what a file imports all names of."""
        known = self._stars.get(file.place)
        if known is None:
            self._stars[file.place] = []
            family = file.family
            values = [
                self.at(file, at)
                for at, (_, name, alias, _) in enumerate(file.fact["imports"])
                if (name == "*" and not alias) or (family.name in _WHOLE and not name)
            ]
            if family.name in ("csharp", "php"):
                values += self._outer(file)
            inside = (one for one in values if not isinstance(one, Nowhere))
            known = self._stars[file.place] = list(dict.fromkeys(inside))
        return known

    def reach(self, file: File) -> Mapping[int, None]:
        """Return the files all names of which come with a file, by way of others too: nearer ones
        first, at most `MAX_REACH`, without itself."""
        known = self._reached.get(file.place)
        if known is None:
            known = self._reached[file.place] = {}
            found: dict[int, None] = {file.place: None}
            waiting = deque([file])
            while waiting and len(found) < MAX_REACH:
                for star in self.stars(waiting.popleft()):
                    if isinstance(star, Whole) and star.place not in found:
                        found[star.place] = None
                        waiting.append(self._corpus.files[star.place])
            del found[file.place]
            known = self._reached[file.place] = found
        return known

    def _outer(self, file: File) -> list[Value]:
        """Return the namespaces around that of a file."""
        found: list[Value] = []
        outer = file.package
        while "." in outer:
            outer = outer.rpartition(".")[0]
            group = self._corpus.package(file.family, outer)
            if group is not None:
                found.append(Group(group))
        return found

    def at(self, file: File, at: int) -> Value:
        """Return what the import at a place among those of a file leads to."""
        key = file.place, at
        value = self._known.get(key)
        if value is None:
            if self._deep >= MAX_HANDED_ON:
                return ELSEWHERE
            self._known[key] = ELSEWHERE  # what imports itself in a circle is nowhere
            self._deep += 1
            value = self._known[key] = self._follow(file, *file.fact["imports"][at][:3])
            self._deep -= 1
        return value

    def _follow(self, file: File, module: str, name: str, alias: str) -> Value:
        family = file.family.name
        if family == "python":
            return self._python(file, module, name, alias)
        if family == "javascript":
            return self._of_file(self._modules.script(file, module), name, alias)
        if family == "go":
            files = self._modules.go(module)
            return Group(self._corpus.groups[files[0]]) if files else ELSEWHERE
        if family == "rust":
            return self._rust(file, module, name)
        if family in _PATHS:
            found = self._modules.included(file, _PATHS[family](module))
            if found is not None or family != "c":
                return self._of_file(found, name, alias)
        return self._package(file, module, name)

    def _of_file(self, place: int | None, name: str, alias: str) -> Value:
        """Return a file, or what it has under a name."""
        if place is None:
            return ELSEWHERE
        if not name or name == "*":
            return Whole(place)
        nodes = self._members.members(Whole(place), name)
        if not nodes and name == "default":
            nodes = self._default(place, alias)
        return self._corpus.type_of(nodes) if nodes else UNKNOWN

    def _default(self, place: int, alias: str) -> list[int]:
        """Return what a file exports without a name: what is called as it is imported, else its
        only top declaration."""
        corpus = self._corpus
        first = corpus.firsts[place]
        count = len(corpus.files[place].fact["kinds"])
        tops = [
            node for node in range(first + 1, first + 1 + count) if corpus.parents[node] <= first
        ]
        named = [node for node in tops if corpus.titles[node] == alias]
        return named or (tops if len(tops) == 1 else [])

    def _python(self, file: File, module: str, name: str, alias: str) -> Value:
        if not name and not alias:  # `import a.b` binds `a`
            module = module.partition(".")[0]
        found = self._modules.python(file, module)
        value = python_value(found)
        if not name or name == "*" or isinstance(value, Nowhere):
            return value
        return self._members.step(value, name)

    def _rust(self, file: File, module: str, name: str) -> Value:
        parts = [one for one in module.replace("::", ".").split(".") if one]
        if name and name not in ("*", "self"):
            parts.append(name)
        found = self._modules.rust(file, parts) if parts else None
        if found is None:
            return ELSEWHERE
        place, left = found
        return self.stepped(Whole(place), left)

    def stepped(self, value: Value, names: Sequence[str]) -> Value:
        """Return what is reached from a value by names one after another."""
        for name in names:
            if isinstance(value, Nowhere):
                break
            value = self._members.step(value, name)
        return value

    def _package(self, file: File, module: str, name: str) -> Value:
        """Return what an import of a package, of a type in one, or of a member of that means."""
        corpus, family = self._corpus, file.family
        path = module.replace("\\", ".").replace("::", ".").strip(".")
        full = f"{path}.{name}" if name and name != "*" else path
        if family.group == "all":
            group = corpus.groups[file.place]
            return Type(group, full) if full in corpus.by_title[group] else ELSEWHERE
        parts = full.split(".")
        for at in range(len(parts), 0, -1):
            found = corpus.package(family, ".".join(parts[:at]))
            if found is not None:
                title = ".".join(parts[at:])
                if not title:
                    return Group(found)
                return Type(found, title) if title in corpus.by_title[found] else UNKNOWN
        return ELSEWHERE


_PATHS: dict[str, Callable[[str], str]] = {
    "c": lambda module: module,
    "shell": lambda module: module,
    "dart": lambda module: (
        f"lib/{module.partition('/')[2]}" if module.startswith("package:") else module
    ),
    "ruby": lambda module: module if module.endswith(".rb") else f"{module}.rb",
    "haskell": lambda module: f"{module.replace('.', '/')}.hs",
    "lua": lambda module: f"{module.replace('.', '/')}.lua",
}
"""From what is imported to the end of a file's path, for families that import files."""


def python_value(found: int | str | None) -> Value:
    """Return what a module of Python is, see `Modules.python`."""
    if found is None:
        return ELSEWHERE
    return Dotted(found) if isinstance(found, str) else Whole(found)


def _bound_name(module: str, family: Family) -> str:
    """Return the name by which what is imported as a whole is called."""
    if family.name == "python":
        return module.partition(".")[0]
    if family.name == "go":
        parts = module.split("/")
        versioned = len(parts) > 1 and parts[-1][:1] == "v" and parts[-1][1:].isdigit()
        return parts[-2] if versioned else parts[-1]
    if family.name in ("javascript", "c", "shell", "dart"):
        return ""
    return module.replace("\\", ".").replace("::", ".").replace("/", ".").rpartition(".")[2]
