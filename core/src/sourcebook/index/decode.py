"""Bytes of a document to text, by its byte order mark, as UTF-8, or by the likeliest guess."""

import codecs
import re
from typing import NamedTuple

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with theirs
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096
_DECLARED = re.compile(rb"^[ \t\f]*[^\w\s].*?coding[:=][ \t]*([-\w.]{1,40})")
"""What says in a comment on the first or second line what a text is written in (PEP 263)."""


class Decoded(NamedTuple):
    """Text without its byte order mark, the encoding it was read as, and what was wrong with it."""

    text: str
    encoding: str
    problem: str


def decode(data: bytes) -> Decoded:
    """Return the text of a document; nothing is refused, doubts are told in `problem`.

    NUL characters stay in the text: they are a matter for whoever shows it.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _read(data[len(mark) :], encoding)
    if guess := _wide(data):
        text, encoding, problem = _read(data, guess)
        return Decoded(
            text, encoding, problem or f"no byte order mark; read in the encoding {guess}"
        )
    try:
        return Decoded(data.decode("utf-8"), "utf-8", "")
    except UnicodeDecodeError as error:
        if encoding := _declared(data):
            return _read(data, encoding)
        place = data.count(b"\n", 0, error.start) + 1
        # Windows-1252 names nearly every byte, and where it does not, Latin-1 does.
        for encoding in ("cp1252", "latin-1"):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                continue
            return Decoded(
                text, encoding, f"bytes that are not UTF-8 near line {place}; read as {encoding}"
            )
        raise AssertionError("latin-1 decodes every byte") from None


def _declared(data: bytes) -> str:
    """Return the encoding that a comment in the first two lines declares, or nothing."""
    for line in data[:_SAMPLE].split(b"\n", 2)[:2]:
        if not (found := _DECLARED.match(line)):
            continue
        try:
            encoding = codecs.lookup(found[1].decode()).name
            # Others hide what they hold, or are no texts at all.
            known = line.isascii() and line.decode(encoding) == line.decode()
        except (LookupError, ValueError):
            continue
        if known and encoding != "utf-8":
            return encoding
    return ""


def is_binary(data: bytes) -> bool:
    """Whether bytes look like no text at all: NULs without the pattern of a wide encoding."""
    if any(data.startswith(mark) for mark, _ in _MARKS) or _wide(data):
        return False
    sample = data[:65536]
    # A stray NUL in a text is a blemish; one byte in fifty is a format.
    return sample.count(0) * 50 > len(sample)


def _read(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding, "")
    except UnicodeDecodeError as error:
        return Decoded(
            data.decode(encoding, errors="replace"),
            encoding,
            f"bytes that are not {encoding} at offset {error.start}; replaced by marks",
        )


def _wide(data: bytes) -> str:
    """Return the wide encoding whose NULs stand where Latin text would leave them, or nothing."""
    sample = data[:_SAMPLE]
    if len(sample) < 4 or len(data) % 2:
        return ""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd * 10 >= half * 4 and even == 0:
        return "utf-16-le"
    if even * 10 >= half * 4 and odd == 0:
        return "utf-16-be"
    return ""
