"""The list of all network requests: refreshed, filtered, copied, cleared."""

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
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.core import days, wording
from app.core.network import LedgerEntry
from app.core.report import Report
from app.core.tables import csv_lines
from app.flows.network.ledger import clear_ledger, ledger, ledger_begun
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.sorted_table import set_up_rows
from app.ui.kit.theme import Theme, mark

NEVER, NONE_NOW = "No request was ever made.", "The list was cleared. No request was made since."
_EVERY_MS = 1000
_LEAST_HIGH = 64
_Index = QModelIndex | QPersistentModelIndex
COLUMNS = ("When", "Why", "Address", "Answer", "Received", "Took")
_CSV = ("sent", "method", "address", "why", "status", "received", "seconds", "error")
_SORT, _WORDS = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
_ADDRESS = 2
# Widths in steps; the address takes the rest, shared with the reason up to the width that the reason needs.
_WIDTHS = (36, 40, 0, 24, 22, 17)
_WHY, _MOST_WHY, _LEAST_ADDRESS = 1, 64, 70


class LedgerModel(QAbstractTableModel):
    """A row for each request."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[LedgerEntry, ...] = ()

    def set_entries(self, entries: Sequence[LedgerEntry]) -> None:
        """Set the requests, the latest first."""
        self.beginResetModel()
        self.entries = tuple(entries)
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """As many rows as requests."""
        return 0 if parent.isValid() else len(self.entries)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """As many columns as names."""
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
        """A cell's text, sort key, and a row's search text."""
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
    """The rows that contain all words of the search."""

    words: tuple[str, ...] = ()

    def filterAcceptsRow(self, row: int, parent: _Index) -> bool:
        text = self.sourceModel().index(row, 0, parent).data(_WORDS)
        return all(word in text for word in self.words)


class LedgerTable(QTableView):
    """The table; Ctrl+C copies the chosen rows, or all shown ones, as CSV."""

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
        """Show requests, the latest first; selection and scroll position stay if nothing is new."""
        if tuple(entries) != self._model.entries:
            self._model.set_entries(entries)

    def narrow(self, words: str) -> None:
        """Show only the rows that contain all of these words."""
        self._shown.words = tuple(words.casefold().split())
        self._shown.invalidate()

    def shown_count(self) -> int:
        """The number of shown requests."""
        return self._shown.rowCount()

    def csv(self) -> str:
        """The chosen rows, or all shown ones, as CSV in display order."""
        chosen = sorted({index.row() for index in self.selectionModel().selectedRows()})
        rows: list[Sequence[str]] = [_CSV]
        for row in chosen or range(self._shown.rowCount()):
            entry = self._model.entries[self._shown.mapToSource(self._shown.index(row, 0)).row()]
            rows.append(tuple(str(getattr(entry, name)) for name in _CSV))
        return csv_lines(rows)

    def copy(self) -> int:
        """Put the CSV on the clipboard; returns its number of requests."""
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


def look(workspace: Workspace, report: Report) -> tuple[tuple[LedgerEntry, ...], bool]:
    """The requests, the latest first, and whether any was ever sent."""
    return ledger(workspace, report), ledger_begun(workspace, report)


class RequestsCard(QFrame):
    """The ledger with its actions. `failed` carries an error."""

    failed = Signal(object)

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__()
        self._workspace = workspace
        self._theme = theme
        self._lanes = lanes
        self._job: Job | None = None
        self._clear_job: Job | None = None
        self._total = 0
        self.setProperty("kind", "card")
        self.setAccessibleName("Requests over the network")
        self._title = QLabel("Every request")
        self._count = QLabel()
        self._about = QLabel(
            "Each one is written down here before it is sent. Nothing else is sent; nobody is told how you use this."
        )
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Search requests")
        self.filter.setAccessibleName("Search requests")
        self.copy = QPushButton("Copy as CSV")
        self.clear = QPushButton("Clear…")
        self.table = LedgerTable(theme)
        self.empty = QLabel()
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._sure = QLabel()
        self.confirm = QPushButton("Clear the list")
        mark(self.confirm, kind="danger")
        self.cancel = QPushButton("Keep it")
        self._lay_out()
        self._soon = QTimer(self)
        self._soon.setInterval(_EVERY_MS)
        self._soon.timeout.connect(self._tick)
        lanes.network.begun.connect(self._network_begun)
        lanes.network.rested.connect(self._rested)
        self.filter.textChanged.connect(self._narrow)
        self.copy.clicked.connect(self._copied)
        self.clear.clicked.connect(self._ask_to_confirm)
        self.cancel.clicked.connect(self.calm)
        self.confirm.clicked.connect(self._confirmed)
        theme.changed.connect(self._restyle)
        self._restyle()

    def look(self) -> None:
        """Refresh the list."""
        if self._job is not None and self._job.running:
            return
        self._job = self._lanes.files.start(look, self._workspace)
        self._job.done.connect(self._found)
        self._job.failed.connect(self.failed)

    @property
    def asking(self) -> bool:
        """Whether it is asking to confirm clearing the list."""
        return self._question.isVisibleTo(self)

    @Slot()
    def calm(self) -> None:
        """Cancel the question."""
        if self.asking:
            self._question.hide()
            self.clear.setEnabled(bool(self._total))
            self.clear.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _found(self, found: tuple[tuple[LedgerEntry, ...], bool]) -> None:
        entries, begun = found
        self._total = len(entries)
        self.table.set_entries(entries)
        self.table.setVisible(bool(entries))
        self._tools.setVisible(bool(entries))
        self.empty.setVisible(not entries)
        self.empty.setText(NONE_NOW if begun else NEVER)
        self.clear.setEnabled(bool(entries) and not self.asking)
        if not entries:
            self._question.hide()
        self._show_count()

    @Slot()
    def _narrow(self) -> None:
        self.table.narrow(self.filter.text())
        self._show_count()

    @Slot()
    def _copied(self) -> None:
        number = self.table.copy()
        self._count.setText(f"{wording.count(number, 'request')} copied")

    @Slot()
    def _ask_to_confirm(self) -> None:
        requests = wording.count(self._total, "request")
        self._sure.setText(f"Clear {requests} from this list? This cannot be undone.")
        self.clear.setEnabled(False)
        self._question.show()
        self.cancel.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _confirmed(self) -> None:
        self.calm()
        self._clear_job = self._lanes.files.start(clear_ledger, self._workspace)
        self._clear_job.done.connect(self._cleared)
        self._clear_job.failed.connect(self.failed)

    @Slot(object)
    def _cleared(self, nothing: object) -> None:
        self.filter.clear()
        self.look()

    @Slot(object)
    def _network_begun(self, job: Job) -> None:
        self._soon.start()

    @Slot()
    def _tick(self) -> None:
        if self.isVisible():
            self.look()

    @Slot()
    def _rested(self) -> None:
        self._soon.stop()
        if self.isVisible():
            self._job = None  # requests may have been added since
            self.look()

    def _show_count(self) -> None:
        shown = self.table.shown_count()
        of = f"{shown:,} of " if shown != self._total else ""
        self._count.setText(of + wording.count(self._total, "request") if self._total else "")

    # Looks

    def _lay_out(self) -> None:
        for label in (self._count, self._about, self.empty):
            label.setProperty("ink", "quiet")
        for label in (self._about, self._sure):
            label.setWordWrap(True)
        head = QHBoxLayout()
        head.addWidget(self._title)
        head.addStretch(1)
        head.addWidget(self._count)
        self._tools = QWidget()
        tools = QHBoxLayout(self._tools)
        tools.addWidget(self.filter, 1)
        tools.addWidget(self.copy)
        tools.addWidget(self.clear)
        self._question = QWidget()
        question = QHBoxLayout(self._question)
        question.addWidget(self._sure, 1)
        question.addWidget(self.cancel)
        question.addWidget(self.confirm)
        self._rows = (tools, question)
        self._column = QVBoxLayout(self)
        self._column.addLayout(head)
        for part in (self._about, self._tools, self._question, self.table, self.empty):
            self._column.addWidget(part)
        for part in (self._tools, self._question, self.table):
            part.hide()

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._title.setFont(theme.font("strong"))
        self._sure.setFont(theme.font("strong"))
        for label in (self._count, self._about):
            label.setFont(theme.font("small"))
        self.empty.setFont(theme.font("ui"))
        self.empty.setMinimumHeight(theme.step(24))
        self.table.setMinimumHeight(theme.step(_LEAST_HIGH))
        edge = theme.step(6)
        self._column.setContentsMargins(edge, edge, edge, edge)
        self._column.setSpacing(theme.step(3))
        for row in self._rows:
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(theme.step(2))
