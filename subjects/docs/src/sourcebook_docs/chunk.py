"""Blocks to chunks: what one passage is made of, and where one that is too long is cut.

Two places decide, and nothing else does: `joined` says which neighbours make one passage, and
`Chunker._cut` where a block is divided that exceeds the budget.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from attrs import frozen
from sourcebook import Span

from sourcebook_docs.blocks import Block
from sourcebook_docs.tables import Table, descriptor_text, filled_cells, pair_text

CLOSE_LINES = 2
"""Blocks are close when at most one blank line lies between them."""

BODY_OPENER = re.compile(r"(?:!!!|\?\?\?\+?|===[+!]*)\s+\S|\[\^[^\]\s]+\]:|[:~]\s+\S")
DEFINITION = re.compile(r"[:~]\s+\S")
CONTAINER_OPENER = re.compile(r"(?::{3,}|/{3,})\s*[\w{]")
MARKS = re.compile(r"</?[a-z][\w:-]*\s*/?>|<!--|-->", re.I)
WORD = re.compile(r"\w")

SENTENCE_END = re.compile(r"[.!?…]+[\"')\]”’»]*\s+|[。！？…]+[」』”’）]*")
WORD_END = re.compile(r"\s+|[-/,;、，；]")
CHARACTERS_A_TOKEN = 5
"""How long a stretch is tried first; it shrinks until it fits."""

MOST_CHARACTERS_A_TOKEN = 16
"""Tokenizers that take a long run of letters for one unknown word count it as so many tokens."""

KEY_SHARE = 4
"""A key cell of more than one in so many tokens of the budget is not repeated with each group."""


@frozen
class Chunk:
    """What one entry is made of; `body` replaces the text of its lines where that is not it.

    `parts` are the code, lists and HTML inside a passage of several blocks, each an entry too, so
    that it can be asked for by kind.
    """

    kind: str
    first: int
    last: int
    context: tuple[Span, ...] = ()
    body: str | None = None
    table: Table | None = None
    parts: "tuple[Chunk, ...]" = ()


def joined(parts: Sequence[Block], block: Block, lines: Sequence[str]) -> bool:
    """Say whether `block` is one passage with the `parts` right before it, under one heading.

    Only what makes no sense alone is joined to its neighbour: the indented body of a call-out, a
    tab or a footnote, a definition to its term, the text of a fenced container to the line that
    opens it, and marks without a word (the end of a container, a closing tag) to what is there.
    """
    previous = parts[-1]
    if previous.table is not None or block.table is not None:
        return False
    if is_marks(block, lines) or all(is_marks(part, lines) for part in parts):
        return True
    if block.first - previous.last > CLOSE_LINES or previous.kind == "frontmatter":
        return False
    own = lines[previous.first - 1 : previous.last]
    if block.kind == "code" and lines[block.first - 1].startswith((" ", "\t")):
        return previous.kind == "paragraph" and any(BODY_OPENER.match(line) for line in own)
    if len(parts) == len(own) == 1 and CONTAINER_OPENER.match(own[0]):
        return True
    if block.kind == "code":
        return False
    return parts[0].kind == "paragraph" and DEFINITION.match(lines[block.first - 1]) is not None


def is_marks(block: Block, lines: Sequence[str]) -> bool:
    """Say whether a block holds no word: the end of a container, tags without attributes."""
    return block.kind != "code" and not any(
        WORD.search(MARKS.sub("", line) if "<" in line else line)
        for line in lines[block.first - 1 : block.last]
    )


class Chunker:
    """Cuts the blocks of one document into chunks of at most `budget` tokens.

    Args:
        lines: the document's lines.
        count: returns the number of tokens of a text.
        budget: tokens of a chunk's own text; context (a heading, a table's header) comes on top.
    """

    def __init__(self, lines: Sequence[str], count: Callable[[str], int], budget: int) -> None:
        self._lines = lines
        self._tokens = count
        self._budget = budget
        self._sizes: dict[tuple[int, int], int] = {}

    def chunks(self, blocks: Sequence[Block]) -> Iterator[Chunk]:
        """Yield the chunks of the blocks under one heading in the order of their lines.

        Blocks that follow one another grow into one passage up to the budget: what a reader wants
        quoted is seldom a single one, and short texts rank badly. Tables, front matter and what is
        cut for its length stay apart.
        """
        group: list[Chunk] = []
        size = 0
        for chunk in self.passages(blocks):
            more = self._size(chunk.first, chunk.last) if _may_grow(chunk) else 0
            grows = bool(group) and _may_grow(group[-1]) and _may_grow(chunk)
            if grows and size + more <= self._budget:
                group.append(chunk)
                size += more
                continue
            yield from _together(group)
            group, size = [chunk], more
        yield from _together(group)

    def passages(self, blocks: Sequence[Block]) -> Iterator[Chunk]:
        """Yield the chunks of the blocks, each by itself; see `joined`."""
        parts: list[Block] = []
        for block in blocks:
            if parts and not joined(parts, block, self._lines):
                yield from self._cut(self._passage(parts))
                parts = []
            parts.append(block)
        if parts:
            yield from self._cut(self._passage(parts))

    def _passage(self, parts: list[Block]) -> Block:
        if len(parts) == 1:
            return parts[0]
        telling = [part for part in parts if not is_marks(part, self._lines)] or parts
        if len(telling) > 1 and CONTAINER_OPENER.match(self._lines[telling[0].first - 1]):
            del telling[0]
        return Block(telling[0].kind, parts[0].first, parts[-1].last, tuple(parts))

    def _cut(self, block: Block) -> Iterator[Chunk]:
        """Yield a block whole if it fits, else its parts, as many together as fit.

        Parts are the items of a list, then what is inside an item, then lines, then sentences.
        """
        if block.table is not None:
            yield from self._table(block.table)
        elif self._fits(block.first, block.last, self._budget):
            yield Chunk(block.kind, block.first, block.last)
        elif block.first == block.last:
            for piece in self._pieces(self._lines[block.first - 1], self._budget):
                yield Chunk(block.kind, block.first, block.last, body=piece)
        else:
            yield from self._grouped(block)

    def _grouped(self, block: Block) -> Iterator[Chunk]:
        start, filled = block.first, 0
        for part in _parts(block):
            size = self._size(part.first, part.last)
            if part.first > start and filled + size > self._budget:
                yield from self._trimmed(block.kind, start, part.first - 1)
                start, filled = part.first, 0
            if size > self._budget:
                yield from self._cut(part)
                start, filled = part.last + 1, 0
            else:
                filled += size
        yield from self._trimmed(block.kind, start, block.last)

    def _trimmed(self, kind: str, first: int, last: int) -> Iterator[Chunk]:
        while first <= last and not self._lines[first - 1].strip(" \t"):
            first += 1
        while last >= first and not self._lines[last - 1].strip(" \t"):
            last -= 1
        if first <= last:
            yield Chunk(kind, first, last)

    def _count(self, text: str) -> int:
        least = len(text) // MOST_CHARACTERS_A_TOKEN
        # What is surely too long is not counted: a tokenizer may need forty times its length.
        return least if least > self._budget else max(self._tokens(text), least)

    def _size(self, first: int, last: int) -> int:
        size = self._sizes.get((first, last))
        if size is None:
            size = self._sizes[first, last] = self._count("\n".join(self._lines[first - 1 : last]))
        return size

    def _fits(self, first: int, last: int, budget: int) -> bool:
        text = "\n".join(self._lines[first - 1 : last])
        # No tokenizer makes more tokens than bytes, so most blocks need not be counted.
        most = len(text) if text.isascii() else 4 * len(text)
        return most <= budget or self._size(first, last) <= budget

    def _pieces(self, text: str, budget: int) -> Iterator[str]:
        """Yield stretches of one long line, each within the budget, cut after a sentence or word.

        Each stretch is counted a time or two, so the work is linear in the text.
        """
        position = 0
        length = budget * CHARACTERS_A_TOKEN
        while position < len(text):
            size = min(length, len(text) - position)
            while (tokens := self._count(text[position : position + size])) > budget and size > 1:
                size = max(1, min(size - 1, size * budget // tokens))
            end = position + size
            if end < len(text):
                window = text[position:end]
                cut = _last_end(SENTENCE_END, window) or _last_end(WORD_END, window)
                end = position + (cut or size)
            piece = text[position:end].strip()
            if piece:
                yield piece
            position = end
            # The next stretch will be much like this one.
            length = max(budget, min(size * budget // max(tokens, 1), budget * CHARACTERS_A_TOKEN))

    def _table(self, table: Table) -> Iterator[Chunk]:
        """Yield the descriptor of a table, then its rows.

        The descriptor stands for the header; the rows that fit beside it are its context, so that
        a quote of it shows a table. A row carries the header lines.
        """
        head = min(table.first + 1, table.last)
        shown = self._rows_that_fit(table)
        context = (Span(head + 1, head + shown),) if shown else ()
        yield Chunk("table", table.first, head, context, descriptor_text(table), table)
        header = (Span(table.first, head),)
        spare = self._budget - self._size(table.first, head)
        readable = all(column in table.header for column in table.columns)
        for number, row in enumerate(table.rows, start=head + 1):
            if self._fits(number, number, spare):
                body = None
                if not readable or "\\|" in row:
                    body = "\n".join(pair_text(*pair) for pair in filled_cells(table, row)) or None
                yield Chunk("table_row", number, number, header, body)
            else:
                for body in self._row_groups(table, row):
                    yield Chunk("table_row", number, number, header, body)

    def _rows_that_fit(self, table: Table) -> int:
        left = self._budget - self._size(table.first, table.first + 1)
        shown = 0
        for number in range(table.first + 2, table.last + 1):
            left -= self._size(number, number)
            if left < 0:
                break
            shown += 1
        return shown

    def _row_groups(self, table: Table, row: str) -> Iterator[str]:
        """Yield the texts of a row too wide for one chunk: groups of columns, each with the key."""
        cells = filled_cells(table, row) or [("", row)]
        key = pair_text(*cells[0])
        if self._count(key) * KEY_SHARE > self._budget:
            key = ""
        else:
            del cells[0]
        room = self._budget - self._count(key)
        group: list[str] = []
        filled = 0
        for text in self._cell_texts(cells, room):
            size = self._count(text)
            if group and filled + size > room:
                yield "\n".join([key, *group] if key else group)
                group, filled = [], 0
            group.append(text)
            filled += size
        if group or key:
            yield "\n".join([key, *group] if key else group)

    def _cell_texts(self, cells: Sequence[tuple[str, str]], room: int) -> Iterator[str]:
        """Yield the text of each cell, one that is too long in stretches that name its column."""
        for column, cell in cells:
            text = pair_text(column, cell)
            named = self._count(column)
            if self._count(text) <= room or named * KEY_SHARE > room:
                yield from self._pieces(text, room)
            else:
                # One token for the colon.
                for piece in self._pieces(cell, room - named - 1):
                    yield pair_text(column, piece)


def _may_grow(chunk: Chunk) -> bool:
    return chunk.kind in {"paragraph", "list", "code", "html"} and chunk.body is None


def _together(group: Sequence[Chunk]) -> Iterator[Chunk]:
    """Yield the one passage that a group of chunks makes, with those that are no prose as parts."""
    if len(group) < 2:
        yield from group
        return
    kinds = {chunk.kind for chunk in group}
    kind = kinds.pop() if len(kinds) == 1 else "paragraph"
    parts = tuple(chunk for chunk in group if chunk.kind != kind)
    yield Chunk(kind, group[0].first, group[-1].last, parts=parts)


def _parts(block: Block) -> Iterator[Block]:
    """Yield blocks that tile `block`: its children, each up to the next one, or its lines."""
    if not block.children:
        for line in range(block.first, block.last + 1):
            yield Block(block.kind, line, line)
        return
    start = block.first
    for child, following in zip(block.children, [*block.children[1:], None], strict=True):
        last = block.last if following is None else following.first - 1
        if last >= start:
            yield Block(block.kind, start, last, child.children)
            start = last + 1


def _last_end(pattern: re.Pattern[str], window: str) -> int:
    """Return where the last match in the second half of `window` ends, 0 if there is none."""
    end = 0
    for found in pattern.finditer(window, len(window) // 2):
        end = found.end()
    return end
