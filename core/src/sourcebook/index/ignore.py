"""What git leaves out: the rules of `.gitignore` files, and patterns in their syntax.

A rule applies to what lies below the folder of its file. The last rule that fits decides, inner
files before outer ones; a folder that is left out is not looked into, so nothing in it comes back.
Read by git's own description, https://git-scm.com/docs/gitignore, and compared with git in the
tests. Matching takes no longer than name times pattern, whatever a stranger's file says, which the
usual translation to regular expressions does not ensure.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from attrs import frozen

from sourcebook.errors import BadPattern
from sourcebook.index import layout

LIMIT_BYTES = 1 << 20
LIMIT_RULES = 10_000
"""What is read of one file of rules."""

FILES = (".git/info/exclude", ".gitignore")
"""Files of rules, the weaker first."""

MANY = "**"
"""The part of a rule that stands for any number of folders, none included."""

_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \t", "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~",
    "punct": "!-/:-@\\[-`{-~", "space": " \t-\r", "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip


class Rule(NamedTuple):
    """One line of a file of rules.

    Args:
        ignores: False for a line with `!`, which brings back.
        folders: whether it is about folders only.
        parts: what the parts of a path must fit, plain names or expressions; one name alone,
            wherever it is, stands behind `**`.
    """

    ignores: bool
    folders: bool
    parts: "tuple[str | re.Pattern[str], ...]"

    def fits(self, path: Sequence[str], is_folder: bool) -> bool:
        """Whether it is about the path with these parts."""
        if self.folders and not is_folder:
            return False
        parts = self.parts
        if len(parts) == 2 and parts[0] == MANY:
            return _fits(parts[1], path[-1])
        # The places in the rule that the parts of the path so far may have led to.
        places = _open(parts, {0})
        for name in path:
            places = _open(
                parts,
                {
                    place if parts[place] == MANY else place + 1
                    for place in places
                    if place < len(parts) and (parts[place] == MANY or _fits(parts[place], name))
                },
            )
        return len(parts) in places


def _open(parts: Sequence[object], places: set[int]) -> set[int]:
    """Add the places that are reached where `**` stands for nothing."""
    for place in sorted(places):
        while place < len(parts) and parts[place] == MANY:
            place += 1
            places.add(place)
    return places


def _fits(part: "str | re.Pattern[str]", name: str) -> bool:
    return part == name if isinstance(part, str) else part.fullmatch(name) is not None


def read_rule(line: str) -> Rule | None:
    """Return the rule in a line, None for a blank one or a comment.

    Raises:
        ValueError: it is no pattern: a class without an end, a backslash at the end.
    """
    text = re.sub(r"(?<!\\)((?:\\\\)*) +$", r"\1", line)
    if not text or text.startswith("#"):
        return None
    ignores = not text.startswith("!")
    text = text if ignores else text[1:]
    folders = text.endswith("/")
    text = text[:-1] if folders else text
    if not text:
        return None
    names = text.split("/")
    if len(names) == 1:
        return Rule(ignores, folders, (MANY, _part(text)))
    names = [MANY if one.strip("*") == "" and len(one) > 1 else one for one in names]
    names = names[1:] if not names[0] else names
    # At the end, `**` is about what lies in a folder and not about the folder.
    names += ["*"] if names[-1] == MANY else []
    return Rule(ignores, folders, tuple(MANY if one == MANY else _part(one) for one in names))


def _part(text: str) -> "str | re.Pattern[str]":
    """Return what one part of a path must fit: a name, or an expression that never backtracks."""
    chunks: list[str] = [""]
    plain = ""
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        if char == "*":
            if chunks[-1] or len(chunks) == 1:
                chunks.append("")
        elif char == "?":
            chunks[-1] += "."
        elif char == "[":
            found, at = _class(text, at)
            chunks[-1] += found
        else:
            if char == "\\":
                if at == len(text):
                    raise ValueError("a backslash at the end")
                char = text[at]
                at += 1
            plain += char
            chunks[-1] += re.escape(char)
    if len(chunks) == 1:
        return plain if chunks[0] == re.escape(plain) else re.compile(f"(?s:{chunks[0]})")
    # Each `*` takes as little as it can: what follows fits later too, so nothing is tried twice.
    taken = "".join(f"(?>.*?{chunk})" for chunk in chunks[1:-1])
    return re.compile(f"(?s:{chunks[0]}{taken}.*{chunks[-1]})")


def _class(text: str, at: int) -> tuple[str, int]:
    """Return the expression for the class that begins before `at`, and where it ends."""
    negated = text[at : at + 1] in ("!", "^")
    at += negated
    inside = ""
    begun = at
    while at == begun or text[at : at + 1] != "]":
        if at >= len(text):
            raise ValueError("a class without an end")
        if named := re.compile(r"\[:([a-z]+):\]").match(text, at):
            if named[1] not in _CLASSES:
                raise ValueError(f"no class of characters is called `{named[1]}`")
            inside += _CLASSES[named[1]]
            at = named.end()
            continue
        first, at = _letter(text, at)
        last = first
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("", "]"):
            last, at = _letter(text, at + 1)
        if first <= last:
            inside += f"{re.escape(first)}-{re.escape(last)}"
    # A class of nothing, such as `[z-a]`, fits nothing.
    body = f"[{'^' if negated else ''}{inside}]" if inside else ("." if negated else "(?!)")
    return body, at + 1


def _letter(text: str, at: int) -> tuple[str, int]:
    if text[at] == "\\":
        at += 1
        if at == len(text):
            raise ValueError("a backslash at the end")
    return text[at], at + 1


@frozen
class Rules:
    """The rules that hold in a folder: (folder of their file with a separator at its end, rules
    with the last one first), the outermost first."""

    files: tuple[tuple[str, tuple[Rule, ...]], ...] = ()

    def within(self, folder: str) -> "Rules":
        """Return the rules that hold in `folder`, which lies where these do."""
        found = _read(folder)
        return Rules((*self.files, *found)) if found else self

    def ignore(self, path: str, is_folder: bool) -> bool:
        """Whether git would leave out `path`, given that it looks into the folder of it."""
        for base, rules in reversed(self.files):
            parts = path[len(base) :].replace(os.sep, "/").split("/")
            for rule in rules:
                if rule.fits(parts, is_folder):
                    return rule.ignores
        return False


def rules_above(folder: str) -> Rules:
    """Return the rules from outside `folder` that hold in it: those of the folders above, up to
    the root of the work tree. Rules that leave out `folder` itself are none of them: it was named.
    """
    above: list[str] = []
    at = folder
    while not os.path.lexists(os.path.join(at, ".git")):  # noqa: PTH118
        parent = os.path.dirname(at)  # noqa: PTH120
        if parent == at:
            return Rules()
        above.append(parent)
        at = parent
    return Rules(
        tuple(
            (base, tuple(one for one in rules if not _leaves_out(one, folder[len(base) :])))
            for parent in reversed(above)
            for base, rules in _read(parent)
        )
    )


def _leaves_out(rule: Rule, folder: str) -> bool:
    """Whether a rule is about a folder or one above it."""
    parts = folder.replace(os.sep, "/").split("/")
    return rule.ignores and any(
        rule.fits(parts[:length], True) for length in range(1, len(parts) + 1)
    )


def excluding(patterns: Sequence[str]) -> Callable[[str, bool], bool]:
    """Return a function that says of a name below the corpus's root, with `/`, and whether it is
    a folder, if it or a folder that it lies in is excluded.

    Raises:
        BadPattern: one of `patterns` is no pattern.
    """
    rules: list[Rule] = []
    for pattern in patterns:
        try:
            rule = read_rule(pattern)
        except ValueError as error:
            raise BadPattern(
                f"`{pattern}` is no pattern: {error}",
                where="--exclude",
                hint="the syntax is that of .gitignore",
            ) from None
        if rule is not None:
            rules.insert(0, rule)

    def excluded(name: str, is_folder: bool) -> bool:
        parts = name.split("/")
        for length in range(1, len(parts) + 1):
            above = parts[:length]
            fits = (one for one in rules if one.fits(above, is_folder or above != parts))
            if (rule := next(fits, None)) and rule.ignores:
                return True
        return False

    return excluded


def _read(folder: str) -> list[tuple[str, tuple[Rule, ...]]]:
    base = folder if folder.endswith(os.sep) else folder + os.sep
    found = []
    for name in FILES:
        try:
            with layout.open_file(base + name) as stream:
                data = stream.read(LIMIT_BYTES)
        except OSError:
            continue
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
        rules = tuple(_read_rules(text.split("\n")[:LIMIT_RULES]))
        if rules:
            found.append((base, rules[::-1]))
    return found


def _read_rules(lines: Iterable[str]) -> Iterator[Rule]:
    for line in lines:
        try:
            rule = read_rule(line.removesuffix("\r"))
        except ValueError:
            continue  # git, too, passes over it
        if rule is not None:
            yield rule
