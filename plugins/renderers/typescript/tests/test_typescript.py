"""What declarations say; the compiler is asked in `tests/typescript` whether they compile."""

from collections.abc import Mapping
from typing import Any

import pytest
from sourcebook.registry import registry
from sourcebook.subgraph import ApiSubgraph, Node
from sourcebook_typescript.plugin import render
from sourcebook_typescript.text import make_identifier, name_all, quote, write_prose

NOTE = {
    "type": "object",
    "description": "What someone wrote.",
    "required": ["text"],
    "properties": {
        "text": {"type": "string", "description": "The text itself.\n\nPlain."},
        "written": {"type": "string", "format": "date-time", "readOnly": True},
        "secret": {"type": "boolean", "deprecated": True, "writeOnly": True, "default": False},
    },
}


def declare(schemas: Mapping[str, Any], **options: object) -> str:
    """Return declarations of component schemas, the first of which is on line 1 of its file."""
    described = {
        f"/components/schemas/{name}": Node(
            f"api/notes.yaml#Type:{name}", "type", "", source="api/notes.yaml", first_line=line
        )
        for line, name in enumerate(schemas, 1)
    }
    description = {"openapi": "3.1.0", "components": {"schemas": dict(schemas)}}
    return render(ApiSubgraph((), (), description=description, described=described), options)


def test_a_schema_becomes_an_interface_with_its_texts_and_its_place() -> None:
    assert declare({"Note": NOTE}).partition("export {};\n\n")[2] == (
        "/**\n"
        " * What someone wrote.\n"
        " * Source: api/notes.yaml:1\n"
        " */\n"
        "export interface Note {\n"
        "  /**\n"
        "   * The text itself.\n"
        "   *\n"
        "   * Plain.\n"
        "   */\n"
        "  text: string;\n"
        "  /** @format date-time */\n"
        "  readonly written?: string;\n"
        "  /**\n"
        "   * Write-only: it is sent, never returned.\n"
        "   * @default false\n"
        "   * @deprecated\n"
        "   */\n"
        "  secret?: boolean;\n"
        "}\n"
    )


def test_without_docs_only_places_and_deprecations_are_told() -> None:
    text = declare({"Note": NOTE}, docs=False)
    assert [line.strip() for line in text.splitlines() if "*" in line] == [
        "/** Source: api/notes.yaml:1 */",
        "/** @deprecated */",
    ]


def test_a_body_names_types_without_what_is_only_read() -> None:
    note = {**NOTE, "required": ["text", "written"]}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}}
    answer = {"200": {"description": "", "content": content}}
    post = {"operationId": "add", "requestBody": {"content": content}, "responses": answer}
    description = {
        "openapi": "3.1.0",
        "paths": {"/notes": {"post": post}},
        "components": {"schemas": {"Note": note, "Alias": {"$ref": "#/components/schemas/Note"}}},
    }
    text = render(ApiSubgraph((), (), description=description), {"docs": False})
    assert 'body?: { "application/json": NoteInput };' in text
    assert 'responses: { 200: { content: { "application/json": Note } } };' in text
    assert text.partition("export interface NoteInput")[2].startswith(
        " {\n  text: string;\n  /** @deprecated */\n  secret?: boolean;\n}\n"
    )
    assert "/** `Note` as it is sent. */\nexport interface NoteInput" in text
    # What nothing sends is declared once.
    assert "AliasInput" not in text
    assert "Input" not in declare({"Note": note})


def test_what_combines_too_much_says_that_something_is_left_out() -> None:
    def choices(count: int) -> dict[str, Any]:
        kinds: list[dict[str, Any]] = [{"type": "string"}, {"type": "integer"}]
        members = [[{"properties": {f"p{n}": kind}} for kind in kinds] for n in range(count)]
        return {"allOf": [{"oneOf": one} for one in members]}

    few, many = declare({"Wide": choices(13)}), declare({"Wide": choices(20)})
    assert "Not all that it combines is told" not in few
    assert "Not all that it combines is told" in many
    assert many.count("?:") == few.count("?:") == 26


def test_the_renderer_has_two_names() -> None:
    long, short = (registry().renderer(name) for name in ("typescript", "ts"))
    assert long.render is short.render
    assert long.accepts is short.accepts is ApiSubgraph


def test_a_tagged_union_says_which_value_is_which_type() -> None:
    union = {
        "oneOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}],
        "discriminator": {"propertyName": "is", "mapping": {"first": "A"}},
    }
    tag = {"type": "object", "properties": {"is": {"type": "string"}}}
    text = declare({"Either": union, "A": tag, "B": tag}, docs=False)
    assert 'export type Either = (A & { is: "first" }) | (B & { is: "B" });' in text


def test_a_base_is_the_union_of_its_children() -> None:
    base = {
        "type": "object",
        "properties": {"is": {"type": "string"}},
        "discriminator": {"propertyName": "is"},
    }
    child = {"allOf": [{"$ref": "#/components/schemas/Base"}]}
    text = declare({"Base": base, "One": child, "Two": child}, docs=False)
    assert "export interface BaseBase {" in text
    assert "export type Base = One | Two;" in text
    assert 'export type One = BaseBase & { is: "One" };' in text


def test_identifiers_keep_what_they_can_and_are_all_different() -> None:
    texts = [
        "a.b",
        "a-b",
        "a_b",
        "Record",
        "Record_",
        "class",
        "2024",
        "x",
        "{id}",
        "",
        "Größe",
        "😀",
    ]
    assert name_all(texts) == {
        "a_b": "a_b",
        "a-b": "a_b_",
        "a.b": "a_b_2",
        "Record": "Record_2",
        "Record_": "Record_",
        "class": "class_",
        "2024": "_2024",
        "x": "x",
        "{id}": "id",
        "": "_",
        "Größe": "Größe",
        "😀": "__",
    }


def test_operations_without_an_id_are_called_by_method_and_path() -> None:
    assert make_identifier("GET /tools/{id}.json") == "GET_tools_id_json"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a */ b **/ c", ["a *\\/ b **\\/ c"]),
        ("\n\n  @ts-ignore\n \n", ["  \\@ts-ignore"]),
        ("a\r\nb\u2028c\rd", ["a", "b", "c", "d"]),
        ("bell \a, bidi \u202e, half \ud800", ["bell \ufffd, bidi \ufffd, half \ufffd"]),
        (" \n", []),
    ],
)
def test_no_text_ends_a_comment_or_gives_an_order(text: str, lines: list[str]) -> None:
    assert write_prose(text) == lines


def test_strings_show_what_cannot_be_seen() -> None:
    text = "it's \"\\\n\u2028\u202e\ud800\U000e0001é"
    assert quote(text) == '"it\'s \\"\\\\\\n\\u2028\\u202e\\ud800\\udb40\\udc01é"'


def test_what_was_asked_for_comes_first_and_says_its_name_and_file() -> None:
    schemas = {"Note": NOTE, "shop_models_Note": {"type": "string"}}
    nodes = (
        Node("a.yaml#Type:Note", "type", "Note", source="a.yaml", first_line=3),
        Node("b.yaml#Type:Note", "type", "Note", source="b.yaml", first_line=7),
    )
    described = dict(zip((f"/components/schemas/{name}" for name in schemas), nodes, strict=True))
    description = {
        "paths": {"/notes": {"get": {"operationId": "all/notes", "responses": {}}}},
        "components": {"schemas": schemas},
    }
    graph = ApiSubgraph(nodes, (), (nodes[1].id,), description=description, described=described)
    parts = render(graph, {"docs": False}).split("\n\n")[1:]
    assert parts[0] == (
        "/**\n * `Note` of the description.\n * Source: b.yaml:7\n */\n"
        "export type shop_models_Note = string;"
    )
    assert parts[1].startswith(
        "/**\n * `all/notes` of the description.\n * GET /notes\n */\nexport interface all_notes {"
    )
    assert parts[2].startswith("/** Source: a.yaml:3 */\nexport interface Note {")


def test_what_is_nested_too_deeply_is_unknown() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(5000):
        schema = {"type": "array", "items": schema}
    assert "unknown[][]" in declare({"Deep": schema})


def test_a_reference_to_nothing_is_unknown() -> None:
    text = declare({"A": {"type": "object", "properties": {"b": {"$ref": "#/components/gone"}}}})
    assert "b?: unknown;" in text


def test_nothing_is_a_module_too() -> None:
    assert render(ApiSubgraph((), ()), {}).endswith("export {};\n")
