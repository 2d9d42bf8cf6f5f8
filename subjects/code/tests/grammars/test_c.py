"""C."""

from collections.abc import Callable, Sequence

import pytest
from sourcebook_code.declaration import FileParse
from sourcebook_code.languages import by_name, language_of_source

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_each_name_of_a_typedef_is_a_type_and_a_body_without_a_tag_takes_the_first(
    outline: Outline,
) -> None:
    assert outline(
        "c",
        """
        typedef struct { int a; } point;
        typedef struct _list {
            int b;
        } list, *list_ptr;
        typedef struct node node;
        typedef enum { A, B }
            mode;
        typedef unsigned long ulong_t, *ulong_p;
        typedef int compare(const void *, const void *);
        typedef void (*table[4])(int);
        typedef struct same { int c; } same;
        """,
    ) == [
        "struct point 1",
        "struct _list 2-4",
        "type list 4",
        "type list_ptr 4",
        "type node 5",
        "enum mode 6-7 @7",
        "type ulong_t 8",
        "type ulong_p 8",
        "type compare 9",
        "type table 10",
        "struct same 11",
    ]


def test_functions_have_names_whatever_they_return(outline: Outline) -> None:
    assert outline(
        "c",
        """
        void (*signal(int sig, void (*func)(int)))(int) { return 0; }
        struct pair *make(void) { return 0; }
        int (plain)(int a) { return a; }
        static const char *const *
        names(void)
        {
            return 0;
        }
        int old(a, b)
            int a; char *b;
        { return a; }
        [[nodiscard]] int checked(void) { return 1; }
        __attribute__((noinline))
        int slow(void) { return 1; }
        _Noreturn void stop(void) { for (;;); }
        int (*hook)(int) = 0;
        int (*hooks[2])(int);
        """,
    ) == [
        "function signal 1",
        "function make 2",
        "function plain 3",
        "function names 4-8 @5",
        "function old 9-11",
        "function checked 12",
        "function slow 13-14 @14",
        "function stop 15",
    ]


def test_a_prototype_counts_where_its_function_is_not(outline: Outline, read: Read) -> None:
    text = """
        int there(int);
        int here(int);
        int (*pick(int))(int);
        int here(int a) { int inner(int); return a; }
    """
    assert outline("c", text) == ["function there 1", "function pick 3", "function here 4"]
    assert [one.prototype for one in read("c", text).declarations] == [True, True, False]


def test_macros_with_parameters_and_documented_values_are_declarations(
    outline: Outline,
) -> None:
    assert outline(
        "c",
        """
        #ifndef LIMITS_H
        #define LIMITS_H
        /* How many lines. */
        #define LIMIT 3 /* of lines */
        #define PLAIN 4
        #define MAX(a, b) \\
            ((a) > (b) ? (a) : (b))
        /* The size. */
        static const int WIDTH = 3, HEIGHT = 4;
        // What they are called.
        const char *const NAMES[] = {
            "a",
        };
        static int counter = 0;
        extern const int ELSEWHERE;
        int area(void) { const int local = 1; return local; }
        #endif
        """,
    ) == [
        "macro LIMIT 4",
        "macro MAX 6-7",
        "constant WIDTH 9",
        "constant HEIGHT 9",
        "constant NAMES 11-13",
        "function area 16",
    ]


def test_types_within_types_are_theirs_and_forward_ones_are_nothing(outline: Outline) -> None:
    assert outline(
        "c",
        """
        struct ahead;
        union word { int i; float f; };
        enum { ONE, TWO };
        struct outer {
            struct inner { int z; } in;
            union { int q; };
            enum mode { X } m;
            int (*call)(struct outer *);
        } first, *second;
        """,
    ) == ["union word 2", "struct outer 4-9", "struct outer.inner 5", "enum outer.mode 7"]


def test_macros_that_nobody_can_read_hide_no_declaration(outline: Outline) -> None:
    assert outline(
        "c",
        """
        BEGIN_DECLS
        API int f1(void);
        LIB_API struct node *f2(void) { return 0; }
        static LIB_INLINE struct node *f3(struct node *a) { return a; }
        END_DECLS
        typedef int number;
        struct PACKED pair { int a; };
        static int __init boot(void) { return 0; }
        int WINAPI entry(int a) { return a; }
        int tail(void) NOTHROW;
        EXPORT_SYMBOL(boot)
        BOOL
        WINAPI
        DllMain(int reason)
        { return 1; }
        TEST(Suite, Name) { run(); }
        LIB_API(int) f4(void) { return 1; }
        """,
    ) == [
        "function f1 2",
        "function f2 3",
        "function f3 4",
        "type number 6",
        "struct pair 7",
        "function boot 8",
        "function entry 9",
        "function tail 10",
        "function DllMain 12-15 @14",
        "function f4 17",
    ]


def test_halves_of_functions_between_directives_are_read_by_the_first_branch(
    outline: Outline,
) -> None:
    assert outline(
        "c",
        """
        #ifdef __cplusplus
        extern "C" {
        #endif
        #ifdef WIDE
        int f(long a) {
        #else
        int f(int a) {
        #endif
            if (a
        #ifdef CHECKED
                && check(a)
        #endif
            ) return 1;
            return 0;
        }
        int g(void)
        #if FAST
        { return 1; }
        #else
        { return 2; }
        #endif
        int h(void) {
        #ifdef LOCKED
            if (lock()) {
        #endif
            run();
        #ifdef LOCKED
            }
        #endif
            return 0;
        }
        #if OTHER
        int one(void) { return 1; }
        #else
        int two(void) { return 2; }
        #endif
        #ifdef __cplusplus
        }
        #endif
        int last(void) { return 0; }
        """,
    ) == [
        "function f 5-15",
        "function g 16-18",
        "function h 22-31",
        "function one 33",
        "function two 35",
        "function last 40",
    ]


def test_calls_keep_the_members_they_go_through(read: Read) -> None:
    parse = read(
        "c",
        """
        #include "valve/valve.h"
        #include <stdio.h>
        /* Runs it all. */
        void run(struct ops *ops) {
            ops->start(1);
            ops->table.stop();
            ops[2].reset();
            (*hook)(3);
            puts("x");
        }
        """,
    )
    assert [one.name for one in parse.declarations[0].calls] == [
        "ops.start",
        "ops.table.stop",
        ".reset",
        "puts",
    ]
    assert parse.declarations[0].doc == "Runs it all."
    assert [one.module for one in parse.imports] == ["valve/valve.h", "stdio.h"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ('#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n', "c"),
        ("/*\nclass of things\ntemplate <x>\n*/\nstruct a { int class; };\n", "c"),
        ("class Foo : public Bar {\n", "cpp"),
        ("#pragma once\nnamespace a::b\n{\n", "cpp"),
        ("  template <typename T> T f();\n", "cpp"),
        ("struct A {\n private:\n  int x;\n};\n", "cpp"),
        ("#include <vector>\nint f(std::vector<int>);\n", "cpp"),
        ("using size = unsigned;\n", "cpp"),
    ],
)
def test_a_header_is_of_the_language_it_is_written_in(text: str, language: str) -> None:
    assert language_of_source("include/a.h", text) == by_name(language)


def test_only_headers_are_looked_at() -> None:
    assert language_of_source("a.c", "namespace a {}\n") == by_name("c")
    assert language_of_source("a.txt", "class A {\n") is None


def test_the_signature_of_a_body_in_a_typedef_begins_with_the_typedef(read: Read) -> None:
    for language in ("c", "cpp"):
        found = read(
            language, "typedef enum {\n  A\n} level;\ntypedef struct node {\n  int x;\n} node_t;\n"
        ).declarations
        assert [one.signature for one in found if one.kind in ("enum", "struct")] == [
            "typedef enum",
            "typedef struct node",
        ]
