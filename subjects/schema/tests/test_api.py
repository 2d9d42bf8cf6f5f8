"""From the facts of files to one graph: references across files, variants, documents, damage."""

import json
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sourcebook.errors import IndexDamaged
from sourcebook.index.columns import Columns, encode_columns
from sourcebook_schema.api import Api
from sourcebook_schema.assemble import assemble
from sourcebook_schema.components import COMPONENTS
from sourcebook_schema.documents import name_documents
from sourcebook_schema.facts import EDGES, NODE_KINDS, ComponentRow, Mark
from sourcebook_schema.graph import GRAPH

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

MakeApi = Callable[..., Any]
FileOf = Callable[..., dict[str, Any]]
Answer = Callable[..., Any]


def edges_of(api: Api) -> set[tuple[str, str, str]]:
    return {
        (api.id(node), EDGES[label], api.id(end))
        for node in range(len(api.graph))
        for end, label in api.graph.out.of(node)
    }


def variants_of(api: Api, key: str) -> dict[str, str]:
    node = api.node(f"api.yaml#{key}")
    return {tag: api.id(end) for tag, end in api.graph.variants(node).items()}


def test_references_to_other_files_become_edges(make_api: MakeApi, file_of: FileOf) -> None:
    api = make_api(
        {
            "root.yaml": file_of(
                ["Method:GET /a", "Type:A"],
                ["Method:GET /a output parts/b.yaml#/B", "Type:A ref parts/gone.yaml#/C"],
            ),
            "parts/b.yaml": file_of(["Type:B"], root=False),
        }
    )
    assert edges_of(api) == {("root.yaml#Method:GET /a", "output", "parts/b.yaml#Type:B")}
    assert api.direction(api.node("parts/b.yaml#Type:B")) == "output"


def test_an_edge_to_a_path_item_leads_to_each_operation_in_it(
    make_api: MakeApi, file_of: FileOf
) -> None:
    piece = file_of(["Method:getB", "Method:putB", "Type:B"], root=False)
    for row, method in zip(piece["nodes"], ("get", "put", ""), strict=True):
        row[4] = f"/item/{method}" if method else "/B"
    api = make_api(
        {
            "root.yaml": file_of(["Service:S"], ["Service:S holds piece.yaml#/item"]),
            "piece.yaml": piece,
        }
    )
    assert {end for _, _, end in edges_of(api)} == {
        "piece.yaml#Method:getB",
        "piece.yaml#Method:putB",
    }


def test_a_union_without_a_mapping_is_told_apart_by_the_names_of_its_members(
    make_api: MakeApi,
) -> None:
    api = make_api(
        ["Type:Pet", "Type:Cat", "Type:Dog", "Type:Made"],
        [
            "Type:Pet oneOf Type:Cat",
            "Type:Pet oneOf Type:Dog",
            "Type:Pet oneOf Type:Made",
            "Type:Pet variant Type:Dog =woof",
        ],
        details={"Type:Pet": {"discriminator": "kind"}},
        marks={"Type:Made": Mark.MADE},
    )
    assert variants_of(api, "Type:Pet") == {
        "Cat": "api.yaml#Type:Cat",
        "woof": "api.yaml#Type:Dog",
    }


def test_a_base_without_a_union_may_be_whatever_extends_it(make_api: MakeApi) -> None:
    api = make_api(
        ["Type:Base", "Type:Alias", "Type:Cat", "Type:Lynx", "Type:Stone"],
        [
            "Type:Alias ref Type:Base",
            "Type:Cat allOf Type:Alias",
            "Type:Lynx allOf Type:Cat",
            "Type:Stone field Type:Base",
        ],
        details={
            "Type:Base": {"discriminator": "kind"},
            "Type:Cat": {"extends": ["api.yaml#/Alias"]},
            "Type:Lynx": {"extends": ["api.yaml#/Cat"]},
        },
    )
    assert variants_of(api, "Type:Base") == {
        "Cat": "api.yaml#Type:Cat",
        "Lynx": "api.yaml#Type:Lynx",
    }


def test_types_that_extend_one_another_in_a_circle_do_no_harm(make_api: MakeApi) -> None:
    api = make_api(
        ["Type:A", "Type:B"],
        ["Type:A allOf Type:B", "Type:B allOf Type:A", "Type:A ref Type:B", "Type:B ref Type:A"],
        details={
            "Type:A": {"discriminator": "kind", "extends": ["api.yaml#/B"]},
            "Type:B": {"extends": ["api.yaml#/A"]},
        },
    )
    assert variants_of(api, "Type:A") == {"B": "api.yaml#Type:B"}


def test_variants_are_told_by_uri_as_well(make_api: MakeApi) -> None:
    api = make_api(
        ["Type:A", "Type:B"],
        ["Type:A variant Type:B =b"],
        components=[
            ComponentRow("/A", "schema", 0, '{"a": 1}'),
            ComponentRow("/B", "schema", 1, "true"),
        ],
    )
    assert api.variants("api.yaml#/A") == {"b": "api.yaml#/B"}
    assert api.variants("api.yaml#/Gone") == {}
    assert api.component("api.yaml#/A") == {"a": 1}
    with pytest.raises(KeyError):
        api.component("api.yaml#/Gone")


def test_a_document_covers_the_pieces_it_reaches_and_no_other_document(
    make_api: MakeApi, file_of: FileOf
) -> None:
    api = make_api(
        {
            "a.yaml": file_of(["Type:A"], ["Type:A ref p.yaml#/P"]),
            "b.yaml": file_of(["Type:B"], ["Type:B ref a.yaml#/A"]),
            "p.yaml": file_of(["Type:P"], ["Type:P ref q.yaml#/Q"], root=False),
            "q.yaml": file_of(["Type:Q"], root=False),
        }
    )
    assert {one.name: one.files for one in api.documents} == {
        "a": ("a.yaml", "p.yaml", "q.yaml"),
        "b": ("b.yaml",),
    }
    assert api.documents_of["q.yaml"] == ("a",)
    assert [one.types for one in api.documents] == [3, 1]


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        (["specs/v1.yaml", "specs/next/v3.yml"], ["v1", "v3"]),
        (["v3.yml", "next/v3.yml"], ["v3", "next/v3"]),
        (["a/x/api.yaml", "b/x/api.yaml"], ["a/x/api", "b/x/api"]),
        (["api.yaml", "api.json"], ["api.yaml", "api.json"]),
    ],
)
def test_documents_have_the_shortest_name_that_is_theirs_alone(
    sources: list[str], names: list[str]
) -> None:
    assert list(name_documents(sources).values()) == names


paths = st.lists(st.sampled_from(["a", "b", "v1"]), min_size=1, max_size=3).map("/".join)


@unhurried
@given(st.lists(st.tuples(paths, st.sampled_from([".yaml", ".json"])).map("".join), unique=True))
def test_no_two_documents_have_the_same_name(sources: list[str]) -> None:
    assert len(set(name_documents(sources).values())) == len(sources)


@unhurried
@given(seed=st.integers(0, 1000))
def test_the_order_of_files_changes_no_byte(file_of: FileOf, seed: int) -> None:
    files = {
        f"{name}.yaml": [file_of(["Type:A", f"Type:{name}"], [f"Type:A ref b.yaml#/{name}"])]
        for name in "abc"
    }
    mixed = list(files.items())
    Random(seed).shuffle(mixed)
    assert assemble(dict(mixed)) == assemble(files)


def test_without_any_file_there_is_an_empty_graph() -> None:
    made = assemble({"empty.yaml": []})
    assert len(Api(made.__getitem__, "db").graph) == 0


@unhurried
@given(st.lists(st.text(max_size=6)), st.text(max_size=3))
def test_a_column_of_texts_gives_back_what_was_written_and_finds_it(
    texts: list[str], wanted: str
) -> None:
    data = encode_columns({"texts": texts}, {"a": 1})
    column = Columns(data, "x").texts("texts", len(texts))
    assert list(column) == [column[row] for row in range(len(texts))] == texts
    folded = wanted.casefold()
    assert column.equal(wanted) == [
        row for row, one in enumerate(texts) if wanted and one == wanted
    ]
    assert column.holding(wanted) == [
        row for row, one in enumerate(texts) if wanted and wanted in one
    ]
    found = [row for row, one in enumerate(texts) if wanted and folded in one.casefold()]
    assert column.holding(wanted, exactly=False) == found
    same = [row for row, one in enumerate(texts) if wanted and folded == one.casefold()]
    assert column.equal(wanted, exactly=False) == same


READS: list[Callable[[Api], object]] = [
    lambda api: [api.id(node) for node in range(len(api.graph))],
    edges_of,
    lambda api: [api.direction(node) for node in range(len(api.graph))],
    lambda api: api.graph.operations,
    lambda api: api.files,
    lambda api: api.variants("api.yaml#/A"),
    lambda api: api.component("api.yaml#/A"),
    lambda api: [api.graph.detail(node) for node in range(len(api.graph))],
]


def columns_of(data: bytes) -> dict[str, list[Any]]:
    head = json.loads(data[16 : 16 + int.from_bytes(data[8:16], "little")])
    return {**head["columns"]}


@unhurried
@given(data=st.data())
def test_strange_bytes_are_damage_and_no_fault_of_the_program(
    make_api: MakeApi, file_of: FileOf, data: st.DataObject
) -> None:
    file = file_of(
        ["Method:GET /a", "Type:A", "Property:A.b"],
        ["Method:GET /a output Type:A", "Type:A field Property:A.b", "Type:A variant Type:A =x"],
        components=[ComponentRow("/A", "schema", 1, "{}")],
    )
    made = assemble({"api.yaml": [file]})
    name = data.draw(st.sampled_from([GRAPH, COMPONENTS]))
    changed = bytearray(made[name])
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    files = {**made, name: bytes(changed)}
    for read in READS:
        try:
            read(Api(files.__getitem__, "db"))
        except (IndexDamaged, KeyError):
            continue


@pytest.mark.parametrize(
    ("column", "numbers"),
    [
        ("parents", [9]),
        ("out.ends", [9]),
        ("kinds", [99]),
        ("kinds", [NODE_KINDS.index("method")]),  # of which nothing else is told
        ("starts", [9]),
    ],
)
def test_numbers_that_lead_nowhere_are_damage(
    file_of: FileOf, column: str, numbers: list[int]
) -> None:
    file = file_of(["Type:A"], ["Type:A ref Type:A"])
    made = dict(assemble({"api.yaml": [file]}))
    place, size, form, _ = columns_of(made[GRAPH])[column]
    begin = 16 + int.from_bytes(made[GRAPH][8:16], "little")
    old = zlib.decompress(made[GRAPH][begin + place : begin + place + size])
    width = 1 if form == "B" else 4
    new = b"".join(one.to_bytes(width, "little") for one in numbers) + old[width * len(numbers) :]
    packed = zlib.compress(new, 6)
    head = json.loads(made[GRAPH][16:begin])
    head["columns"][column] = [len(made[GRAPH]) - begin, len(packed), form, len(numbers)]
    text = json.dumps(head).encode()
    made[GRAPH] = (
        made[GRAPH][:8] + len(text).to_bytes(8, "little") + text + made[GRAPH][begin:] + packed
    )
    with pytest.raises(IndexDamaged, match="structure"):
        [read(Api(made.__getitem__, "db")) for read in READS]


def test_a_crafted_circle_of_owners_comes_to_an_end(make_api: MakeApi, file_of: FileOf) -> None:
    file = file_of(["Type:A", "Property:A.b"])
    file["nodes"][0][3], file["nodes"][0][0] = 1, "Type:Other"
    file["nodes"][1][3], file["nodes"][1][0] = 1, "Property:Else"
    api = make_api({"api.yaml": file})
    assert list(api.owners(0)) == [1]
    assert api.title(0)


def test_a_damaged_file_of_an_index_is_said_to_be_damaged(
    shop: str, tmp_path: Path, answer: Answer
) -> None:
    index = tmp_path / "shop-db"
    shutil.copytree(shop, index)
    (place,) = index.glob(f"generations/*/structure/{GRAPH}")
    place.chmod(0o644)
    place.write_bytes(place.read_bytes()[:-1])
    found = answer("list", "--dir", str(index))
    assert (found["status"], found["error"]["code"]) == (1, "index_damaged")
