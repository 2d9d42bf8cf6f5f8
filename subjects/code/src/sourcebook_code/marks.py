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

MINIFIED_LINE: Final = 1000
MINIFIED_MEAN: Final = 300
"""A minified file has a line of so many characters, and so many in its mean line. Tables of data
have long lines, too, but not only such."""

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
    r"|\b(?:do not|don't) (?:edit|modify)\b[^\n]{0,80}\bgenerated\b",
    re.IGNORECASE,
)
_COMMENT: Final = re.compile(r"\s?(?:#|//|/\*|\*|--|;|<!--|\"\"\"|'''|\{-|=begin|%)")
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
    for found in _GENERATED_TEXT.finditer(head):
        start = head.rfind("\n", 0, found.start()) + 1
        if _COMMENT.match(head[start : found.start()]):
            return True
    return False


def is_minified(name: str, text: str) -> bool:
    """Whether a file was made small for machines: by its name or by how long its lines are."""
    if _MINIFIED_NAME.match(name.rpartition("/")[2]) and len(text) > MINIFIED_LINE:
        return True
    if len(text) < MINIFIED_LINE:
        return False
    lines = text.count("\n") + 1
    return len(text) / lines > MINIFIED_MEAN and max(map(len, text.split("\n"))) > MINIFIED_LINE
