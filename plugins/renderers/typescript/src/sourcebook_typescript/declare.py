"""The component schemas of a description as declared types."""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define

from sourcebook_typescript.families import Families
from sourcebook_typescript.schema import (
    MAX_DEPTH,
    OBJECT_KEYS,
    Choice,
    Components,
    Demands,
    Value,
    is_of_kind,
    kinds_of,
    list_at,
    says,
)
from sourcebook_typescript.text import write_line, write_prose
from sourcebook_typescript.types import (
    BOOLEAN,
    NEVER,
    NULL,
    NUMBER,
    STRING,
    UNDEFINED,
    UNKNOWN,
    List,
    Member,
    Object,
    Ref,
    Tuple,
    Type,
    Word,
    intersect,
    literal,
    unite,
)

MAX_PLACES = 16
"""Places of a list that its least length may add to those with types of their own."""

WORDS = {
    "string": STRING, "number": NUMBER, "integer": NUMBER, "boolean": BOOLEAN, "null": NULL,
}  # fmt: skip
OBJECT = Word("object")
BINARY = unite([STRING, Word("Uint8Array")])
"""The bytes of a file: there is no Blob or File without a browser's library."""
BINARY_MEDIA = ("application/octet-stream", "application/pdf", "audio/", "image/", "video/")

Around = Sequence[Demands] | None
"""Demands of the schemas around one that know the properties that it may demand.

None: such properties are not looked up. What was looked up is told so, or it would go on.
"""


@define
class Declarations:
    """Schemas as types, which name components by their identifiers.

    Args:
        names: the identifier of each component.
        base_names: of the components that are declared twice, the one that others extend.
        docs: whether descriptions are told.
        sent: whether they are declared as they are sent, without what is only read.
        left_out: in types that were made, whether something was left out that must be there.
    """

    components: Components
    families: Families
    names: Mapping[str, str]
    base_names: Mapping[str, str]
    docs: bool = True
    sent: bool = False
    left_out: bool = False

    def declare(self, name: str) -> dict[str, Type]:
        """Return the types that stand for a component, by identifier: one, or two for a base."""
        demands = self.components.demands(name)
        tag = self._tag_of(self.families.tags.get(name, {}))
        if name not in self.base_names:
            return {self.names[name]: self._type(demands, name, (), 0, tag)}
        base = Ref(self.base_names[name])
        kept: list[Choice] = []
        variants: list[Choice] = []
        for choice in demands.choices:
            leads_back = any(self._extends(self._target(each), name) for each in choice[0])
            (variants if leads_back else kept).append(choice)
        alone = Demands(
            demands.refs, demands.properties, demands.seen, demands.required, demands.rest,
            demands.closed, demands.is_object, demands.own, kept, demands.impossible,
        )  # fmt: skip
        parts: list[Type] = []
        if listed := self.families.variants.get(name):
            discriminator = self.components.schemas[name]["discriminator"]
            alternatives = [
                self._with_base(self._variant(each, discriminator), each, name)
                for each in listed
                if each != name
            ]
            if name in listed or (name, discriminator["propertyName"]) in self.families.explicit:
                alternatives.append(intersect([base, tag]))
            parts.append(unite(alternatives))
        for members, discriminator in variants:
            parts.append(
                unite(
                    self._with_base(
                        self._alternative(each, discriminator, (demands,), 0),
                        self._target(each),
                        name,
                    )
                    for each in members
                )
            )
        if not parts:
            parts = [base, tag]
        return {
            base.name: self._type(alone, name, (), 0, UNKNOWN),
            self.names[name]: intersect(parts),
        }

    def type_of(self, schema: Any) -> Type:
        """Return a schema's type."""
        return self._convert(schema, (), 0)

    def doc_of(self, schema: Any) -> tuple[str, ...]:
        """Return what a comment says of a schema, by lines."""
        if not isinstance(schema, dict):
            return ()
        lines: list[str] = []
        if self.docs:
            said = schema.get("description") or schema.get("title")
            lines += write_prose(said) if isinstance(said, str) else []
            if schema.get("writeOnly") is True:
                lines.append("Write-only: it is sent, never returned.")
            if isinstance(form := schema.get("format"), str):
                lines.append(f"@format {write_line(form)}")
            if isinstance(default := schema.get("default"), str | int | float | bool):
                lines.append(f"@default {write_line(str(_plain(default)))}")
        if schema.get("deprecated") is True:
            lines.append("@deprecated")
        return tuple(lines)

    def _convert(self, schema: Any, outer: Around, depth: int) -> Type:
        if schema is False:
            return NEVER
        if not isinstance(schema, dict) or depth > MAX_DEPTH:
            return UNKNOWN
        return self._type(self.components.gather(schema), None, outer, depth, UNKNOWN)

    def _type(
        self,
        demands: Demands,
        name: str | None,
        outer: Around,
        depth: int,
        tag: Type,
    ) -> Type:
        """Return the type of what meets the demands.

        Args:
            demands: of a schema.
            name: the component that is declared; None: the schema lies inside another.
            outer: see `Around`.
            depth: how many schemas lie around it.
            tag: what a discriminator adds.
        """
        if demands.impossible:
            return NEVER
        parts: list[Type] = [self._ref(each, name) for each in demands.refs]
        around = (*outer, demands) if outer is not None else None
        others = [
            *(self._own(schema, _inside(outer), depth) for schema in demands.own),
            *(
                unite(self._alternative(each, tag_words, around, depth) for each in members)
                for members, tag_words in demands.choices
            ),
        ]
        own = self._object(demands, outer, depth, tag)
        if own.members or own.rest is not None:
            parts.append(own)
        elif demands.is_object and all(each == UNKNOWN for each in (*parts, *others)):
            if demands.closed:
                parts.append(Object(rest=NEVER))
            else:
                # Of a type without what is only read others may be made, whose literals are to be
                # told what they do not know.
                parts.append(OBJECT if self.sent and demands.properties else Object(rest=UNKNOWN))
        return intersect([*parts, *others])

    def _ref(self, name: str, owner: str | None) -> Type:
        """Return a component by its identifier; one that extends a base has that alone."""
        if owner is not None:
            target = self.components.unalias(name)
            if self.components.unalias(owner) == owner and target in self.base_names:
                return Ref(self.base_names[target])
        return Ref(self.names[name])

    def _object(self, demands: Demands, outer: Around, depth: int, tag: Type) -> Object:
        inside = _inside(outer)
        inherited = [name for ref in demands.refs for name in self.components.required_by(ref)]
        required = dict.fromkeys([*demands.required, *inherited])
        members = {
            name: Member(
                intersect(self._convert(schema, inside, depth + 1) for schema in schemas),
                name in required,
                any(map(self.components.is_read_only, schemas)),
                next((doc for each in schemas if (doc := self.doc_of(each))), ()),
            )
            for name, schemas in demands.properties.items()
        }
        if self.sent:
            for name in [name for name, member in members.items() if member.readonly]:
                self.left_out |= members.pop(name).required
        for name in required:
            if self.sent and self._is_read_only(name, demands, outer):
                self.left_out = True
                continue
            if name in members or any(self.components.ensures(r, name) for r in demands.refs):
                continue
            known = self._look_up(name, demands, outer)
            if known or name in demands.required:
                types = (self._convert(schema, None, depth + 1) for schema in known)
                members[name] = Member(intersect(types), required=True)
        if isinstance(tag, Object):
            tags = dict(tag.members)
            for name in tags.keys() & members.keys():
                before = members[name]
                tags[name] = Member(tags[name].type, True, before.readonly, before.doc)
            members = tags | {name: each for name, each in members.items() if name not in tags}
        return Object(tuple(members.items()), self._rest(demands, members, inside, depth))

    def _is_read_only(self, name: str, demands: Demands, outer: Around) -> bool:
        known = self._look_up(name, demands, outer or ())
        return any(map(self.components.is_read_only, known))

    def _look_up(self, name: str, demands: Demands, outer: Around) -> list[Any]:
        """Return the schemas that stand elsewhere for a property that must be there."""
        if outer is None:
            return []
        for each in (demands, *reversed(outer)):
            known = [
                *each.schemas_of(name),
                *(schema for ref in each.refs for schema in self.components.schemas_of(ref, name)),
            ]
            if known:
                return known
        return []

    def _rest(
        self, demands: Demands, members: Mapping[str, Member], inside: Around, depth: int
    ) -> Type | None:
        """Return the type of an object's other properties.

        TypeScript has it that a named property is one of these too, so theirs are added.
        """
        if not demands.rest:
            return None
        rest = unite(self._convert(schema, inside, depth + 1) for schema in demands.rest)
        if rest == UNKNOWN or (demands.refs and inside is None):
            return UNKNOWN
        named = [member.type for member in members.values()]
        optional = any(not member.required for member in members.values())
        for ref in demands.refs:
            for each in self.components.reach(ref):
                for schemas in self.components.demands(each).properties.values():
                    named.extend(self._convert(schema, None, depth + 1) for schema in schemas)
                    optional = True
        return unite([rest, *named, *([UNDEFINED] if optional else [])])

    def _alternative(
        self,
        schema: Any,
        discriminator: Mapping[str, Any],
        outer: Around,
        depth: int,
    ) -> Type:
        """Return the type of one alternative, with its tag if it is a component."""
        target = self._target(schema)
        if target is None:
            return self._convert(schema, outer, depth + 1)
        variant = self._variant(target, discriminator)
        if any(says(key) for key in schema if key != "$ref"):
            return intersect([self._convert(schema, outer, depth + 1), variant])
        return variant

    def _target(self, schema: Any) -> str | None:
        return self.components.find(schema.get("$ref")) if isinstance(schema, dict) else None

    def _variant(self, target: str, discriminator: Mapping[str, Any]) -> Type:
        parts: list[Type] = [Ref(self.names[target])]
        key, values = self.families.tag(target, discriminator)
        if values and values != self.families.own_tags(target, key):
            parts.append(self._tag_of({key: values}))
        return intersect(parts)

    def _with_base(self, variant: Type, target: str | None, name: str) -> Type:
        """Return a variant of a base with what the base holds, unless it extends that."""
        if self._extends(target, name):
            return variant
        return intersect([Ref(self.base_names[name]), variant])

    def _extends(self, target: str | None, name: str) -> bool:
        return target is not None and self.components.extends(self.components.unalias(target), name)

    def _tag_of(self, tags: Mapping[str, Sequence[Value]]) -> Type:
        members = [
            (key, Member(unite(map(literal, values)), required=True))
            for key, values in tags.items()
        ]
        return Object(tuple(members)) if members else UNKNOWN

    def _own(self, schema: Mapping[str, Any], inside: Around, depth: int) -> Type:
        """Return the type of a schema's values or kinds."""
        kinds = kinds_of(schema)
        if "const" in schema or "enum" in schema:
            values = [schema["const"]] if "const" in schema else list_at(schema, "enum")
            fitting = [v for v in values if any(is_of_kind(v, kind) for kind in kinds)] or values
            # Values that contradict the kinds are a slip; they are the better word. But whoever
            # names null among the kinds means it, and forgot it among the values.
            null = [NULL] if "null" in kinds and "enum" in schema else []
            return unite([*(_value_type(value, 0) for value in fitting), *null])
        return unite(self._kind(kind, schema, inside, depth) for kind in kinds)

    def _kind(self, kind: str, schema: Mapping[str, Any], inside: Around, depth: int) -> Type:
        if kind == "object":
            alone = {key: schema[key] for key in OBJECT_KEYS if key in schema}
            return self._convert(alone | {"type": "object"}, inside, depth + 1)
        if kind == "array":
            return self._list(schema, inside, depth)
        if kind == "string" and is_binary(schema):
            return BINARY
        return WORDS.get(kind, UNKNOWN)

    def _list(self, schema: Mapping[str, Any], inside: Around, depth: int) -> Type:
        items = schema.get("items", schema.get("unevaluatedItems", True))
        rest = self._convert(items, inside, depth + 1)
        least, most = _count(schema.get("minItems"), 0), _count(schema.get("maxItems"), None)
        places = list_at(schema, "prefixItems")[:most]
        if not places:
            return Tuple((), 0) if rest == NEVER or most == 0 else List(rest)
        types = [self._convert(place, inside, depth + 1) for place in places]
        closed = rest == NEVER or (most is not None and most <= len(types))
        if not closed:
            types += [rest] * min(least - len(types), MAX_PLACES)
        return Tuple(tuple(types), min(least, len(types)), None if closed else rest)


def _inside(outer: Around) -> Around:
    """Return what lies around the schemas inside one."""
    return None if outer is None else ()


def is_binary(schema: Mapping[str, Any]) -> bool:
    """Return whether a text stands for the bytes of a file."""
    media = schema.get("contentMediaType")
    return schema.get("format") == "binary" or (
        isinstance(media, str) and "contentEncoding" not in schema and is_binary_media(media)
    )


def is_binary_media(media: str) -> bool:
    """Return whether a media type's content is no text."""
    return media.casefold().startswith(BINARY_MEDIA)


def _value_type(value: Any, depth: int) -> Type:
    """Return the type of one value of JSON."""
    if depth > MAX_DEPTH:
        return UNKNOWN
    if isinstance(value, list):
        return Tuple(tuple(_value_type(each, depth + 1) for each in value), len(value))
    if isinstance(value, dict):
        members = (
            (name, Member(_value_type(each, depth + 1), required=True))
            for name, each in value.items()
        )
        return Object(tuple(members)) if value else Object(rest=NEVER)
    return literal(value)


def _count(value: object, instead: Any) -> Any:
    return int(value) if isinstance(value, int | float) and 0 <= value < 2**31 else instead


def _plain(value: str | int | float | bool) -> object:
    return str(value).lower() if isinstance(value, bool) else value
