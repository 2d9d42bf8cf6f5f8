"""Lua."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_every_form_of_function_is_one(
    outline: Outline,
) -> None:
    assert outline(
        "lua",
        """
        function a() end
        local function b() end
        c = function() end
        local d = function() end
        local e <const> = function() end
        local f, g = function() end, function()
        end
        function M.a() end
        function M.a.b.c() end
        function M.a:d() end
        M.h = function() end
        M["i j"] = function() end
        M[1] = function() end
        M[k] = function() end
        t[i].x = function() end
        """,
    ) == [
        "function a 1",
        "function b 2",
        "function c 3",
        "function d 4",
        "function e 5",
        "function f 6",
        "function g 6-7",
        "function M.a 8",
        "function M.a.b.c 9",
        "method M.a.d 10",
        "function M.h 11",
        "function M.i j 12",
    ]


def test_tables_give_their_name_to_the_functions_in_them(
    outline: Outline,
) -> None:
    assert outline(
        "lua",
        """
        local T = {
          a = function() end,
          ["b"] = function() end,
          [3] = function() end,
          nested = { deep = function() end },
          function() end,
          n = 1,
        }
        M.hooks = {
          before = function()
            local inner = function() end
          end,
        }
        setmetatable(T, { __index = function(t, k) return k end })
        local C = setmetatable({ x = function() end }, { __call = function() end })
        return { made = function() end }
        """,
    ) == [
        "function T.a 2",
        "function T.b 3",
        "function T.nested.deep 5",
        "function M.hooks.before 10-12",
        "function M.hooks.before.inner 11",
        "function T.__index 14",
        "function C.x 15",
        "function C.__call 15",
        "function made 16",
    ]


def test_functions_in_functions_have_their_path(
    outline: Outline,
) -> None:
    assert outline(
        "lua",
        """
        function outer()
          local function inner()
            local deep = function() end
          end
          return function() end
        end
        if x then
          function cond() end
        end
        run(function() end)
        """,
    ) == [
        "function outer 1-6",
        "function outer.inner 2-4",
        "function outer.inner.deep 3",
        "function cond 8",
    ]


def test_long_strings_and_comments_declare_nothing(
    outline: Outline,
) -> None:
    assert outline(
        "lua",
        """
        local a = [[
        function ghost_a() end
        ]]
        local b = [==[ function ghost_b() end ]==]
        --[[ function ghost_c() end ]]
        --[==[
        function ghost_d() end
        ]==]
        -- Most.
        local MAX = 3
        -- Called so.
        NAME = "x"
        PLAIN = 4
        local lower = 4
        local function f() local INNER = 5 end
        """,
    ) == [
        "constant MAX 10",
        "constant NAME 12",
        "function f 15",
    ]


def test_comments_above_are_the_doc(
    read: Read,
) -> None:
    found = read(
        "lua",
        """
        --- Makes a queue.
        -- @param size most items
        -- @return queue
        function a() end
        ---@param x number
        ---@return number
        local function b(x) end
        -- Plain.
        c = function() end
        --[[ Block
        doc ]]
        function d() end
        -- Far.

        function e() end
        """,
    )
    assert [(one.name, one.doc, one.doc_first) for one in found.declarations] == [
        ("a", "Makes a queue.\nsize most items\nqueue", 1),
        ("b", "x number\nnumber", 5),
        ("c", "Plain.", 8),
        ("d", "Block\ndoc", 10),
        ("e", "", 0),
    ]


def test_calls_have_their_path(
    read: Read,
) -> None:
    found = read(
        "lua",
        """
        function a()
          b(1); c.d(2); e:f(3); g"h"; i{1}
          ("x"):rep(3)
          make().run()
          t[1](2)
          return k(function() l() end)
        end
        """,
    )
    assert {
        one.qualified_name: [call.name for call in one.calls] for one in found.declarations
    } == {
        "a": ["b", "c.d", "e.f", "g", ".rep", "i", ".run", "make", "k", "l"],
    }


def test_what_is_required_is_imported(
    read: Read,
) -> None:
    found = read(
        "lua",
        """
        local a = require "a.b"
        local c = require('c')
        require("d")
        local e = require("e").f
        require(dynamic)
        """,
    )
    assert [(one.module, one.name, one.alias) for one in found.imports] == [
        ("a.b", "", "a"),
        ("c", "", "c"),
        ("d", "", ""),
        ("e", "", ""),
    ]


def test_a_syntax_error_costs_its_own_declaration_only(
    read: Read,
) -> None:
    found = read(
        "lua",
        """
        function a() end
        function b( end
        local x = = 3
        function c() end
        """,
    )
    assert [one.line for one in found.faults] == [2, 3]
    assert [one.qualified_name for one in found.declarations] == [
        "a",
        "c",
    ]
