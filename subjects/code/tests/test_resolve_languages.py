"""Calls are followed by the rules of each language."""

from collections.abc import Callable, Mapping

import pytest

Edges = Callable[..., set[str]]

JAVA = {
    "src/org/shop/Till.java": (
        "package org.shop;\n\nimport org.shop.util.Prices;\n"
        "import static org.shop.util.Prices.round;\n"
        "import java.util.List;\n\n"
        "class Till extends Base {\n"
        "  private Drawer drawer = new Drawer();\n"
        "  int sell(Item item) {\n"
        "    check();\n    open();\n    item.weigh();\n    round(1);\n    List.of();\n"
        "    drawer.put(Prices.of(item));\n    return super.open();\n  }\n"
        "  void check() {}\n}\n"
    ),
    "src/org/shop/Base.java": "package org.shop;\n\nclass Base {\n  int open() { return 1; }\n}\n",
    "src/org/shop/Drawer.java": "package org.shop;\n\nclass Drawer {\n  void put(int x) {}\n}\n",
    "src/org/shop/Item.java": (
        "package org.shop;\n\ninterface Item {\n  int weigh();\n}\n\n"
        "class List {\n  static List of() { return null; }\n}\n"
    ),
    "src/org/shop/util/Prices.java": (
        "package org.shop.util;\n\npublic class Prices {\n"
        "  public static int of(Object x) { return 1; }\n"
        "  public static int round(int x) { return x; }\n}\n"
    ),
}
TILL = "src/org/shop/Till.java#Till.sell"

CASES: Mapping[str, tuple[Mapping[str, str], set[str]]] = {
    "java": (
        JAVA,
        {
            f"{TILL} -> src/org/shop/Till.java#Till.check",
            f"{TILL} -> src/org/shop/Base.java#Base.open",
            f"{TILL} -> src/org/shop/Item.java#Item.weigh",
            f"{TILL} -> src/org/shop/Drawer.java#Drawer.put",
            f"{TILL} -> src/org/shop/util/Prices.java#Prices.of",
            f"{TILL} -> src/org/shop/util/Prices.java#Prices.round",
            "src/org/shop/Till.java#Till -> src/org/shop/Drawer.java#Drawer",
        },
    ),
    "kotlin": (
        {
            "a/Till.kt": (
                "package org.shop\n\nimport org.shop.util.priceOf\n"
                "import org.shop.util.Drawer as Box\n"
                "import kotlin.math.abs\n\n"
                "class Till(private val box: Box) : Base() {\n"
                "    fun sell(item: String): Int {\n"
                "        check()\n        unlock()\n        box.put(priceOf(item))\n"
                "        abs(1)\n        return near()\n    }\n\n"
                "    fun check() {\n    }\n}\n"
            ),
            "a/Base.kt": (
                "package org.shop\n\nopen class Base {\n    fun unlock() {\n    }\n}\n\n"
                "fun near(): Int {\n    return 1\n}\n\nfun abs(x: Int) = x\n"
            ),
            "b/util.kt": (
                "package org.shop.util\n\nfun priceOf(item: String) = 1\n\nclass Drawer {\n"
                "    fun put(x: Int) {\n    }\n}\n"
            ),
        },
        {
            "a/Till.kt#Till.sell -> a/Till.kt#Till.check",
            "a/Till.kt#Till.sell -> a/Base.kt#Base.unlock",
            "a/Till.kt#Till.sell -> b/util.kt#priceOf",
            "a/Till.kt#Till.sell -> b/util.kt#Drawer.put",
            "a/Till.kt#Till.sell -> a/Base.kt#near",
        },
    ),
    "csharp": (
        {
            "Till.cs": (
                "using Shop.Util;\nusing System;\n\nnamespace Shop.Front;\n\n"
                "class Till : Base\n{\n    private readonly Drawer drawer;\n"
                "    int Sell(string item)\n    {\n        Check();\n        base.Open();\n"
                "        drawer.Put(Prices.Of(item));\n        Console.WriteLine(1);\n"
                "        return 1;\n    }\n    void Check() {}\n}\n"
            ),
            "Base.cs": "namespace Shop.Front;\n\nclass Base\n{\n    protected void Open() {}\n}\n",
            "Prices.cs": (
                "namespace Shop.Util\n{\n    static class Prices\n    {\n"
                "        public static int Of(string x) => 1;\n    }\n"
                "    class Drawer { public void Put(int x) {} }\n}\n"
            ),
            "Other.cs": "namespace Far;\n\nclass Console { void WriteLine(int x) {} }\n",
        },
        {
            "Till.cs#Till.Sell -> Till.cs#Till.Check",
            "Till.cs#Till.Sell -> Base.cs#Base.Open",
            "Till.cs#Till.Sell -> Prices.cs#Prices.Of",
            "Till.cs#Till.Sell -> Prices.cs#Drawer.Put",
        },
    ),
    "php": (
        {
            "src/Till.php": (
                "<?php\nnamespace Shop;\n\nuse Shop\\Util\\Prices;\nuse Foreign\\Base as Root;\n\n"
                "class Till extends Root {\n"
                "    public function sell(Drawer $drawer, $item) {\n"
                "        $this->check();\n        self::make();\n        parent::open();\n"
                "        $drawer->put(Prices::of($item));\n        return strlen($item);\n    }\n"
                "    private function check() {}\n"
                "    static function make() { return new self(); }\n"
                "}\n\nclass Drawer { function put($x) {} }\n"
            ),
            "src/Util/Prices.php": (
                "<?php\nnamespace Shop\\Util;\n\nclass Prices {\n    static function of($x) {}\n"
                "    function open() {}\n}\n"
            ),
        },
        {
            "src/Till.php#Till.sell -> src/Till.php#Till.check",
            "src/Till.php#Till.sell -> src/Till.php#Till.make",
            "src/Till.php#Till.sell -> src/Till.php#Drawer.put",
            "src/Till.php#Till.sell -> src/Util/Prices.php#Prices.of",
            "src/Till.php#Till.make -> src/Till.php#Till",
        },
    ),
    "rust": (
        {
            "src/lib.rs": "pub mod store;\nmod util;\n",
            "src/store.rs": (
                "use crate::util::{clean, Helper};\nuse std::fs::read;\n\npub struct Store;\n\n"
                "impl Store {\n    pub fn new() -> Self { Store::init(); Self::init(); Store }\n"
                "    fn init() {}\n"
                "    pub fn get(&self, h: &Helper) {\n        self.find();\n        clean();\n"
                "        h.help();\n        read();\n        crate::util::other();\n    }\n"
                "    fn find(&self) {}\n}\n"
            ),
            "src/util.rs": (
                "pub fn clean() {}\n"
                "pub fn other() {\n    let s = super::store::Store::new();\n    s.find();\n}\n"
                "fn read() {}\npub struct Helper;\nimpl Helper { pub fn help(&self) {} }\n"
            ),
        },
        {
            "src/store.rs#Store.new -> src/store.rs#Store.init",
            "src/store.rs#Store.get -> src/store.rs#Store.find",
            "src/store.rs#Store.get -> src/util.rs#clean",
            "src/store.rs#Store.get -> src/util.rs#Helper.help",
            "src/store.rs#Store.get -> src/util.rs#other",
            "src/util.rs#other -> src/store.rs#Store.new",
            "src/util.rs#other -> src/store.rs#Store.find",
        },
    ),
    "ruby": (
        {
            "lib/till.rb": (
                "require_relative 'prices'\nrequire 'json'\n\nclass Till < Base\n"
                "  def sell(item)\n    check\n    check()\n    open_up()\n"
                "    Shop::Prices.of(item)\n"
                "    JSON.parse(item)\n    helper(1)\n    far_away(1)\n  end\n\n"
                "  def check\n  end\nend\n"
            ),
            "lib/prices.rb": (
                "module Shop\n  class Prices\n    def self.of(item)\n    end\n  end\nend\n\n"
                "def helper(x)\nend\n"
            ),
            "lib/base.rb": "class Base\n  def open_up\n  end\nend\n",
            "lib/far.rb": "def far_away(x)\nend\n",
        },
        {
            "lib/till.rb#Till.sell -> lib/till.rb#Till.check",
            "lib/till.rb#Till.sell -> lib/base.rb#Base.open_up",
            "lib/till.rb#Till.sell -> lib/prices.rb#Shop.Prices.of",
            "lib/till.rb#Till.sell -> lib/prices.rb#helper",
            "lib/till.rb#Till.sell -> lib/far.rb#far_away (unique name)",
        },
    ),
    "scala": (
        {
            "a/Till.scala": (
                "package shop\n\nimport shop.util.Prices\n\n"
                "class Till(drawer: Drawer) extends Base {\n"
                "  def sell(item: String): Int = {\n    check()\n    open()\n"
                "    drawer.put(Prices.of(item))\n    1\n  }\n  def check(): Unit = {}\n}\n"
            ),
            "a/Base.scala": (
                "package shop\n\nclass Base {\n  def open(): Unit = {}\n}\n\n"
                "class Drawer {\n  def put(x: Int): Unit = {}\n}\n"
            ),
            "b/Prices.scala": (
                "package shop.util\n\nobject Prices {\n  def of(item: String): Int = 1\n}\n"
            ),
        },
        {
            "a/Till.scala#Till.sell -> a/Till.scala#Till.check",
            "a/Till.scala#Till.sell -> a/Base.scala#Base.open",
            "a/Till.scala#Till.sell -> a/Base.scala#Drawer.put",
            "a/Till.scala#Till.sell -> b/Prices.scala#Prices.of",
        },
    ),
    "swift": (
        {
            "Till.swift": (
                "class Till: Base {\n    let drawer: Drawer\n    func sell(item: Item) {\n"
                "        check()\n        super.open()\n        drawer.put(item.weigh())\n"
                "        print(1)\n    }\n    func check() {}\n}\n"
            ),
            "Base.swift": (
                "class Base {\n    func open() {}\n}\nclass Drawer {\n"
                "    func put(_ x: Int) {}\n}\n"
                "protocol Item {\n    func weigh() -> Int\n}\n"
            ),
        },
        {
            "Till.swift#Till.sell -> Till.swift#Till.check",
            "Till.swift#Till.sell -> Base.swift#Base.open",
            "Till.swift#Till.sell -> Base.swift#Drawer.put",
            "Till.swift#Till.sell -> Base.swift#Item.weigh",
        },
    ),
    "dart": (
        {
            "lib/till.dart": (
                "import 'dart:io';\nimport 'package:shop/prices.dart' as prices;\n"
                "import 'base.dart';\n\n"
                "class Till extends Base {\n  int sell(String item) {\n    check();\n    open();\n"
                "    return prices.priceOf(item);\n  }\n  void check() {}\n}\n"
            ),
            "lib/base.dart": "class Base {\n  void open() {}\n}\n",
            "lib/prices.dart": "int priceOf(String item) => 1;\n",
        },
        {
            "lib/till.dart#Till.sell -> lib/till.dart#Till.check",
            "lib/till.dart#Till.sell -> lib/base.dart#Base.open",
            "lib/till.dart#Till.sell -> lib/prices.dart#priceOf",
        },
    ),
    "elixir": (
        {
            "lib/till.ex": (
                "defmodule Shop.Till do\n  alias Shop.Prices\n  import Shop.Helper\n\n"
                "  def sell(item) do\n    check(item)\n    Prices.of(item)\n"
                "    Shop.Prices.round(1)\n"
                "    help(1)\n    Enum.map(item, 1)\n  end\n\n  defp check(item), do: item\nend\n"
            ),
            "lib/prices.ex": (
                "defmodule Shop.Prices do\n  def of(item), do: item\n  def round(x), do: x\n"
                "  def map(x), do: x\nend\n"
            ),
            "lib/helper.ex": "defmodule Shop.Helper do\n  def help(x), do: x\nend\n",
        },
        {
            "lib/till.ex#Shop.Till.sell -> lib/till.ex#Shop.Till.check",
            "lib/till.ex#Shop.Till.sell -> lib/prices.ex#Shop.Prices.of",
            "lib/till.ex#Shop.Till.sell -> lib/prices.ex#Shop.Prices.round",
            "lib/till.ex#Shop.Till.sell -> lib/helper.ex#Shop.Helper.help",
        },
    ),
    "haskell": (
        {
            "src/Till.hs": (
                "module Till where\n\nimport Shop.Prices (priceOf)\n"
                "import qualified Shop.Base as B\n"
                "import Data.List\n\nsell :: Int -> Int\nsell x = check (priceOf x) + B.open x\n\n"
                "check :: Int -> Int\ncheck x = sort x\n"
            ),
            "src/Shop/Prices.hs": "module Shop.Prices where\n\npriceOf :: Int -> Int\n"
            "priceOf x = x\n",
            "src/Shop/Base.hs": (
                "module Shop.Base where\n\nopen :: Int -> Int\nopen x = x\n\nsort :: Int -> Int\n"
                "sort x = x\n"
            ),
        },
        {
            "src/Till.hs#sell -> src/Till.hs#check",
            "src/Till.hs#sell -> src/Shop/Prices.hs#priceOf",
            "src/Till.hs#sell -> src/Shop/Base.hs#open",
        },
    ),
    "lua": (
        {
            "till.lua": (
                "local prices = require('shop.prices')\n\nlocal function check(x) end\n\n"
                "function sell(item)\n  check(item)\n  prices.of(item)\n  string.format('a')\nend\n"
            ),
            "shop/prices.lua": (
                "local M = {}\n\nfunction M.of(item) end\n\nfunction M.format(x) end\n\nreturn M\n"
            ),
        },
        {"till.lua#sell -> till.lua#check", "till.lua#sell -> shop/prices.lua#M.of"},
    ),
    "shell": (
        {
            "run.sh": (
                "#!/bin/sh\n. ./lib/log.sh\n\nmain() {\n  log start\n  check\n  far\n  ls -l\n}\n\n"
                "check() {\n  true\n}\n\nmain\n"
            ),
            "lib/log.sh": "log() {\n  echo\n}\n",
            "other.sh": "far() {\n  :\n}\n",
        },
        {
            "run.sh#file -> run.sh#main",
            "run.sh#main -> lib/log.sh#log",
            "run.sh#main -> run.sh#check",
            "run.sh#main -> other.sh#far (unique name)",
        },
    ),
    "cpp": (
        {
            "till.h": (
                '#pragma once\n#include "base.h"\nnamespace shop {\n'
                "class Till : public Base {\n public:\n"
                "  int sell(Item& item);\n  void check();\n};\n}\n"
            ),
            "till.cpp": (
                '#include "till.h"\n#include "prices.h"\n#include <vector>\n\nnamespace shop {\n\n'
                "int Till::sell(Item& item) {\n  check();\n  this->open();\n  item.weigh();\n"
                "  std::sort(1);\n  return prices::of(1);\n}\n\nvoid Till::check() {}\n\n}\n"
            ),
            "base.h": (
                "#pragma once\nnamespace shop {\nclass Base {\n public:\n  void open() {}\n};\n"
                "class Item {\n public:\n  int weigh() { return 1; }\n};\n}\n"
            ),
            "prices.h": "namespace prices {\ninline int of(int x) { return x; }\n"
            "int sort(int x) { return x; }\n}\n",
        },
        {
            "till.cpp#shop.Till.sell -> till.cpp#shop.Till.check",
            "till.cpp#shop.Till.sell -> base.h#shop.Base.open",
            "till.cpp#shop.Till.sell -> base.h#shop.Item.weigh",
            "till.cpp#shop.Till.sell -> prices.h#prices.of",
        },
    ),
    "sql": (
        {
            "a.sql": ("CREATE FUNCTION total(x int) RETURNS int AS $$ SELECT round_up(x) $$;\n"),
            "b.sql": "CREATE FUNCTION round_up(x int) RETURNS int AS $$ SELECT 1 $$;\n",
        },
        {"a.sql#total -> b.sql#round_up (unique name)"},
    ),
}


@pytest.mark.parametrize("language", sorted(CASES))
def test_calls_lead_where_the_language_says(edges_of: Edges, language: str) -> None:
    files, edges = CASES[language]
    assert edges_of(files) == edges
