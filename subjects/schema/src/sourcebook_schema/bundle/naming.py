"""Names of components: the same ones every time, each valid and none twice in its section."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

from sourcebook_schema.facts import split_uri

NAMED_BELOW = frozenset({
    "schemas", "responses", "parameters", "examples", "requestBodies", "headers",
    "securitySchemes", "links", "callbacks", "pathItems", "definitions", "$defs",
    "securityDefinitions",
})  # fmt: skip
"""Keys of a description whose members have the name that they stand under."""

UNTOLD = re.compile(
    r"paths|components|responses|content|schemas?|properties|items|parameters|headers|requestBody"
    r"|allOf|anyOf|oneOf|additionalProperties|examples|[a-z*]+/[^_]*|\d"
)
"""Parts of a pointer that say nothing of what it leads to."""


def make_names(
    uris: Iterable[str],
    own_name: Callable[[str], str] | None,
    is_root: Callable[[str], bool],
) -> dict[str, str]:
    """Return a name for each component of one section, by its URI.

    A component has its own name, or one made of where it is written, where no other has the same.
    Among several, the one in a root file keeps it if it is the only such; the others have the end
    of their file's path before it, as much of it as tells them apart.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for uri in sorted(uris):
        name = own_name(uri) if own_name else ""
        groups[valid_name(name or name_of_place(uri))].append(uri)
    names: dict[str, str] = {}
    taken: set[str] = set()
    clashing: list[tuple[str, list[str]]] = []
    for name, group in groups.items():
        roots = [uri for uri in group if is_root(split_uri(uri)[0])]
        keeper = group[0] if len(group) == 1 else roots[0] if len(roots) == 1 else ""
        if keeper:
            names[keeper] = name
            taken.add(name)
        if rest := [uri for uri in group if uri != keeper]:
            clashing.append((name, rest))
    for name, rest in clashing:
        for uri, longer in zip(rest, _lengthened(name, rest), strict=True):
            names[uri] = unused(longer, taken)
            taken.add(names[uri])
    return names


def unused(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number after it if it is taken."""
    made, number = name, 2
    while made in taken:
        made, number = f"{name}_{number}", number + 1
    return made


def tell_apart(sources: Sequence[str]) -> list[str]:
    """Return the shortest end of each path, without suffix, that is the end of no other."""
    paths = [PurePosixPath(source).with_suffix("").parts for source in sources]
    ends = []
    for path in paths:
        others = [other for other in paths if other != path]
        length = next(
            (
                count
                for count in range(1, len(path))
                if not any(other[-count:] == path[-count:] for other in others)
            ),
            len(path),
        )
        ends.append("/".join(path[-length:]))
    return ends


def _lengthened(name: str, uris: Sequence[str]) -> list[str]:
    sources = [split_uri(uri)[0] for uri in uris]
    ends = []
    for source in sources:  # the stem of a file that is the schema says nothing more
        path = PurePosixPath(source)
        ends.append(str(path.parent) if path.stem == name and len(path.parts) > 1 else source)
    return [valid_name(f"{end}_{name}") for end in tell_apart(ends)]


def name_of_place(uri: str) -> str:
    """Return a name for what has none, made of where it is written."""
    source, pointer = split_uri(uri)
    parts = [unquote(part).replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    if not parts:
        return PurePosixPath(source).stem
    if len(parts) == 1 or (parts[-2] in NAMED_BELOW and not parts[-1].isdigit()):
        return parts[-1]
    told = [part for part in parts if not UNTOLD.fullmatch(part)]
    return "_".join(part.strip("/{}") for part in told) or PurePosixPath(source).stem


def valid_name(text: str) -> str:
    """Return a key that is allowed among components: letters, digits, `.`, `_`, `-` of ASCII."""
    plain = (one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    spelled = (f"u{ord(one):04x}" if ord(one) > 127 and one.isalpha() else one for one in plain)
    return re.sub(r"[^a-zA-Z0-9._-]+", "_", "".join(spelled)).strip("_") or "_"
