"""Go."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_methods_belong_to_their_receiver_however_it_is_written(outline: Outline) -> None:
    assert outline(
        "go",
        """
        package p
        func (g *G[K, V]) Do() {}
        func (G[_]) Blank() {}
        func (*T) NoName() {}
        func (t T) Assembly(a int) int
        func (
            t *T,
        ) Long() {
        }
        """,
    ) == [
        "method G.Do 2",
        "method G.Blank 3",
        "method T.NoName 4",
        "method T.Assembly 5",
        "method T.Long 6-9 @8",
    ]


def test_types_alone_in_groups_and_local(outline: Outline) -> None:
    assert outline(
        "go",
        """
        package p
        type (
            // Sink drains.
            Sink interface {
                io.Reader
                Drop(v any) error
            }
            Level int
        )
        type Alias = map[string]int
        type Pair[K comparable, V any] struct {
            K
            *pkg.Embedded
            run func()
        }
        func f(x interface{ Hidden() }) {
            type local struct{}
        }
        """,
    ) == [
        "interface Sink 4-7",
        "method Sink.Drop 6",
        "type Level 8",
        "type Alias 10",
        "struct Pair 11-15",
        "function f 16-18",
        "struct f.local 17",
    ]


def test_function_literals_have_the_name_they_are_bound_to(outline: Outline) -> None:
    assert outline(
        "go",
        """
        package p
        var one, two = func() {}, func(a int) int { return a }
        var cmd = &cobra.Command{
            Use: "x",
            Run: func(args []string) { run() },
            Sub: Sub{Deep: func() {}},
        }
        var table = map[string]func(){"list": func() {}}
        func f() {
            local, err := func() {}, nil
            s.handler = func() {}
            go func() { background() }()
        }
        """,
    ) == [
        "function one 2",
        "function two 2",
        "function cmd.Run 5",
        "function cmd.Sub.Deep 6",
        "function table.list 8",
        "function f 9-13",
        "function f.local 10",
        "function f.s.handler 11",
    ]


def test_constants_count_with_a_doc_and_variables_also_if_they_are_made(
    outline: Outline,
) -> None:
    assert outline(
        "go",
        """
        package p
        const plain = 1
        // Max is the most.
        const Max = 3
        const (
            // Red is first.
            Red Color = iota
            Green
        )
        var (
            ErrGone = errors.New("gone")
            lower = errors.New("kept")
        )
        var _ I = (*T)(nil)
        func f() {
            // Local.
            const inner = 1
        }
        """,
    ) == ["constant Max 4", "constant Red 7", "constant ErrGone 11", "function f 15-18"]


def test_build_tags_and_directives_are_no_docs(read: Read) -> None:
    found = read(
        "go",
        """
        //go:build linux
        // +build linux

        package p

        // Run runs.
        //
        //go:noinline
        func Run() {}

        //go:generate stringer
        type Color int
        """,
    )
    assert found.package == "p"
    assert [one.doc for one in found.declarations] == ["Run runs.", ""]


def test_calls_and_imports(read: Read) -> None:
    found = read(
        "go",
        """
        package p
        import (
            "a/b"
            alias "c/d"
            . "e"
            _ "f"
        )
        func f() {
            g.x.y().z()
            pkg.F[int](1)
            Map[int, string](xs)
            defer g.mu.Unlock()
            (*T).M(nil)
            list[0]()
        }
        """,
    )
    assert [(one.module, one.name, one.alias) for one in found.imports] == [
        ("a/b", "", ""),
        ("c/d", "", "alias"),
        ("e", "*", ""),
        ("f", "", "_"),
    ]
    assert {one.name for one in found.declarations[0].calls} == {
        "g.x.y", ".z", "pkg.F", "Map", "g.mu.Unlock", ".M",
    }  # fmt: skip
