"""The model of a table of answers: files by questions, filtered and sorted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from app.core.answer_table import (
    AnswerTable,
    Cell,
    CellState,
    Column,
    ColumnType,
    TableLayout,
    without_outdated,
)
from app.core.corrections import Verdict
from app.core.legible import legible, legible_lines
from app.core.library import FileState, LibraryFile
from app.core.wording import read_as
from app.ui.kit.parts import as_tip
from app.ui.kit.translation import localised
from app.ui.table.cells import TYPES, CellWords, Row, certainty, rows_of, unread, words_of

Index = QModelIndex | QPersistentModelIndex
# Files that have changed and are shown without resetting the model.
_MOST_IN_PLACE = 1000
_SPOKEN = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)


class Filter(StrEnum):
    """Which cells to look at: only the rows that have one are shown."""

    ALL = "all"
    LOW = "low"
    UNSEEN = "unseen"
    ABSENT = "absent"
    UNREAD = "unread"
    WRONG = "wrong"
    UNSURE = "unsure"  # those without a verdict, the least sure first


class AnswerModel(QAbstractTableModel):
    """The cells of a table, with a row for each file and a column for each question.

    Rows are filtered and sorted when the person asks for it: a cell that changes later does not move its row.
    """

    def __init__(self) -> None:
        super().__init__()
        self.columns: tuple[Column, ...] = ()
        self.rows: list[Row] = []
        self.cells: dict[tuple[str, int], Cell] = {}
        self.filter = Filter.ALL
        self._every: list[Row] = []
        self._words: dict[tuple[str, int], CellWords] = {}
        self._reading: set[tuple[str, int]] = set()
        self._share = 0.0  # of these that was read, 0 to 1
        self._sorted_by = 0  # a column's number
        self._descending = False
        self._notes: dict[int, str] = {}
        # The files with a text, by SHA-256, and how many of their rows' cells were read.
        self._files: dict[str, list[LibraryFile]] = {}
        self._read = 0
        self._places: dict[str, list[int]] = {}  # of a file's rows, by its SHA-256

    # Content

    def show_table(
        self,
        table: AnswerTable | None,
        files: Sequence[LibraryFile] = (),
        cells: Mapping[tuple[str, int], Cell] | None = None,
        layout: TableLayout | None = None,
    ) -> None:
        """Show another table, sorted as it was shown last; its cells are up to date (`without_outdated`)."""
        self.beginResetModel()
        self.columns = table.columns if table is not None else ()
        self._every = rows_of(files)
        self.cells = dict(cells or {})
        self._words, self._reading, self._notes = {}, set(), {}
        self._count_cells()
        self.filter = Filter.ALL
        layout = layout or TableLayout()
        self._sorted_by, self._descending = layout.sorted_by, layout.descending
        self._arrange()
        self.endResetModel()

    def set_columns(self, columns: tuple[Column, ...]) -> None:
        """Show other columns of the same table."""
        self.beginResetModel()
        changed = {one.number for one in columns} - {one.number for one in self.columns if one in columns}
        self._words = {key: words for key, words in self._words.items() if key[1] not in changed}
        self.columns = columns
        self._count_cells()
        self._arrange()
        self.endResetModel()

    def set_files(self, files: Sequence[LibraryFile]) -> bool:
        """Show other files, or the same ones as they are now; returns whether anything differs.

        If only some files differ, and no row is new or gone, the model is not reset.
        """
        present = [file for file in files if file.state is not FileState.GONE]
        same = [row.file.number for row in self._every] == [file.number for file in present]
        changed = {
            row.file.number: file
            for row, file in (zip(self._every, present, strict=True) if same else ())
            if row.file is not file and row.file != file  # few are not the same object
        }
        if same and not changed:
            return False
        if 0 < len(changed) <= _MOST_IN_PLACE:
            self._change_rows(changed)
            return True
        self.beginResetModel()
        before, self._every = self._lacking(), rows_of(files)
        if contents := {sha256 for sha256, _ in before ^ self._lacking()}:
            self._drop_outdated([key for key in self.cells if key[0] in contents], files)
        self._count_cells()
        self._arrange()
        self.endResetModel()
        return True

    def _change_rows(self, changed: Mapping[int, LibraryFile]) -> None:
        """Show the files with these numbers as they are now."""
        before = [row.file for row in self._every if row.file.number in changed]
        contents = {file.sha256 for file in (*before, *changed.values())}
        keys = [(sha256, column.number) for sha256 in contents for column in self.columns]
        self._read -= self._count_read(keys)
        for rows in self._every, self.rows:
            rows[:] = [
                replace(row, file=changed[row.file.number]) if row.file.number in changed else row
                for row in rows
            ]
        for sha256 in contents:
            self._files.pop(sha256, None)
        self._take_files(row for row in self._every if row.file.sha256 in contents)
        self._drop_outdated(keys, changed.values())
        self._read += self._count_read(keys)
        shown = [(at, row.file) for at, row in enumerate(self.rows) if row.file.sha256 in contents]
        for sha256 in contents:
            self._places.pop(sha256, None)
        for at, file in shown:
            self._places.setdefault(file.sha256, []).append(at)
        for at, file in shown:
            if file.number in changed:
                self.dataChanged.emit(self.index(at, 0), self.index(at, len(self.columns) - 1))
                self.headerDataChanged.emit(Qt.Orientation.Vertical, at, at)

    def _drop_outdated(self, keys: Iterable[tuple[str, int]], files: Iterable[LibraryFile]) -> None:
        """Forget which of these cells are to be read again."""
        known = {key: self.cells[key] for key in keys if key in self.cells}
        for key in known.keys() - without_outdated(known, files).keys():
            self._words.pop(key, None)
            del self.cells[key]

    def take_cells(self, cells: Iterable[Cell]) -> None:
        """Show cells that were read or judged, in place of the earlier ones."""
        found = {(cell.sha256, cell.column): cell for cell in cells}
        files = [file for sha256 in {key[0] for key in found} for file in self._files.get(sha256, ())]
        self._read -= self._count_read(found)
        for key in found:
            self.cells.pop(key, None)
            self._words.pop(key, None)
        self.cells.update(without_outdated(found, files))
        self._read += self._count_read(found)
        self._reading -= found.keys()
        self._cells_changed(found)

    def set_reading(self, keys: Iterable[tuple[str, int]], share: float = 0.0) -> None:
        """Show which cells are being read, each given by its file's SHA-256 and its column's number, and how far."""
        wanted = set(keys)
        changed = wanted ^ self._reading if share == self._share else wanted | self._reading
        self._reading, self._share = wanted, share
        self._cells_changed(changed)

    def set_notes(self, notes: Mapping[int, str]) -> None:
        """Set the summaries of verdicts below the questions, by the columns' numbers."""
        if self.columns and notes != self._notes:
            self._notes = dict(notes)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)

    def note(self, section: int) -> str:
        """The line below a question: the type of its answers, and the summary of their verdicts."""
        column = self.columns[section]
        type, note = localised(TYPES[column.type]), self._notes.get(column.number, "")
        return f"{type} · {note}" if note else type

    def cell(self, row: int, column: int) -> Cell | None:
        """The stored cell at a row and a column; None if it was not read yet."""
        if not (0 <= row < len(self.rows) and 0 <= column < len(self.columns)):
            return None
        return self.cells.get((self.rows[row].file.sha256, self.columns[column].number))

    def place_of(self, cell: Cell) -> tuple[int, int] | None:
        """The row and the column of a cell; None if it is not shown."""
        numbers = [column.number for column in self.columns]
        if cell.sha256 not in self._places or cell.column not in numbers:
            return None
        return self._places[cell.sha256][0], numbers.index(cell.column)

    def is_read(self, key: tuple[str, int]) -> bool:
        """Whether a cell was read; one that failed is to be read again."""
        cell = self.cells.get(key)
        return cell is not None and cell.can_be_judged

    def unread_files(self, rows: Iterable[int]) -> list[str]:
        """The SHA-256 of the files of these rows that have a cell still to be read."""
        found = []
        for at in rows:
            file = self.rows[at].file
            if file.state is FileState.READ and any(
                not self.is_read((file.sha256, column.number)) for column in self.columns
            ):
                found.append(file.sha256)
        return found

    def counts(self) -> tuple[int, int]:
        """The number of cells that were read, and of all cells of files with a text."""
        return self._read, sum(map(len, self._files.values())) * len(self.columns)

    def _lacking(self) -> set[tuple[str, str]]:
        """The files that were read in part, by SHA-256, each with what it lacks."""
        return {
            (row.file.sha256, row.file.why_unread)
            for row in self._every
            if row.file.reason and row.file.state is FileState.READ
        }

    def _count_cells(self) -> None:
        """Count the cells that were read, after the files or the questions have changed."""
        self._files = {}
        self._take_files(self._every)
        self._read = self._count_read(self.cells)

    def _take_files(self, rows: Iterable[Row]) -> None:
        for row in rows:
            if row.file.state is FileState.READ:
                self._files.setdefault(row.file.sha256, []).append(row.file)

    def _count_read(self, keys: Iterable[tuple[str, int]]) -> int:
        """How many rows' cells of these were read, each given by its file's SHA-256 and its column's number."""
        numbers, files, cells = {column.number for column in self.columns}, self._files, self.cells
        found = 0
        for key in keys:
            if key[1] in numbers and key[0] in files and key in cells and cells[key].can_be_judged:
                found += len(files[key[0]])
        return found

    def files(self) -> list[LibraryFile]:
        """The files of the table, whatever the filter."""
        return [row.file for row in self._every]

    def judged_cells(self) -> list[Cell]:
        """The cells with a verdict, of the table's files and questions."""
        shas = {row.file.sha256 for row in self._every}
        numbers = {column.number for column in self.columns}
        return [
            cell
            for (sha256, number), cell in self.cells.items()
            if cell.verdict is not Verdict.NONE and number in numbers and sha256 in shas
        ]

    # Filter and order

    def show_only(self, which: Filter) -> None:
        """Show only the rows that have a cell of this kind."""
        self.beginResetModel()
        self.filter = which
        self._arrange()
        self.endResetModel()

    def order(self, column: int, *, descending: bool = False) -> None:
        """Sort the rows by a column's values, those without a value last; a column of -1 sorts them by name."""
        self.beginResetModel()
        self._sorted_by = self.columns[column].number if column >= 0 else 0
        self._descending = descending
        self._arrange()
        self.endResetModel()

    def layout(self, widths: Mapping[int, int]) -> TableLayout:
        """The table's layout with columns of these widths, to be saved."""
        return TableLayout(tuple(widths.items()), self._sorted_by, self._descending)

    def sorted_by(self) -> tuple[int, bool]:
        """The position of the column that the rows are sorted by, -1 for none, and whether the largest are first."""
        numbers = [column.number for column in self.columns]
        at = numbers.index(self._sorted_by) if self._sorted_by in numbers else -1
        return at, self._descending

    def matches(self, row: int, column: int) -> bool:
        """Whether a cell matches the filter."""
        return self._matches(self.cell(row, column))

    def matching(self) -> list[tuple[int, int]]:
        """The rows and columns of the cells that match the filter, in the order to look at them."""
        found = [
            (row, column)
            for row in range(len(self.rows))
            for column in range(len(self.columns))
            if not self.rows[row].message and self._matches(self.cell(row, column))
        ]
        if self.filter is Filter.UNSURE:
            found.sort(key=lambda cell: self._certainty(*cell))
        return found

    def _certainty(self, row: int, column: int) -> float:
        cell = self.cell(row, column)
        return 1.0 if cell is None else certainty(cell)

    def _matches(self, cell: Cell | None) -> bool:
        if self.filter is Filter.ALL:
            return True
        if cell is None or cell.state is CellState.UNREAD:
            return False
        is_judged = cell.verdict is not Verdict.NONE
        match self.filter:
            case Filter.LOW:
                return cell.state is CellState.LOW_CONFIDENCE
            case Filter.ABSENT:
                return cell.state is CellState.ABSENT
            case Filter.UNREAD:
                return cell.state in (CellState.FAILED, CellState.NO_TEXT, CellState.ABSENT_IN_PART)
            case Filter.WRONG:
                return is_judged and not cell.is_right
            case _:
                return not is_judged and cell.can_be_judged

    def _row_matches(self, row: Row) -> bool:
        if self.filter is Filter.UNREAD and row.message:
            return True
        return any(self._matches(self.cells.get((row.file.sha256, one.number))) for one in self.columns)

    def _arrange(self) -> None:
        """Set the rows: those that match the filter, sorted."""
        rows = list(self._every)
        if self.filter is not Filter.ALL:
            rows = [row for row in rows if self._row_matches(row)]
        at, descending = self.sorted_by()
        if at >= 0:
            keys = {id(row): self._sort_key(row, self.columns[at]) for row in rows}
            with_value = [row for row in rows if keys[id(row)] is not None]
            with_value.sort(key=lambda row: keys[id(row)], reverse=descending)
            rows = with_value + [row for row in rows if keys[id(row)] is None]
        elif self.filter is Filter.UNSURE:
            rows.sort(key=self._least_certain)
        self.rows = rows
        self._places = {}
        for place, row in enumerate(rows):
            self._places.setdefault(row.file.sha256, []).append(place)

    def _least_certain(self, row: Row) -> float:
        cells = (self.cells.get((row.file.sha256, one.number)) for one in self.columns)
        return min(
            (certainty(cell) for cell in cells if cell is not None and self._matches(cell)), default=1.0
        )

    def _sort_key(self, row: Row, column: Column) -> Any:
        cell = self.cells.get((row.file.sha256, column.number))
        if cell is None or not cell.words or row.message:
            return None
        if column.type is ColumnType.WORDS:
            return " ".join(cell.words.casefold().split())
        from app.flows.answer_table.values import value_of

        parsed = value_of(cell, column)
        return None if parsed is None else parsed.sort_key

    # Qt's interface

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and 0 <= section < len(self.columns):
            column = self.columns[section]
            if role == Qt.ItemDataRole.DisplayRole:
                return legible_lines(column.question)
            if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
                return as_tip(f"{column.question}\n{self.note(section)}")
        elif orientation == Qt.Orientation.Vertical and 0 <= section < len(self.rows):
            row = self.rows[section]
            if role == Qt.ItemDataRole.DisplayRole:
                return legible(row.name)
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join(each for each in (row.name, row.below) if each)
            if role == Qt.ItemDataRole.ToolTipRole:
                return as_tip("\n".join(filter(None, (row.file.path, localised(row.file.why_unread)))))
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows) or index.column() >= len(self.columns):
            return None
        row, column = index.row(), index.column()
        if role in _SPOKEN:
            file = self.rows[row]
            return file.message or self.words(row, column).spoken
        if role == Qt.ItemDataRole.ToolTipRole:
            return as_tip(self._tip(row, column))
        return None

    def words(self, row: int, column: int) -> CellWords:
        """What a cell shows; cached, as every painting asks for it."""
        one = self.columns[column]
        key = (self.rows[row].file.sha256, one.number)
        known = self._words.get(key)
        if known is not None:
            return known
        cell = self.cells.get(key)
        if cell is None or cell.state is CellState.UNREAD:
            return unread(self._share) if key in self._reading else unread()
        made = words_of(cell, self._value_of(cell, one))
        self._words[key] = made
        return made

    def _value_of(self, cell: Cell, column: Column) -> str:
        """The yes or no of a clause; words of the other types show their value themselves."""
        if column.type is not ColumnType.YES_NO or not cell.words:
            return ""
        from app.flows.answer_table.values import value_of

        parsed = value_of(cell, column)
        return "" if parsed is None else localised(parsed.shown)

    def _tip(self, row: int, column: int) -> str:
        cell = self.cell(row, column)
        if cell is None:
            return self.rows[row].message
        lines = [cell.answer.text, cell.answer.sentence] if cell.answer is not None else []
        notes = localised(read_as(cell.read_as)), localised(cell.reason)
        return "\n\n".join(dict.fromkeys(each for each in (*lines, *notes) if each))

    def _cells_changed(self, keys: Collection[tuple[str, int]]) -> None:
        """Have the views show cells again."""
        numbers = {number for _, number in keys}
        columns = [at for at, one in enumerate(self.columns) if one.number in numbers]
        if not columns:
            return
        for sha256 in {sha256 for sha256, _ in keys}:
            for at in self._places.get(sha256, ()):
                self.dataChanged.emit(self.index(at, columns[0]), self.index(at, columns[-1]))


def tab_separated(model: AnswerModel, cells: Sequence[tuple[int, int]]) -> str:
    """The words of cells, given by row and column, in lines with tabs between them, as spreadsheets take them."""
    rows = sorted({row for row, _ in cells})
    columns = sorted({column for _, column in cells})
    chosen = set(cells)

    def words(row: int, column: int) -> str:
        cell = model.cell(row, column) if (row, column) in chosen else None
        return " ".join(cell.words.split()) if cell is not None else ""

    return "\n".join("\t".join(words(row, column) for column in columns) for row in rows)
