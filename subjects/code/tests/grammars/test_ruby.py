"""Ruby."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_modules_and_classes_may_be_named_by_their_path(
    outline: Outline,
) -> None:
    assert outline(
        "ruby",
        """
        module A::B
          class C < D
            class ::Top; end
            class Error < StandardError; end
          end
        end
        class E::F::G
          def h; end
        end
        """,
    ) == [
        "module A.B 1-6",
        "class A.B.C 2-5",
        "class Top 3",
        "class A.B.C.Error 4",
        "class E.F.G 7-9",
        "method E.F.G.h 8",
    ]


def test_every_form_of_method_is_one(
    outline: Outline,
) -> None:
    assert outline(
        "ruby",
        """
        class Yard
          def initialize(a, b: 1, *rest, **opts, &block)
            super()
          end
          def full? = tracks.none?
          def name=(value)
            @name = value
          end
          def [](i); end
          def []=(i, v); end
          def <=>(other) = 0
          def ==(o) end
          def !; end
          def +@ = self
          def -@ = self
          def =~(x); end
          def `(x) end
          def call(...) = other(...)
          def self.open(path) = new(path)
          def self.[](x); end
          def Yard.close; end
          def long(a,
                   b)
            a
          end
          private def secret = 42
          private_class_method def self.hidden(x)
            x
          end
          memoize def slow
            1
          end
          def outer
            def inner; end
          end
        end
        def top; end
        def Other.made; end
        """,
    ) == [
        "class Yard 1-36",
        "method Yard.initialize 2-4",
        "method Yard.full? 5",
        "method Yard.name= 6-8",
        "method Yard.[] 9",
        "method Yard.[]= 10",
        "method Yard.<=> 11",
        "method Yard.== 12",
        "method Yard.! 13",
        "method Yard.+@ 14",
        "method Yard.-@ 15",
        "method Yard.=~ 16",
        "method Yard.` 17",
        "method Yard.call 18",
        "method Yard.open 19",
        "method Yard.[] 20",
        "method Yard.close 21",
        "method Yard.long 22-25",
        "method Yard.secret 26",
        "method Yard.hidden 27-29",
        "method Yard.slow 30-32",
        "method Yard.outer 33-35",
        "function Yard.outer.inner 34",
        "function top 37",
        "method Other.made 38",
    ]


def test_the_singleton_class_adds_nothing_to_names(
    outline: Outline,
) -> None:
    assert outline(
        "ruby",
        """
        class Yard
          class << self
            attr_reader :z
            def build; end
            private
            def hidden; end
          end
        end
        class << Yard
          def late; end
        end
        class << obj
          def odd; end
        end
        """,
    ) == [
        "class Yard 1-8",
        "method Yard.build 4",
        "method Yard.hidden 6",
        "method Yard.late 10",
        "method odd 13",
    ]


def test_methods_may_be_made_by_calls(
    outline: Outline,
) -> None:
    assert outline(
        "ruby",
        """
        class Yard
          define_method(:dynamic) { |x| x + 1 }
          define_method("named") do |y|
            y
          end
          define_singleton_method(:made) { }
          define_method(name) { }
          define_method("#{name}?") { }
          attr_accessor :left, :out
          alias_method :a, :b
          alias c d
        end
        module Loud
          refine String do
            def shout = upcase
          end
        end
        String.class_eval do
          def quiet; end
        end
        module Concern
          included do
            def within; end
          end
        end
        """,
    ) == [
        "class Yard 1-12",
        "method Yard.dynamic 2",
        "method Yard.named 3-5",
        "method Yard.made 6",
        "module Loud 13-17",
        "method Loud.String.shout 15",
        "function String.quiet 19",
        "module Concern 21-25",
        "method Concern.within 23",
    ]


def test_constants_may_hold_classes_functions_and_values(
    outline: Outline,
) -> None:
    assert outline(
        "ruby",
        """
        # Most of them.
        MAX = 3
        PLAIN = 4
        # All.
        NAMES = %w[a b].freeze
        Point = Struct.new(:x, :y) do
          def dist; end
        end
        Size = Data.define(:w)
        Bad = Class.new(StandardError)
        Tools = Module.new do
          def help; end
        end
        ADD = ->(a, b) { a + b }
        SUB = lambda do |a, b|
          a - b
        end
        MUL = Proc.new { |x| x }
        TABLE = { up: ->(x) { x }, down: lambda { }, flat: 3 }
        class C
          INNER = proc { 1 }
          LIMIT = 4
          def m
            local = ->(x) { x }
          end
        end
        LONG = <<~TEXT
          def ghost; end
        TEXT
        """,
    ) == [
        "constant MAX 2",
        "constant NAMES 5",
        "class Point 6-8",
        "method Point.dist 7",
        "class Size 9",
        "class Bad 10",
        "module Tools 11-13",
        "method Tools.help 12",
        "function ADD 14",
        "function SUB 15-17",
        "function MUL 18",
        "function TABLE.up 19",
        "function TABLE.down 19",
        "class C 20-26",
        "function C.INNER 21",
        "method C.m 23-25",
        "function C.m.local 24",
    ]


def test_here_documents_strings_and_comments_declare_nothing(
    outline: Outline,
) -> None:
    assert outline(
        "ruby",
        """
        def real(x)
          run(<<~A, <<-B)
            def ghost_a; end
          A
            class GhostB; end
          B
          "def ghost_c; end #{x}"
          %q(def ghost_d; end)
        end
        =begin
        def ghost_e; end
        =end
        __END__
        def ghost_f; end
        """,
    ) == [
        "function real 1-9",
    ]


def test_comments_above_are_the_doc(
    read: Read,
) -> None:
    found = read(
        "ruby",
        """
        # frozen_string_literal: true

        # Moves a wagon.
        #
        # Twice.
        def a; end

        =begin
        A block.
        =end
        def b; end

        # Far away.

        def c; end

        # rubocop:disable Metrics
        def d; end
        """,
    )
    assert [(one.name, one.doc, one.doc_first) for one in found.declarations] == [
        ("a", "Moves a wagon.\n\nTwice.", 3),
        ("b", "A block.", 8),
        ("c", "", 0),
        ("d", "", 0),
    ]


def test_calls_have_their_receiver(
    read: Read,
) -> None:
    found = read(
        "ruby",
        """
        def a
          return unless valid? && save!
          helper
          wagon.move(to)
          Freight::Depot.new(1).shunt
          self.b = 1
          Math.sqrt(x)
          "#{inside(1)}"
          fn.(2)
          if x
            early
            2
          end
          last
        end
        def b = a(1)
        """,
    )
    assert {
        one.qualified_name: [call.name for call in one.calls] for one in found.declarations
    } == {
        "a": [
            "valid?",
            "save!",
            "helper",
            "wagon.move",
            ".shunt",
            "Freight.Depot.new",
            "self.b",
            "Math.sqrt",
            "inside",
            "fn",
            "early",
        ],
        "b": ["a"],
    }


def test_what_is_required_is_imported(
    read: Read,
) -> None:
    found = read(
        "ruby",
        """
        require "json"
        require_relative "lib/x"
        require_relative "../up"
        load 'y.rb'
        autoload :Z, "z"
        require "#{dir}/dynamic"
        """,
    )
    assert [(one.module, one.name, one.alias) for one in found.imports] == [
        ("json", "", ""),
        ("./lib/x", "", ""),
        ("../up", "", ""),
        ("y.rb", "", ""),
        ("z", "", ""),
    ]


def test_a_syntax_error_costs_its_own_declaration_only(
    read: Read,
) -> None:
    found = read(
        "ruby",
        """
        def a; end
        class B
          def c
            x = (1 +
          end
          def d; end
        end
        def e; end
        """,
    )
    assert [one.line for one in found.faults] == [4]
    assert [one.qualified_name for one in found.declarations] == ["a", "B", "B.c", "B.d", "e"]
