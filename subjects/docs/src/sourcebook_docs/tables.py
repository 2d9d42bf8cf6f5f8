"""Tables: the rule that finds them, their cells, and the texts that stand for them.

The rule decides as the one of markdown-it-py does (a law in the tests), but makes one token for a
table instead of three for each cell: a table of 100,000 rows costs a tenth of the time and memory.
"""

import re
from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from markdown_it.rules_block import StateBlock

DELIMITERS = re.compile(r"[-:|][-:| \t]+")
ALIGNMENT = re.compile(r":?-+:?")
BORDER = re.compile(r"(?<!\\)\|")
CAPTION = re.compile(
    r"""[*_]* (?: (?:table|tab\.|tabelle|tableau|tabla|tabela|tabella|таблица|表格?)
        \s* (?: \d | [IVXLC]+\b | [:：] ) | :\s )""",
    re.I | re.X,
)
EMPHASISED = re.compile(r"(\*\*|__|\*|_)(?![\s*_]).+?\1:?")
CAPTION_LIMIT_CHARACTERS = 300
SPACE = " \t\n\v\f\r\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""What CommonMark calls Unicode whitespace: it counts for nothing around a cell or as a row."""


@frozen
class Table:
    """A table: `first` is its header line, `last` its last row or the delimiter line.

    `header` and `rows` are the lines without what they are nested in; row i is line
    `first + 2 + i`; `columns` are as a reader sees them.
    """

    first: int
    last: int
    header: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    caption: str = ""


def split_cells(row: str) -> list[str]:
    """Return the cells of a row, trimmed, with escaped pipes read."""
    cells = BORDER.split(row.strip(SPACE))
    if cells and not cells[0]:
        cells.pop(0)
    if cells and not cells[-1]:
        cells.pop()
    return [cell.replace("\\|", "|").strip(SPACE) for cell in cells]


def read_cells(row: str, columns: int) -> list[str]:
    """Return exactly `columns` cells as a reader sees them: missing ones empty, others dropped."""
    from sourcebook_docs.inline import plain

    cells = [plain(cell) for cell in split_cells(row)[:columns]]
    return cells + [""] * (columns - len(cells))


def is_caption(text: str) -> bool:
    """Say whether a paragraph beside a table names it.

    It does as `Table 3: ...`, as `: ...`, as a line of emphasis alone, or when it ends in a colon.
    """
    if len(text) > CAPTION_LIMIT_CHARACTERS:
        return False
    if text.endswith((":", "：")) or CAPTION.match(text):
        return True
    return EMPHASISED.fullmatch(text) is not None


def descriptor_text(table: Table) -> str:
    """Return the words that stand for a whole table: its caption and its columns."""
    columns = ", ".join(column for column in table.columns if column)
    return f"{table.caption}\n{columns}" if table.caption else columns


def filled_cells(table: Table, row: str) -> list[tuple[str, str]]:
    """Return (column, cell) for every cell of a row that is not empty."""
    cells = split_cells(row)[: len(table.columns)]
    return [pair for pair in zip(table.columns, cells, strict=False) if pair[1]]


def pair_text(column: str, cell: str) -> str:
    """Return the words that stand for one cell: its column and itself."""
    return f"{column}: {cell}" if column else cell


def table_rule(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """Find a table at line `start`; the rule of GitHub's dialect for markdown-it-py's parser."""
    if start + 2 > end or state.sCount[start + 1] < state.blkIndent:
        return False
    delimiters = _line(state, start + 1)
    # The dash of a list item is told from a delimiter by the blank after it.
    if delimiters[:1] not in {"|", "-", ":"} or delimiters[:2] in {"- ", "-\t"}:
        return False
    if state.is_code_block(start + 1) or not DELIMITERS.fullmatch(delimiters):
        return False
    marks = [mark.strip(SPACE) for mark in delimiters.split("|")]
    if not marks[0]:
        marks.pop(0)
    if marks and not marks[-1]:
        marks.pop()
    if not marks or not all(ALIGNMENT.fullmatch(mark) for mark in marks):
        return False
    header = _line(state, start)
    if "|" not in header or state.is_code_block(start):
        return False
    if len(split_cells(header)) != len(marks):
        return False
    if silent:
        return True

    rows: list[str] = []
    outer, state.parentType = state.parentType, "table"
    line = start + 2
    while line < end and _goes_on(state, line, end):
        rows.append(_line(state, line))
        line += 1
    state.parentType = outer
    state.line = line
    token = state.push("table", "table", 0)
    token.map = [start, line]
    token.meta = {"header": header, "rows": rows}
    return True


def _line(state: "StateBlock", line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _goes_on(state: "StateBlock", line: int, end: int) -> bool:
    if state.sCount[line] < state.blkIndent or not _line(state, line).strip(SPACE):
        return False
    # No block begins with a pipe, so most rows need not be shown to every rule.
    if state.src[state.bMarks[line] + state.tShift[line]] != "|":
        for rule in state.md.block.ruler.getRules("blockquote"):
            if rule(state, line, end, True):
                return False
    return not state.is_code_block(line)
