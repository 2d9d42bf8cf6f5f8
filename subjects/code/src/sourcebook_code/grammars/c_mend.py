"""What the grammars of C and C++ cannot read, blanked out: macros, and halves of statements between
the branches of `#if`.

Nobody knows what a macro stands for without running the preprocessor, but its place tells whether
the text reads well without it. Only blanks take the place of what is taken out, so that all
positions stay as they are.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

_MACRO = rb"\b[A-Z_][A-Z0-9_]+\b"
_ARGUMENTS = rb"(?:[ \t]*\((?:[^()\n]|\([^()\n]*\)){0,200}\))"

_HEAD = re.compile(
    rb"\b(?:class|struct|union|enum)(?:\s+(?:class|struct)\b)?\s+"
    rb"((?:[A-Z_][A-Z0-9_]+" + _ARGUMENTS + rb"?\s+)+)"
    rb"(?=[A-Za-z_][\w:]*(?:<[^<>{};]*>)?\s*(?:\bfinal\s*)?[:{])"
)
"""A macro between `class` and the name, as for exported symbols."""


def mend(data: bytes) -> bytes:
    """Blank out macros in heads of classes: the grammars take such a class for a function."""
    return _blanked(data, (found.span(1) for found in _HEAD.finditer(data)))


_HIDDEN = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)|R\"([^\s()\\]{0,16})\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|"
    rb"'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)
_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(\w*)(?:[^\n\\]|\\.)*$", re.MULTILINE | re.DOTALL)
_WORDS = (
    rb"(?:struct|union|enum|class|unsigned|signed|int|char|void|short|long|float|double|bool|_Bool|"
    rb"static|inline|extern|virtual|constexpr|explicit|friend|auto|typename|template|typedef|"
    rb"u?int\d+_t|s?size_t|const\s+[\w:]+(?:<[^<>;{}]*>)?[\s*&]+\w)\b"
)
_TAKEN = rb"(?:return|case|else|goto|new|delete|throw|operator|using|namespace|define|sizeof)\b"
_NO_TYPES = b"".join(
    rb"(?<!\b" + word + rb"[ \t])"
    for word in (
        b"static inline __inline extern const virtual constexpr explicit friend typedef return "
        b"struct union enum class typename case else new"
    ).split()
)
"""What a macro may not follow that stands between a type and a name: there it is the type."""

_OUT = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # before a type: API int f(void);
        rb"(?<![\w.>#])(" + _MACRO + _ARGUMENTS + rb"?[ \t]+)(?=" + _WORDS + rb")",
        rb"^[ \t]*(?:(?:static|extern|inline|virtual)[ \t]+){0,3}"
        rb"([A-Z][A-Z0-9_]*_[A-Z0-9_]+" + _ARGUMENTS + rb"?[ \t]+)"
        rb"(?!" + _TAKEN + rb")(?=[\w:]+(?:<[^<>;{}]*>)?[\s*&]+[\w:]+\s*\()",
        # before a destructor or a conversion: API ~Foo();
        rb"(?<![\w.>#])(" + _MACRO + rb"[ \t]+)"
        rb"(?=~[A-Za-z_]|(?:[\w:]+(?:<[^<>;{}]*>)?::)?operator\b)",
        # between type and name: int WINAPI f(void);
        rb"(?:(?<=[\w*&>][ \t])|(?<=[*&]))" + _NO_TYPES + rb"(?<!__[ \t])"
        rb"(" + _MACRO + rb"[ \t]+|__[a-z]\w*[ \t]+)(?=[*&]?[A-Za-z_][\w:~]*\s*(?:\(|[,)\[;=]))",
        # after the parameters: void f() OVERRIDE {
        rb"(?<=\))(?:\s*(?:const|noexcept|override|final)\b)*\s*(" + _MACRO + rb")(?=\s*[;{])",
        rb"(?<=[\w*&>])[ \t]+[*&]*[\w:~]+" + _ARGUMENTS + rb"\s*(" + _MACRO + _ARGUMENTS + rb")"
        rb"(?=\s*\{)",
        # attributes of an enumeration: enum class [[nodiscard]] E {
        rb"\benum(?:\s+(?:class|struct)\b)?\s+(\[\[[^\[\]]*\]\]\s*)(?=[A-Za-z_])",
        # instances of templates, which the grammar takes for variables without a name
        rb"^[ \t]*((?:extern\s+)?template\s+(?:class|struct)\s[^;{}]*;)",
        # modules
        rb"^[ \t]*((?:export\s+)?(?:import|module)\b[^;{}()=]*;)",
        rb"^[ \t]*(export[ \t]+)(?=[\w{])",
    )
)
_LONG = rb"[ \t]*\((?:[^();{}]|\((?:[^();{}]|\([^();{}]*\))*\))*\)"
_LONE = re.compile(
    # but no type of the function on the next line: BOOL WINAPI f(int a), EXTERN(int) f(int a)
    rb"^[ \t]*(" + _MACRO + rb"(?:" + _LONG + rb"(?!\s*[*&]*(?!" + _MACRO + rb")[\w:~]+\s*\()|"
    rb"(?!\s*(?:" + _MACRO + rb"\s+)*[*&]*(?!" + _MACRO + rb")[\w:~]+\s*\()))[ \t]*$"
    rb"(?=\s*[\w~}\[#]|\s*\Z)",
    re.MULTILINE,
)
_STATEMENT_ENDS = frozenset(b";{}:")


def repair(data: bytes) -> bytes:
    """Blank out macros and halves of statements in a text that has faults."""
    shown = _HIDDEN.sub(lambda found: _blank(found[0]), data)
    data = _blanked(data, halves := list(_halves(shown)))
    shown = _DIRECTIVE.sub(lambda found: _blank(found[0]), _blanked(shown, halves))
    data = _blanked(data, lone := list(_lone(shown)))
    shown = _blanked(shown, lone)
    for pattern in _OUT:
        out = [found.span(1) for found in pattern.finditer(shown)]
        data, shown = _blanked(data, out), _blanked(shown, out)
    return data


def _lone(shown: bytes) -> Iterator[tuple[int, int]]:
    """Find macros that stand on a line of their own, without a semicolon, between statements."""
    end = 0
    for found in _LONE.finditer(shown):
        before = shown[max(0, found.start() - 4000, end) : found.start()].rstrip()
        if not before or before[-1] in _STATEMENT_ENDS:
            end = found.end(1)
            yield found.span(1)


def _halves(shown: bytes) -> Iterator[tuple[int, int]]:
    """Find the directives around branches that are no whole statements, and all such branches but
    the first."""
    open_groups: list[list[re.Match[bytes]]] = []
    for found in _DIRECTIVE.finditer(shown):
        word = found[1]
        if word.startswith(b"if"):
            open_groups.append([found])
        elif open_groups and word in (b"else", b"elif", b"elifdef", b"elifndef"):
            open_groups[-1].append(found)
        elif open_groups and word == b"endif":
            group = [*open_groups.pop(), found]
            bounds = [(one.end(), two.start()) for one, two in pairwise(group)]
            before = _DIRECTIVE.sub(b"", shown[max(0, group[0].start() - 4000) : group[0].start()])
            if any(_is_half(before.rstrip(), shown[start:end]) for start, end in bounds):
                yield group[0].span()
                if len(group) > 2:
                    yield group[1].start(), found.end()
                else:
                    yield found.span()


def _is_half(before: bytes, branch: bytes) -> bool:
    code = _DIRECTIVE.sub(b"", branch).strip()
    if not code:
        return False
    return (
        code.count(b"{") != code.count(b"}")
        or code.count(b"(") != code.count(b")")
        or (before[-1:] not in b";{}:)")
        or (before[-1:] == b")" and code[:1] == b"{")
    )


def _blank(text: bytes) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", text)


def _blanked(data: bytes, spans: Iterator[tuple[int, int]] | list[tuple[int, int]]) -> bytes:
    """Return the text with blanks for what stands in the spans."""
    out: bytearray | None = None
    for start, end in spans:
        if out is None:
            out = bytearray(data)
        out[start:end] = _blank(data[start:end])
    return data if out is None else bytes(out)
