"""A chart's numbers as a table that can be sorted, walked and copied."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QTableView

from app.ui.kit.chart import Table, shown
from app.ui.kit.sorted_table import set_up_rows
from app.ui.kit.theme import Theme

_Index = QModelIndex | QPersistentModelIndex
_SORT = Qt.ItemDataRole.UserRole
_ROWS_SEEN = 9
_ROWS_MEASURED = 30


class NumbersModel(QAbstractTableModel):
    """A Table for Qt: numbers shown to a few digits, sorted by their full value."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Table()

    def set_table(self, table: Table) -> None:
        """Set other numbers."""
        self.beginResetModel()
        self.table = table
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """As many rows as the table."""
        return 0 if parent.isValid() else len(self.table.rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """As many columns as the table."""
        return 0 if parent.isValid() else len(self.table.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The columns' names."""
        if orientation == Qt.Orientation.Horizontal and section < len(self.table.columns):
            if role == Qt.ItemDataRole.DisplayRole:
                name = self.table.columns[section]
                return name[:1].upper() + name[1:]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return int(self._side(section) | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell's text, sort key and alignment."""
        if not index.isValid():
            return None
        cell = self.table.rows[index.row()][index.column()]
        if role == _SORT:
            return cell.casefold() if isinstance(cell, str) else cell
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return " ".join(shown(cell).split())[:300]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(self._side(index.column()) | Qt.AlignmentFlag.AlignVCenter)
        return None

    def _side(self, column: int) -> Qt.AlignmentFlag:
        """Numbers are aligned to the right, words to the left."""
        words = not self.table.rows or isinstance(self.table.rows[0][column], str)
        return Qt.AlignmentFlag.AlignLeft if words else Qt.AlignmentFlag.AlignRight


class NumbersTable(QTableView):
    """The table; a click on a heading sorts, Ctrl+C copies the chosen rows (or all) with their heading.

    `row_reached` carries the unsorted index of the row that the user moved to.
    """

    row_reached = Signal(int)

    def __init__(self, theme: Theme, name: str = "Numbers") -> None:
        super().__init__()
        self._theme = theme
        self._model = NumbersModel()
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self._model)
        self._sorted.setSortRole(_SORT)
        self.setModel(self._sorted)
        self.setAccessibleName(name)
        set_up_rows(self)
        self.selectionModel().currentRowChanged.connect(self._moved)
        theme.changed.connect(self._restyle)
        self._restyle()

    @Slot(QModelIndex, QModelIndex)
    def _moved(self, now: QModelIndex, before: QModelIndex) -> None:
        if now.isValid():
            self.row_reached.emit(self._sorted.mapToSource(now).row())

    def set_table(self, table: Table) -> None:
        """Show these numbers, in their order."""
        columns = self._model.table.columns
        self._model.set_table(table)
        if table.columns != columns:
            self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self._fit_columns()
        self.updateGeometry()

    def copied(self) -> str:
        """The chosen rows, or all, as they are sorted, with tabs between cells and a heading."""
        chosen = sorted({index.row() for index in self.selectionModel().selectedRows()})
        rows = chosen or range(self._sorted.rowCount())
        table = self._model.table
        sources = [self._sorted.mapToSource(self._sorted.index(row, 0)).row() for row in rows]
        return Table(table.columns, tuple(table.rows[source] for source in sources)).csv("\t")

    def sizeHint(self) -> QSize:
        """As high as its rows, up to nine of them."""
        rows = min(_ROWS_SEEN, max(1, self._model.rowCount()))
        high = rows * self.verticalHeader().defaultSectionSize() + self.horizontalHeader().sizeHint().height()
        return QSize(self._theme.step(120), high + self._theme.step(4))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.step(40), self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Ctrl+C."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.copied())
            event.accept()
            return
        super().keyPressEvent(event)

    def _fit_columns(self) -> None:
        """Columns as wide as their headings and first cells, a long text no wider than a sentence."""
        step, header = self._theme.step, self.horizontalHeader()
        metrics, headings = self.fontMetrics(), header.fontMetrics()
        table = self._model.table
        for column, name in enumerate(table.columns):
            first = (shown(row[column]) for row in table.rows[:_ROWS_MEASURED])
            cells = max((metrics.horizontalAdvance(cell[:80]) for cell in first), default=0)
            wide = max(cells + step(6), headings.horizontalAdvance(name) + step(11))
            self.setColumnWidth(column, min(step(64), wide))

    @Slot()
    def _restyle(self) -> None:
        self.horizontalHeader().setFont(self._theme.font("small_strong"))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + self._theme.step(3))
        self._fit_columns()
        self.updateGeometry()
