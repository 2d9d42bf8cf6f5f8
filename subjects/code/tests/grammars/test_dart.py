"""Dart."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_members_of_every_kind(outline: Outline) -> None:
    assert outline(
        "dart",
        """
        @immutable
        abstract class A<T> extends B<T> with M implements I {
          static const int k = 1;
          final List<T> xs = [];
          const A(this.x, {required this.y}) : z = 1, super(x);
          const A.named(int x);
          factory A.of() => A._();
          const factory A.redirected() = C;
          A._() {
            init();
          }
          external void outside();
          void todo();
          int get size { return 1; }
          set size(int v) => _s = v;
          operator [](int i) => xs[i];
          void operator []=(int i, T v) { xs[i] = v; }
          A operator -() => this;
          Stream<int> many() async* { yield 1; }
          @override
          @Deprecated('x')
          String toString() => 'A';
          var twice = (int x) { return x; };
          static R generic<R>(R r) {
            R inner() => r;
            var c = () => 1;
            return r;
          }
        }
        """,
    ) == [
        "class A 1-29 @2",
        "constructor A.A 5",
        "constructor A.named 6",
        "constructor A.of 7",
        "constructor A.redirected 8",
        "constructor A._ 9-11",
        "method A.outside 12",
        "method A.todo 13",
        "property A.size 14",
        "property A.size 15",
        "method A.[] 16",
        "method A.[]= 17",
        "method A.- 18",
        "method A.many 19",
        "method A.toString 20-22 @22",
        "function A.twice 23",
        "method A.generic 24-28",
        "function A.generic.inner 25",
        "function A.generic.c 26",
    ]


def test_types_of_every_kind(outline: Outline) -> None:
    assert outline(
        "dart",
        """
        base mixin class Both {}
        class Applied = Base with Mixed;
        mixin M on A { void m() {} }
        extension Ext<T> on List<T> { T get first2 => this[0]; }
        extension on String { void nameless() {} }
        extension type Id(int id) implements int { int get v => id; }
        enum E { a(1), b(2); const E(this.n); static E of(int i) => a; }
        typedef New = void Function(int);
        typedef int Old(int a);
        typedef Rows<K> = Map<K, int>;
        """,
    ) == [
        "class Both 1",
        "class Applied 2",
        "class M 3",
        "method M.m 3",
        "extension Ext 4",
        "property Ext.first2 4",
        "extension String 5",
        "method String.nameless 5",
        "extension Id 6",
        "property Id.v 6",
        "enum E 7",
        "constructor E.E 7",
        "method E.of 7",
        "type New 8",
        "type Old 9",
        "type Rows 10",
    ]


def test_functions_and_constants_outside_of_classes(outline: Outline, read: Read) -> None:
    text = """
        /// The most.
        const int MAX = 3;
        final top = 4;
        /// Doubles.
        @pragma('vm:entry-point')
        int f(int a, [int b = 1]) => a;
        get half => 1;
        set half(int x) { }
        external int outside();
        final g = () { return 1; };
        int Function(int)? h = (x) => x;
        (int, String) pair() => (1, 'a');
    """
    assert outline("dart", text) == [
        "constant MAX 2",
        "function f 5-6 @6",
        "property half 7",
        "property half 8",
        "function outside 9",
        "function g 10",
        "function h 11",
        "function pair 12",
    ]
    assert read("dart", text).declarations[1].doc == "Doubles."


def test_calls_and_imports(read: Read) -> None:
    parse = read(
        "dart",
        """
        import 'package:a/b.dart' as b;
        import 'c.dart' show X, Y hide Z;
        export 'd.dart';
        part 'e.g.dart';
        void f() async {
          await a.b();
          super.x();
          this.y();
          foo?.bar();
          make().go();
          new C.named();
          const D();
          list.map((e) => e.z()).toList();
          x..a()..b();
        }
        """,
    )
    assert [one.name for one in parse.declarations[0].calls] == [
        "a.b",
        "super.x",
        "this.y",
        "foo.bar",
        "make",
        ".go",
        "C.named",
        "D",
        "list.map",
        "e.z",
        ".toList",
        ".a",
        ".b",
    ]
    assert [(one.module, one.name, one.alias) for one in parse.imports] == [
        ("package:a/b.dart", "", "b"),
        ("c.dart", "X", ""),
        ("c.dart", "Y", ""),
        ("d.dart", "", ""),
        ("e.g.dart", "", ""),
    ]


def test_a_method_without_a_type_is_no_constructor(outline: Outline) -> None:
    assert outline(
        "dart",
        """
        class A<T> extends B {
          A(int x);
          A.x(this.z) : super();
          noSuchMethod(Invocation i) => miss(i);
          static make(c) async { run(); }
        }
        enum E { a(1); const E(int x); }
        extension X on A { more(n) => n; }
        mixin M { go() {} }
        """,
    ) == [
        "class A 1-6",
        "constructor A.A 2",
        "constructor A.x 3",
        "method A.noSuchMethod 4",
        "method A.make 5",
        "enum E 7",
        "constructor E.E 7",
        "extension X 8",
        "method X.more 8",
        "class M 9",
        "method M.go 9",
    ]
