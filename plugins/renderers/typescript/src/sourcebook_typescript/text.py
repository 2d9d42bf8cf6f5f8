"""How texts of a description are written in TypeScript: as strings, keys, comments, identifiers."""

import json
import re
from collections.abc import Container, Iterable, Sequence
from unicodedata import category, ucd_3_2_0

_KEYWORDS = """
any as await bigint boolean break case catch class const continue debugger default delete do else
enum export extends false finally for function if implements import in infer instanceof interface
intrinsic keyof let never new null number object package private protected public readonly return
static string super switch symbol this throw true try typeof undefined unique unknown var void
while with yield
"""
_GLOBALS = """
Array ArrayBuffer ArrayBufferLike ArrayBufferView ArrayLike AsyncFunction AsyncGenerator
AsyncGeneratorFunction AsyncIterable AsyncIterableIterator AsyncIterator Atomics Awaited BigInt
BigInt64Array BigUint64Array Boolean CallableFunction Capitalize ClassDecorator ConcatArray
ConstructorParameters DataView Date Error EvalError Exclude Extract Float32Array Float64Array
Function Generator GeneratorFunction IArguments ImportMeta Infinity InstanceType Int16Array
Int32Array Int8Array Intl Iterable IterableIterator Iterator IteratorResult JSON Lowercase Map
Math MethodDecorator NaN NewableFunction NoInfer NonNullable Number Object Omit OmitThisParameter
Parameters ParameterDecorator Partial Pick Promise PromiseLike PropertyDecorator
PropertyDescriptor PropertyKey Proxy RangeError Readonly ReadonlyArray ReadonlyMap ReadonlySet
Record ReferenceError Reflect RegExp Required ReturnType Set SharedArrayBuffer String Symbol
SyntaxError TemplateStringsArray ThisParameterType ThisType TypeError TypedPropertyDescriptor
URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray Uncapitalize Uppercase WeakKey
WeakMap WeakRef WeakSet arguments eval globalThis
"""

KEYWORDS = frozenset(_KEYWORDS.split())
"""What cannot name a type."""

GLOBALS = frozenset(_GLOBALS.split())
"""What TypeScript has itself, without a browser's names: a type of such a name would be misread."""

_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*|0|[1-9][0-9]{0,8}")
_LINE_ENDS = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
_LETTERS = frozenset(["Lu", "Ll", "Lt", "Lm", "Lo"])
_HIDDEN = frozenset(["Cc", "Cf", "Cs", "Zl", "Zp"])


def quote(text: str) -> str:
    """Return a string literal; what cannot be seen in an editor is escaped."""
    return "".join(
        character if category(character) not in _HIDDEN else _escape(character)
        for character in json.dumps(text, ensure_ascii=False)
    )


def write_key(name: str) -> str:
    """Return a property's name, quoted unless it is a plain identifier or number."""
    return name if _KEY.fullmatch(name) else quote(name)


def write_comment(lines: Sequence[str], indent: str = "") -> str:
    """Return a JSDoc comment with a line end, or "" for no lines.

    The lines are from `write_prose` and `write_line`, or tags such as `@deprecated`.
    """
    if not lines:
        return ""
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    body = "\n".join(f"{indent} * {line}".rstrip() for line in lines)
    return f"{indent}/**\n{body}\n{indent} */\n"


def write_prose(text: str) -> list[str]:
    """Return a text as lines of a comment, without blank ones at both ends."""
    lines = [_inert(line.rstrip()) for line in _LINE_ENDS.split(text)]
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return lines


def write_line(text: str) -> str:
    """Return a text as one line of a comment."""
    return _inert(" ".join(text.split()))


def make_identifier(text: str) -> str:
    """Return a text as an identifier: what may not stand in one becomes `_`, runs of it one."""
    made = re.sub(r"\0+", "_", "".join(c if _may_stand(c) else "\0" for c in text).strip("\0"))
    return made if made and not made[0].isdigit() else f"_{made}"


def name_apart(wanted: str, taken: Container[str]) -> str:
    """Return `wanted`, or with `_`, `_2`, `_3` ... if it is taken or TypeScript's own."""
    if wanted not in taken and wanted not in KEYWORDS and wanted not in GLOBALS:
        return wanted
    name, n = f"{wanted}_", 1
    while name in taken:
        n += 1
        name = f"{wanted}_{n}"
    return name


def name_all(texts: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return an identifier for each text, all different; a text that is one already keeps it."""
    names: dict[str, str] = {}
    used = set(taken)
    for text in sorted(texts, key=lambda text: (not _is_identifier(text), text)):
        names[text] = name_apart(make_identifier(text), used)
        used.add(names[text])
    return names


def _is_identifier(text: str) -> bool:
    return name_apart(make_identifier(text), ()) == text


def _may_stand(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character in "_$"
    # Letters of an old Unicode only: compilers differ in how much of a new one they know.
    return ucd_3_2_0.category(character) in _LETTERS


def _inert(line: str) -> str:
    """Return a line that neither ends a comment nor starts a tag."""
    shown = "".join(c if c == "\t" or category(c) not in _HIDDEN else "\ufffd" for c in line)
    return re.sub(r"^(\s*)@", r"\1\\@", shown.replace("*/", "*\\/"))


def _escape(character: str) -> str:
    code = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))
