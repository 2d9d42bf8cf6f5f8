"""JavaScript."""

from collections.abc import Callable, Sequence

import pytest
from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_every_declarator_of_a_statement_is_seen(outline: Outline) -> None:
    assert outline(
        "javascript",
        """
        var self = this, first = () => 1,
            second = function () {
              return first();
            },
            third = class Named {};
        """,
    ) == ["function first 1", "function second 2-4", "class third 5"]


def test_members_of_objects_belong_to_them_however_deep(outline: Outline) -> None:
    assert outline(
        "javascript",
        """
        export const registry = {
          nested: { deep() {}, get v() { return 1; }, 'quoted-name': () => 2 },
          plain: 1,
          async *gen() {},
          [Symbol.iterator]: function* () {},
          cls: class { inner() {} },
        };
        const frozen = Object.freeze({ run() {} });
        const config = { a: 1, b: { c: 2 } };
        """,
    ) == [
        "object registry 1-7",
        "method registry.nested.deep 2",
        "property registry.nested.v 2",
        "method registry.nested.quoted-name 2",
        "method registry.gen 4",
        "method registry.[Symbol.iterator] 5",
        "class registry.cls 6",
        "method registry.cls.inner 6",
        "object frozen 8",
        "method frozen.run 8",
    ]


def test_a_wrapped_component_has_the_name_of_its_variable_and_a_callback_none(
    outline: Outline,
) -> None:
    assert outline(
        "javascript",
        """
        const Row = React.memo(React.forwardRef((props, ref) => <div/>));
        const Cell = observer(function Cell() { return null; });
        const onClick = useCallback(async () => { go(); }, []);
        const Styled = styled.div`color: red`;
        const total = items.reduce(function sum(a, b) { return a + b; }, 0);
        const rows = items.map((i) => i);
        export default memo(function Page() { return <Row/>; });
        """,
    ) == [
        "function Row 1",
        "function Cell 2",
        "function onClick 3",
        "function sum 5",
        "function Page 7",
    ]


def test_members_are_assigned_to_prototypes_objects_exports_and_this(outline: Outline) -> None:
    assert outline(
        "javascript",
        """
        function Legacy(name) {
          this.hello = function () { return name; };
          var helper = function () {};
          return function curried(x) { return x; };
        }
        Legacy.prototype.greet = () => 1;
        Legacy.prototype = { bulk() {}, other: function named() {} };
        Legacy.create = function create() {};
        module.exports = { m1() {}, m2: function () {} };
        exports.a = exports.b = function () {};
        module.exports = exports = function Final() {};
        window.boot = function () {};
        obj['str-key'] = function () {};
        obj[dynamic] = function () {};
        lazy ||= () => {};
        """,
    ) == [
        "function Legacy 1-5",
        "method Legacy.hello 2",
        "function Legacy.helper 3",
        "function Legacy.curried 4",
        "method Legacy.greet 6",
        "method Legacy.bulk 7",
        "method Legacy.other 7",
        "method Legacy.create 8",
        "method m1 9",
        "method m2 9",
        "function a 10",
        "function Final 11",
        "function boot 12",
        "method obj.str-key 13",
        "function lazy 15",
    ]


def test_a_class_has_fields_private_static_quoted_and_computed_members(outline: Outline) -> None:
    assert outline(
        "javascript",
        """
        @sealed
        class Modern {
          static #count = 0;
          static async load() {}
          'quoted method'() {}
          [Symbol.asyncIterator]() {}
          static get [Symbol.species]() { return this; }
          @bound
          handler = debounce(() => { this.load(); }, 10);
          table = { one() {}, two: 2 };
          constructor() {
            this.late = () => { helper(); };
            const local = () => {};
          }
        }
        """,
    ) == [
        "class Modern 1-15 @2",
        "method Modern.load 4",
        "method Modern.quoted method 5",
        "method Modern.[Symbol.asyncIterator] 6",
        "property Modern.[Symbol.species] 7",
        "method Modern.handler 8-9 @9",
        "method Modern.table.one 10",
        "constructor Modern.constructor 11-14",
        "method Modern.late 12",
        "function Modern.constructor.local 13",
    ]


def test_a_default_export_without_a_name_is_called_default(outline: Outline) -> None:
    assert outline("javascript", "export default async () => 1;") == ["function default 1"]
    assert outline("javascript", "export default class extends Q { m() {} }") == [
        "class default 1",
        "method default.m 1",
    ]
    assert outline("javascript", "module.exports = function () {};") == ["function exports 1"]


def test_a_constant_of_the_module_counts_if_it_is_documented_or_made_for_export(
    outline: Outline,
) -> None:
    assert outline(
        "javascript",
        """
        const fs = require('fs');
        export const rate = 3;
        /** The most. */
        const MAX = 3;
        export const NEVER = new Observable(noop);
        function f() {
          /** Local. */
          const LIMIT = 1;
        }
        """,
    ) == ["constant MAX 4", "constant NEVER 5", "function f 6-9"]


def test_imports_of_both_kinds_of_modules(read: Read) -> None:
    found = read(
        "javascript",
        """
        import D, { a as b, c } from 'm';
        import * as N from 'n';
        import 'side';
        export * from './w';
        export { p as q } from './r';
        const { x, y: z } = require('k');
        const posix = require('path').posix;
        const late = await import('./late');
        """,
    )
    assert [(one.module, one.name, one.alias) for one in found.imports] == [
        ("m", "default", "D"),
        ("m", "a", "b"),
        ("m", "c", ""),
        ("n", "", "N"),
        ("side", "", ""),
        ("./w", "*", ""),
        ("./r", "p", "q"),
        ("k", "x", ""),
        ("k", "y", "z"),
        ("path", "posix", "posix"),
        ("./late", "", "late"),
    ]


def test_calls_have_dotted_names_and_what_has_none_begins_with_a_dot(read: Read) -> None:
    found = read(
        "javascript",
        """
        a.b?.c(); make().run(); new x.Y(); this.#p(); super.up(); list[0].go();
        const e = <A.B><Cc/><div/></A.B>;
        """,
    )
    names = {one.name for one in found.calls}
    assert names == {
        "a.b.c", "make", ".run", "x.Y", "this.#p", "super.up", ".go", "A.B", "Cc",
    }  # fmt: skip


def test_what_a_machine_wrote_on_one_line_is_not_read(outline: Outline) -> None:
    bundle = "!function(){" + "function a(){return 1}" * 200 + "}();\n"
    assert outline("javascript", bundle + "export function written() {}\n") == [
        "function written 2"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "const x = " + "memo(" * 3000 + "() => 1" + ")" * 3000,
        "const x = " + "{a: " * 3000 + "1" + "}" * 3000,
        "x = " * 3000 + "function f() {}",
        "f(" * 3000 + "function g() {}" + ")" * 3000,
        "class A {" + "@d m() {}\n" * 3000 + "}",
        "a" + ".b()" * 3000,
    ],
)
def test_depth_and_length_are_bounded(read: Read, text: str) -> None:
    assert read("javascript", text).language == "javascript"
    assert read("typescript", text).language == "typescript"
