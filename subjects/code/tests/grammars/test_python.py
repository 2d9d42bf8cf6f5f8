"""Python."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_names_bound_to_lambdas_are_functions_even_in_a_class(
    outline: Outline,
) -> None:
    assert outline(
        "python",
        """
        f = lambda x: x
        g: Callable[[int], int] = lambda x: x + 1
        a, b = lambda: 1, lambda: 2
        if (h := lambda: 3):
            pass
        class C:
            key = lambda self: self.k
            area = property(lambda self: self.w)
            size = 3
        C.more = lambda self: 4
        call(lambda: 5)
        def outer():
            inner = lambda: 6
            self.cb = lambda: 7
        """,
    ) == [
        "function f 1",
        "function g 2",
        "function a 3",
        "function b 3",
        "function h 4",
        "class C 6-9",
        "function C.key 7",
        "property C.area 8",
        "function C.more 10",
        "function outer 12-14",
        "function outer.inner 13",
    ]


def test_a_definition_counts_wherever_it_stands(
    outline: Outline,
) -> None:
    assert outline(
        "python",
        """
        try:
            import fast
        except ImportError:
            def slow(): pass
        else:
            async def quick(): pass
        match kind:
            case "a":
                def of_a(): ...
        with lock:
            class Held: pass
        for n in range(3):
            def looped(): return n
        while True:
            if x:
                @wrap
                def deep(): pass
        def one(): return 1
        class Two: three = 3
        """,
    ) == [
        "function slow 4",
        "function quick 6",
        "function of_a 9",
        "class Held 11",
        "function looped 13",
        "function deep 16-17 @17",
        "function one 18",
        "class Two 19",
    ]


def test_decorators_belong_to_the_range_and_tell_properties(
    outline: Outline,
) -> None:
    assert outline(
        "python",
        """
        class C:
            @property
            def a(self): ...
            @a.setter
            def a(self, v): ...
            @a.deleter
            def a(self): ...
            @functools.cached_property
            def b(self): ...
            @abc.abstractproperty
            def c(self): ...
            @property  # why
            # more
            @deco(
                1,
                lambda: 2,
            )

            def d(self): ...
            @staticmethod
            async def e(): ...
        @overload
        def f(a: int) -> int: ...
        @overload
        def f(a: str) -> str: ...
        def f(a): return a
        @dataclass(frozen=True)
        class D:
            x: int
        """,
    ) == [
        "class C 1-21",
        "property C.a 2-3 @3",
        "property C.a 4-5 @5",
        "property C.a 6-7 @7",
        "property C.b 8-9 @9",
        "property C.c 10-11 @11",
        "method C.d 12-19 @19",
        "method C.e 20-21 @21",
        "function f 22-23 @23",
        "function f 24-25 @25",
        "function f 26",
        "class D 27-29 @28",
    ]


def test_types_constants_and_classes_that_calls_make_are_declared(
    outline: Outline,
) -> None:
    assert outline(
        "python",
        '''
        type Pair[T] = tuple[T, T]
        type Plain = int
        Vector: TypeAlias = list[float]
        Kind: typing.TypeAlias = "str"
        UserId = NewType("UserId", int)
        Point = namedtuple("Point", "x y")
        Movie = TypedDict("Movie", {"name": str})
        Color = enum.Enum("Color", "RED BLUE")
        Row = NamedTuple("Row", [("a", int)])
        T = TypeVar("T")
        # Why ten.
        MAX_SIZE = 10
        PLAIN = 11
        _LOCAL: Final = dict(a=1)
        HELP = """
        def ghost(): pass
        """
        lower = 3
        class E(Enum):
            RED = 1
        def f():
            LIMIT = 3
        if sys.platform == "win32":
            SEP = find(";")
        else:
            SEP = find(":")
        ''',
    ) == [
        "type Pair 1",
        "type Plain 2",
        "type Vector 3",
        "type Kind 4",
        "type UserId 5",
        "class Point 6",
        "class Movie 7",
        "class Color 8",
        "class Row 9",
        "constant MAX_SIZE 12",
        "constant _LOCAL 14",
        "class E 19-20",
        "function f 21-22",
        "constant SEP 24",
        "constant SEP 26",
    ]


def test_the_docstring_is_the_first_statement_that_is_a_text(
    read: Read,
) -> None:
    found = read(
        "python",
        r"""
        def a():
            '''Plain.

                Deeper.
            '''
        def b():
            # why
            r"Raw \d."
        def c():
            "Two " "parts."
        def d():
            ("In parentheses.")
        def e():
            b"Bytes."
        def f():
            f"Format {1}."
        def g():
            x = 1
            "Late."
        # Above.
        def h(): "One line."
        # Comment above.
        def i(): pass
        class J:

            '''Of a class.'''
        """,
    )
    assert [(one.name, one.doc, one.doc_first) for one in found.declarations] == [
        ("a", "Plain.\n\nDeeper.", 2),
        ("b", "Raw \\d.", 8),
        ("c", "Two parts.", 10),
        ("d", "In parentheses.", 12),
        ("e", "", 0),
        ("f", "", 0),
        ("g", "", 0),
        ("h", "One line.", 21),
        ("i", "Comment above.", 22),
        ("J", "Of a class.", 26),
    ]


def test_calls_belong_to_the_innermost_declaration(
    read: Read,
) -> None:
    found = read(
        "python",
        """
        import os
        @decorated(1)
        def a(x=default()):
            os.path.join(x)
            make().run(y()).go
            items[0].pop()
            print("x", *names.split())
            def b():
                self.save()
            return [f(i) for i in g()]
        class C(Base, metaclass=meta()):
            field = factory(lambda: h())
            def m(self): super().m()
        """,
    )
    assert {
        one.qualified_name: [call.name for call in one.calls] for one in found.declarations
    } == {
        "a": [
            "default",
            "os.path.join",
            ".run",
            "make",
            "y",
            ".pop",
            "print",
            "names.split",
            "f",
            "g",
        ],
        "a.b": ["self.save"],
        "C": ["meta", "factory", "h"],
        "C.m": ["super.m", "super"],
    }


def test_every_form_of_import_is_told(
    read: Read,
) -> None:
    found = read(
        "python",
        """
        import a
        import b.c as d, e
        from f import g, h as i
        from . import j
        from ..k.l import (
            m,
            n as o,
        )
        from p import *
        from __future__ import annotations
        def f():
            import q
        """,
    )
    assert [(one.module, one.name, one.alias) for one in found.imports] == [
        ("a", "", ""),
        ("b.c", "", "d"),
        ("e", "", ""),
        ("f", "g", ""),
        ("f", "h", "i"),
        (".", "j", ""),
        ("..k.l", "m", ""),
        ("..k.l", "n", "o"),
        ("p", "*", ""),
        ("q", "", ""),
    ]


def test_a_syntax_error_costs_its_own_declaration_only(
    read: Read,
) -> None:
    found = read(
        "python",
        """
        def a():
            pass

        def broken(:
            pass

        class B:
            def c(self):
                return 1

            def bad(self) return 2

            def d(self): pass

        x = = 3

        def e(): pass
        """,
    )
    assert [one.line for one in found.faults] == [4, 11, 15]
    assert [one.qualified_name for one in found.declarations] == [
        "a",
        "broken",
        "B",
        "B.c",
        "B.d",
        "e",
    ]


def test_a_lambda_in_parentheses_is_a_function(outline: Outline) -> None:
    assert outline(
        "python",
        """
        strip = (lambda s: s.strip())
        a, b = ((lambda: 1)), 2
        if (short := (lambda: 3)): pass
        """,
    ) == ["function strip 1", "function a 2", "function short 3"]
