"""Scala 2 and 3."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_bodies_by_indentation_end_with_their_last_line(
    outline: Outline,
) -> None:
    assert outline(
        "scala",
        """
        package a.b

        class Svc(repo: Repo) extends Base(repo)
            with Logging:

          def many =
            val f: Int => Int = x => x
            def inner(z: Int): Int =
              z match
                case 1 => go(z)
                case _ => 2

            inner(3)

          // of next
          override def toString = "x"


        /** Doc of the object. */
        object Svc:
          val handler: Handler =
            case x => println(x)

        end Svc

        enum Tree[+A]:
          case Leaf(a: A)
          case Node(l: Tree[A], r: Tree[A])

          def size: Int = 1

        // last
        """,
    ) == [
        "class Svc 3-16",
        "method Svc.many 6-13",
        "function Svc.many.inner 8-11",
        "method Svc.toString 16",
        "object Svc 20-24",
        "function Svc.handler 21-22",
        "enum Tree 26-30",
        "method Tree.size 30",
    ]


def test_each_kind_of_type_has_its_own(
    outline: Outline,
) -> None:
    assert outline(
        "scala",
        """
        package object util { def helper(x: Int) = x }
        package inner {
          class InPackage
        }
        sealed trait Shape
        case object Empty extends Shape
        final case class Square(side: Double) extends Shape
        abstract class Base[T] private[a] (val n: Int)(implicit o: Ord[T]) { self: X =>
          def this(s: String) = this(s.length)
          type Elem <: Any
          type Al = List[Int]
          implicit class Rich(val s: String) extends AnyVal { def shout = s }
        }
        opaque type Id = Int
        type F = [X] =>> List[X]
        object Main { object Nested { class Deep } }
        """,
    ) == [
        "object util 1",
        "method util.helper 1",
        "class InPackage 3",
        "trait Shape 5",
        "object Empty 6",
        "class Square 7",
        "class Base 8-13",
        "constructor Base.this 9",
        "type Base.Elem 10",
        "type Base.Al 11",
        "class Base.Rich 12",
        "method Base.Rich.shout 12",
        "type Id 14",
        "type F 15",
        "object Main 16",
        "object Main.Nested 16",
        "class Main.Nested.Deep 16",
    ]


def test_methods_operators_and_multiple_parameter_lists(
    outline: Outline,
) -> None:
    assert outline(
        "scala",
        """
        trait T {
          def abs: Int
          def +(o: T): T = this
          def unary_! = false
          def `odd name`(x: Int) = x
          def name_=(v: String): Unit = ()
          @tailrec
          final def loop[A](a: A)(b: Int)
              (implicit c: C): Int = {
            def inner(n: Int) = n
            1
          }
          inline def quick(inline x: Int): Int = x
        }
        def toplevel(x: Int)
                    (y: Int) = x
        @main def run(args: String*): Unit = ()
        """,
    ) == [
        "trait T 1-14",
        "method T.abs 2",
        "method T.+ 3",
        "method T.unary_! 4",
        "method T.`odd name` 5",
        "method T.name_= 6",
        "method T.loop 7-12 @8",
        "function T.loop.inner 10",
        "method T.quick 13",
        "function toplevel 15-16",
        "function run 17",
    ]


def test_givens_and_extensions(
    outline: Outline,
) -> None:
    assert outline(
        "scala",
        """
        given intOrd: Ordering[Int] with
          def compare(a: Int, b: Int): Int = a - b
        given Show[Int] = Show.show(_.toString)
        given listOrd[T](using Ordering[T]): Ordering[List[T]] = ???
        extension [T](xs: List[T])
          def second: T = xs.tail.head

          def third = xs(2)
        extension (s: geo.Square) { def up = s; infix def ~~(o: String) = s }
        extension (using c: Ctx)(n: Int)
          def twice = n * 2
        """,
    ) == [
        "object intOrd 1-2",
        "method intOrd.compare 2",
        "object given_Show_Int 3",
        "object listOrd 4",
        "extension List 5-8",
        "method List.second 6",
        "method List.third 8",
        "extension Square 9",
        "method Square.up 9",
        "method Square.~~ 9",
        "extension Int 10-11",
        "method Int.twice 11",
    ]


def test_values_that_hold_functions_are_functions(
    outline: Outline,
) -> None:
    assert outline(
        "scala",
        """
        object Ops {
          val inc = (x: Int) => x + 1
          lazy val big: Int => Int = { n => n }
          var cb: () => Unit = () => println("x")
          val pf: PartialFunction[Int, Int] = { case 1 => 2 }
          val blank: Int => Int = _ + 1
          val unit = Square(1)
          val (a, b) = (1, 2)
          val xs = List(1).map(_ + 1)
          /** Most. */
          final val MAX_SIZE = 10
          val PLAIN = 11
          def m = {
            val local = (x: Int) => x
            for (i <- xs) yield i
          }
          val listener = new Listener { def on(e: Event): Unit = go(e) }
        }
        val twice: Int => Int = n => n * 2
        """,
    ) == [
        "object Ops 1-18",
        "function Ops.inc 2",
        "function Ops.big 3",
        "function Ops.cb 4",
        "function Ops.pf 5",
        "function Ops.blank 6",
        "constant Ops.MAX_SIZE 11",
        "method Ops.m 13-16",
        "method Ops.on 17",
        "function twice 19",
    ]


def test_the_doc_stands_above_the_annotations(
    read: Read,
) -> None:
    found = read(
        "scala",
        """
        /** Adds.
          *
          * @param a first
          */
        @deprecated("x", "1")
        def add(a: Int) = a

        // Plain.
        class C {
          /* Block. */
          def m = 1
        }
        """,
    )
    assert [(one.name, one.doc, one.doc_first) for one in found.declarations] == [
        ("add", "Adds.\n\na first", 1),
        ("C", "Plain.", 8),
        ("m", "Block.", 10),
    ]


def test_the_signature_of_a_bound_function_shows_its_parameters(
    read: Read,
) -> None:
    found = read(
        "scala",
        """
        object O extends App with B {
          val inc = (x: Int) => x + 1
          def add(
              a: Int,
              b: Int
          ): Int = a + b
        }
        """,
    )
    assert [one.signature for one in found.declarations] == [
        "object O extends App with B",
        "val inc = (x: Int) =>",
        "def add( a: Int, b: Int ): Int",
    ]


def test_calls_by_dots_blanks_and_new(
    read: Read,
) -> None:
    found = read(
        "scala",
        """
        def f(xs: List[Int]) = {
          println("a")
          xs.map(g).filter { x => keep(x) }
          a combine b
          new Foo(1)
          new Bar[Int] { def z = y() }
          Foo.bar[Int](2)
          this.h(3)
        }
        """,
    )
    assert {
        one.qualified_name: [call.name for call in one.calls] for one in found.declarations
    } == {
        "f": [
            "println",
            ".filter",
            "xs.map",
            "keep",
            ".combine",
            "Foo",
            "Bar",
            "Foo.bar",
            "this.h",
        ],
        "f.z": ["y"],
    }


def test_every_form_of_import_is_told(
    read: Read,
) -> None:
    found = read(
        "scala",
        """
        package com.acme
        package shop
        import scala.collection.{mutable => m, immutable, hidden => _}
        import java.util._
        import a.b.*
        import x.y as z
        import q.r, s.t
        import u.{v as w, given}
        """,
    )
    assert [(one.module, one.name, one.alias) for one in found.imports] == [
        ("scala.collection", "mutable", "m"),
        ("scala.collection", "immutable", ""),
        ("java.util", "*", ""),
        ("a.b", "*", ""),
        ("x", "y", "z"),
        ("q", "r", ""),
        ("s", "t", ""),
        ("u", "v", "w"),
        ("u", "*", ""),
    ]
    assert found.package == "com.acme"


def test_a_syntax_error_costs_its_own_declaration_only(
    read: Read,
) -> None:
    found = read(
        "scala",
        """
        class A { def a = 1 }
        object B {
          def bad( = 2
        }
        class C { def c = 3 }
        """,
    )
    assert [one.line for one in found.faults] == [3]
    assert [one.qualified_name for one in found.declarations] == [
        "A",
        "A.a",
        "B",
        "B.bad",
        "C",
        "C.c",
    ]
