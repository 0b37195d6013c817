"""The history: every question with its answers, newest first, in the user's data folder."""

from __future__ import annotations

import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.history import DeletedEntry, Entry, KeptAnswer
from app.core.message import Message
from app.library.database import Database
from app.library.packing import inflate
from app.library.records import Record, insert
from app.library.search import SCHEMA, WordIndex, has_fts5

_MIGRATIONS = (
    (
        """
        CREATE TABLE entries (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            question TEXT NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, kind TEXT NOT NULL,
            answered INTEGER NOT NULL, no_answer_probability REAL NOT NULL, threshold REAL NOT NULL,
            model TEXT NOT NULL, device TEXT NOT NULL, seconds REAL NOT NULL, asked REAL NOT NULL,
            quick INTEGER NOT NULL, complete INTEGER NOT NULL
        )
        """,
        "CREATE INDEX entries_by_time ON entries (asked, number)",
        "CREATE INDEX entries_by_text ON entries (sha256)",
        """
        CREATE TABLE answers (
            entry INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE, place INTEGER NOT NULL,
            start INTEGER NOT NULL, "end" INTEGER NOT NULL, text TEXT NOT NULL, probability REAL NOT NULL,
            sentence TEXT NOT NULL, "before" TEXT NOT NULL, "after" TEXT NOT NULL, page INTEGER, heading TEXT NOT NULL,
            PRIMARY KEY (entry, place)
        ) WITHOUT ROWID
        """,
        # Typed or pasted texts have no file: they are stored here, deflated UTF-8, once for all their entries.
        "CREATE TABLE texts (sha256 TEXT PRIMARY KEY, deflated BLOB NOT NULL)",
        *SCHEMA,
    ),
    (
        "ALTER TABLE entries ADD COLUMN windows INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE entries ADD COLUMN windows_total INTEGER NOT NULL DEFAULT 0",
    ),
    (
        "ALTER TABLE answers ADD COLUMN page_label TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE answers ADD COLUMN line INTEGER",
    ),
    (
        "ALTER TABLE entries ADD COLUMN absent REAL NOT NULL DEFAULT 0",
        "UPDATE entries SET absent = threshold / 3",
    ),
    ("ALTER TABLE entries ADD COLUMN finder TEXT NOT NULL DEFAULT ''",),
    # For earlier entries it is unknown; losing a verdict for the calibration is better than one on another scale.
    (
        "ALTER TABLE entries ADD COLUMN shared INTEGER NOT NULL DEFAULT 0",
        "UPDATE entries SET shared = 1",
    ),
    (
        "ALTER TABLE answers ADD COLUMN cell TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE answers ADD COLUMN column_name TEXT NOT NULL DEFAULT ''",
    ),
    ("ALTER TABLE entries ADD COLUMN own_threshold REAL NOT NULL DEFAULT 0",),
    ("ALTER TABLE entries ADD COLUMN read_as TEXT NOT NULL DEFAULT ''",),
)

_ENTRY, _ANSWER = Record(Entry, without=("answers",)), Record(KeptAnswer)
_ANSWERS = ("entry", "place", *_ANSWER.columns)
_AT_ONCE = 400  # numbers in one statement: older builds of SQLite take 999 values


class History:
    """The entries in one SQLite file, opened at first use; any thread may use it, one at a time.

    Every method raises SpanlightError on a disk error, and Damaged once if the file was broken.
    """

    def __init__(self, file: Path) -> None:
        self._database = Database(file, _MIGRATIONS, Message("The history"))
        self._lock = threading.RLock()
        self._seen: sqlite3.Connection | None = None
        self._fts = False

    def add(self, entry: Entry, text: str = "") -> int:
        """Add an entry, with its text if that has no file; returns the entry's number.

        An entry that has a number already, because it was deleted before, keeps it.
        """
        with self._writing() as (connection, words):
            if text and not entry.path:
                connection.execute(
                    "INSERT OR IGNORE INTO texts VALUES (?, ?)",
                    (entry.sha256, zlib.compress(text.encode("utf-8", "surrogatepass"))),
                )
            values = _ENTRY.values(entry, number=entry.number or None)
            number = int(connection.execute(insert("entries", _ENTRY.columns), values).lastrowid or 0)
            connection.executemany(
                insert("answers", _ANSWERS),
                [(number, place, *_ANSWER.values(answer)) for place, answer in enumerate(entry.answers)],
            )
            shown = entry.shown
            answer, sentence = (shown.text, shown.sentence) if shown else ("", "")
            words.add(number, entry.question, answer, entry.name, sentence)
        return number

    def entries(self, words: str = "", *, limit: int = 100, before: Entry | None = None) -> list[Entry]:
        """Up to `limit` entries that contain all of these words, newest first, and only those older than `before`.

        A word matches every word that begins with it; case and accents are ignored.
        """
        with self._reading() as (connection, found):
            condition, values = found.condition(words)
            parameters: list[object] = list(values)
            if before is not None:
                condition += " AND (asked, number) < (?, ?)"
                parameters += [before.asked, before.number]
            condition += " ORDER BY asked DESC, number DESC LIMIT ?"
            return _entries(connection, condition, (*parameters, limit))

    def count(self, words: str = "") -> int:
        """The number of entries that contain all of these words."""
        with self._reading() as (connection, found):
            condition, values = found.condition(words)
            return int(
                connection.execute(f"SELECT count(*) FROM entries WHERE {condition}", values).fetchone()[0]
            )

    def count_of_model(self, model: str) -> int:
        """The number of entries with answers of the model of this name."""
        with self._reading() as (connection, _):
            row = connection.execute("SELECT count(*) FROM entries WHERE model = ?", (model,)).fetchone()
            return int(row[0])

    def get(self, number: int) -> Entry:
        """The entry with this number; raises SpanlightError if there is none."""
        with self._reading() as (connection, _):
            return _entry(connection, number)

    def text_of(self, entry: Entry) -> str:
        """The text of an entry without a file; empty if it is not stored."""
        with self._reading() as (connection, _):
            return "" if entry.path else _text(connection, entry.sha256)

    def delete(self, numbers: Iterable[int]) -> list[DeletedEntry]:
        """Delete entries, and the texts that no other entry needs.

        Raises SpanlightError, and deletes none, if one is missing.
        """
        forgotten = []
        with self._writing() as (connection, words):
            for number in dict.fromkeys(numbers):
                entry = _entry(connection, number)
                text = "" if entry.path else _text(connection, entry.sha256)
                forgotten.append(DeletedEntry(entry, text))
                words.drop(number)
                connection.execute("DELETE FROM entries WHERE number = ?", (number,))
            connection.execute(
                "DELETE FROM texts WHERE NOT EXISTS"
                " (SELECT 1 FROM entries WHERE entries.sha256 = texts.sha256 AND path = '')"
            )
            words.forget_dropped()
        self._database.wipe()
        return forgotten

    def delete_all(self) -> int:
        """Delete everything, also from the disk; returns how many entries there were."""
        with self._writing() as (connection, words):
            words.drop_all()
            count = connection.execute("DELETE FROM entries").rowcount
            connection.execute("DELETE FROM texts")
        self._database.wipe(everywhere=True)
        return int(count)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._database.close()

    @contextmanager
    def _reading(self) -> Iterator[tuple[sqlite3.Connection, WordIndex]]:
        with self._lock, self._database.reading() as connection:
            yield connection, self._words(connection)

    @contextmanager
    def _writing(self) -> Iterator[tuple[sqlite3.Connection, WordIndex]]:
        with self._lock:
            with self._database.reading() as connection:
                self._words(connection)
            with self._database.writing() as connection:
                yield connection, WordIndex(connection, self._fts)

    def _words(self, connection: sqlite3.Connection) -> WordIndex:
        """The search over this connection; for a new connection its index is brought up to date first."""
        if connection is not self._seen:
            self._fts = has_fts5(connection)
            if WordIndex(connection, self._fts).is_outdated():
                with self._database.writing():
                    WordIndex(connection, self._fts).bring_up_to_date()
            self._seen = connection
        return WordIndex(connection, self._fts)


def _entry(connection: sqlite3.Connection, number: int) -> Entry:
    """The entry with this number; raises SpanlightError if there is none."""
    found = _entries(connection, "number = ?", (number,))
    if not found:
        raise SpanlightError(
            Message("The history has no entry {number}.", number=number), Message("It may have been deleted.")
        )
    return found[0]


def _entries(connection: sqlite3.Connection, condition: str, values: Sequence[Any]) -> list[Entry]:
    """The entries that meet a condition, with their answers."""
    statement = f"SELECT {_ENTRY.column_list} FROM entries WHERE {condition}"
    found = [_ENTRY.fields(row) for row in connection.execute(statement, values)]
    answers: dict[int, list[KeptAnswer]] = {values["number"]: [] for values in found}
    numbers = list(answers)
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        for entry, *row in connection.execute(
            f"SELECT entry, {_ANSWER.column_list} FROM answers WHERE entry IN ({', '.join('?' * len(some))})"
            " ORDER BY entry, place",
            some,
        ):
            answers[entry].append(_ANSWER.load(row))
    return [Entry(**values, answers=tuple(answers[values["number"]])) for values in found]


def _text(connection: sqlite3.Connection, sha256: str) -> str:
    row = connection.execute("SELECT deflated FROM texts WHERE sha256 = ?", (sha256,)).fetchone()
    return inflate(row[0]) if row else ""
