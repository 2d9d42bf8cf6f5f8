"""Damaged and hostile indexes: an error that names the file, and nothing else ever."""

import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sourcebook.errors import (
    IndexDamaged,
    IndexMissing,
    IndexOutdated,
    SourcebookError,
)
from sourcebook.index.manifest import FORMAT, LIMIT_BYTES
from sourcebook.index.open import open_index, verify_index
from sourcebook.testing.indexes import answers, ask, build

QUESTIONS = ("zebra token", "alpha")

DEEP = b"[" * 200_000
GARBAGE = random.Random(7).randbytes(3000)

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[: len(data) // 2],
    "emptied": lambda _data: b"",
    "longer": lambda data: data + b"\n",
    "flipped": lambda data: data[:-7] + bytes(one ^ 16 for one in data[-7:-6]) + data[-6:],
    "garbage": lambda _data: GARBAGE,
    "deep": lambda _data: DEEP,
    "huge": lambda _data: b"[" + b"[]," * 300_000 + b"0]",
}


@pytest.fixture(name="sound", scope="module")
def _sound(tmp_path_factory: pytest.TempPathFactory, _notes: None) -> Path:
    """An index with a dead row, two segments, and everything that an index may have."""
    folder = tmp_path_factory.mktemp("sound")
    corpus = folder / "corpus"
    corpus.mkdir()
    for name in "abcd":
        (corpus / f"{name}.txt").write_text(f"# Title {name}\n\nzebra token\n\n!fact {name}\n")
    build("notes", corpus, folder / "notes-db")
    (corpus / "a.txt").write_text("# Other\n\nalpha beta\n")
    build("notes", corpus, folder / "notes-db")
    shutil.rmtree(folder / "notes-db" / "generations" / "1")
    with open_index(folder / "notes-db") as index:
        needed = {f"{info.digest}.z" for info in index.sources.values()}
    for place in (folder / "notes-db" / "sources").iterdir():
        if place.name not in needed:
            place.unlink()
    return folder / "notes-db"


@pytest.fixture(name="damaged")
def _damaged(sound: Path, tmp_path: Path) -> Path:
    """A copy of the sound index, to be damaged."""
    return shutil.copytree(sound, tmp_path / "notes-db")


def files(index: Path) -> list[Path]:
    """Return all that the index consists of."""
    folders = ("generations", "sources")
    return [one for part in folders for one in sorted((index / part).rglob("*")) if one.is_file()]


def use(index: Path) -> None:
    """Ask for everything there is."""
    found = answers(index, QUESTIONS)
    with open_index(index) as opened:
        for entry_id, *_ in found["entries"]:
            opened.entry(entry_id)
        ask(opened, "grep", pattern="zebra")
        ask(opened, "stats")
        ask(opened, "export")


def each_file(index: Path) -> list[Path]:
    """Return the names of all files that hold anything."""
    return [place.relative_to(index) for place in files(index) if place.stat().st_size]


def test_the_sound_index_is_sound_and_has_everything(sound: Path) -> None:
    use(sound)
    assert verify_index(sound) == []
    assert {name.name for name in each_file(sound)} >= {
        "sources.jsonl", "dead.json", "background.f32", "titles.json", "1.sbk", "2.sbk",
        "rows.jsonl", "vectors.f32",
    }  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named_by_whoever_uses_or_verifies_it(
    damaged: Path, tmp_path: Path, damage: str
) -> None:
    for name in each_file(damaged):
        place = damaged / name
        sound = place.read_bytes()
        place.unlink()  # it may be linked elsewhere
        place.write_bytes(DAMAGES[damage](sound))
        with pytest.raises(IndexDamaged) as caught:
            use(damaged)
        assert caught.value.where == str(place)
        assert "index" in caught.value.hint
        assert str(place) in [fault.where for fault in verify_index(damaged)]
        place.write_bytes(sound)
    use(damaged)


def test_a_missing_file_is_named(damaged: Path) -> None:
    for name in each_file(damaged):
        place = damaged / name
        place.rename(damaged / "away")
        with pytest.raises(IndexDamaged, match="cannot be read: missing") as caught:
            use(damaged)
        assert caught.value.where == str(place)
        assert [fault.where for fault in verify_index(damaged)] == [str(place)]
        (damaged / "away").rename(place)


def test_something_else_in_the_place_of_a_file_blocks_nobody(damaged: Path) -> None:
    for name in each_file(damaged):
        place = damaged / name
        place.rename(damaged / "away")
        for make in (os.mkfifo, Path.mkdir, lambda one: one.symlink_to(one)):
            make(place)
            with pytest.raises(IndexDamaged) as caught:
                use(damaged)
            assert caught.value.where == str(place)
            assert [fault.where for fault in verify_index(damaged)] == [str(place)]
            place.rmdir() if place.is_dir() else place.unlink()
        (damaged / "away").rename(place)


@pytest.mark.parametrize("what", ["generations", "generations/2", "sources"])
def test_a_missing_folder_is_damage(damaged: Path, what: str) -> None:
    shutil.rmtree(damaged / what)
    with pytest.raises(IndexDamaged):
        use(damaged)
    assert verify_index(damaged) != []


def test_without_a_manifest_there_is_no_index(damaged: Path) -> None:
    (damaged / "manifest.json").unlink()
    with pytest.raises(IndexMissing, match="has no manifest"):
        open_index(damaged)
    with pytest.raises(IndexMissing):
        verify_index(damaged)
    for place in ("gone", "notes-db/manifest.json/x", "nul\0"):
        with pytest.raises(IndexMissing):
            open_index(damaged.parent / place)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_manifest_is_an_error_at_once(damaged: Path, damage: str) -> None:
    place = damaged / "manifest.json"
    if damage == "longer":
        place.write_bytes(place.read_bytes() + b" " * LIMIT_BYTES)
    else:
        place.write_bytes(DAMAGES[damage](place.read_bytes()).replace(b'":', b'"', 1))
    for attempt in (open_index, verify_index):
        with pytest.raises(IndexDamaged, match="the manifest is damaged") as caught:
            attempt(damaged)
        assert caught.value.where == str(place)


def test_a_manifest_that_is_no_file_blocks_nobody(damaged: Path) -> None:
    (damaged / "manifest.json").unlink()
    os.mkfifo(damaged / "manifest.json")
    with pytest.raises(IndexDamaged, match="not a regular file"):
        open_index(damaged)


def manifest_of(index: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((index / "manifest.json").read_text())
    return found


def put_manifest(index: Path, manifest: dict[str, Any]) -> None:
    (index / "manifest.json").write_text(json.dumps(manifest))


WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**4000,
    1.5,
    "x",
    "\ud800",
    [],
    [[]],
    {},
    {"x": {}},
    [None],
    [1],
    ["x"],
)


def test_whatever_stands_in_a_manifest_nothing_worse_than_an_error_comes_of_it(
    damaged: Path,
) -> None:
    sound = manifest_of(damaged)
    for key in sound:
        for value in WRONG:
            put_manifest(damaged, {**sound, key: value})
            for attempt in (use, verify_index):
                with suppress(SourcebookError):
                    attempt(damaged)
        put_manifest(damaged, {name: value for name, value in sound.items() if name != key})
        with pytest.raises((IndexDamaged, IndexOutdated)):
            open_index(damaged)


@pytest.mark.parametrize(
    "name",
    [
        "../../secret", "/etc/passwd", "segments/../../../secret", "..", ".", "", "a//b", "a\\b",
        "C:/secret", "segments/\u2028", "nul\0", "x" * 5000, "~/secret", "a/./b", "...",
    ],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_refused(damaged: Path, name: str) -> None:
    secret = damaged.parent / "secret"
    secret.write_text("gold")
    lock = [4, hashlib.sha256(b"gold").hexdigest()]
    manifest = manifest_of(damaged)
    manifest["files"][name] = lock
    put_manifest(damaged, manifest)
    (fault,) = verify_index(damaged)
    assert "is not the name of a file in an index" in fault.message
    with pytest.raises(IndexDamaged), open_index(damaged) as index:
        index.generation.check_all()
    with pytest.raises(IndexDamaged), open_index(damaged) as index:
        index.structure(name)


def test_a_source_that_leads_elsewhere_is_refused(damaged: Path) -> None:
    table = damaged / "generations/2/sources.jsonl"
    rows = [json.loads(line) for line in table.read_text().splitlines()]
    rows[0][1] = "../../../secret"
    relock(damaged, table, "\n".join(map(json.dumps, rows)).encode())
    with open_index(damaged) as index, pytest.raises(IndexDamaged, match="is not the digest"):
        index.source("a.txt")
    assert ["is not the digest" in fault.message for fault in verify_index(damaged)] == [True]


def test_other_formats_features_and_subjects_are_told_apart_from_damage(damaged: Path) -> None:
    sound = manifest_of(damaged)
    put_manifest(damaged, {**sound, "format": FORMAT + 1})
    with pytest.raises(IndexOutdated, match=f"has format {FORMAT + 1}, this") as caught:
        open_index(damaged)
    assert "upgrade" in caught.value.hint
    put_manifest(damaged, {**sound, "format": 0})
    with pytest.raises(IndexOutdated) as caught:
        open_index(damaged)
    assert "sourcebook notes index PATH..." in caught.value.hint
    put_manifest(damaged, {**sound, "features": ["segments", "telepathy"]})
    with pytest.raises(IndexOutdated, match="needs the feature `telepathy`"):
        open_index(damaged)
    put_manifest(damaged, {**sound, "subject_format": 7})
    with pytest.raises(IndexOutdated, match="reads format 1, the index has 7"):
        open_index(damaged)
    put_manifest(damaged, {**sound, "subject": "nobody"})
    with pytest.raises(SourcebookError, match="no subject named `nobody`") as missing:
        open_index(damaged)
    assert missing.value.where == f"{damaged}/manifest.json, subject"
    stores = [{**one, "format_version": 9} for one in sound["stores"]]
    put_manifest(damaged, {**sound, "stores": stores})
    with pytest.raises(IndexOutdated, match="the store `memory` reads format 1"):
        use(damaged)


def relock(index: Path, place: Path, data: bytes) -> None:
    """Change a file and the manifest with it, as somebody hostile would."""
    place.unlink()
    place.write_bytes(data)
    manifest = manifest_of(index)
    name = place.relative_to(index / "generations" / str(manifest["generation"])).as_posix()
    manifest["files"][name] = [len(data), hashlib.sha256(data).hexdigest()]
    put_manifest(index, manifest)


def mutated(data: bytes, generator: random.Random) -> bytes:
    """Return bytes that are mostly as they were."""
    changed = bytearray(data)
    for _ in range(generator.randint(1, 4)):
        at = generator.randrange(len(changed) + 1)
        match generator.randrange(5):
            case 0:
                changed[at : at + 1] = generator.randbytes(1)
            case 1:
                changed[at : at + generator.randint(1, 40)] = b""
            case 2:
                changed[at:at] = changed[at : at + generator.randint(1, 40)]
            case 3:
                changed[at : at + 8] = generator.choice((b"\xff" * 8, bytes(8), b"\x01" + bytes(7)))
            case _:
                new = (b"null", b"-1", b"{}", b"[]", b'"x"', b"99999999999", b"1e400", b"[[[[")
                changed[at:at] = generator.choice(new)
        changed = changed or bytearray(b"\0")
    return bytes(changed)


@pytest.mark.parametrize("damage", [*DAMAGES, *range(12)])
def test_a_hostile_file_whose_digest_is_right_is_an_error_at_worst(
    damaged: Path, damage: str | int
) -> None:
    generator = random.Random(str(damage))
    for name in each_file(damaged):
        if name.parts[0] == "sources":
            continue
        place = damaged / name
        sound = place.read_bytes()
        for _ in range(6 if isinstance(damage, int) else 1):
            known = DAMAGES.get(str(damage))
            relock(damaged, place, known(sound) if known else mutated(sound, generator))
            for attempt in (use, verify_index):
                with suppress(SourcebookError):
                    attempt(damaged)
        relock(damaged, place, sound)
    use(damaged)


@pytest.mark.parametrize("damage", ["cut", "flipped", "garbage"])
def test_a_build_over_a_damaged_index_mends_it(
    damaged: Path, sound: Path, tmp_path: Path, damage: str
) -> None:
    corpus = sound.parent / "corpus"
    wanted = answers(sound, QUESTIONS)
    for name in [*each_file(damaged), Path("manifest.json")]:
        shutil.rmtree(damaged)
        shutil.copytree(sound, damaged)
        place = damaged / name
        data = DAMAGES[damage](place.read_bytes())
        place.unlink()
        place.write_bytes(data)
        built = build("notes", corpus, damaged)
        assert name.parts[0] == "sources" or built.rebuilt
        assert verify_index(damaged) == []
        assert answers(damaged, QUESTIONS) == wanted
        assert build("notes", corpus, damaged).rebuilt == ""


@pytest.mark.parametrize("what", ["manifest.json", "generations", "generations/2", "sources"])
def test_a_build_over_an_index_that_lacks_something_mends_it(
    damaged: Path, sound: Path, what: str
) -> None:
    gone = damaged / what
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    build("notes", sound.parent / "corpus", damaged)
    assert verify_index(damaged) == []
    assert answers(damaged, QUESTIONS) == answers(sound, QUESTIONS)


@pytest.mark.parametrize("seed", range(8))
def test_a_build_over_a_hostile_index_mends_it(damaged: Path, sound: Path, seed: int) -> None:
    generator = random.Random(seed)
    corpus = sound.parent / "corpus"
    for name in each_file(sound):
        if name.parts[0] == "sources" or name.name == "README.md":
            continue
        shutil.rmtree(damaged)
        shutil.copytree(sound, damaged)
        relock(damaged, damaged / name, mutated((damaged / name).read_bytes(), generator))
        # What a stranger changed in a way that can be read is not noticed, and must not be: but
        # building anew, which is what the errors advise, is right whatever was there.
        build("notes", corpus, damaged)
        build("notes", corpus, damaged, anew=True)
        assert verify_index(damaged) == []
        assert answers(damaged, QUESTIONS) == answers(sound, QUESTIONS)
