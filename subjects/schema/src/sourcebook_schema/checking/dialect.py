"""The dialect of OpenAPI 3.1, with what keeps a hostile description or message from stalling it."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import define, field

from sourcebook_schema.bundle.schemas import distinct

CHECK_S = 10.0
"""What one check may take."""
PATTERN_S = 1.0
"""What one regular expression of a description may take on one value; then it does not match."""

Keyword = Callable[[Any, Any, Any, Any], Iterator[Any] | None]


class TooLong(Exception):
    """A check takes longer than it may."""


@define
class Limits:
    """What a check may take in all, and the regular expressions that took too long."""

    end: float = field(factory=lambda: time.monotonic() + CHECK_S)
    slow: dict[str, None] = field(factory=dict)

    def left(self) -> float:
        """Return the seconds that are left.

        Raises:
            TooLong: there are none.
        """
        left = self.end - time.monotonic()
        if left <= 0:
            raise TooLong
        return left

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether a regular expression is found in a text, within `PATTERN_S`."""
        import regex

        try:
            timeout = min(PATTERN_S, self.left())
            return regex.search(pattern, text, timeout=timeout) is not None
        except TimeoutError:
            self.slow[pattern] = None
            return False


def validator_class(limits: Limits) -> Any:
    """Return a validator of `jsonschema` that heeds limits."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend
    from openapi_schema_validator import OAS31Validator

    keywords = {
        **OAS31Validator.VALIDATORS,
        **_own_keywords(limits),
        # Beside a discriminator the dialect's own goes round in a circle of inheritance.
        "allOf": Draft202012Validator.VALIDATORS["allOf"],
    }
    return extend(OAS31Validator, {key: _timed(one, limits) for key, one in keywords.items()})


def _timed(keyword: Keyword, limits: Limits) -> Keyword:
    def timed(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any] | None:
        limits.left()
        return keyword(validator, value, instance, schema)

    return timed


def _own_keywords(limits: Limits) -> dict[str, Keyword]:
    from jsonschema.exceptions import ValidationError

    def pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
        if validator.is_type(instance, "string") and not limits.matches(pattern, instance):
            yield ValidationError(f"{instance!r} does not match {pattern!r}")

    def pattern_properties(
        validator: Any, patterns: Mapping[str, Any], instance: Any, _schema: Any
    ) -> Iterator[Any]:
        if validator.is_type(instance, "object"):
            for pattern, part in patterns.items():
                for name, value in instance.items():
                    if limits.matches(pattern, name):
                        yield from validator.descend(value, part, path=name, schema_path=pattern)

    def additional_properties(
        validator: Any, part: Any, instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[Any]:
        if not validator.is_type(instance, "object"):
            return
        known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        extra = [
            name
            for name in instance
            if name not in known and not any(limits.matches(one, name) for one in patterns)
        ]
        if part is False and extra:
            yield ValidationError(f"unexpected: {', '.join(map(repr, extra))}")
        for name in extra if part is not False else ():
            yield from validator.descend(instance[name], part, path=name)

    def unique_items(validator: Any, wanted: Any, instance: Any, _schema: Any) -> Iterator[Any]:
        is_list = validator.is_type(instance, "array")
        if wanted and is_list and len(distinct(instance)) < len(instance):
            yield ValidationError("equal items")

    return {
        "pattern": pattern,
        "patternProperties": pattern_properties,
        "additionalProperties": additional_properties,
        "uniqueItems": unique_items,
    }
