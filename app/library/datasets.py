"""Data sets: tables of texts with the person's own labels, a model's predictions and vectors. One SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.labels import Dataset, GivenLabels, HeldOut, Label
from app.core.message import Message
from app.core.plain import from_plain, json_of
from app.library.database import Database
from app.library.packing import deflate, inflate
from app.library.records import Record, from_sqlite, insert, to_sqlite

_MIGRATIONS = (
    (
        """
        CREATE TABLE datasets (
            number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE, columns TEXT NOT NULL,
            text_column INTEGER NOT NULL, labels TEXT NOT NULL, multi INTEGER NOT NULL, source TEXT NOT NULL,
            model TEXT NOT NULL, held_out TEXT NOT NULL DEFAULT '{}'
        )
        """,
        # A table's rows are stored whole: its file may change or go.
        """
        CREATE TABLE rows (
            dataset INTEGER NOT NULL REFERENCES datasets ON DELETE CASCADE, row INTEGER NOT NULL, cells BLOB NOT NULL,
            PRIMARY KEY (dataset, row)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE given (
            dataset INTEGER NOT NULL REFERENCES datasets ON DELETE CASCADE, row INTEGER NOT NULL,
            labels TEXT NOT NULL, guess TEXT NOT NULL, shown INTEGER NOT NULL, seconds REAL NOT NULL,
            PRIMARY KEY (dataset, row)
        ) WITHOUT ROWID
        """,
        # One value with the numbers of all rows: vectors, or probabilities of labels. `name` is of what computed them.
        """
        CREATE TABLE numbers (
            dataset INTEGER NOT NULL REFERENCES datasets ON DELETE CASCADE, kind TEXT NOT NULL,
            name TEXT NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (dataset, kind)
        ) WITHOUT ROWID
        """,
    ),
)
_RECORD = Record(Dataset, without=("number", "rows"), packed=("columns", "labels"))
_SELECT = (
    f"SELECT {_RECORD.column_list}, number, (SELECT count(*) FROM rows WHERE dataset = number) FROM datasets"
)
_GIVEN = Record(GivenLabels, packed=("labels",))


class Datasets(Database):
    """The data sets in one file, which any thread and several processes may use.

    Every method raises SpanlightError on a disk error, and Damaged once if the file was broken.
    """

    def __init__(self, file: Path) -> None:
        super().__init__(file, _MIGRATIONS, Message("The file of labels"))

    def all(self) -> list[Dataset]:
        """All data sets by name."""
        return [_dataset(row) for row in self.select(f"{_SELECT} ORDER BY name")]

    def add(
        self, dataset: Dataset, rows: Sequence[Sequence[str]], given: Iterable[GivenLabels] = ()
    ) -> Dataset:
        """Add a data set with the cells of its rows and the labels that it came with; returns it as saved.

        Raises SpanlightError where another data set has its name.
        """
        with self.writing() as connection:
            try:
                values = _RECORD.values(
                    dataset, columns=json_of(dataset.columns), labels=_pack_labels(dataset.labels)
                )
                added = connection.execute(insert("datasets", _RECORD.columns), values)
            except sqlite3.IntegrityError as fault:
                raise _name_taken(dataset.name) from fault
            number = added.lastrowid or 0
            connection.executemany(
                "INSERT INTO rows VALUES (?, ?, ?)",
                ((number, at, deflate(json_of(list(cells)))) for at, cells in enumerate(rows)),
            )
            _insert_given(connection, number, given)
            return _get(connection, number)

    def rename(self, dataset: Dataset, name: str) -> Dataset:
        """Give a data set another name; returns it as saved.

        Raises SpanlightError where another data set has the name, or this one was removed meanwhile.
        """
        try:
            return self._set(dataset, "name", to_sqlite(name))
        except sqlite3.IntegrityError as fault:
            raise _name_taken(name) from fault

    def set_model(self, dataset: Dataset, model: str) -> Dataset:
        """Set the folder of a data set's classifier; returns it as saved.

        Raises SpanlightError where it was removed.
        """
        return self._set(dataset, "model", model)

    def _set(self, dataset: Dataset, column: str, value: str) -> Dataset:
        with self.writing() as connection:
            changed = connection.execute(
                f"UPDATE datasets SET {column} = ? WHERE number = ?", (value, dataset.number)
            )
            if not changed.rowcount:
                raise _removed()
            return _get(connection, dataset.number)

    def change_labels(self, dataset: Dataset, labels: Sequence[Label], renamed: dict[str, str]) -> Dataset:
        """Save other labels for a data set; returns it as saved.

        `renamed` maps labels' names to their new ones, under which the texts' labels are renamed too; labels that are
        gone are taken off all texts. Raises SpanlightError where another window has changed the labels of `dataset`, or
        removed it, meanwhile.
        """
        with self.writing() as connection:
            if _labels_of(connection, dataset.number) != dataset.labels:
                raise SpanlightError(
                    Message("Another window has changed these labels."), Message("Look at them again.")
                )
            connection.execute(
                "UPDATE datasets SET labels = ? WHERE number = ?", (_pack_labels(labels), dataset.number)
            )
            names = tuple(label.name for label in labels)
            if names != dataset.names:
                _relabel(connection, dataset.number, set(names), renamed)
                # The predictions for held-out texts are in the order of the labels that there were.
                held_out = (
                    _held_out(connection, dataset.number) if names == dataset.renamed(renamed) else HeldOut()
                )
                given = tuple(tuple(renamed.get(name, name) for name in each) for each in held_out.labels)
                _put_held_out(connection, dataset.number, replace(held_out, labels=given))
            return _get(connection, dataset.number)

    def remove(self, dataset: Dataset) -> None:
        """Delete a data set with all of its labels, also from the disk."""
        self.change("DELETE FROM datasets WHERE number = ?", (dataset.number,))
        self.wipe()

    def rows(self, dataset: Dataset) -> list[list[str]]:
        """The cells of all rows."""
        found = self.select("SELECT cells FROM rows WHERE dataset = ? ORDER BY row", (dataset.number,))
        return [json.loads(inflate(cells)) for (cells,) in found]

    def given(self, dataset: Dataset) -> dict[int, GivenLabels]:
        """The labels that the person gave, by row."""
        statement = f"SELECT {_GIVEN.column_list} FROM given WHERE dataset = ? ORDER BY row"
        found = (_GIVEN.fields(row) for row in self.select(statement, (dataset.number,)))
        return {
            each["row"]: GivenLabels(**each | {"labels": tuple(json.loads(each["labels"]))}) for each in found
        }

    def give(self, dataset: Dataset, given: Iterable[GivenLabels], taken_back: Iterable[int] = ()) -> None:
        """Store labels in place of earlier ones, and delete those of some rows."""
        with self.writing() as connection:
            # Another window may have renamed or removed some.
            names = {label.name for label in _labels_of(connection, dataset.number)}
            given = [each for each in given if not each.labels or names.intersection(each.labels)]
            connection.executemany(
                "DELETE FROM given WHERE dataset = ? AND row = ?",
                [(dataset.number, row) for row in taken_back],
            )
            _insert_given(connection, dataset.number, given)

    def numbers(self, dataset: Dataset, kind: str) -> tuple[str, bytes]:
        """The numbers of a kind and the name of what computed them; both empty where there are none."""
        statement = "SELECT name, packed FROM numbers WHERE dataset = ? AND kind = ?"
        found = self.select(statement, (dataset.number, kind))
        return found[0] if found else ("", b"")

    def put_numbers(self, dataset: Dataset, kind: str, name: str, packed: bytes) -> None:
        """Store the numbers of a kind in place of earlier ones, unless the data set was removed meanwhile."""
        self.change(
            "INSERT OR REPLACE INTO numbers SELECT number, ?, ?, ? FROM datasets WHERE number = ?",
            (kind, name, packed, dataset.number),
        )

    def held_out(self, dataset: Dataset) -> HeldOut:
        """The predictions for held-out texts."""
        with self.reading() as connection:
            return _held_out(connection, dataset.number)

    def put_held_out(self, dataset: Dataset, held_out: HeldOut) -> None:
        """Store the predictions for held-out texts."""
        with self.writing() as connection:
            _put_held_out(connection, dataset.number, held_out)


def _pack_labels(labels: Iterable[Label]) -> str:
    return json_of([(label.name, label.words) for label in labels])


def _unpack_labels(labels: str) -> tuple[Label, ...]:
    return tuple(Label(name, words) for name, words in json.loads(labels))


def _labels_of(connection: sqlite3.Connection, number: int) -> tuple[Label, ...]:
    """The labels of a data set as stored. Raises SpanlightError where it was removed."""
    found = connection.execute("SELECT labels FROM datasets WHERE number = ?", (number,)).fetchone()
    if found is None:
        raise _removed()
    return _unpack_labels(found[0])


def _dataset(row: Sequence[Any]) -> Dataset:
    *row, number, rows = row
    values = _RECORD.fields(row)
    values |= {"columns": tuple(json.loads(values["columns"])), "labels": _unpack_labels(values["labels"])}
    return Dataset(number, rows=rows, **values)


def _get(connection: sqlite3.Connection, number: int) -> Dataset:
    return _dataset(connection.execute(f"{_SELECT} WHERE number = ?", (number,)).fetchone())


def _insert_given(connection: sqlite3.Connection, number: int, given: Iterable[GivenLabels]) -> None:
    connection.executemany(
        insert("given", ("dataset", *_GIVEN.columns), "OR REPLACE"),
        ((number, *_GIVEN.values(each, labels=json_of(each.labels))) for each in given),
    )


def _held_out(connection: sqlite3.Connection, number: int) -> HeldOut:
    found = connection.execute("SELECT held_out FROM datasets WHERE number = ?", (number,)).fetchone()
    return from_plain(HeldOut, json.loads(found[0])) if found else HeldOut()


def _put_held_out(connection: sqlite3.Connection, number: int, held_out: HeldOut) -> None:
    connection.execute(
        "UPDATE datasets SET held_out = ? WHERE number = ?", (json_of(asdict(held_out)), number)
    )


def _relabel(connection: sqlite3.Connection, number: int, names: set[str], renamed: dict[str, str]) -> None:
    """Rename the labels that were given or guessed, and drop those that are gone.

    A text left without any label counts as not yet labelled.
    """
    for row, before_packed, packed_guess in connection.execute(
        "SELECT row, labels, guess FROM given WHERE dataset = ?", (number,)
    ).fetchall():
        before, guess = json.loads(before_packed), from_sqlite(packed_guess)
        after = [renamed.get(name, name) for name in before]
        after = [name for name in after if name in names]
        if after == before and guess not in renamed:
            continue
        if after or not before:
            connection.execute(
                "UPDATE given SET labels = ?, guess = ? WHERE dataset = ? AND row = ?",
                (json_of(after), to_sqlite(renamed.get(guess, guess)), number, row),
            )
        else:
            connection.execute("DELETE FROM given WHERE dataset = ? AND row = ?", (number, row))


def _name_taken(name: str) -> SpanlightError:
    return SpanlightError(
        Message("There is a table “{name}” already.", name=name), Message("Choose another name.")
    )


def _removed() -> SpanlightError:
    return SpanlightError(Message("This table of labels was removed."), Message("The label was not saved."))
