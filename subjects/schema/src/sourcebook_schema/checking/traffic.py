"""Messages as openapi-core takes them, and its errors as ours."""

import logging
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sourcebook_schema.checking.explain import explain, shown
from sourcebook_schema.checking.messages import Message, Mismatch
from sourcebook_schema.checking.prepare import ROUTE

if TYPE_CHECKING:
    from openapi_core.datatypes import RequestParameters

PATTERN_S = 1.0
"""What one regular expression of a description may take on one value; then it does not match."""


def traffic_errors(document: dict[str, Any], method: str, message: Message) -> Iterator[Mismatch]:
    """Yield what openapi-core finds wrong with a message, by a document that `prepare` made."""
    from jsonschema_path import SchemaPath
    from openapi_core import V31RequestValidator, V31ResponseValidator
    from openapi_core.validation.schemas.factories import SchemaValidatorsFactory

    logging.getLogger("openapi_core").addHandler(logging.NullHandler())
    spec = SchemaPath.from_dict(document)
    factory = SchemaValidatorsFactory(_validator_class())
    request = _Request(method, message)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if message.status:
            response = _Response(message)
            errors: Iterable[Exception] = V31ResponseValidator(
                spec, schema_validators_factory=factory
            ).iter_errors(request, response)
        else:
            errors = V31RequestValidator(spec, schema_validators_factory=factory).iter_errors(
                request
            )
        for error in errors:
            yield from _told(error)


def _validator_class() -> Any:
    """Return the dialect of OpenAPI 3.1 with what keeps a hostile description from stalling it."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend
    from openapi_schema_validator import OAS31Validator

    keywords = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        # Beside a discriminator the dialect's own goes round in a circle of inheritance.
        "allOf": Draft202012Validator.VALIDATORS["allOf"],
    }
    return extend(OAS31Validator, keywords)


def _matches(pattern: str, text: str) -> bool:
    """Return whether a regular expression is found in a text, within `PATTERN_S`."""
    import regex

    try:
        return regex.search(pattern, text, timeout=PATTERN_S) is not None
    except TimeoutError:
        return False


def _pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if validator.is_type(instance, "string") and not _matches(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: Mapping[str, Any], instance: Any, _schema: Any
) -> Iterator[Any]:
    if validator.is_type(instance, "object"):
        for pattern, part in patterns.items():
            for name, value in instance.items():
                if _matches(pattern, name):
                    yield from validator.descend(value, part, path=name, schema_path=pattern)


def _additional_properties(
    validator: Any, part: Any, instance: Any, schema: Mapping[str, Any]
) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if not validator.is_type(instance, "object"):
        return
    extra = _unnamed(instance, schema)
    if part is False and extra:
        yield ValidationError(f"unexpected: {', '.join(map(repr, extra))}")
    for name in extra if part is not False else ():
        yield from validator.descend(instance[name], part, path=name)


def _unnamed(instance: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """Return the properties of an instance that a schema names neither itself nor by patterns."""
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    return [
        name
        for name in instance
        if name not in known and not any(_matches(one, name) for one in patterns)
    ]


class _Request:
    """A request as openapi-core wants it."""

    host_url = "http://localhost"
    path = ROUTE

    def __init__(self, method: str, message: Message) -> None:
        self.method = method
        self.body = message.body or None
        self.content_type = message.content_type
        self.parameters = _parameters(message)


class _Response:
    """A response as openapi-core wants it."""

    def __init__(self, message: Message) -> None:
        from werkzeug.datastructures import Headers

        self.status_code = int(message.status)
        self.content_type = message.content_type
        self.data = message.body or None
        self.headers = Headers([*message.headers])


def _parameters(message: Message) -> "RequestParameters":
    from openapi_core.datatypes import RequestParameters
    from werkzeug.datastructures import Headers, ImmutableMultiDict

    return RequestParameters(
        query=ImmutableMultiDict([*message.query]),
        header=Headers([*message.headers]),
        cookie=ImmutableMultiDict([*message.cookies]),
        path={**(message.path or {})},
    )


def _told(error: Exception) -> Iterator[Mismatch]:
    """Yield what an error of openapi-core says."""
    from openapi_core.casting.schemas.exceptions import CastError
    from openapi_core.templating.media_types.exceptions import MediaTypeNotFound
    from openapi_core.validation.request.exceptions import (
        MissingRequiredParameter,
        MissingRequiredRequestBody,
    )
    from openapi_core.validation.response.exceptions import MissingData, MissingRequiredHeader
    from openapi_core.validation.schemas.exceptions import InvalidSchemaValue

    name = str(getattr(error, "name", ""))
    part = str(getattr(error, "location", "header" if name else "body"))
    if isinstance(error, MissingRequiredParameter | MissingRequiredHeader):
        yield Mismatch(part, name, "", "a value", "nothing", "required")
        return
    if isinstance(error, MissingRequiredRequestBody | MissingData):
        yield Mismatch("body", "", "", "a body", "nothing", "required")
        return
    cause = error.__cause__ or error
    if isinstance(cause, InvalidSchemaValue):
        for pointer, expected, actual, rule in explain(cause.schema_errors):
            yield Mismatch(part, name, pointer, expected, actual, rule)
    elif isinstance(cause, MediaTypeNotFound):
        known = ", ".join(cause.availableMimetypes)
        yield Mismatch("content-type", "", "", f"one of {known}", cause.mimetype, "unknown")
    elif isinstance(cause, CastError):
        yield Mismatch(part, name, "", str(cause.type), shown(cause.value), "type")
    else:
        yield Mismatch(part, name, "", str(cause), shown(getattr(cause, "value", "")), "syntax")
