"""TypeScript."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_heads_of_overloads_give_their_doc_to_what_they_announce(read: Read) -> None:
    (found,) = read(
        "typescript",
        """
        /** Opens by name or number. */
        export function open(name: string): void;
        /** @deprecated by number */
        export function open(number: number): void;
        export function open(any: any): void { use(any); }
        """,
    ).declarations
    assert (found.first, found.doc, found.doc_first) == (5, "Opens by name or number.", 1)
    assert found.signature == "export function open(any: any): void"


def test_what_is_only_announced_is_declared_too(outline: Outline) -> None:
    assert outline(
        "typescript",
        """
        declare function ambient(a: string): void;
        export declare class Shape { draw(): void; constructor(a: string); get area(): number; }
        declare global { interface Window { foo(): void } }
        declare module './aug' { interface Source { pipe(): void } }
        export abstract class Base<T> {
          abstract sail(): void;
          protected abstract get size(): T;
        }
        """,
    ) == [
        "function ambient 1",
        "class Shape 2",
        "method Shape.draw 2",
        "constructor Shape.constructor 2",
        "property Shape.area 2",
        "interface Window 3",
        "method Window.foo 3",
        "namespace ./aug 4",
        "interface ./aug.Source 4",
        "method ./aug.Source.pipe 4",
        "class Base 5-8",
        "method Base.sail 6",
        "property Base.size 7",
    ]


def test_namespaces_own_what_is_in_them(outline: Outline) -> None:
    assert outline(
        "typescript",
        """
        namespace Plain {
          export namespace In { export function f() {} }
        }
        export namespace A.B {
          export const limit = 4;
          export interface I {}
        }
        """,
    ) == [
        "namespace Plain 1-3",
        "namespace Plain.In 2",
        "function Plain.In.f 2",
        "namespace A.B 4-7",
        "interface A.B.I 6",
    ]


def test_decorators_begin_the_range_but_not_the_signature(read: Read) -> None:
    found = read(
        "typescript",
        """
        @Component({ selector: 'x' })
        export class View {
          @Input() a!: string;
          /** Reacts. */
          @HostListener('click', ['$event'])
          @Other
          async onClick(e: Event): Promise<void> { this.svc!.run?.(e); }
          @Output() private readonly cb: Fn = async (x) => x;
        }
        """,
    ).declarations
    assert [(one.qualified_name, one.first, one.def_line, one.last) for one in found] == [
        ("View", 1, 2, 9),
        ("View.onClick", 5, 7, 7),
        ("View.cb", 8, 8, 8),
    ]
    assert [one.signature for one in found] == [
        "export class View",
        "async onClick(e: Event): Promise<void>",
        "private readonly cb: Fn = async (x) =>",
    ]
    assert found[1].doc == "Reacts."
    assert [one.name for one in found[1].calls] == ["this.svc.run"]


def test_casts_do_not_hide_what_a_name_is_bound_to(outline: Outline) -> None:
    assert outline(
        "typescript",
        """
        const f1 = (<T,>(x: T) => x) as Fn, f2 = function <T>(x: T): T { return x } satisfies G;
        export const table = { a() {}, b: (x: number) => x } as const;
        const cast = <Foo>{ c() {} };
        let kept: unknown = class Inner { m() {} };
        """,
    ) == [
        "function f1 1",
        "function f2 1",
        "object table 2",
        "method table.a 2",
        "method table.b 2",
        "object cast 3",
        "method cast.c 3",
        "class kept 4",
        "method kept.m 4",
    ]


def test_types_enums_and_local_declarations(outline: Outline) -> None:
    assert outline(
        "tsx",
        """
        type Mapped<T> = { [K in keyof T]: T[K] };
        declare const enum Flag { A = 1 }
        export default interface Props { a(): void }
        function View(props: Props) {
          class Local { m() {} }
          const inner = <T,>(x: T) => <div/>;
        }
        """,
    ) == [
        "type Mapped 1",
        "enum Flag 2",
        "interface Props 3",
        "method Props.a 3",
        "function View 4-7",
        "class View.Local 5",
        "method View.Local.m 5",
        "function View.inner 6",
    ]


def test_import_equals_is_an_import(read: Read) -> None:
    found = read("typescript", "import x = require('y');\nimport type { P } from './p';\n")
    assert [(one.module, one.name, one.alias) for one in found.imports] == [
        ("y", "", "x"),
        ("./p", "P", ""),
    ]


def test_what_the_grammar_does_not_know_is_read_around(read: Read) -> None:
    found = read(
        "typescript",
        """
        export interface Box<in out T, /* shape */ out U = unknown> { get(): T }
        declare const Context: import("react").Context<Box | undefined>;
        interface Compose {
          (options: Options): Compose
          <E extends {}>(...all: E[]): E
        }
        export { _null as null, _void as void };
        export function after() {}
        """,
    )
    assert not found.faults
    assert [one.qualified_name for one in found.declarations] == [
        "Box",
        "Box.get",
        "Compose",
        "after",
    ]
    assert found.declarations[0].signature == ("export interface Box<in out T, out U = unknown>")


def test_what_is_awaited_or_cast_is_called(read: Read) -> None:
    found = read(
        "typescript",
        """
        async function f() {
          await make<T>(1);
          (await this.open<T>()).close();
          (run as any)(2);
        }
        """,
    )
    assert {call.simple for call in found.declarations[0].calls} == {"make", "open", "close", "run"}


def test_a_file_with_elements_is_of_the_same_language(read: Read) -> None:
    assert read("tsx", "const a = <b/>;").language == "typescript"
