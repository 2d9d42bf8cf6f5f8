"""A document as blocks under headings, each with its lines.

Markdown is read by markdown-it-py's block rules (CommonMark and tables); inline text is read for
titles and captions only. Lines are joined by line feeds before, so that the parser counts them as
`Source.lines` does. Call-outs, footnotes and definition lists need no rules of their own: to
CommonMark they are paragraphs and indented code, which `chunk.py` puts together again. So a
heading is one exactly where CommonMark has it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from attrs import evolve, field, frozen

from sourcebook_docs.frontmatter import front_matter_end, front_matter_title
from sourcebook_docs.tables import Table, is_caption, table_rule

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

MAX_DEPTH = 32
"""Tokens of nesting (a list costs two a level) below which text is no longer taken apart."""

CAPTION_LINES = 2
SENTENCES = re.compile(r"[.!?…]\s+\S")
TITLE_LINES = 4
TITLE_CHARACTERS = 300
"""What the title of a plain text may have."""

BLANK = " \t"


@frozen
class Heading:
    """A heading at the top level: `first` to `last` are the lines of its title and underline."""

    title: str
    level: int
    first: int
    last: int


@frozen
class Block:
    """Lines that belong together: `kind` is the kind of entry they make.

    `children` are the parts at which a block that is too long may be cut. A table has none but
    `table`.
    """

    kind: str
    first: int
    last: int
    children: tuple["Block", ...] = field(default=(), repr=False)
    table: Table | None = None


Section: TypeAlias = tuple[Heading | None, list[Block]]


@frozen
class Document:
    """Blocks by section: the part before the first heading, then one for each heading."""

    sections: list[Section]
    lines: int
    ends: list[int]
    title: str = ""

    @property
    def headings(self) -> list[Heading]:
        """The headings in order."""
        return [heading for heading, _ in self.sections if heading is not None]

    @property
    def tables(self) -> list[Table]:
        """The tables in order, nested ones too."""
        return [b.table for _, blocks in self.sections for b in blocks if b.table is not None]

    def end_of(self, position: int) -> int:
        """Return the last line, not blank, of the section that `headings[position]` opens."""
        return self.ends[position]


def read_plain(lines: Sequence[str]) -> Document:
    """Read plain text: paragraphs between blank lines, one section without a heading.

    A short first paragraph before others, if it is no more than one sentence, is the document's
    title; it stays a paragraph, too.
    """
    blocks: list[Block] = []
    start = 0
    for number, line in enumerate(lines, start=1):
        if line.strip():
            start = start or number
        elif start:
            blocks.append(Block("paragraph", start, number - 1))
            start = 0
    if start:
        blocks.append(Block("paragraph", start, len(lines)))
    title = ""
    if len(blocks) > 1 and blocks[0].last - blocks[0].first < TITLE_LINES:
        title = " ".join(" ".join(lines[blocks[0].first - 1 : blocks[0].last]).split())
    return Document(
        [(None, blocks)], len(lines), [], title if len(title) <= TITLE_CHARACTERS else ""
    )


def read_markdown(lines: Sequence[str]) -> Document:
    """Read Markdown: front matter, then the blocks under each heading."""
    top = front_matter_end(lines)
    env: dict[str, Any] = {}
    items = _items(lines, top, env)
    preface: list[Block] = []
    title = ""
    if top:
        preface.append(Block("frontmatter", 1, top))
        title = front_matter_title(lines[1 : top - 1])
    sections: list[Section] = [(None, preface)]
    for item in items:
        if isinstance(item, Heading):
            sections.append((item, []))
        else:
            sections[-1][1].extend(_apart(item, lines))
    for _, blocks in sections:
        _name_tables(blocks, lines)
    headings = [heading for heading, _ in sections if heading is not None]
    return Document(sections, len(lines), _ends(headings, lines), title)


def _items(lines: Sequence[str], top: int, env: dict[str, Any]) -> list[Heading | Block]:
    """Return headings and blocks of the lines below `top` in order; no line is left between."""
    md = _parser()
    tokens: list[Token] = []
    md.block.parse("\n".join(lines[top:]).replace("\0", "\ufffd"), md, env, tokens)
    items: list[Heading | Block] = []
    done = top
    for item in _tree(tokens, lines, top, env):
        items += _between(done, item.first, lines)
        done = item.last
        if not (isinstance(item, Block) and item.kind == "rule"):
            items.append(item)
    items += _between(done, len(lines) + 1, lines)
    return items


def _between(before: int, after: int, lines: Sequence[str]) -> Iterator[Block]:
    """Yield what the parser makes no token of (link definitions) as paragraphs."""
    start = 0
    for number in range(before + 1, after + 1):
        blank = number == after or not lines[number - 1].strip(BLANK)
        if blank and start:
            yield Block("paragraph", start, number - 1)
            start = 0
        elif not blank:
            start = start or number


KINDS = {
    "paragraph_open": "paragraph",
    "blockquote_open": "paragraph",
    "math": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "list",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "hr": "rule",
    "table": "table",
    "heading_open": "paragraph",
}


def _tree(
    tokens: "list[Token]", lines: Sequence[str], top: int, env: dict[str, Any]
) -> Iterator[Heading | Block]:
    from sourcebook_docs.inline import plain, title
    from sourcebook_docs.tables import split_cells

    open_blocks: list[tuple[Token, list[Block]]] = []
    level_of = {f"h{level}": level for level in range(1, 7)}
    for position, token in enumerate(tokens):
        if token.nesting > 0:
            open_blocks.append((token, []))
            continue
        if token.type == "inline":
            continue
        children: list[Block] = []
        if token.nesting < 0:
            token, children = open_blocks.pop()
        assert token.map is not None
        first, last = token.map[0] + 1 + top, token.map[1] + top
        while last > first and not lines[last - 1].strip(BLANK):
            last -= 1
        if token.type == "heading_open" and not open_blocks:
            text = title(tokens[position - 1].content, env)
            yield Heading(text, level_of[token.tag], first, last)
            continue
        table = None
        if token.type == "table":
            header = token.meta["header"]
            columns = tuple(plain(cell, env) for cell in split_cells(header))
            table = Table(first, last, header, columns, tuple(token.meta["rows"]))
        block = Block(KINDS[token.type], first, last, tuple(children), table)
        if open_blocks:
            open_blocks[-1][1].append(block)
        else:
            yield block


def _apart(block: Block, lines: Sequence[str]) -> Iterator[Block]:
    """Yield a block, taken apart around the tables nested in it."""
    tables = list(_tables_in(block))
    if block.table is not None or not tables:
        yield block
        return
    start = block.first
    for table in [*tables, None]:
        first, last = start, (block.last if table is None else table.first - 1)
        while first <= last and not lines[first - 1].strip(BLANK):
            first += 1
        while last >= first and not lines[last - 1].strip(BLANK):
            last -= 1
        if first <= last:
            yield Block(block.kind, first, last, tuple(_within(block.children, first, last)))
        if table is not None:
            yield table
            start = table.last + 1


def _tables_in(block: Block) -> Iterator[Block]:
    for child in block.children:
        if child.table is not None:
            yield child
        else:
            yield from _tables_in(child)


def _within(blocks: Iterable[Block], first: int, last: int) -> Iterator[Block]:
    """Yield the largest parts that lie within the lines."""
    for block in blocks:
        if first <= block.first and block.last <= last:
            yield block
        elif block.first <= last and first <= block.last:
            yield from _within(block.children, first, last)


def _name_tables(blocks: list[Block], lines: Sequence[str]) -> None:
    """Give every table the caption that the paragraph before or after it holds."""
    from sourcebook_docs.inline import plain

    for position, block in enumerate(blocks):
        if block.table is None:
            continue
        for beside in (position - 1, position + 1):
            if not 0 <= beside < len(blocks) or blocks[beside].kind != "paragraph":
                continue
            neighbour = blocks[beside]
            gap = max(block.first - neighbour.last, neighbour.first - block.last)
            if gap > CAPTION_LINES or neighbour.last - neighbour.first >= CAPTION_LINES:
                continue
            text = " ".join(lines[neighbour.first - 1 : neighbour.last]).strip()
            # A line that ends in a colon speaks of what follows it, never of what is above.
            if is_caption(text if beside < position else text.rstrip(":：")):
                caption = plain(text).strip(" :：")
                blocks[position] = evolve(block, table=evolve(block.table, caption=caption))
                break


def _ends(headings: list[Heading], lines: Sequence[str]) -> list[int]:
    """Return for each heading the last line, not blank, before one of its level or higher."""
    ends = [len(lines)] * len(headings)
    stack: list[int] = []
    for position, heading in enumerate(headings):
        while stack and headings[stack[-1]].level >= heading.level:
            ends[stack.pop()] = heading.first - 1
        stack.append(position)
    for position, heading in enumerate(headings):
        while ends[position] > heading.last and not lines[ends[position] - 1].strip(BLANK):
            ends[position] -= 1
    return ends


DISPLAY_MATH = re.compile(r"\$\$[ \t]*")


def _math_rule(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """Take `$$` to the next `$$` as one block: what stands between is no heading and no table.

    Only where no blank line parts the two, so that a lone mark swallows nothing.
    """
    begin = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith("$$", begin) or state.is_code_block(start):
        return False
    if not DISPLAY_MATH.fullmatch(state.src, begin, state.eMarks[start]):
        return False
    for line in range(start + 1, end):
        if state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            return False
        if state.src[state.bMarks[line] : state.eMarks[line]].rstrip(BLANK).endswith("$$"):
            break
    else:
        return False
    if not silent:
        state.line = line + 1
        token = state.push("math", "", 0)
        token.map = [start, line + 1]
    return True


@cache
def _parser() -> "MarkdownIt":
    """Return the block parser; its nesting is bounded by rules that fail beyond a depth.

    markdown-it's own bound (`maxNesting`) drops the rest of the document when it is met in a list.
    """
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import blockquote, list_block

    def bounded_list(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
        return state.level < MAX_DEPTH and list_block(state, start, end, silent)

    def bounded_quote(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
        return state.level < MAX_DEPTH and blockquote(state, start, end, silent)

    md = MarkdownIt("commonmark", {"maxNesting": MAX_DEPTH + 8})
    ruler = md.block.ruler
    ruler.before(
        "fence", "math", _math_rule, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    ruler.at("table", table_rule, {"alt": ["paragraph", "reference"]})
    ruler.at("list", bounded_list, {"alt": ["paragraph", "reference", "blockquote"]})
    ruler.at("blockquote", bounded_quote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    md.enable("table")
    return md
