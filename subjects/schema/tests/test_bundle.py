"""A part of an API stands alone: all that it needs is there, nothing else is, names are its own."""

from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from sourcebook_schema.bundle import Bundle

from subjects.schema.tests.made_api import MadeApi

OK = {"200": {"description": "Fine"}}

HOTEL: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Hotel", "version": "4.2", "description": "Rooms and keys"},
    "servers": [{"url": "https://hotel.example/api"}],
    "tags": [{"name": "keys"}, {"name": "rooms", "description": "About rooms"}],
    "security": [{"login": ["read"]}],
    "paths": {
        "/rooms/{id}": {
            "parameters": [{"$ref": "#/components/parameters/RoomId"}],
            "get": {
                "tags": ["rooms"],
                "operationId": "readRoom",
                "responses": {
                    "200": {
                        "description": "A room",
                        "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
                        "content": {
                            "application/json": {
                                "schema": {"$ref": "#/components/schemas/Room"},
                                "examples": {"plain": {"$ref": "#/components/examples/Plain"}},
                            }
                        },
                        "links": {"keys": {"operationId": "listKeys"}},
                    },
                    "404": {"$ref": "#/components/responses/Gone"},
                },
            },
            "delete": {"operationId": "dropRoom", "security": [{"staff": []}], "responses": OK},
        },
        "/rooms/{id}/keys": {
            "get": {
                "operationId": "listKeys",
                "parameters": [{"$ref": "#/components/parameters/RoomId"}],
                "responses": OK,
                "servers": [{"url": "https://keys.example"}],
            }
        },
    },
    "components": {
        "securitySchemes": {
            "login": {"type": "http", "scheme": "bearer"},
            "staff": {"type": "http", "scheme": "basic"},
        },
        "parameters": {
            "RoomId": {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        },
        "headers": {"ETag": {"schema": {"type": "string"}}},
        "examples": {"Plain": {"value": {"beds": 2}}},
        "responses": {"Gone": {"description": "It is gone"}},
        "schemas": {
            "Room": {"type": "object", "properties": {"beds": {"type": "integer"}}},
            "Key": {"type": "object"},
        },
    },
}

READ = "hotel.yaml#/paths/~1rooms~1{id}/get"
DROP = "hotel.yaml#/paths/~1rooms~1{id}/delete"
KEYS = "hotel.yaml#/paths/~1rooms~1{id}~1keys/get"


@pytest.fixture
def hotel() -> MadeApi:
    return MadeApi({"hotel.yaml": HOTEL})


def checked(made: Bundle) -> dict[str, Any]:
    """Return the description of a bundle, which must be valid."""
    assert [*OpenAPIV31SpecValidator(made.description).iter_errors()] == []
    return made.description


def described(schemas: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a description of nothing but components."""
    info = {"title": "T", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "components": {"schemas": schemas, **more}}


def served(path: str, **operation: Any) -> dict[str, Any]:
    """Return a description of one operation."""
    paths = {path: {"get": {"responses": OK, **operation}}}
    return {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths}


def test_all_that_an_operation_needs_comes_along_and_the_rest_stays(hotel: MadeApi) -> None:
    made = checked(hotel.bundle([READ]))
    assert list(made["paths"]) == ["/rooms/{id}"]
    assert list(made["paths"]["/rooms/{id}"]) == ["get"]
    names = {section: list(values) for section, values in made["components"].items()}
    assert names == {
        "schemas": ["Room"],
        "responses": ["Gone"],
        "parameters": ["RoomId"],
        "examples": ["Plain"],
        "headers": ["ETag"],
        "securitySchemes": ["login"],
    }
    assert made["tags"] == [{"name": "rooms", "description": "About rooms"}]
    assert made["info"]["description"] == "Rooms and keys"


def test_a_link_leads_to_an_operation_of_the_part_or_is_left_out(hotel: MadeApi) -> None:
    alone = checked(hotel.bundle([READ]))["paths"]["/rooms/{id}"]["get"]["responses"]["200"]
    assert "links" not in alone
    both = checked(hotel.bundle([READ, KEYS]))["paths"]["/rooms/{id}"]["get"]["responses"]["200"]
    assert both["links"] == {"keys": {"operationId": "listKeys"}}


def test_servers_and_security_stand_once_and_apart_where_they_differ(hotel: MadeApi) -> None:
    made = checked(hotel.bundle())
    assert made["servers"] == [{"url": "https://hotel.example/api"}]
    assert made["security"] == [{"login": ["read"]}]
    room = made["paths"]["/rooms/{id}"]
    assert "servers" not in room["get"]
    assert "security" not in room["get"]
    assert room["delete"]["security"] == [{"staff": []}]
    keys = made["paths"]["/rooms/{id}/keys"]["get"]
    assert keys["servers"] == [{"url": "https://keys.example"}]


def test_the_scheme_of_an_operation_alone_comes_along(hotel: MadeApi) -> None:
    made = checked(hotel.bundle([DROP]))
    assert list(made["components"]["securitySchemes"]) == ["staff"]
    assert made["security"] == [{"staff": []}]


def test_types_alone_have_no_paths(hotel: MadeApi) -> None:
    made = checked(hotel.bundle(types=["hotel.yaml#/components/schemas/Key"]))
    assert made["paths"] == {}
    assert made["components"] == {"schemas": {"Key": {"type": "object"}}}
    assert made["info"]["title"] == "Hotel"


def test_the_uri_of_each_part_is_told_by_its_pointer(hotel: MadeApi) -> None:
    uris = hotel.bundle([READ]).uris
    assert uris["/paths/~1rooms~1{id}/get"] == READ
    assert uris["/components/schemas/Room"] == "hotel.yaml#/components/schemas/Room"


def test_equal_names_are_told_apart_by_their_files() -> None:
    status = {"Status": {"type": "object"}}
    root = described(
        {
            "Status": {"type": "string"},
            "All": {
                "properties": {
                    "a": {"$ref": "#/components/schemas/Status"},
                    "b": {"$ref": "orders/models.yaml#/Status"},
                    "c": {"$ref": "vans/models.yaml#/Status"},
                    "d": {"$ref": "vans/Status.yaml"},
                }
            },
        }
    )
    files = {
        "openapi.yaml": root,
        "orders/models.yaml": status,
        "vans/models.yaml": status,
        "vans/Status.yaml": {"type": "object"},
    }
    made = checked(MadeApi(files).bundle())
    schemas = made["components"]["schemas"]
    assert set(schemas) == {
        "All", "Status", "orders_models_Status", "vans_models_Status", "vans_Status",
    }  # fmt: skip
    fields = schemas["All"]["properties"]
    assert fields["a"] == {"$ref": "#/components/schemas/Status"}
    assert fields["c"] == {"$ref": "#/components/schemas/vans_models_Status"}


def test_what_is_referred_to_inside_another_operation_becomes_a_component() -> None:
    api = served("/finds/{id}", responses={"200": {"description": "A find"}})
    api["paths"]["/finds"] = {
        "post": {"responses": {"201": {"$ref": "#/paths/~1finds~1{id}/get/responses/200"}}}
    }
    made = checked(MadeApi({"a.yaml": api}).bundle(["a.yaml#/paths/~1finds/post"]))
    assert list(made["paths"]) == ["/finds"]
    response = made["paths"]["/finds"]["post"]["responses"]["201"]
    assert response == {"$ref": "#/components/responses/finds_{id}_get_200".replace("{id}", "id")}


def test_ids_are_unique_and_links_follow_them() -> None:
    api = served("/a", operationId="same")
    links = {"other": {"operationRef": "#/paths/~1b/get"}, "self": {"operationId": "same"}}
    api["paths"]["/b"] = {
        "get": {
            "operationId": "same",
            "responses": {"200": {"description": "", "links": links}},
        }
    }
    made = checked(MadeApi({"a.yaml": api}).bundle())
    assert made["paths"]["/a"]["get"]["operationId"] == "same"
    second = made["paths"]["/b"]["get"]
    assert second["operationId"] == "same_2"
    assert second["responses"]["200"]["links"] == {
        "other": {"operationRef": "#/paths/~1b/get"},
        "self": {"operationId": "same"},
    }


def test_one_route_of_two_documents_is_told_apart_by_what_no_client_sends() -> None:
    first = served("/tides") | {
        "servers": [{"url": "/v1"}],
        "info": {"title": "Tides", "version": "1"},
    }
    second = served("/tides") | {
        "servers": [{"url": "/v2"}],
        "info": {"title": "Tides", "version": "2"},
    }
    made = checked(MadeApi({"specs/v1.yaml": first, "specs/v2.json": second}).bundle())
    assert list(made["paths"]) == ["/tides", "/tides#v2"]
    assert made["servers"] == [{"url": "/v1"}]
    assert made["paths"]["/tides#v2"]["get"]["servers"] == [{"url": "/v2"}]
    assert made["info"] == {"title": "Tides", "version": "1, 2"}


def test_schemes_of_two_documents_stay_apart() -> None:
    def secured(path: str, scheme: dict[str, Any]) -> dict[str, Any]:
        api = served(path, security=[{"login": []}])
        return api | {"components": {"securitySchemes": {"login": scheme}}}

    basic, bearer = {"type": "http", "scheme": "basic"}, {"type": "http", "scheme": "bearer"}
    files = {"a.yaml": secured("/a", basic), "b.yaml": secured("/b", bearer)}
    made = checked(MadeApi(files).bundle())
    assert made["components"]["securitySchemes"] == {"a_login": basic, "b_login": bearer}
    assert made["security"] == [{"a_login": []}]
    assert made["paths"]["/b"]["get"]["security"] == [{"b_login": []}]


def test_what_a_discriminator_names_comes_along_under_its_name() -> None:
    api = described(
        {
            "Guest": {
                "type": "object",
                "discriminator": {
                    "propertyName": "sort",
                    "mapping": {"loud": "kinds.yaml#/Parrot", "gone": "kinds.yaml#/Nothing"},
                },
            }
        }
    )
    kinds = {"Parrot": {"allOf": [{"$ref": "a.yaml#/components/schemas/Guest"}]}}
    made = checked(MadeApi({"a.yaml": api, "kinds.yaml": kinds}).bundle())
    schemas = made["components"]["schemas"]
    assert schemas["Guest"]["discriminator"]["mapping"] == {"loud": "#/components/schemas/Parrot"}
    assert schemas["Parrot"] == {"allOf": [{"$ref": "#/components/schemas/Guest"}]}


def test_a_webhook_stands_alone() -> None:
    api = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "webhooks": {"lowBattery": {"post": {"responses": OK}}},
    }
    made = checked(MadeApi({"a.yaml": api}).bundle())
    assert made["webhooks"] == {"lowBattery": {"post": {"responses": OK}}}
    assert made["paths"] == {}


def test_a_callback_comes_with_its_operation_and_alone_as_a_component() -> None:
    callback = {"{$request.body#/answerTo}": {"post": {"responses": OK}}}
    api = served("/alarms", callbacks={"rung": callback})
    hooked = MadeApi({"a.yaml": api})
    made = checked(hooked.bundle())
    assert made["paths"]["/alarms"]["get"]["callbacks"] == {"rung": callback}
    uri = "a.yaml#/paths/~1alarms/get/callbacks/rung/{$request.body#~1answerTo}/post"
    alone = hooked.bundle([uri])
    assert checked(alone)["components"] == {"callbacks": {"rung": callback}}
    assert list(alone.uris.values()) == [uri]


def test_a_callback_that_is_there_with_its_operation_stands_there_once() -> None:
    post = {"operationId": "ring", "responses": OK}
    inline = {"$url": {"post": post}}
    api = served("/alarms", callbacks={"a": inline, "b": {"$ref": "#/components/callbacks/Rung"}})
    api["components"] = {"callbacks": {"Rung": {"$else": {"post": post}}}}
    asked = [
        "a.yaml#/paths/~1alarms/get",
        "a.yaml#/paths/~1alarms/get/callbacks/a/$url/post",
        "a.yaml#/components/callbacks/Rung/$else/post",
    ]
    hooked = MadeApi({"a.yaml": api})
    component = hooked.component

    def with_routes(uri: str) -> Any:
        value = component(uri)
        if not uri.startswith(asked[2]):
            return value
        return {
            "method": "POST", "path": "$else", "event": "callback", "key": "Rung",
            "operation": value,
        }  # fmt: skip

    hooked.component = with_routes  # type: ignore[method-assign]
    made = hooked.bundle(asked)
    operation = checked(made)["paths"]["/alarms"]["get"]
    assert list(made.description["components"]["callbacks"]) == ["Rung"]
    assert operation["callbacks"]["a"]["$url"]["post"]["operationId"] == "ring"
    shared = made.description["components"]["callbacks"]["Rung"]["$else"]["post"]
    assert shared["operationId"] == "ring_2"
    assert {uri: pointer for pointer, uri in made.uris.items() if uri in asked} == {
        asked[0]: "/paths/~1alarms/get",
        asked[1]: "/paths/~1alarms/get/callbacks/a/$url/post",
        asked[2]: "/components/callbacks/Rung/$else/post",
    }


def test_the_order_of_components_is_that_of_their_names() -> None:
    api = MadeApi({"a.yaml": described({"B": {}, "A": {}, "C": {}})})
    uris = [f"a.yaml#/components/schemas/{name}" for name in "CAB"]
    assert list(checked(api.bundle(types=uris))["components"]["schemas"]) == ["A", "B", "C"]
