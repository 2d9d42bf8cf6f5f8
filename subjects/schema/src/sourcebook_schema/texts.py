"""Texts of a description: scalars as they are written, outlines of what has no form of its own."""

import re
from typing import Any

from sourcebook_schema.reading.tree import Number

SUMMARY_LENGTH = 200
"""Characters of a summary at the most."""

_SENTENCE = re.compile(r"\n\s*\n|(?<=[.!?])\s")


def as_text(value: object) -> str:
    """Return a scalar as it is written in JSON, a text without its quotes."""
    if isinstance(value, str):
        return value
    if isinstance(value, Number):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)


def outline(lines: list[str], key: str, value: Any, indent: str = "") -> None:
    """Append `value` to `lines`, indented below its key: every key and scalar stands in them."""
    if isinstance(value, str):
        lines.append(f"{indent}{key}: {value}")
    elif isinstance(value, dict):
        lines.append(f"{indent}{key}:")
        inner = f"{indent}  "
        for name, part in value.items():
            outline(lines, name, part, inner)
    elif isinstance(value, list):
        if any(isinstance(part, dict | list) for part in value):
            lines.append(f"{indent}{key}:")
            inner = f"{indent}  "
            for part in value:
                outline(lines, "-", part, inner)
        else:
            lines.append(f"{indent}{key}: {', '.join(map(as_text, value))}")
    else:
        lines.append(f"{indent}{key}: {as_text(value)}")


def first_sentence(text: str) -> str:
    """Return the first sentence of a text on one line, cut at `SUMMARY_LENGTH`."""
    sentence = " ".join(_SENTENCE.split(text.strip(), maxsplit=1)[0].split())
    if len(sentence) > SUMMARY_LENGTH:
        sentence = sentence[: SUMMARY_LENGTH - 1].rstrip() + "…"
    return sentence


def escape(key: str) -> str:
    """Return a key as one part of a JSON pointer."""
    if "~" in key or "/" in key:
        return key.replace("~", "~0").replace("/", "~1")
    return key


def unescape(part: str) -> str:
    """Return the key that one part of a JSON pointer names."""
    return part.replace("~1", "/").replace("~0", "~") if "~" in part else part


def breadcrumbs(pointer: str) -> str:
    """Return a JSON pointer as a reader likes it: `paths > /a > get`."""
    return " > ".join(map(unescape, pointer.split("/")[1:])) or "the top of the file"
