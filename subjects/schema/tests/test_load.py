"""Which files are descriptions, what they refer to, and what is not followed."""

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from attrs import frozen
from sourcebook.errors import SourcebookError
from sourcebook.model import Skipped
from sourcebook.subject import Document, LoadOptions
from sourcebook_schema.load import load

Write: TypeAlias = Callable[[Mapping[str, str]], Path]

HEAD = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\n"
EMPTY = f"{HEAD}paths: {{}}\n"


@frozen
class Options:
    """What `load` looks at."""

    allow_outside: bool = False
    allow_remote: bool = False
    strict: bool = False


@frozen
class Loaded:
    """What `load` yields, by name; the contexts are read."""

    documents: dict[str, dict[str, Any] | None]
    skipped: dict[str, tuple[str, str]]

    def refs(self, name: str) -> dict[str, str]:
        """Return where the references of a file lead, or why they do not."""
        context = self.documents[name]
        assert context is not None
        return {ref: one.get("uri") or one["error"] for ref, one in context["refs"].items()}

    def roles(self, name: str) -> list[list[Any]]:
        """Return what others refer to in a file."""
        context = self.documents[name]
        assert context is not None
        return list(context["roles"])


def loaded(*paths: Path, exclude: tuple[str, ...] = (), **options: bool) -> Loaded:
    """Return what is loaded of these paths."""
    found = [*load(paths, LoadOptions(exclude=exclude), Options(**options))]
    documents = [one for one in found if isinstance(one, Document)]
    assert [one.name for one in documents] == sorted(one.name for one in documents)
    return Loaded(
        {one.name: json.loads(one.context) if one.context else None for one in documents},
        {one.name: (one.reason, one.detail) for one in found if isinstance(one, Skipped)},
    )


@pytest.fixture(name="write")
def _write(tmp_path: Path) -> Write:
    """Return what writes files by name below a folder, and returns the folder."""

    def written(files: Mapping[str, str]) -> Path:
        for name, text in files.items():
            place = tmp_path / "corpus" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        return tmp_path / "corpus"

    return written


def using(ref: str) -> str:
    """Return a description with one schema that is a reference."""
    return f"{HEAD}paths: {{}}\ncomponents:\n  schemas:\n    A: {{$ref: {json.dumps(ref)}}}\n"


# ---- which files are descriptions


@pytest.mark.parametrize(
    "text",
    [
        EMPTY,
        "# a remark\n'openapi': 3.1.0\npaths: {}\n",
        "info: {title: T}\nswagger: '2.0'\n",
        "{openapi: 3.0.0, paths: {}}",
        '{"openapi": "3.1.0"}',
        '{"info": {"title": "openapi"},\n"paths": {}, "swagger": "2.0"}',
        " openapi: 3.0.0\n paths: {}\n",
        "openapi: 3.0.0\n  bad: indent\n",
    ],
)
def test_a_file_with_its_version_at_its_top_is_a_description(write: Write, text: str) -> None:
    assert loaded(write({"a.yaml": text})).documents == {"a.yaml": None}


@pytest.mark.parametrize(
    "text",
    [
        "services: {web: {image: nginx}}\n",
        "services:\n  openapi: {image: x}\n",
        '{"openapi": ["a", "list"]}',
        '{"scripts": {"openapi": "make"}}',
        "[openapi, swagger]",
        "- swagger: '2.0'\n",
        "",
        "a: '{{ if openapi: }}\n",
    ],
)
def test_other_files_of_a_folder_are_passed_by_and_counted(write: Write, text: str) -> None:
    found = loaded(write({"a.yaml": EMPTY, "b.yaml": text, "c.txt": EMPTY}))
    assert found.documents == {"a.yaml": None}
    assert {name: reason for name, (reason, _) in found.skipped.items()} == {
        "b.yaml": "content",
        "c.txt": "suffix",
    }


def test_a_file_of_a_folder_that_seems_to_be_a_description_and_breaks_off_is_told(
    write: Write,
) -> None:
    found = loaded(write({"a.yaml": EMPTY, "b.json": '{"info": {},\n"openapi": "3.0.0",\n}'}))
    assert found.skipped == {"b.json": ("malformed", "line 2: a comma before the closing }")}


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("a.yaml", "services: {}\n", "no API description: those of OpenAPI 3 have `openapi`"),
        ("a.json", '{"swaggerVersion": "1.2"}', "no API description: those of OpenAPI 3"),
        ("a.yaml", "", "the file is empty"),
        ("a.yaml", "a: 1\n b: 2\n", "line 2: no YAML: mapping values are not allowed"),
        ("a.json", '{"a": 1,\n}', "line 1: a comma before the closing }"),
    ],
)
def test_a_file_that_was_named_and_is_none_is_told(
    write: Write, name: str, text: str, what: str
) -> None:
    found = loaded(write({name: text}) / name)
    assert found.documents == {}
    reason, detail = found.skipped[name]
    assert reason == "malformed"
    assert detail.startswith(what)


def test_what_nobody_refers_to_and_refers_to_nothing_needs_no_context(write: Write) -> None:
    text = f"{HEAD}components: {{schemas: {{A: {{$ref: '#/components/schemas/B'}}}}}}\n"
    assert loaded(write({"a.yaml": text})).documents == {"a.yaml": None}


# ---- what they refer to


def test_references_count_from_the_file_they_stand_in(write: Write) -> None:
    folder = write(
        {
            "api/main.yaml": f"{HEAD}paths:\n  /stalls/{{no}}:\n    $ref: paths/stall.yaml\n"
            "components:\n  schemas:\n    Who: {$ref: '../common/people.json#/defs/Who'}\n",
            "api/paths/stall.yaml": "get:\n  responses:\n    '200':\n"
            "      content: {a/b: {schema: {$ref: ../schemas/Stall.yaml}}}\n"
            "    '404': {$ref: '../answers.yml#/Missing'}\n",
            "api/answers.yml": "Missing:\n  content: {a/b: {schema: {$ref: '#/Why'}}}\n"
            "Why: {properties: {who: {$ref: '../common/people.json#/defs/Who'}}}\n"
            "Unused: {$ref: ./nowhere.yaml}\n",
            "api/schemas/Stall.yaml": "properties:\n"
            "  trader: {$ref: '../main.yaml#/components/schemas/Who'}\n"
            "  next: {$ref: ./Stall.yaml}\n",
            "common/people.json": '{"defs": {"Who": {"properties": {"a": {"$ref": "#/defs/B"}}},\n'
            '"B": {"allOf": [{"$ref": "./b.json"}]}}}',
            "common/b.json": '{"type": "object"}',
            "common/unused.json": '{"type": "object"}',
        }
    )
    found = loaded(folder)
    assert found.skipped == {
        "common/unused.json": ("content", "no API description, and no piece of one")
    }
    assert [*found.documents] == [
        "api/answers.yml", "api/main.yaml", "api/paths/stall.yaml", "api/schemas/Stall.yaml",
        "common/b.json", "common/people.json",
    ]  # fmt: skip
    assert found.documents["api/main.yaml"] == {
        "root": True,
        "format": "3.0",
        "roles": [["/components/schemas/Who", "schema"]],
        "refs": {
            "../common/people.json#/defs/Who": {"uri": "common/people.json#/defs/Who"},
            "paths/stall.yaml": {"uri": "api/paths/stall.yaml#"},
        },
    }
    assert found.roles("api/paths/stall.yaml") == [["", "pathItem", ["/stalls/{no}"]]]
    assert found.roles("api/answers.yml") == [["/Missing", "response"]]
    assert found.refs("api/schemas/Stall.yaml") == {
        "../main.yaml#/components/schemas/Who": "api/main.yaml#/components/schemas/Who",
        "./Stall.yaml": "api/schemas/Stall.yaml#",
    }
    assert found.refs("common/people.json") == {"./b.json": "common/b.json#"}


def test_every_kind_of_thing_is_found_where_it_may_stand_and_nowhere_else(write: Write) -> None:
    root = {
        "openapi": "3.1.0",
        "paths": {"/a": {"parameters": [{"$ref": "x.json#/parameter"}], "post": {
            "requestBody": {"$ref": "x.json#/requestBody"},
            "callbacks": {"done": {"$ref": "x.json#/callback"},
                          "{$url}": {"$url": {"$ref": "x.json#/pathItem"}}},
            "responses": {"200": {
                "headers": {"H": {"$ref": "x.json#/header"}},
                "links": {"L": {"$ref": "x.json#/link"},
                          "M": {"operationRef": "x.json#/operation"}},
                "content": {"a/b": {
                    "example": {"$ref": "no.json"},
                    "examples": {"E": {"$ref": "x.json#/example"}, "F": {"value": {"$ref": "no"}}},
                    "schema": {
                        "default": {"$ref": "no.json"}, "enum": [{"$ref": "no.json"}],
                        "properties": {"$ref": {"items": {"$ref": "x.json#/schema"}}},
                        "discriminator": {"propertyName": "p", "mapping": {
                            "a": "x.json#/mapped", "b": "Bare.Name", "c": "x.json"}},
                    },
                }},
            }},
        }}},
        "webhooks": {"low": {"$ref": "x.json#/hook"}},
        "x-mine": {"$ref": "no.json"},
        "components": {"securitySchemes": {"S": {"$ref": "x.json#/securityScheme"}}},
    }  # fmt: skip
    names = ("parameter", "requestBody", "callback", "pathItem", "header", "link", "operation",
             "example", "schema", "mapped", "hook", "securityScheme")  # fmt: skip
    folder = write({"a.json": json.dumps(root), "x.json": json.dumps({name: {} for name in names})})
    found = loaded(folder)
    roles = {row[0]: row[1:] for row in found.roles("x.json")}
    assert roles == {
        **{f"/{name}": [name] for name in names},
        "/mapped": ["schema"],
        "": ["schema"],
        "/pathItem": ["pathItem", ["callback:{$url}\n$url"]],
        "/hook": ["pathItem", ["webhook:low"]],
    }


def test_parts_of_what_stands_for_a_mapping_are_referred_to_one_by_one(write: Write) -> None:
    folder = write(
        {
            "a.yaml": f"{HEAD}paths: {{$ref: b.yaml#/paths}}\n"
            "components: {schemas: {$ref: c.yaml}}\n",
            "b.yaml": "paths:\n  /s:\n    parameters: [{name: n, in: query, schema: {}}]\n"
            "    get: {$ref: d.yaml}\n",
            "c.yaml": "A: {type: object}\nB: {$ref: B.yaml}\nC: {$ref: B.yaml}\n",
            "d.yaml": "requestBody: {content: {a/b: {schema: {$ref: 'a.yaml#/components/schemas"
            "/A'}, example: 1}}}\nresponses: {'200': {content: {$ref: '#/requestBody/content'}}}\n",
            "B.yaml": "{}\n",
        }
    )
    found = loaded(folder)
    root = found.documents["a.yaml"]
    assert root is not None
    assert root["refs"] == {
        "b.yaml#/paths": {
            "uri": "b.yaml#/paths",
            "instead": {"/s": {"$ref": "source:b.yaml#/paths/~1s"}},
        },
        "c.yaml": {
            "uri": "c.yaml#",
            "instead": {
                "A": {"$ref": "source:c.yaml#/A"},
                "B": {"$ref": "source:B.yaml#"},
                "C": {"$ref": "source:c.yaml#/C"},
            },
        },
    }
    assert found.roles("b.yaml") == [
        ["/paths", "paths"],
        ["/paths/~1s", "pathItem", ["/s"]],
        ["/paths/~1s/parameters/0", "parameter"],
    ]
    assert found.roles("c.yaml") == [
        ["", "index"], ["", "section of schema"], ["/A", "schema"], ["/C", "schema"],
    ]  # fmt: skip
    assert found.roles("d.yaml") == [
        ["", "operation", [["get", "/s", "b.yaml#/paths/~1s", "b.yaml#/paths/~1s/parameters/0"]]]
    ]
    piece = found.documents["d.yaml"]
    assert piece is not None
    assert piece["refs"] == {"a.yaml#/components/schemas/A": {"uri": "c.yaml#/A", "by": "a.yaml"}}


def test_pointers_may_hold_escapes_and_fragments_may_be_anchors(write: Write) -> None:
    folder = write(
        {
            "a.yaml": f"{HEAD}components:\n  schemas:\n"
            "    A: {$ref: 'my%20parts.yaml#/a~1b/c~0d%25'}\n"
            "    B: {$ref: 'my parts.yaml#here'}\n"
            "    C: {$ref: '100%.yaml#/x%y'}\n",
            "my parts.yaml": "a/b: {c~d%: {}}\nz: [{properties: {p: {$anchor: here}}}]\n",
            "100%.yaml": "x%y: {}\n",
        }
    )
    assert loaded(folder).refs("a.yaml") == {
        "my%20parts.yaml#/a~1b/c~0d%25": "my parts.yaml#/a~1b/c~0d%",
        "my parts.yaml#here": "my parts.yaml#/z/0/properties/p",
        "100%.yaml#/x%y": "100%25.yaml#/x%y",
    }


def test_an_anchor_in_an_example_is_none_and_a_property_may_be_called_example(
    write: Write,
) -> None:
    folder = write(
        {
            "a.yaml": f"{HEAD}components:\n  schemas:\n"
            "    A: {$ref: 'b.yaml#here'}\n"
            "    B: {$ref: 'b.yaml#there'}\n"
            "    C: {$ref: 'b.yaml#gone'}\n",
            "b.yaml": "A:\n"
            "  example: {$anchor: here}\n"
            "  default: [{$anchor: there}]\n"
            "  enum: [{$anchor: gone}]\n"
            "  properties:\n"
            "    default: {const: {$anchor: here}, allOf: [{$anchor: there}]}\n"
            "    example: {$anchor: here}\n",
        }
    )
    assert loaded(folder).refs("a.yaml") == {
        "b.yaml#here": "b.yaml#/A/properties/example",
        "b.yaml#there": "b.yaml#/A/properties/default/allOf/0",
        "b.yaml#gone": "there is no `gone` in `b.yaml`",
    }


def test_an_id_in_an_example_is_none(write: Write) -> None:
    folder = write(
        {
            "a.yaml": f"{HEAD}components:\n  schemas:\n"
            "    A: {example: {$id: b.yaml}, properties: {b: {$ref: b.yaml}}}\n",
            "b.yaml": "type: string\n",
        }
    )
    assert loaded(folder).refs("a.yaml") == {"b.yaml": "b.yaml#"}


def test_a_schema_that_has_a_name_of_its_own_is_not_fetched(write: Write) -> None:
    text = (
        "openapi: 3.1.0\ncomponents:\n  schemas:\n"
        "    A: {$id: 'https://a.example/A', properties: {b: {$ref: 'https://a.example/B'}}}\n"
        "    B: {$id: 'https://a.example/B'}\n"
    )
    assert loaded(write({"a.yaml": text})).documents == {"a.yaml": None}


def test_pieces_are_found_for_a_file_in_its_folder_and_below(write: Write) -> None:
    folder = write({"in/a.yaml": using("b/c.yaml"), "in/b/c.yaml": "{}", "in/d.yaml": EMPTY})
    found = loaded(folder / "in/a.yaml")
    assert [*found.documents] == ["a.yaml", "b/c.yaml"]
    assert found.refs("a.yaml") == {"b/c.yaml": "b/c.yaml#"}


def test_roots_that_share_a_piece_share_one_source(write: Write) -> None:
    folder = write({"a.yaml": using("c.yaml"), "b.yaml": using("c.yaml#/x"), "c.yaml": "x: {}"})
    assert loaded(folder).roles("c.yaml") == [["", "schema"], ["/x", "schema"]]


def test_a_piece_has_the_format_of_the_root_that_refers_to_it(write: Write) -> None:
    swagger = "swagger: 2.0\ndefinitions: {A: {$ref: b.yaml}}\n"
    context = loaded(write({"a.yaml": swagger, "b.yaml": "{}"})).documents["b.yaml"]
    assert context is not None
    assert context["format"] == "2.0"


# ---- what leads nowhere


@pytest.mark.parametrize(
    ("ref", "what"),
    [
        ("gone.yaml#/A", "there is no file `gone.yaml`"),
        ("peices.yaml#/A", "there is no file `peices.yaml`, did you mean `pieces.yaml`?"),
        ("other/deep.yaml", "there is no file `other/deep.yaml`, did you mean `x/deep.yaml`?"),
        ("pieces.yaml#/shop", "there is no `/shop` in `pieces.yaml`, did you mean `#/Shop`?"),
        ("pieces.yaml#/Shop/9", "there is no `/Shop/9` in `pieces.yaml`"),
        ("pieces.yaml#nowhere", "there is no `nowhere` in `pieces.yaml`"),
        ("broken.yaml#/A", "`broken.yaml` cannot be read: line 2: no YAML: mapping values are not"),
        ("note.txt", "`note.txt#` is no mapping, so it is no schema"),
        ("pieces.yaml#/List/0", "`pieces.yaml#/List/0` is no mapping, so it is no schema"),
        ("x", "`x` is a folder"),
        ("urn:a:b", "what begins with `urn:` is not followed"),
        ("http://[/x", "it is no reference that could be followed"),
        ("a\0.yaml", "it cannot be opened: "),
        ("x" * 5000, "it cannot be opened: File name too long"),
        (f"pieces.yaml#/List/{'0' * 5000}", "there is no `/List/000"),
        ("pieces.yaml#/List/-1", "there is no `/List/-1` in `pieces.yaml`"),
    ],
)
def test_a_reference_that_leads_nowhere_costs_that_reference_only(
    write: Write, ref: str, what: str
) -> None:
    folder = write(
        {
            "a.yaml": using(ref),
            "pieces.yaml": "Shop: {}\nList: [a text]\n",
            "note.txt": "a text\n",
            "broken.yaml": "a: 1\n b: 2\n",
            "x/deep.yaml": EMPTY,
        }
    )
    assert loaded(folder).refs("a.yaml")[ref].startswith(what)


OUTSIDE = "it leads outside the folders that were given; `--allow-outside` lets it be read"
ELSEWHERE = "it is on another machine; only https is fetched, and only with `--allow-remote`"


def test_nothing_outside_of_the_folders_is_read(write: Write) -> None:
    top = write({"out/secret.yaml": "A: {}\n", "in/b.yaml": "{}"})
    (top / "in/link.yaml").symlink_to(top / "out/secret.yaml")
    (top / "in/folder").symlink_to(top / "out")
    absolute = str(top / "out/secret.yaml")
    refs = {
        "../out/secret.yaml#/A": OUTSIDE,
        "%2e%2e/out/secret.yaml": OUTSIDE,
        "../out/not-there.yaml": OUTSIDE,
        "link.yaml": OUTSIDE,
        "folder/secret.yaml": OUTSIDE,
        absolute: OUTSIDE,
        f"file://{absolute}": OUTSIDE,
        "file://localhost/etc/hostname": OUTSIDE,
        "file://elsewhere/etc/hostname": "what begins with `file:` is not followed",
        "C:\\secret.yaml": OUTSIDE,
        "c:/secret.yaml": OUTSIDE,
        "/dev/zero": OUTSIDE,
        "http://127.0.0.1:9/x.yaml#/X": ELSEWHERE,
        "//127.0.0.1:9/x.yaml": ELSEWHERE,
        "https://127.0.0.1:9/x": "it is on another machine; `--allow-remote` lets it be fetched",
    }
    for place, ref in enumerate(refs):
        write({f"in/{place:02}.yaml": using(ref)})
    found = loaded(top / "in")
    for place, (ref, what) in enumerate(refs.items()):
        assert found.refs(f"{place:02}.yaml") == {ref: what}
    assert [*found.documents] == [f"{place:02}.yaml" for place in range(len(refs))]


def test_files_outside_are_read_where_that_is_allowed(write: Write) -> None:
    top = write(
        {
            "out/b.yaml": "A: {$ref: c.yaml}\n",
            "out/c.yaml": "{}",
            "in/a.yaml": using("../out/b.yaml#/A"),
        }
    )
    found = loaded(top / "in", allow_outside=True)
    assert found.refs("a.yaml") == {"../out/b.yaml#/A": "../out/b.yaml#/A"}
    assert found.refs("../out/b.yaml") == {"c.yaml": "../out/c.yaml#"}
    # Two folders that were both given need no permission.
    assert [*loaded(top / "in", top / "out").documents] == ["in/a.yaml", "out/b.yaml", "out/c.yaml"]


def test_a_pipe_is_not_waited_for(write: Write) -> None:
    folder = write({"a.yaml": using("pipe.yaml")})
    os.mkfifo(folder / "pipe.yaml")
    assert loaded(folder).refs("a.yaml") == {"pipe.yaml": "`pipe.yaml` is no file"}


def test_what_is_left_out_by_name_is_no_piece(write: Write) -> None:
    folder = write({"a.yaml": using("old/b.yaml"), "old/b.yaml": "{}"})
    assert loaded(folder, exclude=("old/",)).refs("a.yaml") == {
        "old/b.yaml": "`--exclude` leaves out `old/b.yaml`"
    }


def test_a_link_that_was_named_counts_from_where_it_leads(write: Write) -> None:
    top = write({"v2/api.yaml": using("b.yaml"), "v2/b.yaml": "{}"})
    (top / "now.yaml").symlink_to("v2/api.yaml")
    (top / "latest").symlink_to("v2")
    assert [*loaded(top / "now.yaml").documents] == ["b.yaml", "now.yaml"]
    assert [*loaded(top / "latest").documents] == ["api.yaml", "b.yaml"]


def test_the_order_of_paths_changes_nothing(write: Write) -> None:
    top = write({"x/a.yaml": using("../y/b.yaml"), "y/b.yaml": "{}", "y/c.yaml": using("b.yaml")})
    assert loaded(top / "x", top / "y") == loaded(top / "y", top / "x")


@pytest.mark.parametrize("part", ["mapping:", "mapping" + " " * 5000, "$ref ", "swagger: "])
def test_no_text_makes_the_search_for_descriptions_take_long(write: Write, part: str) -> None:
    folder = write({"a.yaml": f"openapi: 3.0.0\na: {part * (5_000_000 // len(part))}\n"})
    write({"b.yaml": f"a: {part * (5_000_000 // len(part))}\n"})
    began = time.process_time()
    loaded(folder)
    assert time.process_time() - began < 4


def test_large_files_that_are_no_description_cost_next_to_nothing(write: Write) -> None:
    folder = write({f"{n}.json": json.dumps(["swag", {"a": "b"}] * 100_000) for n in range(4)})
    write({"a.yaml": EMPTY})
    began = time.process_time()
    assert len(loaded(folder).skipped) == 4
    assert time.process_time() - began < 2


# ---- held to the standard

VALID = (
    "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths:\n  /a:\n    get:\n      responses:\n"
    "        '200':\n          description: D\n"
    "          content: {a/b: {schema: {$ref: 'parts/b.yaml#/B'}}}\n"
)


def test_a_valid_description_in_many_files_passes(write: Write) -> None:
    folder = write({"a.yaml": VALID, "parts/b.yaml": "B: {$ref: ./c.yaml}", "parts/c.yaml": "{}"})
    assert [*loaded(folder, strict=True).documents] == ["a.yaml", "parts/b.yaml", "parts/c.yaml"]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (
            {"a.yaml": VALID.replace("description: D", "x: 1"), "parts/b.yaml": "B: {}"},
            "a.yaml:7: /paths/~1a/get/responses/200: 'description' is a required property",
        ),
        (
            {"a.yaml": VALID, "parts/b.yaml": "B: {type: strange}"},
            "a.yaml: 'strange' is not one of ['array', 'boolean', 'integer', ",
        ),
        ({"a.yaml": VALID}, "a.yaml:9: `parts/b.yaml#/B`: there is no file `parts/b.yaml`"),
        ({"a.yaml": f"{EMPTY} x\n"}, "a.yaml: line 4: no YAML: "),
        (
            {"a.json": '{"swagger": "2.0",\n"info": {"title": "T"}, "paths": {}}'},
            "a.json:2: /info: 'version' is a required property",
        ),
    ],
)
def test_what_the_standard_has_against_it_is_told(
    write: Write, files: dict[str, str], told: str
) -> None:
    folder = write({**files, "fine.yaml": EMPTY})
    with pytest.raises(SourcebookError) as caught:
        loaded(folder, strict=True)
    assert caught.value.code == "invalid_description"
    assert any(line.startswith(told) for line in caught.value.message.splitlines())
    assert "fine.yaml" not in caught.value.message


def test_being_strict_reads_and_fetches_nothing_more(write: Write) -> None:
    folder = write(
        {"in/a.yaml": VALID.replace("parts/b.yaml#/B", "http://127.0.0.1:9/x.json"),
         "in/b.yaml": VALID.replace("parts/b.yaml#/B", "../out.json#/A"),
         "out.json": '{"A": {"type": "pearl"}}'}
    )  # fmt: skip
    with pytest.raises(SourcebookError) as caught:
        loaded(folder / "in", strict=True)
    assert caught.value.message.splitlines()[1:] == [
        f"a.yaml:9: `http://127.0.0.1:9/x.json`: {ELSEWHERE}",
        f"b.yaml:9: `../out.json#/A`: {OUTSIDE}",
    ]
