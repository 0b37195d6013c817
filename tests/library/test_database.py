"""The database file: its set-up and versions, exceptions inside transactions, and several processes at once."""

from __future__ import annotations

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


def test_the_connection_is_set_up(open_one: Open) -> None:
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


def test_a_newer_schema_is_left_alone(open_one: Open, file: Path) -> None:
    put(open_one(FIRST, SECOND), "chair")
    with pytest.raises(SpanlightError, match=r"newer Spanlight.*Update") as raised:
        names(open_one(FIRST))
    assert not isinstance(raised.value, Damaged)
    assert names(open_one(FIRST, SECOND)) == ["chair"]


def test_an_exception_rolls_the_transaction_back(open_one: Open) -> None:
    database = open_one()
    put(database, "chair")
    with pytest.raises(ZeroDivisionError), database.writing() as connection:
        connection.execute("INSERT INTO things VALUES ('table')")
        raise ZeroDivisionError
    assert names(database) == ["chair"]


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
    """Without its lock another process would count as the last with the file open, and delete its journal."""
    first, second = open_one(), open_one()
    put(first, "chair")
    assert names(second) == ["chair"]
    leaves = "import sqlite3, sys; one = sqlite3.connect(sys.argv[1]); one.execute('SELECT * FROM things'); one.close()"
    subprocess.run([sys.executable, "-c", leaves, str(file)], check=True, timeout=60)
    assert file.with_name("things.sqlite3-wal").exists()
    put(second, "table")
    assert names(first) == ["chair", "table"]
