"""Front matter: the block of metadata at the very top of a Markdown file.

An own reader rather than a plugin of the Markdown parser, so that the lines below it keep their
numbers, and so that a rule on the first line of a page does not hide the page: a fence opens front
matter only if it is closed and what stands between looks like metadata.
"""

import json
import re
from collections.abc import Sequence

YAML_LINE = re.compile(r"""[-?](\s|$) | [{\[] | ("[^"]*"|'[^']*'|[^\s:#][^:]*) \s* :(\s|$)""", re.X)
TOML_LINE = re.compile(r"""\[ | ("[^"]*"|'[^']*'|[\w.-]+)(\s*\.\s*[\w"'-]+)* \s* =""", re.X)
FENCES = {
    "---": (frozenset({"---", "..."}), YAML_LINE),
    "+++": (frozenset({"+++"}), TOML_LINE),
    ";;;": (frozenset({";;;"}), re.compile(r"[{}\"]")),
}
JSON_LIMIT_CHARACTERS = 1 << 20
TITLE = re.compile(r"""["']?title["']?\s*[:=]\s*(?P<value>.+)""", re.I)


def front_matter_end(lines: Sequence[str]) -> int:
    """Return the last line of the front matter, its closing mark, or 0 where there is none."""
    if not lines:
        return 0
    opening = lines[0].rstrip(" \t")
    if opening.startswith("{"):
        return _json_end(lines)
    if opening not in FENCES:
        return 0
    closings, shape = FENCES[opening]
    end = next((n for n, line in enumerate(lines[1:], 2) if line.rstrip(" \t") in closings), 0)
    return end if end and _looks_like_metadata(lines[1 : end - 1], shape) else 0


def front_matter_title(lines: Sequence[str]) -> str:
    """Return the title that front matter gives the page, empty if it gives none."""
    for line in lines:
        if found := TITLE.match(line):
            value = found["value"].strip().rstrip(",").rstrip()
            if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
                value = value[1:-1]
            return "" if value in {"|", ">", "|-", ">-"} else value
    return ""


def _looks_like_metadata(lines: Sequence[str], shape: re.Pattern[str]) -> bool:
    for line in lines:
        if line.strip() and not line.lstrip().startswith("#"):
            return shape.match(line.strip()) is not None
    # Nothing but comments: metadata if no blank line parts it, else a page between two rules.
    return all(line.strip() for line in lines)


def _json_end(lines: Sequence[str]) -> int:
    """Return the last line of a JSON object that opens the file and ends at the end of a line."""
    text = "\n".join(lines)[:JSON_LIMIT_CHARACTERS]
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return 0
    alone = not text[end:].partition("\n")[0].strip()
    return text.count("\n", 0, end) + 1 if alone and isinstance(value, dict) else 0
