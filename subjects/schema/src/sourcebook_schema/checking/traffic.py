"""Messages as openapi-core takes them, and its errors as ours."""

import logging
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from sourcebook_schema.checking.dialect import Limits, validator_class
from sourcebook_schema.checking.explain import explain, shown
from sourcebook_schema.checking.messages import Message, Mismatch
from sourcebook_schema.checking.prepare import ROUTE

if TYPE_CHECKING:
    from openapi_core.datatypes import RequestParameters


def traffic_errors(
    document: dict[str, Any], method: str, message: Message, limits: Limits
) -> Iterator[Mismatch]:
    """Yield what openapi-core finds wrong with a message, by a document that `prepare` made.

    Raises:
        TooLong: it takes longer than `limits` allow.
    """
    from jsonschema_path import SchemaPath
    from openapi_core import V31RequestValidator, V31ResponseValidator
    from openapi_core.validation.schemas.factories import SchemaValidatorsFactory

    logging.getLogger("openapi_core").addHandler(logging.NullHandler())
    spec = SchemaPath.from_dict(document)
    factory = SchemaValidatorsFactory(validator_class(limits))
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
