"""The list of every request: kept fresh, narrowed, copied, cleared."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.core import wording
from app.core.network import LedgerEntry
from app.core.report import Report
from app.flows.network.ledger import clear_ledger, ledger, ledger_begun
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.theme import Theme, mark
from app.ui.models.ledger_table import LedgerTable

NEVER, NONE_NOW = "No request was ever made.", "The list was cleared. No request was made since."
_EVERY_MS = 1000
_LEAST_HIGH = 64


def look(workspace: Workspace, report: Report) -> tuple[tuple[LedgerEntry, ...], bool]:
    """The requests, the latest first, and whether any was ever made."""
    return ledger(workspace, report), ledger_begun(workspace, report)


class RequestsCard(QFrame):
    """The ledger with what can be done about it. `failed` carries what went wrong."""

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
        self.clear.clicked.connect(self._ask)
        self.cancel.clicked.connect(self.calm)
        self.confirm.clicked.connect(self._confirmed)
        theme.changed.connect(self._restyle)
        self._restyle()

    def look(self) -> None:
        """Read the list afresh."""
        if self._job is not None and self._job.running:
            return
        self._job = self._lanes.files.start(look, self._workspace)
        self._job.done.connect(self._found)
        self._job.failed.connect(self.failed)

    @property
    def asking(self) -> bool:
        """Whether it is asked if the list is to be cleared."""
        return self._question.isVisibleTo(self)

    @Slot()
    def calm(self) -> None:
        """Take the question away."""
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
        self._say_count()

    @Slot()
    def _narrow(self) -> None:
        self.table.narrow(self.filter.text())
        self._say_count()

    @Slot()
    def _copied(self) -> None:
        number = self.table.copy()
        self._count.setText(f"{wording.count(number, 'request')} copied")

    @Slot()
    def _ask(self) -> None:
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
            self._job = None  # what is read now may have been written since
            self.look()

    def _say_count(self) -> None:
        shown = self.table.shown_count()
        of = f"{shown:,} of " if shown != self._total else ""
        self._count.setText(of + wording.count(self._total, "request") if self._total else "")

    # How it looks

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
