"""Node tables: which nodes of a syntax tree declare, call and import, language by language."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from attrs import field, frozen

from sourcebook_code.declaration import Call, Import
from sourcebook_code.languages import Language

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query


class GrammarMissing(Exception):
    """The package with the grammar of a language is not installed; `package` names it."""

    def __init__(self, language: Language) -> None:
        super().__init__(
            f"no grammar for {language.name}: `pip install {language.package}` reads such files"
        )
        self.package = language.package


class Found(NamedTuple):
    """A declaration, or only a scope, that a rule found at a node.

    Args:
        kind: its kind; empty: it declares nothing and only gives its owners to what is within (an
            `impl` block, an extension).
        name: the last part of the name.
        node: the declaration; what lies in it belongs to it.
        at: the node on whose first line the name stands; None: `node`.
        start: the node the range begins with, where that is not `node` (a decorator, an export).
        head: the node the signature begins with, where that is not `node` (what follows the
            decorators, the `const` around a name).
        end: the node the range ends with, where that is not `node` (a body that is a sibling).
        body: the first node that is no longer of the signature; None: all of `node` is.
        owners: what takes the place of the names around it; None: the names around it.
        up: how many of the names around it, from the innermost outwards, do not own it.
        under: names between those and its own (`A` of `class A::B`).
        scope: what it adds to the owners of what is within; None: its name (for a scope only,
            that is nothing).
        doc: the doc, where it is no comment above: a docstring, an attribute; None: look above.
        doc_node: the node of that doc.
        insert: the node before whose line a docstring would be written; None: above the start.
        prototype: it only says that there is such a thing; left out if the file also makes it,
            which then takes its doc if it has none.
        calls: what it calls, where the rule itself has read it.
        documented: it counts only if a doc stands above it (a constant).
        literal: it is a function literal that a name is bound to, no method even in a class.
        quiet: a node within which nothing is a call, although it looks so (the head of a
            definition that is written as a call, a type).
        sealed: nothing within is declared: it is code that other code will hold (a template).

    A `node` that begins behind the one the rule was asked about waits until the walk is there.
    """

    kind: str
    name: str
    node: "Node"
    at: "Node | None" = None
    start: "Node | None" = None
    head: "Node | None" = None
    end: "Node | None" = None
    body: "Node | None" = None
    owners: tuple[str, ...] | None = None
    up: int = 0
    under: tuple[str, ...] = ()
    scope: tuple[str, ...] | None = None
    doc: str | None = None
    doc_node: "Node | None" = None
    insert: "Node | None" = None
    prototype: bool = False
    literal: bool = False
    quiet: "Node | None" = None
    sealed: bool = False
    documented: bool = False
    calls: tuple[Call, ...] = ()


Declare = Callable[["Node"], Iterable[Found]]
CallName = Callable[["Node"], str]
ImportNames = Callable[["Node"], Iterable[Import]]


@frozen
class Grammar:
    """The node tables of one language; each key is a node type of its grammar.

    Args:
        declare: what to make of a node that may declare something.
        calls: the dotted name that a call has, empty for one without a name.
        imports: what a statement imports.
        packages: the dotted name in the clause that says which package or namespace a file
            belongs to.
        comments: node types of comments.
        line_marks: what line comments begin with, the longest first; they are taken off.
        patterns: for a node type of which not all nodes are of interest the patterns of the query
            that find the others, each with the capture `@node`; default: `(type) @node`.
        method_in: kinds in which a `function` is a `method`.
        attributes: node types that may stand, as siblings, between a doc comment and what it is
            about; the range of a declaration begins with them (Rust).
        mend: `mend(text)` returns the bytes to parse, as many and with the same line ends, for what
            a grammar cannot read and an equally long text can stand for; None: as they are.
        faults: whether what it cannot read is a fault, and not of another dialect.
        pieces: whether the declarations and statements that it cannot read are left out, so that it
            reads the others as they are. Macros break a tree where nothing is wrong.
        repair: the same for a text that turned out to have faults, whose parse then counts instead.
    """

    declare: Mapping[str, Declare]
    calls: Mapping[str, CallName] = field(default=MappingProxyType({}))
    imports: Mapping[str, ImportNames] = field(default=MappingProxyType({}))
    packages: Mapping[str, CallName] = field(default=MappingProxyType({}))
    comments: tuple[str, ...] = ("comment",)
    attributes: tuple[str, ...] = ()
    line_marks: tuple[str, ...] = ("///", "//!", "//")
    patterns: Mapping[str, str] = field(default=MappingProxyType({}))
    method_in: frozenset[str] = frozenset(
        {"class", "struct", "union", "interface", "trait", "enum", "record", "object", "extension"}
    )
    mend: Callable[[bytes], bytes] | None = None
    repair: Callable[[bytes], bytes] | None = None
    faults: bool = True
    pieces: bool = True


@frozen
class Loaded:
    """A grammar ready to parse."""

    grammar: Grammar
    parser: "Parser"
    query: "Query"


@cache
def load_grammar(language: Language) -> Loaded:
    """Return the parser and node tables of a language, loaded on first use.

    Raises:
        GrammarMissing: its package is not installed.
    """
    import tree_sitter

    try:
        package = import_module(language.package.replace("-", "_"))
    except ModuleNotFoundError:
        raise GrammarMissing(language) from None
    made = tree_sitter.Language(getattr(package, language.function)())
    module = import_module(f"sourcebook_code.grammars.{language.module or language.name}")
    grammar: Grammar = module.GRAMMAR
    return Loaded(grammar, tree_sitter.Parser(made), tree_sitter.Query(made, _query(grammar)))


def _query(grammar: Grammar) -> str:
    """Return a query for every node type in the tables: one pass in C finds them all."""
    types = {
        *grammar.declare, *grammar.calls, *grammar.imports, *grammar.packages, *grammar.comments,
        *grammar.attributes,
    }  # fmt: skip
    patterns = [grammar.patterns.get(one, f"({one}) @node") for one in sorted(types)]
    return " ".join([*patterns, "(ERROR) @fault", "(MISSING) @fault"])
