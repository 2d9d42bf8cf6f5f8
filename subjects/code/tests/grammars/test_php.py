"""PHP."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_types_and_their_members(outline: Outline) -> None:
    assert outline(
        "php",
        """
        <html><?php
        namespace A\\B;
        #[A]
        #[B(1)]
        abstract class Shop extends Base implements I, J {
            use Loggable;
            const PLAIN = 1;
            /** Documented. */
            final public const string NAME = 'a';
            public string $full { get => 1; set { } }
            #[B]
            abstract protected function open(): void;
            public function __construct(private int $x = 1) {}
            public function list() {}
        }
        trait Loggable { public function log() {} }
        interface Rule extends A { const C = 1; public function a(); }
        enum Suit: string implements I { case Hearts = 'h'; public static function pick() {} }
        final readonly class Point {}
        if (!function_exists('x')) { function x() {} }
        ?>
        function text() {}
        <b><?= foo() ?></b>
        """,
    ) == [
        "class Shop 3-15 @5",
        "constant Shop.NAME 9",
        "property Shop.full 10",
        "method Shop.open 11-12 @12",
        "constructor Shop.__construct 13",
        "method Shop.list 14",
        "trait Loggable 16",
        "method Loggable.log 16",
        "interface Rule 17",
        "method Rule.a 17",
        "enum Suit 18",
        "method Suit.pick 18",
        "class Point 19",
        "function x 20",
    ]


def test_closures_have_the_name_they_are_assigned_to(outline: Outline) -> None:
    assert outline(
        "php",
        """
        <?php
        class C {
            public function boot() {
                $this->callback = function () {};
                $double = static fn($x) => $x * 2;
                $unnamed = new class(1) extends E { public function z() {} };
                array_map(function ($x) { return $x; }, $a);
            }
        }
        $o->p = fn() => 1;
        $h['k'] = function () {};
        $table = ['a' => function () {}, 'b' => ['c' => fn() => 1], 'd' => 1];
        """,
    ) == [
        "class C 2-9",
        "method C.boot 3-8",
        "method C.callback 4",
        "function C.boot.double 5",
        "method C.boot.z 6",
        "function o.p 10",
        "function h.k 11",
        "function table.a 12",
        "function table.b.c 12",
    ]


def test_a_reference_may_be_returned_by_a_function_named_like_a_keyword(read: Read) -> None:
    found = read("php", "<?php class C { function &match() {} function after() {} }")
    assert [one.name for one in found.declarations] == ["C", "match", "after"]
    assert found.declarations[1].signature == "function &match()"
    assert not found.faults


def test_calls_imports_and_namespace(read: Read) -> None:
    found = read(
        "php",
        """
        <?php
        namespace App\\Http;
        use A\\{B, C as D, function f};
        use X\\Y as Z;
        use Lone;
        require_once __DIR__ . '/a.php';
        function run() {
            parent::make(); self::t(); A\\B::u(); $a->b()->c(); $a?->d(); new D(1);
            \\strlen(1); $f(); $this->svc->run(); $cls::m();
        }
        """,
    )
    assert found.package == "App.Http"
    assert [(one.module, one.name, one.alias) for one in found.imports] == [
        ("A", "B", ""),
        ("A", "C", "D"),
        ("A", "f", ""),
        ("X", "Y", "Z"),
        ("Lone", "", ""),
        ("./a.php", "", ""),
    ]
    assert {one.name for one in found.declarations[0].calls} == {
        "parent.make", "self.t", "A.B.u", "a.b", ".c", "a.d", "D", "strlen", "$f", "this.svc.run",
        ".m",
    }  # fmt: skip


def test_what_follows_the_end_of_the_code_is_data(outline: Outline) -> None:
    assert outline(
        "php",
        """
        <?php
        function a() { return '__halt_compiler();'; }
        function b() {}
        __HALT_COMPILER();
        function c() {}
        """,
    ) == ["function a 2", "function b 3"]
