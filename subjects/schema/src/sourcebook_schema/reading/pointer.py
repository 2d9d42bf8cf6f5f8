"""JSON pointers into a tree, and the nearest to one that leads nowhere."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from sourcebook.naming import nearest

from sourcebook_schema.keywords import DATA, NAMED
from sourcebook_schema.reading.tree import Map, Value

NAMES_COMPARED = 5000

_PLACE = re.compile("0|[1-9][0-9]{0,8}")


class NothingThere(LookupError):
    """A pointer leads nowhere; `nearest` is one like it that does not, or empty.

    Where a reference stands on its way, `on` is that, and `rest` the pointer from there.
    """

    def __init__(self, pointer: str, nearest: str = "", on: str = "", rest: str = "") -> None:
        super().__init__(pointer)
        self.nearest = nearest
        self.on = on
        self.rest = rest


def escape(key: str) -> str:
    """Return a key as a part of a pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def unescape(part: str) -> str:
    """Return the key that a part of a pointer stands for."""
    return part.replace("~1", "/").replace("~0", "~")


def resolve(root: Value, pointer: str) -> Value:
    """Return what stands at a pointer.

    Raises:
        NothingThere: nothing does.
    """
    value = root
    done = ""
    for part in pointer.split("/")[1:]:
        key = unescape(part)
        if isinstance(value, Map) and key in value:
            value = value[key]
        elif isinstance(value, list) and _PLACE.fullmatch(key) and int(key) < len(value):
            value = value[int(key)]
        else:
            on = value.get("$ref") if isinstance(value, Map) else None
            if isinstance(on, str):
                raise NothingThere(pointer, on=on, rest=pointer[len(done) :])
            known = list(value)[:NAMES_COMPARED] if isinstance(value, Map) else []
            # A capital more or less makes a name no other one.
            folded = {one.casefold(): one for one in reversed(known)}
            close = folded.get(nearest(key.casefold(), folded, 0.6))
            raise NothingThere(pointer, f"{done}/{escape(close)}" if close else "")
        done = f"{done}/{part}"
    return value


def parts_in_force(value: Value, *, is_named: bool) -> Iterator[tuple[str, Value, bool]]:
    """Yield the mappings and lists right below a value, but for examples and other data: their
    parts of a pointer, themselves, and whether the keys in them are names rather than keywords.

    Args:
        is_named: the same of the value.
    """
    if isinstance(value, dict):
        for key, part in value.items():
            if isinstance(part, dict | list) and (is_named or key not in DATA):
                yield escape(key), part, not is_named and key in NAMED
    elif isinstance(value, list):
        for place, part in enumerate(value):
            if isinstance(part, dict | list):
                yield str(place), part, False


def find_anchor(root: Value, name: str) -> str | None:
    """Return the pointer of the schema that calls itself `name`; None if there is none."""
    todo: list[tuple[str, Value, bool]] = [("", root, False)]
    seen: set[tuple[int, bool]] = set()
    while todo:
        pointer, value, is_named = todo.pop()
        if (id(value), is_named) in seen:
            continue
        seen.add((id(value), is_named))
        if isinstance(value, Map) and not is_named:
            if name in (value.get("$anchor"), value.get("$dynamicAnchor")):
                return pointer
            if value.get("$id") == f"#{name}":
                return pointer
        parts = [*parts_in_force(value, is_named=is_named)]
        todo += [(f"{pointer}/{key}", part, named) for key, part, named in reversed(parts)]
    return None


def pointer_of(root: Value, fragment: str) -> str:
    """Return the pointer that the fragment of a reference means: a pointer or an anchor, perhaps
    with `%` escapes.

    Raises:
        NothingThere: it leads nowhere in `root`.
    """
    # A name may hold a `%` that nobody escaped.
    tries = dict.fromkeys((fragment, unquote(fragment)))
    lost = NothingThere(fragment)
    for each in tries:
        if each and not each.startswith("/"):
            place = find_anchor(root, each)
            if place is not None:
                return place
            continue
        try:
            resolve(root, each)
        except NothingThere as error:
            lost = error
        else:
            return each
    raise lost
