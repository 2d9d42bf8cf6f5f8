"""Swift."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_members_of_every_kind(outline: Outline) -> None:
    assert outline(
        "swift",
        """
        @available(iOS 15, *)
        public struct Box<T> where T: Equatable {
            @Published var seen = 1 { didSet { print(seen) } }
            var size: Int { get { 1 } set { store(newValue) } }
            static let shared = Box()
            let twice = { (n: Int) in n * 2 }
            init<U>(_ u: U) throws { self.x = u }
            @discardableResult
            subscript(key: String) -> Int? { d[key] }
            static prefix func - (a: Box) -> Box { a }
            indirect enum Nested { case a, b(Int); var d: String { "" }; init() { self = .a } }
            typealias Q = Int
            @ViewBuilder var body: some View { Text("x") }
            isolated deinit { close() }
            func `default`() { func inner() {} ; let c = { 1 } }
        }
        """,
    ) == [
        "struct Box 1-16 @2",
        "property Box.seen 3",
        "property Box.size 4",
        "function Box.twice 6",
        "constructor Box.init 7",
        "method Box.subscript 8-9 @9",
        "method Box.- 10",
        "enum Box.Nested 11",
        "property Box.Nested.d 11",
        "constructor Box.Nested.init 11",
        "type Box.Q 12",
        "property Box.body 13",
        "method Box.deinit 14",
        "method Box.`default` 15",
        "function Box.`default`.inner 15",
        "function Box.`default`.c 15",
    ]


def test_extensions_protocols_actors_operators_and_macros(outline: Outline) -> None:
    assert outline(
        "swift",
        """
        extension Box: P where T: Q { func ext() {} ; var p: Int { 1 } ; struct In {} }
        extension Array.Index { func q() {} }
        extension [Int] { func s() {} }
        protocol P { associatedtype T; init(x: Int); var p: Int { get set }; static func st() }
        infix operator +++: AdditionPrecedence
        func +++ (a: Int, b: Int) -> Int { a + b }
        distributed actor Bank { nonisolated func id() -> Int { 1 } }
        @freestanding(expression)
        macro stringify<T>(_ v: T) -> (T, String) = #externalMacro(module: "M", type: "S")
        #if os(iOS)
        func onPhone() {}
        #else
        func onDesk() {}
        #endif
        /// The most.
        let MAX = 3
        private let hook: (Int) -> Int = { $0 }
        """,
    ) == [
        "extension Box 1",
        "method Box.ext 1",
        "property Box.p 1",
        "struct Box.In 1",
        "extension Array.Index 2",
        "method Array.Index.q 2",
        "extension Array 3",
        "method Array.s 3",
        "interface P 4",
        "constructor P.init 4",
        "property P.p 4",
        "method P.st 4",
        "function +++ 6",
        "class Bank 7",
        "method Bank.id 7",
        "macro stringify 8-9 @9",
        "function onPhone 11",
        "function onDesk 13",
        "constant MAX 16",
        "function hook 17",
    ]


def test_calls_and_imports(read: Read) -> None:
    parse = read(
        "swift",
        """
        import struct Foundation.URL
        @testable import Mod.Sub
        func f() {
            a?.b()
            c!.d()
            .e()
            foo.bar().baz()
            Foo<Int>(x: 1)
            try! h()
            super.init()
            self.items.map { $0.go() }
            #log("x")
        }
        """,
    )
    assert sorted(one.name for one in parse.declarations[0].calls) == [
        "$0.go",
        ".baz",
        ".e",
        "Foo",
        "a.b",
        "c.d",
        "foo.bar",
        "h",
        "log",
        "self.items.map",
        "super.init",
    ]
    assert [(one.module, one.name) for one in parse.imports] == [
        ("Foundation", "URL"),
        ("Mod.Sub", ""),
    ]


def test_members_on_one_line_are_read(outline: Outline) -> None:
    assert outline(
        "swift",
        """
        enum K { case a(Int), b; static let all = [K.b]; init?(raw: Int) { nil } }
        struct S { let x = 1; let y = "a"; private(set) var z = 2; mutating func f() {} }
        """,
    ) == ["enum K 1", "constructor K.init 1", "struct S 2", "method S.f 2"]
