"""Schemas of 2.0 and 3.0 in the words of JSON Schema 2020-12."""

from typing import Any

import pytest
from sourcebook_schema.convert.schemas import modernise
from sourcebook_schema.facts import Mark

CASES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
    ({"type": "string", "nullable": False}, {"type": "string"}),
    (
        {"type": "string", "nullable": True, "enum": ["a"]},
        {"type": ["string", "null"], "enum": ["a", None]},
    ),
    ({"enum": ["a", None], "nullable": True}, {"enum": ["a", None]}),
    ({"nullable": True, "description": "Anything"}, {"description": "Anything"}),
    (
        {"nullable": True, "description": "D", "allOf": [{"$ref": "a#/X"}]},
        {"anyOf": [{"allOf": [{"$ref": "a#/X"}]}, {"type": "null"}], "description": "D"},
    ),
    (
        {"type": "object", "nullable": True, "allOf": [{"$ref": "a#/X"}]},
        {"anyOf": [{"type": "object", "allOf": [{"$ref": "a#/X"}]}, {"type": "null"}]},
    ),
    ({"$ref": "a#/X", "nullable": True}, {"anyOf": [{"$ref": "a#/X"}, {"type": "null"}]}),
    ({"type": "string", "x-nullable": True}, {"type": ["string", "null"], "x-nullable": True}),
    ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
    ({"maximum": 9, "exclusiveMaximum": False}, {"maximum": 9}),
    ({"exclusiveMaximum": True}, {}),
    ({"exclusiveMinimum": 3}, {"exclusiveMinimum": 3}),
    ({"example": None}, {"examples": [None]}),
    ({"example": 1, "examples": [2]}, {"examples": [1, 2]}),
    ({"type": "file"}, {"type": "string", "format": "binary"}),
    ({"discriminator": "kind"}, {"discriminator": {"propertyName": "kind"}}),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), CASES)
def test_each_keyword_has_its_new_form(old: dict[str, Any], new: dict[str, Any]) -> None:
    before = repr(old)
    assert modernise(old) == new
    assert repr(old) == before


def _schemas(parsed: Any, schemas: str, version: str = "3.0.3") -> Any:
    lines = "\n".join(f"    {line}" for line in schemas.strip().splitlines())
    return parsed(
        f"openapi: {version}\ninfo: {{title: T, version: '1'}}\npaths: {{}}\n"
        f"components:\n  schemas:\n{lines}\n"
    )


def test_null_is_a_mark_in_every_way_it_can_be_written(parsed: Any) -> None:
    found = _schemas(parsed, """
G: {type: object}
T:
  type: object
  properties:
    a: {type: number, nullable: true}
    b: {nullable: true, allOf: [{$ref: '#/components/schemas/G'}]}
    c: {type: string, nullable: true, enum: [x, null]}
    d: {$ref: '#/components/schemas/G', nullable: true}
    e: {type: string}
""")  # fmt: skip
    found.check()
    nodes = found.nodes
    assert [one for one in "abcde" if nodes[f"Property:T.{one}"].marks & Mark.NULLABLE] == [*"abcd"]
    assert nodes["Property:T.b"].type == "G"
    assert nodes["Property:T.d"].type == "G"
    assert nodes["Property:T.c"].detail == {"values": ["x", None]}
    assert found.leads("Property:T.b", "value") == ["Type:G"]


def test_null_is_a_mark_in_the_newest_version_too(parsed: Any) -> None:
    found = _schemas(parsed, """
G: {type: object}
T:
  properties:
    a: {type: [number, 'null']}
    b: {anyOf: [{$ref: '#/components/schemas/G'}, {type: 'null'}]}
    c: {enum: [x, null]}
    d: {type: string, nullable: true}
""", "3.1.0")  # fmt: skip
    nodes = found.nodes
    assert [one for one in "abcd" if nodes[f"Property:T.{one}"].marks & Mark.NULLABLE] == [*"abc"]
    assert nodes["Property:T.a"].type == "number"
    assert nodes["Property:T.b"].type == "G"


def test_beside_a_reference_only_what_says_something_is_kept_in_old_versions(parsed: Any) -> None:
    text = """
G: {type: object}
T:
  type: object
  properties:
    a:
      $ref: '#/components/schemas/G'
      description: Mine
      readOnly: true
      required: [x]
      minProperties: 4
"""
    uri = "api.yaml#/components/schemas/G"
    old = _schemas(parsed, text)
    old.check()
    assert old.value("/components/schemas/T")["properties"]["a"] == {
        "$ref": uri, "description": "Mine", "readOnly": True,
    }  # fmt: skip
    assert "minProperties: 4" in old.entries["Property:T.a"].fields["body"]
    new = _schemas(parsed, text, "3.1.0")
    assert new.value("/components/schemas/T")["properties"]["a"] == {
        "$ref": uri, "description": "Mine", "readOnly": True, "required": ["x"],
        "minProperties": 4,
    }  # fmt: skip


def test_required_names_of_one_branch_count_for_the_members_of_another(parsed: Any) -> None:
    found = _schemas(parsed, """
T:
  required: [c]
  allOf:
    - {properties: {a: {type: string}, b: {type: string}}}
    - {required: [a]}
    - {properties: {c: {type: string}}}
  oneOf:
    - {required: [d], properties: {d: {type: string}}}
    - {properties: {d: {type: string}}}
""")  # fmt: skip
    required = [key for key, row in found.nodes.items() if row.marks & Mark.REQUIRED]
    assert required == ["Property:T.a", "Property:T.c", "Property:T.d"]
    assert "Property:T.d~2" in found.nodes


def test_a_mapping_of_a_discriminator_may_name_a_schema_or_point_at_it(parsed: Any) -> None:
    found = _schemas(parsed, """
P:
  oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]
  discriminator: {propertyName: kind, mapping: {one: '#/components/schemas/A', two: B, three: Gone}}
A: {type: object}
B: {type: object}
""")  # fmt: skip
    found.check()
    value = found.value("/components/schemas/P")
    assert value["discriminator"]["mapping"] == {
        "one": "api.yaml#/components/schemas/A", "two": "api.yaml#/components/schemas/B",
    }  # fmt: skip
    variants = {edge.tag: edge.end for edge in found.edges if edge.label == "variant"}
    assert set(variants) == {"one", "two"}
    assert found.nodes["Type:P"].detail["discriminator"] == "kind"
    assert len(found.problems) == 1
    assert "Gone" in found.problems[0].message


def test_a_list_of_items_is_a_tuple_in_every_version(parsed: Any) -> None:
    found = _schemas(parsed, """
A: {type: string}
T: {type: array, items: [{type: string}, {$ref: '#/components/schemas/A'}]}
""")  # fmt: skip
    assert found.value("/components/schemas/T") == {
        "type": "array",
        "prefixItems": [{"type": "string"}, {"$ref": "api.yaml#/components/schemas/A"}],
    }
    assert found.leads("Type:T", "items") == ["Type:A"]
    assert found.nodes["Type:T"].type == "array"


def test_how_a_type_holds_another_is_told_by_the_label(parsed: Any) -> None:
    found = _schemas(parsed, """
A: {type: string}
List: {type: array, items: {oneOf: [{$ref: '#/components/schemas/A'}]}}
Map: {additionalProperties: {type: array, items: {$ref: '#/components/schemas/A'}}}
Name: {$ref: '#/components/schemas/A'}
Any:
  anyOf:
    - {$ref: '#/components/schemas/A'}
    - {type: array, items: {$ref: '#/components/schemas/A'}}
Not: {not: {$ref: '#/components/schemas/A'}}
NotMember: {not: {properties: {x: {$ref: '#/components/schemas/A'}}}}
""", "3.1.0")  # fmt: skip
    found.check()
    labels = {
        key: sorted({one.label for one in found.edges if found.fact.nodes[one.start].key == key})
        for key in found.nodes
    }
    assert labels["Type:List"] == ["items"]
    assert labels["Type:Map"] == ["map"]
    assert labels["Type:Name"] == ["ref"]
    assert labels["Type:Any"] == ["anyOf", "items"]
    assert labels["Type:Not"] == labels["Type:NotMember"] == ["not"]
    assert not [key for key in found.nodes if key.startswith("Property:")]
    words = {key.removeprefix("Type:"): row.type for key, row in found.nodes.items()}
    assert words["List"] == "array of A"
    assert words["Map"] == "map of array of A"
    assert words["Name"] == "A"
    assert words["Any"] == "A | array of A"
