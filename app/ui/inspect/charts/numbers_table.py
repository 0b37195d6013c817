"""The numbers of a chart as a table that can be sorted and copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal, Slot

from app.ui.kit.chart import Table, shown
from app.ui.kit.table import Column, RowTable
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised

_ROWS_SEEN = 9
_ROWS_MEASURED = 30


def _column(table: Table, at: int) -> Column:
    """The column at an index of a table; numbers are shown with a few digits, and sorted by their full value."""

    def text(row: Sequence[Any]) -> str:
        return localised(row[at]) if isinstance(row[at], str) else shown(row[at])

    def key(row: Sequence[Any]) -> Any:
        return text(row).casefold() if isinstance(row[at], str) else row[at]

    name = localised(table.columns[at])
    number = bool(table.rows) and not isinstance(table.rows[0][at], str)
    return Column(
        name[:1].upper() + name[1:], lambda row: " ".join(text(row).split())[:300], key, number=number
    )


class NumbersTable(RowTable):
    """The table of numbers; Ctrl+C copies the chosen rows, or else all, with their heading.

    `row_reached` carries the row that the user moved to, by its index before sorting.
    """

    PADDING = 3
    row_reached = Signal(int)

    def __init__(self, theme: Theme, name: str = "") -> None:
        super().__init__(theme, name)
        self._table = Table()
        self.selectionModel().currentRowChanged.connect(self._moved)

    @Slot(QModelIndex, QModelIndex)
    def _moved(self, now: QModelIndex, before: QModelIndex) -> None:
        if now.isValid():
            row = self._model.shown[now.row()]
            self.row_reached.emit(next(at for at, each in enumerate(self._table.rows) if each is row))

    def set_table(self, table: Table) -> None:
        """Show these numbers in their order."""
        others, self._table = table.columns != self._table.columns, table
        self._model.set_rows(table.rows, [_column(table, at) for at in range(len(table.columns))])
        if others:
            self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.fit_columns()
        self.updateGeometry()

    def text_of(self, rows: Sequence[Any]) -> str:
        return Table(self._table.columns, tuple(rows)).csv("\t")

    def sizeHint(self) -> QSize:
        """The height of its rows, up to nine of them."""
        rows = min(_ROWS_SEEN, max(1, len(self._model.rows)))
        return QSize(self._theme.step(120), self.height_of(rows) + self._theme.step(4))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.step(40), self.sizeHint().height())

    def fit_columns(self) -> None:
        """Make columns as wide as their headings and first cells, but no wider than a sentence."""
        for at, column in enumerate(self._model.columns):
            first = [column.text(row)[:80] for row in self._model.rows[:_ROWS_MEASURED]]
            self.setColumnWidth(at, min(self._theme.step(64), self.needed_width(at, first)))
