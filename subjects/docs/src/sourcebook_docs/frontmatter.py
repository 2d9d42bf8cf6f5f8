"""Front matter: the block of metadata at the very top of a Markdown file.

An own reader rather than a plugin of the Markdown parser, so that the lines below it keep their
numbers, and so that a rule on the first line of a page does not hide the page: a fence opens front
matter only if it is closed and what stands between looks like metadata.
"""

import json
import re
from collections.abc import Sequence

YAML_KEY = re.compile(r"[^\s#-].*?:(\s|$)|\{")
YAML_MORE = re.compile(r"[ \t#\]}\"']|[-?](\s|$)")
TOML_LINE = re.compile(r"""\[ | ("[^"]*"|'[^']*'|[\w.-]+)(\s*\.\s*[\w"'-]+)* \s* =""", re.X)
YAML_CLOSED = frozenset({"---", "..."})
JSON_LIMIT_CHARACTERS = 1 << 20
BLANK = " \t"
TITLE = re.compile(r"""["']?title["']?\s*[:=]\s*(?P<value>.+)""", re.I)


def front_matter_end(lines: Sequence[str]) -> int:
    """Return the last line of the front matter, its closing mark, or 0 where there is none."""
    if not lines:
        return 0
    opening = lines[0].rstrip(BLANK)
    if opening == "---":
        end = _closing(lines, YAML_CLOSED)
        return end if end and _is_yaml(lines[1 : end - 1]) else 0
    if opening == "+++":
        end = _closing(lines, frozenset({"+++"}))
        return end if end and _is_toml(lines[1 : end - 1]) else 0
    if opening == ";;;":
        end = _closing(lines, frozenset({";;;"}))
        return end if end and _json_end(lines[1 : end - 1]) else 0
    return _json_end(lines) if opening.startswith("{") else 0


def front_matter_title(lines: Sequence[str]) -> str:
    """Return the title that front matter gives the page, empty if it gives none."""
    for line in lines:
        if found := TITLE.match(line):
            value = found["value"].strip().rstrip(",").rstrip()
            if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
                value = value[1:-1]
            return "" if value in {"|", ">", "|-", ">-"} else value
    return ""


def _closing(lines: Sequence[str], marks: frozenset[str]) -> int:
    return next((n for n, line in enumerate(lines[1:], 2) if line.rstrip(BLANK) in marks), 0)


def _is_yaml(lines: Sequence[str]) -> bool:
    """Say whether the lines read as a YAML mapping: a key first, then keys and what goes on."""
    told = [line for line in lines if line.strip()]
    keyed = [line for line in told if not line.startswith("#")]
    if not keyed:
        # Nothing but comments: metadata if no blank line parts them, else a page between two rules.
        return len(told) == len(lines)
    if not YAML_KEY.match(keyed[0].lstrip(BLANK)):
        return False
    return all(YAML_MORE.match(line) or YAML_KEY.match(line) for line in keyed)


def _is_toml(lines: Sequence[str]) -> bool:
    """Say whether the first line that is no comment is a key or a table of TOML."""
    told = (line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#"))
    return TOML_LINE.match(next(told, "[")) is not None


def _json_end(lines: Sequence[str]) -> int:
    """Return the last line of a JSON object that opens the file and ends at the end of a line."""
    text = "\n".join(lines)[:JSON_LIMIT_CHARACTERS]
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return 0
    alone = not text[end:].partition("\n")[0].strip()
    return text.count("\n", 0, end) + 1 if alone and isinstance(value, dict) else 0
