"""Where the references of one file lead."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin

from sourcebook_schema.draft import MISSING, Draft, remade
from sourcebook_schema.facts import GIVEN, split_uri
from sourcebook_schema.reading.grammar import Place, unfold
from sourcebook_schema.reading.pointer import parts_in_force
from sourcebook_schema.reading.tree import Map, Seq, Value
from sourcebook_schema.texts import breadcrumbs, escape, unescape

_REFERENCE = re.compile(r'"\$ref"\s*:\s*"((?:[^"\\]|\\.)*)"')

MAX_CANDIDATES = 5000
"""Names that a wrong one is compared with."""

MAX_UNFOLDED = 100_000
"""So many things a file may have by references in place of mappings."""


class Resource(NamedTuple):
    """A schema with an `$id` of its own, and where it stands; the file itself is one, too."""

    uri: str
    pointer: str


class References:
    """Resolves the references of one file, and remembers which of its places they lead to.

    Args:
        draft: takes the problems.
        text: the file's text.
        elsewhere: by reference, `{"uri": ...}` or `{"error": ...}` for those that leave the file;
            with `instead` for those that lead to what the standards let none lead to.
        is_description: whether it is a description by itself.
    """

    def __init__(
        self,
        draft: Draft,
        text: str,
        elsewhere: Mapping[str, Mapping[str, str]],
        *,
        is_description: bool,
    ) -> None:
        self._draft = draft
        self._elsewhere = elsewhere
        self._unfolded = 0
        self._is_description = is_description
        self._found: dict[tuple[str, str], str] = {}
        self._anchors: dict[tuple[str, str], str] = {}
        self._ids: dict[str, str] = {}
        self.inside: set[str] = set()
        """The pointers of all that references within the file seem to lead to."""
        self.used: dict[str, str] = {}
        """The role by pointer of all that was referred to, in the order of the references."""
        self.moved: dict[str, str] = {}
        """URIs by the pointers of what only says where in another file it is written."""
        self.resource = Resource("", "")
        """Where the schema stands that is being read."""
        if any(name in text for name in ("$id", "$anchor", "$dynamicAnchor")):
            self._note_names(draft.root, "", self.resource)
        self._note_pointers(text)

    def _note_names(
        self, value: Any, pointer: str, resource: Resource, *, is_named: bool = False
    ) -> None:
        """Note what has an `$id` or an anchor, but for examples and other values.

        Args:
            is_named: whether the keys of a mapping are names rather than keywords.
        """
        if isinstance(value, dict):
            name = value.get("$id")
            if isinstance(name, str) and not name.startswith("#"):
                resource = Resource(_join(resource.uri, name).rstrip("#"), pointer)
                self._ids.setdefault(resource.uri, pointer)
            for keyword in ("$anchor", "$dynamicAnchor"):
                anchor = value.get(keyword)
                if isinstance(anchor, str):
                    self._anchors.setdefault((resource.uri, anchor), pointer)
        for key, part, named in parts_in_force(value, is_named=is_named):
            self._note_names(part, f"{pointer}/{key}", resource, is_named=named)

    def _note_pointers(self, text: str) -> None:
        """Note the pointers of all references within the file, read as such or not."""
        self.inside |= {*self._anchors.values(), *self._ids.values()}
        for ref in self._written(text):
            if ref.startswith("#/"):
                self.inside.add(unquote(ref[1:]))
            elif ref in self._elsewhere:
                source, pointer = split_uri(self._elsewhere[ref].get("uri", ""))
                if source == self._draft.source:
                    self.inside.add(pointer)

    def _written(self, text: str) -> set[str]:
        """Return the texts of all references."""
        if self._draft.source.lower().endswith(".json") and text.lstrip()[:1] == "{":
            # A third of the time that looking at every value takes.
            found = set(_REFERENCE.findall(text))
            return {json.loads(f'"{one}"', strict=False) if "\\" in one else one for one in found}
        todo: list[Any] = [self._draft.root]
        refs: set[str] = set()
        while todo:
            value = todo.pop()
            if isinstance(value, dict):
                ref = value.get("$ref")
                if isinstance(ref, str):
                    refs.add(ref)
                todo.extend([part for part in value.values() if isinstance(part, dict | list)])
            else:
                todo.extend([part for part in value or () if isinstance(part, dict | list)])
        return refs

    def enter(self, schema: Mapping[str, Any], pointer: str) -> Resource:
        """Read on inside a schema with an `$id`; return where reading was, for `leave`."""
        before = self.resource
        name = schema.get("$id")
        if isinstance(name, str) and not name.startswith("#"):
            self.resource = Resource(_join(before.uri, name).rstrip("#"), pointer)
        return before

    def leave(self, before: Resource) -> None:
        """Read on outside of it."""
        self.resource = before

    def find(self, ref: Any, role: str, pointer: str) -> str:
        """Return the URI that a reference leads to; empty, with a problem, if it leads nowhere.

        Args:
            ref: what the file has for it.
            role: what must be there.
            pointer: where the reference stands.
        """
        if not isinstance(ref, str):
            self._draft.problem("a reference is no text", pointer)
            return ""
        uri = self._found.get((self.resource.uri, ref))
        if uri is None:
            uri = self._find(ref)
            if uri.startswith("?"):
                self._draft.problem(uri[1:], pointer)
                return ""
            self._found[self.resource.uri, ref] = uri
        place = uri.partition("#")[2]
        known = self.used.get(place, "pathItem")
        if known in ("pathItem", "operation") and self._draft.uri(place) == uri:
            self.used[place] = role
        return uri

    def peek(self, ref: str) -> str:
        """Return the URI that a reference leads to, empty if it leads nowhere; nothing is noted."""
        uri = self._find(ref)
        return "" if uri.startswith("?") else uri

    def inner(self, uri: str) -> str | None:
        """Return the pointer of a URI in this file, None for one elsewhere."""
        pointer = uri.partition("#")[2]
        return pointer if uri and self._draft.uri(pointer) == uri else None

    def unfold(self, value: Map, role: str, pointer: str) -> Value:
        """Return a mapping as it is; if it is a reference to what no standard lets references lead
        to, what stands for that: all that has a role of its own is a reference.

        Args:
            value: what is written, with a `$ref`.
            role: `map of schema`, `list of parameter`, `content` and the like.
            pointer: where it is written.
        """
        found: Value = value
        seen: set[str] = set()
        while isinstance(found, Map) and isinstance(ref := found.get("$ref"), str):
            own = {key: part for key, part in found.items() if key != "$ref"}
            if ref in seen:
                self._draft.problem(f"`{ref.removeprefix(GIVEN)}` leads round to itself", pointer)
                return remade(value, own)
            seen.add(ref)
            found = _located(value, self._instead(ref, role, pointer))
            if isinstance(found, Map):
                found = remade(value, {**found, **own})
        return found

    def _instead(self, ref: str, role: str, pointer: str) -> Any:
        uri = self._find(ref)
        if uri.startswith("?"):
            self._draft.problem(uri[1:], pointer)
            return {}
        known = self._elsewhere.get(ref, {})
        inner = self.inner(uri)
        if "instead" in known:
            found = known["instead"]
        elif inner is not None:
            found = unfold(
                self._draft.at(inner), Place(inner, role),
                lambda part, _: GIVEN + self._draft.uri(part.pointer), lambda ref, _: ref,
            )  # fmt: skip
        else:
            self._draft.problem(f"`{ref}` leads to nothing that could stand here", pointer)
            return {}
        self._unfolded += len(found)
        if self._unfolded > MAX_UNFOLDED:
            self._draft.problem(
                f"more than {MAX_UNFOLDED:,} things come by such references", pointer
            )
            return {}
        return found

    def reached(self) -> list[str]:
        """Return the other files that references lead to."""
        known = self._elsewhere.values()
        found = {split_uri(one["uri"])[0] for one in known if "uri" in one}
        found.update(one["by"] for one in known if "by" in one)
        return sorted(found - {self._draft.source})

    def _find(self, ref: str) -> str:
        """Return a URI, or `?` and what is wrong."""
        resource = self.resource
        base, _, fragment = ref.partition("#")
        fragment = unquote(fragment)
        if base and self._ids:
            place = self._ids.get(_join(resource.uri, base))
            if place is not None:
                return self._inside(Resource(_join(resource.uri, base), place), fragment, ref)
        known = self._elsewhere.get(ref)
        if known is None and ref.startswith(GIVEN):
            known = {"uri": ref.removeprefix(GIVEN)}
        if base or known:
            if known is None:
                return f"?`{ref}` leads out of the file, and nothing was read for it"
            if "uri" not in known:
                return f"?`{ref}`: {known.get('error', 'it cannot be read')}"
            source, pointer = split_uri(known["uri"])
            if source != self._draft.source:
                return known["uri"]
            return self._inside(Resource("", ""), pointer, ref)
        if not fragment and not resource.uri and self._is_description:
            return f"?`{ref}` is the whole description, which is nothing to refer to"
        return self._inside(resource, fragment, ref)

    def _inside(self, resource: Resource, fragment: str, ref: str) -> str:
        if fragment and not fragment.startswith("/"):
            place = self._anchors.get((resource.uri, fragment))
            if place is None:
                return f"?`{ref}` names an anchor that is nowhere in this file"
            return self._draft.uri(place)
        # Many schemas with an `$id` write pointers from the top of the file all the same.
        for start in dict.fromkeys((resource.pointer, "")):
            place = start + fragment
            found = self._draft.at(place)
            if isinstance(found, Map | bool):
                return self.moved.get(place) or self._draft.uri(place)
            if found is not MISSING:
                return f"?`{ref}` points at what is no object"
        return f"?`{ref}` points at nothing{self._nearest(fragment)}"

    def _nearest(self, pointer: str) -> str:
        """Return a question with the nearest thing that there is, or nothing."""
        from difflib import get_close_matches

        above, _, name = pointer.rpartition("/")
        parent = self._draft.at(above)
        if isinstance(parent, dict):
            names = list(parent)[:MAX_CANDIDATES]
            known = {one.casefold(): one for one in reversed(names)}
            close = get_close_matches(unescape(name).casefold(), known, 1, 0.6)
            if close:
                return f", did you mean `#{above}/{escape(known[close[0]])}`?"
            return ""
        missing = pointer
        while missing and self._draft.at(missing.rpartition("/")[0]) is MISSING:
            missing = missing.rpartition("/")[0]
        return f": there is no `{breadcrumbs(missing)}`"


def _located(near: Map, value: Any) -> Any:
    """Return a JSON value with the lines of a mapping."""
    if isinstance(value, dict):
        return remade(near, {key: _located(near, part) for key, part in value.items()})
    if isinstance(value, list):
        made = Seq(_located(near, part) for part in value)
        made.first, made.last = near.first, near.last
        return made
    return value


def _join(base: str, ref: str) -> str:
    try:
        return urljoin(base, ref)
    except ValueError:  # brackets that are no IPv6 address
        return ref
