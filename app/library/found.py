"""Words of the history's entries, found as a person types them: by FTS5, or by LIKE where SQLite lacks it."""

from __future__ import annotations

import re
import sqlite3
import unicodedata

# One row an entry. `folded` is all of it without case and accents; `search` indexes the other columns.
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
# Scripts that put no blanks between words: FTS5 takes a whole run of them for one.
_UNPARTED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def has_fts(connection: sqlite3.Connection) -> bool:
    """Whether this SQLite comes with FTS5."""
    return bool(connection.execute("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").fetchone())


class Words:
    """Keeps, drops and finds the words of entries over one open connection, inside the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, fts: bool) -> None:
        self._connection = connection
        self._fts = fts

    def outdated(self) -> bool:
        """Whether there is no index yet, or one that lacks what was written without it."""
        return self._fts and (
            not self._made() or self._connection.execute("SELECT due FROM indexing").fetchone()[0]
        )

    def bring_up_to_date(self) -> None:
        """Make the index where there is none yet, and fill it."""
        if self.outdated():
            if not self._made():
                self._connection.execute(_FTS)
            self._connection.execute("INSERT INTO search (search) VALUES ('rebuild')")
            self._connection.execute("UPDATE indexing SET due = 0")

    def _made(self) -> bool:
        found = self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'search'")
        return found.fetchone() is not None

    def add(self, number: int, question: str, answer: str, name: str, sentence: str) -> None:
        """Keep an entry's words."""
        values = (number, *(_clean(each) for each in (question, answer, name, sentence)))
        self._connection.execute(
            f"INSERT INTO words (number, {_COLUMNS}, folded) VALUES (?, ?, ?, ?, ?, ?)",
            (*values, fold("\n".join(str(value) for value in values[1:]))),
        )
        if self._fts:
            self._connection.execute(f"INSERT INTO search (rowid, {_COLUMNS}) VALUES (?, ?, ?, ?, ?)", values)
        else:
            self._connection.execute("UPDATE indexing SET due = 1")

    def drop(self, number: int) -> None:
        """Forget an entry's words."""
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
        """Forget all words."""
        self._connection.execute("DELETE FROM words")
        self.forget_dropped(everything=True)

    def forget_dropped(self, *, everything: bool = False) -> None:
        """Have the index hold nothing of what was dropped: it keeps that until its parts are merged."""
        if self._fts:
            how = "rebuild" if everything else "optimize"
            self._connection.execute("INSERT INTO search (search) VALUES (?)", (how,))

    def condition(self, asked: str) -> tuple[str, list[str]]:
        """The part of a WHERE that holds for the entries with all of these words, and its values.

        A word stands for every word that begins with it. Those that FTS5 cannot part are looked for anywhere.
        """
        by_index: list[str] = []
        anywhere: list[str] = []
        for word in _clean(asked).split():
            indexable = self._fts and any(unicodedata.category(each)[0] in "LN" for each in word)
            (by_index if indexable and not _UNPARTED.search(word) else anywhere).append(word)
        conditions, values = [], []
        if by_index:
            conditions.append("number IN (SELECT rowid FROM search WHERE search MATCH ?)")
            values.append(" ".join('"' + word.replace('"', '""') + '"*' for word in by_index))
        for word in anywhere:
            conditions.append(r"number IN (SELECT number FROM words WHERE folded LIKE ? ESCAPE '\')")
            values.append("%" + re.sub(r"([\\%_])", r"\\\1", fold(word)) + "%")
        return " AND ".join(conditions) or "1", values


def fold(text: str) -> str:
    """The text without case and accents."""
    parted = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in parted if not unicodedata.combining(each))


def _clean(text: str) -> str:
    """The text as an index can hold it: NUL ends a text there, and half of a surrogate pair has no UTF-8."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
