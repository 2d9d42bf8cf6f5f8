"""What a name means where it stands: by scopes, own members, base types, variables and imports."""

from collections import deque

from sourcebook_code.corpus import (
    ELSEWHERE,
    UNKNOWN,
    Corpus,
    Dotted,
    Group,
    Nowhere,
    Super,
    Type,
    Value,
    Whole,
)
from sourcebook_code.imports import Imports, python_value
from sourcebook_code.modules import File
from sourcebook_code.variables import CLASSES, TYPES

DEPTH = 12
"""Assignments and base types that are followed one after another, to know of one variable."""

MAX_LINEAGE = 200
"""Types that one type extends."""


class Scopes:
    """The values of names in the files of a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.imports = Imports(corpus, self)
        self._variables: list[dict[tuple[int, str], str]] = []
        self._returns: dict[int, str] = {}
        self._bases: dict[int, list[str]] = {}
        self._base_types: dict[int, list[Value]] = {}
        self._lineages: dict[Type, list[Type]] = {}
        self._types: dict[tuple[int, str], Value] = {}
        self._deep = 0
        for file, first in zip(corpus.files, corpus.firsts, strict=True):
            fact = file.fact
            self._variables.append(
                {(first + 1 + at, name): kind for at, name, kind in fact["variables"]}
            )
            for at, result in fact["returns"]:
                self._returns[first + 1 + at] = result
            for at, base in fact["bases"]:
                self._bases.setdefault(first + 1 + at, []).append(base)

    # ---- names

    def follow(self, file: File, node: int, parts: list[str]) -> tuple[Value, str]:
        """Return what all names but the last lead to, and the last."""
        value, left = self._head(file, node, parts)
        while len(left) > 1 and not isinstance(value, Nowhere):
            value, left = self.step(value, left[0]), left[1:]
        return value, left[-1]

    def _head(self, file: File, node: int, parts: list[str]) -> tuple[Value, list[str]]:
        """Return what the first of some names means, and the names that are left."""
        family, head, rest = file.family, parts[0], parts[1:]
        rust = family.name == "rust"
        if head in family.this and not (rust and head == "self" and self._is_free(node)):
            return self.own(file, node), rest
        if head in family.super:
            own = self.own(file, node)
            return (Super(*own) if isinstance(own, Type) else UNKNOWN), rest
        if rust and head in ("crate", "super", "self"):
            return self._rust_path(file, parts)
        kind = self.variable(file, node, head)
        if kind is not None:
            return self._typed(file, node, kind), rest
        nodes = self.lexical(file, node, head)
        if nodes:
            return self.corpus.type_of(nodes), rest
        value = self.imports.value(file, head)
        if value is not None:
            return value, rest
        nodes = self.grouped(file, head) or self.starred(file, head)
        if nodes:
            return self.corpus.type_of(nodes), rest
        return self._absolute(file, parts)

    def _is_free(self, node: int) -> bool:
        return "." not in self.corpus.titles[node]

    def lexical(self, file: File, node: int, name: str) -> list[int]:
        """Return what a bare name means by where it stands: in what surrounds it, in the own type
        if members need no `this`, at the top of the file."""
        corpus, family = self.corpus, file.family
        group = corpus.groups[file.place]
        titles = corpus.by_title[group]
        first = corpus.firsts[file.place]
        at = node
        while at > first:
            title, parent = corpus.titles[at], corpus.parents[at]
            found: list[int] | None
            if corpus.kinds[at] not in CLASSES:
                found = titles.get(f"{title}.{name}")
            else:
                found = self.members(Type(group, title), name) if family.implicit else None
            if not found and family.implicit:
                owner = title.rpartition(".")[0]
                if owner and owner != corpus.titles[parent]:
                    # It is written outside of the type or namespace it belongs to.
                    found = self.members(Type(group, owner), name)
            if found:
                return found
            at = parent
        return corpus.within(titles.get(name, []), file.place)

    def grouped(self, file: File, name: str) -> list[int]:
        """Return what other files of the group have at their top."""
        corpus = self.corpus
        return corpus.by_title[corpus.groups[file.place]].get(name, [])

    def starred(self, file: File, name: str) -> list[int]:
        """Return what a name means of which a file imports all names."""
        corpus = self.corpus
        reach = self.imports.reach(file)
        if reach and file.family.group == "all":
            found = corpus.by_title[corpus.groups[file.place]].get(name, ())
            return [node for node in found if corpus.file_of[node] in reach]
        for place in reach:
            nodes = self._declared(place, name) or corpus.nodes(
                self.imports.value(corpus.files[place], name) or UNKNOWN
            )
            if nodes:
                return nodes
        for star in self.imports.stars(file):
            nodes = [] if isinstance(star, Whole) else self.members(star, name)
            if nodes:
                return nodes
        return []

    def _declared(self, place: int, name: str) -> list[int]:
        """Return what a file has at its top."""
        corpus = self.corpus
        titles = corpus.by_title[corpus.groups[place]]
        found = corpus.within(titles.get(name, []), place)
        if not found and corpus.files[place].family.name == "lua":
            # What a file returns is a table, in which its functions are written.
            some = corpus.members["lua"].get(name, ())
            found = [node for node in some if corpus.file_of[node] == place]
        return found

    def own(self, file: File, node: int) -> Value:
        """Return the type that a declaration belongs to."""
        corpus = self.corpus
        first = corpus.firsts[file.place]
        group = corpus.groups[file.place]
        at = last = node
        while at > first:
            kind, parent = corpus.kinds[at], corpus.parents[at]
            if kind in CLASSES or (kind in TYPES and at != node):
                return Type(group, corpus.titles[at])
            owner = corpus.titles[at].rpartition(".")[0]
            if owner and owner != corpus.titles[parent] and corpus.titles[parent] != "":
                return Type(group, owner)  # it is written in no more than the namespace of its type
            last, at = at, parent
        owner = corpus.titles[last].rpartition(".")[0]
        return Type(group, owner) if owner else UNKNOWN

    def _absolute(self, file: File, parts: list[str]) -> tuple[Value, list[str]]:
        """Return what names mean that are written from the top: a package and what is in it."""
        corpus, family = self.corpus, file.family
        if family.name == "rust":
            return self._rust_path(file, parts)
        for at in range(len(parts) - 1, 0, -1):
            title = ".".join(parts[:at])
            if family.group == "all":
                if title in corpus.by_title[corpus.groups[file.place]]:
                    return Type(corpus.groups[file.place], title), parts[at:]
            elif family.group == "package":
                group = corpus.package(family, title)
                if group is not None:
                    return Group(group), parts[at:]
        # A type of another name is not of the corpus: an import would have brought it in.
        elsewhere = family.imports_types and parts[0][:1].isupper()
        return ELSEWHERE if elsewhere else UNKNOWN, parts[1:]

    def _rust_path(self, file: File, parts: list[str]) -> tuple[Value, list[str]]:
        found = self.corpus.modules.rust(file, parts[:-1])
        if found is None:
            return UNKNOWN if len(parts) == 2 and parts[0][:1].islower() else ELSEWHERE, parts[1:]
        place, left = found
        return Whole(place), [*left, parts[-1]]

    # ---- variables and types

    def variable(self, file: File, node: int, name: str) -> str | None:
        """Return what is known of a variable where it is seen, see `facts.VariableRow`; None if
        there is none."""
        known = self._variables[file.place]
        if not known:
            return None
        corpus = self.corpus
        first = corpus.firsts[file.place]
        python = file.family.name == "python"
        at = node
        while at > first:
            kind = known.get((at, name))
            # In Python a field is no variable of methods: these must name their object.
            if kind is not None and not (python and at != node and corpus.kinds[at] in CLASSES):
                return kind
            at = corpus.parents[at]
        return known.get((first, name))

    def _typed(self, file: File, node: int, kind: str) -> Value:
        """Return the type of a variable from what is written of it."""
        if not kind:
            return UNKNOWN
        key = node, kind
        value = self._types.get(key)
        if value is None:
            self._types[key] = UNKNOWN  # of what is made from itself nothing is known
            if self._deep >= DEPTH:
                return UNKNOWN
            self._deep += 1
            parts = kind[1:].split(".")
            value = (
                self._named(file, node, parts)
                if kind[0] == ":"
                else self._returned(file, node, parts)
            )
            self._types[key] = value
            self._deep -= 1
        return value

    def _named(self, file: File, node: int, parts: list[str]) -> Value:
        """Return the type that a name in an annotation means."""
        if len(parts) > 1:
            value, last = self.follow(file, node, parts)
            return value if isinstance(value, Nowhere) else self.step(value, last)
        name = parts[0]
        if name in file.family.this:
            return self.own(file, node)
        nodes = self.lexical(file, node, name)
        if not nodes:
            imported = self.imports.value(file, name)
            if imported is not None:
                return imported
            nodes = self.grouped(file, name) or self.starred(file, name)
        return self.corpus.type_of(nodes) if nodes else ELSEWHERE

    def _returned(self, file: File, node: int, parts: list[str]) -> Value:
        """Return the type of what a call returns."""
        corpus = self.corpus
        if len(parts) > 1:
            value, last = self.follow(file, node, parts)
            if isinstance(value, Nowhere):
                return value
            nodes = self.members(value, last)
        elif parts[0] in file.family.this:
            return self.own(file, node)
        else:
            nodes = self.lexical(file, node, parts[0])
            imported = None if nodes else self.imports.value(file, parts[0])
            if isinstance(imported, Nowhere):
                return imported
            if imported is not None:
                nodes = corpus.nodes(imported)
            nodes = nodes or self.grouped(file, parts[0]) or self.starred(file, parts[0])
        if not nodes:
            return UNKNOWN
        called = nodes[-1]
        if corpus.kinds[called] in CLASSES:
            return corpus.type_of(nodes)
        result = self._returns.get(called)
        other = corpus.files[corpus.file_of[called]]
        return self._named(other, called, result.split(".")) if result else UNKNOWN

    def lineage(self, own: Type) -> list[Type]:
        """Return a type and all that it extends, nearer ones first, at most `MAX_LINEAGE`."""
        known = self._lineages.get(own)
        if known is None:
            self._lineages[own] = [own]  # a type that extends itself has no other bases
            found = {own: None}
            waiting = deque([own])
            while waiting and len(found) < MAX_LINEAGE:
                one = waiting.popleft()
                for node in self.corpus.nodes(one):
                    for base in self.bases_at(node):
                        if isinstance(base, Type) and base not in found:
                            found[base] = None
                            waiting.append(base)
            known = self._lineages[own] = list(found)
        return known

    def bases_at(self, node: int) -> list[Value]:
        """Return the base types that one declaration names."""
        known = self._base_types.get(node)
        if known is None:
            self._base_types[node] = []
            if self._deep >= DEPTH:
                return []
            corpus = self.corpus
            file = corpus.files[corpus.file_of[node]]
            outer = max(corpus.parents[node], corpus.firsts[file.place])
            self._deep += 1
            names = self._bases.get(node, ())
            known = [self._named(file, outer, base.split(".")) for base in names]
            self._base_types[node] = known
            self._deep -= 1
        return known

    # ---- members

    def members(self, value: Value, name: str) -> list[int]:
        """Return the declarations with a name that a value has, those of the nearest owner."""
        corpus = self.corpus
        if isinstance(value, Type):
            found = corpus.by_title[value.group].get(f"{value.title}.{name}")
            return found or self._inherited(value, name)
        if isinstance(value, Super):
            return self._inherited(Type(*value), name)
        if isinstance(value, Group):
            return corpus.by_title[value.group].get(name, [])
        if isinstance(value, Whole):
            found = self._declared(value.place, name)
            return found or corpus.nodes(self._exported(corpus.files[value.place], name))
        return []

    def _inherited(self, own: Type, name: str) -> list[int]:
        for base in self.lineage(own)[1:]:
            found = self.corpus.by_title[base.group].get(f"{base.title}.{name}")
            if found:
                return found
        return []

    def _exported(self, file: File, name: str) -> Value:
        """Return what a file hands on under a name that it imports."""
        value = self.imports.value(file, name)
        if value is not None:
            return value
        nodes = self.starred(file, name)
        return self.corpus.type_of(nodes) if nodes else UNKNOWN

    def step(self, value: Value, name: str) -> Value:
        """Return what a member of a value is itself."""
        corpus = self.corpus
        if isinstance(value, Dotted):
            return python_value(corpus.modules.python_module(f"{value.name}.{name}"))
        if isinstance(value, Whole):
            return self._step_in_file(value, name)
        nodes = self.members(value, name)
        if isinstance(value, Type) and not (nodes and corpus.kinds[nodes[-1]] in TYPES):
            return self._field(value, name)
        return corpus.type_of(nodes) if nodes else UNKNOWN

    def _step_in_file(self, value: Whole, name: str) -> Value:
        corpus = self.corpus
        file = corpus.files[value.place]
        nodes = self.members(value, name)
        if nodes:
            return corpus.type_of(nodes)
        exported = self._exported(file, name)
        if not isinstance(exported, Nowhere):
            return exported
        if file.family.name == "python":
            place = corpus.modules.python_below(file, name)
            if place is not None:
                return Whole(place)
        first = corpus.firsts[value.place]
        kind = self._variables[value.place].get((first, name))
        return exported if kind is None else self._typed(file, first, kind)

    def _field(self, own: Type, name: str) -> Value:
        """Return the type of a field of a type or of its bases, or what its property returns."""
        corpus = self.corpus
        for one in self.lineage(own):
            for node in corpus.nodes(one):
                file = corpus.files[corpus.file_of[node]]
                kind = self._variables[file.place].get((node, name))
                if kind is not None:
                    return self._typed(file, node, kind)
            for node in corpus.by_title[one.group].get(f"{one.title}.{name}", ()):
                result = self._returns.get(node)
                if result and corpus.kinds[node] == "property":
                    file = corpus.files[corpus.file_of[node]]
                    return self._typed(file, node, f":{result}")
        return UNKNOWN
