"""What a text says at a glance: whether it is a description, and leads to other files."""

import re

_VERSION = r"""(?:openapi|swagger)["']?\s*:\s*(?![\[{\s])"""
_FIRST = re.compile(r"""\s*\{\s*["']?""" + _VERSION)
_UNINDENTED = re.compile(r"""^["']?""" + _VERSION, re.MULTILINE)
"""A description for certain: the first key of an object, and in YAML a key without indentation."""
_ANYWHERE = re.compile(r"""(?:openapi|swagger)["']?\s*:\s*["']?[0-9]""")
_LEADS_OUT = (
    # One by one: what begins with letters that are fixed is found many times faster.
    re.compile(r"""\$ref["']?\s*:\s*+(?!["']?\#)"""),
    re.compile(r"""\$dynamicRef["']?\s*:\s*+(?!["']?\#)"""),
    re.compile(r"""operationRef["']?\s*:\s*+(?!["']?\#)"""),
)
_MAPPING = re.compile(r"""mapping["']?\s*:""")
_A_FILE = re.compile(r"""\.(?:json|ya?ml)(?=["'\#\s])""")
MAPPINGS_SEARCHED = 1000
MAPPING_LENGTH = 4000
"""How many mappings of discriminators are searched for the name of a file, and how far, before a
text is taken for one that has some."""


def is_surely_description(text: str) -> bool:
    """Whether a text begins like a description."""
    return bool(_FIRST.match(text)) or (text.lstrip()[:1] != "{" and bool(_UNINDENTED.search(text)))


def mentions_version(text: str) -> bool:
    """Whether a text may be a description that does not begin like one."""
    return ("openapi" in text or "swagger" in text) and bool(_ANYWHERE.search(text))


def may_lead_out(text: str) -> bool:
    """Whether a text may hold a reference to another file: false only of one that holds none."""
    if any(one.search(text) for one in _LEADS_OUT):
        return True
    for count, found in enumerate(_MAPPING.finditer(text)):
        until = found.end() + MAPPING_LENGTH
        closed = text.find("}", found.end(), until)
        if count == MAPPINGS_SEARCHED or _A_FILE.search(
            text, found.end(), closed if closed >= 0 else until
        ):
            return True
    return False
