"""Shell."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_both_forms_of_function_and_all_bodies_are_read(
    outline: Outline,
) -> None:
    assert outline(
        "shell",
        """
        #!/bin/bash
        a() { :; }
        function b { :; }
        function c() {
          d() { :; }
        }
        e ()
        {
          :
        }
        f()
        # between
        {
          :
        } >/dev/null 2>&1
        g() ( : )
        h() if true; then :; fi
        i() [[ -n $1 ]]
        j() (( 1 + 1 ))
        k-l::m.n() { :; }
        o() { :; }; p() { :; }
        """,
    ) == [
        "function a 2",
        "function b 3",
        "function c 4-6",
        "function c.d 5",
        "function e 7-10",
        "function f 11-15",
        "function g 16",
        "function h 17",
        "function i 18",
        "function j 19",
        "function k-l::m.n 20",
        "function o 21",
        "function p 21",
    ]


def test_a_function_counts_wherever_it_stands(
    outline: Outline,
) -> None:
    assert outline(
        "shell",
        """
        if true; then
          a() { :; }
        else
          b() { :; }
        fi
        case $1 in
          x) c() { :; } ;;
        esac
        for n in 1 2; do
          d() { :; }
        done
        [[ -f x ]] && e() { :; }
        ( f() { :; } )
        """,
    ) == [
        "function a 2",
        "function b 4",
        "function c 7",
        "function d 10",
        "function e 12",
        "function f 13",
    ]


def test_here_documents_strings_and_aliases_declare_nothing(
    outline: Outline,
) -> None:
    assert outline(
        "shell",
        """
        cat <<EOF
        a() { :; }
        EOF
        cat <<'X' >out
        b() { :; }
        X
        echo "c() { :; }" 'd() { :; }'
        alias e='f() { :; }'
        real() {
          cat <<Y
        g() { :; }
        Y
        }
        """,
    ) == [
        "function real 9-13",
    ]


def test_only_what_is_set_for_good_and_explained_is_a_constant(
    outline: Outline,
) -> None:
    assert outline(
        "shell",
        """
        # Most.
        readonly MAX=3
        # Least.
        declare -r LIMIT=4
        # Counted.
        declare -i COUNT=6
        readonly PLAIN=7
        export PATH_TO=x
        # Not for good.
        OTHER=7
        readonly lower=8
        """,
    ) == [
        "constant MAX 2",
        "constant LIMIT 4",
    ]


def test_comments_above_are_the_doc(
    read: Read,
) -> None:
    found = read(
        "shell",
        """
        #!/usr/bin/env bash
        # Of the file.

        # Prints.
        #   twice
        a() { :; }

        # shellcheck disable=SC2034
        b() { :; }
        # Far.

        c() { :; }
        """,
    )
    assert [(one.name, one.doc, one.doc_first) for one in found.declarations] == [
        ("a", "Prints.\ntwice", 4),
        ("b", "", 0),
        ("c", "", 0),
    ]


def test_commands_are_calls(
    read: Read,
) -> None:
    found = read(
        "shell",
        """
        a() {
          local x=$(inner "$1")
          b | tee out && c || return 1
          `old`
          $cmd; "$bin"/tool; ./run.sh
          cat <<E
        $(nested)
        E
        }
        """,
    )
    assert {
        one.qualified_name: [call.name for call in one.calls] for one in found.declarations
    } == {
        "a": ["inner", "b", "tee", "c", "return", "old", "cat", "nested"],
    }


def test_sourced_files_are_imports(
    read: Read,
) -> None:
    found = read(
        "shell",
        """
        source ./lib.sh
        . "$DIR/other.sh"
        source 'quoted.sh'
        """,
    )
    assert [(one.module, one.name, one.alias) for one in found.imports] == [
        ("./lib.sh", "", ""),
        ("$DIR/other.sh", "", ""),
        ("quoted.sh", "", ""),
    ]


def test_the_mark_of_a_comment_may_be_written_longer(read: Read) -> None:
    (found,) = read("shell", "## Prints usage\n### and leaves.\nusage() { :; }\n").declarations
    assert found.doc == "Prints usage\nand leaves."


def test_a_here_document_stays_text_where_the_file_is_broken(outline: Outline) -> None:
    assert outline(
        "shell",
        """
        start() {
          case $1 in
            c*) cat <<EOF >&2 ;;
        stop() { not here; }
        EOF
          esac
        }
        after() { :; }
        """,
    ) == ["function start 1-7", "function after 8"]
