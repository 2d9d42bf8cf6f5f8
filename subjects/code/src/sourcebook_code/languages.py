"""Which language a file is in, by its name or first line, and which package reads it."""

import re
from functools import cache

from attrs import frozen


@frozen
class Language:
    """A language.

    Args:
        name: its name in filters and facts.
        suffixes: lower-case extensions with their dot.
        package: the distribution that holds the grammar; the module has underscores.
        function: the function of that module that returns the grammar.
        module: the module of `sourcebook_code.grammars` with its node tables; default: its name.
        interpreters: what a first line `#!...` may name.
        files: whole names of files without a suffix.
    """

    name: str
    suffixes: tuple[str, ...]
    package: str
    function: str = "language"
    module: str = ""
    interpreters: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


LANGUAGES: tuple[Language, ...] = (
    Language("c", (".c", ".h"), "tree-sitter-c"),
    Language(
        "cpp",
        (
            ".cpp",
            ".cc",
            ".cxx",
            ".c++",
            ".hpp",
            ".hh",
            ".hxx",
            ".h++",
            ".ipp",
            ".tpp",
            ".txx",
            ".inl",
            ".cppm",
            ".ixx",
            ".cu",
            ".cuh",
            ".ino",
        ),
        "tree-sitter-cpp",
    ),
    Language("csharp", (".cs", ".csx"), "tree-sitter-c-sharp"),
    Language("dart", (".dart",), "tree-sitter-dart"),
    Language("elixir", (".ex", ".exs"), "tree-sitter-elixir", interpreters=("elixir",)),
    Language("go", (".go",), "tree-sitter-go"),
    Language("haskell", (".hs",), "tree-sitter-haskell", interpreters=("runhaskell", "runghc")),
    Language("java", (".java",), "tree-sitter-java"),
    Language(
        "javascript",
        (".js", ".jsx", ".mjs", ".cjs"),
        "tree-sitter-javascript",
        interpreters=("node", "nodejs"),
    ),
    Language("kotlin", (".kt", ".kts"), "tree-sitter-kotlin"),
    Language("lua", (".lua",), "tree-sitter-lua", interpreters=("lua", "luajit")),
    Language(
        "php",
        (".php", ".phtml", ".php5", ".inc"),
        "tree-sitter-php",
        "language_php",
        interpreters=("php",),
    ),
    Language("python", (".py", ".pyi", ".pyw"), "tree-sitter-python", interpreters=("python",)),
    Language(
        "ruby",
        (".rb", ".rake", ".gemspec"),
        "tree-sitter-ruby",
        interpreters=("ruby",),
        files=("Rakefile", "Gemfile"),
    ),
    Language("rust", (".rs",), "tree-sitter-rust"),
    Language("scala", (".scala", ".sc"), "tree-sitter-scala", interpreters=("scala",)),
    Language(
        "shell",
        (".sh", ".bash"),
        "tree-sitter-bash",
        interpreters=("sh", "bash", "dash", "ksh", "zsh"),
    ),
    Language("sql", (".sql", ".ddl"), "tree-sitter-sql"),
    Language("swift", (".swift",), "tree-sitter-swift"),
    Language(
        "typescript",
        (".ts", ".mts", ".cts"),
        "tree-sitter-typescript",
        "language_typescript",
        interpreters=("deno", "ts-node", "tsx"),
    ),
    Language("typescript", (".tsx",), "tree-sitter-typescript", "language_tsx", module="tsx"),
)

SUFFIXES = tuple(sorted({suffix for one in LANGUAGES for suffix in one.suffixes}))

_INTERPRETER = re.compile(rb"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-\S+[ \t]+)*)?(?:\S*/)?([A-Za-z+]+)")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_CPP = re.compile(
    r"^[ \t]*(?:class[ \t]+[\w \t]+(?:[:{]|$)|(?:inline[ \t]+)?namespace\b[\w \t:]*(?:\{|$)|"
    r"template[ \t]*<|using[ \t]+[\w:]+(?:[ \t]+\w+)?[ \t]*[=;]|"
    r"(?:public|private|protected)[ \t]*:(?!:)|virtual[ \t]|constexpr[ \t]|"
    r"#[ \t]*include[ \t]*<(?:algorithm|array|c[a-z]{4,8}|functional|map|memory|optional|"
    r"string|string_view|tuple|type_traits|unordered_map|utility|variant|vector)>)|\w::\w",
    re.MULTILINE,
)
"""What no header of C has, most of it at the beginning of a line."""


@cache
def by_name(name: str) -> Language:
    """Return the first language of this name; `KeyError` if there is none."""
    return {one.name: one for one in reversed(LANGUAGES)}[name]


def language_of(name: str, head: bytes = b"") -> Language | None:
    """Return the language of a file by its name, else by its first line; None: not code.

    Args:
        name: the file's name with or without folders.
        head: the first bytes of the file, of which only `#!` counts.
    """
    base = name.rpartition("/")[2]
    dot = base.rfind(".")
    if dot > 0:
        return _by_suffix().get(base[dot:].lower())
    for one in LANGUAGES:
        if base in one.files:
            return one
    found = _INTERPRETER.match(head)
    return _by_interpreter().get(found[1].decode()) if found else None


def language_of_source(name: str, text: str) -> Language | None:
    """Return the language of a file whose text is at hand, which says of a header `.h` whether it
    is C or C++."""
    language = language_of(name, text[:200].encode("utf-8", "replace"))
    if name.lower().endswith(".h") and _CPP.search(_COMMENT.sub("", text)):
        return by_name("cpp")
    return language


@cache
def _by_suffix() -> dict[str, Language]:
    return {suffix: one for one in LANGUAGES for suffix in one.suffixes}


@cache
def _by_interpreter() -> dict[str, Language]:
    return {name: one for one in LANGUAGES for name in one.interpreters}
