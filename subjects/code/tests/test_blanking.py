"""Texts that are broken in places: what stands around these is read as if they were not there."""

from time import thread_time

import pytest
from sourcebook_code.blanking import SECONDS
from sourcebook_code.extract import extract
from sourcebook_code.languages import language_of

BROKEN = {
    "two.py": """
        def one():
            return 1

        def bad(a, b:
            x = [1, 2
            return x

        class Kept:
            def fine(self):
                return one()

            def broken(self):
                return )

            def later(self, x):
                return self.fine(x)

        def two():
            return 3
        """,
    "head.js": """
        class Box {
          open() { return 1; }
          half( {
            return 2;
          }
          close() { return 3; }
        }
        function last() {}
        """,
    "Head.cs": """
        namespace A;
        class Box
        {
            int Open() { return 1; }

            int Half(int a, {
                return a;
            }

            int Close() { return 3; }
        }
        """,
    "head.rb": """
        class Box
          def open
            1
          end

          def half(a,
            @x = [1, 2
          end

          def close
            3
          end
        end
        """,
    "cut.ts": """
        export class Part {
          one(): number { return 1; }

          two(): number {
            return `cut ${
        """,
    "brace.ts": """
        export class Outer {
          open(): void {
            if (true) {
              call();
          }

          close(): void { call(); }
        }
        function last() {}
        """,
    "Brace.cs": """
        class Outer
        {
            void Open()
            {
                if (true)
                {
                    Call();
            }

            int Close() { return 1; }
        }
        """,
    "end.rb": """
        class Outer
          def open
            if true
              call(1)
          end

          def close
            2
          end
        end
        """,
    "nested.rb": """
        module A
          class Box
            def open = 1
            def text
              <<~A
                #{shout(<<~B)}
                  inner
                B
              A
            end
            def close = 3
          end
        end
        """,
}

KEPT = {
    "two.py": {
        "one": (2, 3), "Kept": (9, 17), "Kept.fine": (10, 11), "Kept.later": (16, 17),
        "two": (19, 20),
    },
    "head.js": {"Box": (2, 8), "Box.open": (3, 3), "Box.close": (7, 7), "last": (9, 9)},
    "Head.cs": {"Box": (3, 12), "Box.Open": (5, 5), "Box.Close": (11, 11)},
    "head.rb": {"Box": (2, 14), "Box.open": (3, 5), "Box.close": (11, 13)},
    "cut.ts": {"Part.one": (3, 3)},
    "brace.ts": {
        "Outer": (2, 9), "Outer.open": (3, 6), "Outer.close": (8, 8), "last": (10, 10),
    },
    "Brace.cs": {"Outer": (2, 12), "Outer.Open": (4, 9), "Outer.Close": (11, 11)},
    "end.rb": {"Outer": (2, 11), "Outer.open": (3, 6), "Outer.close": (8, 10)},
    "nested.rb": {"A": (2, 14), "A.Box": (3, 13), "A.Box.open": (4, 4), "A.Box.close": (12, 12)},
}  # fmt: skip

FAULTS = {
    "two.py": [5, 13], "head.js": [4], "Head.cs": [6], "head.rb": [7], "cut.ts": [6],
    "brace.ts": [4], "Brace.cs": [6], "end.rb": [4], "nested.rb": [6],
}  # fmt: skip

NEAR = 2


@pytest.mark.parametrize("name", BROKEN)
def test_an_error_costs_its_own_declaration(name: str) -> None:
    language = language_of(name)
    assert language is not None
    found = extract(BROKEN[name], language)
    lines = {one.qualified_name: (one.first, one.last) for one in found.declarations}
    assert {name: lines.get(name) for name in KEPT[name]} == KEPT[name]
    for line in FAULTS[name]:
        assert any(abs(one.line - line) <= NEAR for one in found.faults), found.faults


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.js", "class A { a( { return [1; }\n  b() { return 1; }\n}\n" * 2000),
        ("a.py", "def a():\n    return 1\n" + "(" * 4000 + "\ndef b(): pass\n"),
        ("a.py", "def a():\n    return 1\n" + "{ a: " * 2000 + "\ndef b(): pass\n"),
    ],
    ids=["many", "brackets", "pairs"],
)
def test_looking_for_broken_pieces_ends_in_time(name: str, text: str) -> None:
    language = language_of(name)
    assert language is not None
    start = thread_time()
    assert extract(text, language).declarations
    assert thread_time() - start < SECONDS * 10
