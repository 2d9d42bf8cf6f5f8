"""The store `memory`: its files, and what is special about it."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sourcebook.errors import IndexDamaged, IndexOutdated, StoreMismatch, StoreUnavailable
from sourcebook.store import Location, Row, StoreSchema
from sourcebook.stores.memory import ROWS, VECTORS, begin, open_reader

SCHEMA = StoreSchema(("body",), {"kind": False}, 2)


@pytest.fixture
def published(tmp_path: Path) -> Path:
    writer = begin(Location(folder=tmp_path), SCHEMA, None)
    vector = np.array([[0.6, 0.8]], np.float32)
    writer.upsert(Row(f"{n}", "d", terms={"body": "red"}, vectors=vector) for n in range(3))
    writer.publish()
    return tmp_path


def test_the_files_are_lines_of_json_and_raw_numbers(published: Path) -> None:
    header, *rows = (published / ROWS).read_text().splitlines()
    assert json.loads(header) == {"format": 1, "dimensions": 2}
    assert json.loads(rows[2]) == ["2", "d", "", {}, {}, {"body": "red"}, 8]
    assert np.fromfile(published / VECTORS, "<f4").tolist() == pytest.approx([0.6, 0.8] * 3)


@pytest.mark.parametrize("damage", ["cut", "longer", "not json", "not a row", "no header"])
def test_damage_names_the_file(published: Path, damage: str) -> None:
    rows, vectors = published / ROWS, published / VECTORS
    match damage:
        case "cut":
            vectors.write_bytes(vectors.read_bytes()[:-4])
        case "longer":
            vectors.write_bytes(vectors.read_bytes() + bytes(8))
        case "not json":
            rows.write_bytes(rows.read_bytes() + b"{\n")
        case "not a row":
            rows.write_bytes(rows.read_bytes() + b'["a", "b", "c", "d", "e"]\n')
        case _:
            rows.write_bytes(b"")
    with pytest.raises(IndexDamaged) as raised:
        open_reader(Location(folder=published), SCHEMA)
    assert raised.value.where == str(vectors if damage == "longer" else rows)


def test_another_format_is_outdated_not_damaged(published: Path) -> None:
    rows = published / ROWS
    rows.write_bytes(rows.read_bytes().replace(b'"format": 1', b'"format": 2'))
    with pytest.raises(IndexOutdated):
        open_reader(Location(folder=published), SCHEMA)


def test_vectors_of_another_width_are_a_mismatch(published: Path) -> None:
    wider = StoreSchema(("body",), {"kind": False}, 3)
    with pytest.raises(StoreMismatch) as raised:
        begin(Location(folder=published / "next"), wider, Location(folder=published))
    assert (raised.value.expected, raised.value.actual) == ("3", "2")


def test_a_location_without_a_folder_is_refused() -> None:
    with pytest.raises(StoreUnavailable):
        begin(Location(), SCHEMA, None)


def test_a_search_by_words_imports_no_numpy(published: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from sourcebook.store import *;"
        "from sourcebook.stores.memory import open_reader;"
        "schema = StoreSchema(('body',), {'kind': False}, 2);"
        "reader = open_reader(Location(folder=Path(sys.argv[1])), schema);"
        "assert reader.candidates(['red'], 2) == ['0', '1'];"
        "assert reader.candidates(['red'], 2, {'kind': ['x']}) == [];"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program, published], check=True)
