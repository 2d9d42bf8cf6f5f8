"""Which declarations calls, imports and base types lead to, and how surely."""

import time
from collections.abc import Callable, Mapping

import pytest
from sourcebook_code.graph import Graph

Edges = Callable[..., set[str]]


def test_a_call_of_a_library_never_leads_to_what_is_called_alike(edges_of: Edges) -> None:
    files = {
        "paths.py": (
            "import os.path\nfrom os import path\nimport json as j\n\n\n"
            "def join(a, b):\n    return a + b\n\n\n"
            "def dumps(x):\n    return x\n\n\n"
            "def run(parts):\n"
            "    os.path.join('a', 'b')\n    path.join('a')\n    j.dumps(1)\n    ', '.join(parts)\n"
        ),
        "other.py": "class Queue:\n    def join(self):\n        pass\n",
    }
    assert edges_of(files) == set()


def test_a_bare_name_is_what_the_nearest_scope_holds(edges_of: Edges) -> None:
    files = {
        "a.py": (
            "from b import helper\n\n\n"
            "def outer():\n    def inner():\n        pass\n\n    inner()\n    helper()\n\n\n"
            "def other():\n    inner()\n\n\n"
            "def inner_of_module():\n    outer()\n"
        ),
        "b.py": "def helper():\n    pass\n\n\ndef inner():\n    pass\n",
    }
    assert edges_of(files) == {
        "a.py#outer -> a.py#outer.inner",
        "a.py#outer -> b.py#helper",
        "a.py#inner_of_module -> a.py#outer",
    }


def test_a_parameter_or_variable_hides_what_has_its_name(edges_of: Edges) -> None:
    files = {
        "a.py": (
            "def emit():\n    pass\n\n\n"
            "def send(emit):\n    emit()\n\n\n"
            "def post():\n    emit = make()\n    emit()\n"
        )
    }
    assert edges_of(files) == set()


def test_members_are_found_on_self_and_in_base_types(edges_of: Edges) -> None:
    files = {
        "base.py": "class Base:\n    def save(self):\n        pass\n\n"
        "    def load(self):\n        pass\n",
        "a.py": (
            "from base import Base as Root\nfrom elsewhere import Foreign\n\n\n"
            "class Item(Root):\n"
            "    def load(self):\n        super().load()\n        self.save()\n\n"
            "    @classmethod\n    def make(cls):\n        return cls()\n\n\n"
            "class Alien(Foreign):\n    def go(self):\n        self.save()\n"
            "        super().load()\n"
        ),
    }
    assert edges_of(files) == {
        "a.py#Item.load -> base.py#Base.load",
        "a.py#Item.load -> base.py#Base.save",
        "a.py#Item.make -> a.py#Item",
    }


def test_a_type_that_extends_itself_ends(edges_of: Edges) -> None:
    files = {
        "a.py": "class A(B):\n    def f(self):\n        self.g()\n\n\nclass B(A):\n    pass\n",
        "b.py": "from c import x\n\nx()\n",
        "c.py": "from b import x\n",
    }
    assert edges_of(files) == set()


@pytest.mark.parametrize(
    "body",
    [
        "def run(client: Client):\n    client.fetch()\n",
        "def run(client: 'Optional[Client]' = None):\n    client.fetch()\n",
        "def run(client: Client | None):\n    client.fetch()\n",
        "def run():\n    x = Client()\n    x.fetch()\n",
        "def run():\n    with Client(\n        1,\n    ) as x:\n        x.fetch()\n",
        "def run():\n    x = make()\n    x.fetch()\n",
        "class T:\n    def __init__(self):\n        self._c = Client()\n\n    def run(self):\n"
        "        self._c.fetch()\n",
        "class T:\n    c: Client\n\n    def run(self):\n        self.c.fetch()\n",
    ],
)
def test_the_type_of_a_variable_tells_its_members(edges_of: Edges, body: str) -> None:
    files = {
        "client.py": "class Client:\n    def fetch(self):\n        pass\n\n\nclass Other:\n"
        "    def fetch(self):\n        pass\n",
        "a.py": f"from client import Client\n\n\ndef make() -> Client:\n    pass\n\n\n{body}",
    }
    runs = {one for one in edges_of(files) if "run" in one.partition(" ")[0] and "fetch" in one}
    assert {one.partition(" -> ")[2] for one in runs} == {"client.py#Client.fetch"}


def test_an_example_in_a_docstring_is_no_assignment(edges_of: Edges) -> None:
    files = {
        "a.py": (
            "class Q:\n    def add(self):\n        '''\n        q = other.Q()\n        '''\n"
            "        q = Q()\n        q.get_list()\n\n    def get_list(self):\n        pass\n\n\n"
            "class R:\n    def get_list(self):\n        pass\n"
        )
    }
    assert "a.py#Q.add -> a.py#Q.get_list" in edges_of(files)


def test_what_only_a_name_speaks_for_says_so(edges_of: Edges) -> None:
    files = {
        "a.py": (
            "class One:\n    def only_here(self):\n        pass\n\n"
            "    def twice(self):\n        pass\n"
            "\n\nclass Two:\n    def twice(self):\n        pass\n\n"
            "    def get(self):\n        pass\n"
        ),
        "b.py": "def run(x):\n    x.only_here()\n    x.twice()\n    x.get()\n"
        "    make().only_here()\n",
    }
    assert edges_of(files) == {
        "b.py#run -> a.py#One.only_here (unique name)",
        "b.py#run -> a.py#One.twice (ambiguous)",
        "b.py#run -> a.py#Two.twice (ambiguous)",
    }


def test_more_than_a_few_candidates_are_none(edges_of: Edges) -> None:
    some = "".join(f"class C{n}:\n    def visit_all(self):\n        pass\n\n\n" for n in range(4))
    assert edges_of({"a.py": some, "b.py": "def run(x):\n    x.visit_all()\n"}) == set()


def test_what_is_made_elsewhere_has_no_members_here(edges_of: Edges) -> None:
    files = {
        "a.py": (
            "import logging\n\nlogger = logging.getLogger()\n\n\n"
            "class Log:\n    def announce(self):\n        pass\n\n\n"
            "def run():\n    logger.announce()\n"
        )
    }
    assert edges_of(files) == set()


def test_modules_are_found_by_packages_and_by_relative_names(edges_of: Edges) -> None:
    files = {
        "src/pkg/__init__.py": "from .core.engine import start\n",
        "src/pkg/core/__init__.py": "",
        "src/pkg/core/engine.py": "def start():\n    pass\n",
        "src/pkg/core/user.py": (
            "import pkg.core.engine\nfrom . import engine\nfrom ..core import engine as e\n\n\n"
            "def absolute():\n    pkg.core.engine.start()\n\n\n"
            "def sibling():\n    engine.start()\n\n\n"
            "def renamed():\n    e.start()\n"
        ),
        "app.py": "import pkg\n\n\ndef run():\n    pkg.start()\n",
    }
    target = "src/pkg/core/engine.py#start"
    user = "src/pkg/core/user.py"
    assert edges_of(files) == {
        f"{user}#absolute -> {target}",
        f"{user}#sibling -> {target}",
        f"{user}#renamed -> {target}",
        f"app.py#run -> {target}",
    }


def test_a_package_that_is_the_corpus_is_called_as_its_imports_call_it(edges_of: Edges) -> None:
    files = {
        "__init__.py": "",
        "db/__init__.py": "",
        "db/models.py": "def save():\n    pass\n",
        "views.py": "from shop.db import models\nfrom os.db import nothing\n\n\ndef run():\n"
        "    models.save()\n    nothing()\n",
        "more.py": "from shop.db.models import save\n\n\ndef run():\n    save()\n",
    }
    assert edges_of(files) == {
        "views.py#run -> db/models.py#save",
        "more.py#run -> db/models.py#save",
    }


def test_scripts_are_followed_by_path_and_re_export(edges_of: Edges) -> None:
    files = {
        "src/index.ts": "export * from './lib';\nexport { make as build } from './lib/make.js';\n",
        "src/lib/index.ts": "export function open() {}\n",
        "src/lib/make.ts": "export function make() {}\nexport default class Maker { run() {} }\n",
        "src/app.ts": (
            "import { open, build } from '.';\nimport * as lib from './lib';\n"
            "import Maker from './lib/make';\nimport { open as other } from 'fs';\n"
            "function run(m: Maker) { open(); build(); lib.open(); other(); m.run(); }\n"
            "const { make } = require('./lib/make');\nfunction more() { make(); new Maker(); }\n"
        ),
    }
    assert edges_of(files) == {
        "src/app.ts#run -> src/lib/index.ts#open",
        "src/app.ts#run -> src/lib/make.ts#make",
        "src/app.ts#run -> src/lib/make.ts#Maker.run",
        "src/app.ts#more -> src/lib/make.ts#make",
        "src/app.ts#more -> src/lib/make.ts#Maker",
    }


def test_a_call_of_a_method_on_this_stays_in_its_class(edges_of: Edges) -> None:
    files = {
        "a.js": (
            "import { Base } from './b';\n"
            "class A extends Base {\n  go() { this.stop(); super.go(); stop(); }\n  stop() {}\n}\n"
            "class C { stop() {} }\n"
        ),
        "b.js": "export class Base { go() {} }\n",
    }
    assert edges_of(files) == {"a.js#A.go -> a.js#A.stop", "a.js#A.go -> b.js#Base.go"}


def test_packages_of_go_share_their_names_and_import_by_path(edges_of: Edges) -> None:
    files = {
        "store/store.go": (
            "package store\n\ntype Store struct{}\n\nfunc New() *Store { return &Store{} }\n\n"
            "func (s *Store) Get(key string) string { return s.find(key) }\n"
        ),
        "store/find.go": "package store\n\n"
        "func (s *Store) find(key string) string { return clean(key) }\n\n"
        "func clean(key string) string { return key }\n",
        "json/json.go": "package json\n\nfunc Marshal() {}\n",
        "main.go": (
            'package main\n\nimport (\n\t"encoding/json"\n\t"example.org/app/store"\n)\n\n'
            'func main() {\n\ts := store.New()\n\ts.Get("a")\n\tjson.Marshal()\n}\n'
        ),
    }
    assert edges_of(files) == {
        "store/store.go#Store.Get -> store/find.go#Store.find",
        "store/find.go#Store.find -> store/find.go#clean",
        "main.go#main -> store/store.go#New",
        "main.go#main -> store/store.go#Store.Get",
    }


def test_headers_tell_which_function_of_c_is_meant(edges_of: Edges) -> None:
    files = {
        "lib/list.h": "int list_add(int x);\n",
        "lib/list.c": '#include "list.h"\nstatic int grow(void) { return 0; }\n'
        "int list_add(int x) { return grow(); }\n",
        "main.c": '#include "lib/list.h"\n#include <stdio.h>\n'
        "int main(void) { printf(0); return list_add(1) + far(); }\n",
        "far.c": "int far(void) { return 1; }\n",
    }
    assert edges_of(files) == {
        "lib/list.c#list_add -> lib/list.c#grow",
        "main.c#main -> lib/list.c#list_add",
        "main.c#main -> far.c#far (unique name)",
    }


def test_imports_lead_to_what_they_take(edges_of: Edges) -> None:
    files = {
        "a.py": "from b import f\nimport b\nimport sys\nfrom c import *\n",
        "b.py": "def f():\n    pass\n",
        "c.py": "X = 1\n",
    }
    assert edges_of(files, "imports") == {
        "a.py#file -> b.py#f",
        "a.py#file -> b.py#file",
        "a.py#file -> c.py#file",
    }


def test_base_types_are_edges(edges_of: Edges) -> None:
    files = {
        "a.py": "from b import Base\n\n\nclass A(Base, metaclass=Meta):\n    pass\n\n\n"
        "class Meta:\n    pass\n",
        "b.py": "class Base:\n    pass\n",
        "c.ts": "interface Shape {}\nclass Box<T> extends Map<T> implements Shape {}\n",
    }
    assert edges_of(files, "extends") == {"a.py#A -> b.py#Base", "c.ts#Box -> c.ts#Shape"}


def test_keys_of_the_graph_are_those_of_the_index(graph_of: Callable[..., Graph]) -> None:
    graph = graph_of(
        {"a.py": "def f():\n    pass\n\n\ndef f():\n    pass\n\n\ndef file():\n    f()\n"}
    )
    ids = [graph.id(node) for node in range(len(graph))]
    assert ids == ["a.py#file", "a.py#f", "a.py#f~2", "a.py#file~2"]
    assert [graph.node(one) for one in ids] == [0, 1, 2, 3]
    assert [step.end for step in graph.out(3)] == [2]


@pytest.mark.parametrize(
    "files",
    [
        {  # every class extends all of the level below
            "a.py": "".join(
                f"class C{level}_{n}({', '.join(f'C{level - 1}_{m}' for m in range(6))}):\n"
                f"    def f(self):\n        self.nowhere()\n\n\n"
                for level in range(1, 25)
                for n in range(6)
            )
        },
        {f"m{n}.py": f"from m{n + 1} import x\n\nx()\n" for n in range(1500)},
        {f"m{n}.py": f"from m{n + 1} import *\n\nx()\n" for n in range(1500)},
        {  # everything includes everything
            f"h{n}.h": "".join(f'#include "h{m}.h"\n' for m in range(80)) + "int f(void);\n"
            for n in range(80)
        },
        {
            "a.py": "".join(
                f"class C{n}(C{n + 1}.X):\n    def f(self):\n        self.g()\n\n\n"
                for n in range(1500)
            )
        },
        {
            "a.py": "class T:\n    def f(self):\n"
            + "".join(f"        self.a{n} = self.a{n + 1}.x()\n" for n in range(1500))
        },
        {"a.py": "def f(): f()\n" * 8000},
        {"A.java": "class A {\n" + "  void f(int a) { f(a); }\n" * 8000 + "}\n"},
        {"a.js": "const a = " + "x." * 5000 + "y();\n" + "f(" * 400 + ")" * 400},
    ],
    ids=[
        "bases",
        "re-exports",
        "stars",
        "includes",
        "chain of bases",
        "fields",
        "one name",
        "overloads",
        "long names",
    ],
)
def test_crafted_files_are_linked_in_time(edges_of: Edges, files: Mapping[str, str]) -> None:
    began = time.process_time()
    edges_of(files)
    assert time.process_time() - began < 20
