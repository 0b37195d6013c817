"""The saved measures: a table of all, and the chosen one, or two compared, in detail."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from app.core.errors import SpanlightError
from app.core.measures import Measure, examples, figure, share
from app.core.models import model_title
from app.core.report import Report
from app.core.tables import csv_lines
from app.flows.measure.measure import bring_back, compare, forget, measured
from app.flows.workspace import Workspace
from app.ui.kit.boxes import column, row
from app.ui.kit.jobs import Lanes
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.table import Column, RowTable
from app.ui.kit.theme import Theme
from app.ui.kit.translation import format_number, localised, tr
from app.ui.kit.undo_line import UndoLine
from app.ui.models.measure.panel import MeasurePanel, meaning
from app.ui.models.words import when

# The value of a missing figure, which sorts it below all others.
_NONE = -1.0
_MOST_ROWS = 9
# The columns that take spare width, all columns of texts, and the least width of a text column in steps.
_NAME_COLUMNS, _TEXT_COLUMNS, _LEAST_TEXT = (0, 1), (0, 1, 8, 9), 26


def _figure_column(title: str, title_tip: str, *names: str) -> Column:
    """A column that shows, of each measure, the first of these figures that it has."""

    def value(one: Measure) -> float:
        return next((one.figures[name] for name in names if name in one.figures), _NONE)

    def text(one: Measure) -> str:
        return localised(share(value(one))) if value(one) >= 0 else ""

    def tip(one: Measure) -> str:
        return next((meaning(figure(name, one.head)) for name in names if name in one.figures), "")

    return Column(title, text, value, tip, number=True, title_tip=title_tip)


def _model(one: Measure) -> str:
    return model_title(one.model)


def _device(one: Measure) -> str:
    return one.device


def _when(one: Measure) -> str:
    return when(one.when)


def _speed(one: Measure) -> str:
    return format_number(one.speed, ",.0f" if one.speed >= 9.95 else ".1f")


def _data(one: Measure) -> str:
    return localised(one.data)


def _columns() -> tuple[Column, ...]:
    return (
        Column(tr("Model"), _model, lambda one: _model(one).casefold(), lambda one: one.folder),
        Column(
            tr("Examples"),
            _data,
            lambda one: _data(one).casefold(),
            lambda one: f"{_data(one)}, {localised(examples(one.examples, one.head))}",
            title_tip=tr("What it was measured on"),
        ),
        Column(
            tr("Number"),
            lambda one: format_number(one.examples, ","),
            lambda one: one.examples,
            number=True,
        ),
        _figure_column(tr("Exact"), meaning(figure("exact")), "exact"),
        _figure_column(tr("F1"), tr("Of questions, of classes (macro F1) or of names"), "f1", "macro f1"),
        _figure_column(tr("Right"), meaning(figure("accuracy")), "accuracy"),
        _figure_column(tr("Calibration error"), meaning(figure("calibration error")), "calibration error"),
        Column(
            tr("A second"),
            _speed,
            lambda one: one.speed,
            number=True,
            title_tip=tr("Examples a second; of reading alone, the model loaded before"),
        ),
        Column(tr("On"), _device, _device, _device, title_tip=tr("Where the model ran")),
        Column(tr("When"), _when, lambda one: datetime.fromisoformat(one.when).timestamp(), _when),
    )


class MeasureTable(RowTable):
    """The table of measures, as high as its rows, up to nine.

    `chosen_changed` is sent when other rows are chosen, `delete_requested` by Del.
    """

    chosen_changed = Signal()
    delete_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("What was measured"), _columns())
        self.selectionModel().selectionChanged.connect(self.chosen_changed)
        self._model.layoutChanged.connect(self.chosen_changed)

    def set_measures(self, measures: Sequence[Measure], chosen: Sequence[Measure] = ()) -> None:
        """Show these measures, with `chosen` selected, or else those selected before."""
        chosen = chosen or self.chosen()
        self._model.set_rows(measures)
        self.fit_columns()
        self.choose(chosen)

    def text_of(self, rows: Sequence[Measure]) -> str:
        """The measures as CSV, with every figure that any of them has."""
        names = list(dict.fromkeys(name for one in rows for name in one.figures))
        times = ("seconds", "examples a second")
        lines = [["model", "examples", "number", *names, *times, "device", "when", "folder"]]
        for one in rows:
            figures = [f"{one.figures[name]:.2f}" if name in one.figures else "" for name in names]
            figures += [f"{one.seconds:.3f}", f"{one.speed:.2f}"]
            lines.append([one.model, one.data, str(one.examples), *figures, one.device, one.when, one.folder])
        return csv_lines(lines)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Delete):
            self.delete_requested.emit()
            event.accept()
        else:
            super().keyPressEvent(event)

    def fit_columns(self) -> None:
        """Compute the width that every column needs, and share out the table's width."""
        self.horizontalHeader().setMinimumSectionSize(self._theme.step(12))
        self._widths = [
            self.needed_width(at, [column.text(one) for one in self._model.rows])
            for at, column in enumerate(self._model.columns)
        ]
        self.share_width()

    def share_width(self) -> None:
        """Give the text columns the width that the numbers leave, and the table the height of its rows.

        The widest texts are elided first, but none below the least width: then the table scrolls.
        """
        widths, room = list(self._widths), self.viewport().width()
        texts = [widths[at] for at in _TEXT_COLUMNS]
        most = max(self._theme.step(_LEAST_TEXT), _widest_fitting(texts, room - sum(widths) + sum(texts)))
        for at in _TEXT_COLUMNS:
            widths[at] = min(widths[at], most)
        spare = room - sum(widths)
        for at in _NAME_COLUMNS:
            widths[at] += max(0, spare) // len(_NAME_COLUMNS)
        for at, width in enumerate(widths):
            self.setColumnWidth(at, width)
        rows = max(1, min(_MOST_ROWS, len(self._model.rows)))
        bar = self.horizontalScrollBar().sizeHint().height() if spare < 0 else 0
        self.setFixedHeight(self.height_of(rows) + bar + 2 * self.frameWidth())


def _widest_fitting(widths: Sequence[int], room: int) -> int:
    """The largest cap on these widths with which their sum fits the room; the widest of them if they fit uncapped."""
    for at, width in enumerate(sorted(widths)):
        share = room // (len(widths) - at)
        if width > share:
            return share
        room -= width
    return max(widths)


class SavedMeasures(QWidget):
    """The table, and the details of the selected measures; hidden while there is no measure, and none to restore.

    `changed` carries all measures after some were deleted or restored, `failed` an error; `note` is one line for the
    status line.
    """

    changed = Signal(object)
    failed = Signal(object)
    note = Signal(str)

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__()
        self._workspace, self._lanes = workspace, lanes
        self._left_measure: Measure | None = None
        self._deleted: list[Measure] = []
        self._restoring: tuple[Measure, ...] = ()
        self._heading = plain_label(tr("Measured so far"), type="strong", wrap=False)
        tip = tr("The chosen rows, with every figure  (Ctrl+C)")
        self.copy = push_button(theme, tr("Copy as CSV"), tip=tip)
        self.delete = push_button(theme, tr("Delete"), tip=tr("Delete the chosen rows  (Del)"))
        self.undo = UndoLine(theme)
        self.table = MeasureTable(theme)
        self.panel = MeasurePanel(theme)
        head = row(theme, self._heading, (self.undo, 1), 1, self.copy, self.delete, gap=2)
        column(theme, head, self.table, self.panel, gap=3, parent=self)
        self.copy.clicked.connect(self._copy)
        self.delete.clicked.connect(self.delete_chosen)
        self.table.delete_requested.connect(self.delete_chosen)
        self.table.chosen_changed.connect(self._chosen)
        self.panel.other_chosen.connect(self._compare_with)
        self.undo.undo_asked.connect(self.bring_back)
        self.undo.over.connect(self._forget_deleted)
        self.hide()

    def show_measures(self, measures: tuple[Measure, ...], chosen: tuple[Measure, ...] = ()) -> None:
        """Show these measures; `chosen` are selected, else the earlier selection, else the first row."""
        self.table.set_measures(measures, chosen)
        back = tuple(one for one in self._restoring if one in measures)
        if back:
            self._restoring = ()
            self.table.choose(back)
        if measures and not self.table.chosen():
            self.table.choose(self.table.rows()[:1])
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
        if self._left_measure not in chosen:
            self._left_measure = chosen[0]
        # The measure that was chosen first stays at the left, however the rows are sorted.
        first, *others = sorted(chosen, key=lambda one: one != self._left_measure)
        same = tuple(one for one in self.table.rows() if one.digest == first.digest and one != first)
        if len(others) != 1:
            self.panel.show_one(first, same)
            return
        try:
            self.panel.show_two(compare(first, others[0]), same)
        except SpanlightError as apart:
            self.panel.show_apart(first, others[0], apart.message)

    @Slot(object)
    def _compare_with(self, other: Measure | None) -> None:
        if self._left_measure is not None:
            self.table.choose((self._left_measure, other) if other is not None else (self._left_measure,))

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.table.copied())
        self.note.emit(tr("Copied as CSV"))

    @Slot()
    def delete_chosen(self) -> None:
        """Delete the chosen measures; this can be undone for a while."""
        chosen = self.table.chosen()
        if chosen:
            self._deleted += chosen
            self._lanes.files.start_write(_delete, self._workspace, chosen).then(self.changed, self._failed)
            self.undo.offer(tr("{n:,} measure deleted", "{n:,} measures deleted", n=len(self._deleted)))

    @Slot()
    def bring_back(self) -> None:
        """Restore the measures deleted last."""
        if self._deleted:
            self._restoring = tuple(self._deleted)
            job = self._lanes.files.start_write(_put_back, self._workspace, self._restoring)
            job.then(self.changed, self._failed)
        self._forget_deleted()

    @Slot()
    def _forget_deleted(self) -> None:
        self._deleted = []
        self.undo.clear()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._forget_deleted()
        self.failed.emit(error)


def _delete(workspace: Workspace, measures: tuple[Measure, ...], report: Report) -> tuple[Measure, ...]:
    forget(workspace, measures, report)
    return measured(workspace, report)


def _put_back(workspace: Workspace, measures: tuple[Measure, ...], report: Report) -> tuple[Measure, ...]:
    bring_back(workspace, measures, report)
    return measured(workspace, report)
