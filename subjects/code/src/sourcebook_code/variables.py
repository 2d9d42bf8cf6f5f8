"""What is known of variables, results and base types, by the heads of declarations and by the lines
that assign: as much as telling methods of one name apart needs."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from sourcebook_code.declaration import Declaration, FileParse
from sourcebook_code.families import Family

TYPES = frozenset({
    "class", "struct", "union", "interface", "trait", "enum", "record", "object", "extension",
    "impl", "singleton", "module", "namespace",
})  # fmt: skip
"""Kinds whose names are owners of members."""

CLASSES = TYPES - {"module", "namespace"}
"""Kinds that a method belongs to as to its own object or type."""

_NAME = r"[^\W\d]\w*+"
_DOTTED = rf"{_NAME}(?:(?:\.|::|\\){_NAME})*"

_ASSIGNED = re.compile(
    rf"^[ \t]*+(?:(?:export|const|let|var|val|final|auto|local|my|static|private|public|protected|"
    rf"readonly|override|lazy|async|with|if|mut)[ \t]+)*"
    rf"(?P<name>(?:self\.|this\.|\$this->|@|\$)?{_NAME})(?P<more>(?:[ \t]*,[ \t]*\w+)*)[ \t]*"
    rf"(?:\??:[ \t]*(?P<type>[^=\n:;]{{1,80}}?))?"
    rf"[ \t]*(?:(?P<equals>(?:!|:)?=)(?![=>~])[ \t]*(?:(?:await|new|try[!?]?)[ \t]+|&)*"
    rf"(?P<value>\$?{_DOTTED})?[ \t]*(?P<open>[({{])?|(?=;|,?\r?$))",
    re.MULTILINE,
)  # fmt: skip
"""`x = make(...)`, `x: Type`, `x := T{`, `self.x = T(...)` at the beginning of a line."""

_MANAGED = re.compile(
    rf"\bwith[ \t]+(?P<value>{_DOTTED})\((?:[^()]|\([^()]*\)){{0,1000}}\)[ \t]+as[ \t]+"
    rf"(?P<name>{_NAME})"
)
"""`with make(...) as x`"""

_TYPED = re.compile(
    rf"(?P<type>{_DOTTED}(?:<[^<>;(){{}}\n]{{0,80}}>)?)(?:\[\])?[ \t]*[*&?]*[ \t]+[*&]*\$?"
    rf"(?P<name>{_NAME})[ \t]*(?=[=;])"
)
"""`Client client;`"""

_NOTHING = frozenset({"None", "null", "nil", "undefined", "nullptr", "NULL", "Nil"})

_KEYWORDS = (
    "as return new delete else throw await yield case goto using typename typedef const static "
    "final package import namespace not and or in is async def fn func val var let auto "
    "public private protected readonly abstract virtual override extern inline volatile "
    "unsigned signed struct class enum union if while for do switch try catch"
)
_NO_TYPES = frozenset(_KEYWORDS.split())

_OPTIONAL = re.compile(
    r"(?:typing\.)?(?:Optional|Annotated|Final|ClassVar|Type|type|Box|Arc|Rc|Option|Ref|"
    r"std(?:::|\.)(?:shared|unique)_ptr|(?:shared|unique)_ptr)[\[<](.*)[\]>]"
)
_TYPE = re.compile(rf"{_DOTTED}\Z")


class Variable(NamedTuple):
    """See `facts.VariableRow`."""

    declaration: int
    name: str
    type: str


@lru_cache(4096)
def type_name(text: str) -> str:
    """Return the dotted name of the one type that an annotation tells, empty if it tells none: for
    `Optional[Client]`, `&mut Client` and `Client | None` it is `Client`."""
    text = text.strip().strip("\"'").strip()
    if text.isidentifier():
        return "" if text in _NOTHING else text
    if inner := _OPTIONAL.fullmatch(text):
        text = inner[1].partition(",")[0]
    parts = [one.strip() for one in text.split("|")]
    parts = [one for one in parts if one not in _NOTHING]
    if len(parts) != 1:
        return ""
    name = re.sub(
        r"^(?:[&*]|mut\b|const\b|dyn\b|impl\b|some\b|any\b|inout\b|'\w+|final\b|\s)+", "", parts[0]
    )
    name = name.rstrip("?!&* ").strip()
    if name.endswith("[]"):
        return ""
    name = re.sub(r"[<\[].*", "", name)
    name = name.replace("::", ".").replace("\\", ".").lstrip(".")
    return name if _TYPE.match(name) else ""


def _brackets(text: str, start: int) -> int:
    """Return the place behind the bracket that closes the one at `start`; the end if none does."""
    depth = 0
    for place in range(start, len(text)):
        one = text[place]
        if one in "([{":
            depth += 1
        elif one in ")]}":
            depth -= 1
            if depth == 0:
                return place + 1
    return len(text)


def _split(text: str) -> Iterator[str]:
    """Yield what commas outside of brackets part."""
    depth = at = 0
    for place, one in enumerate(text):
        if one in "([{<":
            depth += 1
        elif one in ")]}>" and text[place - 1 : place] not in ("-", "="):
            depth -= 1
        elif one == "," and depth == 0:
            yield text[at:place]
            at = place + 1
    yield text[at:]


def _opening(one: Declaration) -> int:
    """Return where the brackets of the parameters of a declaration open, -1 without any."""
    text = one.signature
    at = text.find(one.name)
    if text.startswith("func ("):  # a receiver in Go
        at = text.find(one.name, _brackets(text, 5))
    return text.find("(", max(at, 0))


def parameters_of(one: Declaration, family: Family) -> Iterator[tuple[str, str]]:
    """Yield the names of parameters, the receiver in Go included, with their types or nothing."""
    text = one.signature
    if family.name == "go":
        if text.startswith("func ("):
            yield from _named_first(text[6 : _brackets(text, 5) - 1])
        at = _opening(one)
        if at >= 0:
            yield from _go_parameters(text[at + 1 : _brackets(text, at) - 1])
        return
    at = _opening(one)
    if at < 0:
        return
    for part in _split(text[at + 1 : _brackets(text, at) - 1]):
        declared = re.split(r"(?<![=!<>])=(?![=>])", part)[0].strip()
        if not declared:
            continue
        if family.type_first:
            found = re.fullmatch(
                rf"(?:@\w+(?:\([^)]*\))?\s+|\[[^\]]*\]\s*|(?:final|const|this|ref|out|in|params|required|"
                rf"covariant|readonly|private|protected|public)\s+)*(?P<type>.*?[\s&*>?\]])?\s*(?:this\.)?"
                rf"[&*.]*\$?(?P<name>{_NAME})(?:\[\])?",
                declared,
            )  # fmt: skip
            if found:
                yield found["name"], type_name(found["type"] or "")
            continue
        names, colon, annotation = declared.partition(":")
        words = re.findall(_NAME, names)
        if words:
            yield words[-1], type_name(annotation) if colon else ""


def _named_first(text: str) -> Iterator[tuple[str, str]]:
    name, _, kind = text.strip().partition(" ")
    if name:
        yield name, type_name(kind)


def _go_parameters(text: str) -> Iterator[tuple[str, str]]:
    waiting: list[str] = []
    for part in _split(text):
        name, blank, kind = part.strip().partition(" ")
        waiting.append(name)
        if blank:
            for one in waiting:
                yield one, type_name(kind)
            waiting = []


def result_of(one: Declaration, family: Family) -> str:
    """Return the name of the type that a function returns, empty if its head does not say one."""
    if one.kind in TYPES:
        return ""
    text = one.signature
    at = _opening(one)
    if at < 0:
        return ""
    after = text[_brackets(text, at) :].strip()
    if family.name == "go":
        first = next(_split(after[1:-1])) if after.startswith("(") else after
        return type_name(first)
    found = re.match(r"(?:->|:)\s*(.+?)(?:\s+where\b.*)?$", after)
    if found:
        return type_name(found[1])
    if family.type_first and family.name != "php":
        before = text[: text.rfind(one.name, 0, at + 1)].split()
        return type_name(before[-1]) if before and before[-1] not in _NO_TYPES else ""
    return ""


_BASES = {
    "python": re.compile(r"\((.*)\)\s*$", re.DOTALL),
    "ruby": re.compile(rf"<\s*({_DOTTED})"),
    "c": re.compile(r"(?<!:):(?!:)\s*(.*)$"),
    "csharp": re.compile(r"(?<!:):(?!:)\s*(.*?)(?:\bwhere\b.*)?$"),
    "kotlin": re.compile(r"(?:\)|[\w>])\s*:\s*(.*?)(?:\bwhere\b.*)?$"),
    "swift": re.compile(r":\s*(.*?)(?:\bwhere\b.*)?$"),
}
_EXTENDS = re.compile(
    r"\b(?:extends|implements|with|derives)\s+(.*?)(?=\b(?:extends|implements|with|derives|permits)\b|$)"
)
_BASE_WORDS = re.compile(r"^(?:(?:public|private|protected|virtual|class)\s+)*")


def bases_of(one: Declaration, family: Family) -> Iterator[str]:
    """Yield the dotted names of the types that a type says it extends or implements."""
    if one.kind not in CLASSES:
        return
    at = one.signature.find(one.name)
    text = one.signature[at + len(one.name) :] if at >= 0 else ""
    pattern = _BASES.get(family.name)
    if pattern is not None:
        found = pattern.search(_without_brackets(text) if family.name == "kotlin" else text)
        parts = [found[1]] if found else []
    else:
        parts = [match[1] for match in _EXTENDS.finditer(text)]
    for part in parts:
        for base in _split(part):
            base = _BASE_WORDS.sub("", base.strip())
            name = type_name(base.partition("(")[0])
            if name and "=" not in base:
                yield name


def _without_brackets(text: str) -> str:
    """Return what follows the first pair of brackets: the parameters of a constructor."""
    at = text.find("(")
    colon = text.find(":")
    return text[_brackets(text, at) - 1 :] if 0 <= at < colon else text


def variables_of(
    found: FileParse, text: str, parents: Sequence[int], words: Iterable[str], family: Family
) -> Iterator[Variable]:
    """Yield what is known of the variables on which something is called, each once a declaration.

    One that is assigned values of several types has none.
    """
    heads = _heads(words, family)
    if not heads:
        return
    declared: dict[tuple[int, str], str] = {}
    for place, one in enumerate(found.declarations):
        if one.kind not in TYPES or family.name in ("kotlin", "scala"):
            for name, kind in parameters_of(one, family):
                if name in heads and name not in family.this:
                    declared[place, name] = f":{kind}" if kind else ""
    assigned: dict[tuple[int, str], set[str]] = {}
    imported = {one.alias or one.name for one in found.imports}
    places = _Places(found, parents, text)
    for name, kind, value, start in _assignments(text, family):
        bare = name.removeprefix("self.").removeprefix("this.").removeprefix("$this->").lstrip("@$")
        if bare not in heads:
            continue
        place = places.of(start)
        if place < 0 and bare in imported:
            continue
        if place >= 0 and found.declarations[place].name == bare:
            continue  # it is that declaration
        if place >= 0 and places.in_doc(place, start):
            continue
        if (bare != name and not name.startswith("$")) or name.startswith("$this"):
            place = places.owner(place)
        if kind:
            declared.setdefault((place, bare), f":{kind}")
        elif value not in _NOTHING:
            assigned.setdefault((place, bare), set()).add(f"={value}" if value else "")
    for key, values in assigned.items():
        if key not in declared:
            declared[key] = values.pop() if len(values) == 1 else ""
    for (place, name), kind in declared.items():
        yield Variable(place, name, kind)


def _heads(words: Iterable[str], family: Family) -> set[str]:
    """Return the names of what is called, or has a member that is called."""
    heads = set()
    for word in words:
        parts = word.split(".")
        if parts[0] in family.this and len(parts) > 2:
            heads.add(parts[1])
        elif parts[0]:
            heads.add(parts[0])
    return heads


def _assignments(text: str, family: Family) -> Iterator[tuple[str, str, str, int]]:
    """Yield name, type, what is called for the value or a word for another value, and place."""
    for match in _ASSIGNED.finditer(text):
        value = (match["value"] or "").replace("::", ".").replace("\\", ".")
        if not match["open"] and value not in _NOTHING:
            value = ""
        name = match["name"]
        if not (match["equals"] or match["type"]):
            continue
        if match["more"] and family.name != "go":
            value = ""  # each is a part of the value
        if name not in _NO_TYPES:
            yield name, type_name(match["type"] or ""), value.removeprefix("$"), match.start("name")
    if family.name == "python":
        for match in _MANAGED.finditer(text):
            yield match["name"], "", match["value"], match.start("name")
    if family.type_first:
        for match in _TYPED.finditer(text):
            kind = type_name(match["type"])
            if kind and kind not in _NO_TYPES and kind != "var":
                yield match["name"], kind, "", match.start("name")


class _Places:
    """The innermost declaration of each place in a text, asked for in any order."""

    def __init__(self, found: FileParse, parents: Sequence[int], text: str) -> None:
        self._kinds = [one.kind for one in found.declarations]
        self._lasts = [one.last for one in found.declarations]
        self._firsts = [one.first for one in found.declarations]
        self._docs = [(one.doc_first, one.doc_last) for one in found.declarations]
        self._parents = parents
        self._ends = [match.end() for match in re.finditer(r"\r\n|\r|\n", text)]

    def of(self, place: int) -> int:
        """Return the declaration at a place in the text, -1 outside of all."""
        line = bisect_right(self._ends, place) + 1
        at = bisect_right(self._firsts, line) - 1
        while at >= 0 and self._lasts[at] < line:
            at = self._parents[at]
        return at

    def in_doc(self, declaration: int, place: int) -> bool:
        """Say whether a place is in the docstring of a declaration."""
        first, last = self._docs[declaration]
        return first <= bisect_right(self._ends, place) + 1 <= last

    def owner(self, declaration: int) -> int:
        """Return the type around a declaration, -1 without one."""
        while declaration >= 0 and self._kinds[declaration] not in CLASSES:
            declaration = self._parents[declaration]
        return declaration
