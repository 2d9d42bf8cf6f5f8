"""From calls, imports and base types as written to the declarations they mean.

A name is followed as its language would: what a scope holds, what the own type and its bases have,
what an import brings in, what the package shares. What leads out of the corpus has no edge. Where
only a name speaks for an edge, the edge says so: `unique name` if there is one such declaration,
`ambiguous` if there are a few.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sourcebook_code.families import Family, common_members
from sourcebook_code.modules import File, Modules
from sourcebook_code.variables import CLASSES, TYPES

PROVENANCES = ("resolved", "unique name", "ambiguous")
RESOLVED, UNIQUE, AMBIGUOUS = range(3)

LABELS = ("calls", "imports", "extends")
CALLS, IMPORTS, EXTENDS = range(3)

MAX_AMBIGUOUS = 3
"""More declarations that a name may mean than this say nothing."""

DEPTH = 8
"""Re-exports, base types and assignments that are followed one after another."""


class Link(NamedTuple):
    """An edge: nodes at its ends, its label and provenance, the line where it is written."""

    start: int
    end: int
    label: int
    provenance: int
    line: int


class Type(NamedTuple):
    """A declaration by its qualified name, as an owner of members."""

    group: int
    title: str


class Super(NamedTuple):
    """The base types of a type."""

    group: int
    title: str


class Whole(NamedTuple):
    """A file as an owner of what it declares and imports."""

    place: int


class Group(NamedTuple):
    """All files of a group."""

    group: int


class Dotted(NamedTuple):
    """A package of which only modules below it are files."""

    name: str


class Elsewhere(NamedTuple):
    """What is not of the corpus."""


class Unknown(NamedTuple):
    """What hides outer names, and nothing else is known of."""


Value = Type | Super | Whole | Group | Dotted | Elsewhere | Unknown

ELSEWHERE, UNKNOWN = Elsewhere(), Unknown()

Found = tuple[list[int], int]
"""Nodes, and their provenance."""

NOTHING: Found = ([], RESOLVED)


class Corpus:
    """The nodes of all files: a file, then its declarations, file after file."""

    def __init__(self, files: Sequence[File]) -> None:
        self.files = files
        self.modules = Modules(files)
        self.firsts: list[int] = []
        self.file_of: list[int] = []
        self.kinds: list[str] = []
        self.names: list[str] = []
        self.titles: list[str] = []
        self.parents: list[int] = []
        self.groups: list[int] = []
        self._groups: dict[tuple[str, ...], int] = {}
        self.by_title: list[dict[str, list[int]]] = []
        self.members: dict[str, dict[str, list[int]]] = {}
        self.tops: dict[str, dict[str, list[int]]] = {}
        for file in files:
            self._add(file)

    def _add(self, file: File) -> None:
        first = len(self.kinds)
        self.firsts.append(first)
        fact, family = file.fact, file.family
        group = self._group(file)
        self.groups.append(group)
        count = len(fact["kinds"]) + 1
        self.file_of += [file.place] * count
        self.kinds += ["file", *fact["kinds"]]
        self.names += [file.name, *fact["names"]]
        self.parents += [-1, *(first + 1 + parent for parent in fact["parents"])]
        titles = [""]
        by_title = self.by_title[group]
        members = self.members.setdefault(family.name, {})
        tops = self.tops.setdefault(family.name, {})
        rows = zip(fact["names"], fact["titles"], fact["parents"], fact["kinds"], strict=True)
        for node, (name, told, parent, kind) in enumerate(rows, first + 1):
            owner = titles[parent + 1]
            title = told or (f"{owner}.{name}" if owner else name)
            titles.append(title)
            by_title.setdefault(title, []).append(node)
            if title == name:
                tops.setdefault(name, []).append(node)
            elif kind not in TYPES and self._is_member(first, parent, kind, owner, told):
                members.setdefault(name, []).append(node)
        self.titles += titles

    def _is_member(self, first: int, parent: int, kind: str, owner: str, told: str) -> bool:
        if parent < 0:
            return bool(told)  # written outside of its type
        return self.kinds[first + 1 + parent] in CLASSES

    def _group(self, file: File) -> int:
        family = file.family
        key: tuple[str, ...]
        if family.group == "all":
            key = (family.name,)
        elif family.group == "folder" or (family.group == "package" and not file.package):
            key = (family.name, "folder", file.folder)
        elif family.group == "package":
            key = (family.name, "package", file.package)
        else:
            key = (family.name, "file", file.name)
        group = self._groups.setdefault(key, len(self._groups))
        if group == len(self.by_title):
            self.by_title.append({})
        return group

    def package(self, family: Family, name: str) -> int | None:
        """Return the group of a package."""
        return self._groups.get((family.name, "package", name))


class Resolver:
    """Says what the names in the files of a corpus mean."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._modules = corpus.modules
        self._bound: dict[int, dict[str, list[int]]] = {}
        self._stars: dict[int, list[Value]] = {}
        self._imported: dict[tuple[int, int], Value] = {}
        self._variables: list[dict[tuple[int, str], str]] = []
        self._returns: dict[int, str] = {}
        self._bases: dict[int, list[str]] = {}
        self._base_types: dict[Type, list[Value]] = {}
        self._types: dict[tuple[int, str], Value] = {}
        self._deep = 0
        self._common = common_members()
        for file, first in zip(corpus.files, corpus.firsts, strict=True):
            fact = file.fact
            self._variables.append(
                {(first + 1 + at, name): kind for at, name, kind in fact["variables"]}
            )
            for at, result in fact["returns"]:
                self._returns[first + 1 + at] = result
            for at, base in fact["bases"]:
                self._bases.setdefault(first + 1 + at, []).append(base)

    # ---- edges

    def links(self) -> Iterator[Link]:
        """Yield every edge; of calls of one declaration by another the surest, then the first."""
        for file in self._corpus.files:
            found: dict[tuple[int, int, int], Link] = {}
            for link in (*self._calls(file), *self._imports(file), *self._extends(file)):
                key = link[:3]
                kept = found.get(key)
                if kept is None or (link.provenance, link.line) < (kept.provenance, kept.line):
                    found[key] = link
            yield from found.values()

    def _calls(self, file: File) -> Iterator[Link]:
        first = self._corpus.firsts[file.place]
        words, rows = file.fact["words"], file.fact["calls"]
        for at in range(0, len(rows), 3):
            node = first + 1 + rows[at]
            nodes, provenance = self.call(file, node, words[rows[at + 1]])
            for end in nodes:
                yield Link(node, end, CALLS, provenance, rows[at + 2])

    def _imports(self, file: File) -> Iterator[Link]:
        first = self._corpus.firsts[file.place]
        for at, (_, _, _, line) in enumerate(file.fact["imports"]):
            value = self._import(file, at)
            for end in self._shown(value):
                if end != first:
                    yield Link(first, end, IMPORTS, RESOLVED, line)

    def _shown(self, value: Value) -> list[int]:
        """Return the nodes that an edge to a value leads to."""
        corpus = self._corpus
        if isinstance(value, Whole):
            return [corpus.firsts[value.place]]
        if isinstance(value, Type):
            nodes = corpus.by_title[value.group].get(value.title, [])
            return nodes if len(nodes) <= MAX_AMBIGUOUS else []
        if isinstance(value, Group):
            nodes = [
                corpus.firsts[at] for at, one in enumerate(corpus.groups) if one == value.group
            ]
            return nodes if len(nodes) <= MAX_AMBIGUOUS else []
        return []

    def _extends(self, file: File) -> Iterator[Link]:
        first = self._corpus.firsts[file.place]
        for at, _ in file.fact["bases"]:
            node = first + 1 + at
            for base in self._bases_of(
                Type(self._corpus.groups[file.place], self._corpus.titles[node])
            ):
                for end in self._shown(base):
                    if end != node:
                        yield Link(node, end, EXTENDS, RESOLVED, file.fact["firsts"][at])

    # ---- one call

    def call(self, file: File, node: int, word: str) -> Found:
        """Return what a name that is called in a declaration means."""
        head, *rest = word.split(".")
        if not head:
            return self._guess(file, rest[-1], rest[-2] if len(rest) > 1 else "")
        if not rest:
            return self._bare(file, node, head)
        value, left = self._head(file, node, [head, *rest])
        while len(left) > 1 and not isinstance(value, Elsewhere | Unknown):
            value, left = self._step(value, left[0]), left[1:]
        if isinstance(value, Elsewhere):
            return NOTHING
        if isinstance(value, Unknown):
            return self._guess(file, rest[-1], rest[-2] if len(rest) > 1 else head)
        return self._pick(self._members(value, left[0]), file)

    def _pick(self, nodes: Sequence[int], file: File) -> Found:
        """Return one of some declarations with the same qualified name, or all of a few."""
        if len(nodes) < 2:
            return [*nodes], RESOLVED
        corpus = self._corpus
        near = [node for node in nodes if corpus.file_of[node] == file.place]
        if near:
            nodes = near
        places = {corpus.file_of[node] for node in nodes}
        if len(places) == 1 and (len(nodes) == 1 or not file.family.overloads):
            return [nodes[-1]], RESOLVED  # the last one stands
        return ([*nodes], AMBIGUOUS) if len(nodes) <= MAX_AMBIGUOUS else NOTHING

    def _bare(self, file: File, node: int, name: str) -> Found:
        corpus = self._corpus
        family = file.family
        if name in family.this:
            return self._pick(self._nodes(self._own(file, node)), file)
        if self._variable(file, node, name) is not None:
            return NOTHING
        nodes = self._lexical(file, node, name)
        if nodes:
            return self._pick(nodes, file)
        if name in self._bindings(file):
            value = self._bound_value(file, name)
            return self._pick(self._nodes(value), file)
        for star in self._star_values(file):
            nodes = self._members(star, name)
            if nodes:
                return self._pick(nodes, file)
        if not family.everywhere:
            return NOTHING
        nodes = [
            one
            for one in corpus.tops.get(family.name, {}).get(name, ())
            if corpus.kinds[one] != "constant"
        ]
        if len(nodes) == 1:
            return nodes, UNIQUE
        return (nodes, AMBIGUOUS) if len(nodes) <= MAX_AMBIGUOUS else NOTHING

    def _guess(self, file: File, name: str, receiver: str) -> Found:
        """Return the members that a name may mean of an object that nothing is known of, but what
        its variable is called."""
        corpus = self._corpus
        nodes = corpus.members.get(file.family.name, {}).get(name, [])
        if not nodes or name.startswith("__"):
            return NOTHING
        called = receiver.replace("_", "").lower()
        if called:
            named = [
                node
                for node in nodes
                if corpus.titles[node].split(".")[-2].replace("_", "").lower() == called
            ]
            if len(named) == 1:
                return named, UNIQUE
        if name in self._common:
            return NOTHING
        if len(nodes) == 1:
            return [*nodes], UNIQUE
        return ([*nodes], AMBIGUOUS) if len(nodes) <= MAX_AMBIGUOUS else NOTHING

    # ---- scopes

    def _lexical(self, file: File, node: int, name: str) -> list[int]:
        """Return what a bare name means by where it stands: in what surrounds it, in the own type
        if members need no `this`, at the top of the file or of its package."""
        corpus, family = self._corpus, file.family
        group = corpus.groups[file.place]
        titles = corpus.by_title[group]
        first = corpus.firsts[file.place]
        at = node
        title = ""
        while at > first:
            title, kind = corpus.titles[at], corpus.kinds[at]
            if kind not in CLASSES:
                found = titles.get(f"{title}.{name}")
            else:
                found = self._members(Type(group, title), name) if family.implicit else None
            if found:
                return found
            if corpus.parents[at] <= first and family.implicit and "." in title:
                owner = title.rpartition(".")[0]
                found = self._members(Type(group, owner), name)
                if found:
                    return found
            at = corpus.parents[at]
        found = titles.get(name, [])
        if len(found) > 1:
            found = [one for one in found if corpus.file_of[one] == file.place] or found
        return found

    def _own(self, file: File, node: int) -> Value:
        """Return the type that a member belongs to."""
        corpus = self._corpus
        first = corpus.firsts[file.place]
        group = corpus.groups[file.place]
        at = node
        last = node
        while at > first:
            if corpus.kinds[at] in TYPES and (at != node or corpus.kinds[at] in CLASSES):
                return Type(group, corpus.titles[at])
            last, at = at, corpus.parents[at]
        owner = corpus.titles[last].rpartition(".")[0]
        return Type(group, owner) if owner else UNKNOWN

    def _variable(self, file: File, node: int, name: str) -> str | None:
        """Return what is known of a variable where it is seen; None if there is none."""
        known = self._variables[file.place]
        if not known:
            return None
        first = self._corpus.firsts[file.place]
        at = node
        python = file.family.name == "python"
        while at > first:
            kind = known.get((at, name))
            # A field is no variable of methods where these must name their object.
            if kind is not None and not (python and at != node and self._is_class(at)):
                return kind
            at = self._corpus.parents[at]
        return known.get((first, name))

    def _is_class(self, node: int) -> bool:
        return self._corpus.kinds[node] in CLASSES

    def _head(self, file: File, node: int, parts: list[str]) -> tuple[Value, list[str]]:
        """Return what the first of some names means, and the names that are left."""
        family, head, rest = file.family, parts[0], parts[1:]
        if head in family.this:
            if family.name == "rust" and head == "self" and not self._is_method(node):
                return self._rust_path(file, parts)
            return self._own(file, node), rest
        if head in family.super:
            own = self._own(file, node)
            return (Super(*own) if isinstance(own, Type) else UNKNOWN), rest
        if family.name == "rust" and head in ("crate", "super"):
            return self._rust_path(file, parts)
        kind = self._variable(file, node, head)
        if kind is not None:
            return self._typed(file, node, kind), rest
        nodes = self._lexical(file, node, head)
        if nodes:
            return Type(
                self._corpus.groups[self._corpus.file_of[nodes[-1]]], self._corpus.titles[nodes[-1]]
            ), rest
        if head in self._bindings(file):
            value = self._bound_value(file, head)
            return value, rest
        for star in self._star_values(file):
            nodes = self._members(star, head)
            if nodes:
                return self._as_type(nodes), rest
        return self._absolute(file, parts)

    def _is_method(self, node: int) -> bool:
        return "." in self._corpus.titles[node]

    def _as_type(self, nodes: Sequence[int]) -> Value:
        node = nodes[-1]
        corpus = self._corpus
        return Type(corpus.groups[corpus.file_of[node]], corpus.titles[node])

    def _absolute(self, file: File, parts: list[str]) -> tuple[Value, list[str]]:
        """Return what a name means that is written from the top: a package and what is in it."""
        corpus, family = self._corpus, file.family
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
        if family.everywhere or family.name in ("dart",):
            nodes = corpus.tops.get(family.name, {}).get(parts[0], [])
            if len(nodes) == 1:
                return self._as_type(nodes), parts[1:]
        return UNKNOWN, parts[1:]

    def _rust_path(self, file: File, parts: list[str]) -> tuple[Value, list[str]]:
        found = self._modules.rust(file, parts[:-1])
        if found is None:
            return UNKNOWN if parts[0][:1].islower() and len(parts) == 2 else ELSEWHERE, parts[1:]
        place, left = found
        return Whole(place), [*left, parts[-1]]

    # ---- types

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
            value = self._types[key] = self._find_type(file, node, kind)
            self._deep -= 1
        return value

    def _find_type(self, file: File, node: int, kind: str) -> Value:
        parts = kind[1:].split(".")
        if kind[0] == ":":
            return self._named_type(file, node, parts)
        nodes, value = self._called(file, node, parts)
        if isinstance(value, Elsewhere):
            return ELSEWHERE
        if not nodes:
            return UNKNOWN
        corpus = self._corpus
        called = nodes[-1]
        if corpus.kinds[called] in CLASSES:
            return self._as_type(nodes)
        other = corpus.files[corpus.file_of[called]]
        result = self._returns.get(called, "")
        if not result:
            return UNKNOWN
        if result in other.family.this:
            return self._own(other, called)
        return self._named_type(other, called, result.split("."))

    def _called(self, file: File, node: int, parts: list[str]) -> tuple[list[int], Value]:
        """Return what a call that gives a variable its value means, and where it is followed to."""
        word = ".".join(parts)
        if parts[0] in file.family.this and len(parts) == 1:
            return self._nodes(self._own(file, node)), UNKNOWN
        if len(parts) > 1:
            value, left = self._head(file, node, parts)
            while len(left) > 1 and not isinstance(value, Elsewhere | Unknown):
                value, left = self._step(value, left[0]), left[1:]
            if isinstance(value, Elsewhere | Unknown):
                return [], value
            return self._members(value, left[0]), UNKNOWN
        nodes, provenance = self._bare(file, node, word)
        if nodes and provenance == RESOLVED:
            return nodes, UNKNOWN
        if parts[0] in self._bindings(file):
            return [], self._bound_value(file, parts[0])
        return [], UNKNOWN

    def _named_type(self, file: File, node: int, parts: list[str]) -> Value:
        corpus = self._corpus
        if len(parts) == 1:
            nodes = self._lexical(file, node, parts[0])
            if not nodes and parts[0] in self._bindings(file):
                return self._bound_value(file, parts[0])
            if not nodes:
                for star in self._star_values(file):
                    nodes = self._members(star, parts[0])
                    if nodes:
                        break
            if not nodes and file.family.everywhere:
                nodes = corpus.tops.get(file.family.name, {}).get(parts[0], [])
            return self._as_type(nodes) if nodes else ELSEWHERE
        value, left = self._head(file, node, parts)
        while left and not isinstance(value, Elsewhere | Unknown):
            value, left = self._step(value, left[0]), left[1:]
        return value

    def _bases_of(self, own: Type) -> list[Value]:
        known = self._base_types.get(own)
        if known is None:
            self._base_types[own] = []  # a type that extends itself has no bases
            corpus = self._corpus
            known = []
            for node in corpus.by_title[own.group].get(own.title, ()):
                file = corpus.files[corpus.file_of[node]]
                outer = corpus.parents[node]
                for base in self._bases.get(node, ()):
                    value = self._named_type(file, outer if outer >= 0 else node, base.split("."))
                    if value != own and value not in known:
                        known.append(value)
            self._base_types[own] = known
        return known

    # ---- members

    def _nodes(self, value: Value) -> list[int]:
        if isinstance(value, Type):
            return self._corpus.by_title[value.group].get(value.title, [])
        return []

    def _members(self, value: Value, name: str, depth: int = DEPTH) -> list[int]:
        """Return the declarations with a name that a value has, the nearest ones."""
        corpus = self._corpus
        if not depth:
            return []
        if isinstance(value, Type):
            found = corpus.by_title[value.group].get(f"{value.title}.{name}", [])
            return found or self._members(Super(*value), name, depth)
        if isinstance(value, Super):
            for base in self._bases_of(Type(*value)):
                found = self._members(base, name, depth - 1)
                if found:
                    return found
            return []
        if isinstance(value, Group):
            return corpus.by_title[value.group].get(name, [])
        if isinstance(value, Whole):
            file = corpus.files[value.place]
            found = [
                node
                for node in corpus.by_title[corpus.groups[value.place]].get(name, ())
                if corpus.file_of[node] == value.place
            ]
            if found:
                return found
            return self._nodes(self._exported(file, name, depth - 1))
        return []

    def _exported(self, file: File, name: str, depth: int) -> Value:
        """Return what a file hands on under a name that it imports."""
        if not depth:
            return UNKNOWN
        if name in self._bindings(file):
            return self._bound_value(file, name)
        for star in self._star_values(file):
            if star != Whole(file.place):
                nodes = self._members(star, name, depth)
                if nodes:
                    return self._as_type(nodes)
        return UNKNOWN

    def _step(self, value: Value, name: str) -> Value:
        """Return what a member of a value is itself."""
        corpus = self._corpus
        if isinstance(value, Dotted):
            return self._python_value(self._modules.python_module(f"{value.name}.{name}"))
        if isinstance(value, Whole):
            file = corpus.files[value.place]
            nodes = self._members(value, name)
            if nodes:
                return self._as_type(nodes)
            exported = self._exported(file, name, DEPTH)
            if not isinstance(exported, Unknown):
                return exported
            if file.family.name == "python" and file.name.endswith("__init__.py"):
                path = f"{file.folder}/{name}" if file.folder else name
                for one in (f"{path}.py", f"{path}/__init__.py"):
                    place = self._modules.at(one)
                    if place is not None:
                        return Whole(place)
            return self._variable_of(file, corpus.firsts[value.place], name)
        if isinstance(value, Type):
            nodes = self._members(value, name)
            if nodes and corpus.kinds[nodes[-1]] in TYPES:
                return self._as_type(nodes)
            return self._field(value, name)
        nodes = self._members(value, name)
        return self._as_type(nodes) if nodes else UNKNOWN

    def _variable_of(self, file: File, node: int, name: str) -> Value:
        kind = self._variables[file.place].get((node, name))
        return UNKNOWN if kind is None else self._typed(file, node, kind)

    def _field(self, own: Type, name: str, depth: int = DEPTH) -> Value:
        """Return the type of a field of a type or of its bases, or what its property returns."""
        corpus = self._corpus
        if not depth:
            return UNKNOWN
        for node in corpus.by_title[own.group].get(own.title, ()):
            place = corpus.file_of[node]
            kind = self._variables[place].get((node, name))
            if kind is not None:
                return self._typed(corpus.files[place], node, kind)
        for node in corpus.by_title[own.group].get(f"{own.title}.{name}", ()):
            result = self._returns.get(node)
            if result and corpus.kinds[node] == "property":
                file = corpus.files[corpus.file_of[node]]
                return self._named_type(file, node, result.split("."))
        for base in self._bases_of(own):
            if isinstance(base, Type):
                value = self._field(base, name, depth - 1)
                if not isinstance(value, Unknown):
                    return value
        return UNKNOWN

    # ---- imports

    def _bindings(self, file: File) -> dict[str, list[int]]:
        """Return the imports of a file by the names that they bind."""
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

    def _bound_value(self, file: File, name: str) -> Value:
        """Return what a name that a file imports means: the first that leads into the corpus."""
        values = [self._import(file, at) for at in self._bindings(file)[name]]
        inside = [one for one in values if not isinstance(one, Elsewhere | Unknown)]
        return inside[0] if inside else values[0]

    def _star_values(self, file: File) -> list[Value]:
        """Return what a file imports all names of."""
        known = self._stars.get(file.place)
        if known is None:
            self._stars[file.place] = []
            family = file.family
            values: list[Value] = []
            for at, (_, name, alias, _) in enumerate(file.fact["imports"]):
                if (name == "*" and not alias) or (family.name in _WHOLE and not name):
                    value = self._import(file, at)
                    if not isinstance(value, Elsewhere | Unknown):
                        values.append(value)
            if family.name in ("csharp", "php"):
                outer = file.package
                while "." in outer:
                    outer = outer.rpartition(".")[0]
                    group = self._corpus.package(family, outer)
                    if group is not None:
                        values.append(Group(group))
            known = self._stars[file.place] = list(dict.fromkeys(values))
        return known

    def _import(self, file: File, at: int) -> Value:
        key = file.place, at
        value = self._imported.get(key)
        if value is None:
            self._imported[key] = ELSEWHERE  # what imports itself in a circle is nowhere
            value = self._imported[key] = self._resolve_import(file, at)
        return value

    def _resolve_import(self, file: File, at: int) -> Value:
        module, name, alias, _ = file.fact["imports"][at]
        family = file.family.name
        if family == "python":
            return self._python_import(file, module, name, alias)
        if family == "javascript":
            place = self._modules.script(file, module)
            return self._of_whole(place, name, alias)
        if family == "go":
            files = self._modules.go(module)
            return Group(self._corpus.groups[files[0]]) if files else ELSEWHERE
        if family == "rust":
            return self._rust_import(file, module, name)
        if family == "haskell":
            found = self._modules.ending(f"{module.replace('.', '/')}.hs")
            return self._of_whole(found[0], name, alias) if len(found) == 1 else ELSEWHERE
        if family == "lua":
            path = module.replace(".", "/")
            found = [
                one
                for tail in (f"{path}.lua", f"{path}/init.lua")
                for one in self._modules.ending(tail)
            ]
            return Whole(found[0]) if len(found) == 1 else ELSEWHERE
        if family in ("c", "shell", "dart", "ruby"):
            path = module
            if family == "dart" and module.startswith("package:"):
                path = f"lib/{module.partition('/')[2]}"
            if family == "ruby" and not module.endswith(".rb"):
                path = f"{module}.rb"
            found = self._modules.included(file, path)
            return self._of_whole(found[0], name, alias) if found else ELSEWHERE
        return self._package_import(file, module, name)

    def _of_whole(self, place: int | None, name: str, alias: str) -> Value:
        """Return a file, or what it has under a name."""
        if place is None:
            return ELSEWHERE
        if not name or name == "*":
            return Whole(place)
        nodes = self._members(Whole(place), name)
        if not nodes and name == "default" and alias:
            nodes = self._default(place, alias)
        return self._as_type(nodes) if nodes else UNKNOWN

    def _default(self, place: int, alias: str) -> list[int]:
        """Return what a file exports without a name: what is called alike, else its only top
        declaration."""
        corpus = self._corpus
        first = corpus.firsts[place]
        count = len(corpus.files[place].fact["kinds"])
        tops = [
            node for node in range(first + 1, first + 1 + count) if corpus.parents[node] <= first
        ]
        named = [node for node in tops if corpus.titles[node] == alias]
        return named or (tops if len(tops) == 1 else [])

    def _python_import(self, file: File, module: str, name: str, alias: str) -> Value:
        found = self._modules.python(file, module)
        if not name:
            if alias or "." not in module:
                return self._python_value(found)
            top = module.partition(".")[0]
            return self._python_value(self._modules.python_module(top))
        value = self._python_value(found)
        if name == "*" or isinstance(value, Elsewhere):
            return value
        return self._step(value, name)

    def _python_value(self, found: int | str | None) -> Value:
        if found is None:
            return ELSEWHERE
        return Dotted(found) if isinstance(found, str) else Whole(found)

    def _rust_import(self, file: File, module: str, name: str) -> Value:
        parts = [one for one in module.split(".") if one]
        if name and name not in ("*", "self"):
            parts.append(name)
        if not parts:
            return ELSEWHERE
        found = self._modules.rust(file, parts)
        if found is None:
            return ELSEWHERE
        place, left = found
        value: Value = Whole(place)
        for one in left:
            value = self._step(value, one)
        return value

    def _package_import(self, file: File, module: str, name: str) -> Value:
        """Return what an import of a package, of a type in one, or of a member of that means."""
        corpus, family = self._corpus, file.family
        path = module.replace("\\", ".").strip(".")
        full = f"{path}.{name}" if name and name != "*" else path
        parts = [one for one in full.split(".") if one]
        for at in range(len(parts), -1, -1):
            group = corpus.package(family, ".".join(parts[:at]))
            if group is None and family.group == "all":
                group = corpus.groups[file.place]
                if full in corpus.by_title[group]:
                    return Type(group, full)
                return ELSEWHERE
            if group is not None:
                left = parts[at:]
                if not left:
                    return Group(group)
                title = ".".join(left)
                return Type(group, title) if title in corpus.by_title[group] else UNKNOWN
        return ELSEWHERE


_WHOLE = frozenset({"c", "shell", "dart", "csharp", "haskell"})
"""Families whose plain imports bring in all names."""


def _bound_name(module: str, family: Family) -> str:
    """Return the name by which what is imported as a whole is called."""
    if family.name == "python":
        return module.partition(".")[0]
    if family.name == "go":
        parts = module.split("/")
        versioned = len(parts) > 1 and parts[-1][:1] == "v" and parts[-1][1:].isdigit()
        return parts[-2] if versioned else parts[-1]
    if family.name in ("javascript", *_WHOLE):
        return ""
    return module.replace("\\", ".").replace("/", ".").rpartition(".")[2]
