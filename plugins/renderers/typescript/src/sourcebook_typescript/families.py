"""Discriminators: which variants a component has, and with which value of the tag each."""

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, field

from sourcebook_typescript.schema import Components, Value, fit_tags, mapping_at


@define
class Families:
    """What discriminators say of the components.

    Args:
        variants: the variants of a base whose children extend it; no other schema lists these.
        tags: for a component that extends the base of its tag: values by the tag's property.
        explicit: components and properties whose tags stand in a mapping.
        bases: components that are declared twice: what they hold, which others extend, and what
            their name stands for.
    """

    components: Components
    variants: dict[str, list[str]] = field(factory=dict)
    tags: dict[str, dict[str, list[Value]]] = field(factory=dict)
    explicit: set[tuple[str, str]] = field(factory=set)
    bases: set[str] = field(factory=set)

    def tag(self, member: str, discriminator: Mapping[str, Any]) -> tuple[str, list[Value]]:
        """Return the tag's property and the values of it that stand for a component.

        There are none where its own schemas say otherwise, which is then the better word.
        """
        key = discriminator.get("propertyName")
        if not isinstance(key, str):
            return "", []
        target = self.components.unalias(member)
        tags, _ = self.tags_in(member, discriminator)
        return key, self.fit(target, key, tags, self.tags.get(target, {}).get(key))

    def own_tags(self, member: str, key: str) -> list[Value] | None:
        """Return the values that a component demands of a tag by itself."""
        target = self.components.unalias(member)
        if key in self.tags.get(target, {}):
            return self.tags[target][key]
        if not self.components.ensures(target, key):
            return None
        every = (self.components.values_of(s) for s in self.components.schemas_of(target, key))
        return next((values for values in every if values is not None), None)

    def tags_in(self, member: str, discriminator: Mapping[str, Any]) -> tuple[list[str], bool]:
        """Return the texts that stand for a component, and whether a mapping says so."""
        explicit = self.mapped(self.components.unalias(member), discriminator)
        return explicit or [member], bool(explicit)

    def mapped(self, target: str, discriminator: Mapping[str, Any]) -> list[str]:
        """Return the texts that a mapping gives for a component."""
        return [
            tag
            for tag, value in mapping_at(discriminator, "mapping").items()
            if (name := self.components.find(value)) is not None
            and self.components.unalias(name) == target
        ]

    def fit(self, target: str, key: str, tags: list[str], known: list[Value] | None) -> list[Value]:
        """Return the tags that a component's own schemas allow; `known`: it has these already."""
        own, kinds = known, list[str]()
        for schema in self.components.schemas_of(target, key):
            kinds = kinds or self.components.kinds_of(schema)
            own = self.components.values_of(schema) if own is None else own
        return fit_tags(tags, own, kinds)


def find_families(components: Components) -> Families:
    """Return the families among the components."""
    families = Families(components)
    for name, schema in components.schemas.items():
        discriminator = mapping_at(schema, "discriminator") if isinstance(schema, dict) else {}
        listed = list(_listed(components, name))
        if not listed and isinstance(discriminator.get("propertyName"), str):
            children = list(_children(components, name, discriminator))
            if children != [name] and children:
                families.variants[name] = children
                families.bases.add(name)
                listed = children
        own = [each for each in listed if components.extends(components.unalias(each), name)]
        if own:
            families.bases.add(name)
        for member in own if discriminator else ():
            _add_tags(families, components.unalias(member), member, discriminator, name)
        if name in families.variants and name in listed:
            _add_tags(families, name, name, discriminator, name)
    for name in components.schemas:
        if components.unalias(name) != name:
            continue
        for base in components.reach(name)[1:]:
            if base in families.tags:
                families.bases.add(base)
    return families


def _add_tags(
    families: Families, target: str, member: str, discriminator: Mapping[str, Any], base: str
) -> None:
    """Give a component its tags; those that a mapping names count more than its own name."""
    key = discriminator.get("propertyName")
    if not isinstance(key, str):
        return
    tags, is_explicit = families.tags_in(member, discriminator)
    known = families.tags.get(target, {})
    if key in known and (not is_explicit or (target, key) in families.explicit):
        return
    if tags == [member]:
        tags = tags + list(_tags_between(families, target, discriminator, base))
    if fitting := families.fit(target, key, tags, None):
        families.tags[target] = known | {key: fitting}
        if is_explicit:
            families.explicit.add((target, key))


def _tags_between(
    families: Families, target: str, discriminator: Mapping[str, Any], base: str
) -> Iterator[str]:
    """Yield the tags of what a component extends short of the base and which is told apart further
    by a tag of its own: such a tag leads to the component, too."""
    components = families.components
    for each in components.reach(target)[1:]:
        schema = components.schemas[each]
        own = mapping_at(schema, "discriminator") if isinstance(schema, dict) else {}
        key = own.get("propertyName", discriminator["propertyName"])
        if base in components.reach(each)[1:] and key != discriminator["propertyName"]:
            yield from (tag for tag in families.mapped(each, discriminator) if tag != each)


def _listed(components: Components, name: str) -> Iterator[str]:
    """Yield the components among a component's alternatives."""
    for members, _ in components.demands(name).choices:
        for member in members:
            found = components.find(member.get("$ref")) if isinstance(member, dict) else None
            if found is not None:
                yield found


def _children(components: Components, name: str, discriminator: Mapping[str, Any]) -> Iterator[str]:
    """Yield the components that extend a base, and those that its mapping names."""
    named = [components.find(value) for value in mapping_at(discriminator, "mapping").values()]
    children = [
        each
        for each in components.schemas
        if components.unalias(each) == each and components.extends(each, name)
    ]
    yield from dict.fromkeys([*(each for each in named if each is not None), *children])
