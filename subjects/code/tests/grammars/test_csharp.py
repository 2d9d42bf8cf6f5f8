"""C#."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_members_of_every_kind(outline: Outline) -> None:
    assert outline(
        "csharp",
        """
        namespace N.M;
        [Serializable]
        public partial class C<T>(int p) : B(p), I where T : new() {
            public const int PLAIN = 1;
            /// <summary>Most.</summary>
            public const int MAX = 1;
            public event EventHandler Changed;
            public event EventHandler Saved { add { } remove { } }
            public int P { get; init; } = 3;
            int I.Explicit => 1;
            public string this[int i, string j] => "";
            static C() {}
            public C(int a) : this() => x();
            ~C() {}
            public static implicit operator int(C<T> c) => 1;
            public static bool operator ==(C<T> a, C<T> b) => true;
            void I.Foo() { }
            [A]
            [return: NotNull]
            public async Task<int> M<K>(K k)
                where K : notnull
            {
                int Local(int a) { return a; }
                static void Other() => y();
                var lambda = () => 1;
                button.Click += (s, e) => {};
                this.callback = () => 2;
            }
            Func<int, int> f = x => x, g = delegate(int a) { return a; };
            partial void Part();
            abstract void Ab();
        }
        """,
    ) == [
        "class C 2-32 @3",
        "constant C.MAX 6",
        "property C.Saved 8",
        "property C.P 9",
        "property C.Explicit 10",
        "property C.this 11",
        "constructor C.C 12",
        "constructor C.C 13",
        "method C.~C 14",
        "method C.operator int 15",
        "method C.operator == 16",
        "method C.Foo 17",
        "method C.M 18-28 @20",
        "function C.M.Local 23",
        "function C.M.Other 24",
        "function C.M.lambda 25",
        "method C.callback 27",
        "method C.f 29",
        "method C.g 29",
        "method C.Part 30",
        "method C.Ab 31",
    ]


def test_types_without_bodies_nested_and_top_level_functions(outline: Outline) -> None:
    assert outline(
        "csharp",
        """
        namespace A {
            namespace B {
                public record R(int X) { }
                record struct RS;
                readonly ref struct ST { }
                file class F {
                    enum E { A }
                    interface II { int W { get; } void V(); }
                    delegate void Del();
                }
            }
        }
        void Top() {}
        """,
    ) == [
        "record R 3",
        "record RS 4",
        "struct ST 5",
        "class F 6-10",
        "enum F.E 7",
        "interface F.II 8",
        "property F.II.W 8",
        "method F.II.V 8",
        "type F.Del 9",
        "function Top 13",
    ]


def test_signatures_have_no_attributes(read: Read) -> None:
    (_, method) = read(
        "csharp", '[A] class C {\n[Obsolete("x")]\npublic int M([B] int a) { return a; }\n}'
    ).declarations
    assert method.signature == "public int M([B] int a)"


def test_calls_usings_and_namespace(read: Read) -> None:
    found = read(
        "csharp",
        """
        global using System;
        using static A.B;
        using X = A.B<int>;
        namespace N.M;
        class C { void F() {
            a.b().c(); this.d.e(); base.f(); new D(1).g(); x?.y(); A.B<int>.z(); v.w<int>(1);
            string.Join(1); foo!.bar(); nameof(q); new A.E<int>();
        } }
        """,
    )
    assert found.package == "N.M"
    assert [(one.module, one.name, one.alias) for one in found.imports] == [
        ("System", "", ""),
        ("A.B", "*", ""),
        ("A.B", "", "X"),
    ]
    assert {one.name for one in found.declarations[1].calls} == {
        "a.b", ".c", "this.d.e", "base.f", "D", ".g", "x.y", "A.B.z", "v.w", "string.Join",
        "foo.bar", "A.E",
    }  # fmt: skip
