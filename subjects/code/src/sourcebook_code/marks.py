"""What a file is by its name and its first lines: of tests, generated, minified."""

import re
from typing import Final

TEST: Final = "test"
GENERATED: Final = "generated"
MINIFIED: Final = "minified"
WRITTEN: Final = "written"

ROLES: Final = (WRITTEN, TEST, GENERATED, MINIFIED)

HEAD_CHARS: Final = 4000
"""Where a file says that it was generated."""

MINIFIED_CHARS: Final = 1000
"""A file of fewer characters is minified only if its name says so."""

LONG_LINE: Final = 300
"""Most of a minified file stands in lines that are longer than this and packed with code; a text or
a table of data has long lines, too, but few brackets in them, or many blanks."""

MAX_BLANKS: Final = 0.1
MIN_SIGNS: Final = 0.05
"""Shares of the characters of a line that is packed with code: white space; signs of code."""

_TEST_FOLDERS: Final = frozenset(
    ("test", "tests", "testing", "testsuite", "__tests__", "__mocks__", "spec", "specs", "e2e",
     "fixtures", "testdata", "unittests", "unit-tests", "androidtest", "integrationtest",
     "integration-tests")
)  # fmt: skip
_TEST_NAME: Final = re.compile(
    r"test_|tests?\.|conftest\.|.*[._-](?:tests?|specs?|e2e|unittest)\.[^.]+$", re.IGNORECASE
)
_TEST_CLASS: Final = re.compile(r".*[a-z0-9](?:Tests?|TestCase|Spec|IT)\.[^.]+$")

_GENERATED_NAME: Final = re.compile(
    r".*(?:_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h)|[._](?:g|freezed|pb|pbenum|pbgrpc)\.dart"
    r"|\.designer\.cs|\.g\.cs|\.generated\.[^.]+|[._-]generated\.[^.]+|_pb\.[jt]s|zz_generated.*)$",
    re.IGNORECASE,
)
_GENERATED_TEXT: Final = re.compile(
    r"@generated\b|<auto-?generated|\bauto(?:matically)?[ -]generated\b"
    r"|\bcode generated (?:by|from)\b"
    r"|\bgenerated\b[^\n]{0,200}\n?[^\n]{0,80}\b(?:do not|don't|not be) (?:edit|modif|change)"
    r"|\b(?:do not|don't) (?:edit|modify)\b[^\n]{0,80}\bgenerated\b"
    r"|\bthis (?:file|code|class|module|source)\b[^\n]{0,40}\b(?:is|was|has been) generated\b"
    r"|\bthe following code was generated\b"
    r"|(?:^|(?<=\n))\W{1,8}generated (?:by|from|with|using)\b",
    re.IGNORECASE,
)
_GENERATED_TYPE: Final = re.compile(
    r"^[ \t]*(?:@(?:[a-z]+\.)*Generated\b|\[(?:[\w.]+\.)?GeneratedCode(?:Attribute)?\()",
    re.MULTILINE,
)
"""The annotation of Java and the attribute of C#."""
_TOP: Final = re.compile(
    r"\ufeff?(?:\s*+(?:/\*.*?(?:\*/|\Z)|\"\"\".*?(?:\"\"\"|\Z)|\'\'\'.*?(?:\'\'\'|\Z)|\{-.*?(?:-\}|\Z)"
    r"|<!--.*?(?:-->|\Z)|=begin\b.*?(?:\n=end\b|\Z)"
    r"|(?:#|//|--|;|%|<\?(?:php|hh)\b|[\"\']use strict|(?:package|namespace|module|import|from"
    r"|using|require|use|open|declare)\b)[^\n]*+))*+",
    re.DOTALL,
)
"""What stands above the code: comments, imports, directives."""
_QUOTED: Final = re.compile(r"(?<!\")\"(?!\")[^\"\n]+\"(?!\")|`[^`\n]+`")
"""What a comment cites."""

_MINIFIED_NAME: Final = re.compile(r".*[.-]min\.[^.]+$", re.IGNORECASE)


def roles(name: str, text: str) -> tuple[str, ...]:
    """Return what a file is: `test`, `generated`, `minified`, some of them, or `written` alone."""
    found = []
    if is_test(name):
        found.append(TEST)
    if is_minified(name, text):
        found.append(MINIFIED)
    if is_generated(name, text):
        found.append(GENERATED)
    return tuple(found) or (WRITTEN,)


def is_test(name: str) -> bool:
    """Whether a file is of tests: by its folders, or as test runners find it."""
    *folders, base = name.split("/")
    if any(one.lower() in _TEST_FOLDERS for one in folders):
        return True
    return bool(_TEST_NAME.match(base) or _TEST_CLASS.match(base))


def is_generated(name: str, text: str) -> bool:
    """Whether a file says so in a comment at its top, or is called as tools call what they make."""
    if _GENERATED_NAME.match(name.rpartition("/")[2]):
        return True
    head = text[:HEAD_CHARS]
    if name.endswith((".java", ".kt", ".scala", ".cs")) and _GENERATED_TYPE.search(head):
        return True
    top = _TOP.match(head)
    return top is not None and _GENERATED_TEXT.search(_QUOTED.sub("", top[0])) is not None


def is_minified(name: str, text: str) -> bool:
    """Whether a file was made small for machines: by its name or by how long its lines are."""
    if _MINIFIED_NAME.match(name.rpartition("/")[2]):
        return True
    if len(text) < MINIFIED_CHARS:
        return False
    packed = sum(len(line) for line in text.split("\n") if _is_packed(line))
    return packed * 2 > len(text)


def _is_packed(line: str) -> bool:
    size = len(line)
    if size <= LONG_LINE:
        return False
    blanks = line.count(" ") + line.count("\t")
    signs = sum(map(line.count, "(){};="))
    return blanks < size * MAX_BLANKS and signs > size * MIN_SIGNS
