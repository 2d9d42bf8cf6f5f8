"""What is read from one file of code: declarations, the calls in them, imports, faults."""

from attrs import frozen

FILE_KEY = "file"
"""The key of the entry that stands for a file."""


@frozen
class Call:
    """A call as written: `name` is dotted and without arguments (`os.path.join`, `self.save`).

    It begins with a dot where what the member belongs to has no name: `.run` of `make().run()`. A
    bare name is only what is called by itself.
    """

    name: str
    line: int

    @property
    def simple(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]


@frozen
class Import:
    """A name that comes from elsewhere.

    Args:
        module: where from, as written without quotes (`os.path`, `./util`, `java.util`).
        line: where the statement stands.
        name: what is taken from there; empty: the module itself; `*`: all of it.
        alias: what it is called here; empty: `name`, or the module as the language shortens it.
    """

    module: str
    line: int
    name: str = ""
    alias: str = ""


@frozen(eq=False)
class Declaration:
    """A named thing that a file declares.

    Args:
        kind: one of `sourcebook_code.plugin.KINDS`.
        name: the last part; operators and quoted names as written.
        owners: names of what it belongs to, from the outermost inwards.
        first, last: its lines from 1, decorators, attributes and a template line included, a doc
            comment above not.
        def_line: where the name stands, or the keyword if there is no name.
        signature: its head on one line, runs of white space as one blank, at most 500 characters.
        doc: the doc comment or docstring without its marks, at most 4000 characters.
        calls: those in its body, in order; of declarations within only those of what has no name.
        code: sha256 of its text without comments, docstrings and white space, 16 hexadecimal
            digits; equal when only these changed.
        parent: the declaration it stands in, which comes before it; None: none in this file.
        doc_first, doc_last: the lines of the doc comment, 0 if it has none.
        insert: for a declaration without doc comment the line before which one would be written
            (in Python the first line of the body), 0 where none can be.
        prototype: it only says that there is such a thing, which another file makes.
    """

    kind: str
    name: str
    owners: tuple[str, ...]
    first: int
    last: int
    def_line: int
    signature: str
    doc: str
    calls: tuple[Call, ...]
    code: str
    parent: "Declaration | None"
    doc_first: int = 0
    doc_last: int = 0
    insert: int = 0
    prototype: bool = False

    @property
    def qualified_name(self) -> str:
        """Owners and name, dotted."""
        return ".".join((*self.owners, self.name))


@frozen
class Fault:
    """A place that could not be read as its language; what stands outside is good."""

    line: int
    message: str


@frozen(eq=False)
class FileParse:
    """What one file holds: declarations in the order of their first lines, outer before inner.

    `calls` are those outside of every declaration; `package` is the dotted name of the package,
    namespace or module that the file says it belongs to, empty where the language has no such
    clause.
    """

    language: str
    declarations: tuple[Declaration, ...]
    calls: tuple[Call, ...]
    imports: tuple[Import, ...]
    faults: tuple[Fault, ...]
    package: str = ""
