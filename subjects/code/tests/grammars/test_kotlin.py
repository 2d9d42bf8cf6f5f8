"""Kotlin."""

from collections.abc import Callable, Sequence

import pytest
from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_bodies_on_one_line_are_read_like_others(outline: Outline, read: Read) -> None:
    text = """
        object Two { val x = 1 }
        enum class Four { A, B; fun q() = 1 }
        enum class Five(val x: Int) { A(1) { override fun f() = 2 }; abstract fun f(): Int }
        data class Six(val a: Int) { init { print("}") } companion object { const val K = 3 } }
        fun interface Test { fun test(x: Int): Boolean }
        class Del(b: Base) : Base by b, Other<Int>(3) { override fun z() { super.z() } }
        interface E2
        object Obj : Base() { override fun f() {} }
        @JvmInline value class Id(val raw: String) { val len get() = raw.length }
    """
    assert outline("kotlin", text) == [
        "object Two 1",
        "enum Four 2",
        "method Four.q 2",
        "enum Five 3",
        "method Five.f 3",
        "method Five.f 3",
        "class Six 4",
        "object Six.Companion 4",
        "interface Test 5",
        "method Test.test 5",
        "class Del 6",
        "method Del.z 6",
        "interface E2 7",
        "object Obj 8",
        "method Obj.f 8",
        "class Id 9",
        "property Id.len 9",
    ]
    assert not read("kotlin", text).faults


def test_extensions_belong_to_the_type_they_extend(outline: Outline) -> None:
    assert outline(
        "kotlin",
        """
        fun String.shout(): String = uppercase()
        private inline fun <reified T : Any> a.b.C<T>?.orNew(block: T.() -> Unit) { block() }
        val <T> List<T>.second: T
            get() = this[1]
        var Foo.Bar.size: Int
            get() = 1
            set(value) { store(value) }
        fun Foo.Companion.make() {}
        operator fun Int.get(i: Int) = i
        """,
    ) == [
        "function String.shout 1",
        "function a.b.C.orNew 2",
        "property List.second 3-4",
        "property Foo.Bar.size 5-7",
        "function Foo.Companion.make 8",
        "function Int.get 9",
    ]


def test_members_of_every_kind(outline: Outline) -> None:
    assert outline(
        "kotlin",
        """
        annotation class Ann(val v: String)
        sealed class Outer {
            inner class Inner { fun i() {} }
            lateinit var later: String
            val lazy by lazy { compute() }
            private var b: Int = 0
                set(value) { field = value }
            init { go() }
            companion object : Factory<Outer>
            @Inject
            constructor(x: Int) : super(x) { go() }
            fun <T> gen(t: T): T where T : Any = t
            abstract fun abs()
            val twice = { x: Int -> x * 2 }
            fun run() {
                fun inner() {}
                val f = fun(x: Int): Int { return x }
                start(object : Runnable { override fun go() { work() } })
            }
        }
        typealias Fn<T> = (T) -> Unit
        /** The most. */
        const val MAX = 3
        fun `with spaces`() { }
        context(Log)
        fun logged() {}
        """,
    ) == [
        "interface Ann 1",
        "class Outer 2-20",
        "class Outer.Inner 3",
        "method Outer.Inner.i 3",
        "property Outer.b 6-7",
        "object Outer.Companion 9",
        "constructor Outer.constructor 10-11 @11",
        "method Outer.gen 12",
        "method Outer.abs 13",
        "function Outer.twice 14",
        "method Outer.run 15-19",
        "function Outer.run.inner 16",
        "function Outer.run.f 17",
        "function Outer.run.go 18",
        "type Fn 21",
        "constant MAX 23",
        "function `with spaces` 24",
        "function logged 25-26 @26",
    ]


@pytest.mark.parametrize(
    "head",
    [
        "annotation class E", "data object E", "enum class E { A }", "expect class E",
        "actual fun E() {}", "operator fun E() {}", "val E get() = 1",
    ],
)  # fmt: skip
@pytest.mark.parametrize("annotation", ["@Ann", "@Ann @Other(1)", '@Ann("(", list = [Of(1)])'])
def test_annotations_begin_what_they_are_about(
    annotation: str, head: str, outline: Outline
) -> None:
    (line,) = outline("kotlin", f"{annotation}\n{head}\n")
    assert line.endswith(" E 1-2 @2")


def test_calls_imports_and_the_package(read: Read) -> None:
    parse = read(
        "kotlin",
        """
        package app.cache
        import x.y.*
        import z.W as V
        import k.l
        fun f() {
            a?.b()
            c!!.d()
            list.map { it.foo() }.filter(::bar)
            X(1)
            with(x) { y() }
        }
        """,
    )
    assert sorted(one.name for one in parse.declarations[0].calls) == [
        ".filter",
        "X",
        "a.b",
        "c.d",
        "it.foo",
        "list.map",
        "with",
        "y",
    ]
    assert parse.package == "app.cache"
    assert [(one.module, one.name, one.alias) for one in parse.imports] == [
        ("x.y", "*", ""),
        ("z", "W", "V"),
        ("k", "l", ""),
    ]
