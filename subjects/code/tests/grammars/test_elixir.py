"""Elixir."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_modules_nest_and_have_dotted_names(
    outline: Outline,
) -> None:
    assert outline(
        "elixir",
        """
        defmodule Shop.Basket do
          defmodule Line do
            def price(%{cents: c}), do: c
          end
          defmodule __MODULE__.Deep do
            def f, do: 1
          end
        end
        defmodule Shop.Empty, do: nil
        defprotocol Shop.Priced do
          def price(thing)
        end
        defimpl Shop.Priced, for: [Integer, Float] do
          def price(n), do: n
        end
        """,
    ) == [
        "module Shop.Basket 1-8",
        "module Shop.Basket.Line 2-4",
        "function Shop.Basket.Line.price 3",
        "module Shop.Basket.Deep 5-7",
        "function Shop.Basket.Deep.f 6",
        "module Shop.Empty 9",
        "interface Shop.Priced 10-12",
        "function Shop.Priced.price 11",
        "impl Shop.Priced 13-15",
        "function Shop.Priced.price 14",
    ]


def test_each_clause_is_a_declaration(
    outline: Outline,
) -> None:
    assert outline(
        "elixir",
        r"""
        defmodule M do
          def go(x \\ 1)
          def go(x) when is_integer(x) and x > 0, do: x
          def go(x)
              when is_binary(x) do
            x
          rescue
            e -> e
          end
          def multi(
                a,
                b
              ) do
            a
          end
          def none, do: 1
          def bare do
            1
          end
          defp private?(x), do: x
          def bang!(x) do x end
        end
        """,
    ) == [
        "module M 1-22",
        "function M.go 2",
        "function M.go 3",
        "function M.go 4-9",
        "function M.multi 10-15",
        "function M.none 16",
        "function M.bare 17-19",
        "function M.private? 20",
        "function M.bang! 21",
    ]


def test_operators_macros_guards_and_delegates(
    outline: Outline,
) -> None:
    assert outline(
        "elixir",
        """
        defmodule M do
          def a ~> b, do: {a, b}
          def left ++ right when is_list(left), do: right
          def !x, do: x
          def x in y, do: y
          defmacro loud(expr) do
            quote do: IO.puts(unquote(expr))
          end
          defmacrop mac(x), do: x
          defguard is_even(x) when rem(x, 2) == 0
          defguardp is_odd(x) when rem(x, 2) == 1
          defdelegate size(x), to: Map
          defdelegate fetch(a, b), to: Map, as: :get
          defstruct [:a]
          defexception [:message]
          @type id :: integer
          @limit 3
        end
        """,
    ) == [
        "module M 1-18",
        "function M.~> 2",
        "function M.++ 3",
        "function M.! 4",
        "function M.in 5",
        "macro M.loud 6-8",
        "macro M.mac 9",
        "macro M.is_even 10",
        "macro M.is_odd 11",
        "function M.size 12",
        "function M.fetch 13",
    ]


def test_what_a_macro_would_make_is_not_declared(
    outline: Outline,
) -> None:
    assert outline(
        "elixir",
        '''
        defmodule M do
          defmacro __using__(opts) do
            quote do
              def injected(x), do: x
              defmodule Ghost do
              end
            end
          end
          for n <- [:a, :b] do
            def unquote(n)(), do: n
          end
          if Mix.env() == :test do
            def only_test, do: 1
          end
          @doc """
          def ghost, do: 1
          """
          def real, do: "def ghost, do: 1"
        end
        ''',
    ) == [
        "module M 1-19",
        "macro M.__using__ 2-8",
        "function M.only_test 13",
        "function M.real 18",
    ]


def test_doc_attributes_and_comments_are_the_doc(
    read: Read,
) -> None:
    found = read(
        "elixir",
        r'''
        defmodule M do
          @moduledoc """
          Of the module.

            Deeper.
          """
          @doc "Adds."
          @doc since: "1.0"
          @spec add(t, term) ::
                  t
          @impl true
          def add(a, b), do: a
          def add(a), do: a
          @doc false
          def hidden, do: 1
          @doc ~S"""
          Raw \d.
          """
          # between
          def raw, do: 1
          # A comment.
          def commented, do: 1
        end
        defmodule N do
          @moduledoc false
        end
        ''',
    )
    assert [(one.name, one.doc, one.doc_first) for one in found.declarations] == [
        ("M", "Of the module.\n\nDeeper.", 2),
        ("add", "Adds.", 7),
        ("add", "", 0),
        ("hidden", "", 0),
        ("raw", "Raw \\d.", 16),
        ("commented", "A comment.", 21),
        ("N", "", 0),
    ]


def test_calls_pipes_and_captures(
    read: Read,
) -> None:
    found = read(
        "elixir",
        """
        defmodule M do
          @spec go(integer) :: map(term)
          @limit compute(3)
          def go(x) when is_integer(x) do
            x |> inc() |> Mod.fun(2) |> last
            :erlang.now()
            fun = fn y -> other(y) end
            fun.(1)
            case x do
              1 -> __MODULE__.own()
            end
            x.field
            make(1).run()
            bare 1, 2
          end
          def none(x), do: x
        end
        """,
    )
    assert {
        one.qualified_name: [call.name for call in one.calls] for one in found.declarations
    } == {
        "M": ["compute"],
        "M.go": [
            "is_integer",
            "inc",
            "Mod.fun",
            "last",
            ".now",
            "other",
            "fun",
            "__MODULE__.own",
            ".run",
            "make",
            "bare",
        ],
        "M.none": [],
    }


def test_aliases_imports_requires_and_uses(
    read: Read,
) -> None:
    found = read(
        "elixir",
        """
        defmodule M do
          alias Foo.Bar
          alias Foo.{Baz, Qux.Deep}
          alias Foo.Bar, as: Z
          import Enum, only: [map: 2]
          require Logger
          use GenServer, restart: :temporary
          use unquote(x)
        end
        """,
    )
    assert [(one.module, one.name, one.alias) for one in found.imports] == [
        ("Foo.Bar", "", ""),
        ("Foo.Baz", "", ""),
        ("Foo.Qux.Deep", "", ""),
        ("Foo.Bar", "", "Z"),
        ("Enum", "", ""),
        ("Logger", "", ""),
        ("GenServer", "", ""),
    ]


def test_a_syntax_error_costs_its_own_declaration_only(
    read: Read,
) -> None:
    found = read(
        "elixir",
        """
        defmodule A do
          def a, do: 1
        end
        defmodule B do
          def bad(x, do: 1
        end
        defmodule C do
          def c, do: 3
        end
        """,
    )
    assert [one.line for one in found.faults] == [6]
    assert [one.qualified_name for one in found.declarations] == [
        "A",
        "A.a",
        "B",
        "B.bad",
        "C",
        "C.c",
    ]
