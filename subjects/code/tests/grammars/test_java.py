"""Java."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_types_nest_and_annotations_begin_the_range(outline: Outline) -> None:
    assert outline(
        "java",
        """
        package a.b;
        @Deprecated
        public @interface Marked {
            String value() default "x";
        }
        @A(x = 1)
        public abstract class Shelf<T> extends Base<T> implements I {
            abstract void empty();
            @Override
            // why
            public @Nullable String
            toString() { return ""; }
            record Point(int x) { Point { } static int zero() { return 0; } }
            enum Side { LEFT(1) { void z() {} }, RIGHT; Side(int i) {} void flip() {} }
            interface Rule { int X = 1; void a(); default void b() {} private void c() {} }
            static class Inner { Inner(int... a) throws E {} }
        }
        sealed interface S permits Q {}
        non-sealed class Q implements S {}
        """,
    ) == [
        "interface Marked 2-5 @3",
        "method Marked.value 4",
        "class Shelf 6-17 @7",
        "method Shelf.empty 8",
        "method Shelf.toString 9-12 @12",
        "record Shelf.Point 13",
        "constructor Shelf.Point.Point 13",
        "method Shelf.Point.zero 13",
        "enum Shelf.Side 14",
        "method Shelf.Side.LEFT.z 14",
        "constructor Shelf.Side.Side 14",
        "method Shelf.Side.flip 14",
        "interface Shelf.Rule 15",
        "method Shelf.Rule.a 15",
        "method Shelf.Rule.b 15",
        "method Shelf.Rule.c 15",
        "class Shelf.Inner 16",
        "constructor Shelf.Inner.Inner 16",
        "interface S 18",
        "class Q 19",
    ]


def test_lambdas_and_unnamed_classes_belong_to_what_they_stand_in(outline: Outline) -> None:
    assert outline(
        "java",
        """
        class C {
            Runnable start = () -> run(), stop = new Runnable() { public void run() {} };
            <K> C(K k) { this.callback = () -> { go(); }; }
            void m() {
                class Local { void inner() {} }
                Function<A, B> same = x -> x;
                rows.forEach(r -> log(r));
                new Thread(new Runnable() {
                    @Override public void run() {}
                });
            }
        }
        """,
    ) == [
        "class C 1-12",
        "method C.start 2",
        "method C.run 2",
        "constructor C.C 3",
        "function C.C.callback 3",
        "method C.m 4-11",
        "class C.m.Local 5",
        "method C.m.Local.inner 5",
        "function C.m.same 6",
        "method C.m.run 9",
    ]


def test_constants_with_a_doc_count(outline: Outline) -> None:
    assert outline(
        "java",
        """
        class C {
            private static final int PLAIN = 1;
            /** The most. */
            public static final int MAX = 3;
            /** Rows. */
            private final int rows = 0;
        }
        """,
    ) == ["class C 1-7", "constant C.MAX 4"]


def test_signatures_have_no_annotations(read: Read) -> None:
    (_, method) = read(
        "java", '@A class C {\n@Operation(summary = "x")\npublic int m(@B int a) { return a; }\n}'
    ).declarations
    assert method.signature == "public int m(@B int a)"


def test_calls_imports_and_package(read: Read) -> None:
    found = read(
        "java",
        """
        package a.b;
        import java.util.*;
        import static java.lang.Math.max;
        import x.Y;
        class C { void m() {
            a.b().c(d); new D<>(1).e(); this.f.g(); super.h(); Foo.<T>bar();
            list.map(Foo::baz); of(E::new);
        } }
        """,
    )
    assert found.package == "a.b"
    assert [(one.module, one.name) for one in found.imports] == [
        ("java.util", "*"),
        ("java.lang.Math", "max"),
        ("x", "Y"),
    ]
    assert {one.name for one in found.declarations[1].calls} == {
        "a.b", ".c", "D", ".e", "this.f.g", "super.h", "Foo.bar", "list.map", "Foo.baz", "of", "E",
    }  # fmt: skip
