"""A cache gives back what was put in, or nothing; whatever is wrong with it, nobody is stopped."""

import os
import pickle
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from diskcache import Cache as DiskCache
from hypothesis import given
from hypothesis import strategies as st
from sourcebook import events
from sourcebook.cache import DAY_S, FAULTS_ALLOWED, cache_key, open_cache
from sourcebook.cache.admin import clear_cache, list_cache, parse_age, prune_cache
from sourcebook.cache.disk import BytesDisk, Refused
from sourcebook.errors import BadRequest

KEY = cache_key("a", "b")


@pytest.fixture(name="folder")
def a_folder(tmp_path: Path) -> Path:
    return tmp_path / "made" / "when needed"


@pytest.fixture(name="reachable")
def a_folder_that_other_users_reach() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def filled(folder: Path, count: int = 3, kind: str = "vectors") -> dict[str, bytes]:
    values = {cache_key(kind, number): f"value {number}".encode() for number in range(count)}
    with open_cache(folder) as cache:
        cache.put_many(kind, values)
    return values


def sql(folder: Path, statement: str, *values: object, kind: str = "vectors") -> None:
    connection = sqlite3.connect(folder / kind / "cache.db")
    with connection:
        connection.execute(statement, values)
    connection.close()


def as_nobody(work: Callable[[], None]) -> None:
    """Run `work` without root's rights, which ignore permissions, in a process of its own.

    It may not be able to import what lies in root's folders, so all it needs is imported above.
    """
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            work()
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.__stderr__, flush=True)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_what_was_put_in_comes_back_in_this_and_in_the_next_process(folder: Path) -> None:
    with open_cache(folder) as cache:
        assert cache.get_many("vectors", [KEY]) == {}
        assert not folder.exists()
        cache.put_many("vectors", {})
        assert not folder.exists()
        cache.put_many("vectors", {KEY: b"old", "empty": b""})
        cache.put_many("vectors", {KEY: b"new"})
        cache.put_many("parses", {KEY: b"\0" * 3_000_000})
        assert cache.get_many("vectors", [KEY, "none", "empty"]) == {KEY: b"new", "empty": b""}
    with open_cache(folder) as cache:
        assert cache.get_many("vectors", [KEY]) == {KEY: b"new"}
        assert cache.get_many("parses", [KEY]) == {KEY: b"\0" * 3_000_000}


def test_more_keys_than_one_statement_takes_are_read(folder: Path) -> None:
    values = filled(folder, 2001)
    with open_cache(folder) as cache:
        assert cache.get_many("vectors", [*values, "none"]) == values


def test_the_folder_is_the_users_alone_and_those_above_are_left_as_they_are(
    folder: Path, tmp_path: Path
) -> None:
    tmp_path.chmod(0o755)
    filled(folder)
    for made in (folder.parent, folder, folder / "vectors"):
        assert made.stat().st_mode & 0o777 == 0o700
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    (folder / "vectors").chmod(0o777)
    filled(folder, 4)
    assert (folder / "vectors").stat().st_mode & 0o777 == 0o700


def test_a_disabled_cache_is_always_empty(folder: Path) -> None:
    with open_cache(folder, enabled=False) as cache:
        cache.put_many("vectors", {KEY: b"x"})
        assert cache.get_many("vectors", [KEY]) == {}
    assert not folder.exists()


def test_the_users_cache_folder_is_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from platformdirs import user_cache_path

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    for default in (None, ""):
        with open_cache(default) as cache:
            assert cache.folder == user_cache_path("sourcebook", appauthor=False)
    assert cache.folder is not None
    assert cache.folder.is_relative_to(tmp_path)


@given(st.lists(st.text(), min_size=1), st.lists(st.text(), min_size=1))
def test_keys_differ_whenever_their_parts_do(one: list[str], other: list[str]) -> None:
    assert (cache_key(*one) == cache_key(*other)) is (one == other)
    assert len(cache_key(*one)) == 64


def test_no_value_is_ever_unpickled(folder: Path, tmp_path: Path) -> None:
    filled(folder)
    trace = tmp_path / "trace"

    class Poison:
        def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
            return os.mkdir, (str(trace),)

    poison = pickle.dumps(Poison())
    (folder / "vectors" / "aa").mkdir()
    (folder / "vectors" / "aa" / "poison.val").write_bytes(poison)
    put = "INSERT OR REPLACE INTO Cache (key, raw, mode, filename, value) VALUES (?, ?, ?, ?, ?)"
    sql(folder, put, "in place", 1, 4, None, poison)
    sql(folder, put, "in a file", 1, 4, "aa/poison.val", None)
    sql(folder, put, "a file", 1, 2, "aa/poison.val", None)
    sql(folder, put, "outside", 1, 2, "../../../../../../etc/passwd", None)
    sql(folder, put, poison, 0, 4, None, poison)
    keys = ["in place", "in a file", "a file", "outside"]
    with open_cache(folder) as cache:
        assert cache.get_many("vectors", keys) == {}
        cache.put_many("vectors", dict.fromkeys(keys, b"sound"))
        assert cache.get_many("vectors", keys) == dict.fromkeys(keys, b"sound")
    prune_cache(folder, timedelta(0))
    clear_cache(folder)
    assert not trace.exists()
    assert (folder / "vectors" / "aa" / "poison.val").exists()


def test_diskcache_itself_has_no_way_to_a_pickle_through_our_disk(
    folder: Path, tmp_path: Path
) -> None:

    trace = tmp_path / "trace"

    class Poison:
        def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
            return os.mkdir, (str(trace),)

    with DiskCache(str(folder)) as poisoned:
        poisoned["in place"] = Poison()
        poisoned["in a file"] = [Poison(), "x" * 100_000]
        poisoned[(1, 2)] = b"x"
    with DiskCache(str(folder), disk=BytesDisk) as cache:
        for poisonous in ("in place", "in a file"):
            with pytest.raises(Refused):
                cache[poisonous]
        with pytest.raises(Refused):
            list(cache)
        refused: list[tuple[object, object]] = [((1, 2), b""), (b"x", b""), ("x", "y"), ("x", 1)]
        for key, value in refused:
            with pytest.raises(Refused):
                cache[key] = value
        cache["x"] = b"y"
        assert cache["x"] == b"y"
        with pytest.raises(Refused):
            cache.read("x")
        with pytest.raises(Refused):
            cache.set("x", b"y", read=True)
    assert not trace.exists()


FAULTS: dict[str, Callable[[Path], object]] = {
    "no database": lambda folder: (folder / "cache.db").write_bytes(b"not a database" * 1000),
    "an empty file": lambda folder: (folder / "cache.db").write_bytes(b""),
    "cut in half": lambda folder: os.truncate(folder / "cache.db", 9000),
    "zeros inside": lambda folder: zeros(folder / "cache.db"),
    "another layout": lambda folder: sql(folder.parent, "ALTER TABLE Cache DROP COLUMN value"),
    "no table": lambda folder: sql(folder.parent, "DROP TABLE Cache"),
}


def zeros(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[4096:] = b"\0" * (len(data) - 4096)
    file.write_bytes(data)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_damaged_database_is_a_miss_and_made_anew(fault: str, folder: Path) -> None:
    values = filled(folder, 300)
    for left in (folder / "vectors").glob("cache.db-*"):
        left.unlink()
    FAULTS[fault](folder / "vectors")
    with open_cache(folder) as cache:
        assert cache.get_many("vectors", list(values)) == {}
        cache.put_many("vectors", values)
        cache.put_many("vectors", values)
    with open_cache(folder) as cache:
        assert cache.get_many("vectors", list(values)) == values


@pytest.mark.parametrize("fault", FAULTS)
def test_the_cache_command_says_what_is_damaged_and_clear_repairs_it(
    fault: str, folder: Path
) -> None:
    filled(folder, 300)
    for left in (folder / "vectors").glob("cache.db-*"):
        left.unlink()
    FAULTS[fault](folder / "vectors")
    for rows in (list_cache(folder), prune_cache(folder, timedelta(0)), clear_cache(folder)):
        assert [row.entries for row in rows] == [0, 0]
    assert [row.problem for row in list_cache(folder)] == ["", ""]


def test_flipped_bits_in_values_are_misses(folder: Path) -> None:
    values = filled(folder, 200)
    file = folder / "vectors" / "cache.db"
    data = bytearray(file.read_bytes())
    for place in range(len(data)):
        if data[place : place + 6] == b"value ":
            data[place] ^= 1
    file.write_bytes(data)
    with open_cache(folder) as cache:
        assert cache.get_many("vectors", list(values)) == {}


def test_values_under_each_others_keys_are_misses(folder: Path) -> None:
    filled(folder)
    sql(folder, "UPDATE Cache SET value = (SELECT value FROM Cache WHERE rowid = 1)")
    with open_cache(folder) as cache:
        found = cache.get_many("vectors", [cache_key("vectors", n) for n in range(3)])
    assert found == {cache_key("vectors", 0): b"value 0"}


def test_a_fault_is_told_once_and_the_kind_left_alone_after_three(
    folder: Path,
) -> None:
    heard: list[tuple[str, dict[str, object]]] = []
    folder.mkdir(parents=True)
    (folder / "vectors").write_text("a file where the folder should be")

    def listen(event: str, facts: dict[str, object]) -> None:
        heard.append((event, facts))

    with events.listening(listen), open_cache(folder) as cache:
        for _ in range(FAULTS_ALLOWED + 2):
            cache.put_many("vectors", {KEY: b"x"})
            assert cache.get_many("vectors", [KEY]) == {}
        cache.put_many("parses", {KEY: b"x"})
        assert cache.get_many("parses", [KEY]) == {KEY: b"x"}
    assert heard == [("cache.fault", {"kind": "vectors", "error": "OSError"})]


def test_a_linked_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    filled(elsewhere)
    folder.mkdir(parents=True)
    (folder / "vectors").symlink_to(elsewhere / "vectors")
    with open_cache(folder) as cache:
        assert cache.get_many("vectors", [cache_key("vectors", 0)]) == {}
    [row, _] = list_cache(folder)
    assert row.problem == "OSError: not a folder"
    clear_cache(folder)
    assert (elsewhere / "vectors" / "cache.db").exists()


def test_another_users_folder_is_not_trusted(reachable: Path) -> None:
    folder = reachable / "others"
    values = filled(folder)
    for each in (folder, *folder.rglob("*")):
        each.chmod(0o777)

    def work() -> None:
        if os.geteuid() == (folder / "vectors").stat().st_uid:
            return  # not started by root: there is no other user to be
        with open_cache(folder) as cache:
            assert cache.get_many("vectors", list(values)) == {}
            cache.put_many("vectors", {KEY: b"x"})
        assert list_cache(folder)[0].problem == "OSError: another user's folder"

    as_nobody(work)


def test_a_folder_that_cannot_be_written_makes_misses(reachable: Path) -> None:
    reachable.chmod(0o555)

    def work() -> None:
        with open_cache(reachable / "cache") as cache:
            cache.put_many("vectors", {KEY: b"x"})
            assert cache.get_many("vectors", [KEY]) == {}
        assert [row.problem for row in list_cache(reachable / "cache")] == ["", ""]

    as_nobody(work)
    assert list(reachable.iterdir()) == []


def test_a_database_turned_read_only_makes_misses(reachable: Path) -> None:
    def work() -> None:
        folder = reachable / "cache"
        values = filled(folder)
        (folder / "vectors" / "cache.db").chmod(0o400)
        (folder / "vectors").chmod(0o500)
        with open_cache(folder) as cache:
            found = cache.get_many("vectors", list(values))
            assert found in ({}, values)
        prune_cache(folder, timedelta(0))
        (folder / "vectors").chmod(0o700)

    as_nobody(work)


def test_a_full_disk_makes_misses_and_loses_nothing_old(folder: Path) -> None:
    values = filled(folder)

    def work() -> None:
        # The kernel then refuses to grow a file beyond this, as it would on a full disk.
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        with open_cache(folder) as cache:
            cache.put_many("vectors", {cache_key(n): os.urandom(1000) for n in range(5000)})
            cache.put_many("parses", {KEY: b"x" * 5_000_000})

    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    with open_cache(folder) as cache:
        assert cache.get_many("vectors", list(values)) == values
        assert cache.get_many("vectors", [cache_key(n) for n in range(5000)]) == {}
        assert cache.get_many("parses", [KEY]) == {}


def test_a_locked_database_is_waited_for_and_then_a_miss(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = filled(folder)
    monkeypatch.setattr("sourcebook.cache.BUSY_TIMEOUT_S", 0.2)
    connection = sqlite3.connect(folder / "vectors" / "cache.db", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    started = time.monotonic()
    with open_cache(folder) as cache:
        assert cache.get_many("vectors", list(values)) == values
        cache.put_many("vectors", {KEY: b"x"})
        assert cache.get_many("vectors", [KEY]) == {}
    assert time.monotonic() - started < 5
    assert "locked" in prune_cache(folder, timedelta(0))[0].problem
    assert "locked" in clear_cache(folder)[0].problem
    connection.execute("ROLLBACK")
    connection.close()
    with open_cache(folder) as cache:
        assert cache.get_many("vectors", list(values)) == values


def test_a_path_that_diskcache_would_change_is_a_miss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELSEWHERE", "elsewhere")
    with open_cache(tmp_path / "$ELSEWHERE") as cache:
        cache.put_many("vectors", {KEY: b"x"})
        assert cache.get_many("vectors", [KEY]) == {}
    assert not (tmp_path / "elsewhere").exists()


def test_an_unknown_kind_is_always_empty(folder: Path) -> None:
    with open_cache(folder) as cache:
        cache.put_many("../escape", {KEY: b"x"})
        assert cache.get_many("../escape", [KEY]) == {}
    assert not folder.exists()


WORKER = """
    import sys
    from sourcebook.cache import cache_key, open_cache

    folder, own, other = sys.argv[1:]
    with open_cache(folder) as cache:
        for start in range(0, 2000, 50):
            cache.put_many("vectors", {
                cache_key(own, number): f"{own} {number}".encode()
                for number in range(start, start + 50)
            } | {cache_key("shared", start): b"the same"})
            found = cache.get_many("vectors", [cache_key(other, n) for n in range(2000)])
            assert all(value.startswith(other.encode()) for value in found.values())
        assert not cache._faults, cache._faults
"""


def test_two_processes_lose_nothing_of_each_other(folder: Path) -> None:
    code = textwrap.dedent(WORKER)
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(folder), own, other])
        for own, other in [("one", "two"), ("two", "one")]
    ]
    assert [process.wait(timeout=120) for process in started] == [0, 0]
    with open_cache(folder) as cache:
        for own in ("one", "two"):
            keys = [cache_key(own, number) for number in range(2000)]
            assert len(cache.get_many("vectors", keys)) == 2000


def test_a_writer_killed_in_the_middle_leaves_the_rest_readable(folder: Path) -> None:
    values = filled(folder)
    code = """
        import os, sys
        from sourcebook.cache import cache_key, open_cache

        cache = open_cache(sys.argv[1])
        cache.put_many("vectors", {"before": b"x"})
        with cache._writers["vectors"].transact():
            cache.put_many("vectors", {cache_key(n): bytes(1000) for n in range(3000)})
            os.kill(os.getpid(), 9)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(folder)], check=False)
    assert done.returncode == -9
    with open_cache(folder) as cache:
        assert cache.get_many("vectors", [*values, "before"]) == values | {"before": b"x"}
        assert cache.get_many("vectors", [cache_key(0)]) == {}
        cache.put_many("vectors", {KEY: b"y"})
        assert cache.get_many("vectors", [KEY]) == {KEY: b"y"}


def age(folder: Path, days: float, *keys: str) -> None:
    connection = sqlite3.connect(folder / "vectors" / "cache.db")
    with connection:
        connection.executemany(
            "UPDATE Cache SET access_time = ? WHERE key = ?",
            [(time.time() - days * DAY_S, key) for key in keys],
        )
    connection.close()


def read_times(folder: Path) -> dict[str, float]:
    connection = sqlite3.connect(folder / "vectors" / "cache.db")
    rows = connection.execute("SELECT key, access_time FROM Cache").fetchall()
    connection.close()
    return dict(rows)


def test_the_time_of_the_last_read_moves_once_a_day(folder: Path) -> None:
    first, second, third = filled(folder)
    age(folder, 3, first, second)
    age(folder, 0.5, third)
    before = read_times(folder)
    with open_cache(folder) as cache:
        cache.get_many("vectors", [first, third])
    after = read_times(folder)
    assert after[first] > time.time() - 60
    assert (after[second], after[third]) == (before[second], before[third])


def test_prune_drops_what_nobody_has_read_for_long_and_returns_the_space(folder: Path) -> None:
    big = {cache_key(number): os.urandom(1500) for number in range(400)}
    with open_cache(folder) as cache:
        cache.put_many("vectors", big)
        cache.put_many("parses", {KEY: b"x"})
    kept, *old = big
    size = (folder / "vectors" / "cache.db").stat().st_size
    age(folder, 31, *old)
    [vectors, parses] = prune_cache(folder, parse_age("30d"))
    assert (vectors.kind, vectors.entries, vectors.problem) == ("vectors", 399, "")
    assert vectors.bytes >= 399 * 1500
    assert (parses.kind, parses.entries) == ("parses", 0)
    assert (folder / "vectors" / "cache.db").stat().st_size < size / 4
    with open_cache(folder) as cache:
        assert list(cache.get_many("vectors", list(big))) == [kept]
        assert cache.get_many("parses", [KEY]) == {KEY: b"x"}


def test_ls_says_what_is_kept_and_clear_drops_it(folder: Path) -> None:
    empty = list_cache(folder)
    assert [(row.kind, row.entries, row.bytes, row.oldest_read) for row in empty] == [
        ("vectors", 0, 0, ""),
        ("parses", 0, 0, ""),
    ]
    assert not folder.exists()
    first, *_ = filled(folder)
    age(folder, 400, first)
    [vectors, _] = list_cache(folder)
    assert vectors.entries == 3
    assert vectors.bytes == 3 * (7 + 8)
    assert vectors.oldest_read[:4] in (
        str(time.gmtime().tm_year - 1),
        str(time.gmtime().tm_year - 2),
    )
    assert vectors.path == str(folder / "vectors" / "cache.db")
    assert [row.entries for row in clear_cache(folder)] == [3, 0]
    assert [row.entries for row in list_cache(folder)] == [0, 0]


@pytest.mark.parametrize(
    ("text", "age"),
    [("30d", timedelta(days=30)), (" 12H ", timedelta(hours=12)), ("8w", timedelta(weeks=8))],
)
def test_an_age_is_a_number_and_a_unit(text: str, age: timedelta) -> None:
    assert parse_age(text) == age


@pytest.mark.parametrize("text", ["", "30", "d", "-1d", "1.5d", "30 days", "999999w", "\x1b[1d"])
def test_what_is_no_age_is_refused(text: str) -> None:
    with pytest.raises(BadRequest) as caught:
        parse_age(text)
    assert caught.value.message.isprintable()


def test_opening_a_cache_imports_neither_diskcache_nor_sqlite() -> None:
    code = "import sys; from sourcebook.cache import open_cache; open_cache('/nowhere/x').close(); "
    code += "print({'diskcache', 'sqlite3', 'numpy', 'pickle'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_twelve_thousand_vectors_are_read_in_well_under_a_second(folder: Path) -> None:
    values = {cache_key("speed", number): os.urandom(1536) for number in range(12_000)}
    with open_cache(folder) as cache:
        cache.put_many("vectors", values)
    with open_cache(folder) as cache:
        started = time.process_time()
        assert len(cache.get_many("vectors", list(values))) == 12_000
        assert time.process_time() - started < 0.8
