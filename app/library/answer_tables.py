"""Tables of questions over libraries, with their cells and the person's verdicts on these: one SQLite file."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from app.core.answer_table import AnswerTable, Cell, CellState, Column, ColumnType, TableLayout
from app.core.corrections import Verdict
from app.core.errors import SpanlightError
from app.core.history import KeptAnswer
from app.core.library import Library
from app.core.message import Message, restored, stored
from app.core.plain import from_plain, json_of
from app.core.text import Span
from app.library.database import Database
from app.library.records import Record, bounds, from_sqlite, insert, span_of, to_sqlite

_MIGRATIONS = (
    (
        # The library's name and roots tell whether the number is still that library's: its index may be made anew.
        """
        CREATE TABLE tables (
            number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE,
            library INTEGER NOT NULL, library_name TEXT NOT NULL, roots TEXT NOT NULL
        )
        """,
        # A question that was taken out of its table has no place, and keeps its cells in case it comes back.
        """
        CREATE TABLE columns (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            "table" INTEGER NOT NULL REFERENCES tables ON DELETE CASCADE,
            place INTEGER, question TEXT NOT NULL, type TEXT NOT NULL, UNIQUE ("table", question)
        )
        """,
        """
        CREATE TABLE cells (
            "column" INTEGER NOT NULL REFERENCES columns ON DELETE CASCADE, sha256 TEXT NOT NULL,
            state TEXT NOT NULL, no_answer REAL NOT NULL, model TEXT NOT NULL, seconds REAL NOT NULL,
            start INTEGER, "end" INTEGER, text TEXT, probability REAL, sentence TEXT, before TEXT, after TEXT,
            page INTEGER, heading TEXT, page_label TEXT, line INTEGER,
            PRIMARY KEY ("column", sha256)
        ) WITHOUT ROWID
        """,
        # Not in the cells' table: reading a cell again leaves its verdict alone.
        """
        CREATE TABLE verdicts (
            "column" INTEGER NOT NULL REFERENCES columns ON DELETE CASCADE, sha256 TEXT NOT NULL,
            verdict TEXT NOT NULL, words TEXT NOT NULL, start INTEGER, "end" INTEGER, judged REAL NOT NULL,
            PRIMARY KEY ("column", sha256)
        ) WITHOUT ROWID
        """,
        "CREATE TABLE question_sets (name TEXT PRIMARY KEY COLLATE NOCASE, columns TEXT NOT NULL)",
    ),
    # The paths of the chosen documents; an empty list means all of the library's.
    ("ALTER TABLE tables ADD COLUMN documents TEXT NOT NULL DEFAULT '[]'",),
    (
        "ALTER TABLE cells ADD COLUMN cell TEXT DEFAULT ''",
        "ALTER TABLE cells ADD COLUMN column_name TEXT DEFAULT ''",
    ),
    ("ALTER TABLE tables ADD COLUMN look TEXT NOT NULL DEFAULT '{}'",),
    ("ALTER TABLE cells ADD COLUMN reason TEXT NOT NULL DEFAULT ''",),
    ("ALTER TABLE cells ADD COLUMN read_as TEXT NOT NULL DEFAULT ''",),
)
_CELL = Record(Cell, ("column", "sha256", "state", "no_answer", "model", "seconds", "reason", "read_as"))
_ANSWER = Record(KeptAnswer)
_COLUMNS = (*_CELL.columns, *_ANSWER.columns)
_CELLS = ", ".join(f'cells."{name}"' for name in _COLUMNS)
_VERDICTS = 'verdicts.verdict, verdicts.words, verdicts.start, verdicts."end", verdicts.judged'
_OF_TABLE = '"column" IN (SELECT number FROM columns WHERE "table" = ? AND place IS NOT NULL)'
_ON = 'ON verdicts."column" = cells."column" AND verdicts.sha256 = cells.sha256'


@dataclass(frozen=True, slots=True)
class Origin:
    """The library that a table was made over, as it was when the table was saved."""

    number: int
    name: str
    roots: tuple[str, ...]


class AnswerTables(Database):
    """The tables in one file, which any thread and several processes may use.

    Every method raises SpanlightError on a disk error, and Damaged once if the file was broken.
    """

    def __init__(self, file: Path) -> None:
        super().__init__(file, _MIGRATIONS, Message("The file of tables"))

    def tables(self) -> list[tuple[AnswerTable, Origin]]:
        """All tables by name, each with the library that it was made over."""
        with self.reading() as connection:
            return _tables(connection)

    def save(self, table: AnswerTable, library: Library) -> AnswerTable:
        """Add a table over a library (its number is 0), or change one; returns it as saved.

        A column keeps its number, its cells and its verdicts as long as its question is the same, also if it was taken
        out of the table meanwhile. Raises SpanlightError where another table has its name.
        """
        values = (
            table.name,
            json_of(table.documents),
            library.number,
            library.name,
            json_of(library.roots),
        )
        with self.writing() as connection:
            try:
                number = _save_table(connection, table.number, values)
            except sqlite3.IntegrityError as fault:
                raise SpanlightError(
                    Message("There is a table “{table}” already.", table=table.name),
                    Message("Choose another name."),
                ) from fault
            connection.execute('UPDATE columns SET place = NULL WHERE "table" = ?', (number,))
            for place, column in enumerate(table.columns):
                connection.execute(
                    'INSERT INTO columns ("table", place, question, type) VALUES (?, ?, ?, ?)'
                    ' ON CONFLICT ("table", question) DO UPDATE SET place = excluded.place, type = excluded.type',
                    (number, place, to_sqlite(column.question), column.type),
                )
            return next(saved for saved, _ in _tables(connection) if saved.number == number)

    def remove(self, table: AnswerTable) -> None:
        """Delete a table with all its cells and verdicts, also from the disk."""
        self.change("DELETE FROM tables WHERE number = ?", (table.number,))
        self.wipe()

    def has_chosen(self, library: Library) -> bool:
        """Whether documents were chosen for a table over a library; most tables are over all of it."""
        return self.file.exists() and any(
            table.documents and library_of(origin, [library]) is not None for table, origin in self.tables()
        )

    def move(self, moved: Mapping[str, str]) -> None:
        """Have the documents chosen for tables at new paths, which are given by the old ones."""
        with self.writing() as connection:
            for table, _ in _tables(connection):
                now = tuple(dict.fromkeys(moved.get(path, path) for path in table.documents))
                if now != table.documents:
                    connection.execute(
                        "UPDATE tables SET documents = ? WHERE number = ?", (json_of(now), table.number)
                    )

    def layout(self, table: AnswerTable) -> TableLayout:
        """How a table was last viewed."""
        found = self.select("SELECT look FROM tables WHERE number = ?", (table.number,))
        return from_plain(TableLayout, json.loads(found[0][0])) if found else TableLayout()

    def keep_layout(self, number: int, layout: TableLayout) -> None:
        """Store how a table is viewed."""
        self.change("UPDATE tables SET look = ? WHERE number = ?", (json_of(asdict(layout)), number))

    def question_sets(self) -> dict[str, tuple[Column, ...]]:
        """The saved sets of questions by name."""
        return {
            name: _columns_of(columns)
            for name, columns in self.select("SELECT name, columns FROM question_sets ORDER BY name")
        }

    def save_question_set(self, name: str, columns: Iterable[Column]) -> tuple[Column, ...]:
        """Save a set of questions in place of the one of this name, whose questions are returned."""
        values = json_of([(column.question, column.type) for column in columns])
        with self.writing() as connection:
            before = _question_set(connection, name)
            connection.execute("INSERT OR REPLACE INTO question_sets VALUES (?, ?)", (name, values))
        return before

    def remove_question_set(self, name: str) -> tuple[Column, ...]:
        """Delete a set of questions, if it is there; returns its questions."""
        with self.writing() as connection:
            before = _question_set(connection, name)
            connection.execute("DELETE FROM question_sets WHERE name = ?", (name,))
        return before

    def cells(self, table: AnswerTable) -> dict[tuple[str, int], Cell]:
        """What is stored of a table, by SHA-256 and column: the cells that were read, and those with a verdict."""
        with self.reading() as connection:
            found = _cells(connection, _OF_TABLE, (table.number,))
        return {(cell.sha256, cell.column): cell for cell in found}

    def read(self, table: AnswerTable) -> list[tuple[str, int]]:
        """The SHA-256 and column of a table's cells that were read, without decoding them."""
        return self.select(f'SELECT sha256, "column" FROM cells WHERE {_OF_TABLE}', (table.number,))

    def cell(self, column: int, sha256: str) -> Cell | None:
        """One cell, None where nothing of it is stored."""
        with self.reading() as connection:
            return _cell(connection, column, sha256)

    def unread(
        self, columns: Iterable[int], lacking: Mapping[str, str], *, anew_by: str = "", most: int = -1
    ) -> list[tuple[str, int]]:
        """The SHA-256 and column of cells to be read, up to `most`, without decoding those that were read.

        These are cells that are not stored, and those without a verdict that were read while their file lacked another
        part, or none (`without_outdated`); if they are read `anew_by` a model, also those of another one. `lacking` has
        by the SHA-256 of each file what it lacks (`LibraryFile.why_unread`).
        """
        # SQLite finds cells sooner in the order in which they are stored. An imported cell has its reason in words.
        files = json_of(
            {sha256: (stored(lacking[sha256]), str(lacking[sha256])) for sha256 in sorted(lacking)}
        )
        return self.select(
            "SELECT file.key, asked.value FROM json_each(?) AS asked CROSS JOIN json_each(?) AS file"
            ' LEFT JOIN cells ON cells."column" = asked.value AND cells.sha256 = file.key'
            f" LEFT JOIN verdicts {_ON}"
            ' WHERE cells."column" IS NULL OR verdicts.verdict IS NULL'
            " AND (cells.reason NOT IN (json_extract(file.value, '$[0]'), json_extract(file.value, '$[1]'))"
            " OR ? NOT IN ('', cells.model)) LIMIT ?",
            (json_of(sorted(columns)), files, anew_by, most),
        )

    def count(self, columns: Iterable[int], files: Iterable[str], state: CellState) -> int:
        """How many cells of these columns and files, given by their SHA-256, were read with this state."""
        found = self.select(
            'SELECT count(*) FROM cells WHERE "column" IN (SELECT value FROM json_each(?)) AND state = ?'
            " AND sha256 IN (SELECT value FROM json_each(?))",
            (json_of(list(columns)), state, json_of(list(files))),
        )
        return int(found[0][0])

    def question(self, column: int) -> str:
        """A column's question, also of one that was taken out of its table; empty where it is gone."""
        found = self.select("SELECT question FROM columns WHERE number = ?", (column,))
        return from_sqlite(found[0][0]) if found else ""

    def put(self, cell: Cell) -> Cell | None:
        """Store a cell that was read, unless the person has judged the one that was read before.

        Returns it with its verdict as stored, None where its column is gone.
        """
        with self.writing() as connection:
            if not _has_column(connection, cell.column):
                return None
            _insert_cell(connection, cell)
            return _cell(connection, cell.column, cell.sha256)

    def put_all(self, cells: Iterable[Cell]) -> None:
        """Store cells that were read elsewhere in place of those that were read here, in one transaction.

        A cell that the person has judged here stays; the verdict of a cell that comes in is taken where there is none.
        """
        with self.writing() as connection:
            for cell in cells:
                _insert_cell(connection, cell)
                if cell.verdict is not Verdict.NONE:
                    connection.execute(
                        "INSERT OR IGNORE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?)",
                        (
                            cell.column,
                            cell.sha256,
                            cell.verdict,
                            to_sqlite(cell.right_words),
                            *bounds(cell.right_span),
                            cell.judged,
                        ),
                    )

    def judge(
        self, column: int, sha256: str, verdict: Verdict, words: str, span: Span | None, judged: float
    ) -> Cell:
        """Store the verdict on a cell in place of an earlier one, or with NONE delete that; returns the cell.

        Raises SpanlightError where its table was removed meanwhile.
        """
        with self.writing() as connection:
            if not _has_column(connection, column):
                raise SpanlightError(
                    Message("This question's table was removed."), Message("Nothing was noted.")
                )
            if verdict is Verdict.NONE:
                connection.execute('DELETE FROM verdicts WHERE "column" = ? AND sha256 = ?', (column, sha256))
            else:
                connection.execute(
                    "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (column, sha256, verdict, to_sqlite(words), *bounds(span), judged),
                )
            return _cell(connection, column, sha256) or Cell(column, sha256, CellState.UNREAD)


def _tables(connection: sqlite3.Connection) -> list[tuple[AnswerTable, Origin]]:
    columns: dict[int, list[Column]] = {}
    for table, number, question, type in connection.execute(
        'SELECT "table", number, question, type FROM columns WHERE place IS NOT NULL ORDER BY place'
    ):
        columns.setdefault(table, []).append(Column(number, from_sqlite(question), ColumnType(type)))
    return [
        (
            AnswerTable(number, name, library, tuple(columns.get(number, ())), tuple(json.loads(documents))),
            Origin(library, library_name, tuple(json.loads(roots))),
        )
        for number, name, documents, library, library_name, roots in connection.execute(
            "SELECT number, name, documents, library, library_name, roots FROM tables ORDER BY name"
        )
    ]


def _question_set(connection: sqlite3.Connection, name: str) -> tuple[Column, ...]:
    """The questions of the set of this name; none if there is no such set."""
    found = connection.execute("SELECT columns FROM question_sets WHERE name = ?", (name,)).fetchone()
    return _columns_of(found[0]) if found else ()


def _columns_of(stored: str) -> tuple[Column, ...]:
    return tuple(Column(0, question, ColumnType(type)) for question, type in json.loads(stored))


def _has_column(connection: sqlite3.Connection, column: int) -> bool:
    return bool(connection.execute("SELECT 1 FROM columns WHERE number = ?", (column,)).fetchone())


def _insert_cell(connection: sqlite3.Connection, cell: Cell) -> None:
    """Store a cell, in place of one that has no verdict."""
    answer = [None] * len(_ANSWER.columns) if cell.answer is None else _ANSWER.values(cell.answer)
    judged = 'SELECT 1 FROM verdicts WHERE "column" = ? AND sha256 = ?'
    is_judged = connection.execute(judged, (cell.column, cell.sha256)).fetchone()
    statement = insert("cells", _COLUMNS, "OR IGNORE" if is_judged else "OR REPLACE")
    connection.execute(statement, (*_CELL.values(cell, reason=stored(cell.reason)), *answer))


def _cell(connection: sqlite3.Connection, column: int, sha256: str) -> Cell | None:
    found = _cells(connection, '"column" = ? AND sha256 = ?', (column, sha256))
    return found[0] if found else None


def _cells(connection: sqlite3.Connection, condition: str, values: Sequence[Any]) -> list[Cell]:
    """The cells with an answer or a verdict for which a condition on `column` and `sha256` holds."""
    read = connection.execute(
        f"SELECT {_CELLS}, {_VERDICTS} FROM (SELECT * FROM cells WHERE {condition}) AS cells"
        f" LEFT JOIN verdicts {_ON}",
        values,
    )
    end = len(_COLUMNS)
    cells = [_with_verdict(_cell_of_row(row[:end]), row[end:]) for row in read]
    judged = connection.execute(
        f'SELECT verdicts."column", verdicts.sha256, {_VERDICTS}'
        f" FROM (SELECT * FROM verdicts WHERE {condition}) AS verdicts LEFT JOIN cells {_ON}"
        ' WHERE cells."column" IS NULL',
        values,
    )
    return cells + [_with_verdict(Cell(row[0], row[1], CellState.UNREAD), row[2:]) for row in judged]


def _save_table(connection: sqlite3.Connection, number: int, values: tuple[str | int, ...]) -> int:
    if connection.execute(
        "UPDATE tables SET name = ?, documents = ?, library = ?, library_name = ?, roots = ? WHERE number = ?",
        (*values, number),
    ).rowcount:
        return number
    # A table that was removed meanwhile is added again under its number.
    added = connection.execute(
        "INSERT INTO tables (number, name, documents, library, library_name, roots) VALUES (?, ?, ?, ?, ?, ?)",
        (number or None, *values),
    )
    return added.lastrowid or 0


def _cell_of_row(row: Sequence[Any]) -> Cell:
    answer = row[len(_CELL.columns) :]
    cell = _CELL.load(
        row[: len(_CELL.columns)], answer=_ANSWER.load(answer) if answer[0] is not None else None
    )
    return replace(cell, reason=restored(cell.reason)) if cell.reason else cell


def _with_verdict(cell: Cell, row: Sequence[Any]) -> Cell:
    verdict, words, start, end, judged = row
    if verdict is None:
        return cell
    return replace(
        cell,
        verdict=Verdict(verdict),
        right_words=from_sqlite(words),
        right_span=span_of(start, end),
        judged=judged,
    )


def library_of(origin: Origin, libraries: Iterable[Library]) -> Library | None:
    """Which of the present libraries a table was made over, None where that was removed.

    It has the same name, or else, as it was renamed, the same number and a root in common.
    """
    present = list(libraries)
    for library in present:
        if library.name.casefold() == origin.name.casefold():
            return library
    roots = {os.path.normcase(root) for root in origin.roots}
    for library in present:
        if library.number == origin.number and roots & {os.path.normcase(root) for root in library.roots}:
            return library
    return None
