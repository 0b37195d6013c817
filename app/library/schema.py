"""The schema of the index, and the rows of its tables: files, and passages and names for FTS5."""

from __future__ import annotations

import os
import sqlite3
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.layout import Kind
from app.core.library import FileState, LibraryFile
from app.core.message import restored
from app.library.passages import ROWS, rows_of
from app.library.search import clean

MIGRATIONS = (
    (
        """
        CREATE TABLE libraries (
            number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE,
            suffixes TEXT NOT NULL, ignore TEXT NOT NULL
        )
        """,
        # Paths are the file system's own bytes, since names need not be UTF-8.
        """
        CREATE TABLE roots (
            library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE, path BLOB NOT NULL,
            PRIMARY KEY (library, path)
        ) WITHOUT ROWID
        """,
        # Equal files have one text, with the names of all of them. Its passages are numbered from `first` on. Its own
        # number is never used again: what is kept of it elsewhere cannot be taken for another text's.
        """
        CREATE TABLE texts (
            number INTEGER PRIMARY KEY AUTOINCREMENT, sha256 TEXT NOT NULL, suffix TEXT NOT NULL, name TEXT NOT NULL,
            kind TEXT NOT NULL, pages INTEGER NOT NULL, words INTEGER NOT NULL,
            "first" INTEGER NOT NULL, passages INTEGER NOT NULL, UNIQUE (sha256, suffix)
        )
        """,
        """CREATE UNIQUE INDEX texts_by_first ON texts ("first", passages)""",
        # Numbers of passages that were deleted, to be used again.
        """CREATE TABLE gaps ("first" INTEGER PRIMARY KEY, passages INTEGER NOT NULL)""",
        """
        CREATE TABLE bodies (
            text INTEGER PRIMARY KEY REFERENCES texts ON DELETE CASCADE,
            deflated BLOB NOT NULL, view BLOB NOT NULL, layout BLOB NOT NULL, starts BLOB NOT NULL
        )
        """,
        """
        CREATE TABLE files (
            number INTEGER PRIMARY KEY AUTOINCREMENT, path BLOB NOT NULL UNIQUE,
            size INTEGER NOT NULL, modified INTEGER NOT NULL, sha256 TEXT NOT NULL DEFAULT '',
            state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '', text INTEGER REFERENCES texts
        )
        """,
        "CREATE INDEX files_by_text ON files (text)",
        """
        CREATE TABLE members (
            library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
            file INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
            PRIMARY KEY (library, file)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX members_by_file ON members (file)",
        # Contentless: FTS5 needs the indexed words again to delete them.
        """
        CREATE VIRTUAL TABLE search USING fts5(
            words, title, content = '', tokenize = "porter unicode61 remove_diacritics 2"
        )
        """,
    ),
    (
        # Folders that could not be opened at a library's last update.
        """
        CREATE TABLE refused (
            library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE, path BLOB NOT NULL,
            PRIMARY KEY (library, path)
        ) WITHOUT ROWID
        """,
    ),
    # The language's code, empty where it is unsure and for texts that were read before.
    ("ALTER TABLE texts ADD COLUMN language TEXT NOT NULL DEFAULT ''",),
    (
        # Word counts and positions would take more than half of the index: a passage has several rows instead, in which
        # occurrences can be counted (`rows_of`). Contentless too.
        "DROP TABLE search",
        """
        CREATE VIRTUAL TABLE search USING fts5(
            words, content = '', detail = none, columnsize = 0, tokenize = "porter ascii tokenchars '.'"
        )
        """,
        # Texts that were indexed before and are not yet in the new index; their files wait.
        "CREATE TABLE due (text INTEGER PRIMARY KEY REFERENCES texts ON DELETE CASCADE)",
        "INSERT INTO due SELECT number FROM texts",
        "UPDATE files SET state = 'waiting' WHERE state = 'read'",
    ),
    (
        # Texts to be read from their files again; they are searched meanwhile.
        "CREATE TABLE again (text INTEGER PRIMARY KEY REFERENCES texts ON DELETE CASCADE)",
        # What was read before may lack parts that nothing tells of; these kinds are read whole or not at all.
        """
        INSERT INTO again SELECT number FROM texts WHERE kind NOT IN ('text', 'markdown', 'html', 'rtf', 'csv')
        """,
        # Folders below a library's roots that were on a drive of their own at its last update.
        """
        CREATE TABLE drives (
            library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE, path BLOB NOT NULL,
            PRIMARY KEY (library, path)
        ) WITHOUT ROWID
        """,
    ),
)
# The distance between a passage's rows in `search`; the rows of texts' names follow those of all passages.
STRIDE = 1 << 28
_FILE = """
    files.number, files.path, files.state, files.reason, files.size, files.modified, files.sha256,
    coalesce(files.text, 0), coalesce(texts.kind, 'text'), coalesce(texts.pages, 0), coalesce(texts.words, 0),
    coalesce(texts.language, '')
"""
FILES = f"SELECT {_FILE} FROM files LEFT JOIN texts ON texts.number = files.text"
TEXTS_OF = """
    SELECT text FROM files JOIN members ON members.file = files.number
    WHERE library = ? AND text IS NOT NULL AND state <> 'gone'
"""


@dataclass(frozen=True, slots=True)
class Ranges:
    """The numbers of texts, and the first number and the count of each one's passages, in the order of passages."""

    texts: list[int]
    firsts: list[int]
    counts: list[int]

    def text_of(self, passage: int) -> int | None:
        """The index in `texts` of the text that has a passage; None where none has."""
        at = bisect_right(self.firsts, passage) - 1
        return at if at >= 0 and passage < self.firsts[at] + self.counts[at] else None


def file_of_row(row: tuple[Any, ...]) -> LibraryFile:
    """The file of a row of `FILES`."""
    number, path, state, reason, size, modified, sha256, text, kind, *counts = row
    path, state, reason, kind = os.fsdecode(path), FileState(state), restored(reason), Kind(kind)
    return LibraryFile(number, path, state, reason, size, modified, sha256, text, kind, *counts)


def suffix_of(path: str) -> str:
    """A file's extension in lower case: equal bytes with another one may be read as another text."""
    return clean(Path(path).suffix.lower())


def title_of(path: str) -> str:
    """A file's name as it is indexed."""
    return clean(Path(path).stem.replace("_", " "))


def passage_rows(first: int, text: str, starts: array[int]) -> list[tuple[int, str]]:
    """The rows of a text's passages in `search`: row number and words, in the order of the numbers."""
    ends = [*starts[1:], len(text)]
    found = [
        (place * STRIDE + number, words)
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), start=first)
        for place, words in enumerate(rows_of(text[start:end]))
        if words
    ]
    return sorted(found)  # out of order, FTS5 would flush its buffer again and again


def name_row(text: int, name: str) -> tuple[int, str]:
    """The row of a text's name in `search`."""
    return ROWS * STRIDE + text, " ".join(rows_of(name))


def add_rows(connection: sqlite3.Connection, rows: Iterable[tuple[int, str]]) -> None:
    """Add rows to `search`."""
    connection.executemany("INSERT INTO search (rowid, words) VALUES (?, ?)", rows)


def delete_rows(connection: sqlite3.Connection, rows: Iterable[tuple[int, str]]) -> None:
    """Delete rows from `search`; their words must be those that they were added with."""
    connection.executemany("INSERT INTO search (search, rowid, words) VALUES ('delete', ?, ?)", rows)


def allocate_numbers(connection: sqlite3.Connection, count: int) -> int:
    """Allocate `count` consecutive passage numbers, from 1 on, that no text has; returns the first."""
    gap = connection.execute(
        'SELECT "first", passages FROM gaps WHERE passages >= ? LIMIT 1', (count,)
    ).fetchone()
    if gap is None:
        last = connection.execute(
            'SELECT "first" + passages FROM texts ORDER BY "first" DESC LIMIT 1'
        ).fetchone()
        end = int(last[0]) if last else 1
        connection.execute('DELETE FROM gaps WHERE "first" >= ?', (end,))
        return end
    first, passages = gap
    connection.execute('DELETE FROM gaps WHERE "first" = ?', (first,))
    if passages > count:
        connection.execute("INSERT INTO gaps VALUES (?, ?)", (first + count, passages - count))
    return int(first)


def release_numbers(connection: sqlite3.Connection, first: int, count: int) -> None:
    """Free `count` passage numbers from `first` on, merged with the free ones just before and after."""
    before = connection.execute(
        'SELECT "first", passages FROM gaps WHERE "first" < ? ORDER BY "first" DESC LIMIT 1', (first,)
    ).fetchone()
    after = connection.execute('SELECT passages FROM gaps WHERE "first" = ?', (first + count,)).fetchone()
    if after is not None:
        connection.execute('DELETE FROM gaps WHERE "first" = ?', (first + count,))
        count += after[0]
    if before is not None and before[0] + before[1] == first:
        first, count = before[0], before[1] + count
    connection.execute("INSERT OR REPLACE INTO gaps VALUES (?, ?)", (first, count))
