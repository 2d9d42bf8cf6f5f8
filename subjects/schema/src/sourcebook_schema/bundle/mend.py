"""Values of OpenAPI objects, made valid: what has no place is left out, what has one is kept.

Nothing here looks at other components: `Links` says what a reference or a name stands for.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from sourcebook_schema.bundle.grammar import (
    FLOW_FIELDS,
    OPERATIONS,
    SCHEME_FIELDS,
    SECTIONS,
    STYLES,
)
from sourcebook_schema.bundle.schemas import mend_schema
from sourcebook_schema.bundle.values import (
    NOTHING,
    PLAIN,
    Links,
    holds_reference,
    mend_object,
    missing,
)

STATUS = re.compile(r"[1-5](?:[0-9]{2}|XX)")


def mend(form: str, value: Any, links: Links) -> Any:
    """Return `value` as `form` allows it, or `NOTHING`."""
    if form[0] == "[":
        return _mend_list(form[1:-1], value, links)
    if form[0] == "{":
        return _mend_map(form[1:-1], value, links)
    if plain := PLAIN.get(form):
        return plain(value)
    if form == "schema":
        return links.note(mend_schema(value, links))
    if form in SECTIONS and isinstance(value, dict) and isinstance(value.get("$ref"), str):
        return _mend_reference(form, value, links)
    if special := SPECIAL.get(form):
        return special(value, links)
    return _mend_object(form, value, links)


def _mend_list(form: str, value: Any, links: Links) -> Any:
    if not isinstance(value, list):
        return NOTHING
    kept = (mend(form, item, links) for item in value)
    return [item for item in kept if item is not NOTHING]


def _mend_map(form: str, value: Any, links: Links) -> Any:
    if not isinstance(value, dict):
        return NOTHING
    if form in PLAIN:  # a text under this key would be taken for a reference
        value = {key: item for key, item in value.items() if key != "$ref"}
    kept = ((key, mend(form, item, links)) for key, item in value.items())
    mended = {key: item for key, item in kept if item is not NOTHING}
    return mended if mended or not value else NOTHING


def _mend_object(form: str, value: Any, links: Links) -> Any:
    mended = mend_object(form, value, lambda part, item: mend(part, item, links))
    finish = FINISH.get(form)
    return finish(mended, links) if finish and mended is not NOTHING else mended


def _mend_reference(form: str, value: dict[str, Any], links: Links) -> Any:
    target = links.follow(value["$ref"], form)
    if target is None:
        return missing(form, value["$ref"])
    mended: dict[str, Any] = {"$ref": target}
    for key in ("summary", "description"):
        if isinstance(value.get(key), str):
            mended[key] = value[key]
    return mended


# Objects that are maps or have rules of their own


def _mend_content(value: Any, links: Links) -> Any:
    if not isinstance(value, dict):
        return NOTHING
    kept = ((key, mend("mediaType", item or {}, links)) for key, item in value.items())
    return {key: item for key, item in kept if key and item is not NOTHING}


def _mend_responses(value: Any, links: Links) -> Any:
    mended: dict[str, Any] = {}
    for key, item in value.items() if isinstance(value, dict) else ():
        status = key if key == "default" else key.upper()
        if status == "default" or STATUS.fullmatch(status):
            response = mend("response", item or {}, links)
            if response is not NOTHING:
                mended.setdefault(status, response)
        elif key.startswith("x-") and not holds_reference(item):
            mended[key] = item
    if all(key.startswith("x-") for key in mended):
        mended["default"] = {"description": ""}
    return mended


def _mend_callback(value: Any, links: Links) -> Any:
    if not isinstance(value, dict):
        return NOTHING
    mended = {}
    for key, item in value.items():
        if key.startswith("x-"):
            kept = NOTHING if holds_reference(item) else item
        else:
            kept = mend("pathItem", item, links)
        if kept is not NOTHING:
            mended[key] = kept
    return mended or NOTHING


def _mend_requirement(value: Any, links: Links) -> Any:
    """Return a security requirement, `NOTHING` where one of its schemes is not to be found: what
    is left of it would promise that less is needed."""
    if not isinstance(value, dict):
        return NOTHING
    mended = {}
    for name, scopes in value.items():
        scheme = links.find_scheme(name)
        if scheme is None:
            return NOTHING
        kept = mend("[text]", scopes, links)
        mended[scheme] = [] if kept is NOTHING else kept
    return mended


def _mend_security(value: Any, links: Links) -> Any:
    """Return alternative requirements, `NOTHING` where none of those that are written is left: an
    empty list would say that no security is needed."""
    mended = mend("[requirement]", value, links)
    return NOTHING if value and not mended else mended


SPECIAL: dict[str, Callable[[Any, Links], Any]] = {
    "content": _mend_content,
    "responses": _mend_responses,
    "callback": _mend_callback,
    "requirement": _mend_requirement,
    "security": _mend_security,
}


# What follows once the fields of an object are mended


def _finish_content(mended: dict[str, Any]) -> None:
    """Leave a parameter or header with either a schema or one media type."""
    content = mended.get("content")
    if "schema" in mended or not content:
        mended.pop("content", None)
        mended.setdefault("schema", {})
        return
    media = next(iter(content))
    mended["content"] = {media: content[media]}
    for key in ("style", "explode", "allowReserved", "example", "examples"):
        mended.pop(key, None)


def _finish_parameter(mended: dict[str, Any], _links: Links) -> Any:
    place = mended["in"]
    if place not in STYLES or not mended["name"]:
        return NOTHING
    _finish_content(mended)
    if place == "path":
        mended["required"] = True
    if mended.get("style", STYLES[place][0]) not in STYLES[place]:
        del mended["style"]
    if place != "query":
        mended.pop("allowEmptyValue", None)
        mended.pop("allowReserved", None)
    return mended


def _finish_header(mended: dict[str, Any], _links: Links) -> Any:
    _finish_content(mended)
    if mended.get("style", "simple") != "simple":
        del mended["style"]
    return mended


def _finish_encoding(mended: dict[str, Any], _links: Links) -> Any:
    if mended.get("style", "form") not in STYLES["query"]:
        del mended["style"]
    return mended


def _finish_response(mended: dict[str, Any], _links: Links) -> Any:
    mended.setdefault("description", "")
    return mended


def _finish_body(mended: dict[str, Any], _links: Links) -> Any:
    mended.setdefault("content", {})
    return mended


def _finish_example(mended: dict[str, Any], _links: Links) -> Any:
    if "value" in mended:
        mended.pop("externalValue", None)
    return mended


def _finish_license(mended: dict[str, Any], _links: Links) -> Any:
    if "identifier" in mended:
        mended.pop("url", None)
    return mended


def _finish_variable(mended: dict[str, Any], _links: Links) -> Any:
    if not mended.get("enum", True):
        del mended["enum"]
    return mended


def _finish_link(mended: dict[str, Any], links: Links) -> Any:
    target = links.find_operation(mended)
    if target is None:
        return NOTHING
    mended.pop("operationId", None)
    mended.pop("operationRef", None)
    if values := mended.get("parameters"):
        mended["parameters"] = {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in values.items()
        }
    field = "operationId" if getattr(target, "role", "") == "operationId" else "operationRef"
    return {field: target, **mended}


def _finish_scheme(mended: dict[str, Any], _links: Links) -> Any:
    needed = SCHEME_FIELDS.get(mended["type"])
    if needed is None or any(name not in mended for name in needed):
        return NOTHING
    if mended["type"] == "apiKey" and mended["in"] not in ("query", "header", "cookie"):
        return NOTHING
    kept = {"type", "description", *needed}
    if mended["type"] == "http" and mended["scheme"].lower() == "bearer":
        kept.add("bearerFormat")
    return {key: item for key, item in mended.items() if key in kept or key.startswith("x-")}


def _finish_flows(mended: dict[str, Any], _links: Links) -> Any:
    kept = {}
    for key, flow in mended.items():
        if needed := FLOW_FIELDS.get(key):
            if any(name not in flow for name in needed):
                continue
            flow = {
                name: item
                for name, item in flow.items()
                if name in (*needed, "refreshUrl", "scopes") or name.startswith("x-")
            }
            flow.setdefault("scopes", {})
        kept[key] = flow
    return kept


def _finish_operation(mended: dict[str, Any], links: Links) -> Any:
    if "operationId" in mended:
        mended["operationId"] = links.claim_id(mended["operationId"])
    mended.setdefault("responses", {"default": {"description": ""}})
    return mended


def _finish_path_item(mended: dict[str, Any], _links: Links) -> Any:
    return mended if any(method in mended for method in OPERATIONS) else NOTHING


FINISH: dict[str, Callable[[dict[str, Any], Links], Any]] = {
    "parameter": _finish_parameter,
    "header": _finish_header,
    "encoding": _finish_encoding,
    "response": _finish_response,
    "requestBody": _finish_body,
    "example": _finish_example,
    "license": _finish_license,
    "serverVariable": _finish_variable,
    "link": _finish_link,
    "securityScheme": _finish_scheme,
    "flows": _finish_flows,
    "operation": _finish_operation,
    "pathItem": _finish_path_item,
}
