"""The database's file: two processes at once, versions, and what a disk can do to it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.library.database import Damaged, Database

FIRST = ("CREATE TABLE things (name TEXT)",)
SECOND = ("ALTER TABLE things ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey'",)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "things.sqlite3"


@pytest.fixture
def open_one(file: Path) -> object:
    made: list[Database] = []

    def opened(*migrations: tuple[str, ...]) -> Database:
        made.append(Database(file, migrations or (FIRST,), "The list"))
        return made[-1]

    yield opened
    for one in made:
        one.close()


Open = Callable[..., Database]


def names(database: Database) -> list[str]:
    with database.reading() as connection:
        return [name for (name,) in connection.execute("SELECT name FROM things ORDER BY name")]


def put(database: Database, name: str) -> None:
    with database.writing() as connection:
        connection.execute("INSERT INTO things (name) VALUES (?)", (name,))


def test_it_is_set_up_as_it_must_be(open_one: Open) -> None:
    with open_one().reading() as connection:
        asked = ("journal_mode", "foreign_keys", "secure_delete", "busy_timeout", "user_version")
        got = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in asked]
    assert got == ["wal", 1, 1, 5000, 1]


def test_an_older_schema_is_brought_up_to_date(open_one: Open) -> None:
    old = open_one(FIRST)
    put(old, "chair")
    old.close()
    new = open_one(FIRST, SECOND)
    with new.reading() as connection:
        assert connection.execute("SELECT * FROM things").fetchall() == [("chair", "grey")]
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_migration_that_fails_changes_nothing(open_one: Open, file: Path) -> None:
    put(open_one(FIRST), "chair")
    with (
        pytest.raises(sqlite3.OperationalError),
        open_one(FIRST, (*SECOND, "CREATE TABLE things (x)")).reading(),
    ):
        pass
    assert names(open_one(FIRST)) == ["chair"]
    with open_one(FIRST).reading() as connection:
        assert len(connection.execute("PRAGMA table_info(things)").fetchall()) == 1


def test_a_newer_schema_is_let_be(open_one: Open, file: Path) -> None:
    put(open_one(FIRST, SECOND), "chair")
    with pytest.raises(SpanlightError, match=r"newer Spanlight.*Update") as raised:
        names(open_one(FIRST))
    assert not isinstance(raised.value, Damaged)
    assert names(open_one(FIRST, SECOND)) == ["chair"]


def test_what_raises_inside_is_undone(open_one: Open) -> None:
    database = open_one()
    put(database, "chair")
    with pytest.raises(ZeroDivisionError), database.writing() as connection:
        connection.execute("INSERT INTO things VALUES ('table')")
        raise ZeroDivisionError
    assert names(database) == ["chair"]


@pytest.mark.parametrize(
    "content", [b"this is no database at all, it only has its name" * 100, b"\x00" * 5000]
)
def test_a_broken_file_is_set_aside_and_said_once(open_one: Open, file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(Damaged, match="The list was damaged and has been set aside"):
        names(open_one())
    assert file.with_name("things.sqlite3.broken").read_bytes() == content
    database = open_one()
    put(database, "chair")
    assert names(database) == ["chair"]


def test_a_file_that_breaks_while_it_is_open_is_set_aside(open_one: Open, file: Path) -> None:
    database = open_one()
    with database.writing() as connection:
        connection.executemany(
            "INSERT INTO things (name) VALUES (?)", [(f"{at} " * 50,) for at in range(500)]
        )
    database.close()
    whole = bytearray(file.read_bytes())
    whole[4096:] = b"\xff" * (len(whole) - 4096)
    file.write_bytes(whole)
    with pytest.raises(Damaged):
        names(database)
    assert names(database) == []
    assert file.with_name("things.sqlite3.broken").exists()


def test_a_new_file_of_another_process_is_not_set_aside(open_one: Open, file: Path) -> None:
    mine, others = open_one(), open_one()
    put(others, "chair")  # begun after the other process set the broken one aside
    fault = mine._set_aside(sqlite3.DatabaseError("database disk image is malformed"))
    assert isinstance(fault, Damaged)
    assert names(mine) == names(others) == ["chair"]
    assert not file.with_name("things.sqlite3.broken").exists()


def test_a_full_disk_is_said_and_nothing_is_half_written(open_one: Open) -> None:
    database = open_one()
    put(database, "chair")
    with database.reading() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(SpanlightError, match=r"the disk is full.*Free some space"), database.writing() as one:
        one.execute("INSERT INTO things VALUES ('table')")
        one.execute("INSERT INTO things VALUES (?)", ("x" * 100_000,))
    assert names(database) == ["chair"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_refuses_is_said(open_one: Open, file: Path) -> None:
    file.parent.chmod(0o500)
    try:
        with pytest.raises(SpanlightError, match=r"could not be used.*permissions"):
            put(open_one(), "chair")
    finally:
        file.parent.chmod(0o700)


@pytest.mark.parametrize("what", ["a file where the folder should be", "a folder where the file should be"])
def test_a_place_that_cannot_be_is_said(tmp_path: Path, what: str) -> None:
    place = tmp_path / "place"
    if "file where" in what:
        place.write_bytes(b"")
        database = Database(place / "things.sqlite3", (FIRST,), "The list")
    else:
        place.mkdir()
        database = Database(place, (FIRST,), "The list")
    with pytest.raises(SpanlightError, match=r"The list in .* could not be used"):
        put(database, "chair")


def test_read_only_is_said_and_can_be_mended(open_one: Open) -> None:
    database = open_one()
    put(database, "chair")
    with database.reading() as connection:
        connection.execute("PRAGMA query_only = ON")
    with pytest.raises(SpanlightError, match="could not be used"):
        put(database, "table")
    put(database, "table")  # opened afresh
    assert names(database) == ["chair", "table"]


def test_a_lock_held_too_long_is_said(open_one: Open, file: Path) -> None:
    database = open_one()
    put(database, "chair")
    with database.reading() as connection:
        connection.execute("PRAGMA busy_timeout = 20")
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(SpanlightError, match="The list is in use by another program"):
            put(database, "table")
    finally:
        other.execute("ROLLBACK")
        other.close()
    put(database, "table")


WRITER = """
import sys
from pathlib import Path
from app.library.history import History
from tests.helpers.history_entries import entry
history = History(Path(sys.argv[1]))
sys.stdin.read(1)  # all begin together, with a file that is not there yet
for at in range(25):
    history.add(entry(at, question=f"Question {sys.argv[2]} {at}"))
    history.entries("question", limit=3)
history.close()
"""


def test_several_processes_write_at_once_from_the_first_use_on(tmp_path: Path) -> None:
    from app.library.history import History

    file = tmp_path / "data" / "history.sqlite3"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(file), str(who)], stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for who in range(3)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"x")
        writer.stdin.close()
        writer.stdin = None
    said = [writer.communicate(timeout=60)[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0, 0], said
    history = History(file)
    assert history.count() == history.count("question") == 75
    assert history.delete_all() == 75
    history.close()


def test_a_second_connection_here_keeps_the_locks_of_the_first(open_one: Open, file: Path) -> None:
    """Else another process takes itself for the last one that has the file open, and deletes its journal."""
    first, second = open_one(), open_one()
    put(first, "chair")
    assert names(second) == ["chair"]
    leaves = "import sqlite3, sys; one = sqlite3.connect(sys.argv[1]); one.execute('SELECT * FROM things'); one.close()"
    subprocess.run([sys.executable, "-c", leaves, str(file)], check=True, timeout=60)
    assert file.with_name("things.sqlite3-wal").exists()
    put(second, "table")
    assert names(first) == ["chair", "table"]


@pytest.mark.parametrize("free", [0, 10**12])
def test_an_error_of_the_disk_names_space_where_that_is_it(
    open_one: Open, monkeypatch: pytest.MonkeyPatch, free: int
) -> None:
    database = open_one()
    put(database, "one")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**12, 10**12 - free, free))
    fault = sqlite3.OperationalError("disk I/O error")
    fault.sqlite_errorcode = sqlite3.SQLITE_IOERR
    with pytest.raises(SpanlightError) as caught, database.writing():
        raise fault
    words = "disk I/O error" if free else "could not be written: the disk is full"
    assert words in caught.value.message
    assert names(database) == ["one"]
