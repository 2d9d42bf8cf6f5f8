r"""What reaches a stream: UTF-8 always, colours on a terminal only, no control character raw.

Text of a corpus, a path or a pattern may hold escape sequences that move a cursor, set a title or
turn the reading direction. Each such character is written as its escape (`\u001b`), on a terminal
and in a pipe alike, since a pipe often ends at a terminal. Inside of JSON that is the escape of
JSON: `--json` and JSON Lines carry the character intact.
"""

import io
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import IO, Any

from sourcebook.errors import SourcebookError

UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f"  # C0 without tab and line feed
    "\x7f-\x9f"  # DEL and C1
    "\u2028\u2029"  # line ends to some readers, and to none of ours
    "\u202a-\u202e\u2066-\u2069"  # embeddings, overrides and isolates of direction
    "]"
)

SURROGATE = re.compile("[\ud800-\udfff]")

BOLD, DIM, RED, CYAN, RESET = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[36m", "\x1b[0m"

PAINT: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"^#{1,6} .*"), BOLD),
    (re.compile(r"^ *\d+ [|:] "), DIM),
    (re.compile(r"^[^\s:][^:]*:\d+(?=[:\s]|$)"), CYAN),
    (re.compile(r"^error:"), RED),
    (re.compile(r"^hint:"), CYAN),
)
"""How the start of a printed line is recognised, and its colour; the first that fits counts."""


def configure_streams() -> None:
    """Make standard output and error UTF-8 whatever the locale says.

    What UTF-8 cannot say (lone surrogates, as in names of files that are no text) is written as
    its escape, which inside a JSON string is the JSON escape.
    """
    sys.stdout = _utf8(sys.stdout)
    sys.stderr = _utf8(sys.stderr)


def _utf8(stream: Any) -> Any:
    if isinstance(getattr(stream, "buffer", None), io.RawIOBase):
        # Under PYTHONUNBUFFERED the text layer sits on the file itself and takes a write that was
        # cut short (a full pipe whose reader goes) for a whole one.
        return io.TextIOWrapper(
            io.BufferedWriter(stream.buffer), "utf-8", "backslashreplace", "\n", line_buffering=True
        )
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    return stream


def sanitise(text: str) -> str:
    """Return `text` with control characters other than tab and line feed as their escapes."""
    return UNSAFE.sub(_escape, text)


def dump_json(value: object, *, indent: int | None = None) -> str:
    r"""Return `value` as JSON on one line (or indented), ready for any terminal and any reader.

    Letters of every script stand as they are; control characters, separators that some readers
    take for line ends, and lone surrogates stand as `\u` escapes.
    """
    import json

    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return SURROGATE.sub(_escape, UNSAFE.sub(_escape, text))


def is_terminal(stream: IO[str] | None) -> bool:
    """Return whether a stream is an open terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def has_colour(stream: IO[str] | None) -> bool:
    """Return whether colours belong on a stream: a terminal, and `NO_COLOR` unset or empty."""
    return (
        is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def paint(text: str) -> str:
    """Return sanitised `text` with headings, line numbers and places coloured."""
    return "\n".join(_paint_line(line) for line in text.split("\n"))


def write_text(text: str, stream: IO[str] | None = None) -> None:
    """Write lines of text (to standard output by default), sanitised, with a final line end."""
    stream = stream or sys.stdout
    if not text or stream is None:
        return
    text = sanitise(text)
    if has_colour(stream):
        text = paint(text)
    stream.write(text if text.endswith("\n") else text + "\n")
    stream.flush()


def write_json(value: object) -> None:
    """Write `value` to standard output as JSON: indented on a terminal, else on one line."""
    if sys.stdout is not None:
        sys.stdout.write(dump_json(value, indent=2 if is_terminal(sys.stdout) else None) + "\n")
        sys.stdout.flush()


def write_error(error: SourcebookError, *, as_json: bool = False) -> None:
    """Say what went wrong: on standard error, or as the JSON object on standard output."""
    if as_json:
        write_json(error.as_json())
    else:
        write_text(error_text(error), sys.stderr)


def error_text(error: SourcebookError) -> str:
    """Return the lines that tell a person of an error: message, place, next move."""
    lines = [f"error: {error.message}"]
    if error.where:
        lines.append(f"  at {error.where}")
    if error.hint:
        lines.append(f"hint: {error.hint}")
    return "\n".join(lines)


def align(rows: Iterable[Sequence[str]], *, gap: int = 2) -> str:
    """Return rows as lines whose columns start at the same place; the last one is as it is."""
    table = [tuple(row) for row in rows]
    if not table:
        return ""
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    lines = (
        [*(cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)), row[-1]]
        for row in table
    )
    return "\n".join((" " * gap).join(cells).rstrip() for cells in lines)


def _paint_line(line: str) -> str:
    for pattern, colour in PAINT:
        if match := pattern.match(line):
            return f"{colour}{match[0]}{RESET}{line[match.end() :]}"
    return line


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def settle(stream: Any) -> None:
    """Flush a stream; if it cannot take what it holds, drop that, lest it fail again at exit."""
    try:
        if stream is not None:
            stream.flush()
    except (OSError, ValueError):
        silence(stream)


def silence(stream: Any) -> None:
    """Point a stream whose reader is gone at nothing, so that the exit's flush cannot fail."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
    except (OSError, ValueError, AttributeError):
        pass
