"""The saved measures: a table, and the chosen one or two of them in detail."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.core import wording
from app.core.errors import SpanlightError
from app.core.measures import Measure
from app.flows.measure.measure import compare
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.theme import Theme
from app.ui.kit.undo_line import UndoLine
from app.ui.models.measure.measure_panel import MeasurePanel
from app.ui.models.measure.measure_table import MeasureTable
from app.ui.models.measure.measure_work import delete, put_back


class SavedMeasures(QWidget):
    """The table and the details of the chosen measures; hidden while there is none and nothing was just deleted.

    `changed` carries all measures once some were deleted or restored; `failed` the error if that failed; `note` is one
    line for the status line.
    """

    changed = Signal(object)
    failed = Signal(object)
    note = Signal(str)

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__()
        self._workspace, self._theme, self._lanes = workspace, theme, lanes
        self._first: Measure | None = None
        self._deleted: list[Measure] = []
        self._back: tuple[Measure, ...] = ()
        self._change_job: Job | None = None
        self._heading = QLabel("Measured so far")
        self.copy, self.delete = QPushButton("Copy as CSV"), QPushButton("Delete")
        self.copy.setToolTip("The chosen rows, with every figure  (Ctrl+C)")
        self.delete.setToolTip("Delete the chosen rows  (Del)")
        self.undo = UndoLine(theme)
        self.table = MeasureTable(theme)
        self.panel = MeasurePanel(theme)
        self._row = QHBoxLayout()
        self._row.addWidget(self._heading)
        self._row.addWidget(self.undo, 1)
        self._row.addStretch(1)
        for button in (self.copy, self.delete):
            button.setAccessibleName(button.text())
            self._row.addWidget(button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._row)
        self._column.addWidget(self.table)
        self._column.addWidget(self.panel)
        self.copy.clicked.connect(self._copy)
        self.delete.clicked.connect(self.delete_chosen)
        self.table.delete_asked.connect(self.delete_chosen)
        self.table.chosen_changed.connect(self._chosen)
        self.panel.other_chosen.connect(self._compare_with)
        self.undo.undo_asked.connect(self.bring_back)
        self.undo.over.connect(self._forget_deleted)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def show_measures(self, measures: tuple[Measure, ...], chosen: tuple[Measure, ...] = ()) -> None:
        """Show these; `chosen` are selected, else the earlier selection, else the first."""
        self.table.set_measures(measures, chosen)
        back = tuple(one for one in self._back if one in measures)
        if back:
            self._back = ()
            self.table.choose(back)
        if measures and not self.table.chosen():
            self.table.choose(self.table.measures()[:1])
        focus = self.window().focusWidget()
        if not measures and focus is not None and self.isAncestorOf(focus):
            self.undo.button.setFocus(Qt.FocusReason.OtherFocusReason)
        for widget in (self._heading, self.table, self.copy, self.delete):
            widget.setVisible(bool(measures))
        self.setVisible(bool(measures or self._deleted))
        if back:
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        self._chosen()

    @Slot()
    def _chosen(self) -> None:
        chosen = self.table.chosen()
        self.delete.setEnabled(bool(chosen))
        self.panel.setVisible(bool(chosen))
        if not chosen:
            return
        if self._first not in chosen:
            self._first = chosen[0]
        # The one at the left does not depend on the order of the rows.
        first, *others = sorted(chosen, key=lambda one: one != self._first)
        same = tuple(one for one in self.table.measures() if one.digest == first.digest and one != first)
        if len(others) != 1:
            self.panel.show_one(first, same)
            return
        try:
            self.panel.show_two(compare(first, others[0]), same)
        except SpanlightError as apart:
            self.panel.show_apart(first, others[0], apart.message)

    @Slot(object)
    def _compare_with(self, other: Measure | None) -> None:
        if self._first is not None:
            self.table.choose((self._first, other) if other is not None else (self._first,))

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.table.copied())
        self.note.emit("Copied as CSV")

    @Slot()
    def delete_chosen(self) -> None:
        """Delete the chosen measures; this can be undone for a while."""
        chosen = self.table.chosen()
        if chosen:
            self._deleted += chosen
            self._follow(self._lanes.files.start(delete, self._workspace, chosen))
            self.undo.offer(f"{wording.count(len(self._deleted), 'measure')} deleted")

    @Slot()
    def bring_back(self) -> None:
        """Restore the measures deleted last."""
        if self._deleted:
            self._back = tuple(self._deleted)
            self._follow(self._lanes.files.start(put_back, self._workspace, self._back))
        self._forget_deleted()

    @Slot()
    def _forget_deleted(self) -> None:
        self._deleted = []
        self.undo.clear()

    def _follow(self, job: Job) -> None:
        self._change_job = job
        job.done.connect(self.changed)
        job.failed.connect(self._failed)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._forget_deleted()
        self.failed.emit(error)

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._heading.setFont(theme.font("strong"))
        self._row.setSpacing(theme.step(2))
        self._column.setSpacing(theme.step(3))
