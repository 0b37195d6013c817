"""Search in the history's entries: with FTS5, or with LIKE if SQLite does not have it."""

from __future__ import annotations

import re
import sqlite3
import unicodedata

from app.core.text import UNSPACED

# One row per entry. `folded` is all of its text without case and accents; `search` indexes the other columns.
SCHEMA = (
    """
    CREATE TABLE words (
        number INTEGER PRIMARY KEY REFERENCES entries ON DELETE CASCADE,
        question TEXT NOT NULL, answer TEXT NOT NULL, name TEXT NOT NULL, sentence TEXT NOT NULL,
        folded TEXT NOT NULL
    )
    """,
    # Entries written by a SQLite without FTS5 are indexed by the next one that has it.
    "CREATE TABLE indexing (due INTEGER NOT NULL)",
    "INSERT INTO indexing VALUES (0)",
)
_COLUMNS = "question, answer, name, sentence"
_FTS = f"""
    CREATE VIRTUAL TABLE search USING fts5(
        {_COLUMNS}, content = 'words', content_rowid = 'number', prefix = '2 3',
        tokenize = "unicode61 remove_diacritics 2"
    )
"""


def has_fts5(connection: sqlite3.Connection) -> bool:
    """Whether this SQLite has FTS5."""
    return bool(connection.execute("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").fetchone())


class WordIndex:
    """The words of entries, to be added, removed and found over one connection, inside the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, fts: bool) -> None:
        self._connection = connection
        self._fts = fts

    def is_outdated(self) -> bool:
        """Whether there is no index yet, or one without the entries that were written by a SQLite without FTS5."""
        return self._fts and (
            not self._has_index() or self._connection.execute("SELECT due FROM indexing").fetchone()[0]
        )

    def bring_up_to_date(self) -> None:
        """Create the index if there is none yet, and rebuild it if it is outdated."""
        if self.is_outdated():
            if not self._has_index():
                self._connection.execute(_FTS)
            self._connection.execute("INSERT INTO search (search) VALUES ('rebuild')")
            self._connection.execute("UPDATE indexing SET due = 0")

    def _has_index(self) -> bool:
        found = self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'search'")
        return found.fetchone() is not None

    def add(self, number: int, question: str, answer: str, name: str, sentence: str) -> None:
        """Add an entry's words."""
        values = (number, *(clean(each) for each in (question, answer, name, sentence)))
        self._connection.execute(
            f"INSERT INTO words (number, {_COLUMNS}, folded) VALUES (?, ?, ?, ?, ?, ?)",
            (*values, fold("\n".join(str(value) for value in values[1:]))),
        )
        if self._fts:
            self._connection.execute(f"INSERT INTO search (rowid, {_COLUMNS}) VALUES (?, ?, ?, ?, ?)", values)
        else:
            self._connection.execute("UPDATE indexing SET due = 1")

    def drop(self, number: int) -> None:
        """Remove an entry's words."""
        if self._fts:
            self._connection.execute(
                f"INSERT INTO search (search, rowid, {_COLUMNS})"
                f" SELECT 'delete', number, {_COLUMNS} FROM words WHERE number = ?",
                (number,),
            )
        else:
            self._connection.execute("UPDATE indexing SET due = 1")
        self._connection.execute("DELETE FROM words WHERE number = ?", (number,))

    def drop_all(self) -> None:
        """Remove all words."""
        self._connection.execute("DELETE FROM words")
        self.forget_dropped(everything=True)

    def forget_dropped(self, *, everything: bool = False) -> None:
        """Purge removed words from the index, which otherwise keeps them until its segments are merged."""
        if self._fts:
            how = "rebuild" if everything else "optimize"
            self._connection.execute("INSERT INTO search (search) VALUES (?)", (how,))

    def condition(self, query: str) -> tuple[str, list[str]]:
        """The WHERE condition for the entries with all words of a query, and its values.

        A word matches every word that begins with it; one that FTS5 cannot segment is matched anywhere in the text.
        """
        by_index: list[str] = []
        anywhere: list[str] = []
        for word in clean(query).split():
            # FTS5 treats a whole run of a script without blanks as one word.
            indexable = self._fts and any(unicodedata.category(each)[0] in "LN" for each in word)
            (by_index if indexable and not UNSPACED.search(word) else anywhere).append(word)
        conditions, values = [], []
        if by_index:
            conditions.append("number IN (SELECT rowid FROM search WHERE search MATCH ?)")
            values.append(" ".join('"' + word.replace('"', '""') + '"*' for word in by_index))
        for word in anywhere:
            conditions.append(r"number IN (SELECT number FROM words WHERE folded LIKE ? ESCAPE '\')")
            values.append(like(fold(word)))
        return " AND ".join(conditions) or "1", values


def like(word: str) -> str:
    """The pattern by which LIKE finds a word anywhere, its wildcards escaped with a backslash."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", word) + "%"


def fold(text: str) -> str:
    """The text without case and accents."""
    parted = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in parted if not unicodedata.combining(each))


def clean(text: str) -> str:
    """The text without what SQLite cannot hold: NUL would end it there, and a lone surrogate has no UTF-8."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
