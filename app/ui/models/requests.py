"""The list of all network requests, which can be filtered, copied and cleared."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from app.core import days, wording
from app.core.message import Message
from app.core.network import LedgerEntry
from app.core.report import Report
from app.core.tables import csv_lines
from app.flows.network.network import clear_ledger, has_ledger, ledger
from app.flows.workspace import Workspace
from app.ui.kit.boxes import column, row
from app.ui.kit.confirmation import Confirmation
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.table import Column, RowTable
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

NEVER, NONE_NOW = (
    Message("No request was ever made."),
    Message("The list was cleared. No request was made since."),
)
_ABOUT = Message(
    "Each one is written down here before it is sent. Nothing else is sent; nobody is told how you use this."
)
_REFRESH_MS = 1000
_LEAST_HEIGHT = 64
_CSV = ("sent", "method", "address", "why", "status", "received", "seconds", "error")


def _when(entry: LedgerEntry) -> str:
    try:
        moment = datetime.fromisoformat(entry.sent).astimezone()
    except (ValueError, OverflowError, OSError):
        return entry.sent
    today = datetime.now().astimezone().date()
    day = days.day(moment.date(), today) if abs((today - moment.date()).days) < 2 else f"{moment:%Y-%m-%d}"
    return tr("{date}, {time}", date=day, time=f"{moment:%H:%M:%S}")


def _answer(entry: LedgerEntry) -> str:
    return localised(entry.error) or (str(entry.status) if entry.status else tr("None"))


def _why(entry: LedgerEntry) -> str:
    return localised(entry.why)


def _columns() -> tuple[Column, ...]:
    return (
        Column(tr("When"), _when, lambda one: one.sent, lambda one: one.sent),
        Column(tr("Why"), _why, lambda one: _why(one).casefold(), _why),
        Column(
            tr("Address"), lambda one: one.address, lambda one: one.address,
            lambda one: f"{one.method} {one.address}",
        ),
        Column(tr("Answer"), _answer, lambda one: one.status, _answer),
        Column(
            tr("Received"), lambda one: localised(wording.size(one.received)) if one.received else "",
            lambda one: one.received,
        ),
        Column(
            tr("Took"), lambda one: tr("{seconds:.1f} s", seconds=one.seconds) if one.seconds else "",
            lambda one: one.seconds,
        ),
    )  # fmt: skip


# Widths in steps. The address takes the rest.
_WIDTHS = (36, 36, 0, 20, 23, 16)
_ADDRESS, _LEAST_ADDRESS = 2, 40


class LedgerTable(RowTable):
    """The table of requests; copied as CSV."""

    FONT = "small"

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Requests over the network"), _columns())
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)

    def set_entries(self, entries: tuple[LedgerEntry, ...]) -> None:
        """Show these requests; selection and scroll position stay if nothing is new."""
        if entries != self._model.rows:
            self._model.set_rows(entries)

    def text_of(self, rows: Sequence[LedgerEntry]) -> str:
        return csv_lines([_CSV, *(tuple(str(getattr(one, name)) for name in _CSV) for one in rows)])

    def share_width(self) -> None:
        """Give the addresses the width that is left."""
        widths = [self._theme.step(steps) for steps in _WIDTHS]
        rest = self.viewport().width() - sum(widths)
        widths[_ADDRESS] = max(self._theme.step(_LEAST_ADDRESS), rest)
        for at, width in enumerate(widths):
            self.setColumnWidth(at, width)


def read_requests(workspace: Workspace, report: Report) -> tuple[tuple[LedgerEntry, ...], bool]:
    """Read the ledger: the requests, the latest first, and whether any was ever sent."""
    return ledger(workspace, report), has_ledger(workspace, report)


class RequestsCard(QFrame):
    """The ledger with its actions. `failed` carries an error."""

    failed = Signal(object)

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__()
        self._workspace = workspace
        self._lanes = lanes
        self._theme = theme
        self._job: Job | None = None
        self._total = 0
        self.setProperty("kind", "card")
        self.setAccessibleName(tr("Requests over the network"))
        self._count = plain_label(type="small", ink="quiet", wrap=False)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Search requests"))
        self.filter.setAccessibleName(tr("Search requests"))
        self.copy = push_button(theme, tr("Copy as CSV"))
        self.clear = push_button(theme, tr("Clear…"))
        self.question = Confirmation(theme, tr("Clear the list"))
        self.table = LedgerTable(theme)
        self.empty = plain_label(ink="quiet")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._lay_out()
        self._refresh_timer = QTimer(self, interval=_REFRESH_MS)
        self._refresh_timer.timeout.connect(self._tick)
        lanes.network.begun.connect(self._network_begun)
        lanes.network.rested.connect(self._lane_rested)
        self.filter.textChanged.connect(self._filter)
        self.copy.clicked.connect(self._copy)
        self.clear.clicked.connect(self._ask_to_clear)
        self.question.cancelled.connect(self._clearing_cancelled)
        self.question.confirmed.connect(self._clear)
        theme.in_steps(self.empty.setMinimumHeight, 24)
        theme.in_steps(self.table.setMinimumHeight, _LEAST_HEIGHT)

    def refresh(self) -> None:
        """Read the ledger again, unless it is being read."""
        if self._job is not None and self._job.running:
            return
        self._job = self._lanes.files.start(read_requests, self._workspace).then(self._found, self.failed)

    @Slot(object)
    def _found(self, found: tuple[tuple[LedgerEntry, ...], bool]) -> None:
        entries, begun = found
        self._total = len(entries)
        self.table.set_entries(entries)
        self.table.setVisible(bool(entries))
        self._tools.setVisible(bool(entries))
        self.empty.setVisible(not entries)
        self.empty.setText(NONE_NOW if begun else NEVER)
        self.clear.setEnabled(bool(entries) and not self.question.asking)
        if not entries:
            self.question.hide()
        self._show_count()

    @Slot()
    def _filter(self) -> None:
        self.table.narrow(self.filter.text())
        self._show_count()

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.table.copied())
        number = len(self.table.chosen() or self.table.rows())
        self._count.setText(tr("{n:,} request copied", "{n:,} requests copied", n=number))

    @Slot()
    def _ask_to_clear(self) -> None:
        self.clear.setEnabled(False)
        self.question.ask(
            tr(
                "Clear {n:,} request from this list? This cannot be undone.",
                "Clear {n:,} requests from this list? This cannot be undone.",
                n=self._total,
            )
        )

    @Slot()
    def _clearing_cancelled(self) -> None:
        self.clear.setEnabled(bool(self._total))
        self.clear.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _clear(self) -> None:
        self._clearing_cancelled()
        self._lanes.files.start_write(clear_ledger, self._workspace).then(self._cleared, self.failed)

    @Slot()
    def _cleared(self) -> None:
        self.filter.clear()
        self.refresh()

    @Slot(object)
    def _network_begun(self, job: Job) -> None:
        self._refresh_timer.start()

    @Slot()
    def _tick(self) -> None:
        if self.isVisible():
            self.refresh()

    @Slot()
    def _lane_rested(self) -> None:
        self._refresh_timer.stop()
        if self.isVisible():
            self._job = None  # what is being read may lack the last requests
            self.refresh()

    def _show_count(self) -> None:
        shown = len(self.table.rows())
        words = tr("{n:,} request", "{n:,} requests", n=self._total) if self._total else ""
        if shown != self._total:
            words = tr("{shown:,} of {requests}", shown=shown, requests=words)
        self._count.setText(words)

    # Looks

    def _lay_out(self) -> None:
        theme = self._theme
        head = row(theme, plain_label(tr("Every request"), type="strong", wrap=False), 1, self._count)
        self._tools = QWidget()
        row(theme, (self.filter, 1), self.copy, self.clear, gap=2, parent=self._tools)
        about = plain_label(_ABOUT, type="small", ink="quiet")
        parts = (head, about, self._tools, self.question, self.table, self.empty)
        column(theme, *parts, gap=3, margins=(6, 6, 6, 6), parent=self)
        for part in (self._tools, self.table):
            part.hide()
