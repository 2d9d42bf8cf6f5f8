"""YAML text to a located tree: read by libyaml, with JSON's own types and nothing else.

A plain scalar is `null`, `true`, `false` or a number where YAML 1.2 and JSON agree that it is one,
and otherwise the text that it is: `no`, `on`, dates, `08:30` and `0047` are texts. So are all keys.
"""

import re
from math import isinf
from typing import Any, NamedTuple

from sourcebook.model import Problem
from yaml import AliasEvent, MappingNode, MarkedYAMLError, Node, ScalarNode, YAMLError
from yaml.composer import Composer
from yaml.cyaml import CParser

from sourcebook_schema.reading.tree import (
    MAX_DEPTH,
    Map,
    Number,
    ReadError,
    Seq,
    Tree,
    Value,
    twice,
)

MAX_EXPANDED = 1_000_000
"""By so many nodes a text may grow when each alias is replaced by what it stands for."""
NODE_LENGTH = 32
"""A text counts for one more node with every so many characters."""

_PLAIN, _TEXT = "plain", "text"
_STRINGS = frozenset({_TEXT, "tag:yaml.org,2002:str"})
_MERGE = "tag:yaml.org,2002:merge"
_WORDS: dict[str, Value] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FRACTION = re.compile(r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
_UNPRINTABLE = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OTHER_BREAKS = "\x85\u2028\u2029"
"""Line ends to libyaml, but to nothing else since YAML 1.2."""


def read_yaml(text: str) -> Tree:
    """Return the tree of the first document of a YAML stream; a problem tells of others.

    Of equal keys the last counts, and a problem tells of both; a mapping's own keys come before
    those that `<<` merges in. A number out of range is kept as a text.

    Raises:
        ReadError: it is no YAML, it nests too deeply, an alias stands for itself, or aliases make
            it grow too much.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    stand_ins = _stand_ins(text)
    if stand_ins:
        text = text.translate(stand_ins)
    problems: list[Problem] = []
    try:
        try:
            node = _composed(_Parser(text), problems)
        except MarkedYAMLError as error:
            if error.problem != "second occurrence":
                raise
            node = _composed(_Resetting(text), problems)
    except (YAMLError, UnicodeEncodeError) as error:
        raise _explained(text, error) from None
    if node is None:
        raise ReadError("there is nothing in the file")
    back = {ord(stand_in): chr(sign) for sign, stand_in in stand_ins.items()}
    builder = _Builder(text.split("\n"), problems, back)
    return Tree(builder.build(node, 0, 1).value, problems)


def _composed(parser: "_Parser", problems: list[Problem]) -> Node | None:
    try:
        node = parser.get_node() if parser.check_node() else None
        if node is not None and parser.check_node():
            line = parser.peek_event().start_mark.line + 1
            problems.append(Problem("a second document begins here; only the first is read", line))
        return node
    finally:
        parser.dispose()


def _stand_ins(text: str) -> dict[int, str]:
    """Return what to put in place of the line ends that are none: characters not in the text."""
    found = [sign for sign in _OTHER_BREAKS if sign in text]
    free = (chr(code) for code in range(0xE000, 0xF900) if chr(code) not in text)
    return {ord(sign): next(free) for sign in found}


def _explained(text: str, error: Exception) -> ReadError:
    if isinstance(error, MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        what = error.problem or error.context or "no YAML"
        if what == "found character that cannot start any token":
            sign = text[mark.index : mark.index + 1] if mark else ""
            what = "a tab where only spaces may indent" if sign == "\t" else f"a stray `{sign}`"
        elif what == "found undefined alias" and mark:
            alias = re.match(r"\*[^\s,\[\]{}]{1,80}", text[mark.index :])
            what = f"no anchor is set for the alias `{alias[0] if alias else '*'}`"
        elif error.context and error.problem:
            what = f"{what} ({error.context})"
        return ReadError(f"no YAML: {what}", mark.line + 1 if mark else 0)
    if found := _UNPRINTABLE.search(text):
        line = text.count("\n", 0, found.start()) + 1
        return ReadError(f"the character U+{ord(found[0]):04X}, which YAML does not allow", line)
    return ReadError(f"no YAML: {error}"[:200])


class _Parser(CParser):  # type: ignore[misc]
    """Composes nodes whose tags say only whether they are plain: resolving them to types of YAML
    1.1 would cost as much as all the rest."""

    def resolve(self, kind: type, _value: object, implicit: Any) -> str:
        return _PLAIN if kind is ScalarNode and implicit[0] else _TEXT

    def descend_resolver(self, _node: Node, _index: Node) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass


class _Resetting(Composer, _Parser):  # type: ignore[misc]
    """Composes what sets an anchor again, as YAML 1.2 allows: an alias means the last one above.

    It does so in Python, so it is for the texts that need it.
    """

    def __init__(self, text: str) -> None:
        CParser.__init__(self, text)
        Composer.__init__(self)
        self._depth = 0

    def compose_node(self, parent: Node | None, index: Any) -> Node:
        event = self.peek_event()
        if not isinstance(event, AliasEvent):
            self.anchors.pop(event.anchor, None)
        if self._depth > MAX_DEPTH:
            raise ReadError(f"nested more than {MAX_DEPTH} deep", _line(event))
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


class _Built(NamedTuple):
    """A value, its last line, and how many nodes it is with every alias written out."""

    value: Value
    last: int
    nodes: int


class _Lines:
    """The lines of the keys of the mappings of one file."""

    def __init__(self) -> None:
        self.of: list[dict[str, int]] = []

    def line(self, place: int, key: str) -> int:
        return self.of[place].get(key, 0)


class _Builder:
    """Makes values of nodes.

    Args:
        problems: where to add what is wrong.
        back: what to replace in every text.
    """

    def __init__(self, lines: list[str], problems: list[Problem], back: dict[int, str]) -> None:
        self._lines = lines
        self._problems = problems
        self._back = back
        self._keys = _Lines()
        self._built: dict[int, _Built | None] = {}
        self._long: set[int] = set()
        self._scalars: dict[str, Value] = {}
        self._grown = 0

    def build(self, node: Node, first: int, depth: int) -> _Built:
        """Return what a node holds; `first` is the line of its key, 0 without one."""
        if isinstance(node, ScalarNode):
            return _Built(self._scalar(node), self._last(node), self._weigh(node, first))
        known = id(node)
        if known in self._built:
            found = self._built[known]
            if found is None:
                raise ReadError("an alias stands in what it stands for", _line(node))
            self._grow(found.nodes, first or _line(node))
            return found
        if depth > MAX_DEPTH:
            raise ReadError(f"nested more than {MAX_DEPTH} deep", _line(node))
        self._built[known] = None
        make = self._map if isinstance(node, MappingNode) else self._seq
        built = self._built[known] = make(node, first or _line(node), depth)
        return built

    def _grow(self, nodes: int, line: int) -> None:
        self._grown += nodes
        if self._grown > MAX_EXPANDED:
            raise ReadError(
                f"aliases expand to more than {MAX_EXPANDED:,} nodes, which is too large", line
            )

    def _weigh(self, node: ScalarNode, first: int) -> int:
        """Return for how many nodes a scalar counts. The alias of a short one is about as long."""
        nodes = 1 + len(node.value) // NODE_LENGTH
        if nodes > 1:
            if id(node) in self._long:
                self._grow(nodes, first or _line(node))
            self._long.add(id(node))
        return nodes

    def _seq(self, node: Any, first: int, depth: int) -> _Built:
        made = Seq()
        last, nodes = first, 1
        for item in node.value:
            built = self.build(item, 0, depth + 1)
            made.append(built.value)
            last = max(last, built.last)
            nodes += built.nodes
        made.first = first
        made.last = self._last(node) if node.flow_style else last
        return _Built(made, made.last, nodes)

    def _map(self, node: Any, first: int, depth: int) -> _Built:
        own: dict[str, Value] = {}
        lines: dict[str, int] = {}
        merged = Map()
        merged_lines: dict[str, int] = {}
        last, nodes = first, 1
        for key_node, value_node in node.value:
            line = _line(key_node)
            built = self.build(value_node, line, depth + 1)
            last = max(last, line, built.last)
            nodes += built.nodes
            if not isinstance(key_node, ScalarNode):
                self._problems.append(Problem("a key that is no text is left out", line))
                continue
            nodes += self._weigh(key_node, line) - 1
            key = self._text(key_node.value)
            if key == "<<" and key_node.tag in (_PLAIN, _MERGE):
                for source in self._merged(built.value, line):
                    for each, value in source.items():
                        if each not in merged:
                            merged[each] = value
                            merged_lines[each] = source.line(each)
                continue
            if key in own:
                self._problems.append(twice(key, lines[key], line))
            own[key] = built.value
            lines[key] = line
        made = Map(merged)
        made.update(own)
        made.first = first
        made.last = self._last(node) if node.flow_style else last
        made.place = len(self._keys.of)
        made.keys_at = self._keys
        self._keys.of.append({**merged_lines, **lines})
        return _Built(made, made.last, nodes)

    def _merged(self, value: Value, line: int) -> list[Map]:
        """Return the mappings that `<<` names, the one that wins first."""
        found = value if isinstance(value, list) else [value]
        sources = [one for one in found if isinstance(one, Map)]
        if len(sources) != len(found):
            self._problems.append(Problem("`<<` merges mappings and nothing else", line))
        return sources

    def _scalar(self, node: ScalarNode) -> Value:
        text: str = node.value
        if node.tag in _STRINGS:
            return self._text(text)
        if text in self._scalars:
            return self._scalars[text]
        value = self._scalars[text] = self._plain(text, node)
        return value

    def _plain(self, text: str, node: ScalarNode) -> Value:
        if text in _WORDS:
            return _WORDS[text]
        try:
            if _WHOLE.fullmatch(text):
                return int(text)
            if _FRACTION.fullmatch(text):
                value = Number.of(text)
                if not isinf(value):
                    return value
                raise ValueError
        except ValueError:  # also of whole numbers of thousands of digits
            self._problems.append(
                Problem(f"the number {text[:40]} is too large; it is kept as a text", _line(node))
            )
        return self._text(text)

    def _text(self, text: str) -> str:
        return text.translate(self._back) if self._back else text

    def _last(self, node: Any) -> int:
        """Return the last line of a scalar or of a collection in brackets."""
        mark = node.end_mark
        if not isinstance(node, ScalarNode) or node.style not in ("|", ">"):
            return int(mark.line) + 1
        # libyaml ends a block scalar where the next token begins.
        last: int = mark.line + (mark.column > 0)
        while last > node.start_mark.line + 1 and not self._lines[last - 1].strip():
            last -= 1
        return last


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1
