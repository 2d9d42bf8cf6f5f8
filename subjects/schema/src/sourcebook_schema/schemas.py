"""The schemas of a file: types and their members, with all that leads from one to another."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from sourcebook_schema.convert.schemas import ANNOTATIONS, modernise
from sourcebook_schema.describe import closed_values, is_nullable, name_of_uri, type_words
from sourcebook_schema.draft import NOTHING, Draft, Moved, Owner, Text
from sourcebook_schema.facts import Mark, NodeRow
from sourcebook_schema.keywords import KEYWORDS, LABELS, PLAIN, Holds
from sourcebook_schema.reading.tree import Map, Value
from sourcebook_schema.references import References
from sourcebook_schema.texts import as_text, escape, first_sentence, outline

_TYPE, _DESCRIPTION, _SAID, _DATA, _FLAG = map(int, (
    Holds.TYPE, Holds.DESCRIPTION, Holds.SAID, Holds.DATA, Holds.FLAG))  # fmt: skip
_REQUIRED, _REF, _PROPERTIES, _ONE = map(int, (
    Holds.REQUIRED, Holds.REFERENCE, Holds.PROPERTIES, Holds.SCHEMA))  # fmt: skip
_KINDS: Final = {key: int(holds) for key, holds in KEYWORDS.items()}
# Numbers compare twice as fast as members of an enumeration, and this is where the time goes.

_READ_ONLY, _WRITE_ONLY, _DEPRECATED, _NULLABLE, _REQUIRED_MARK = map(int, (
    Mark.READ_ONLY, Mark.WRITE_ONLY, Mark.DEPRECATED, Mark.NULLABLE, Mark.REQUIRED))  # fmt: skip

_NO_NAMES: Final[frozenset[str]] = frozenset()


class Said(NamedTuple):
    """What is read of the schema of a member."""

    schema: Any
    type_words: str
    marks: int
    detail: Mapping[str, Any]
    summary: str
    text: Text


class Schemas:
    """Reads schemas.

    Args:
        draft: takes the rows.
        references: resolves references.
        old: the file is of version 2.0 or 3.0.
        names: the names of all types by their pointers.
        siblings: the pointer below which names without a pointer are looked for.
    """

    def __init__(
        self, draft: Draft, references: References, *, old: bool, names: dict[str, str],
        siblings: str,
    ) -> None:  # fmt: skip
        self.draft = draft
        self.references = references
        self.names = names
        self.apart: set[str] = set()
        """Pointers of the types that stand inside of something else."""
        self._plain: dict[str, Said] = {}
        self._old = old
        self._siblings = siblings
        self._name_by_uri: dict[str, str] = {}

    def name_of(self, uri: str) -> str:
        """Return the name of the type at a URI."""
        name = self._name_by_uri.get(uri)
        if name is None:
            pointer = self.references.inner(uri)
            name = self.names.get(pointer or "") if pointer is not None else None
            name = self._name_by_uri[uri] = name or name_of_uri(uri)
        return name

    def words(self, schema: Any) -> str:
        """Return the type of a schema in words."""
        return type_words(schema, self.name_of)

    def read_type(self, pointer: str, value: Value, *, made: bool) -> None:
        """Read what stands at `pointer` as a type, with all its members."""
        draft = self.draft
        name = self.names[pointer]
        place = draft.begin()
        text = draft.text(place)
        owner = Owner(place, "type", name, text, pointer)
        schema = self.walk(value, pointer, owner, "ref")
        marks = marks_of(schema) | (int(Mark.MADE) if made else 0)
        detail: dict[str, Any] = {}
        if isinstance(schema, dict):
            tag = schema.get("discriminator")
            if isinstance(tag, dict):
                detail["discriminator"] = tag["propertyName"]
            extends = [one["$ref"] for one in schema.get("allOf", ()) if _is_reference(one)]
            if extends:
                detail["extends"] = extends
            values = closed_values(schema)
            if values is not None:
                detail["values"] = values
            same = [one for one in same_as(schema) if one not in extends]
            if same:
                detail["same"] = same
        draft.component(pointer, "schema", place, schema)
        draft.node(
            place, draft.key(f"Type:{name}"), "type", name, pointer, draft.span(value, pointer),
            type_words=self.words(schema), marks=marks, summary=summary_of(text), detail=detail,
        )  # fmt: skip

    def walk(
        self, value: Value, pointer: str, owner: Owner, label: str,
        required: frozenset[str] = _NO_NAMES,
    ) -> Any:  # fmt: skip
        """Return a schema in the form of 2020-12, its references as URIs.

        Its members become nodes of the owner, its references edges from the owner, its texts those
        of the owner's entry.

        Args:
            value: the schema as it is written.
            pointer: where.
            owner: the node that it belongs to.
            label: of an edge from the owner to what it refers to.
            required: names that what combines it with others requires.
        """
        if value.__class__ is not Map:
            if isinstance(value, bool):
                return value
            if not isinstance(value, Moved):
                self.draft.problem(f"a schema is {a_value(value)}", pointer)
                return {}
            pointer = value.pointer
        assert isinstance(value, Map)
        if self.apart and pointer in self.apart and pointer != owner.pointer:
            uri = self.draft.uri(pointer)
            self.references.used.setdefault(pointer, "schema")
            self._leads(owner, uri, label)
            return {"$ref": uri}
        if "$id" in value:
            before = self.references.enter(value, pointer)
            schema = self._schema(value, pointer, owner, label, required)
            self.references.leave(before)
        else:
            schema = self._schema(value, pointer, owner, label, required)
        return modernise(schema) if self._old else schema

    def _schema(
        self, value: Map, pointer: str, owner: Owner, label: str, required: frozenset[str]
    ) -> dict[str, Any]:
        text = owner.text
        schema: dict[str, Any] = {}
        only_said = self._old and "$ref" in value
        for key, part in value.items():
            kind = _KINDS.get(key)
            if only_said and not (kind in (_REF, _FLAG) or key in ANNOTATIONS or key[:2] == "x-"):
                outline(text.lines, key, part)
            elif kind == _TYPE:
                self._type(schema, part, pointer)
            elif kind == _DESCRIPTION:
                if part is not None:
                    schema[key] = said = as_text(part)
                    text.description.append(said)
            elif kind == _SAID:
                if part.__class__ in _SCALARS or isinstance(part, int | float):
                    schema[key] = part
                    text.lines.append(f"{key}: {as_text(part)}")
                elif part is not None:
                    self._wrong(key, part, pointer, "a text or number")
            elif kind == _FLAG:
                schema[key] = part
                if part.__class__ is not bool:
                    outline(text.lines, key, part)
            elif kind == _PROPERTIES:
                names = required
                if "required" in value:
                    names = required.union(_names(value["required"]))
                schema[key] = self._properties(key, part, pointer, owner, names)
            elif kind == _REQUIRED:
                self._required(schema, part, pointer)
            elif kind == _REF:
                self._reference(schema, part, pointer, owner, label)
            elif kind == _ONE and not isinstance(part, list):
                schema[key] = self.walk(
                    part, f"{pointer}/{key}", owner, _inner(owner, label, key)
                )  # fmt: skip
            elif kind == _DATA:
                if key != "enum" or isinstance(part, list):
                    schema[key] = part
                    outline(text.examples if key[:7] == "example" else text.lines, key, part)
                else:
                    self._wrong(key, part, pointer, "a list")
            elif kind is None:
                schema[key] = part
                outline(text.lines, key, part)
            else:
                self._rare(schema, key, part, value, pointer, owner, label, required)
        return schema

    def _rare(
        self, schema: dict[str, Any], key: str, part: Any, value: Map, pointer: str, owner: Owner,
        label: str, required: frozenset[str],
    ) -> None:  # fmt: skip
        """Read a keyword that is met less often."""
        kind = KEYWORDS[key]
        text = owner.text
        if kind in (Holds.LIST, Holds.SCHEMA):
            if not isinstance(part, list):
                self._wrong(key, part, pointer, "a list of schemas")
                return
            if kind == Holds.SCHEMA and key != "items":
                self._wrong(key, part, pointer, "a schema")
                return
            # Before 2020-12, a list of `items` was what `prefixItems` is now.
            name = "prefixItems" if key == "items" else key
            names = required.union(required_names(value)) if key == "allOf" else _NO_NAMES
            inner = _inner(owner, label, key)
            schema[name] = schema.get(name, []) + [
                self.walk(one, f"{pointer}/{key}/{place}", owner, inner, names)
                for place, one in enumerate(part)
            ]
        elif kind == Holds.MAPPING:
            inner = _inner(owner, label, key)
            schema[key] = {
                name: self.walk(one, f"{pointer}/{key}/{escape(name)}", owner, inner)
                for name, one in self._mapping(key, part, pointer).items()
            }
            text.lines += schema[key]
        elif kind == Holds.CONDITION:
            if key == "not" and owner.kind == "type" and owner.node >= 0:
                owner = Owner(owner.node, "not", owner.path, text, owner.pointer)
                schema[key] = self.walk(part, f"{pointer}/{key}", owner, "not")
            else:
                schema[key] = self.walk(part, f"{pointer}/{key}", _mute(owner), "")
        elif kind == Holds.DEFINITIONS:
            # References have become URIs, so the place is of no use any more.
            for name, one in self._mapping(key, part, pointer).items():
                place = f"{pointer}/{key}/{escape(name)}"
                if place not in self.names:
                    text.lines.append(name)
                    self.walk(one, place, _mute(owner), "")
        elif kind == Holds.DISCRIMINATOR:
            self._discriminator(schema, part, pointer, owner)
        else:
            outline(text.lines, key, part)

    def _type(self, schema: dict[str, Any], part: Any, pointer: str) -> None:
        if part.__class__ is str or part is None:
            if part:
                schema["type"] = part
        elif isinstance(part, list):
            kinds = [one for one in part if isinstance(one, str)]
            # `null` without quotes is what many write.
            kinds += ["null"] if None in part and "null" not in kinds else []
            if kinds:
                schema["type"] = kinds if len(kinds) > 1 else kinds[0]
        else:
            self._wrong("type", part, pointer, "a text")

    def _required(self, schema: dict[str, Any], part: Any, pointer: str) -> None:
        if isinstance(part, list):
            names = _names(part)
            if names:
                schema["required"] = names
            if len(names) != len(part):
                self._wrong("required", part, pointer, "a list of names")
        elif part is not None:
            self._wrong("required", part, pointer, "a list of names")

    def _reference(
        self, schema: dict[str, Any], part: Any, pointer: str, owner: Owner, label: str
    ) -> None:
        uri = self.references.find(part, "schema", pointer)
        if not uri:
            outline(owner.text.lines, "$ref", part)
        elif "$ref" in schema:
            schema["allOf"] = [{"$ref": uri}, *schema.get("allOf", ())]
        else:
            schema["$ref"] = uri
        if uri:
            self._leads(owner, uri, label)

    def _leads(self, owner: Owner, uri: str, label: str) -> None:
        """Note that the owner refers to a type."""
        owner.text.members.append(self.name_of(uri))
        if owner.node >= 0 and label:
            self.draft.edge(owner.node, uri, label)

    def _properties(
        self, key: str, part: Any, pointer: str, owner: Owner, required: frozenset[str]
    ) -> dict[str, Any]:
        found = {}
        if isinstance(part, dict) and isinstance(part.get("$ref"), str):
            outline(owner.text.lines, "$ref", part["$ref"])
        for name, one in self._mapping(key, part, pointer).items():
            place = f"{pointer}/properties/{escape(name)}"
            if owner.node < 0 or owner.kind == "not":
                owner.text.lines.append(name)
                found[name] = self.walk(one, place, owner, "not")
            else:
                found[name] = self.member(name, one, place, owner, required=name in required)
        return found

    def member(self, name: str, value: Value, pointer: str, owner: Owner, *, required: bool) -> Any:
        """Read a member of an owner, which becomes a property; return its schema.

        Args:
            name: its name.
            value: its schema.
            pointer: where that is written.
            owner: what it is a member of.
            required: whether it must be there.
        """
        draft = self.draft
        above = owner.text
        above.members.append(name)
        node = len(draft.nodes)
        draft.nodes.append(None)
        draft.edge(owner.node, node, owner.holds)
        path = f"{owner.path}.{name}"
        text = draft.texts[node] = Text(node, above, owner.names, above.routes)
        # Most members hold no others, and thousands of them are alike. Unlike equality, `repr`
        # tells true from 1.
        plain = repr(value) if value.__class__ is Map and PLAIN.issuperset(value) else ""
        said = self._plain.get(plain) if plain else None
        if said is None:
            before = len(draft.problems)
            said = self._read_member(
                value, pointer, Owner(node, "property", path, text, owner.pointer)
            )
            if plain and len(draft.problems) == before:
                self._plain[plain] = said
        else:
            text.description = said.text.description
            text.lines = said.text.lines
        if value.__class__ is Map:
            first, last = value.first, value.last
        else:
            pointer = value.pointer if isinstance(value, Moved) else pointer
            first, last = draft.span(value, pointer)
        draft.nodes[node] = NodeRow(
            draft.key(f"Property:{path}"), "property", name, owner.node, pointer, first, last,
            said.type_words, said.marks | _REQUIRED_MARK if required else said.marks, said.summary,
            {"in": owner.place, **said.detail} if owner.place else said.detail,
        )  # fmt: skip
        return said.schema

    def _read_member(self, value: Value, pointer: str, owner: Owner) -> Said:
        schema = self.walk(value, pointer, owner, "value")
        values = closed_values(schema)
        detail = NOTHING if values is None else {"values": values}
        same = same_as(schema)
        if same:
            detail = {**detail, "same": same}
        return Said(
            schema, self.words(schema), marks_of(schema), detail, summary_of(owner.text), owner.text
        )

    def _discriminator(self, schema: dict[str, Any], part: Any, pointer: str, owner: Owner) -> None:
        if isinstance(part, str):
            schema["discriminator"] = {"propertyName": part}
            outline(owner.text.lines, "discriminator", part)
            return
        if not isinstance(part, dict) or not isinstance(part.get("propertyName"), str):
            self._wrong("discriminator", part, pointer, "an object with a `propertyName`")
            return
        schema["discriminator"] = made = dict(part)
        outline(owner.text.lines, "discriminator", part)
        mapping = part.get("mapping")
        if mapping is None:
            return
        made["mapping"] = tags = {}
        for tag, target in self._mapping("mapping", mapping, f"{pointer}/discriminator").items():
            place = f"{pointer}/discriminator/mapping/{escape(tag)}"
            uri = self._mapped(target, place)
            if not uri:
                continue
            tags[tag] = uri
            owner.text.members.append(self.name_of(uri))
            if owner.node >= 0:
                label = {"type": "variant", "property": "value"}.get(owner.kind, "holds")
                self.draft.edge(owner.node, uri, label, tag)

    def _mapped(self, target: Any, pointer: str) -> str:
        """Return the URI of a type that a mapping names by its name or by a reference."""
        if isinstance(target, str) and not target.startswith("#"):
            above = pointer.rpartition("/discriminator/")[0].rpartition("/")[0]
            for parent in (self._siblings, above):
                place = f"{parent}/{escape(target)}"
                if place in self.names or self.draft.has(place):
                    return self.references.find(f"#{place}", "schema", pointer)
        return self.references.find(target, "schema", pointer)

    def _mapping(self, key: str, part: Any, pointer: str) -> dict[str, Any]:
        if isinstance(part, Map) and "$ref" in part:
            part = self.references.unfold(part, "map of schema", f"{pointer}/{key}")
        if isinstance(part, dict):
            return part
        if part is not None:
            self._wrong(key, part, pointer, "an object")
        return {}

    def _wrong(self, key: str, part: Any, pointer: str, wanted: str) -> None:
        self.draft.problem(f"`{key}` is {a_value(part)}, not {wanted}", f"{pointer}/{escape(key)}")


_SCALARS = frozenset({str, int, float})


def _inner(owner: Owner, label: str, keyword: str) -> str:
    """Return the label of edges from inside a keyword: how a type holds another one is told by
    the outermost list or map; others only hold it."""
    if owner.kind != "type" or label == "items" or label == "map":
        return label
    inner = LABELS[keyword]
    return label if inner == "ref" else inner


def _mute(owner: Owner) -> Owner:
    """Return an owner without a node, whose texts are the same."""
    return Owner(-1, owner.kind, owner.path, owner.text, owner.pointer)


def marks_of(schema: Any) -> int:
    """Return the `Mark` bits that a schema of 2020-12 bears."""
    if not isinstance(schema, dict):
        return 0
    marks = _NULLABLE if is_nullable(schema) else 0
    if not _MARKING.isdisjoint(schema):
        if is_marked(schema, "readOnly"):
            marks |= _READ_ONLY
        if is_marked(schema, "writeOnly"):
            marks |= _WRITE_ONLY
        if is_marked(schema, "deprecated"):
            marks |= _DEPRECATED
    return marks


_MARKING: Final = frozenset({"readOnly", "writeOnly", "deprecated", "allOf"})


def is_marked(schema: Mapping[str, Any], flag: str) -> bool:
    """Whether a schema bears a flag, itself or in what it combines with `allOf`."""
    if schema.get(flag) is True:
        return True
    branches = schema.get("allOf")
    return bool(branches) and any(
        isinstance(branch, dict) and is_marked(branch, flag) for branch in branches or ()
    )


def same_as(schema: Any) -> list[str]:
    """Return the URIs of the types that every value of a schema is also a value of: what it refers
    to, itself and in what it combines with `allOf`."""
    if not isinstance(schema, dict):
        return []
    found = [schema["$ref"]] if "$ref" in schema else []
    for branch in schema.get("allOf") or ():
        found += same_as(branch)
    return found


def _is_reference(schema: Any) -> bool:
    return isinstance(schema, dict) and "$ref" in schema


def required_names(schema: Any) -> list[str]:
    """Return the names that a schema requires, itself and in what it writes into its `allOf`."""
    if not isinstance(schema, dict):
        return []
    names = _names(schema.get("required"))
    branches = schema.get("allOf")
    for branch in branches if isinstance(branches, list) else ():
        names += required_names(branch)
    return names


def _names(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def summary_of(text: Text | str) -> str:
    """Return the first sentence of a text, or of the first description of an entry."""
    if not isinstance(text, str):
        text = text.description[0] if text.description else ""
    return first_sentence(text) if text else ""


def a_value(value: object) -> str:
    """Return what a value is, for a message."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return "a text" if isinstance(value, str) else "a number"
