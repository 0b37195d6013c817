"""Every request that was made over the network, in a table that can be narrowed, sorted and copied."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Slot,
)
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QTableView

from app.core import days, wording
from app.core.network import LedgerEntry
from app.core.tables import csv_lines
from app.ui.kit.sorted_table import set_up_rows
from app.ui.kit.theme import Theme

_Index = QModelIndex | QPersistentModelIndex
COLUMNS = ("When", "Why", "Address", "Answer", "Received", "Took")
_CSV = ("sent", "method", "address", "why", "status", "received", "seconds", "error")
_SORT, _WORDS = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
_ADDRESS = 2
# Widths in steps; the address takes what is left, and leaves the reason a part of it up to the most that one needs.
_WIDTHS = (36, 40, 0, 24, 22, 17)
_WHY, _MOST_WHY, _LEAST_ADDRESS = 1, 64, 70


class LedgerModel(QAbstractTableModel):
    """A row for each request."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[LedgerEntry, ...] = ()

    def set_entries(self, entries: Sequence[LedgerEntry]) -> None:
        """Take requests, the latest first."""
        self.beginResetModel()
        self.entries = tuple(entries)
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """As many rows as requests."""
        return 0 if parent.isValid() else len(self.entries)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """As many as have names."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The columns' names."""
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return COLUMNS[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows, what it is sorted by, and the words that a row is found by."""
        if not index.isValid():
            return None
        entry, column = self.entries[index.row()], index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return _cells(entry)[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return (entry.sent, entry.why, f"{entry.method} {entry.address}", _answer(entry))[min(column, 3)]
        if role == _SORT:
            numbers = (
                entry.sent,
                entry.why.casefold(),
                entry.address,
                entry.status,
                entry.received,
                entry.seconds,
            )
            return numbers[column]
        if role == _WORDS:
            return " ".join((*_cells(entry), entry.method, entry.sent)).casefold()
        return None


class _Narrowed(QSortFilterProxyModel):
    """The rows that hold all words looked for."""

    words: tuple[str, ...] = ()

    def filterAcceptsRow(self, row: int, parent: _Index) -> bool:
        said = self.sourceModel().index(row, 0, parent).data(_WORDS)
        return all(word in said for word in self.words)


class LedgerTable(QTableView):
    """The table; Ctrl+C copies the chosen rows, or all that are shown, as CSV."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._model = LedgerModel()
        self._shown = _Narrowed(self)
        self._shown.setSourceModel(self._model)
        self._shown.setSortRole(_SORT)
        self.setModel(self._shown)
        self.setAccessibleName("Requests over the network")
        set_up_rows(self)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_entries(self, entries: Sequence[LedgerEntry]) -> None:
        """Show requests, the latest first; what is chosen and the place stay where nothing is new."""
        if tuple(entries) != self._model.entries:
            self._model.set_entries(entries)

    def narrow(self, words: str) -> None:
        """Show those that hold all of these words."""
        self._shown.words = tuple(words.casefold().split())
        self._shown.invalidate()

    def shown_count(self) -> int:
        """How many requests are shown."""
        return self._shown.rowCount()

    def csv(self) -> str:
        """The chosen rows, or all that are shown, in the order that is shown."""
        chosen = sorted({index.row() for index in self.selectionModel().selectedRows()})
        rows: list[Sequence[str]] = [_CSV]
        for row in chosen or range(self._shown.rowCount()):
            entry = self._model.entries[self._shown.mapToSource(self._shown.index(row, 0)).row()]
            rows.append(tuple(str(getattr(entry, name)) for name in _CSV))
        return csv_lines(rows)

    def copy(self) -> int:
        """Put the CSV on the clipboard; returns how many requests it tells of."""
        words = self.csv()
        QGuiApplication.clipboard().setText(words)
        return len(self.selectionModel().selectedRows()) or self.shown_count()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Ctrl+C."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            event.accept()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the addresses the room that is left."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        widths = [self._theme.step(steps) for steps in _WIDTHS]
        spare = self.viewport().width() - sum(widths) - self._theme.step(_LEAST_ADDRESS)
        widths[_WHY] += max(0, min(spare, self._theme.step(_MOST_WHY) - widths[_WHY]))
        widths[_ADDRESS] = max(self._theme.step(40), self.viewport().width() - sum(widths))
        for column, width in enumerate(widths):
            self.setColumnWidth(column, width)

    @Slot()
    def _restyle(self) -> None:
        self.horizontalHeader().setFont(self._theme.font("small_strong"))
        self.setFont(self._theme.font("small"))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + self._theme.step(4))
        self._fit()


def _cells(entry: LedgerEntry) -> tuple[str, ...]:
    took = f"{entry.seconds:.1f} s" if entry.seconds else ""
    received = wording.size(entry.received) if entry.received else ""
    return _when(entry.sent), entry.why, entry.address, _answer(entry), received, took


def _answer(entry: LedgerEntry) -> str:
    if entry.error:
        return entry.error
    return str(entry.status) if entry.status else "None"


def _when(sent: str) -> str:
    try:
        moment = datetime.fromisoformat(sent).astimezone()
    except (ValueError, OverflowError, OSError):
        return sent
    today = datetime.now().astimezone().date()
    day = days.day(moment.date(), today) if abs((today - moment.date()).days) < 2 else f"{moment:%Y-%m-%d}"
    return f"{day}, {moment:%H:%M:%S}"
